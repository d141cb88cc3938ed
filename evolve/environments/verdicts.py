"""Combines the verdicts of several verifiers into the one judgement of a step."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.core.episodes import Judgement
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks.verification.verifiers import Submission, Verifier


def judged_by_all(verifiers: Sequence[Verifier], submission: Submission, sandbox: Sandbox) -> Judgement:
    """Asks one after another until one does not accept.

    Verified is what any of them verified, else checked is what any of them checked. With an opinion among those that
    accepted, the judgement is marked, and with whether that counts. Where one verified, others do not say why they
    could not.
    """
    verdicts: list[Judgement] = []
    for verifier in verifiers:
        verdicts.append(verifier.verify(submission, sandbox))
        if not verdicts[-1].accepted:
            break
    accepted = all(verdict.accepted for verdict in verdicts)
    opinions = [verdict for verdict in verdicts if verdict.judged]
    refusal = next((verdict for verdict in verdicts if verdict.row is not None), None)
    verified = accepted and any(verdict.verified for verdict in verdicts)
    return Judgement(
        accepted=accepted,
        verified=verified,
        checked=accepted and not verified and any(verdict.checked for verdict in verdicts),
        rows=sum(verdict.rows for verdict in verdicts),
        fault=any(verdict.fault for verdict in verdicts),
        judged=bool(opinions),
        measured=bool(opinions) and all(verdict.measured for verdict in opinions),
        text="; ".join(
            verdict.text
            for verdict in verdicts
            if verdict.text and (verdict.verified or verdict.judged or not verified)
        ),
        row=None if refusal is None else refusal.row,
        limit=next((verdict.limit for verdict in verdicts if verdict.limit), ""),
        got=None if refusal is None else refusal.got,
    )
