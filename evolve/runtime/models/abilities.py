"""Remembers what each endpoint can do, so that no run finds it out again, and how much fits its model."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any, Literal

from evolve.core.errors import SetupProblem
from evolve.core.files import write_atomic
from evolve.runtime.models.addressing import OPENAI, Endpoint
from evolve.runtime.models.protocol import OTHERWISE_REPLY, OTHERWISE_WINDOW, Rung, TokenLimits
from evolve.runtime.models.structure import RUNGS
from evolve.runtime.models.wire import Deadlines, Exchange, ExchangeFailure, Wire

Api = Literal["chat", "responses"]

_LEAST_MEASURED = 1_000  # in a shorter prompt what the host adds to it weighs more than the text
_LEAST_SHARE, _LARGEST_SHARE = 0.15, 2.0  # what tokenizers can do; beyond it a host miscounts
_FORGETTING = 0.1
_STEP = 64  # a length in such steps, so that the file is not written after every call
FEW_REPLIES = 4
"""Fewer replies say nothing of how long the next one may get."""


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """How one model at one endpoint wants to be asked.

    Attributes:
        api: Chat Completions, or Responses where only that is offered.
        rungs: Which ways to ask for structure work; what is not in it has not been tried.
        without: Optional parameters that it refuses.
        tokens_field: What it calls the most tokens of a reply.
        streams: Whether it streams; None where not tried.
        window: Most tokens of prompt and reply together, as it said itself; None where it did not.
        reply: Most tokens of a reply that it takes, where it refused more.
        share: Tokens of a prompt for each that :func:`evolve.runtime.models.tokens.most_prompt_tokens` counts, by what
            was reported of the densest prompts lately; None where nothing was.
        longest: Tokens of the longest replies lately, thinking included, by what was reported.
        replies: How many were reported, as far as it matters.
        draws: Answers to one question that are worth drawing before any of them is talked about: 1 for a model that
            changes an answer when it is told what is wrong with it, more for one that gives the same again but
            others when it is asked anew.
        speed: Tokens of a reply in a second, the reading of short prompts included; None where not measured.
    """

    api: Api = "chat"
    rungs: Mapping[str, bool] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    tokens_field: str = "max_tokens"
    streams: bool | None = None
    window: int | None = None
    reply: int | None = None
    share: float | None = None
    longest: int = 0
    replies: int = 0
    draws: int = 1
    speed: float | None = None

    def with_share(self, most: int, reported: int) -> Abilities:
        """The same after a prompt of at most ``most`` tokens turned out to have as many as were reported."""
        if most < _LEAST_MEASURED:
            return self
        seen = min(max(reported / most, _LEAST_SHARE), _LARGEST_SHARE)
        # Up at once and down slowly: too much set aside delays little, too little passes the budget.
        if self.share is not None and seen < self.share:
            seen = self.share + (seen - self.share) * _FORGETTING
        # In whole percents, so that the file is not written after every call.
        return replace(self, share=ceil(seen * 100) / 100)

    def with_reply(self, reported: int) -> Abilities:
        """The same after a reply of so many tokens; up at once and down slowly, as the share of prompts."""
        slowly = int(self.longest + (reported - self.longest) * _FORGETTING)
        longest = max(ceil(reported / _STEP), slowly // _STEP) * _STEP
        return replace(self, longest=longest, replies=min(self.replies + 1, FEW_REPLIES))

    @property
    def best_rung(self) -> Rung:
        """The highest rung that works or was not tried yet."""
        # What was not tried counts as working: the first refusal corrects it at the cost of one call.
        return next((rung for rung in RUNGS if self.rungs.get(rung, True)), "fenced")

    def with_rung(self, rung: Rung, works: bool) -> Abilities:
        """The same with one more fact about a rung; plain text is no rung."""
        return self if rung == "text" else replace(self, rungs={**self.rungs, rung: works})


def unknown_abilities(endpoint: Endpoint) -> Abilities:
    """What is assumed of an endpoint nobody has asked yet."""
    # OpenAI's newer models refuse max_tokens; many other hosts know only that.
    return Abilities(tokens_field="max_completion_tokens" if endpoint.base_url == OPENAI else "max_tokens")


class AbilityStore:
    """Remembers abilities by endpoint and model, in a JSON file that may be deleted at any time.

    Args:
        path: The file, or None to remember within this process only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._guard = threading.Lock()
        self._by_endpoint = _read(path) if path is not None else {}

    def abilities_of(self, endpoint: Endpoint) -> Abilities:
        """What is known, else what is assumed."""
        with self._guard:
            return self._by_endpoint.get(_key(endpoint), unknown_abilities(endpoint))

    def save(self, endpoint: Endpoint, found: Abilities, since: Abilities | None = None) -> None:
        """Writes down what was found; where the file cannot be written it is found out again next time.

        Args:
            since: What was known when the work began that found it; what others found meanwhile stays.
        """
        with self._guard:
            known = self._by_endpoint.get(_key(endpoint))
            if since is not None and known is not None:
                found = replace(known, **{name: new for name, new in vars(found).items() if new != vars(since)[name]})
            if self._by_endpoint.get(_key(endpoint)) == found:
                return
            self._by_endpoint[_key(endpoint)] = found
            if self._path is None:
                return
            whole = {**_read(self._path), _key(endpoint): found}  # another process may have learned of others
            text = json.dumps({name: asdict(item) for name, item in sorted(whole.items())}, indent=1)
            try:
                write_atomic(self._path, text.encode("ascii"))
            except SetupProblem:
                return


def _key(endpoint: Endpoint) -> str:
    return f"{endpoint.base_url}#{endpoint.model}"


def _read(path: Path) -> dict[str, Abilities]:
    try:
        whole = json.loads(path.read_text("utf-8"))
        return {name: abilities_from(row) for name, row in whole.items()}
    except (OSError, LookupError, ValueError, TypeError, AttributeError):
        return {}  # nothing here that could not be found out again


def abilities_from(row: Mapping[str, Any]) -> Abilities:
    """Abilities as they were written down.

    Raises:
        LookupError, TypeError, ValueError: They were not.
    """
    return Abilities(
        api="responses" if row["api"] == "responses" else "chat",
        rungs={str(name): bool(works) for name, works in row["rungs"].items()},
        without=tuple(map(str, row["without"])),
        tokens_field=str(row["tokens_field"]),
        streams=row["streams"] if isinstance(row["streams"], bool) else None,
        window=int(row["window"]) if row.get("window") else None,
        reply=int(row["reply"]) if row.get("reply") else None,
        share=float(row["share"]) if row.get("share") else None,
        longest=int(row.get("longest") or 0),
        replies=int(row.get("replies") or 0),
        draws=int(row.get("draws") or 1),
        speed=float(row["speed"]) if row.get("speed") else None,
    )


_LARGE = 128_000
_REPLY_OF_LARGE = 16_384
_PART = 4  # a reply that may fill more of the window leaves too little for what was asked
_LEAST, _MOST = 256, 10**8
_LONGEST_REPLY_S = 120.0
"""A reply that runs away ends after about so long at the measured speed."""
_LEAST_REPLY = 1_024

# What a server runs with comes first, what the weights were trained for last.
_WINDOWS = (
    "n_ctx",  # llama.cpp
    "loaded_context_length",  # LM Studio
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_context_length",  # LM Studio, Mistral
    "max_context_window_tokens",
)
_TRAINED = "n_ctx_train"


def limits_of(window: int | None, found: Abilities) -> TokenLimits:
    """The limits of a model.

    Args:
        window: What a list says, or None.
        found: What the endpoint said itself when something was too long; it goes first where it is less.
    """
    told = [tokens for tokens in (window, found.window) if tokens]
    tokens = min(told, default=OTHERWISE_WINDOW)
    reply = _REPLY_OF_LARGE if tokens >= _LARGE else OTHERWISE_REPLY
    # Only here: a slow model that thinks needs its long replies.
    if found.speed is not None and found.draws > 1:
        reply = min(reply, max(_LEAST_REPLY, int(found.speed * _LONGEST_REPLY_S)))
    reply = max(1, min(reply, tokens // _PART, found.reply or reply))
    return TokenLimits(window=tokens, reply=reply, known=bool(told), draws=found.draws)


def offered_window(endpoint: Endpoint, wire: Wire) -> int | None:
    """The window of a model by the endpoint's list of models; None where it gives no list or does not say."""
    answer = wire.send(Exchange(base_url=endpoint.base_url, path="models"), Deadlines(connect=5.0, total=10.0))
    if isinstance(answer, ExchangeFailure):
        return None
    try:
        rows = json.loads(answer.content)["data"]
        row = next(row for row in rows if row["id"] == endpoint.model)
    except (ValueError, LookupError, TypeError, RecursionError, StopIteration):
        return None
    return window_in(row) if isinstance(row, dict) else None


def window_in(row: Mapping[str, Any]) -> int | None:
    """The window in a row of such a list, wherever servers put it; None where it is not there."""
    places = [row, *(row.get(name) for name in ("meta", "top_provider", "capabilities", "limits"))]
    tables = [place for place in places if isinstance(place, Mapping)]
    for name in _WINDOWS:
        sizes = [size for table in tables if (size := _size(table.get(name)))]
        if sizes:
            return min(sizes)  # OpenRouter names the model's, and what its best host serves
    trained = [size for table in tables if (size := _size(table.get(_TRAINED)))]
    # A server seldom runs with all that was trained for, and memory sets the bound.
    return min([OTHERWISE_WINDOW, *trained]) if trained else None


def _size(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST else None
