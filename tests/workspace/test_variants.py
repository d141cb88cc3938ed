"""Variants in a person's hands: shown, compared, switched with a reason, written out without losing an edit."""

from __future__ import annotations

from dataclasses import replace

import pytest

import evolve
from benchmarks.doubles import slow_learner
from evolve.agent.workflow import parse_workflow
from evolve.core.errors import UsageError
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.trials import ALL_INSIGHTS, UNLEARNED, Variant


@pytest.fixture
def workspace(tmp_path):
    with evolve.open(tmp_path / "ws", policy=slow_learner()) as opened:
        yield opened


def kept(workspace, *, candidates=321, prompts=(), parent=UNLEARNED, origin="r1: turn-knob; turns one knob"):
    """Puts a variant with a workflow of its own into the archive; gives its digest."""
    objects = workspace.stores.objects
    workflow = workspace.workflow.show().with_knobs(candidates=candidates)
    variant = Variant(
        workflow=objects.put_object(workflow.render().encode()),
        prompts=tuple((name, objects.put_object(text.encode())) for name, text in prompts),
        parent=parent,
    )
    return workspace.stores.variants.add(variant, origin=origin)


def test_the_list_and_the_tree_show_what_was_made_from_what(workspace) -> None:
    first = kept(workspace)
    second = kept(workspace, candidates=654, parent=first, origin="r1: crossover; takes parts")
    assert [(row.digest, row.parent) for row in workspace.variants.list()] == [(first, UNLEARNED), (second, first)]
    lines = workspace.variants.tree().splitlines()
    assert [line.split()[0] for line in lines] == ["unlearned", first[:12], second[:12]]
    assert len(lines[2]) - len(lines[2].lstrip()) > len(lines[1]) - len(lines[1].lstrip())


def test_a_diff_shows_the_changed_number_and_nothing_else(workspace) -> None:
    name = kept(workspace)
    changed = [line for line in workspace.variants.diff(name[:10]).splitlines() if line[:1] in "+-"]
    numbers = [line for line in changed if line.startswith(("+candidates", "-candidates"))]
    assert numbers == ["-candidates = 50000   # most expressions", "+candidates = 321"]


def test_past_the_gate_only_with_a_reason_which_is_kept(workspace) -> None:
    name = kept(workspace)
    with pytest.raises(UsageError, match="has to say why"):
        workspace.variants.promote(name)
    assert workspace.variants.active == UNLEARNED
    done = workspace.variants.promote(name[:8], reason="it is shorter", person="Ada")
    assert done.variant == workspace.variants.active == name
    assert workspace.stores.active_workflow(workspace.workflow.show()).knobs.candidates == 321
    shown = workspace.variants.show("active")
    assert [(one["person"], one["reason"]) for one in shown["overrides"]] == [("Ada", "it is shorter")]
    assert shown["transferable"] == []
    workspace.variants.rollback()
    assert workspace.variants.active == UNLEARNED
    assert workspace.stores.active_workflow(workspace.workflow.show()) == workspace.workflow.show()


def test_what_is_written_is_in_force_without_the_variant_and_an_edit_is_not_lost(workspace) -> None:
    text = load_prompt("act.md", PromptLayers()) + "\nLook twice.\n"
    name = kept(workspace, prompts=(("act.md", text),))
    workspace.variants.write(name)
    folder = workspace.paths.prompts
    assert (folder / "act.md").read_text() == text
    assert parse_workflow((folder / "workflow.toml").read_text()).knobs.candidates == 321
    workspace.variants.write(name)  # the same again is no edit
    (folder / "act.md").write_text("mine\n")
    with pytest.raises(UsageError, match="was edited"):
        workspace.variants.write(name)
    assert (folder / "act.md").read_text() == "mine\n"
    workspace.variants.write(name, force=True)
    assert (folder / "act.md").read_text() == text


def test_a_beginning_that_is_no_variants_or_several_is_refused(workspace) -> None:
    with pytest.raises(UsageError, match="no variant"):
        workspace.variants.show("ffff")
    with pytest.raises(UsageError, match="unlearned"):
        workspace.variants.promote(UNLEARNED, reason="why not")
    for candidates in range(17):
        kept(workspace, candidates=400 + candidates)
    with pytest.raises(UsageError, match="several"):
        for digit in "0123456789abcdef":
            workspace.stores.variants.find(digit)


def test_the_next_variant_of_a_loop_keeps_the_workflow_and_prompts_of_the_active_one(workspace) -> None:
    name = kept(workspace, prompts=(("act.md", "act\n"),))
    workspace.variants.promote(name, reason="a test")
    arm = workspace.stores.practice_state(workspace.workflow.show())
    assert arm.workflow.knobs.candidates == 321
    assert arm.prompts == {"act.md": "act\n"}


def learned_on(workspace, parent, *, candidates):
    """A variant that rests on insights and has a workflow; gives its digest."""
    before = workspace.stores.variants.get(kept(workspace, candidates=candidates, parent=parent))
    return workspace.stores.variants.add(replace(before, insights=ALL_INSIGHTS), origin="r2: round 1")


def test_what_was_promoted_apart_from_insights_outlives_them(workspace) -> None:
    """A workflow that was promoted by itself stays; one that was only ever judged together with insights goes."""
    archive = workspace.stores.variants
    alone = kept(workspace)
    archive.promote(alone, grounds="gate decision d1")
    unproven = kept(workspace, candidates=500, parent=alone)
    together = learned_on(workspace, unproven, candidates=654)
    archive.promote(together, grounds="gate decision d2")
    gone = workspace.variants.taken_back()
    assert (gone.variant, gone.after, gone.parts) == (together, alone, ("insights", "workflow"))
    workspace.memory.forget(everything=True)
    assert workspace.variants.active == alone
    assert workspace.stores.active_workflow(workspace.workflow.show()).knobs.candidates == 321
    assert workspace.variants.taken_back() is None
    workspace.memory.forget(everything=True)
    assert workspace.variants.active == alone


def test_without_anything_promoted_apart_from_insights_the_unlearned_state_acts(workspace) -> None:
    together = learned_on(workspace, kept(workspace), candidates=654)
    workspace.stores.variants.promote(together, grounds="gate decision d1")
    assert workspace.variants.taken_back().after == UNLEARNED
    workspace.memory.forget(everything=True)
    assert workspace.variants.active == UNLEARNED
