"""How sure a result is, in one line: verified, tests pass, unchecked or doubtful; reasons are behind ``evolve why``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolve.cli.render.layout import count_of
from evolve.cli.render.reasons import reason_sentence, values_text

if TYPE_CHECKING:
    from evolve.workspace import Ambiguity, OutlierRow, Result

_MOST = 3
"""Rows that are listed before the others are counted."""

WORDS = {
    "verified": "verified",
    "checked": "tests pass",
    "judged, not verified": "unchecked",
    "unverified": "unchecked",
}
"""What a person reads for a :attr:`Result.kind`."""

_UNSOLVED = {
    "unsolved": "not solved",
    "refused": "not solved",
    "budget": "not solved",
    "fault": "failed",
    "interrupted": "stopped",
    "waiting": "waiting",
}
_CHECKS = {
    "passed_before": "your check passed before the change too",
    "took_away": "the change removed the tests that failed before",
    "script_changed": "the change edits the script that your check runs",
    "tests_changed": "your check passes only with the tests that the change edits",
    "code_broken": "your check passes even where the changed code is broken on purpose",
    "no_tests": "your check has no tests that evolve could break to confirm that it notices errors",
    "elsewhere": "a part of your check that runs no tests decided",
    "minds_looks": "your check fails where its tests are only reformatted",
    "own_objects": "the tests compare objects that the change itself defines",
    "not_reached": "your check does not say how every test ended",
    "not_told": "your check no longer reports a test that it ran before",
}
"""By what came of running a check on tests that were broken on purpose."""
ANSWERED = "evolve cannot check this kind of answer"


@dataclass(frozen=True, kw_only=True)
class VerdictLine:
    """A verdict: the word, and one short reason."""

    word: str
    why: str

    def line(self, mark: str = "") -> str:
        """Both in a line.

        Args:
            mark: What every result of the workspace says, such as `` (unsandboxed)``.
        """
        if self.word == "tests pass":
            return f"{self.word}{mark} ({self.why})"
        return f"{self.word}{mark}{';' if self.word == 'answered' else ':'} {self.why}"


def verdict_line(result: Result) -> VerdictLine:
    """How sure a result is."""
    if result.unwanted:
        found = _accepted(result)
        return VerdictLine(word="not applied", why=f"you refused the change; {found.word}: {found.why}")
    if result.solved:
        return _accepted(result)
    if result.outcome == "unverified":
        if result.judged:
            return VerdictLine(word="unchecked", why=_opinion(result.note))
        if result.words:
            return VerdictLine(word="answered", why=ANSWERED)
        if result.patch is not None:
            return VerdictLine(word="unchecked", why="no check was given; --check COMMAND names one")
        return VerdictLine(word="unchecked", why="the code runs; you gave no rows to check it with")
    why = _opinion(result.note) if result.judged else result.note
    return VerdictLine(word=_UNSOLVED.get(result.outcome, result.outcome), why=why)


def _opinion(note: str) -> str:
    """What a model thought of an answer, of a note on record; that this verifies nothing is said by the word before."""
    return note[max(0, note.find("judged by")) :].replace(", not verified", "")


def _accepted(result: Result) -> VerdictLine:
    grounds, word = result.grounds, WORDS[result.kind]
    if result.verified:
        if result.used is not None and result.used.verified:
            rows = f"{count_of(result.used.given, 'row')} given here and {count_of(result.used.rows, 'row')} before"
            return VerdictLine(word=word, why=f"right on {rows}")
        unseen = count_of(grounds.rows, "assertion" if grounds.assertions else "row")
        why = f"passes {unseen} that it had not seen" if grounds.assertions else f"right on {unseen} it had not seen"
        return VerdictLine(word=word, why=why)
    if result.judged:
        return VerdictLine(word=word, why=_opinion(result.note))
    if grounds.finding in _CHECKS:
        return VerdictLine(word="unchecked", why=_CHECKS[grounds.finding])
    if result.checked:
        if grounds.finding == "broken_fail":
            return VerdictLine(word=word, why="failed before; also fail when broken on purpose")
        if grounds.finding == "failed_before":
            return VerdictLine(word=word, why="failed before")
        return VerdictLine(word=word, why=f"{count_of(grounds.rows, 'assertion')} hold, in the answer's own process")
    if grounds.missing:
        rows = count_of(grounds.missing, "more row")
        fits = f"fits your {count_of(grounds.given + grounds.rows, 'row')}"
        led = f", {grounds.given:,} of which led to it" if grounds.rows else ""
        return VerdictLine(word=word, why=f"{fits}{led}; {rows} could verify it")
    return (
        VerdictLine(word="doubtful", why=_doubt(result)) if result.reason else VerdictLine(word=word, why=result.note)
    )


def _doubt(result: Result) -> str:
    """Why an answer that is right on rows is doubtful, with the row that settles it where there is one."""
    if result.misfits:
        first, *others = result.misfits
        more = f"; {count_of(others, 'more row')} {'do' if len(others) > 1 else 'does'} not fit" if others else ""
        return f"{_says(first)}{more}; correct the row if it is mistyped"
    if result.ambiguity is not None:
        return _left_open(result, result.ambiguity)
    return reason_sentence(result.reason) if result.reason is not None else result.note


def _says(misfit: OutlierRow) -> str:
    given, says, gives = values_text(*misfit.input), values_text(misfit.given), values_text(misfit.expected)
    return f"your row for {given} says {says}, the function gives {gives}"


def open_line(result: Result) -> str:
    """What the rows leave open about an answer, where the verdict does not say it already; else ""."""
    is_answered = result.solved or result.status == "unverified"
    if not is_answered or result.ambiguity is None or verdict_line(result).word == "doubtful":
        return ""
    return f"open: {_left_open(result, result.ambiguity)}"


def _left_open(result: Result, found: Ambiguity) -> str:
    given, (own, other, *_) = values_text(*result.told_inputs(found.input)), found.outputs
    return (
        f"for {given} it gives {values_text(own)}, but another function that fits gives {values_text(other)}; "
        "a row with that input settles it"
    )


def earlier_line(result: Result) -> str:
    """What an earlier run has to do with the answer, where the verdict does not say it already; else ""."""
    if result.used is not None:
        return f"used {result.used.summary}"
    return "" if result.grounds.earlier in verdict_line(result).line() else result.grounds.earlier


def nearest_lines(result: Result) -> Iterator[str]:
    """What came nearest where nothing was found: the rows that it fails, and what would help."""
    if result.solved or not (result.nearest or result.advice):
        return
    if result.nearest:
        yield f"the nearest function fails {count_of(result.misfits, 'row')}:"
        for misfit in result.misfits[:_MOST]:
            gives, wanted = values_text(misfit.expected), values_text(misfit.given)
            yield f"  for {values_text(*misfit.input)} it gives {gives}, not {wanted}"
        if len(result.misfits) > _MOST:
            yield f"  and {len(result.misfits) - _MOST} more"
    if result.advice:
        yield reason_sentence(result.advice)
