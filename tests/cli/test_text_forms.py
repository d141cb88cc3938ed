"""A model changes one line of a file that is not plain UTF-8: that line alone is shown, applied, and taken back."""

from __future__ import annotations

import json

import pytest

from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of, schema_of

LATIN = b"# -*- coding: latin-1 -*-\nNAME = 'J\xf6rg'\nLIMIT = 10\nCITY = 'Malm\xf6'\n"
TEXT = "# naïve\r\nLIMIT = 10\r\nlast = 'é'"

FORMS = {
    "latin.py": LATIN,
    "guessed.txt": b"Der Caf\xe9 von Ren\xe9e\nLIMIT = 10\nund Zo\xeb\n",
    "mixed.py": b"a = 1\r\nb = 2\nc = 3\r\nLIMIT = 10\nd = 4\r\ne = 5\n",
    "marked.py": b"\xef\xbb\xbfa = 1\r\nLIMIT = 10\r\n",
    "mac.txt": b"a\rLIMIT = 10\rb\r",
    "wide.txt": TEXT.encode("utf-16"),
    "open.txt": TEXT.encode(),
    "spot.txt": b"\xc3\xa4\xc3\xb6\xfc\nLIMIT = 10\n\xe2\x80\xa8\x0c\xc2\x85\n",
}


def edited(name):
    pair = "<<<<<<< SEARCH\nLIMIT = 10\n=======\nLIMIT = 20\n>>>>>>> REPLACE"
    return f"```edit {name}\n{pair}\n```"


def whole(name):
    data = FORMS[name]
    encoding = {"latin.py": "latin-1", "guessed.txt": "latin-1", "wide.txt": "utf-16"}.get(name, "utf-8-sig")
    text = (
        data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n").replace("LIMIT = 10", "LIMIT = 20")
    )
    return f"```file {name}\n{text.removesuffix(chr(10))}\n```"


class Writer:
    """Sends one reply for the task, and nothing worth keeping to what is asked about it."""

    def __init__(self, reply):
        self.reply, self.prompts = reply, []

    def answer(self, body):
        prompt = prompt_of(body)
        self.prompts.append(prompt)
        if schema_of(body, prompt) and "kind" not in str(schema_of(body, prompt)):
            return json.dumps({"claims": [], "goal": "g", "subgoals": [], "name": "n", "description": "d"})
        return f"So.\n{self.reply}\n```done\n```\n"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    for name, data in FORMS.items():
        (folder / name).write_bytes(data)
    return folder


def changed(name):
    encoding = "utf-16-le" if name == "wide.txt" else "ascii"
    return FORMS[name].replace("10".encode(encoding), "20".encode(encoding))


@pytest.mark.parametrize("written", [edited, whole])
def test_a_line_is_changed_shown_and_taken_back_in_every_form(cli, project, written):
    double = Writer("\n".join(map(written, FORMS)))
    with ScriptedEndpoint(double=double) as serving:
        done = cli("run", "twenty, not ten", "--dir", project, "--model", serving.model, "--yes")
    assert done.code == 6, done.out + done.err
    assert "Jörg" in double.prompts[0] and "naïve" in double.prompts[0]
    shown = done.out.splitlines()
    assert [line for line in shown if line[:1] == "-" and line[:3] != "---"] == ["-LIMIT = 10"] * len(FORMS)
    assert [line for line in shown if line[:1] == "+" and line[:3] != "+++"] == ["+LIMIT = 20"] * len(FORMS)
    assert "not shown" not in done.out
    assert {name: (project / name).read_bytes() for name in FORMS} == FORMS
    assert cli("apply", "r1").code == 0
    assert {name: (project / name).read_bytes() for name in FORMS} == {name: changed(name) for name in FORMS}
    assert cli("undo", "r1").code == 0
    assert {name: (project / name).read_bytes() for name in FORMS} == FORMS


def test_what_a_file_cannot_hold_is_refused_with_its_line(cli, project):
    double = Writer("```edit latin.py\n<<<<<<< SEARCH\nLIMIT = 10\n=======\nLIMIT = '→'\n>>>>>>> REPLACE\n```")
    with ScriptedEndpoint(double=double) as serving:
        done = cli("run", "twenty, not ten", "--dir", project, "--model", serving.model)
    assert done.code != 0 and (project / "latin.py").read_bytes() == LATIN
    assert any("line 3 holds '→', and the file is latin-1" in prompt for prompt in double.prompts)
