"""What stands in the tree beside the code: commands that must agree, and builds that carry the right files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import evolve
from evolve.core.errors import WorkspaceError
from evolve.core.paths import find_workspace, is_workspace
from evolve.tasks import BUILTIN, load_suite
from tests.architecture.source import ROOT

LEFT_BEHIND = shutil.ignore_patterns(
    ".git", ".venv*", "__pycache__", "*.egg-info", "build", "dist", ".mypy_cache", ".ruff_cache", ".pytest_cache"
)


def run(*command: str, cwd: Path) -> str:
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def used_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree after work: with a record, a learned skill and the tools' caches."""
    tree = tmp_path_factory.mktemp("copy") / "evolve"
    shutil.copytree(ROOT, tree, ignore=LEFT_BEHIND)
    for name in (
        "memory_store/memory.db",
        "memory_store/objects/00",
        "skills/learned/SKILL.md",
        "skills/learned/skill.py",
        "evolve.toml",
        "evolve/__pycache__/files.cpython-311.pyc",
        ".venv/bin/python",
    ):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("learned or made here")
    return tree


def test_what_is_learned_is_ignored_by_git(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".gitignore", tmp_path)
    run("git", "init", "-q", ".", cwd=tmp_path)
    learned = ["memory_store/memory.db", "memory_store/runs/r/e/events.jsonl", "skills/learned/SKILL.md", "evolve.toml"]
    kept = ["skills/SEEDS", "prompts/SEEDS", "prompts/workflow.toml", "evolve/core/files.py"]
    for name in learned + kept:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    listed = run("git", "ls-files", "-o", "--exclude-standard", cwd=tmp_path).split()
    assert sorted(listed) == sorted([*kept, ".gitignore"])


def test_the_source_is_never_a_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVOLVE_WORKSPACE")
    assert find_workspace(start=ROOT / "evolve" / "store") not in (ROOT, *(ROOT / "evolve").iterdir())
    assert not is_workspace(ROOT)
    with pytest.raises(WorkspaceError):
        find_workspace(ROOT)


def test_the_readmes_test_command_is_the_one_that_is_run() -> None:
    commands = [line.strip() for line in (ROOT / "README.md").read_text("utf-8").splitlines()]
    tests = [line.removeprefix("$ ") for line in commands if "pip install '.[dev]'" in line and "pytest" in line]
    assert tests, "README.md has no line that installs '.[dev]' and runs pytest"
    checked = [line.strip() for line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()]
    assert tests[0] in checked


def test_the_checks_are_valid_bash() -> None:
    for script in ("run", "nightly"):
        run("bash", "-n", str(ROOT / ".ci" / script), cwd=ROOT)
        assert (ROOT / ".ci" / script).stat().st_mode & 0o111


def test_no_index_can_have_the_version_that_packages_depend_on() -> None:
    """A stranger may publish under any name; a version with a local part is refused by the index."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.search(rf'"({project["name"]}[^"]*)"', (ROOT / "docs" / "extending.md").read_text("utf-8"))
    assert named is not None
    bound = Requirement(named[1]).specifier
    assert Version(project["version"]).local and Version(project["version"]) in bound
    assert Version(project["version"]).public == evolve.__version__
    assert not [text for text in ("0.1.0", "0.1.0.post1", "0.2", "1.0", "99") if Version(text) in bound]


def test_dependencies_are_bounded() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [*project["dependencies"], *(item for extra in project["optional-dependencies"].values() for item in extra)]
    assert [item for item in named if ">=" not in item or ",<" not in item] == []


@pytest.mark.slow
def test_builds_carry_seeds_and_nothing_learned(used_tree: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), ".", cwd=used_tree)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        in_wheel = set(wheel.namelist())
        seed = wheel.read("evolve/_seed/prompts/workflow.toml")
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sdist:
        in_sdist = {name.partition("/")[2] for name in sdist.getnames()}
    assert seed == (ROOT / "prompts" / "workflow.toml").read_bytes()
    assert {"evolve/_seed/prompts/SEEDS", "evolve/_seed/skills/SEEDS", "evolve/py.typed"} <= in_wheel
    suites = {f"evolve/tasks/suites/{suite.name}.jsonl.bz2" for suite in BUILTIN}
    assert suites <= in_wheel & in_sdist
    assert {"benchmarks/suites/__main__.py", "benchmarks/suites/lists.py"} <= in_sdist
    assert {"evolve/_seed/prompts/reply-form.md", "evolve/_seed/prompts/reply-continue.md"} <= in_wheel
    assert {"prompts/workflow.toml", "skills/SEEDS", "hatch_build.py", "conftest.py"} <= in_sdist
    pages = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("evolve/*/README.md")}
    assert pages <= in_sdist and not pages & in_wheel
    for package in (path.name for path in (ROOT / "packages").iterdir() if path.is_dir()):
        source = f"packages/{package}/src/{package.replace('-', '_')}/__init__.py"
        assert {f"packages/{package}/pyproject.toml", source} <= in_sdist
    for name in in_wheel | in_sdist:
        assert not name.endswith(".pyc")
        assert not {"memory_store", "learned", ".venv", "evolve.toml"} & set(Path(name).parts)
    top = {Path(name).parts[0] for name in in_wheel}
    assert {part for part in top if not part.endswith(".dist-info")} == {"evolve"}


@pytest.mark.slow
@pytest.mark.parametrize("editable", [False, True])
def test_only_an_editable_install_offers_fresh_tasks(used_tree: Path, tmp_path: Path, editable: bool) -> None:
    """A wheel has no generators, so it must not promise them."""
    build = "build_editable" if editable else "build_wheel"
    run(sys.executable, "-c", f"import hatchling.build as b; b.{build}({str(tmp_path)!r})", cwd=used_tree)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        name = next(one for one in wheel.namelist() if one.endswith("entry_points.txt"))
        offered = wheel.read(name).decode()
    for suite in BUILTIN:
        assert (f"\n{suite.name} = benchmarks.suites.{suite.name}:generate\n" in offered) == editable


@pytest.mark.slow
def test_the_wheel_works_from_its_own_seeds(used_tree: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path), ".", cwd=used_tree)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")
    script = (
        "from evolve.core.paths import seed_root; from evolve.core.prompts import PromptLayers, load_prompt\n"
        "from evolve.agent.workflow import parse_workflow\n"
        "print(seed_root().name, *(one.name for one in (seed_root() / 'prompts').iterdir()))\n"
        "print(parse_workflow(load_prompt('workflow.toml', PromptLayers())).start)\n"
        "from evolve.tasks import load_suite; print(load_suite('everyday').digest)\n"
    )
    output = run(sys.executable, "-c", script, cwd=tmp_path / "site")
    assert output.split()[0] == "_seed"
    assert "workflow.toml" in output
    assert output.split()[-2:] == ["recall", load_suite("everyday").digest]
