"""Packages that do not work: named in a sentence, and nothing that is kept suffers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import StageKind, parse_workflow
from evolve.agent.workflow.stages import KINDS
from evolve.cli import main
from evolve.core.errors import SetupProblem, UsageError
from evolve.core.extensions import BUILT_IN, find
from evolve.testing import FixedPolicy, TrustingSandbox
from evolve.workspace.health.doctor import doctor
from tests.extensions.test_extending import INITIALS, WORKFLOW
from tests.offering import offer, put_metadata


@pytest.mark.parametrize(
    "code", ["import nothing_of_this_name", "def broken(:", "raise SystemExit(0)", "1 / 0", "other = 1"]
)
def test_a_package_that_cannot_be_loaded_is_named(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    put_metadata(site, "evolve-bad", {"evolve.formats": {"bad": "evolve_bad_module:FORMAT"}})
    (site / "evolve_bad_module.py").write_text(code + "\n")
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, "evolve_bad_module", raising=False)
    with pytest.raises(SetupProblem, match=r"bad \(formats\) of the package evolve-bad cannot be loaded") as told:
        find("formats", "bad")
    assert told.value.hint == "mend or uninstall evolve-bad"
    (finding,) = [finding for finding in doctor(tmp_path / "ws") if finding.part == "extensions"]
    assert finding.state == "missing" and "evolve-bad" in finding.text


def test_a_command_that_cannot_be_loaded_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    points = {
        **{"greet": "evolve_bad_module:app", "gate greet": "evolve_bad_module:app"},
        **{"gate": "evolve.cli.lab.sandbox:app", "gate list": "evolve.cli.lab.sandbox:app"},
    }
    put_metadata(tmp_path / "site", "evolve-bad", {"evolve.commands": points})
    monkeypatch.syspath_prepend(tmp_path / "site")
    told = {}
    for words in (("--help",), ("gate", "--help"), ("gate", "list", "--help"), ("greet",), ("gate", "greet")):
        with pytest.raises(SystemExit) as ended:
            main(("lab", *words))
        told[" ".join(words)] = (ended.value.code or 0, *capfd.readouterr())
    assert told["--help"][0] == 0 and "greet" not in told["--help"][1]
    # A built-in name is not taken over.
    assert told["gate --help"][0] == 0 and "evolve lab gate list" in told["gate --help"][1]
    assert told["gate list --help"][0] == 0 and "evolve lab gate list" in told["gate list --help"][1]
    for name in ("greet", "gate greet"):
        assert told[name][0] == 3 and f"{name} (commands) of the package evolve-bad cannot be loaded" in told[name][2]


@pytest.mark.slow
@pytest.mark.parametrize("seam", ["environments", "formats", "functions", "engines", "encoders", "vectors"])
def test_a_value_that_is_something_else_is_refused(seam: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, tmp_path / "site", seam, "odd", object())
    root = tmp_path / "ws"
    evolve.init(root)
    (root / "evolve.toml").write_text(
        {"encoders": "encoder = 'odd'", "vectors": "vectors = 'odd'"}.get(seam, "") + "\n"
    )
    with pytest.raises(SetupProblem, match="odd .* of the package evolve-toy is object"):
        use(seam, root)


def use(seam: str, root: Path) -> None:
    from evolve.environments import environment_kind
    from evolve.improve.optimizer.engine import engine_kind
    from evolve.runtime.functions.servers import Server
    from evolve.skills.export import export_format

    direct: dict[str, Any] = {
        "environments": lambda: environment_kind("odd"),
        "formats": lambda: export_format("odd"),
        "functions": lambda: Server(name="a", kind="odd"),
        "engines": lambda: engine_kind("odd", ""),
    }
    if seam in direct:
        direct[seam]()
    with evolve.open(root) as workspace:
        workspace.run(examples=INITIALS, name="initials")
        workspace.memory.recall("short")  # opens the store, which no search does


class Encoder:
    name = "odd"
    dimension = 3

    def encode(self, texts):
        import numpy as np

        return np.full((len(texts), 3), np.nan)


class WrongSize(Encoder):
    def encode(self, texts):
        return [[1.0, 2.0] for _ in texts]


class Raising(Encoder):
    def encode(self, texts):
        raise ValueError("no such text")


@pytest.mark.parametrize("encoder", [Encoder, WrongSize, Raising, lambda needed: Encoder()])
@pytest.mark.parametrize("name", ["odd", "trials"])  # a name of evolve's own, which a stranger took
def test_an_encoder_that_does_not_work_is_found_out_before_a_run(
    encoder: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, tmp_path / "site", "encoders", name, encoder)
    root = tmp_path / "ws"
    evolve.init(root)
    (root / "evolve.toml").write_text(f"encoder = '{name}'\n")
    with pytest.raises(SetupProblem, match=rf"{name} \(encoders\) of the package evolve-toy"):
        evolve.open(root)
    (finding,) = [finding for finding in doctor(root) if finding.part == "encoder"]
    assert finding.state == "missing" and "evolve-toy" in finding.text


@pytest.mark.parametrize("given", [None, 42])
def test_a_stage_that_gives_no_action_is_named(given: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = StageKind(name="shortest", does="nothing", places=("deliberate",), work=lambda *_: given)
    offer(monkeypatch, tmp_path / "site", "stages", "shortest", kind)
    around = AgentServices(policy=FixedPolicy(), sandbox=TrustingSandbox(), run="r1")
    agent = Agent(around, parse_workflow(WORKFLOW))
    with pytest.raises(SetupProblem, match=r"shortest \(stages\) of the package evolve-toy gave .* no action"):
        agent.run_episode(small_suite().tasks[0], variant="v", split="own")


class Greedy:
    """A format that takes every folder for its own."""

    name = "greedy"

    def problems(self, skill, description):
        return []

    def files(self, skills):
        return {f"{one.skill.name}/skill.txt": one.skill.code for one in skills}

    def script(self, skill):
        return ""

    def is_own(self, folder):
        return True


class Empty(Greedy):
    def files(self, skills):
        return None


class Missing(Greedy):
    def script(self, skill):
        return "run.py"


@pytest.fixture
def learned(tmp_path: Path) -> Path:
    with evolve.open(tmp_path / "ws") as workspace:
        assert workspace.run(examples=INITIALS, name="initials").verified
    return tmp_path / "ws"


@pytest.mark.slow
def test_a_format_replaces_its_own_files_and_never_deletes_others(
    learned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, tmp_path / "site", "formats", "greedy", Greedy())
    with evolve.open(learned) as workspace:
        name = workspace.skills.list()[0].name
        (folder,) = workspace.skills.export([name], to=tmp_path / "out", format="greedy").places
        workspace.skills.export([name], to=tmp_path / "out", format="greedy")
        (folder / "precious.txt").write_text("mine")
        with pytest.raises(UsageError, match="not an earlier export"):
            workspace.skills.export([name], to=tmp_path / "out", format="greedy")
    assert (folder / "precious.txt").read_text() == "mine"


@pytest.mark.slow
def test_a_format_that_gives_no_texts_is_named(learned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, tmp_path / "site", "formats", "greedy", Empty())
    with evolve.open(learned) as workspace, pytest.raises(SetupProblem, match="evolve-toy gave no texts by path"):
        workspace.skills.export([workspace.skills.list()[0].name], to=tmp_path / "out", format="greedy")


@pytest.mark.slow
def test_an_error_out_of_a_package_is_laid_to_it_and_not_to_evolve(
    learned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    site = tmp_path / "site"
    put_metadata(site, "evolve-bad", {"evolve.formats": {"broken": "broken_format:BROKEN"}})
    raising = "    def files(self, skills):\n        raise ValueError('boom')\n"
    body = f"class Broken:\n    name = 'broken'\n{raising}"
    more = "".join(f"    def {name}(self, *given):\n        return {value}\n" for name, value in METHODS.items())
    (site / "broken_format.py").write_text(f"{body}{more}BROKEN = Broken()\n")
    monkeypatch.syspath_prepend(site)
    with evolve.open(learned) as workspace:
        name = workspace.skills.list()[0].name
    capfd.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["skills", "export", name, "--format", "broken", "--to", str(tmp_path / "out"), "-w", str(learned)])
    told = capfd.readouterr().err
    assert ended.value.code == 3
    assert "the package evolve-bad failed (ValueError: boom)" in told and "mend or uninstall evolve-bad" in told


METHODS = {"problems": [], "script": "''", "is_own": False}


def test_the_built_in_stages_are_those_that_there_are() -> None:
    assert tuple(BUILT_IN["stages"]) == tuple(kind.name for kind in KINDS)
