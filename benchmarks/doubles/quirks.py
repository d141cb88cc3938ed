"""Small jobs with a hidden quirk: who does not know it writes code that looks right and is wrong.

Each family has one fact about the workspace that its instructions do not tell. Nothing but that fact stands between
the wrong answer and the right one, so what solves a task shows what was known.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.core.episodes import Row
from evolve.tasks import Suite, Task

NORMALISE_NAME = '''\
def normalise_name(text):
    """A person's name in one form: titles dropped, "Last, First" turned around, small letters."""
    last, comma, first = text.partition(",")
    words = f"{first} {last}".split() if comma else text.split()
    titles = {"dr", "mr", "mrs", "ms", "prof"}
    return " ".join(word.lower() for word in words if word.lower().strip(".") not in titles)
'''
"""The skill that the family ``names`` needs."""


@dataclass(frozen=True, kw_only=True)
class Quirk:
    """A family of jobs and the fact behind them.

    Attributes:
        sentence: The fact as a lesson.
        cues: Any of these in a prompt shows that the fact is known.
        skill: Name of a skill that holds the fact, or "".
        takes: Parameters of every function of the family.
        wrong: First lines of a function by one who does not know.
        right: The same by one who does.
        results: What is wanted, in words and as an expression.
        draw: One input.
    """

    name: str
    sentence: str
    cues: tuple[str, ...]
    takes: str
    wrong: str
    right: str
    results: tuple[tuple[str, str], ...]
    draw: Callable[[random.Random], tuple[Any, ...]]
    skill: str = ""

    def known_in(self, text: str) -> bool:
        """Whether a text tells the fact."""
        return any(re.search(cue, text, re.IGNORECASE) for cue in self.cues)


@dataclass(frozen=True, kw_only=True)
class QuirkTask:
    """A job of a family: the task, and both ways to do it."""

    task: Task
    quirk: Quirk
    wrong: str
    right: str


def _date(rng: random.Random) -> tuple[Any, ...]:
    return (f"{rng.randint(1, 12):02d}/{rng.randint(1, 12):02d}/{rng.randint(1990, 2030)}",)


def _amount(rng: random.Random) -> tuple[Any, ...]:
    return (f"{rng.randint(1, 9)}.{rng.randint(100, 999)},{rng.choice((25, 50, 75))}",)


def _name(rng: random.Random) -> tuple[Any, ...]:
    first = rng.choice(("Ada", "Alan", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Tony"))
    last = rng.choice(("Stone", "Rivers", "Hill", "Woods", "Field", "Lake", "Marsh", "Brook"))
    title = rng.choice(("Dr. ", "Prof. ", "Ms. ", "Mr. "))
    return (rng.choice((f"{last}, {first}", f"{title}{first} {last}", f"{last}, {title}{first}")),)


def _month(rng: random.Random) -> tuple[Any, ...]:
    return (rng.randint(2000, 2030), rng.randint(1, 12))


QUIRKS: tuple[Quirk, ...] = (
    Quirk(
        name="dates",
        sentence="Dates in this workspace are written day first, as in 31/12/2024.",
        cues=(r"\bday[- ](comes )?first\b", r"\bdd/mm/yyyy\b", r"\bday/month/year\b", r"\bday before (the )?month\b"),
        takes="text",
        wrong='m, d, y = (int(part) for part in text.split("/"))',
        right='d, m, y = (int(part) for part in text.split("/"))',
        results=(
            ("the month of the date as a number", "m"),
            ("the day of the month of the date", "d"),
            ("the quarter of the date, 1 to 4", "(m - 1) // 3 + 1"),
            ("the date in ISO form", 'f"{y:04d}-{m:02d}-{d:02d}"'),
            ("whether the date lies in the first half of the year", "m <= 6"),
            ("a hundred times the month of the date plus its day", "100 * m + d"),
            ("the months left in the year after the date", "12 - m"),
            ("year and month of the date with a dash between", 'f"{y}-{m:02d}"'),
        ),
        draw=_date,
    ),
    Quirk(
        name="amounts",
        sentence="Amounts in this workspace use a decimal comma, and a point between thousands.",
        cues=(
            r"\bdecimal comma\b",
            r"\bcomma (as|is) (the |a )?decimal\b",
            r"\bpoint (between|for) (the )?thousands\b",
        ),
        takes="text",
        wrong='value = float(text.replace(",", ""))',
        right='value = float(text.replace(".", "").replace(",", "."))',
        results=(
            ("the amount as a number", "value"),
            ("the amount in cents", "round(value * 100)"),
            ("twice the amount", "value * 2"),
            ("the amount without its fraction", "int(value)"),
            ("whether the amount is above five thousand", "value > 5000"),
            ("a quarter of the amount", "value / 4"),
            ("the amount less one hundred", "value - 100"),
            ("how many whole thousands are in the amount", "int(value // 1000)"),
        ),
        draw=_amount,
    ),
    Quirk(
        name="names",
        sentence="Names in this workspace must go through the helper normalise_name before anything else.",
        cues=(r"\bnormalise[_-]name\b", r"\btitles? (is |are )?dropped\b.*\bturned around\b"),
        takes="text",
        wrong="name = text.strip().lower()",
        right="name = normalise_name(text)",
        results=(
            ("the person's name in its plain form", "name"),
            ("the first word of the person's name", "name.split()[0]"),
            ("the last word of the person's name", "name.split()[-1]"),
            ("how many letters the person's name has", 'len(name.replace(" ", ""))'),
            ("the initials of the person", '"".join(word[0] for word in name.split())'),
            ("the person's name with dashes for spaces", 'name.replace(" ", "-")'),
            ("a login made of the person's first letter and last name", "name[0] + name.split()[-1]"),
            ("the person's name read backwards", "name[::-1]"),
        ),
        draw=_name,
        skill="normalise-name",
    ),
    Quirk(
        name="years",
        sentence="The business year in this workspace starts in April.",
        cues=(r"\b(starts?|begins?|starting|beginning) (in|with|on 1) April\b", r"\bApril is (the )?(first|month 1)\b"),
        takes="year, month",
        wrong="first, place = year, month",
        right="first, place = (year, month - 3) if month > 3 else (year - 1, month + 9)",
        results=(
            ("the calendar year in which the business year began", "first"),
            ("the place of the month in the business year", "place"),
            ("the business quarter", "(place - 1) // 3 + 1"),
            ("the months left in the business year", "12 - place"),
            ("whether the month opens a business year", "place == 1"),
            ("the label of the business year, as in FY2024", 'f"FY{first}"'),
            ("the half of the business year", "(place - 1) // 6 + 1"),
            ("a hundred times the business year's first year plus the place of the month", "100 * first + place"),
        ),
        draw=_month,
    ),
)


def quirk_tasks(n: int = 30, seed: int = 0) -> tuple[QuirkTask, ...]:
    """``n`` jobs over the families in turn, every one a problem of its own; at most 32."""
    rng = random.Random(seed)
    jobs = [(quirk, *result) for place in range(8) for quirk in QUIRKS for result in (quirk.results[place],)]
    return tuple(_job(place, job, rng) for place, job in enumerate(jobs[:n]))


def quirk_family(name: str, n: int, seed: int = 0) -> tuple[QuirkTask, ...]:
    """``n`` jobs of one family, every one a problem of its own: a learned fact helps with all of them."""
    quirk = next(one for one in QUIRKS if one.name == name)
    rng = random.Random(seed)
    jobs = []
    for place in range(n):
        words, expression = quirk.results[place % len(quirk.results)]
        worded = f"{words}, after {place} others" if place >= len(quirk.results) else words
        jobs.append(_job(place, (quirk, worded, f"({expression}, {place})"), rng))
    return tuple(jobs)


def quirk_suite(n: int = 30, seed: int = 0) -> Suite:
    """The tasks of :func:`quirk_tasks` as a suite."""
    return Suite(name="quirks", tasks=tuple(one.task for one in quirk_tasks(n, seed)))


def _job(place: int, job: tuple[Quirk, str, str], rng: random.Random) -> QuirkTask:
    quirk, words, expression = job
    entry = f"{quirk.name}_{place:02d}"
    wrong = _function(entry, quirk, quirk.wrong, expression)
    right = _function(entry, quirk, quirk.right, expression)
    solve, mistake = _made(NORMALISE_NAME + right, entry), _made(wrong, entry)
    rows: dict[tuple[Any, ...], Row] = {}
    while len(rows) < 12:
        drawn = quirk.draw(rng)
        rows[drawn] = Row(input=drawn, output=solve(*drawn))
    # Rows that tell both ways apart come first, so that a wrong answer fails where the policy can see it.
    ordered = sorted(rows.values(), key=lambda row: mistake(*row.input) == row.output)
    shown, kept = ordered[:2] + ordered[-1:], ordered[2:-1]
    task = Task(
        id=f"quirk-{place:02d}",
        family=quirk.name,
        instruction=f"Give {words}.",
        examples=tuple(shown),
        verify=tuple(kept[:5]),
        hidden=tuple(kept[5:]),
        group=f"{quirk.name}: {words}",
        meta={"entry": entry},
    )
    return QuirkTask(task=task, quirk=quirk, wrong=wrong, right=right)


def _function(entry: str, quirk: Quirk, begin: str, expression: str) -> str:
    return f"def {entry}({quirk.takes}):\n    {begin}\n    return {expression}\n"


def _made(source: str, entry: str) -> Callable[..., Any]:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    found: Callable[..., Any] = namespace[entry]
    return found


def by_instruction(tasks: Sequence[QuirkTask]) -> Mapping[str, QuirkTask]:
    """The jobs by what is asked."""
    return {one.task.instruction: one for one in tasks}
