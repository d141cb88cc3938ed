"""Whether a call may be made: what a person allowed beforehand, refused, or is asked while the code waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from evolve.core.episodes import Json
from evolve.core.files import canonical_json, digest
from evolve.runtime.functions.function import Effect, Function

Grant = Literal["ask", "allow", "trust", "deny"]
"""What a person said of a function beforehand: ask; yes, as long as nothing else was read; yes, always; no."""

_MOST_NOES, _MOST_NOES_OF_RUN = 3, 20
"""Questions about one function, and in one run, that are answered with no before no further one is put."""

Consent = Literal["once", "run", "no", "never"]
"""What a person says to a question: yes to this call or to all of this run; no to this one or to all of it."""


@dataclass(frozen=True, kw_only=True)
class CallApprovalRequest:
    """What a person is asked before a call is made.

    Attributes:
        function: What is called; its name and description are the words of whoever offers it.
        arguments: What it is called with, whole.
        allowed: How many calls of it were allowed in this run before.
        alike: How many of these had the very same arguments.
        left: How many more the run may make of all functions together.
        read: Where the run has read from since leave for this function was given last, where that is why it is asked:
            what was read there may leave this machine with the call.
    """

    function: Function
    arguments: Mapping[str, Json]
    allowed: int
    left: int
    read: tuple[str, ...] = ()
    alike: int = 0

    @property
    def effects_text(self) -> str:
        """What a call may do, in words."""
        return effects_text(self.function.effects)


AskConsent = Callable[[CallApprovalRequest], Consent]


class PermissionCheck(Protocol):
    """Says whether calls may be made, and is told where data came from."""

    def refusal_reason(self, function: Function, arguments: Mapping[str, Json], left: int) -> str:
        """Why a call is not allowed, in one sentence; "" where it is."""
        ...

    def note_data_from(self, place: str, by: str = "") -> None:
        """From here on the run may hold data of that place, such as a source of functions.

        Args:
            by: The digest of the function that told it; "" where it was none.
        """
        ...


class Permission:
    """Gives leave for the calls of one episode; implements :class:`PermissionCheck`.

    What only reads one place is harmless, and so may be what sends elsewhere; both in one run are how private data is
    carried off by orders hidden in what was read (S. Willison, "The lethal trifecta", 2025). So leave for a function
    that sends holds for what had been read until then: once the run has read from another place, it is asked again, and
    refused where nobody is there to ask, unless the person trusts it with whatever a run reads. What another function
    of the same server gave counts as well: what is private and what is public may lie behind one server. What the very
    function gave before does not.

    A person who has said no several times is not asked again: whoever is asked often enough says yes.

    Args:
        grant_of: What was said beforehand; of a function that changed since, ``ask``.
        ask: Puts a question to the person; None where nobody is there.
    """

    def __init__(self, grant_of: Callable[[Function], Grant], ask: AskConsent | None = None) -> None:
        self._grant_of, self._ask = grant_of, ask
        self._read: dict[str, set[str]] = {}
        self._noes = Counter[str]()
        self._known: dict[str, frozenset[str]] = {}
        self._never: set[str] = set()
        self._allowed = Counter[str]()
        self._alike = Counter[str]()

    def refusal_reason(self, function: Function, arguments: Mapping[str, Json], left: int) -> str:
        identity = function.digest
        grant = self._grant_of(function) if function.effects else "trust"
        if grant == "deny" or identity in self._never:
            return f"the person does not allow {function.name}"
        new = self._newly_read(function)
        if grant == "trust" or (not new and (grant == "allow" or identity in self._known)):
            return self._given(function, arguments)
        if self._ask is not None and (self._noes[identity] >= _MOST_NOES or self._noes.total() >= _MOST_NOES_OF_RUN):
            return f"the person did not allow such calls several times, and is not asked about {function.name} again"
        if self._ask is None:
            read = f"sends data away, this run has read from {', '.join(new)}"
            why = read if new and grant == "allow" else "needs the person's leave"
            return f"{function.name} {why}, and nobody is here to ask"
        question = CallApprovalRequest(
            function=function,
            arguments=arguments,
            allowed=self._allowed[identity],
            left=left,
            read=new,
            alike=self._alike[_same(function, arguments)],
        )
        return self._answered(question, self._ask(question))

    def note_data_from(self, place: str, by: str = "") -> None:
        self._read.setdefault(place, set()).add(by)

    def _newly_read(self, function: Function) -> tuple[str, ...]:
        if "sends" not in function.effects:
            return ()
        known = self._known.get(function.digest, frozenset())
        return tuple(place for place, by in self._read.items() if place not in known and by != {function.digest})

    def _answered(self, question: CallApprovalRequest, consent: Consent) -> str:
        function = question.function
        if consent == "run":
            self._known[function.digest] = frozenset(self._read)
        if consent in ("once", "run"):
            return self._given(function, question.arguments)
        if consent == "never":
            self._never.add(function.digest)
        self._noes[function.digest] += 1
        return f"the person did not allow this call of {function.name}"

    def _given(self, function: Function, arguments: Mapping[str, Json]) -> str:
        self._allowed[function.digest] += 1
        if function.effects - {"reads"}:
            self._alike[_same(function, arguments)] += 1
        return ""


def _same(function: Function, arguments: Mapping[str, Json]) -> str:
    return digest(function.digest + canonical_json(arguments))


def place_of(function: Function) -> str:
    """Where what a function gives comes from: its server or, of those of the person's own program, itself."""
    return function.source or function.name


_DOES: Mapping[Effect, str] = {
    "reads": "reads",
    "changes": "changes something",
    "sends": "sends data away",
    "spends": "costs money",
    "irreversible": "cannot be undone",
}


def effects_text(effects: frozenset[Effect]) -> str:
    """What calls do, in words, such as ``changes something and sends data away``."""
    said = [words for effect, words in _DOES.items() if effect in effects]
    return " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said) or "has no effect"
