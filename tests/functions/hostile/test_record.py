"""A record that somebody had in hand between two processes of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from evolve.core.errors import RecordDamaged
from evolve.runtime.functions import CallFile
from tests.functions.hostile.victims import Shop, allowed_gate, frame, function, told


def written(path, calls=3):
    gate = allowed_gate(Shop("as it was"), record=CallFile(path))
    for number in range(calls):
        gate.answer_frame(frame("buy", n=number))


def swapped(path, what, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    made = {
        "symlink": lambda: path.symlink_to(elsewhere),
        "symlink to a device": lambda: path.symlink_to("/dev/zero"),
        "pipe": lambda: os.mkfifo(path),
        "folder": lambda: path.mkdir(),
        "broken symlink": lambda: path.symlink_to(tmp_path / "nothing"),
    }
    made[what]()


@pytest.mark.parametrize("what", ["symlink", "symlink to a device", "pipe", "folder", "broken symlink"])
def test_what_is_no_plain_file_is_no_record(tmp_path, what):
    path = tmp_path / "calls.jsonl"
    written(path)
    swapped(path, what, tmp_path)
    program = (
        "import sys\nfrom pathlib import Path\nfrom evolve.core.errors import RecordDamaged\n"
        "from evolve.runtime.functions import CallFile\n"
        "try:\n    CallFile(Path(sys.argv[1]))\nexcept RecordDamaged:\n    print('damaged')"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=30)
    assert done.stdout == "damaged\n", done.stderr


CHANGES = {
    "a value is another": lambda text: text.replace("as it was", "as it is"),
    "an argument is another": lambda text: text.replace('"n":1', '"n":7'),
    "a key stands twice": lambda text: text.replace('"number":1', '"number":9,"number":1', 1),
    "lines are in another order": lambda text: "".join(sorted(text.splitlines(True))),
    "a line is gone": lambda text: "".join(text.splitlines(True)[2:]),
    "a line stands twice": lambda text: text.splitlines(True)[0] + text,
    "a line was torn and others follow": lambda text: text[:40] + "\n" + "".join(text.splitlines(True)[1:]),
    "something stands in front": lambda text: "\n" + text,
    "a bit of another encoding": lambda text: text.replace("as it was", "as it w\udcff"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_record_answers_nothing(tmp_path, change):
    path = tmp_path / "calls.jsonl"
    written(path)
    text = CHANGES[change](path.read_text())
    assert text != path.read_text()
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    if change == "a key stands twice":
        assert CallFile(path).calls[0, 1][0].number == 1  # the checksum is over what is read
        return
    with pytest.raises(RecordDamaged):
        CallFile(path)


def test_another_function_of_the_same_name_is_not_called_in_the_place_of_the_first(tmp_path):
    path, other = tmp_path / "calls.jsonl", Shop("other", function("buy", description="Buys all.", repeatable=True))
    written(path, calls=1)
    gate = allowed_gate(other, record=CallFile(path))
    assert "another one" in told(gate, frame("buy", n=0))["error"]
    assert other.done == []


def test_a_call_of_before_is_not_made_again_with_other_arguments(tmp_path):
    path, shop = tmp_path / "calls.jsonl", Shop()
    written(path, calls=1)
    assert "another one" in told(allowed_gate(shop, record=CallFile(path)), frame("buy", n=True))["error"]
    assert shop.done == [] and json.loads(path.read_text().splitlines()[0])["call"]["arguments"] == {"n": 0}
