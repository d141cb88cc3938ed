from __future__ import annotations

from pathlib import Path

import pytest

from evolve.core.errors import WorkspaceError
from evolve.core.prompts import PromptLayers, load_prompt, render_prompt


def test_the_variant_covers_the_workspace_and_the_workspace_covers_the_seed(tmp_path: Path) -> None:
    workspace, seed = tmp_path / "workspace", tmp_path / "seed"
    for folder in (workspace, seed):
        folder.mkdir()
    (seed / "plan.md").write_text("seed")
    assert load_prompt("plan.md", PromptLayers(workspace=workspace, seed=seed)) == "seed"
    (workspace / "plan.md").write_text("workspace")
    assert load_prompt("plan.md", PromptLayers(workspace=workspace, seed=seed)) == "workspace"
    layers = PromptLayers(variant={"plan.md": "variant"}, workspace=workspace, seed=seed)
    assert load_prompt("plan.md", layers) == "variant"


@pytest.mark.parametrize("name", ["missing.md", "../evolve.md", "/etc/hosts.md", "a/b.md", "plan", ""])
def test_what_is_not_there_or_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(WorkspaceError):
        load_prompt(name, PromptLayers(workspace=tmp_path, seed=tmp_path))


def test_a_prompt_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_bytes(b"\xff")
    with pytest.raises(WorkspaceError, match="plan.md"):
        load_prompt("plan.md", PromptLayers(workspace=tmp_path))


def test_code_and_braces_pass_through() -> None:
    text = "Use {braces} and %s and {{jinja}}: $task costs $$5"
    assert render_prompt(text, {"task": "def f(): ${x}"}) == "Use {braces} and %s and {{jinja}}: def f(): ${x} costs $5"


def test_an_unknown_variable_is_named() -> None:
    with pytest.raises(WorkspaceError, match=r"plan\.md: unknown variable \$who; known are task"):
        render_prompt("$who", {"task": ""}, name="plan.md")


def test_a_stray_dollar_is_explained() -> None:
    with pytest.raises(WorkspaceError, match=r"must be written '\$\$'"):
        render_prompt("costs $ 5", {})
