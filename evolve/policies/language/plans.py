"""Plans: a DAG of subgoals read from a reply, and when evidence lets a new one take its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.core.episodes import (
    Plan,
    Standing,
    Step,
    Subgoal,
    SubgoalState,
    kept_subgoals,
    stated_subgoals,
    subgoal_states,
)
from evolve.core.files import clean_text
from evolve.policies.language.forms import read_written
from evolve.policies.language.quoting import quote_text

_MOST = 12
"""Subgoals of one plan."""
_LONGEST = 300
"""Characters of a goal or postcondition."""
_LONGEST_LINE = 1_500
_LONGEST_CHECK = 1_000
"""Characters of a check; a longer one would not be what it was, so it is left out."""

# Characters of an open subgoal that are shown where the plan changed.
_GOAL_SHOWN = 120
_CHECK_SHOWN = 160

_STANDS: Mapping[Standing, str] = {"open": "open", "checked": "done, checked", "said": "done, as you say"}
_SAY = "Where no check can tell, say `done: {number}` in a block `plan`."

_GOAL = re.compile(
    r"(?:(?P<number>\d{1,2})[.)]|[-*])?\s*(?:\[(?P<mark>[ xX])\]\s*)?(?P<goal>.+?)"
    r"\s*(?:[(:;,-]+\s*holds when:?\s*(?P<when>.+?)\)?)?"
)
_BELOW = re.compile(r"(?:[-*]\s*)?(?P<word>check|after|done)\s*:\s*(?P<said>.*)", re.IGNORECASE)
_CHECK = re.compile(r"(?P<goal>.*?[^\s(])\s*(?P<open>\()?\bcheck:\s*(?P<said>.+)", re.IGNORECASE)
_AFTER = re.compile(r"(?P<goal>.+?)\s*\(after:?\s*(?P<said>[\d,\s]+(?:and\s*\d+)?)\)", re.IGNORECASE)

PLAN_SCHEMA: Mapping[str, Any] = {
    "title": "plan",
    "type": "object",
    "properties": {
        "goal": {"type": "string"},
        "subgoals": {
            "type": "array",
            "maxItems": 8,
            "items": {
                "type": "object",
                "properties": {
                    "goal": {"type": "string"},
                    "postcondition": {"type": "string"},
                    "needs": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["goal", "postcondition", "needs"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["goal", "subgoals"],
    "additionalProperties": False,
}


@dataclass(frozen=True, kw_only=True)
class StatedPlan:
    """What a block ``plan`` states.

    Attributes:
        subgoals: The plan, or () where the block only says what is done.
        finished: Ids of what it says is done: of its own plan, else of the one in force.
    """

    subgoals: tuple[Subgoal, ...] = ()
    finished: tuple[str, ...] = ()


def read_plan(text: str) -> StatedPlan:
    """The subgoals of a block, a line each, and below a line its ``check:`` and what it comes ``after:``.

    A need that is no earlier subgoal is dropped, so there are no circles.
    """
    subgoals: list[Subgoal] = []
    finished: list[str] = []
    written: dict[str, str] = {}  # ids by the numbers of the plan itself, which may leave some out
    for line in clean_text(text).splitlines():
        said = line.strip()[:_LONGEST_LINE]
        below = _BELOW.fullmatch(said)
        if below is not None and below["word"].lower() == "done":
            finished += [written.get(number, f"s{number}") for number in _numbers(below["said"])]
        elif below is not None and subgoals:
            subgoals[-1] = _with(subgoals[-1], below["word"].lower(), below["said"], written)
        elif said and len(subgoals) < _MOST:
            subgoal, number, done = _line(said, len(subgoals) + 1, written)
            subgoals.append(subgoal)
            written[number] = subgoal.id
            finished += [subgoal.id] * done
    return StatedPlan(subgoals=tuple(subgoals), finished=tuple(dict.fromkeys(finished)))


def carries_plan(step: Step) -> bool:
    """Whether the plan that a step brought stands in its own reply, and no question for a plan gave it."""
    return any(read_plan(block.text).subgoals for block in read_written(step.action.said).blocks_of("plan"))


def _line(said: str, place: int, written: Mapping[str, str]) -> tuple[Subgoal, str, bool]:
    """A subgoal, the number that it has in the block, and whether it is ticked off."""
    more = {}
    for word, form in (("check", _CHECK), ("after", _AFTER)):
        found = form.fullmatch(said)
        if found is not None:
            said = found["goal"]
            more[word] = found["said"].removesuffix(")") if found.groupdict().get("open") else found["said"]
    match = _GOAL.fullmatch(" ".join(said[:_LONGEST_CHECK].split()))
    assert match is not None  # a line with anything in it has a goal
    when = (match["when"] or "")[:_LONGEST]
    subgoal = Subgoal(id=f"s{place}", goal=match["goal"][:_LONGEST], postcondition=when)
    for word, value in more.items():
        subgoal = _with(subgoal, word, value, written)
    return subgoal, match["number"] or str(place), (match["mark"] or " ") != " "


def _with(subgoal: Subgoal, word: str, said: str, written: Mapping[str, str]) -> Subgoal:
    if word == "check":
        command = said.strip()
        quoted = len(command) > 1 and command[0] == command[-1] == "`"
        return replace(subgoal, check=command.strip("`") if quoted else command) if _fits(command) else subgoal
    needs = [written[number] for number in _numbers(said) if number in written and written[number] != subgoal.id]
    return replace(subgoal, needs=tuple(dict.fromkeys((*subgoal.needs, *needs))))


def _fits(command: str) -> bool:
    return 0 < len(command) <= _LONGEST_CHECK


def _numbers(said: str) -> list[str]:
    return [str(int(number)) for number in re.findall(r"\d{1,2}", said)]


def read_subgoals(items: Sequence[Mapping[str, Any]]) -> tuple[Subgoal, ...]:
    """Subgoals ``s1``, ``s2`` and so on of a structured reply; a postcondition ``check: COMMAND`` is a check."""
    subgoals = []
    for place, item in enumerate(items[:_MOST], 1):
        needs = tuple(f"s{need}" for need in dict.fromkeys(item["needs"]) if 0 < need < place)
        said = str(item["postcondition"])
        below = _BELOW.fullmatch(said.strip())
        subgoal = Subgoal(id=f"s{place}", goal=str(item["goal"])[:_LONGEST], postcondition="", needs=needs)
        if below is not None and below["word"].lower() == "check":
            subgoals.append(_with(subgoal, "check", below["said"], {}))
        else:
            subgoals.append(replace(subgoal, postcondition=said[:_LONGEST]))
    return tuple(subgoals)


def adopt_plan(
    stated: StatedPlan, plan: Plan, steps: Sequence[Step], earlier: Sequence[SubgoalState] = ()
) -> StatedPlan:
    """What of a stated plan holds: its subgoals where they are new and may be, and what is done by the ids in force.

    Args:
        earlier: How the plan of the turn before stands. A first plan that states a subgoal of it again keeps what was
            said of that; what a check said is asked of the check anew.
    """
    # The subgoals in force: the last that an action stated, else the plan's
    current = tuple(state.subgoal for state in subgoal_states(steps)) or plan.subgoals
    if not stated.subgoals:
        known = {one.id for one in current}
        return StatedPlan(finished=tuple(name for name in stated.finished if name in known))
    if stated.subgoals != current and (not current or not steps or _may_revise(steps)):
        said = {one.subgoal.id for one in earlier if one.finished} if not current else set()
        kept = kept_subgoals([one.subgoal for one in earlier], stated.subgoals)
        again = (name for name, before in kept.items() if before in said)
        return replace(stated, finished=tuple(dict.fromkeys((*stated.finished, *again))))
    # A plan that is only told again, perhaps with what is done ticked off, names the subgoals in force by their words.
    goals = {one.id: one.goal for one in stated.subgoals}
    done = {goals[name] for name in stated.finished if name in goals}
    return StatedPlan(finished=tuple(one.id for one in current if one.goal in done))


def _may_revise(steps: Sequence[Step]) -> bool:
    """Whether something spoke against the plan since it was made.

    That is a failure, a refusal, a person's word, or a check that no longer holds or did not run to its end.
    """
    for place in reversed(range(len(steps))):
        if _speaks_against(steps[place]) or _lost(steps[: place + 1]):
            return True
        if steps[place].action.revised:
            break
    return False


def _lost(steps: Sequence[Step]) -> bool:
    """Whether the last step undid a subgoal, or showed that its check tells nothing."""
    before = {state.subgoal.id: state.status for state in subgoal_states(steps[:-1])}
    observed = steps[-1].observation
    return any(
        gave.held is None or (not gave.held and before.get(gave.id) == "checked")
        for gave in (observed.checks if observed is not None else ())
    )


def _speaks_against(step: Step) -> bool:
    observed, judged = step.observation, step.judgement
    if observed is None or observed.fault or observed.denied:
        return False
    wrong = bool(step.action.code) and not (step.action.explores or observed.ok or observed.state is not None)
    return observed.person or wrong or bool(observed.error) or (judged is not None and not judged.accepted)


def plan_lines(states: Sequence[SubgoalState], *, standing: bool = True) -> str:
    """A plan with all its subgoals, each with how it stands, unless nothing was done yet."""
    return "\n".join(
        _whole_line(state.subgoal) + (f": {_STANDS[state.status]}" if standing else "") for state in states
    )


def _whole_line(one: Subgoal) -> str:
    more = [f"check: {one.check}"] if one.check else [f"holds when: {one.postcondition}"] if one.postcondition else []
    more += [f"after {', '.join(map(_number, one.needs))}"] if one.needs else []
    return f"{_number(one.id)}. {one.goal}" + (f" ({'; '.join(more)})" if more else "")


def plan_told(steps: Sequence[Step]) -> str:
    """What is told of the plan with the last step, where that changed how it stands: what is open in words; else ""."""
    states = subgoal_states(steps)
    if not states or (_shown(states) == _shown(subgoal_states(steps[:-1]))):
        return ""
    lines = []
    closed: tuple[Standing, ...] = ("checked", "said")
    for standing in closed:
        numbers = [_number(one.subgoal.id) for one in states if one.status == standing]
        lines += [f"{_STANDS[standing]}: {', '.join(numbers)}"] if numbers else []
    lines += [_open_line(state) for state in states if state.status == "open"]
    told = "Your plan as it stands:\n" + quote_text("plan", "\n".join(lines))
    unchecked = [one for one in states if one.status == "open" and (one.ran_out or not one.subgoal.check)]
    if not (stated_subgoals(steps[-1]) or any(one.ran_out for one in unchecked)):
        return told
    return f"{told}\n{_SAY.format(number=_number(unchecked[0].subgoal.id))}" if unchecked else told


def open_numbers(steps: Sequence[Step]) -> str:
    """What of the plan is open, by numbers; "" where there is no plan."""
    states = subgoal_states(steps)
    numbers = [_number(one.subgoal.id) for one in states if one.status == "open"]
    return f"of your plan {', '.join(numbers) or 'nothing'} open" if states else ""


def _open_line(state: SubgoalState) -> str:
    why = f"; its check gave: {state.told[:_CHECK_SHOWN]}" if state.told else ""
    return f"{_number(state.subgoal.id)}. open: {state.subgoal.goal[:_GOAL_SHOWN]}{why}"


def _shown(states: Sequence[SubgoalState]) -> list[tuple[Subgoal, str, bool, bool]]:
    # What a failing check prints may tell the time, and would be told anew with every change.
    return [(one.subgoal, one.status, one.held is None, one.ran_out) for one in states]


def _number(name: str) -> str:
    return name.removeprefix("s")
