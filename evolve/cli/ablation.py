"""Prints what each item of a variant contributes, by trials with it and without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve.cli.output import emit, shorten, table

if TYPE_CHECKING:
    from evolve.workspace import AblationReport, Interval, ItemCredit

_HEADER = ("item", "pairs", "won", "lost", "tied", "share won with it", "solved with - without", "cost ratio", "")


def show_ablation(report: AblationReport) -> None:
    """Prints a report for people."""
    emit(f"items of {report.variant[:12]} on train tasks of {report.suite}, seed {report.seed}: {report.finish_reason}")
    emit(table(_HEADER, [_cells(credit) for credit in report.items], spare=("cost ratio", "pairs")))
    emit("the bounds of the share hold for all items at once, at 95 %; nothing is decided here")
    if report.proposed:
        emit(f"proposed without {'; '.join(report.proposed['without'])}")
        emit(f"  gate: {report.proposed['verdict']}; {report.proposed['reason']}")
    elif any(credit.verdict == "hurts" for credit in report.items):
        emit(f"evolve variants ablate {report.variant[:12]} --propose puts removing what hurts before the gate")


def _cells(credit: ItemCredit) -> tuple[object, ...]:
    pairs = credit.wins + credit.losses + credit.ties
    return (
        shorten(credit.item.text, 48),
        f"{pairs}/{credit.planned}",
        *(credit.wins, credit.losses, credit.ties),
        _figure(credit.share, "{:.2f}"),
        _figure(credit.solved, "{:+.2f}"),
        _figure(credit.ratio, "{:.2f}"),
        credit.verdict,
    )


def _figure(interval: Interval, form: str) -> str:
    if interval.value is None or interval.low is None or interval.high is None:
        return "-"
    return f"{form} ({form} to {form})".format(interval.value, interval.low, interval.high)
