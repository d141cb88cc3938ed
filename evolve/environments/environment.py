"""What stands between an episode and what its actions act on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from evolve.core.episodes import Action, Exhibit, Judgement, Observation, Step
from evolve.environments.probing import make_probe

if TYPE_CHECKING:
    from evolve.core.episodes import Claim, Json, Recalled, Row, Subgoal, SubgoalCheck
    from evolve.runtime.sandbox.actions import FunctionCalls
    from evolve.runtime.sandbox.protocol import Sandbox

T = TypeVar("T")


class BaseEnvironment(ABC):
    """What one episode acts on: reset once, then a step per action, then closed.

    Everything it needs to know of the past it takes from the steps, and nothing is kept between calls that cannot be
    had again. So an episode that was cut off goes on in a new one, and a stage may ask again.

    How actions run and are judged differs; all else has a default, which says that there is nothing of the kind.

    Args:
        sandbox: Where variations run.

    Attributes:
        name: That of its kind.
        repeats: Its actions need more than an interpreter to run once more, so :meth:`repeat_actions` does it.
    """

    name: str
    repeats = False
    _session: Any = None  # the interpreter of its actions, where one stays open between them

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    @abstractmethod
    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        """Runs a ``code``, ``finish``, ``give_up`` or ``answer`` action after the given steps.

        ``ok`` means that there is something to judge.
        """

    @abstractmethod
    def judge(self, steps: Sequence[Step]) -> Judgement:
        """Puts the last step's answer to the verifiers."""

    def reset(self) -> Observation:
        """What there is at the start: ``outputs`` holds what a policy may see of it."""
        return Observation(ok=False)

    def initial_view(self) -> tuple[Exhibit, ...]:
        """What there is to see at the start without doing anything; asked once an episode, since it may take long."""
        return ()

    def active_steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps that the next action builds upon, as the policy should see them; the last one's state holds."""
        return tuple(steps)

    def probe(self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        """Runs variations for a policy that reflects; a :data:`~evolve.environments.probing.Probe`. Leaves no trace."""
        return make_probe(self._sandbox)(programs, inputs)

    def full_output(self, step: Step) -> str:
        """All that a step's action gave, where its observation shows only a part."""
        observed = step.observation
        if observed is None:
            return ""
        lines = [observed.text, f"error: {observed.error}" if observed.error else ""]
        return "\n".join([*filter(None, lines), *map(repr, observed.outputs)])

    def answer(self, step: Step) -> str:
        """What a submitted step amounts to, as text for the record: what was said, or the code."""
        return step.action.text if step.action.kind == "answer" else step.action.code

    def close(self) -> None:
        """Ends the interpreter, if one is open; closing twice is no error."""
        if self._session is not None:
            self._session.close()
        self._session = None

    def known_rows(self, steps: Sequence[Step]) -> KnownRows | None:
        """All rows, where a refusal showed one before or in these steps; else None."""
        return None

    def equivalent_answer(self, code: str, others: Sequence[str]) -> str | None:
        """The first of the other answers that does what this one does on everything the verifiers would run it on.

        None where there is none, or where that cannot be said. Nothing is told of what is right.
        """
        return None

    def left_right(self, steps: Sequence[Step]) -> Observation | None:
        """What there is to judge of what the steps left, though nobody handed it in; None where nothing is.

        It is right by all that was asked for, and was not judged. Asked where an episode ends, so it may take long.
        """
        return None

    def try_checks(self, subgoals: Sequence[Subgoal], step: Step) -> tuple[SubgoalCheck, ...]:
        """What the checks of a plan's subgoals give on the state that the step left, in their order, as time allows.

        They leave no trace in that state, and reach nothing that decides about an answer.
        """
        return ()

    def claims(self, steps: Sequence[Step], recalled: Sequence[Recalled], once: OncePerEpisode) -> tuple[Claim, ...]:
        """What it found out itself of what the actions were good for, with its evidence; what is tried takes no tokens.

        Args:
            recalled: What the episode was told.
            once: Keeps what each try gave.
        """
        return ()

    def changed_files(self, step: Step) -> Mapping[str, bytes | None] | None:
        """What the answer of a step left of each file that it changed, None of one that is gone.

        None in all where a procedure cannot be done again.
        """
        return None

    def rehearse(
        self, code: str, entry: str, arguments: Sequence[Json], accepted: Mapping[str, bytes | None]
    ) -> RehearsalResult:
        """Calls a function on the state from which the episode started; ``accepted`` is the change that was accepted.

        It leaves no trace in the episode, and nobody is told of held-out checks more than whether they accept.
        """
        return RehearsalResult(fault=True)

    def repeat_actions(
        self, codes: Sequence[tuple[int, str]], calls: FunctionCalls | None, start: Callable[[int], object]
    ) -> Json:
        """The value of the last of some actions, each with its step's number, which ``start`` is told before it runs.

        They leave no trace in the episode, and ``calls`` makes none; None where one of them ended the interpreter.
        """
        return None


@dataclass(frozen=True, kw_only=True)
class KnownRows:
    """The rows of a task once some of them were shown.

    Attributes:
        shown: Those that a refusal showed, in this run or an earlier one.
        visible: Those, and the examples.
        unseen: Those that still nobody was shown.
        inputs: Further inputs whose outputs are wanted.
    """

    shown: tuple[Row, ...]
    visible: tuple[Row, ...]
    unseen: tuple[Row, ...]
    inputs: tuple[tuple[Json, ...], ...] = ()


class OncePerEpisode(Protocol):
    """Keeps what a piece of work gave, so that a crash repeats none."""

    def __call__(self, what: str, cls: type[T], compute: Callable[[], T]) -> T:
        """What ``compute`` gave when it was first called for this, by this process or an earlier one.

        Args:
            what: Tells the work from all other of the episode.
            cls: The dataclass of the value, whose fields are JSON or dataclasses.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class RehearsalResult:
    """What a procedure did on the state that an episode started from.

    Attributes:
        base: Digest of that state.
        change: Digest of what it changed; "" for nothing.
        same: It left what the accepted answer left.
        held: The verifier that accepted the answer accepts this too, and it changed what the answer changed.
        told: Why it did not hold, in one sentence.
        fault: Nothing can be said about the procedure: the sandbox failed, or nothing is rehearsed here.
    """

    base: str = ""
    change: str = ""
    same: bool = False
    held: bool = False
    told: str = ""
    fault: bool = False
