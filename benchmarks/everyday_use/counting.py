"""What became of the cells that were blank, and the figures over all tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from benchmarks.everyday_use.table import same
from benchmarks.record import Target

Row = Mapping[str, Any]
OUTCOMES = ("right", "right_marked", "wrong", "wrong_marked", "empty")
"""``empty`` are cells without a value, marked or not; ``wrong`` are those that nothing points out."""

ENOUGH_TO_SPLIT, KEPT_BACK = 6, 3
"""From six filled rows on a third, at least three, are kept back from the search to verify its answer."""


def outcome(got: str, truth: str, marked: bool) -> str:
    """What became of one blank cell."""
    if not got.strip():
        return "empty"
    return ("right" if same(got, truth) else "wrong") + ("_marked" if marked else "")


def counted(got: Sequence[str], truth: Sequence[str], marked: Set[int], blank: Iterable[int]) -> dict[str, int]:
    """How many blank cells had which outcome; places count from 0 and so do those of ``marked``."""
    counts = dict.fromkeys(OUTCOMES, 0)
    for place in blank:
        counts[outcome(got[place], truth[place], place in marked)] += 1
    return counts


def unseen_rows(filled: int, shown_after_refusal: int) -> int:
    """Filled rows that the search did not see, where the product splits them: a third, at least three, from six on."""
    kept = max(KEPT_BACK, filled // 3) if filled >= ENOUGH_TO_SPLIT else 0
    return max(0, kept - shown_after_refusal)


def cells(rows: Sequence[Row]) -> dict[str, int]:
    """Outcomes of all blank cells together."""
    return {name: sum(row[name] for row in rows) for name in OUTCOMES}


def two_by_two(rows: Sequence[Row]) -> dict[str, int]:
    """How many tables are verified or not, and right in every blank cell or not; without an answer is a fifth count."""
    answered = [row for row in rows if row["answered"]]
    found = {
        f"{'verified' if verified else 'unverified'}, {'right' if right else 'wrong'}": sum(
            row["verified"] == verified and row["all_right"] == right for row in answered
        )
        for verified in (True, False)
        for right in (True, False)
    }
    return {**found, "no answer": len(rows) - len(answered)}


def called_verified(rows: Sequence[Row]) -> tuple[int, int]:
    """Of the right tables with three rows that the search did not see, how many are called verified."""
    able = [row for row in rows if row["all_right"] and row["unseen"] >= KEPT_BACK]
    return sum(row["verified"] for row in able), len(able)


def targets_of(rows: Sequence[Row]) -> list[Target]:
    """What filling should reach."""
    all_cells = cells(rows)
    total, right = sum(all_cells.values()), all_cells["right"] + all_cells["right_marked"]
    verified, able = called_verified(rows)
    wrong = sum(row["verified"] and not row["all_right"] for row in rows)
    return [
        Target(name="cells wrong and unmarked", op="<=", target=0.02, value=share(all_cells["wrong"], total), n=total),
        Target(
            name="right answers with three unseen rows called verified",
            op=">=",
            target=0.8,
            value=share(verified, able),
            n=able,
        ),
        Target(name="right cells marked", op="<=", target=0.1, value=share(all_cells["right_marked"], right), n=right),
        Target(name="tables verified and wrong", op="<=", target=0.03, value=share(wrong, len(rows)), n=len(rows)),
    ]


def share(part: int, whole: int) -> float | None:
    """The share, or None of nothing."""
    return part / whole if whole else None


def table(rows: Sequence[Row]) -> str:
    """The figures for a terminal."""
    lines = [f"{'kind':<12} tables  right  cells  right  marked right  wrong  marked wrong  empty   seconds"]
    kinds = dict.fromkeys(row["kind"] for row in rows)
    for kind in (*kinds, "all"):
        mine = [row for row in rows if kind in ("all", row["kind"])]
        found = cells(mine)
        lines.append(
            f"{kind:<12} {len(mine):6} {sum(row['all_right'] for row in mine):6} {sum(found.values()):6}"
            f" {found['right']:6} {found['right_marked']:13} {found['wrong']:6} {found['wrong_marked']:13}"
            f" {found['empty']:6} {sum(row['seconds'] for row in mine):9.1f}"
        )
    lines.append("tables: " + "; ".join(f"{count} {name}" for name, count in two_by_two(rows).items()))
    clean, slipped = ([row for row in rows if bool(row["slip"]) == typo] for typo in (False, True))
    for name, part in (("without a typo", clean), ("with a typo", slipped)):
        verified, able = called_verified(part)
        lines.append(f"right with three unseen rows, {name}: {verified} of {able} called verified")
    pointed = sum(row["typo_told"] for row in slipped)
    lines.append(
        f"typos pointed out: {pointed} of {len(slipped)}; other cells changed: {sum(r['touched'] for r in rows)}"
    )
    lines += [
        f"wrong: {row['table']}{' (verified)' if row['verified'] else ''}: {row['wrong'] + row['wrong_marked']} cells,"
        f" {row['wrong']} unmarked; such as {row['mistakes'][0]}"
        for row in rows
        if row["wrong"] + row["wrong_marked"]
    ]
    lines += [f"nothing filled: {row['table']}: {row['error'] or row['status']}" for row in rows if not row["answered"]]
    lines += target_lines(targets_of(rows))
    return "\n".join(lines)


def target_lines(targets: Iterable[Target]) -> list[str]:
    """A line per target, with what was reached."""
    return [
        f"{'met   ' if one.met else 'MISSED'}  {one.name}: {'-' if one.value is None else format(one.value, '.1%')}"
        f" (n {one.n}); target {one.op} {one.target:.0%}"
        for one in targets
    ]
