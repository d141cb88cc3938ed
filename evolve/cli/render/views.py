"""What a person sees while something runs: plain lines, or a live line on a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any

from evolve.cli.render.output import count_of, escape_control_characters, print_note, shorten_line, singular_form

if TYPE_CHECKING:
    from evolve.workspace import Activity, Event, SubgoalState


KEPT_STEPS = "kept which steps the answer needed"
"""What is said of what a search learned, as long as that rests on too few problems for a sentence of its own."""
LEARN = "evolve run --examples rows.csv, or evolve improve everyday: insights come from solved tasks"
"""What is said to do where there are none yet."""
NO_TASK = "no other task used it yet"
"""What is said of a skill that served no task but the one that it came from."""

_UNSANDBOXED = "[unsandboxed] "
_RECALLED = 2
"""Recalled sentences that are shown."""
_OF_OPERATIONS = re.compile(r" (is necessary for|occurs in answers to) \(")


class RunView:
    """Shows one episode, stage by stage.

    Args:
        unsandboxed: Code is not confined, which every line says.
    """

    def __init__(self, *, unsandboxed: bool = False) -> None:
        self._mark = _UNSANDBOXED if unsandboxed else ""
        self._begun = False

    def emit(self, event: Event) -> None:
        """Prints a line where the stage has something to say."""
        # A refused draft is told of once, with what was learned.
        line = "" if event.kind == "not_kept" else episode_line(event)
        if line:
            print_note(escape_control_characters(self._mark + line, lines=False), indent=9)


class TableView(RunView):
    """Shows the search behind a table in one line, and warnings."""

    def emit(self, event: Event) -> None:
        """Prints a line where the search begins, and each warning."""
        if event.kind == "warning":
            super().emit(event)
        elif event.kind == "plan" and not self._begun:
            self._begun = True
            print_note(f"{self._mark}searching for a function that gives the filled cells")


def episode_line(event: Event) -> str:
    """What an event of an episode has to say, with the stage in front, or ""."""
    data = event.data
    if event.kind == "recall" and data.get("items"):
        items = sorted(data["items"], key=lambda item: bool(item.get("fact")))  # what was wished comes first
        return f"recall   {_recalled(items)}{_such_as([_with_day(item) for item in items])}"
    if event.kind == "plan" and data.get("subgoals"):  # without any the task is its own plan
        return f"plan     {data.get('goal', '')}: {' → '.join(data['subgoals'])}"
    if event.kind == "act":
        cost = (
            f" ({count_of(data['candidates'], 'candidate')}, {data['seconds']:.2f} s)" if data.get("candidates") else ""
        )
        said = "answer" if data.get("action") == "answer" else data.get("text") or data.get("action", "")
        return f"act      {said}{'' if 'candidates' in said else cost}"
    if event.kind == "observe":
        if data.get("person"):  # what they said stands there already
            return ""
        return f"observe  {_called(data)}{_observed(data)}"
    if event.kind == "judge" and data:
        return _judged(data)
    if event.kind == "reflect" and data.get("claims"):
        told = _such_as(data["claims"]) or ": which steps the answer needs"
        return f"reflect  {count_of(data['claims'], 'insight')}{told}"
    return _other_line(event)


def _judged(data: Mapping[str, Any]) -> str:
    """What the verdict was; of one that is good the last line says why, of a bad one that is said here."""
    if not data["accepted"]:
        wrong = f"wrong on one of {count_of(data['rows'], 'row')} it had not seen" if data["rows"] else "refused"
        return f"judge    {shorten_line(data.get('text') or wrong, 400)}"
    if data["rows"] and not data.get("text"):
        return f"judge    right on {count_of(data['rows'], 'row')} it had not seen"
    return "judge    the check passes" if data.get("checked") else ""


def _other_line(event: Event) -> str:
    from evolve.workspace import is_stage

    data = event.data
    if event.kind == "ask" and data:
        return f"answer   {shorten_line(data['answer'], 100)}"
    if event.kind == "warning":
        return f"warning: {data['text']}"
    if event.kind == "spent":
        from evolve.cli.render.layout import format_spending
        from evolve.workspace import Cost

        unsure = "; a call without a reply counts at its highest possible cost" if data["lost"] else ""
        return f"cost     {format_spending(Cost(**data['cost']))} so far{unsure}"
    if event.kind == "shadow":
        return f"judging  {data['text']}"
    if is_stage(event.kind) and data.get("text"):
        return f"{event.kind.partition('@')[0]:<8} {shorten_line(data['text'], 100)}"
    if event.kind == "not_kept":
        return f"distill  skill {data['skill']} not kept: {shorten_line(data['reason'], 200)}"
    return f"learned  skill {data['skill']}" if event.kind == "admitted" else ""


def _observed(data: Mapping[str, Any]) -> str:
    problem = data.get("error") or data.get("denied") or "does not fit every example"
    if "changed" in data or "passes" in data:
        names = data.get("changed")  # None where nothing ran
        changed = f"{count_of(names, 'file')} changed" if names else "" if names is None else "nothing changed"
        handed_in = {True: "the check passes", False: "submitted, although the check fails", None: "submitted"}
        told = str(data.get("error") or data.get("denied") or "")
        # Events of earlier versions say no more than that something was handed in.
        outcome = handed_in[data.get("passes")] if data.get("ok") else told
        return "; ".join(filter(None, [changed, shorten_line(outcome, 100)])) + _plan_so_far(data)
    if data.get("looked") and not data.get("error"):
        return shorten_line(str(data["looked"]), 100) + _plan_so_far(data)
    good = "fits every example" if data.get("examples", 1) else "runs; there is no example to compare with"
    return good if data.get("ok") else shorten_line(str(problem), 100)


_CALLED = {
    "answered": "",
    "failed": ", which failed",
    "refused": ", which was not allowed",
    "doubtful": ", which may have had an effect",
}


def _called(data: Mapping[str, Any]) -> str:
    calls = [
        f"called {call['function']} {count_of(call['count'], 'time')}{_CALLED[call['state']]}"
        for call in data.get("calls", ())
    ]
    return "".join(f"{call}; " for call in calls)


def _plan_so_far(data: Mapping[str, Any]) -> str:
    states = data.get("states", ())
    return f"; {data['done']} of {count_of(states, 'step')} of the plan done" if states else ""


def subgoal_line(state: SubgoalState) -> str:
    """A subgoal of a plan and how far it has come."""
    words = {"checked": "done, checked", "said": "done, as the model says", "open": "open"}
    why = f", its check gave {shorten_line(state.told, 80)}" if state.told and state.status == "open" else ""
    return f"{state.subgoal.id.removeprefix('s')}. {state.subgoal.goal}: {words[state.status]}{why}"


def _with_day(item: Mapping[str, Any]) -> str:
    """What was recalled; a note with the day on which it was said."""
    return f"{item['date']}: {item['text']}" if item.get("date") else str(item["text"])


def _such_as(texts: Sequence[str]) -> str:
    """The first of them that are sentences for people; what a search claims of its operations tells them nothing."""
    told = [shorten_line(text.rstrip("."), 110) for text in texts if not _OF_OPERATIONS.search(text)][:_RECALLED]
    return f"{':' if len(told) == len(texts) else ', such as:'} {'; '.join(told)}" if told else ""


def _recalled(items: Sequence[Mapping[str, Any]]) -> str:
    """How many items of each kind were recalled; events of earlier versions name none, and were of insights."""
    kinds = ["fact" if item.get("fact") else str(item.get("kind", "insight")) for item in items]
    return ", ".join(count_of([name for name in kinds if name == kind], kind) for kind in dict.fromkeys(kinds))


class LoopView(AbstractContextManager["LoopView"]):
    """Tells of a loop: what lasts in lines, and what changes all the time as what goes on.

    Args:
        unsandboxed: Code is not confined, which every line says.
    """

    def __init__(self, *, unsandboxed: bool = False) -> None:
        self._mark = _UNSANDBOXED if unsandboxed else ""
        self._last = ""
        self._going = ExitStack()
        self._activity: Activity | None = None

    def __enter__(self) -> LoopView:
        from evolve.workspace import report_activity

        self._activity = self._going.enter_context(report_activity(""))
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Nothing goes on any more, so that a result can be shown."""
        self._going.close()

    def emit(self, event: Event) -> None:
        """Shows what changed."""
        line, lasting = loop_line(event)
        if not line:
            return
        line = self._mark + escape_control_characters(line, lines=False)
        # Behind the colon stand counts that change all the time: a line for each stage is enough.
        begins = line.partition(":")[0] != self._last.partition(":")[0]
        if lasting or (begins and not sys.stderr.isatty()):
            print_note(line)
        if self._activity is not None:
            self._activity.update("" if lasting else "stage", line, anew=begins)
        self._last = line


def loop_line(event: Event) -> tuple[str, bool]:
    """What an event of a loop has to say, or "", and whether the line stays when the next one comes."""
    data: Any = event.data
    if event.kind == "practice":
        # Later rounds have a heading of their own: of each, a first line is shown.
        again = f" again ({data['round']})" if data["round"] > 1 else ""
        line = (
            f"Practising{again}: {data['episodes']} of {count_of(data['total'], 'task')}, {data['solved']} solved,"
            f" {count_of(data['skills'], 'new skill')}"
        )
        if data.get("checkable"):
            line += f"; the check passes for {data['checked']} of {data['checkable']}, which proves no gain"
        return line, data["episodes"] == data["total"]
    if event.kind in ("begun", "paused", "resumed"):
        return data["text"], True
    if event.kind == "idle":
        return f"Set aside: {count_of(data['skills'], 'skill')}, used for no task but the one it is from", True
    if event.kind == "proposed" and data["variant"]:
        skills = f" with {count_of(data['skills'], 'skill')} that served several tasks" if data["skills"] else ""
        return f"Learned from practice: version {data['variant'][:10]}{skills}, to compare with before", True
    if event.kind == "proposed":
        return "Nothing new to compare", True
    if event.kind == "gate":
        what = "" if "round" in data else f"candidate {data['candidate']} "
        return (
            f"Comparing {what}with before: {data['pairs']} of about {count_of(data['of'], 'pair')}{_won(data)}",
            False,
        )
    if event.kind == "judged":
        said = {"accept": "accepted", "reject": "refused"}.get(data["verdict"], data["verdict"])
        return f"Compared: {said} after {count_of(data['pairs'], 'pair')} ({singular_form(data['reason'])})", True
    return _search_line(event)


def _won(counts: Mapping[str, Any]) -> str:
    return f", {counts['better']} better, {counts['worse']} worse, {counts['equal']} equal"


def _search_line(event: Event) -> tuple[str, bool]:
    data: Any = event.data
    if event.kind in ("forecast", "engine"):
        return data["text"], True
    if event.kind == "drafting":
        return "the model writes a workflow" + (f", mending fault {data['faults']}" if data["faults"] else ""), False
    if event.kind == "screened":
        name = data["operator"]
        return f"candidate {data['number']}, {name}: {data['solved']} of {data['tasks']} train tasks solved", False
    if event.kind == "warning":
        return f"warning: {data['text']}", True
    return _arms_line(event)


def _arms_line(event: Event) -> tuple[str, bool]:
    """Progress of comparisons that decide nothing."""
    data: Any = event.data
    if event.kind == "test":
        line = f"Measuring with and without learning: {data['done']} of {count_of(data['total'], 'held-out task')}"
        return line, data["done"] == data["total"]
    if event.kind == "replayed":
        outcome = "solved" if data["solved"] else "failed again"
        return f"edit of {data['prompt']}, tried on a single failure: {outcome}", False
    if event.kind == "ablated":
        line = (
            f"items one by one: pair {data['done']}/{data['total']}, {shorten_line(data['item'], 40)}: {data['reason']}"
        )
        return line, data["done"] == data["total"]
    if event.kind == "tested":
        counts = f"{data['agree']} pairs agree, {data['disagree']} disagree of {data['pairs']}"
        return f"insight tested with and without, {counts}: {shorten_line(data['text'], 60)}", True
    return "", False


def answer_command(run: str, *, approval: bool) -> str:
    """What answers a run that waits: for a yes to a change, or for words."""
    return f"evolve apply {run}, or evolve runs answer {run} no" if approval else f"evolve runs answer {run} TEXT"


def short_id(name: str) -> str:
    """The beginning of an id, or all of one that was given by hand."""
    return name[:10] if re.fullmatch("[0-9a-f]{32}", name) else name
