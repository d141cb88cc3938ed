"""What ``evolve demo`` says."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evolve.cli.render.output import count_of, shorten_line

if TYPE_CHECKING:
    from evolve.workspace import ConfidenceInterval, FillResult, Report

LONGER = "evolve improve composed"
VERDICTS = {"accept": "accepted", "reject": "refused", "undecided": "undecided"}


@dataclass(frozen=True)
class DemoScreen:
    """Tells a person what the demonstration does and what came of it.

    Attributes:
        say: Prints one line.
    """

    say: Callable[..., None]

    def print_location(self, place: Path) -> None:
        """Where it works."""
        self.say("evolve learns from your work, and keeps only what measurably helps.")
        self.say("This demo takes about a minute and needs no key and no network. All its files:")
        self.say(f"    {place}", whole=True)

    def command(self, *words: str) -> None:
        """The command that runs next, as a person would type it in the folder."""
        self.say("")
        self.say(f"$ {shlex.join(['evolve', *words])}", whole=True)

    def table_act(self, header: Sequence[str], row: Sequence[str], given: int, blank: int) -> None:
        """What the first act is about, with a row as an example."""
        self.say("")
        self.say("1. A TABLE EACH MONTH")
        self.say(f"In march.csv you filled the {header[-1]} for {count_of(given, header[0])}, such as:")
        self.say("")
        self.say(f"    {', '.join(row)}", whole=True)
        self.say("")
        self._prose(f"For the other {blank}, evolve looks for a function, and tests it on some of your own cells.")

    def print_function(self, filled: FillResult, right: int) -> None:
        """The function that was found, and how many cells it filled as they should be."""
        self.say("")
        self.say(f"It filled {count_of(filled.filled, 'blank cell')}, {right} of them right. The function:")
        self.say("")
        for line in filter(str.strip, filled.function.splitlines()):
            self.say(f"    {line}", whole=True)

    def next_month(self, given: int, blank: int) -> None:
        """What the second table is."""
        self.say("")
        self._prose(
            f"In april.csv you fill {count_of(given, 'cell')} and leave {blank} blank. evolve fills the table twice:"
            " with an empty memory, and with what it learned in March."
        )

    def side_by_side(self, empty: Mapping[str, Any], memory: Mapping[str, Any]) -> None:
        """Both ways of filling the second table."""
        self.say("")
        for name, found in (("empty memory", empty), ("after March", memory)):
            used = f"   used {found['used'].partition(',')[0]}" if found["used"] else ""
            self.say(f"    {name:<12}   {found['right']} of {found['of']} right   {found['flagged']} flagged{used}")
        if empty["flagged"] or memory["flagged"]:
            self.say("")
            self.say("Flagged: evolve is not sure of the cell, and says so in the table.")

    def suite_act(self, tasks: int, candidates: int) -> None:
        """What the second act is about."""
        self.say("")
        self.say("2. MANY TASKS")
        self._prose(
            f"These are the first {tasks} tasks of the built-in suite composed: small puzzles on texts and numbers, in"
            f" which later tasks combine steps of earlier ones. evolve practises on some. It tests on others whether"
            f" that helped. To be quick, it tries {candidates:,} programs per task."
        )

    def print_verdict(self, report: Report) -> None:
        """What came of the loop: the verdict that is on record, and a gain only where it was accepted."""
        last = report.rounds[-1]
        self.say("")
        self.say(f"practice   {last.solved} of {last.episodes} tasks solved")
        if last.verdict:
            tally = f"{last.better} better, {last.worse} worse, {last.equal} equal"
            self.say(f"test       {VERDICTS[last.verdict]}: with what was learned, {tally}")
        else:
            self.say(f"test       none: {last.reason}")
        arms = {arm.arm: arm for arm in report.arms if arm.tasks}
        if report.promoted and "learned" in arms:
            before, after = arms["unlearned"], arms["learned"]
            self.say(f"held out   {before.solved} of {before.tasks} tasks solved before, {after.solved} after")
            self.say(f"           {_gain(report.gain)}")
            return
        self.say("held out   not opened, because nothing was accepted")
        self.say("")
        self._prose(
            "So your agent stays as it was. evolve changes it only when a test shows a gain, and this short one showed"
            " none. The whole suite, with more tries per task, takes four to six minutes:"
        )
        self.say(f"    {LONGER}")

    def print_next_commands(self) -> None:
        """What the commands are for that come next."""
        self.say("")
        self.say("3. LOOK AT WHAT IT LEARNED, AND TAKE IT BACK")

    def first_few(self, texts: Sequence[str], what: str) -> None:
        """The first of some things on record."""
        for text in texts[:2]:
            self.say(f"  {shorten_line(text, 200)}", indent=4)
        if len(texts) > 2:
            self.say(f"  and {count_of(len(texts) - 2, f'more {what}')}")
        if not texts:
            self.say(f"  no {what}")

    def end(self, place: Path, skill: str, seconds: float) -> None:
        """How to take back what was learned in March, and how to remove the folder, which stays."""
        self.say("")
        self.say("Forget what it learned in March, or delete everything that this demo made:")
        self.say("")
        self.say(f"    evolve forget {skill} -w {shlex.quote(str(place / 'mine'))}", whole=True)
        self.say(f"    rm -r {shlex.quote(str(place))}", whole=True)
        self.say("")
        self.say(f"The demo took {seconds:.0f} s of CPU. Now with your own table: evolve fill TABLE.csv")

    def _prose(self, text: str) -> None:
        self.say(text, indent=0)


def describe_interruption(place: Path | None) -> str:
    """What is left where a person stopped the demonstration in a folder that they named; in a temporary one nothing."""
    return f"interrupted; what the demo made stays in {place}" if place else "interrupted; the demo removes its folder"


def _gain(gain: ConfidenceInterval) -> str:
    if gain.value is None or gain.low is None or gain.high is None:
        return "too few tasks for an interval"
    points = f"{gain.value * 100:+.0f} points, 95 % interval {gain.low * 100:+.0f} to {gain.high * 100:+.0f}"
    return points if gain.low > 0 else f"{points}: no gain is shown on these"
