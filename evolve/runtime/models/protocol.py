"""What a policy says to a language model and what it gets back; the seam between the two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from evolve.core.cancellation import Cancellation
from evolve.core.ledger import Budget, CostAmount

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "refusal", "filter"]
Rung = Literal["text", "json_schema", "json_object", "fenced"]
"""A way to ask for a structured reply, from the strictest down a ladder; ``text`` asks for none."""

OTHERWISE_WINDOW, OTHERWISE_REPLY = 32_768, 8_192
"""Tokens that are assumed where nothing is known of a model; few enough for what is served today."""

ESSENTIAL = 100
"""The priority from which a message is never trimmed: golden items, the task itself, the rules."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """One part of the prompt.

    Attributes:
        priority: What goes last when the prompt is too long; from :data:`ESSENTIAL` on it is never left out.
        kind: What the text is (``task``, ``insight``, ``skill``, ``feedback``), for records and views only.
        reasoning: Of an assistant's turn, what its :class:`ModelReply` had there; sent back to the model it came from.
    """

    role: Role
    text: str
    priority: int = 50
    kind: str = ""
    reasoning: Mapping[str, Any] | None = None


DRAWN_AT = 0.8
"""Temperature of a further answer to the same question; the first has the endpoint's own."""


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """One question to a model.

    Attributes:
        schema: JSON Schema that the reply's ``data`` must satisfy; None for plain text. A ``title`` names it.
        max_tokens: Most tokens of one call's reply, thinking included; what is reserved before the call. A reply that
            ends there is gone on with, or asked for again with more room.
        temperature: None leaves it to the endpoint, as some models refuse any.
        seed: Sent where given; also part of what makes two requests the same for a replay.
        stop: Texts that end the reply.
        code: The text of the reply, or its fields of that name, may be executed: they keep words that only happen to be
            somebody's password.
        refused: Answers that failed verification before; each asks the next, dearer model of the role.
    """

    messages: Sequence[Message]
    role: str = "act"
    """Which of the workspace's models is meant: ``act``, ``reflect``, ``judge`` or ``rewrite``."""
    tag: str = ""
    """Who asks, such as a stage; not sent."""
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 2_048
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    code: bool = False
    refused: int = 0

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError("max_tokens must be positive: it is what is reserved")

    def with_messages(self, *messages: Message) -> ModelRequest:
        """The same request with messages added at the end."""
        return replace(self, messages=(*self.messages, *messages))


@dataclass(frozen=True, kw_only=True)
class TokenLimits:
    """How much a model takes and gives in one call, in tokens.

    Attributes:
        window: Prompt and reply together.
        reply: A good :attr:`ModelRequest.max_tokens`: what the model can write, or less, and never all of the window.
        known: Somebody who should know named the window: a price list, the endpoint, or an error. Else it is assumed.
        draws: Answers to one question that are worth drawing before any of them is talked about.
    """

    window: int = OTHERWISE_WINDOW
    reply: int = OTHERWISE_REPLY
    known: bool = False
    draws: int = 1


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What a reply cost. Sums with ``+``, and is an amount for the ledger.

    Attributes:
        prompt: Tokens sent.
        completion: Tokens received, thinking included.
        cached: Those of ``prompt`` that the endpoint had in its cache.
        reasoning: Those of ``completion`` that were thinking, where the endpoint says.
        money: US dollars by the price table; 0.0 where the price is not known.
        calls: HTTP requests that reached the endpoint; 0 for a replay.
        estimated: Some figure is an upper estimate, because the endpoint did not say.
        priced: False where some call has no known price, so that ``money`` is not the whole truth.
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    reasoning: int = 0
    money: float = 0.0
    calls: int = 0
    seconds: float = 0.0
    estimated: bool = False
    priced: bool = True

    @property
    def tokens(self) -> int:
        """Tokens in both directions."""
        return self.prompt + self.completion

    @property
    def candidates(self) -> int:
        """A model looks at no expressions."""
        return 0

    def __add__(self, other: Usage) -> Usage:
        sums: dict[str, Any] = {name: value + getattr(other, name) for name, value in vars(self).items()}
        both = {"estimated": self.estimated or other.estimated, "priced": self.priced and other.priced}
        return Usage(**{**sums, **both})


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """A reply that can be used, or a refusal that is told as one.

    Attributes:
        text: What the model wrote, whole; never a part of a broken stream. Thoughts between tags, such as
            ``<think>``, are no part of it.
        data: The JSON value that satisfies the request's schema; None without a schema and after a refusal.
        usage: The sum over every call it took.
        model: The name the endpoint gave, else the one that was asked for.
        finish: ``stop``; ``length`` where it was cut off again each time that it was gone on with; ``refusal`` and
            ``filter`` where the model or its host would not answer. A refusal says nothing about the task.
        calls: Calls it took, failed ones included.
        rung: How the structure was asked for.
        dropped: Kinds of the messages left out because the prompt was too long.
        reasoning: What the endpoint gave beside the text for the next call, opaque; {} for nothing.
    """

    text: str
    data: Any = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    finish: Finish = "stop"
    calls: int = 1
    rung: Rung = "text"
    dropped: tuple[str, ...] = ()
    reasoning: Mapping[str, Any] = field(default_factory=dict)

    def as_message(self, *, priority: int = ESSENTIAL, kind: str = "reply") -> Message:
        """The reply as the assistant's turn of the next request, with the reasoning that belongs to it."""
        return Message(role="assistant", text=self.text, priority=priority, kind=kind, reasoning=self.reasoning or None)

    @property
    def refused(self) -> bool:
        """Whether there is no answer because the model or its host would not give one."""
        return self.finish in ("refusal", "filter")


class WaitingDelta(str):
    """An empty piece of a reply: what was asked for did not come, and is asked for once more.

    Attributes:
        told: Whom it waits for, which attempt it is, and what became of the one before, in one phrase.
    """

    told: str

    def __new__(cls, told: str) -> WaitingDelta:
        made = super().__new__(cls, "")
        made.told = told
        return made


OnDelta = Callable[[str], None]
"""Hears pieces of the reply as they come. An empty one means that a reply begins: a call that failed is not taken back,
it begins anew. It may be a :class:`WaitingDelta`."""


class ChatModel(Protocol):
    """Anything that answers requests: an endpoint, a choice of endpoints, or a double.

    Attributes:
        name: The model's name for records and reports; verdicts are keyed by it.
    """

    name: str

    def complete(
        self, request: ModelRequest, on_delta: OnDelta | None = None, cancellation: Cancellation | None = None
    ) -> ModelReply:
        """Asks and waits for a reply that can be used.

        Args:
            request: What to ask.
            on_delta: Hears the text while it comes; asking for it makes the call a streaming one.
            cancellation: Ends the call when it is raised.

        Raises:
            EndpointProblem: The endpoint cannot be reached, does not work or never gave an answer; ``retryable`` says
                whether waiting may help. It says nothing about the task. :class:`evolve.core.errors.PromptTooLong`
                where all that may be left out was; :meth:`limits` then knows better.
            ModelMistake: The replies stayed unusable after two repairs.
            BudgetExhausted: The most this could cost does not fit in what is left.
            Cancelled: A person asked to stop; what was under way is booked with the most it can have cost.
        """
        ...

    def limits(self, role: str = "act") -> TokenLimits:
        """How much fits the model of a role; the least of several that may be asked.

        The first call may ask the endpoint which models it has. Never fails: unknown is assumed.
        """
        ...

    def close(self) -> None:
        """Frees connections; closing twice is no error."""
        ...


class ModelMeter(Protocol):
    """What a model needs of a ledger; :class:`evolve.core.ledger.Ledger` is one."""

    @property
    def remaining(self) -> Budget:
        """What may still be spent; None where there is no bound."""
        ...

    @property
    def exhausted_bound(self) -> str:
        """Which bound has been reached, or ""."""
        ...

    def reserve(self, cost: CostAmount) -> bool:
        """Sets the most some work can cost aside; False when it does not fit."""
        ...

    def settle(self, reserved: CostAmount, actual: CostAmount) -> None:
        """Returns a reservation and books what the work really cost."""
        ...
