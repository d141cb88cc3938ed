"""One HTTP exchange as plain values, whole or as a stream, and how it can fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal, Protocol

from evolve.core.cancellation import Cancellation
from evolve.core.errors import BudgetExhausted, EndpointProblem, ModelMistake, NotRecorded, PromptTooLong
from evolve.core.files import clean_text
from evolve.core.redaction import Scanner, StreamCleaner
from evolve.runtime.models.overflow import TOO_LONG
from evolve.runtime.models.protocol import OnDelta, Usage, WaitingDelta
from evolve.runtime.models.replies import DeltaReader

FailureKind = Literal[
    "connect",  # nobody there
    "timeout",  # a deadline passed
    "broken",  # cut off, or not what was announced
    "limit",  # too many requests
    "server",  # it failed on its side
    "access",  # key missing, wrong or without rights
    "missing",  # no such model or address
    "context",  # the prompt is too long
    "request",  # it does not accept what we sent
    "offline",  # a replay that has no record of this
]

CodeAt = Literal["", "field", "text"]
"""Code in a reply: none, in a field of its JSON, or in its text."""

_TRANSIENT = frozenset({"connect", "timeout", "broken", "limit", "server"})


@dataclass(frozen=True, kw_only=True)
class Deadlines:
    """How long one exchange may take, in seconds.

    Attributes:
        connect: Until the connection stands.
        idle: Between two pieces of a streamed reply, the first included.
        total: From start to end, whatever arrives in between.
        cancellation: Ends it as soon as a person asks to stop, once the connection stands.
    """

    connect: float = 10.0
    idle: float = 600.0
    total: float = 600.0
    cancellation: Cancellation | None = None


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A request as it goes out. The key is not part of it.

    Attributes:
        base_url: Where to.
        path: Under the base URL, such as ``chat/completions``.
        body: JSON; {} for a GET.
        attempt: Which time the same body is asked for because the replies could not be read; part of its digest.
        gives_code: Where the reply holds code that may be executed, if it does.
    """

    base_url: str
    path: str
    body: Mapping[str, Any] = field(default_factory=dict)
    attempt: int = 0
    gives_code: CodeAt = ""

    @property
    def is_streamed(self) -> bool:
        """Whether the reply is asked for in pieces."""
        return bool(self.body.get("stream"))


@dataclass(frozen=True, kw_only=True)
class RawReply:
    """A reply that arrived whole.

    Attributes:
        content: The body as it came.
        replayed: It comes from a record and cost nothing.
    """

    content: bytes
    replayed: bool = False


@dataclass(frozen=True, kw_only=True)
class ExchangeFailure:
    """An exchange without a usable body.

    Attributes:
        text: What happened, in one phrase for people, without any key.
        status: The HTTP status, or 0 where none came.
        retry_after: Seconds the endpoint asked to wait, or None.
        billed: The work may have been done and charged, although its result was lost.
        final: Waiting does not help, as for a used-up quota.
    """

    kind: FailureKind
    text: str
    status: int = 0
    retry_after: float | None = None
    billed: bool = False
    final: bool = False

    @property
    def is_retryable(self) -> bool:
        """Whether the same exchange may work later."""
        return self.kind in _TRANSIENT and not self.final


OnBytes = Callable[[bytes], None]


class Wire(Protocol):
    """Carries exchanges. Knows nothing of what they mean, and never tries twice."""

    def send(
        self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None = None
    ) -> RawReply | ExchangeFailure:
        """One exchange; what goes wrong on the way is a value, not an exception.

        Args:
            on_bytes: Hears the body while it comes, for a streamed exchange.
        """
        ...

    def close(self) -> None:
        """Frees connections; closing twice is no error."""
        ...


def failure_of_status(status: int, headers: Mapping[str, str], content: bytes) -> ExchangeFailure:
    """What an HTTP error means."""
    code, message = _error_text(content)
    text = f"HTTP {status}" + (f": {message}" if message else "")
    wait = retry_after(headers)
    # Hosts do not agree on the status for this, so the words decide; 413 needs none.
    if status in (400, 413, 422, 500) and (TOO_LONG.search(f"{code} {message}") or status == 413):
        return ExchangeFailure(kind="context", text=text, status=status)
    if status == 429:
        # OpenAI answers 429 also when the account is empty, and then waiting does not help.
        spent = "quota" in code or "billing" in message.lower()
        return ExchangeFailure(kind="limit", text=text, status=status, retry_after=wait, final=spent)
    if status in (401, 403):
        return ExchangeFailure(kind="access", text=text, status=status)
    if status == 404:
        return ExchangeFailure(kind="missing", text=text, status=status)
    # 501 is not trouble of the moment: the server will never know this request.
    if status in (408, 409, 425) or (status >= 500 and status != 501):
        return ExchangeFailure(kind="server", text=text, status=status, retry_after=wait)
    return ExchangeFailure(kind="request", text=text, status=status)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``Retry-After`` (a number, or a date against the reply's own date)."""
    low = {name.lower(): value for name, value in headers.items()}
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(low[name]) / scale
        except (KeyError, ValueError):
            continue
        if seconds == seconds and seconds >= 0:  # not NaN
            return seconds
    try:
        # Against the reply's own date: this machine's clock may be wrong.
        until, sent = parsedate_to_datetime(low["retry-after"]), parsedate_to_datetime(low["date"])
        return max(0.0, (until - sent).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None


def _error_text(content: bytes) -> tuple[str, str]:
    """Code and message of an error's body, in the forms seen in the wild; the text itself where it is none of them."""
    # An error page may be megabytes long, and only a phrase of it is shown.
    raw = content[:20_000].decode(json.detect_encoding(content), "replace")
    try:
        whole = json.loads(raw)
    except (ValueError, RecursionError):
        # A page made for browsers says nothing in its first words.
        return "", _short("" if "<html" in raw.lower() else raw)
    inner = whole.get("error", whole) if isinstance(whole, dict) else whole
    if not isinstance(inner, dict):
        return "", _short(str(inner))
    code = f"{inner.get('code') or ''} {inner.get('type') or ''}"
    return code, _short(str(inner.get("message") or inner.get("detail") or inner.get("msg") or code))


def _short(text: str) -> str:
    return " ".join(clean_text(text).split())[:300]


_HINTS = {
    "access": "set OPENAI_API_KEY (or EVOLVE_API_KEY for other endpoints), then `evolve models check`",
    "missing": "`evolve models list` shows the models of the endpoint",
    "connect": "check the address with `evolve models check`; the same command goes on where it stopped",
    "offline": "the same command with --record in place of --replay asks for what is missing and adds it",
}
_KINDS: dict[str, type[EndpointProblem]] = {"offline": NotRecorded, "context": PromptTooLong}


def endpoint_problem(name: str, failure: ExchangeFailure, failures: int) -> EndpointProblem:
    """The error for a failure that nothing helps against now.

    Args:
        name: Whose endpoint it was.
        failures: How often it failed in a row.
    """
    times = f" ({failures} times)" if failures > 1 else ""
    hint = _HINTS.get(failure.kind, "the same command goes on where it stopped" if failure.is_retryable else "")
    if failure.kind == "limit" and failure.final:
        hint = "the account's quota is used up: raise it, or choose another model"
    if failure.kind == "context":
        hint = "choose a model with a longer context, or give fewer rows"
    kind = _KINDS.get(failure.kind, EndpointProblem)
    return kind(f"{name}: {failure.text}{times}", retryable=failure.is_retryable, hint=hint)


def unusable_problem(name: str, why: str, tries: int, *, answered: bool) -> ModelMistake | EndpointProblem:
    """The error for replies none of which could be used: the endpoint's trouble, until it has given an answer once."""
    text = f"{name} gave no usable reply in {tries} {'try' if tries == 1 else 'tries'}: {why}"
    if answered:
        return ModelMistake(text)
    return EndpointProblem(text, retryable=False, hint="`evolve models list` shows which others the endpoint has")


def over_budget(reached: str, most: Usage) -> BudgetExhausted:
    """The error for a call that is not made.

    Args:
        reached: The bound that is reached, or "".
        most: What the call may cost.
    """
    money = f" and ${most.money:.4f}" if most.money else ""
    text = reached or f"the next call may take {most.tokens:,} tokens{money}, and less than that is left"
    return BudgetExhausted(text, tokens=most.tokens)


class ReplyListener:
    """Stands between the bytes of one request's calls and whoever listens.

    Args:
        name: The model that is asked.

    Attributes:
        streamed: Text of the last call came while it was under way.
    """

    def __init__(self, emit: OnDelta, scanner: Scanner, name: str) -> None:
        self._emit, self._scanner, self._name = emit, scanner, name
        self._reader: DeltaReader | None = None
        self._shown = StreamCleaner(scanner)
        self.streamed = False

    @property
    def received_bytes(self) -> int:
        """Bytes of text and thinking that came of the call under way."""
        return 0 if self._reader is None else self._reader.size

    def asks_again(self, number: int, most: int, why: str) -> None:
        """Says that what was asked for did not come, and is asked for once more."""
        of = f" of {most}" if most else ""
        self._emit(WaitingDelta(f"{self._name}, attempt {number}{of}: {self._scanner.redact_text(why)}"))

    def begin_call(self, path: str, before: str | None, *, streamed: bool) -> Callable[[bytes], None] | None:
        """A call is about to be made; gives what hears its bytes, or None where they do not come one by one.

        Args:
            before: What came of the reply in calls before, said again; None where the listener has it still.
        """
        reader, cleaner = DeltaReader(path), StreamCleaner(self._scanner)
        self._reader, self._shown, self.streamed = (reader if streamed else None), cleaner, False
        if before is not None:
            # An empty piece: what a failed call said before is not part of this reply.
            self._emit("")
            self._emit(before)

        def listen(piece: bytes) -> None:
            text = reader.read_piece(piece)
            self.streamed = self.streamed or bool(text)
            clean = cleaner.clean_piece(text)
            if clean:
                self._emit(clean)

        return listen if streamed else None

    def end_call(self, text: str) -> None:
        """A reply is there: says what was held back, or all of it where no piece came."""
        rest = self._shown.close() if self.streamed else self._scanner.redact_text(text)
        if rest:
            self._emit(rest)
