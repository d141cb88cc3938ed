"""What a workspace has for a task already: answers of earlier runs, like tables' skills, and what the person made
one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import replace

from evolve.core.episodes import OWN, EpisodeRecord, Json, KnownFunction, Row, shown_rows
from evolve.core.files import canonical_json
from evolve.runtime.sandbox import Program
from evolve.skills import KEPT, AdmissionVerdict, Skill, parameter_count
from evolve.skills.lint import lint
from evolve.skills.parameters import used_parameters
from evolve.skills.signatures import names_of, types_of
from evolve.tasks import MIN_VERIFY, Task, row_key, row_outline
from evolve.tasks.reading.labels import wanted_label
from evolve.workspace.runs.run_answers import (
    CONTESTED,
    FORGOTTEN,
    KEPT_BY_PERSON,
    RunFunction,
    answer_in_run,
    answers_of_runs,
    given_task_of,
)
from evolve.workspace.services import WorkspaceServices

_MOST_RUNS = 5
"""Latest solved runs of a file that are looked at."""
_MOST_SKILLS = 20
"""Skills that may be tried on one table."""
_KNOWN = "known since run"
_HEADERLESS = re.compile(r"(column_\d+|text|other|[nkmxyz]|xs|ys|zs|items|others|rows?|value)\d*\Z")
"""What parameters are called where no header names them."""


def saved_for(services: WorkspaceServices, task: Task, run: str) -> tuple[KnownFunction, ...]:
    """What to try before anything is searched for: answers of earlier runs of the task, then skills from like tables.

    Nothing is taken on trust: whoever tries it runs it on every row. Left out are answers that nothing verified, and
    what would be called verified on rows that its author had seen.
    """
    if services.uses_model or not task.examples:
        return ()
    return (*_known(services, task, run), *_functions(services, task, run))


def saved_function_text(task: Task, record: EpisodeRecord, against: str = "") -> str:
    """Where the answer of an episode comes from, or what chose it where rows did not, in a sentence or more; or "".

    Args:
        against: What speaks against a saved function, which is told where none was used.
    """
    again = reapply_function(task, record)
    if again is not None:
        return again.told
    habit = record.steps[-1].action.habit if record.solved else ""
    told = [f'{habit} (the setting habits = "off" keeps this from being done)'] if habit else []
    known = next((one for one in task.saved if one.code and one.run), None)
    if known is not None and known.code != record.answer:
        told.append(f"the function of run {known.run} is not right on every row of this, so another was searched for")
    if against:
        told.append(against)
    return "; ".join(told)


def reapply_function(task: Task, record: EpisodeRecord) -> KnownFunction | None:
    """The saved function that the answer is, where none was searched for."""
    if not (record.solved and record.steps[-1].action.spare):
        return None
    return next((one for one in task.saved if one.told == record.steps[-1].action.text), None)


def is_known(task: Task, record: EpisodeRecord) -> bool:
    """Whether an episode gave the answer of an earlier run again, of which nothing more is to be learned."""
    one = reapply_function(task, record)
    return one is not None and bool(one.run) and one.taught and one.verified >= record.verified


def _known(services: WorkspaceServices, task: Task, run: str) -> list[KnownFunction]:
    stores = services.stores
    numbers = {one.id: number for number, one in enumerate(stores.runs.list_runs())}
    owed = {one.episode for one in stores.runs.pending_learning()}
    now = {row_key(row) for row in (*task.examples, *task.verify, *task.hidden)}
    known: dict[str, KnownFunction] = {}
    for record in reversed(stores.runs.of_task(task.id, None, OWN)):
        if (
            record.solved
            and record.verified
            # a function saved from another table is tried itself, with the rows that bore it
            and (not record.steps[-1].action.spare or record.steps[-1].action.text.startswith(_KNOWN))
            and numbers.get(record.run, len(numbers)) < numbers[run]
        ):
            earlier = stores.runs.run(record.run)
            before = None if earlier.body.keys() & {CONTESTED, FORGOTTEN} else given_task_of(services, earlier)
            if (
                before is None
                or (before.entry, before.signature) != (task.entry, task.signature)
                or not {row_key(row) for row in (*before.examples, *before.verify, *before.hidden)} & now
                or not _is_honest(task, now - {row_key(row) for row in (*before.examples, *shown_rows(record.steps))})
            ):
                continue
            taught = bool(record.claims or record.drafts) or record.episode in owed
            same = KnownFunction(
                told=f"{_KNOWN} {record.run}: the same function",
                run=record.run,
                code=record.answer,
                verified=record.verified,
                private=record.steps[-1].action.private,
            )
            first = known.setdefault(record.answer, same)
            known[record.answer] = replace(first, taught=first.taught or taught)
    return list(known.values())[:_MOST_RUNS]


def _is_honest(task: Task, unseen: Set[str]) -> bool:
    """Whether rows enough are left that the author of an answer did not see, where it could be called verified."""
    return len(unseen) >= MIN_VERIFY or len(task.verify_rows()) < MIN_VERIFY


def _functions(services: WorkspaceServices, task: Task, run: str) -> list[KnownFunction]:
    """Skills, and answers of runs of which none was made, from tables like that of the task; not those whose rows left
    them doubtful."""
    ranked = []
    kept_back = {row_key(row) for row in task.verify_rows()}

    def add(skill: Skill, like: str, saved: KnownFunction) -> None:
        if like and _is_honest(task, kept_back - {row_key(row) for row in skill.rows}):
            found = answer_in_run(services, skill)
            contested = found is not None and CONTESTED in found[0].body and KEPT_BY_PERSON not in found[0].body
            verified = found is not None and found[1][-1].verified and CONTESTED not in found[0].body
            if not contested:
                rank = (LIKE.index(like), not verified)
                ranked.append((rank, replace(saved, places=places_of(skill, task) or ())))

    for skill in services.stores.skills.active():
        like = "" if skill.part or skill.tree is None else column_similarity(task, skill)
        told = f"tried {skill.name!r} first, saved from a table with {like}"
        add(skill, like, KnownFunction(told=told, skill=skill.digest))
    for one in answers_of_runs(services, run):
        if column_similarity(task, one.answer) == LIKE[0]:
            told = f"tried the function of run {one.run.id} first, found for a table with {LIKE[0]}"
            kept = KnownFunction(told=told, run=one.run.id, private=one.record.steps[-1].action.private)
            add(one.answer, LIKE[0], kept)
    ranked.sort(key=lambda pair: pair[0])  # of those that are as like, the verified first, and then the older
    return [saved for _, saved in ranked[:_MOST_SKILLS]]


LIKE = ("the same columns", "these columns", "such cells")
"""How a table may be like that of a skill, closest first."""


def column_similarity(task: Task, skill: Skill) -> str:
    """How the table of a task is like that of a skill, in words of :data:`LIKE`; "" where it is not.

    It has the columns that the skill reads, the wanted one included; or at least those that it takes; or, from two rows
    on, all of its cells look as some of the skill's do: letters, digits and signs in the same order.
    """
    wanted = wanted_label(skill.description)
    if wanted and wanted == wanted_label(task.instruction) and places_of(skill, task) is not None:
        return LIKE[0]
    signature = task.view().signature
    if _kinds(signature) != _kinds(skill.signature):
        return ""
    names = names_of(signature)
    if names == names_of(skill.signature) and not is_headerless(names):
        return LIKE[1]
    outlines = _outlines(skill.rows)
    return LIKE[2] if len(task.examples) > 1 and _outlines(task.examples) <= outlines else ""


def places_of(skill: Skill, task: Task) -> tuple[int | None, ...] | None:
    """Where the columns of a skill's table stand in the task, by their names; None for each that is not there.

    None instead where one that the skill reads is missing, has cells of another kind, or no header names it.
    """
    signature = task.view().signature
    names, kinds = names_of(signature), types_of(signature)[0]
    own, takes = names_of(skill.signature), types_of(skill.signature)[0]
    same_kind = [
        name in names and _kind(kinds[names.index(name)]) == _kind(kind) for name, kind in zip(own, takes, strict=True)
    ]
    places = tuple(names.index(name) if same else None for name, same in zip(own, same_kind, strict=True))
    read = used_parameters(Program(source=skill.code, entry=skill.entry))
    is_there = read and all(places[place] is not None for place in read)
    return places if is_there and not is_headerless(own[place] for place in read) else None


def is_headerless(names: Iterable[str]) -> bool:
    """Whether parameters are called as where no header names them."""
    return all(map(_HEADERLESS.match, names))


def _outlines(rows: Iterable[Row]) -> set[Json]:
    return {row_outline(row) for row in rows}


def _kinds(signature: str) -> str:
    """The types without the difference of whole and other numbers, which hangs on the rows of one table."""
    takes, gives = types_of(signature)
    return canonical_json([_kind(kind) for kind in (*takes, gives)])


def _kind(kind: str) -> str:
    return kind.replace("int", "float")


def owned_skill(services: WorkspaceServices, function: RunFunction) -> Skill | None:
    """The person's skill that the function of a kept run is; None where its code may be none.

    Their word stands for rows that were not seen and for tests that tell wrong versions from it, and that is on record.
    """
    stores, record = services.stores, function.record
    known = function.made(one for one in stores.skills.list() if not one.part)
    if not known:
        drafts = record.drafts
        if not drafts and not services.uses_model:  # what a search would have proposed, had rows verified its answer
            policy = services.learner.policy(None, stores.skills.active(), attended=True)
            drafts = policy.distill(function.task.view(), record.steps)
        draft = next((one for one in drafts if not (one.arguments or one.unseen)), None)
        skill = None if draft is None else replace(Skill.from_draft(draft), owner="user")
        if skill is None or draft is None or lint(skill.code, skill.entry, parameter_count(skill.signature)):
            return None
        if draft not in record.drafts:  # by which later tables know where the skill comes from
            stores.runs.add_lessons(replace(record, drafts=(*record.drafts, draft)), settled=False)
        blank = AdmissionVerdict(digest=skill.digest, policy=services.learner.name, checks={"kept_by_person": True})
        verdict = replace(blank, admitted=True, fingerprint=services.open_sandbox().backend)
        known = [stores.skills.add(skill, verdict)]
    skill = next((one for one in known if one.status in KEPT), known[-1])
    if skill.status not in KEPT:
        skill = stores.skills.trust_again(skill.digest, attended=True)
    return stores.skills.hand_to_user(skill.digest)
