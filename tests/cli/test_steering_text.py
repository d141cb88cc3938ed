"""Text from outside cannot steer the terminal: what would is shown as an escape, wherever it is printed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from dataclasses import replace

import pytest

import evolve
from evolve.cli.render.output import escape_control_characters, table
from evolve.skills import AdmissionVerdict, Skill
from evolve.testing import Scenario, ScriptedEndpoint
from tests.skills.samples import GOOD

STEERING = {
    "clear the screen": "\x1b[2J\x1b[1;1H",
    "set the clipboard (OSC 52)": "\x1b]52;c;ZXZpbA==\x07",
    "bell": "\x07",
    "overwrite the line": "harmless\rEVIL",
    "8-bit CSI": "\x9b31m",
    "turn the order around": "abc\u202egnp.exe",
    "isolate": "\u2066abc\u2069",
    "tags that nobody sees": "\U000e0041\U000e0042",
    "nothing to see": "a\u200bb\ufeffc\u2060d",
    "backspaces": "good\b\b\b\bevil",
    "marks of direction": "a\u200fb\u200ec\u061cd",
    "fillers": "a\u00adb\u3164c\uffa0d\u115fe\u1160f\u034fg\u180eh\u2800i",
    "variants that nobody sees": "a\U000e0100b\U000e01efc",
    "variants of signs": "a\ufe00b\ufe0fc",
    "signs of music and of writing": "a\U0001d159b\U00016fe4c",
    "ignorable though nobody assigned them": "a\u2065b\ufff0c\ufff8d\U000e0080e\U000e0fff",
    "of private use": "a\ue000b\U000f0000c",
    "a joiner between letters": "pass\u200dword",
}
HIDDEN = set("".join(STEERING.values())) - {chr(code) for code in range(32, 127)}


def is_shown(out: str) -> bool:
    return not any(sign in out for sign in HIDDEN)


@pytest.mark.parametrize("text", STEERING.values(), ids=list(STEERING))
def test_the_error_of_an_endpoint_is_shown_and_not_obeyed(cli, text):
    with ScriptedEndpoint(Scenario(replies=[{"status": 403, "message": f"no: {text} end"}] * 3)) as serving:
        done = cli("run", "What is 1 plus 1?", "--model", serving.model)
    assert done.code == 4 and is_shown(done.out + done.err)
    assert "HTTP 403: no:" in done.err and "end" in done.err


@pytest.mark.slow
def test_what_a_model_says_is_shown_and_not_obeyed(cli):
    evil = "".join(STEERING.values())
    said = {"thought": evil, "kind": "code", "code": f"def solve():\n    return {evil!a}\n", "answer": True}
    replies = [{"data": {**said, "text": evil, "cites": [], "subgoal": 0}}] * 3
    with ScriptedEndpoint(Scenario(replies=replies)) as serving:
        done = cli("run", "Say something", "--model", serving.model)
    assert "\\x1b]52" in done.err
    assert is_shown(done.err) and is_shown(done.out)
    shown = cli("runs", "show", "r1")
    assert shown.code == 0 and is_shown(shown.out)


@pytest.mark.slow
@pytest.mark.usefixtures("few_rivals")
def test_names_of_tasks_and_texts_of_memory_are_shown_and_not_obeyed(cli, tmp_path):
    row = {"input": [[1, 2, 3]], "output": 3}
    rows = [row, {"input": [[4, 5]], "output": 5}]
    for number, (name, text) in enumerate(STEERING.items(), 1):
        task = {"id": "last", "family": "f", "instruction": f"last {text}", "signature": "(xs: list[int]) -> int"}
        (tmp_path / "task.json").write_text(json.dumps({**task, "examples": rows, "hidden": [row] * 3}))
        assert cli("memory", "note", f"mind {text} this {number}").code == 0
        cli("run", tmp_path / "task.json", "--budget", "300-candidates")
        shown = cli("runs", "show", f"r{number}")
        assert shown.code == 0 and is_shown(shown.out + shown.err), name
        missing = cli("run", tmp_path / f"no {text} file.json")
        assert missing.code == 2 and is_shown(missing.err), name
    for command in (("runs", "list"), ("memory", "list")):
        done = cli(*command)
        assert done.code == 0 and is_shown(done.out + done.err), command
        assert sum(word in line for line in done.out.splitlines() for word in ("mind", "last")) == len(STEERING)


def test_descriptions_of_skills_are_shown_and_not_obeyed(cli, tmp_path):
    evil = "".join(STEERING.values())
    skill = replace(Skill.from_draft(GOOD), description=f"Keeps {evil} even numbers.")
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
    for command in ("list", "show large-evens", "find even"):
        done = cli("skills", *command.split())
        assert done.code == 0 and "Keeps" in done.out and is_shown(done.out), command


@pytest.mark.slow
def test_code_goes_to_a_program_as_it_is_and_to_a_terminal_visibly(cli, start_cli, tmp_path):
    skill = replace(Skill.from_draft(GOOD), code=f"{GOOD.code}\nMARK = '\x1b[2J'\n")
    with evolve.open(tmp_path / "ws") as workspace:
        workspace.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
    assert "MARK = '\x1b[2J'" in cli("skills", "show", "large-evens").out
    reader, terminal = os.openpty()
    # On a slow machine stderr has a line that moves.
    shown = start_cli("skills", "show", "large-evens", stdout=terminal, stderr=subprocess.DEVNULL)
    os.close(terminal)
    told = b""
    with contextlib.suppress(OSError):  # the terminal has gone, and all of it was read
        while piece := os.read(reader, 65_536):
            told += piece
    os.close(reader)
    assert shown.wait(timeout=60) == 0 and b"MARK = '\\x1b[2J'" in told and b"\x1b" not in told


def test_half_a_pair_is_shown_as_an_escape():
    assert escape_control_characters("a\ud800b") == "a\\ud800b"


FORGED = "\nverified: FORGED"


@pytest.mark.slow
def test_no_field_begins_a_line_of_its_own(cli, tmp_path):
    task = {"id": "last", "family": "f", "instruction": f"last{FORGED}", "signature": "(xs: list[int]) -> int"}
    rows = [{"input": [[1, 2, 3]], "output": 3}, {"input": [[4, 5]], "output": 5}]
    (tmp_path / "task.json").write_text(json.dumps({**task, "examples": rows, "hidden": [rows[0]] * 3}))
    said = {"thought": "t", "kind": "code", "code": "def solve():\n    return 1\n", "answer": True}
    replies = [{"data": {**said, "text": f"text{FORGED}", "cites": [], "subgoal": 0}}] * 3
    with ScriptedEndpoint(Scenario(replies=replies)) as serving:
        done = [cli("run", "Say something", "--model", serving.model)]
    done.append(cli("memory", "note", f"mind{FORGED}"))
    done += [cli("memory", "list"), cli("lab", "tasks", "show", tmp_path / "task.json")]
    for one in done:
        assert "FORGED" in one.out + one.err
        assert not any(line.startswith("verified: F") for line in (one.out + "\n" + one.err).splitlines())


def test_a_name_cannot_add_a_row_to_a_table():
    assert table(("name",), [("a\nb",)]) == "name\na\\nb"


def test_letters_of_all_languages_and_line_breaks_stay():
    text = "Zażółć gęślą\tjaźń\n日本語 العربية हिन्दी 👩‍👩‍👧 ‹é› \u2764\ufe0f"
    assert escape_control_characters(text) == text


@pytest.mark.parametrize("before", ["a", "\ufe0f", "\u2764\ufe0f", "\u2800", "\U0001d159", ""])
def test_a_sign_of_how_to_draw_an_emoji_stays_behind_an_emoji_alone(before):
    assert escape_control_characters(f"{before}\ufe0f").endswith("\\ufe0f")
