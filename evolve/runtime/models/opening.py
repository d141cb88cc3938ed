"""Opens the models that a person named, and chooses one for a request: by its role, and the cheap one first."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evolve.core.cancellation import Cancellation
from evolve.core.errors import UsageError
from evolve.core.ledger import Budget, Ledger
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.core.redaction import Scanner, known_secrets
from evolve.runtime.models.abilities import AbilityStore
from evolve.runtime.models.addressing import Endpoint, parse_model
from evolve.runtime.models.client import EndpointModel
from evolve.runtime.models.costs import Prices, listed_model
from evolve.runtime.models.openai_wire import OpenAIWire
from evolve.runtime.models.protocol import ChatModel, ModelMeter, ModelReply, ModelRequest, OnDelta, TokenLimits
from evolve.runtime.models.recording import Recording, RecordingWire, recorded_abilities
from evolve.runtime.models.requests import SchemaPrompts
from evolve.runtime.models.retries import Breaker, ModelClientSetup, RetryRules
from evolve.runtime.models.secret_cleaning import CleaningWire
from evolve.runtime.models.wire import Deadlines, Wire

ROLES = ("act", "reflect", "judge", "rewrite")


class ModelPool:
    """The models of a workspace, by role, each a list from cheap to dear.

    It is itself a :class:`evolve.runtime.models.ChatModel` that answers by the first model of the request's role.
    ``escalate`` gives the same with the next model of each list; the lists end at their dearest.

    Args:
        default: For roles without a list of their own.
        roles: Lists for some of ``act``, ``reflect``, ``judge`` and ``rewrite``.
        level: How often the work was escalated already.

    Raises:
        UsageError: For an empty list or an unknown role.
    """

    def __init__(
        self, default: Sequence[ChatModel], roles: Mapping[str, Sequence[ChatModel]] | None = None, level: int = 0
    ) -> None:
        self._lists = {role: tuple((roles or {}).get(role) or default) for role in ROLES}
        unknown = sorted(set(roles or {}) - set(ROLES))
        if unknown:
            raise UsageError(f"no role {unknown[0]!r} for a model; roles are {', '.join(ROLES)}")
        if not all(self._lists.values()):
            raise UsageError("no model is named", hint="evolve models default NAME, or --model NAME")
        self.level = level
        self.name = self.model_for("act").name

    def model_for(self, role: str) -> ChatModel:
        """The model that plays a role at this level.

        Raises:
            UsageError: For an unknown role.
        """
        if role not in self._lists:
            raise UsageError(f"no role {role!r} for a model; roles are {', '.join(ROLES)}")
        models = self._lists[role]
        return models[min(self.level, len(models) - 1)]

    @property
    def levels(self) -> int:
        """How many levels differ, at least one."""
        return max(len(models) for models in self._lists.values())

    def escalate(self, level: int) -> ModelPool:
        """The models for work that failed verification ``level`` times."""
        return ModelPool(self._lists["act"], self._lists, min(max(level, 0), self.levels - 1))

    def limits(self, role: str = "act") -> TokenLimits:
        """The least of what the models of a role take: failed work goes from one to the next with its history."""
        self.model_for(role)
        every = [model.limits(role) for model in self._lists[role][self.level :] or self._lists[role][-1:]]
        return TokenLimits(
            window=min(limits.window for limits in every),
            reply=min(limits.reply for limits in every),
            known=all(limits.known for limits in every),
            draws=every[0].draws,
        )

    def complete(
        self, request: ModelRequest, on_delta: OnDelta | None = None, cancellation: Cancellation | None = None
    ) -> ModelReply:
        """Asks the model of the request's role, one further up its list for each answer that was refused."""
        model = self.escalate(self.level + request.refused).model_for(request.role)
        return model.complete(request, on_delta, cancellation)

    def close(self) -> None:
        """Closes every model; they are shared by all levels."""
        # By identity: one model may stand in several lists.
        for model in {id(model): model for models in self._lists.values() for model in models}.values():
            model.close()

    def __enter__(self) -> ModelPool:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


@dataclass(frozen=True, kw_only=True)
class ModelSetup:
    """Which models, and what they work with.

    Attributes:
        model: A model as :func:`evolve.runtime.models.parse_model` reads it, or several from cheap to dear, with
            commas.
        roles: The same for single roles.
        base_url: Where bare names are looked for, or "".
        meter: The ledger of the run.
        prices: A price file that goes before the list of prices, or None.
        abilities: Where it is remembered what endpoints can do, or None. A recording starts without, so that its
            replay takes the same way on any machine.
        recording: Where exchanges are recorded or replayed from, or None.
        layers: Where prompts are looked for.
        seed: Of the jitter between attempts.
        wire: Makes the connection to an endpoint; default: HTTP.
        folders: Whose ``.env`` files hold secrets, beside the environment. What endpoints say, and what they are asked,
            is cleaned of them and of the keys.
        spared: Guessable values among them that are words of the work itself, and so no secrets there.
    """

    model: str
    roles: Mapping[str, str] = field(default_factory=dict)
    base_url: str = ""
    meter: ModelMeter = field(default_factory=lambda: Ledger(Budget()))
    prices: Path | None = None
    abilities: Path | None = None
    recording: Recording | None = None
    layers: PromptLayers = field(default_factory=PromptLayers)
    deadlines: Deadlines = field(default_factory=Deadlines)
    rules: RetryRules = field(default_factory=RetryRules)
    environ: Mapping[str, str] | None = None
    seed: int = 0
    wire: Callable[[Endpoint], Wire] = OpenAIWire
    folders: tuple[Path, ...] = ()
    spared: frozenset[str] = frozenset()
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def open_models(setup: ModelSetup) -> ModelPool:
    """The models of a setup. Nothing is sent before the first request.

    Raises:
        UsageError: A name is malformed, or none is given; or there is no recording to replay.
        WorkspaceError: The price file is malformed.
    """
    opened: dict[str, ChatModel] = {}
    breakers: dict[str, Breaker] = {}
    prices, known = Prices(setup.prices), AbilityStore(setup.abilities)
    store = None if setup.recording is None else setup.recording.open()
    book = known if store is None else AbilityStore()

    def open_model(text: str) -> ChatModel:
        endpoint = parse_model(text, setup.environ, base_url=setup.base_url)
        if endpoint.name not in opened:
            # One for each address: if a host is down, all its models are.
            breaker = breakers.setdefault(endpoint.base_url, Breaker(setup.clock))
            services = _services(setup, endpoint, breaker, (prices, book))
            if setup.recording is not None and store is not None:
                services = replace(services, wire=RecordingWire(services.wire, store, setup.recording.mode))
                book.save(endpoint, recorded_abilities(store, setup.recording.mode, endpoint, known))
            opened[endpoint.name] = EndpointModel(endpoint, services)
        return opened[endpoint.name]

    def open_list(text: str) -> list[ChatModel]:
        return [open_model(name) for name in text.split(",") if name.strip()]

    roles = {role: open_list(text) for role, text in setup.roles.items() if text.strip()}
    default = open_list(setup.model)
    # Who names only the model that acts means it for everything.
    if not default and roles.get("act"):
        default = roles["act"]
    if not default:
        raise UsageError("no model is named", hint="evolve models default NAME, or --model NAME")
    return ModelPool(default, roles)


def _services(
    setup: ModelSetup, endpoint: Endpoint, breaker: Breaker, shared: tuple[Prices, AbilityStore]
) -> ModelClientSetup:
    prices, book = shared
    environ = os.environ if setup.environ is None else setup.environ
    secrets = known_secrets(environ, setup.folders, keys=[endpoint.key])
    scanner = Scanner(secret for secret in secrets if secret.sent or secret.value not in setup.spared)
    return ModelClientSetup(
        wire=CleaningWire(setup.wire(endpoint), scanner),
        scanner=scanner,
        wording=load_wording(setup.layers),
        meter=setup.meter,
        price=prices.price_of(endpoint),
        window=listed_model(endpoint).window,
        abilities=book,
        rules=setup.rules,
        deadlines=setup.deadlines,
        breaker=breaker,
        rng=random.Random(setup.seed),
        clock=setup.clock,
        sleep=setup.sleep,
    )


def load_wording(layers: PromptLayers | None = None) -> SchemaPrompts:
    """The texts that ask for structured replies.

    Raises:
        WorkspaceError: A prompt file is missing or not UTF-8.
    """
    chosen = layers or PromptLayers()
    return SchemaPrompts(
        form=load_prompt("reply-form.md", chosen).strip(),
        repair=load_prompt("reply-repair.md", chosen).strip(),
        go_on=load_prompt("reply-continue.md", chosen).strip(),
    )
