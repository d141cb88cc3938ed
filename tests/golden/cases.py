"""The goldens: how each is made, and how it is looked at and gone on with afterwards."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import evolve
from benchmarks.doubles import QuirkDouble, quirk_suite, slow_learner, small_suite
from benchmarks.suites import draw_suite
from evolve.tasks import render_jsonl
from evolve.testing import Scenario, ScriptedEndpoint
from evolve.workspace import PersonAct
from tests.doubles.asking import AskingDouble, asking_task
from tests.doubles.conversing import ConversingDouble
from tests.golden.seen import Shell, asked, plain, resumed, told, workspace

NEUTRAL = Path("/tmp") / "evolve-golden"
"""Where a folder that is worked in lies: a run keeps its folder's path, which must be the same on every machine."""

SETTINGS = "candidates = 3000\nseconds = 600.0\nworkers = 1\n"
"""Bounded by candidates alone, so that a slow machine comes to the same end."""

NAMES = """name,short
Ada Lovelace,A. LOVELACE
Alan Turing,A. TURING
Grace Hopper,G. HOPPER
Barbara Liskov,B. LISKOV
Donald Knuth,D. KNUTH
Edsger Dijkstra,E. DIJKSTRA
John Backus,J. BACKUS
"""
TOWNS = "town,code\nBerlin,BER\nHamburg,HAM\nMunich,MUN\nCologne,COL\nDresden,DRE\nLeipzig,LEI\n"
MODEL = "scripted"
RECORDED_AT = 18473
"""Port at which recordings are made: an address is part of what is recorded. A replay needs nobody there."""

PATIENT = {"thought": "so", "code": "", "answer": True, "text": "", "cites": [], "subgoal": 0}


@dataclass(frozen=True, kw_only=True)
class Golden:
    """One archive.

    Attributes:
        make: Fills the shell's folder, with its workspace ``ws``.
        look: Tells what is seen in it, and goes on with what was interrupted.
        slow: Looking takes more than a few seconds.
        replays: It holds exchanges with a model, which fit only the prompts that they were made with.
    """

    make: Callable[[Shell], None]
    look: Callable[[Shell], dict[str, Any]]
    slow: bool = False
    replays: bool = False


def _begin(shell: Shell) -> None:
    _ended(shell("init", "ws"), 0)
    with (shell.folder / "ws" / "evolve.toml").open("a") as stream:
        stream.write(SETTINGS)


def _ended(said: Any, code: int) -> Any:
    assert said.code == code, (said.code, said.err)
    return said


def _write(shell: Shell, name: str, text: str) -> str:
    (shell.folder / name).write_text(text)
    return name


KILLED = -9

# A finished workspace.


def _learned(shell: Shell) -> None:
    _begin(shell)
    _write(shell, "tasks.jsonl", render_jsonl(draw_suite("lists", n=32).tasks))
    _ended(shell("improve", "tasks.jsonl", "--rounds", "2"), 1)
    _ended(shell("run", _write(shell, "names.csv", NAMES)), 0)
    _ended(shell("memory", "note", "days come before months"), 0)
    _ended(shell("memory", "preferences", "add", "keep answers short"), 0)
    _ended(shell("runs", "comment", "r2", "too long, and the names are hard to read"), 0)
    _ended(shell("runs", "comment", "r2", "shorter please, it is too long", "--prefer"), 0)
    newest = told(shell, "lab", "variants", "list")["variants"][-1]["digest"]
    _ended(shell("lab", "variants", "promote", newest, "--reason", "to have one that acts"), 0)
    _ended(shell("run", _write(shell, "towns.csv", TOWNS), "--budget", "2500-candidates"), 0)


def _look_learned(shell: Shell) -> dict[str, Any]:
    return workspace(shell, lambda task: task[0] in "cnt")


def _promoted(shell: Shell) -> None:
    _begin(shell)
    _write(shell, "small.jsonl", render_jsonl(small_suite(40).tasks))
    with evolve.open(shell.folder / "ws", policy=slow_learner(distils=True)) as opened:
        report = opened.improve("small.jsonl", rounds=1)
    assert report.to_json()["rounds"][0]["promoted"]


def _look_promoted(shell: Shell) -> dict[str, Any]:
    return workspace(shell, lambda task: task.endswith("5"))


def _told(shell: Shell) -> None:
    """Notes of several speakers, one of them replaced; preferences in every state."""
    _begin(shell)
    note, wish = ("memory", "note"), ("memory", "preferences", "add")
    _ended(shell(*note, "the port of billing is 9000", "--by", "Dana", "--at", "2026-03-02"), 0)
    _ended(shell(*note, "the port of billing is now 9100", "--by", "Dana", "--at", "2026-04-02"), 0)
    _ended(shell(*wish, "write dates with the day first"), 0)
    _ended(shell(*note, "Ines likes tea", "--role", "document", "--source", "talk.md", "--thread", "standup"), 0)
    _ended(shell(*wish, "write dates with the month first"), 0)
    _ended(shell(*wish, "use pathlib", "--about", "Python files"), 0)
    evolve.init(shell.folder / "ws", trust=True)
    with evolve.open(shell.folder / "ws") as opened:
        for text in ("keep answers short", "no bullet points in mails"):
            opened.preferences.suggest(PersonAct(kind="comment", text=text, author="jo"))
        opened.preferences.decline(opened.preferences.proposals()[0].id)


def _look_told(shell: Shell) -> dict[str, Any]:
    lists = {name: told(shell, "memory", *name.split()) for name in ("list", "preferences list", "proposals")}
    with evolve.open(shell.folder / "ws", read_only=True) as opened:
        declined = [[one.id, one.description] for one in opened.preferences.list(status="declined")]
    recalled = told(shell, "memory", "recall", "port of billing and dates", "--replaced")
    _ended(shell("memory", "note", "the port of billing is 9200", "--by", "Dana"), 0)
    _ended(shell("memory", "preferences", "add", "write dates with the day first"), 0)
    after = [[one["id"], one["replaced_by"]] for one in told(shell, "memory", "list")["notes"]]
    wishes = [[one["id"], one["status"]] for one in told(shell, "memory", "preferences", "list")]
    return {**lists, "declined": declined, "recall": recalled, "after": after, "wishes": wishes}


# Interrupted runs of the search.


def _search_killed(fault: str) -> Callable[[Shell], None]:
    def make(shell: Shell) -> None:
        _begin(shell)
        _write(shell, "names.csv", NAMES)
        _ended(shell("run", "names.csv", "--json", EVOLVE_FAULT=fault), KILLED)

    return make


def _look_search(shell: Shell) -> dict[str, Any]:
    before = workspace(shell)
    return {
        "before": before,
        "resumed": resumed(shell, "run", "names.csv", "--json"),
        "after": workspace(shell, sound=False),
    }


def _loop_killed(fault: str) -> Callable[[Shell], None]:
    def make(shell: Shell) -> None:
        _begin(shell)
        _write(shell, "tasks.jsonl", render_jsonl(draw_suite("lists", n=32).tasks))
        _ended(shell("improve", "tasks.jsonl", "--rounds", "1", EVOLVE_FAULT=fault), KILLED)

    return make


def _look_loop(shell: Shell) -> dict[str, Any]:
    command = ("improve", "tasks.jsonl", "--rounds", "1", "--json")
    before = workspace(shell, lambda task: False)
    return {
        "before": before,
        "resumed": resumed(shell, *command, code=1),
        "after": workspace(shell, lambda task: False, sound=False),
    }


# Work in a folder, with a scripted model.

_LOOK = "print(open('total.py').read())\n"
_DOCUMENT = "open('notes.md', 'w').write('sums\\n')\n"
_MEND = "open('total.py', 'w').write('def total(xs):\\n    return sum(xs)\\n')\n"
_WORK = ("run", "make total add up", "--dir", str(NEUTRAL), "--check", "python3 test_total.py", "--model", MODEL)


def _acts(code: str) -> dict[str, Any]:
    return {"data": {**PATIENT, "kind": "code", "code": code, "text": "mend it"}}


_NO_MEMORIES = {"data": {"memories": []}}
_CLAIMS: dict[str, Any] = {"data": {"claims": []}}


@contextmanager
def project() -> Iterator[Path]:
    """The folder to be worked in, made afresh; whoever else wants it waits."""
    with NEUTRAL.with_suffix(".lock").open("a") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        shutil.rmtree(NEUTRAL, ignore_errors=True)
        NEUTRAL.mkdir(mode=0o755)
        texts = {"total.py": "def total(xs):\n    return xs[0]\n"}
        texts["test_total.py"] = "from total import total\n\nassert total([1, 2]) == 3\n"
        for name, text in texts.items():
            (NEUTRAL / name).write_text(text)
            (NEUTRAL / name).chmod(0o644)
        try:
            yield NEUTRAL
        finally:
            shutil.rmtree(NEUTRAL)


def _contents(folder: Path) -> dict[str, str]:
    return {one.name: one.read_text() for one in sorted(folder.iterdir()) if one.is_file()}


def _folder_killed(shell: Shell) -> None:
    _begin(shell)
    replies = [_acts(_LOOK), _acts(_DOCUMENT), _acts(_MEND)]
    with project(), ScriptedEndpoint(Scenario(replies=replies)) as serving:
        fault = {"EVOLVE_FAULT": "stage.observe.after:2:kill", "EVOLVE_BASE_URL": serving.base_url}
        _ended(shell(*_WORK, "--json", **fault), KILLED)


def _look_folder_killed(shell: Shell) -> dict[str, Any]:
    before = workspace(shell)
    with project() as folder, ScriptedEndpoint(Scenario(replies=[_acts(_MEND), _CLAIMS, _NO_MEMORIES])) as serving:
        done = resumed(shell, *_WORK, "--yes", "--json", EVOLVE_BASE_URL=serving.base_url)
        after = workspace(shell, sound=False) | {"folder": _contents(folder)}
        return {"before": before, "resumed": done, "asked": asked(serving), "after": after}


def _folder_waiting(shell: Shell) -> None:
    _begin(shell)
    with project(), ScriptedEndpoint(Scenario(replies=[_acts(_LOOK), _acts(_MEND)])) as serving:
        _ended(shell(*_WORK, EVOLVE_BASE_URL=serving.base_url), 6)


def _look_folder_waiting(shell: Shell) -> dict[str, Any]:
    before = workspace(shell) | {"diff": told(shell, "runs", "diff", "r1")}
    with project() as folder:
        done = resumed(shell, "apply", "r1", "--json")
        applied = _contents(folder)
        undone = told(shell, "undo", "r1")
        return {
            "before": before,
            "resumed": done,
            "folder": applied,
            "undone": [undone, _contents(folder)],
            "after": workspace(shell, sound=False),
        }


# Waiting for a person.


def _asking(shell: Shell) -> None:
    _begin(shell)
    _write(shell, "dates.jsonl", render_jsonl([asking_task()]))
    with ScriptedEndpoint(double=AskingDouble()) as serving:
        _ended(shell("run", "dates.jsonl", "--model", MODEL, EVOLVE_BASE_URL=serving.base_url), 6)


def _look_asking(shell: Shell) -> dict[str, Any]:
    before = workspace(shell)
    with ScriptedEndpoint(double=AskingDouble()) as serving:
        command = ("runs", "answer", "r1", "in April, the day comes first", "--model", MODEL, "--json")
        done = resumed(shell, *command, EVOLVE_BASE_URL=serving.base_url)
        return {"before": before, "resumed": done, "asked": asked(serving), "after": workspace(shell, sound=False)}


def _chatting(shell: Shell) -> None:
    _begin(shell)
    with project(), ScriptedEndpoint(double=ConversingDouble()) as serving:
        command = ("chat", "--dir", str(NEUTRAL), "--check", "true", "--model", MODEL)
        typed = "add 17 and 25\nreplace xs by numbers\n"
        _ended(shell(*command, typed=typed, EVOLVE_BASE_URL=serving.base_url), 6)


def _look_chatting(shell: Shell) -> dict[str, Any]:
    before = workspace(shell)
    with project() as folder, ScriptedEndpoint(double=ConversingDouble()) as serving:
        command = ("runs", "answer", "r2", "total.py", "--set", "approve=auto", "--model", MODEL, "--json")
        done = resumed(shell, *command, EVOLVE_BASE_URL=serving.base_url)
        command = ("chat", "--resume", "c1", "--dir", str(NEUTRAL), "--check", "true", "--model", MODEL)
        _ended(shell(*command, typed="/save talk.md\n", EVOLVE_BASE_URL=serving.base_url), 0)
        talk = plain((shell.folder / "talk.md").read_text().splitlines())
        after = workspace(shell, sound=False) | {"folder": _contents(folder), "talk": talk}
        return {"before": before, "resumed": done, "asked": asked(serving), "after": after}


# Recordings of a model.


def _recording(shell: Shell, scenario: Scenario, *command: str, code: int = 0) -> None:
    _begin(shell)
    with ScriptedEndpoint(scenario, double=None if scenario.replies else QuirkDouble(), port=RECORDED_AT) as serving:
        recorded = (*command, "--model", MODEL, "--record", "exchanges.jsonl")
        _ended(shell(*recorded, EVOLVE_BASE_URL=serving.base_url), code)
    shutil.rmtree(shell.folder / "ws")


def _replaying(shell: Shell, *command: str, code: int = 0) -> dict[str, Any]:
    _begin(shell)
    replayed = (*command, "--model", MODEL, "--replay", "exchanges.jsonl", "--json")
    address = json.loads((shell.folder / "exchanges.jsonl").read_text().splitlines()[0])["request"]["base_url"]
    return {
        "resumed": resumed(shell, *replayed, code=code, EVOLVE_BASE_URL=address),
        "after": workspace(shell, sound=False),
    }


_QUIRK = ("run", "quirks.jsonl#quirk-00")
_WORDS = ("run", "What is 17 plus 25?")


def _program_recorded(shell: Shell) -> None:
    _write(shell, "quirks.jsonl", render_jsonl(quirk_suite(8).tasks))
    _recording(shell, Scenario(), *_QUIRK)


def _folder_recorded(shell: Shell) -> None:
    with project():
        _recording(shell, Scenario(replies=[_acts(_LOOK), _acts(_MEND), _NO_MEMORIES]), *_WORK[:-2], code=6)


def _look_folder_recorded(shell: Shell) -> dict[str, Any]:
    with project():
        return _replaying(shell, *_WORK[:-2], code=6)


def _words_recorded(shell: Shell) -> None:
    _recording(shell, Scenario(replies=[_acts("def solve():\n    return 17 + 25\n")]), *_WORDS)


GOLDENS = {
    "learned": Golden(make=_learned, look=_look_learned),
    "told": Golden(make=_told, look=_look_told),
    "promoted": Golden(make=_promoted, look=_look_promoted),
    "search-killed": Golden(make=_search_killed("stage.observe.before:1:kill"), look=_look_search),
    "search-killed-planned": Golden(make=_search_killed("stage.act.before:1:kill"), look=_look_search, slow=True),
    "loop-killed-between-batches": Golden(make=_loop_killed("practice.kept:1:kill"), look=_look_loop, slow=True),
    "loop-killed-in-a-batch": Golden(make=_loop_killed("attempt.kept:6:kill"), look=_look_loop, slow=True),
    "program-recorded": Golden(make=_program_recorded, look=lambda shell: _replaying(shell, *_QUIRK), replays=True),
    "folder-recorded": Golden(make=_folder_recorded, look=_look_folder_recorded, replays=True),
    "words-recorded": Golden(make=_words_recorded, look=lambda shell: _replaying(shell, *_WORDS), replays=True),
    "folder-killed": Golden(make=_folder_killed, look=_look_folder_killed, slow=True),
    "folder-waiting": Golden(make=_folder_waiting, look=_look_folder_waiting),
    "question-waiting": Golden(make=_asking, look=_look_asking, slow=True),
    "chat-waiting": Golden(make=_chatting, look=_look_chatting, slow=True),
}
