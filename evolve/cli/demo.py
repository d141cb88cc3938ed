"""``evolve demo``: what learning changes, shown on a table and on a small suite, in a folder of its own."""

from __future__ import annotations

import csv
import resource
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.demo import DemoScreen, describe_interruption
from evolve.cli.render.output import emit, emit_json, flush, print_note
from evolve.cli.render.reasons import flag_sentence
from evolve.cli.render.views import LoopView, RunView, TableView
from evolve.cli.signals import Terminated
from evolve.core.errors import Interrupted, SetupProblem, UsageError

if TYPE_CHECKING:
    from evolve.workspace import FillResult

app = pages.App()

TASKS = 130
"""Tasks of ``composed`` that the second act takes, from its beginning: single steps, then two of them in a row."""
CANDIDATES = 5_000
"""Programs that the second act tries per task; a tenth of what ``evolve improve composed`` does."""
_ELSEWHERE = "evolve demo --dir NEW"

_MARCH = (
    ("2026-03-02", "Monday"),
    ("2026-03-03", "Tuesday"),
    ("2026-03-05", "Thursday"),
    ("2026-03-06", "Friday"),
    ("2026-03-10", "Tuesday"),
    ("2026-03-12", "Thursday"),
    ("2026-03-14", "Saturday"),
    ("2026-03-18", "Wednesday"),
    ("2026-03-25", "Wednesday"),
    ("2026-03-29", "Sunday"),
)
_APRIL = (
    ("2026-04-01", "Wednesday"),
    ("2026-04-09", "Thursday"),
    ("2026-04-13", "Monday"),
    ("2026-04-25", "Saturday"),
)


@dataclass(frozen=True, kw_only=True)
class Month:
    """A table with its last column filled in every row, and how many rows of it are given."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    given: int

    def write(self, path: Path) -> None:
        """Writes the table; the last column stays blank below the rows that are given."""
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(self.header)
            table.writerows((*row[:-1], row[-1] if at < self.given else "") for at, row in enumerate(self.rows))

    def count_right_cells(self, path: Path | None) -> int:
        """How many of the cells that were blank are right in a filled table."""
        if path is None:
            return 0
        with path.open(encoding="utf-8", newline="") as file:
            found = [row[len(self.header) - 1] for row in csv.reader(file)][1:]
        pairs = list(zip(found, self.rows, strict=True))[self.given :]
        return sum(cell == row[-1] for cell, row in pairs)

    @property
    def blank_cells(self) -> int:
        """How many cells are to be filled."""
        return len(self.rows) - self.given


MARCH = Month(header=("date", "weekday"), rows=_MARCH, given=7)
APRIL = Month(header=("date", "weekday"), rows=_APRIL, given=1)


@app.page("demo", "evolve demo", "evolve demo --dir demo")
def demo_command(
    folder: Annotated[
        str | None,
        typer.Option("--dir", metavar="DIR", help="A new or empty folder to work in. Default: a temporary one."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """See in a minute what learning changes: one table and one small suite, with and without it.

    It needs no key and no network, and works in a folder of its own. The folder stays when both acts ran, with all
    tables and workspaces to try other commands on. Exit code 0 when both acts ran, whatever they showed.
    """
    from evolve.workspace import tasks

    show = DemoScreen(print_note if as_json else emit)
    with ExitStack() as unfinished:
        place = _named_folder(folder) if folder is not None else _temporary_folder(unfinished)
        try:
            show.print_location(place)
            facts: dict[str, Any] = {"dir": str(place), "table": fill_first_month(place, MARCH, APRIL, show)}
            facts["suite"] = fill_second_month(place, tasks.render(tasks.generate("composed").tasks[:TASKS]), show)
            skills = _show_record(place, show)
        except KeyboardInterrupt as stop:
            code = 143 if isinstance(stop, Terminated) else 130
            told = describe_interruption(place if folder is not None else None)
            raise Interrupted(told, hint="evolve demo", exit_code=code) from stop
        uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        facts["cpu_seconds"] = round(sum(use.ru_utime + use.ru_stime for use in uses), 1)
        emit_json(facts) if as_json else show.end(place, skills[0] if skills else "--all", facts["cpu_seconds"])
        flush()
        unfinished.pop_all()  # whoever ran it knows where the folder is


def _temporary_folder(unfinished: ExitStack) -> Path:
    """A new folder, which goes again where the demonstration does not come to its end."""
    try:
        place = Path(tempfile.mkdtemp(prefix="evolve-demo-")).resolve()
    except OSError as error:
        problem = f"no temporary folder can be made: {(error.strerror or str(error)).lower()}"
        raise SetupProblem(problem, hint=_ELSEWHERE) from error
    unfinished.callback(shutil.rmtree, place, ignore_errors=True)
    return place


def _named_folder(named: str) -> Path:
    from evolve.workspace import named_path

    place = named_path(named).resolve()
    try:
        place.mkdir(parents=True, exist_ok=True)
        if any(place.iterdir()):
            raise UsageError(f"{named or '.'} is not empty", hint=_ELSEWHERE)
    except OSError as error:  # such as a file where a folder is to be
        problem = f"{named} can be no folder: {(error.strerror or str(error)).lower()}"
        raise UsageError(problem, hint=_ELSEWHERE) from error
    return place


def fill_first_month(
    place: Path, march: Month, april: Month, show: DemoScreen, *, memory: bool = True
) -> dict[str, Any]:
    """Learns from one table, and fills the next one with an empty memory and with what was learned.

    Args:
        memory: Without it the second table is filled in another workspace than the first: it must come out the same.
    """
    march.write(place / "march.csv")
    april.write(place / "april.csv")
    show.table_act(march.header, march.rows[0], march.given, march.blank_cells)
    first = _fill(place, "march", "mine", show, stages=True)
    show.print_function(first, march.count_right_cells(first.out))
    found: dict[str, Any] = {
        "march": {"right": march.count_right_cells(first.out), "of": march.blank_cells, "flagged": first.marked}
    }
    show.next_month(april.given, april.blank_cells)
    for name, workspace in (("empty", "empty"), ("memory", "mine" if memory else "other")):
        filled = _fill(place, "april", workspace, show)
        used = filled.used or (filled.result.used if filled.result else None)
        found[name] = {"right": april.count_right_cells(filled.out), "of": april.blank_cells, "flagged": filled.marked}
        found[name]["used"] = used.summary if used else ""
    show.side_by_side(found["empty"], found["memory"])
    return found


def _fill(place: Path, month: str, workspace: str, show: DemoScreen, *, stages: bool = False) -> FillResult:
    """What ``evolve fill`` does, with nobody there to be asked.

    The name of what it writes leaves the usual one to a person who tries the table.

    Args:
        stages: Show plan, act, observe and reflect as they happen.
    """
    table, out = f"{month}.csv", f"{month}.{workspace}.csv"
    show.command("fill", table, "-w", workspace, "--out", out)
    view = RunView() if stages else TableView()
    with evolve.open(place / workspace, model="", events=view) as opened, opened.delivering():
        filled = opened.fill(place / table, out=place / out, words=flag_sentence)
        opened.learn()
    return filled


def fill_second_month(place: Path, tasks: str, show: DemoScreen) -> dict[str, Any]:
    """One round of the loop: practice, the gate, and held-out tasks where the gate accepts."""
    (place / "practice.jsonl").write_text(tasks, encoding="utf-8")
    settings = evolve.init(place / "loop").paths.root / "evolve.toml"
    settings.write_text(f"{settings.read_text('utf-8')}\ncandidates = {CANDIDATES}\n", encoding="utf-8")
    show.suite_act(tasks.count("\n"), CANDIDATES)
    show.command("improve", "practice.jsonl", "-w", "loop", "--rounds", "1")
    view = LoopView()
    with view, evolve.open(place / "loop", model="", events=view) as opened, opened.delivering():
        report = opened.improve(place / "practice.jsonl", rounds=1)
    show.print_verdict(report)
    last = report.rounds[-1]
    arms = {arm.arm: {"solved": arm.solved, "of": arm.tasks} for arm in report.arms if arm.tasks}
    gain = report.gain
    return {
        "practised": sum(row.episodes for row in report.rounds),
        "solved": sum(row.solved for row in report.rounds),
        "verdict": last.verdict,
        "pairs": last.pairs,
        "reason": last.reason,
        "promoted": bool(report.promoted),
        "before": arms.get("unlearned"),
        "after": arms.get("learned"),
        "gain": {"value": gain.value, "low": gain.low, "high": gain.high},
    }


def _show_record(place: Path, show: DemoScreen) -> list[str]:
    """Shows in short what is on record now; gives the skills that the first act left.

    Of one table an insight has one task to rest on, which tells nobody anything: those of the second act are shown.
    """
    show.print_next_commands()
    with evolve.open(place / "mine", read_only=True) as opened:
        skills = opened.skills.list()
    show.command("skills", "list", "-w", "mine")
    show.first_few([f"{one.name}: {pages.first_sentence(one.description)}" for one in skills], "skill")
    with evolve.open(place / "loop", read_only=True) as opened:
        known, sentences = opened.memory.list("supported"), opened.memory.sentences()
    general = [one for one in known if sentences[one.id].general]
    if general:
        show.command("memory", "list", "--status", "supported", "-w", "loop")
        general.sort(key=lambda one: (-one.evidence, one.id))
        show.first_few([sentences[one.id].text for one in general], "insight")
    return [one.name for one in skills]
