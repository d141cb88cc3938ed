"""Language models behind any OpenAI-compatible endpoint, as one small protocol.

A policy builds a :class:`ModelRequest` and gets a :class:`ModelReply` or an error of the tree. Deadlines, retries,
repairs, budgets, prices and records are dealt with below that line. Importing this loads no HTTP library.

    with open_models(ModelSetup(model="http://localhost:8080/v1#qwen3", meter=ledger)) as models:
        messages = [Message(role="user", text=prompt, priority=KEPT)]
        reply = models.complete(ModelRequest(messages=messages, schema=schema, refused=refusals))
        reply.data if not reply.refused else reply.text
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.runtime.models.abilities import Abilities, AbilityStore
    from evolve.runtime.models.addressing import Endpoint, parse_model
    from evolve.runtime.models.client import EndpointModel
    from evolve.runtime.models.costs import Price, Prices
    from evolve.runtime.models.openai_wire import OpenAIWire
    from evolve.runtime.models.opening import ModelPool, ModelSetup, load_wording, open_models
    from evolve.runtime.models.probing import ProbeReport, list_offered_models, probe_endpoint
    from evolve.runtime.models.protocol import (
        DRAWN_AT,
        ESSENTIAL,
        ChatModel,
        Message,
        ModelMeter,
        ModelReply,
        ModelRequest,
        OnDelta,
        TokenLimits,
        Usage,
        WaitingDelta,
    )
    from evolve.runtime.models.recording import FolderStore, Recording, RecordingWire, exchange_digest
    from evolve.runtime.models.retries import Breaker, ModelClientSetup, RetryRules
    from evolve.runtime.models.secret_cleaning import CleaningWire
    from evolve.runtime.models.wire import Deadlines, Exchange, ExchangeFailure, RawReply, Wire
else:
    __getattr__, __dir__ = attach(__name__)
