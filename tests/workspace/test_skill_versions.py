"""A skill has versions: what changed is shown, and the one before can be used again."""

from __future__ import annotations

from dataclasses import replace

import pytest

import evolve
from evolve.core.episodes import Action, Cost, EpisodeRecord, Judgement, Row, SkillDraft, Step
from evolve.core.errors import UsageError
from evolve.skills import AdmissionVerdict, Skill
from evolve.skills.contract import condition_from_rows
from evolve.skills.repository import adopted_skill


def short(code: str, source: str, output: str, *, name: str = "give-short") -> Skill:
    draft = SkillDraft(
        name=name,
        description="Give short from name.",
        entry=f"short_{source}",
        signature="(name: str) -> str",
        code=f"def short_{source}(name: str) -> str:\n    return {code}\n",
        tests=(Row(input=("Ada Byron",), output=output),),
        source=source,
    )
    return Skill.from_draft(draft)


OLD = short("name[0] + '. ' + name.split()[-1]", "march", "A. Byron")
NEW = short("name[0] + '. ' + name.split()[-1].upper()", "april", "A. BYRON")
OTHER = replace(short("name.lower()", "may", "ada byron", name="give-low"), description="Give low from name.")


@pytest.fixture
def ws(tmp_path):
    with evolve.open(tmp_path / "mine") as workspace:
        for skill in (OLD, OTHER, NEW):
            workspace.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
        workspace.stores.skills.retire(OLD.digest, "rows speak against it")
        yield workspace


def statuses(ws) -> list[str]:
    return [ws.skills.show(skill.digest).status for skill in (OLD, OTHER, NEW)]


def test_versions_fill_one_column_from_the_same_others(ws) -> None:
    assert [one.digest for one in ws.skills.versions(NEW.digest)] == [OLD.digest, NEW.digest]
    assert [one.digest for one in ws.skills.versions(OTHER.digest)] == [OTHER.digest]
    changed = ws.skills.difference(NEW.digest)
    assert "-    return name[0] + '. ' + name.split()[-1]\n" in changed and ".upper()" in changed
    assert ws.skills.difference(OLD.digest) == ""


def test_a_case_of_another_skill_is_a_version_of_it(ws) -> None:
    ws.stores.skills.set_idle(OTHER.digest, adopted_skill(ws.skills.show(NEW.digest).name))
    assert OTHER.digest in [one.digest for one in ws.skills.versions(NEW.digest)]


def test_undo_brings_the_version_before_back_and_undo_of_that_brings_it_forth_again(ws) -> None:
    assert ws.skills.undo(NEW.digest).digest == OLD.digest
    assert statuses(ws) == ["admitted", "admitted", "retired"]
    assert ws.skills.undo(NEW.digest).digest == NEW.digest  # it is out of use now
    assert statuses(ws) == ["retired", "admitted", "admitted"]


def test_undo_of_an_old_version_takes_the_later_ones_out_of_use(ws) -> None:
    assert ws.skills.undo(OLD.digest).digest == OLD.digest
    assert statuses(ws) == ["admitted", "admitted", "retired"]


def test_undo_without_a_version_before_changes_nothing(ws) -> None:
    with pytest.raises(UsageError):
        ws.skills.undo(OTHER.digest)
    broken = short("name", "june", "never this")
    ws.stores.skills.add(broken, AdmissionVerdict(digest=broken.digest, admitted=True))
    ws.stores.skills.retire(broken.digest, "it was wrong")
    with pytest.raises(UsageError, match="fails"):
        ws.skills.undo(broken.digest)
    assert statuses(ws) == ["retired", "admitted", "admitted"]


def refused(task: str, skill: Skill, *, accepted: bool = False, split: str = "own") -> EpisodeRecord:
    action = Action(kind="code", code="x", consumed=(f"skill:{skill.digest}",))
    step = Step(number=1, action=action, judgement=Judgement(accepted=accepted, verified=accepted, rows=3))
    return EpisodeRecord(
        episode=f"e-{task}-{split}",
        run="r1",
        task=task,
        suite="",
        group=task,
        split=split,
        variant="unlearned",
        seed=0,
        status="solved" if accepted else "refused",
        verified=accepted,
        steps=(step,),
        consumed=action.consumed,
    )


def test_a_refused_answer_takes_trust_and_more_refusals_than_help_make_doubtful(ws) -> None:
    for number in range(3):
        ws.stores.commit(refused(f"good-{number}", NEW, accepted=True), instruction="a name")
    assert ws.skills.show(NEW.digest).status == "trusted"
    ws.stores.commit(refused("practice", NEW, split="train"), instruction="a name")
    assert ws.skills.show(NEW.digest).status == "trusted"  # a search tries much in practice
    ws.stores.commit(refused("bad-0", NEW), instruction="a name")
    assert ws.skills.show(NEW.digest).status == "admitted"
    for number in range(1, 4):
        ws.stores.commit(refused(f"bad-{number}", NEW), instruction="a name")
    assert ws.skills.show(NEW.digest).status == "doubtful" and "4 tasks" in ws.skills.reason(NEW.digest)
    ws.skills.verify(NEW.digest)
    assert ws.skills.show(NEW.digest).status == "trusted"


def test_a_wrong_answer_that_a_search_put_together_says_nothing_of_a_part(ws) -> None:
    for number in range(3):
        record = refused(f"bad-{number}", NEW)
        step = replace(record.steps[0], action=replace(record.steps[0].action, cost=Cost(candidates=9)))
        ws.stores.commit(replace(record, steps=(step,)), instruction="a name")
    assert ws.skills.show(NEW.digest).status == "admitted"


def test_what_a_person_owns_is_not_demoted(ws) -> None:
    ws.skills.own(NEW.digest)
    for number in range(3):
        ws.stores.commit(refused(f"bad-{number}", NEW), instruction="a name")
    assert ws.skills.show(NEW.digest).status == "admitted"


def test_a_call_of_another_program_abstains_where_nothing_like_it_was_verified(ws) -> None:
    names = [(f"{first} Byron",) for first in ("Ada", "Bea", "Cy", "Dot", "Eve", "Fay")]
    careful = replace(short("name.upper()", "july", "ADA BYRON"), needs=tuple(condition_from_rows(names)))
    ws.stores.skills.add(careful, AdmissionVerdict(digest=careful.digest, admitted=True))
    assert ws.skills.call(careful.digest, {"name": "Zoe Adams"}) == "ZOE ADAMS"
    with pytest.raises(UsageError, match="abstains: name is empty"):
        ws.skills.call(careful.digest, {"name": " "})
