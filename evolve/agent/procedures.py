"""Procedures from work that a check accepted: proposed by the policy, and tried on the folder as it was before.

Whoever proposes a procedure has seen the folder and the accepted change. So a new one must leave the very same there,
and then loses every statement that it does not need for that. One that is known was written elsewhere: that its change
is accepted here is what it is judged by.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.core.episodes import OWN, Json, Rehearsal, SkillDraft, Step
from evolve.core.files import canonical_json
from evolve.environments import RehearsalResult
from evolve.policies.base import ProcedureCall
from evolve.skills.procedures import lint_procedure, shorten_source

_LEAST_STEPS = 2
"""Steps with code from which on a procedure may spare something: a call of it takes one."""

_SHORTENING_S = 60.0
"""Wall seconds after which a procedure is shortened no further: each try takes a copy of the folder."""

_SHORT = 0.5
"""Longest call as a share of what was written instead of it: a function that is told everything does nothing."""


def propose_procedures(context: EpisodeContext, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
    """The procedure that the accepted change of an episode is a call of, with what came of trying it here; or none.

    Only in a person's own runs, on an accepted answer that was checked; not where it was a procedure's work.

    Raises:
        ModelMistake: The policy gave nothing usable.
    """
    environment = context.environment
    accepted = steps[-1] if steps else None
    judged = accepted.judgement if accepted is not None else None
    if accepted is None or judged is None or not (judged.accepted and (judged.checked or judged.verified)):
        return ()
    if context.identity.split != OWN:
        return ()
    wrote = [step.action.code for step in steps if step.action.code]
    change = environment.changed_files(accepted) if len(wrote) >= _LEAST_STEPS else None
    if change is None:
        return ()
    past = context.services.past_work()
    past = replace(past, procedures=[one for one in past.procedures if one.environment == environment.name])
    used = {item for step in steps for item in step.action.consumed}
    if any(f"skill:{skill.digest}" in used for skill in past.procedures):
        return ()
    found = context.policy.propose_procedure(context.view, steps, environment.answer(accepted), past)
    if found is None or len(canonical_json(list(found.arguments))) > _SHORT * sum(map(len, wrote)):
        return ()
    if lint_procedure(found.draft.code, found.draft.entry, len(found.arguments)):
        return ()
    return _tried(context, found, change)


def _tried(context: EpisodeContext, found: ProcedureCall, change: Mapping[str, bytes | None]) -> tuple[SkillDraft, ...]:
    draft, environment = found.draft, context.environment

    def run(code: str) -> RehearsalResult:
        context.check()
        return environment.rehearse(code, draft.entry, found.arguments, change)

    done = run(draft.code)
    if done.fault or not (found.known or done.same):
        return ()
    if not found.known:
        ends = time.monotonic() + _SHORTENING_S

        def does(code: str) -> bool:
            return time.monotonic() < ends and run(code).same

        draft = replace(draft, code=shorten_source(draft.code, draft.entry, does))
    tried = rehearsal_of(done, context.view.id, context.identity.group, found.arguments)
    return (replace(draft, rehearsals=(tried,), earlier=found.earlier),)


def rehearsal_of(done: RehearsalResult, task: str, group: str, arguments: Sequence[Json]) -> Rehearsal:
    """What came of a procedure on the folder of a task, as it is kept."""
    return Rehearsal(
        task=task,
        group=group,
        arguments=tuple(arguments),
        base=done.base,
        change=done.change,
        held=done.held,
        told=done.told,
    )
