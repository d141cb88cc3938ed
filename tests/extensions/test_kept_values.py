"""What a stage of docs/extending-agent.md keeps: from step to step, over a crash, and without its package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks.doubles import small_suite
from evolve.agent import Agent, AgentServices
from evolve.agent.answer_stages import with_note
from evolve.agent.checkpoints import is_sound
from evolve.agent.workflow import StageKind, parse_workflow
from evolve.core.episodes import EpisodeRecord
from evolve.core.errors import SetupProblem
from evolve.testing import ScriptedWorker, TrustingSandbox
from tests.extensions.test_extending import WORKFLOW, toys
from tests.offering import offer, put_metadata

__all__ = ["toys"]

WRONG = "def solve(xs):\n    return 0\n"


@dataclass(frozen=True)
class Failing(ScriptedWorker):
    """Is ended when it is asked for its third answer."""

    def act(self, view: Any, plan: Any, steps: Any, limits: Any) -> Any:
        if len(steps) == 2:
            raise KeyboardInterrupt
        return super().act(view, plan, steps, limits)


def worked(folder: Path | None = None, *, fails: bool = False) -> EpisodeRecord:
    """An episode of three answers with the stage ``brief``."""
    policy = (Failing if fails else ScriptedWorker)((WRONG, WRONG, WRONG))
    around = AgentServices(policy=policy, sandbox=TrustingSandbox(), run="r1", checkpoints=folder)
    workflow = parse_workflow(WORKFLOW.replace("shortest", "brief"))
    return Agent(around, workflow).run_episode(small_suite().tasks[0], variant="v", split="own")


def notes(record: EpisodeRecord) -> list[str]:
    return [note.text for step in record.steps for note in step.action.notes if note.stage == "brief"]


def interrupted(folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        worked(folder, fails=True)


def test_a_value_goes_from_step_to_step_and_over_a_crash(toys: None, tmp_path: Path) -> None:
    whole = notes(worked())
    assert [text.partition(",")[0] for text in whole] == ["answer 1", "answer 2", "answer 3"]
    interrupted(tmp_path)
    assert notes(worked(tmp_path)) == whole


@dataclass(frozen=True)
class Words:
    count: int = 0
    words: tuple[str, ...] = ()


def stage(work: Callable[..., Any], *, name: str = "brief", keeps: str = "answers") -> StageKind:
    return StageKind(name=name, does="something", places=("deliberate",), keeps=keeps, work=work)


def count_up(context: Any, plan: Any, steps: Any, kept: Words) -> Any:
    return with_note(steps[-1].action, "brief", f"{kept.count}"), Words(count=kept.count + 1)


def offered(monkeypatch: pytest.MonkeyPatch, site: Path, points: Mapping[str, tuple[str, object]]) -> None:
    """Offers several values of one package."""
    groups = {}
    for seam, (name, value) in points.items():
        offer(monkeypatch, site, seam, name, value)
        text = (site / "evolve_toy-1.0.dist-info" / "entry_points.txt").read_text()
        groups[f"evolve.{seam}"] = {name: text.partition(" = ")[2].strip()}
    put_metadata(site, "evolve-toy", groups)


def test_an_episode_goes_on_without_the_value_and_what_is_kept_of_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered(monkeypatch, tmp_path / "a", {"stages": ("brief", stage(count_up)), "state": ("answers", Words)})
    interrupted(tmp_path / "run")
    with monkeypatch.context() as later:
        plain = stage(lambda context, plan, steps: steps[-1].action, keeps="")
        offer(later, tmp_path / "b", "stages", "brief", plain)
        interrupted(tmp_path / "run")
        assert all(map(is_sound, (tmp_path / "run").glob("*/checkpoint.db")))
    assert notes(worked(tmp_path / "run")) == ["0", "1", "2"]


@pytest.mark.parametrize("given", [None, "action", ("action", 3), ("action", Words(count="3")), ("action", {"x": 1})])
def test_a_stage_that_gives_something_else_is_named(
    given: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(context: Any, plan: Any, steps: Any, kept: Words) -> Any:
        return (steps[-1].action, given[1]) if isinstance(given, tuple) else given

    offered(monkeypatch, tmp_path, {"stages": ("brief", stage(work)), "state": ("answers", Words)})
    with pytest.raises(SetupProblem, match=r"(brief|answers) \((stages|state)\) of the package evolve-toy"):
        worked()


def test_what_an_episode_keeps_is_checked_when_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Other:
        count: str = ""

    offered(monkeypatch, tmp_path / "a", {"stages": ("brief", stage(count_up)), "state": ("answers", Words)})
    interrupted(tmp_path / "run")
    offered(monkeypatch, tmp_path / "b", {"stages": ("brief", stage(count_up)), "state": ("answers", Other)})
    with pytest.raises(SetupProblem, match=r"answers \(state\) of the package evolve-toy does not fit"):
        worked(tmp_path / "run")


def test_a_stage_keeps_no_value_of_another_package(toys: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, tmp_path / "more", "stages", "peeping", stage(count_up, name="peeping"))
    with pytest.raises(SetupProblem, match=r"peeping \(stages\) of the package evolve-toy keeps 'answers'"):
        parse_workflow(WORKFLOW.replace("shortest", "peeping"))


class NoDataclass:
    def __init__(self) -> None:
        self.count = 0


class Needing(NamedTuple):
    count: int


@dataclass
class Mutable:
    count: int = 0


@dataclass(frozen=True)
class Unreadable:
    one: NoDataclass | None = None


@pytest.mark.parametrize("value", [NoDataclass, Needing, Mutable, Unreadable, int])
def test_a_value_of_another_kind_is_named(value: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offered(monkeypatch, tmp_path, {"stages": ("brief", stage(lambda *given: given)), "state": ("answers", value)})
    with pytest.raises(SetupProblem, match=r"answers \(state\) of the package evolve-toy"):
        worked()


def test_a_value_too_large_to_be_kept_with_every_step_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(context: Any, plan: Any, steps: Any, kept: Words) -> Any:
        return steps[-1].action, Words(words=("x" * 2_000_000,))

    offered(monkeypatch, tmp_path, {"stages": ("brief", stage(work)), "state": ("answers", Words)})
    with pytest.raises(SetupProblem, match=r"answers \(state\) of the package evolve-toy is too large"):
        worked()
