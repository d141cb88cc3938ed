"""Finds out what an endpoint can do, by asking it small things."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace

from evolve.core.errors import EndpointProblem, ModelMistake, NotRecorded
from evolve.runtime.models.abilities import Abilities, AbilityStore, Api, unknown_abilities
from evolve.runtime.models.addressing import Endpoint
from evolve.runtime.models.client import EndpointModel
from evolve.runtime.models.protocol import DRAWN_AT, Message, ModelReply, ModelRequest, Usage
from evolve.runtime.models.retries import ModelClientSetup, RetryRules
from evolve.runtime.models.structure import RUNGS
from evolve.runtime.models.wire import Deadlines, Exchange, ExchangeFailure, Wire

MOST_DRAWS = 12
"""Answers that are drawn from a model that repeats itself."""
_FUNCTION = """\
Write the Python function `short(name)`, in one fenced block and without a word besides:
short("Ada Lovelace") == "A. Lovelace"
short("Alan Mathison Turing") == "A. M. Turing"
short("Plato") == "Plato\""""
_MORE_WANTED = """\
Wrong: short("Jean-Luc Picard") gave "J. Picard", and "J.-L. Picard" was wanted. Write it again, right for all four."""
_MAX_TOKENS = 1_024  # a model that thinks needs some of it before it answers
# No model that was not shown the schema gives this name to a sum: an endpoint that drops the schema is found out.
_SCHEMA = {
    "title": "sum",
    "type": "object",
    "properties": {"total_of_both": {"type": "integer"}},
    "required": ["total_of_both"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True)
class ProbeReport:
    """What a probe found.

    Attributes:
        abilities: As they were written down.
        usage: What the probe cost.
        responses: Whether the Responses API is offered.
    """

    endpoint: Endpoint
    abilities: Abilities
    usage: Usage
    responses: bool


def probe_endpoint(endpoint: Endpoint, services: ModelClientSetup) -> ProbeReport:
    """Asks an endpoint in every way and remembers which work, in ``services.abilities``.

    Raises:
        EndpointProblem: It answers in no way at all.
        NotRecorded: It is replayed from a recording in which it was not probed.
        BudgetExhausted: The probe does not fit in what is left.
    """
    start = unknown_abilities(endpoint)
    question = ModelRequest(messages=[Message(role="user", text="Reply with the word: ready")], max_tokens=_MAX_TOKENS)
    plain, abilities, trouble = None, start, EndpointProblem(f"{endpoint.name} did not answer")
    offered: dict[Api, bool] = {}
    # Chat Completions last, so that it is taken where both work.
    apis: tuple[Api, ...] = ("responses", "chat")
    used = Usage()
    for api in apis:
        reply, learned, problem = _ask_in_one_way(endpoint, services, question, replace(start, api=api))
        offered[api] = reply is not None and learned.api == api
        if reply is not None:
            plain, abilities, used = reply, learned, used + reply.usage
        trouble = problem or trouble
    if plain is None:
        raise trouble
    abilities, cost = _rungs(endpoint, services, abilities)
    streams, streamed = _streams(endpoint, services, question, abilities)
    begun = time.monotonic()
    draws, drawn = _draws(endpoint, services, abilities)
    speed = round(drawn.completion / max(time.monotonic() - begun, 0.001), 1) or None
    used += cost + streamed + drawn
    # Its own questions are small: how long replies get is another matter.
    abilities = replace(abilities, streams=streams, longest=0, replies=0, draws=draws, speed=speed)
    services.abilities.save(endpoint, abilities)
    return ProbeReport(endpoint=endpoint, abilities=abilities, usage=used, responses=offered["responses"])


def _rungs(endpoint: Endpoint, services: ModelClientSetup, abilities: Abilities) -> tuple[Abilities, Usage]:
    text = "What is 17 + 25? Give the sum as JSON."
    question = ModelRequest(messages=[Message(role="user", text=text)], schema=_SCHEMA, max_tokens=_MAX_TOKENS)
    used = Usage()
    works: dict[str, bool] = {}
    for rung in RUNGS:
        # All others are said not to work, so that the client begins with this one.
        rungs: dict[str, bool] = {other: other == rung for other in RUNGS}
        only = replace(abilities, rungs=rungs)
        reply, learned, _ = _ask_in_one_way(endpoint, services, question, only)
        works[rung] = reply is not None and reply.rung == rung and not reply.refused
        used += reply.usage if reply is not None else Usage()
        abilities = replace(learned, rungs={})
    return replace(abilities, rungs=works), used


def _streams(
    endpoint: Endpoint, services: ModelClientSetup, question: ModelRequest, abilities: Abilities
) -> tuple[bool, Usage]:
    book = _book_with(endpoint, replace(abilities, streams=None))
    quiet = replace(services, abilities=book, rules=_few_attempts(services))
    try:
        # Whether pieces came is seen only by somebody who listens.
        reply = EndpointModel(endpoint, quiet).complete(question, lambda text: None)
    except NotRecorded:
        raise
    except (EndpointProblem, ModelMistake):
        return False, Usage()
    return bool(book.abilities_of(endpoint).streams), reply.usage


def _draws(endpoint: Endpoint, services: ModelClientSetup, abilities: Abilities) -> tuple[int, Usage]:
    """How many answers are worth drawing: several where one that is wrong is given again, but not when asked anew."""
    used = Usage()

    def reply(request: ModelRequest) -> str:
        nonlocal used
        said, _, _ = _ask_in_one_way(endpoint, services, request, abilities)
        used += Usage() if said is None else said.usage
        return "" if said is None else " ".join(said.text.split())

    question = ModelRequest(messages=[Message(role="user", text=_FUNCTION)], max_tokens=_MAX_TOKENS, seed=0)
    first = reply(question)
    told = [Message(role="assistant", text=first), Message(role="user", text=_MORE_WANTED)]
    if not first or reply(question.with_messages(*told)) != first:
        return 1, used
    others = {reply(replace(question, seed=seed, temperature=DRAWN_AT)) for seed in (1, 2, 3)}
    return (MOST_DRAWS if others - {first, ""} else 1), used


def _ask_in_one_way(
    endpoint: Endpoint, services: ModelClientSetup, question: ModelRequest, start: Abilities
) -> tuple[ModelReply | None, Abilities, EndpointProblem | None]:
    book = _book_with(endpoint, start)
    model = EndpointModel(endpoint, replace(services, abilities=book, repairs=0, rules=_few_attempts(services)))
    try:
        reply = model.complete(question)
    except ModelMistake:
        return None, start, None
    except NotRecorded:
        raise
    except EndpointProblem as problem:
        return None, start, problem
    return reply, book.abilities_of(endpoint), None


def _book_with(endpoint: Endpoint, abilities: Abilities) -> AbilityStore:
    book = AbilityStore()
    book.save(endpoint, abilities)
    return book


def _few_attempts(services: ModelClientSetup) -> RetryRules:
    # Once more, as one hiccup is no sign that a way does not work.
    return replace(services.rules, attempts=2)


def list_offered_models(endpoint: Endpoint, wire: Wire) -> list[str]:
    """The names of the models that an endpoint lists, sorted.

    Raises:
        EndpointProblem: It cannot be reached or gives no list.
    """
    answer = wire.send(Exchange(base_url=endpoint.base_url, path="models"), Deadlines(total=30.0))
    if isinstance(answer, ExchangeFailure):
        raise EndpointProblem(f"{endpoint.base_url}: {answer.text}", retryable=answer.is_retryable)
    try:
        rows = json.loads(answer.content)["data"]
        return sorted(str(row["id"]) for row in rows)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise EndpointProblem(f"{endpoint.base_url} gives no list of models", retryable=False) from error
