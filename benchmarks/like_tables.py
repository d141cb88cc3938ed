"""Does what was learned help on next month's table? Five jobs, each solved once, then met again with few filled rows.

``python -m benchmarks.like_tables --json`` solves the table of a first month, eight of its rows filled, by search.
Each later month has the same columns, other rows and only one or two of them filled. It is run in the workspace that
solved the first month, and in an empty one. Right are the cells that the answer gives as they should be, of all that
were not filled; a table without an answer has none.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import evolve
from benchmarks.record import UNSEEDED
from evolve.runtime.sandbox import Program, SandboxLimits
from evolve.testing import TrustingSandbox

FILLED_FIRST = 8
FILLED_LATER = (1, 2)

_FIRST = "Ada Alan Grace Barbara Donald Edsger John Frances Tony Margaret Niklaus Adele".split()  # noqa: SIM905
_LAST = "Lovelace Turing Hopper Liskov Knuth Dijkstra Backus Allen Hoare Hamilton Wirth Goldberg".split()  # noqa: SIM905
_TOWNS = ["DE", "FR", "IT", "ES", "NL", "PL", "SE", "AT", "CH", "DK", "BE", "PT"]
_FILES = ["march", "sales", "budget", "team", "plan", "cost", "stock", "notes", "sheet", "order", "yearly", "data"]


@dataclass(frozen=True, kw_only=True)
class Job:
    """One kind of table.

    Attributes:
        columns: The column that is given and the one that is wanted.
        given: A cell, by month and row.
        wanted: What belongs beside it.
    """

    name: str
    columns: tuple[str, str]
    given: Callable[[int, int], str]
    wanted: Callable[[str], str]

    def rows(self, month: int) -> list[tuple[str, str]]:
        """The table of a month, all cells filled."""
        return [(cell, self.wanted(cell)) for cell in (self.given(month, row) for row in range(12))]


def _name(month: int, row: int) -> str:
    return f"{_FIRST[(row * 5 + month) % 12]} {_LAST[(row * 7 + month * 3) % 12]}"


def _mail(month: int, row: int) -> str:
    return f"{_name(month, row).replace(' ', '.').lower()}@example.com"


def _day(month: int, row: int) -> str:
    return f"{2019 + row % 5}-{(month + row) % 12 + 1:02}-{(row * 5 + month) % 27 + 1:02}"


def _order(month: int, row: int) -> str:
    return f"{_TOWNS[(row + month) % 12]}-{2024 + month // 12}-{(row * 37 + month * 11) % 900 + 7:05}"


def _path(month: int, row: int) -> str:
    return f"reports/{2024 + month // 12}/{_FILES[(row * 5 + month) % 12]}_{(month + row * 2) % 12 + 1:02}.xlsx"


def _day_first(day: str) -> str:
    year, month, number = day.split("-")
    return f"{number}.{month}.{year}"


JOBS = (
    Job(name="names", columns=("name", "listed"), given=_name, wanted=lambda text: ", ".join(text.split()[::-1])),
    Job(name="days", columns=("day", "printed"), given=_day, wanted=_day_first),
    Job(name="orders", columns=("order", "short"), given=_order, wanted=lambda text: text[:2] + str(int(text[8:]))),
    Job(
        name="mails",
        columns=("mail", "person"),
        given=_mail,
        wanted=lambda text: text.partition("@")[0].replace(".", " ").title(),
    ),
    Job(
        name="files",
        columns=("path", "title"),
        given=_path,
        wanted=lambda text: text.rpartition("/")[2].partition(".")[0].upper(),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Met:
    """One table of a later month.

    Attributes:
        learned: The workspace had solved the first month.
        told: What the result says.
    """

    job: str
    month: int
    filled: int
    learned: bool
    right: int
    cells: int
    told: str


def measure(months: Sequence[int], jobs: Sequence[Job] = JOBS) -> list[Met]:
    """Every table of the later months with and without what the first month taught."""
    found = []
    with TemporaryDirectory() as folder, evolve.open(Path(folder) / "learned", settings=UNSEEDED) as taught:
        for job in jobs:
            solved(taught, job, Path(folder) / f"{job.name}-1.csv", 1, FILLED_FIRST)
        for learned in (True, False):
            for job in jobs:
                for month in months:
                    for filled in FILLED_LATER:
                        file = Path(folder) / f"{job.name}-{month}-{filled}.csv"
                        if learned:
                            met = solved(taught, job, file, month, filled)
                        else:
                            with evolve.open(Path(folder) / f"empty-{file.stem}", settings=UNSEEDED) as empty:
                                met = solved(empty, job, file, month, filled)
                        found.append(met_as(met, learned))
    return found


def met_as(met: Met, learned: bool) -> Met:
    """The same with where it was met."""
    return Met(**{**asdict(met), "learned": learned})


def solved(workspace: evolve.Workspace, job: Job, file: Path, month: int, filled: int) -> Met:
    """Runs a table of which so many rows are filled; a month's table begins with them."""
    rows = job.rows(month)
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([job.columns, *rows[:filled]])
    result = workspace.run(examples=file)
    blank = rows[filled:]
    right = 0
    if result.solved:
        program = Program(source=result.answer, entry=result.entry)
        (ran,) = TrustingSandbox().run_programs([program], [[given] for given, _ in blank], SandboxLimits()).programs
        right = sum(cell.ok and cell.value == wanted for cell, (_, wanted) in zip(ran.outputs, blank, strict=False))
    return Met(job=job.name, month=month, filled=filled, learned=True, right=right, cells=len(blank), told=result.note)


def shares(found: Sequence[Met]) -> Mapping[str, float]:
    """Share of right cells by filled rows, with and without what was learned."""
    table = {}
    for learned in (True, False):
        for filled in FILLED_LATER:
            own = [met for met in found if (met.learned, met.filled) == (learned, filled)]
            name = f"{'with' if learned else 'without'} the saved function, {filled} filled"
            table[name] = round(sum(met.right for met in own) / max(1, sum(met.cells for met in own)), 3)
    return table


def main() -> None:
    """Prints the shares, or everything as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--months", type=int, default=1, help="later months of each job")
    chosen = parser.parse_args()
    found = measure(range(2, 2 + chosen.months))
    if chosen.json:
        print(json.dumps({"shares": shares(found), "tables": [asdict(met) for met in found]}, indent=1))
    else:
        for name, share in shares(found).items():
            print(f"{share:.0%} of cells right {name}")


if __name__ == "__main__":
    main()
