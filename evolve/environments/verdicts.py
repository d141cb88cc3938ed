"""From the verdicts of several verifiers to the one judgement of a step."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.episodes import Judgement
from evolve.sandbox.protocol import Sandbox
from evolve.tasks.verifiers import Submission, Verdict, Verifier


def judged_by_all(verifiers: Sequence[Verifier], submission: Submission, sandbox: Sandbox) -> Judgement:
    """Asks one after another until one does not accept.

    Verified is what any of them verified, else checked is what any of them checked. With an opinion among those that
    accepted, the judgement is marked, and with whether that counts. Where one verified, others do not say why they
    could not.
    """
    verdicts: list[Verdict] = []
    for verifier in verifiers:
        verdicts.append(verifier.verify(submission, sandbox))
        if not verdicts[-1].accepted:
            break
    accepted = all(one.accepted for one in verdicts)
    opinions = [one for one in verdicts if one.judged]
    verified = accepted and any(one.verified for one in verdicts)
    return Judgement(
        accepted=accepted,
        verified=verified,
        checked=accepted and not verified and any(one.checked for one in verdicts),
        rows=sum(one.rows for one in verdicts),
        fault=any(one.fault for one in verdicts),
        judged=bool(opinions),
        measured=bool(opinions) and all(one.measured for one in opinions),
        text="; ".join(one.text for one in verdicts if one.text and (one.verified or one.judged or not verified)),
    )
