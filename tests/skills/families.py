"""Right answers to a family of tasks that are one another's near-duplicates; no two of them do the same."""

from __future__ import annotations

import itertools
import random

from evolve.core.episodes import Row, SkillDraft

# The last few signs of a code stand behind a mark, in small or capital letters. How many and behind which mark differs
# from task to task, and how it is written from answer to answer.
_STYLES = (
    "def solve(code):\n    return code[:-{n}].{case}() + '{mark}' + code[-{n}:]\n",
    "def solve(text):\n    last = text[-{n}:]\n    return f'{{text[:-{n}].{case}()}}{mark}{{last}}'\n",
    "KEPT = {n}\n\ndef solve(code):\n    return code[:-KEPT].{case}() + '{mark}' + code[-KEPT:]\n",
    "def solve(code):\n    if not code:\n        return ''\n"
    "    return '{mark}'.join([code[:-{n}].{case}(), code[-{n}:]])\n",
    "def solve(s):\n    place = len(s) - {n}\n    head, tail = s[:place], s[place:]\n"
    "    return head.{case}() + '{mark}' + tail\n",
)


def family(count: int = 34) -> list[tuple[SkillDraft, tuple[Row, ...]]]:
    """Drafts in the order in which a model would hand them in, each with the rows it was not shown."""
    wanted = list(itertools.product(range(2, 8), "-/.", ("lower", "upper")))
    random.Random(0).shuffle(wanted)
    return [_answer(number, *case) for number, case in enumerate(wanted[:count])]


def _answer(number: int, n: int, mark: str, case: str) -> tuple[SkillDraft, tuple[Row, ...]]:
    code = _STYLES[number % len(_STYLES)].format(n=n, mark=mark, case=case)
    rng = random.Random(number)
    given = ["".join(rng.choice("abcXYZ0189") for _ in range(rng.randint(9, 14))) for _ in range(9)]
    rows = tuple(Row(input=(text,), output=f"{getattr(text[:-n], case)()}{mark}{text[-n:]}") for text in given)
    draft = SkillDraft(
        name=f"marked-end-{number}",
        description="Puts a mark before the end of a code.",
        entry="solve",
        signature="(code: str) -> str",
        code=code,
        tests=rows[:4],
        source=f"check-{number}",
    )
    return draft, rows[4:]
