"""What came of a step, in words that a model reads; of a long output that repeats an earlier one the difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from evolve.core.episodes import EnvironmentState, Json, Judgement, Observation, RefusedAnswer, Row, Step, TaskView
from evolve.core.episodes.blocks import RUN, read_reply
from evolve.environments import environment_kind
from evolve.policies.language.quoting import truncate_middle

_ROW = 1_000
"""Characters of one wrong example."""
_WRONG_SHOWN = 8
_CALLS_SHOWN, _CALL = 12, 200
_STANDING = {"answered": "done", "doubtful": "it may have been done, and nobody knows"}
_IDLE = ("reads", "has no effect")
_ANSWER = 4_000
"""Characters of an answer that was refused in an earlier run."""


def answered_by_person(step: Step) -> bool:
    """Whether what came back from a step is the person's own word."""
    return step.observation is not None and step.observation.person


def observation_text(view: TaskView, step: Step) -> str:
    """What came back from a step, in words."""
    told = _doubt(step) or _result_text(view, step)
    return "\n".join([told, *_calls_that_stand(step.observation), *_left_out(view, step)])


def _left_out(view: TaskView, step: Step) -> Iterator[str]:
    """Which blocks of a reply that ran code were not done, as what they say was written before anything was seen."""
    if not step.action.code or step.observation is None:
        return
    done = {"plan", "done", "give_up"} | ({"python"} if environment_kind(view.environment).one_file else RUN)
    ignored = dict.fromkeys(block.kind for block in read_reply(step.action.said).blocks if block.kind not in done)
    if ignored:
        names = ", ".join(f"`{kind}`" for kind in ignored)
        yield f"not done, because code stood in the same reply: {names}; send such a block alone"


def _calls_that_stand(observation: Observation | None) -> Iterator[str]:
    """What code that failed had done outside before: whoever tries again should not do it twice."""
    if observation is None or not (observation.error or observation.limit):
        return
    acted = [one for one in observation.calls if one.state in _STANDING and one.does not in _IDLE]
    if acted:
        yield "before that, the code made these calls, which stand:"
    for one in acted[:_CALLS_SHOWN]:
        yield f"{one.function}({truncate_middle(one.arguments, _CALL)}): {_STANDING[one.state]}"
    if len(acted) > _CALLS_SHOWN:
        yield f"... and {len(acted) - _CALLS_SHOWN} more"


def call_text(view: TaskView, row: Row) -> str:
    """A row's call, such as ``double(2)``."""
    return f"{view.entry}({', '.join(python_text(value) for value in row.input)})"


def python_text(value: Any) -> str:
    """A JSON value as Python writes it, which is what a model reads and writes."""
    return repr(value)


def _result_text(view: TaskView, step: Step) -> str:
    observation, judgement = step.observation, step.judgement
    if observation is None:
        return "not run"
    if observation.interrupted:
        return observation.error
    if judgement is not None:
        gave = _state_lines(observation, observation.state) if observation.state is not None else ()
        return "\n".join([*gave, "accepted" if judgement.accepted else _refusal(view, judgement)])
    if observation.denied and not observation.text and observation.state is None:
        return f"refused by the sandbox, which says nothing about the task: {observation.denied}"
    if observation.fault:
        return f"{observation.failure} (which says nothing about the task)"
    if observation.state is not None:
        return "\n".join(_state_lines(observation, observation.state)) or "done; nothing was printed"
    if observation.text:
        return observation.text + (f"\nrefused by the sandbox: {observation.denied}" if observation.denied else "")
    wrong = [
        f"{call_text(view, row)}: expected {python_text(row.output)}, got {_value_text(value)}"
        for row, value in _wrong_rows(view, observation)
    ]
    if wrong and step.action.kind == "code":
        count = min(len(view.examples), len(observation.outputs))
        head = f"right on {count - len(wrong)} of {count} examples; failed on the examples:"
        more = [f"... and {len(wrong) - _WRONG_SHOWN} more"] if len(wrong) > _WRONG_SHOWN else []
        return "\n".join([head, *(truncate_middle(line, _ROW) for line in wrong[:_WRONG_SHOWN]), *more])
    if observation.outputs and step.action.kind == "recall":
        return "\n".join(str(output) for output in observation.outputs)
    return f"error: {observation.error}" if observation.error else "nothing came back"


def _wrong_rows(view: TaskView, observation: Observation) -> list[tuple[Row, Json]]:
    """Which examples a function did not reproduce, with what it gave."""
    pairs = zip(view.examples, observation.outputs, strict=False)
    return [(row, value) for row, value in pairs if not _same(value, row.output)]


def wrong_rows_text(view: TaskView, step: Step) -> str:
    """The rows that an answer is known to fail on, as what they give and what they do not; a few of many."""
    wrong = [] if step.observation is None else _wrong_rows(view, step.observation)
    if step.judgement is not None and step.judgement.row is not None:
        wrong.append((step.judgement.row, step.judgement.got))
    lines = [
        f"{call_text(view, row)} == {python_text(row.output)}, and not {_value_text(value)}" for row, value in wrong
    ]
    return "\n".join(truncate_middle(line, _ROW) for line in lines[:_WRONG_SHOWN])


def _refusal(view: TaskView, judgement: Judgement) -> str:
    """That an answer was refused, and the row that tells why where one may be shown."""
    said = judgement.told or environment_kind(view.environment).refusal
    if judgement.row is None:
        return said
    shown = truncate_middle(_missed(view, judgement.row, judgement.got), _ROW)
    return f"{said}, such as this one, which is an example from now on:\n{shown}"


def _missed(view: TaskView, row: Row, got: Json) -> str:
    return f"{call_text(view, row)}: wanted {python_text(row.output)}, got {_value_text(got)}"


def refused_text(view: TaskView, refused: RefusedAnswer) -> str:
    """An answer that an earlier run of the task handed in, and why it was refused."""
    lines = [truncate_middle(refused.answer, _ANSWER)]
    if refused.row is not None:
        lines.append(truncate_middle(_missed(view, refused.row, refused.got), _ROW))
    return "\n".join(lines)


def _state_lines(observation: Observation, state: EnvironmentState) -> Iterator[str]:
    """What an action gave in a folder, then what is different now."""
    if state.output:
        yield state.output
    if state.value is not None and "\nvalue: " not in state.output:  # earlier versions kept it apart
        yield f"value: {python_text(state.value)}"
    if observation.denied:
        yield f"refused by the sandbox, which says nothing about the task: {observation.denied}"
    if state.changed:
        yield f"changed: {', '.join(state.changed)}"
    if state.protected:
        yield f"these changes are not taken, because the files are protected: {', '.join(state.protected)}"
    if observation.error and observation.error not in state.output:  # of a block that failed it is told there
        yield observation.error
    if state.check is not None:
        # Not by whether the step is ready to be judged: what fails may be handed in, and an action may want to go on.
        yield f"the check {'passes' if state.score == 1.0 else 'printed'}:\n{state.check}"


def _doubt(step: Step) -> str:
    """Why a stage sent an answer back that was not judged; "" where none did."""
    doubts = [note.text for note in step.action.notes if note.doubtful]
    if not doubts or step.judgement is not None or (step.observation is not None and not step.observation.ok):
        return ""
    return f"{'not run' if step.observation is None else 'right on the examples'}, but doubted: {doubts[-1]}"


def _value_text(value: Any) -> str:
    """A value that a call gave, or how it failed."""
    failed = isinstance(value, dict) and set(value) == {"error"}
    return str(value["error"]) if failed else python_text(value)


def _same(value: Any, wanted: Any) -> bool:
    from evolve.tasks import equal

    return equal(value, wanted)


_LEAST = 1_000
"""Characters from which on a text is shown as a difference."""
_SHARE = 0.5
"""Share of a text that its difference takes at most."""


@dataclass(frozen=True, kw_only=True)
class OutputDifference:
    """How what a step gave differs from what another gave.

    Attributes:
        step: Number of the other step, which is shown whole.
        lines: Those that went and came, with ``-`` and ``+`` before them.
    """

    step: int
    lines: str


def output_differences(view: TaskView, steps: Sequence[Step], most: int) -> Mapping[int, OutputDifference]:
    """Of the steps that are shown, by number, those that are told as a difference to the last whole one of their kind.

    Each is told from a step that is whole, so that nobody has to put several differences together.

    Args:
        steps: All that stand in the prompt in full, in order.
        most: Characters at which what a step gave is cut.
    """
    whole: dict[str, tuple[int, str]] = {}
    found: dict[int, OutputDifference] = {}
    for step in steps:
        kind = _kind(step)
        if not kind:
            continue
        text = truncate_middle(observation_text(view, step), most)
        if kind in whole and len(text) >= _LEAST:
            number, before = whole[kind]
            pieces = unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=0)
            lines = "\n".join(list(pieces)[2:])
            if len(lines) <= _SHARE * len(text):
                found[step.number] = OutputDifference(step=number, lines=lines)
                continue
        whole[kind] = step.number, text
    return found


def _kind(step: Step) -> str:
    """What of its kind a step is compared with; "" for one that is always whole."""
    observed = step.observation
    if observed is None or observed.person or step.judgement is not None or not step.action.code:
        return ""
    if observed.state is not None:
        return "change" if observed.state.changed else "look"
    return "look" if step.action.explores else ""
