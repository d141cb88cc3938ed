"""Finds out what an endpoint can do, by asking it small things."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evolve.errors import EndpointProblem, ModelMistake, NotRecorded
from evolve.models.abilities import Abilities, AbilityBook, Api, unknown_abilities
from evolve.models.addressing import Endpoint
from evolve.models.client import EndpointModel, Services
from evolve.models.patience import RetryRules
from evolve.models.protocol import Message, ModelReply, ModelRequest, Usage
from evolve.models.structure import RUNGS
from evolve.models.wire import Deadlines, Exchange, Failure, Wire

_ROOM = 1_024  # a model that thinks needs some of it before it answers
_SCHEMA = {
    "title": "sum",
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True)
class Probed:
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


def probe(endpoint: Endpoint, services: Services) -> Probed:
    """Asks an endpoint in every way and remembers which work, in ``services.abilities``.

    Raises:
        EndpointProblem: It answers in no way at all.
        NotRecorded: It is replayed from a recording in which it was not probed.
        BudgetExhausted: The probe does not fit in what is left.
    """
    start = unknown_abilities(endpoint)
    question = ModelRequest(messages=[Message(role="user", text="Reply with the word: ready")], max_tokens=_ROOM)
    plain, found, trouble = None, start, EndpointProblem(f"{endpoint.name} did not answer")
    offered: dict[Api, bool] = {}
    apis: tuple[Api, ...] = ("responses", "chat")
    used = Usage()
    for api in apis:
        reply, seen, problem = _asked(endpoint, services, question, replace(start, api=api))
        offered[api] = reply is not None and seen.api == api
        if reply is not None:
            plain, found, used = reply, seen, used + reply.usage
        trouble = problem or trouble
    if plain is None:
        raise trouble
    found, cost = _rungs(endpoint, services, found)
    streams, streamed = _streams(endpoint, services, question, found)
    found = replace(found, streams=streams)
    services.abilities.keep(endpoint, found)
    return Probed(endpoint=endpoint, abilities=found, usage=used + cost + streamed, responses=offered["responses"])


def _rungs(endpoint: Endpoint, services: Services, found: Abilities) -> tuple[Abilities, Usage]:
    text = "What is 17 + 25? Give the sum as JSON."
    question = ModelRequest(messages=[Message(role="user", text=text)], schema=_SCHEMA, max_tokens=_ROOM)
    used = Usage()
    works: dict[str, bool] = {}
    for rung in RUNGS:
        wanted: dict[str, bool] = {other: other == rung for other in RUNGS}
        only = replace(found, rungs=wanted)
        reply, seen, _ = _asked(endpoint, services, question, only)
        works[rung] = reply is not None and reply.rung == rung and not reply.refused
        used += reply.usage if reply is not None else Usage()
        found = replace(seen, rungs={})
    return replace(found, rungs=works), used


def _streams(endpoint: Endpoint, services: Services, question: ModelRequest, found: Abilities) -> tuple[bool, Usage]:
    book = _holding(endpoint, replace(found, streams=None))
    quiet = replace(services, abilities=book, rules=_once(services))
    try:
        reply = EndpointModel(endpoint, quiet).complete(question, lambda text: None)
    except NotRecorded:
        raise
    except (EndpointProblem, ModelMistake):
        return False, Usage()
    return bool(book.of(endpoint).streams), reply.usage


def _asked(
    endpoint: Endpoint, services: Services, question: ModelRequest, start: Abilities
) -> tuple[ModelReply | None, Abilities, EndpointProblem | None]:
    """The reply to a question asked in one way, and what was learned while asking."""
    book = _holding(endpoint, start)
    model = EndpointModel(endpoint, replace(services, abilities=book, repairs=0, rules=_once(services)))
    try:
        reply = model.complete(question)
    except ModelMistake:
        return None, start, None
    except NotRecorded:
        raise
    except EndpointProblem as problem:
        return None, start, problem
    return reply, book.of(endpoint), None


def _holding(endpoint: Endpoint, abilities: Abilities) -> AbilityBook:
    book = AbilityBook()
    book.keep(endpoint, abilities)
    return book


def _once(services: Services) -> RetryRules:
    return replace(services.rules, attempts=2)


def offered_models(endpoint: Endpoint, wire: Wire, deadlines: Deadlines | None = None) -> list[str]:
    """The names of the models that an endpoint lists, sorted.

    Raises:
        EndpointProblem: It cannot be reached or gives no list.
    """
    exchange = Exchange(base_url=endpoint.base_url, path="models")
    answer = wire.send(exchange, deadlines or Deadlines(total=30.0))
    if isinstance(answer, Failure):
        raise EndpointProblem(f"{endpoint.base_url}: {answer.text}", retryable=answer.retryable)
    return _names(answer.content, endpoint)


def _names(content: bytes, endpoint: Endpoint) -> list[str]:
    import json

    try:
        rows = json.loads(content)["data"]
        return sorted(str(row["id"]) for row in rows)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise EndpointProblem(f"{endpoint.base_url} gives no list of models", retryable=False) from error
