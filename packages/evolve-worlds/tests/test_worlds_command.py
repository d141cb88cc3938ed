"""A person at the worlds: what there is, whether it works, and a trial played by numbers and text."""

from __future__ import annotations

import io
import json
import sys
from fractions import Fraction

import pytest

from tests.offering import offer


@pytest.fixture
def typed(monkeypatch):
    def type_in(*lines):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_in


def test_worlds_are_listed_with_what_they_need(cli, monkeypatch, tmp_path):
    done = cli("lab", "worlds", "list", "--json")
    found = {one["name"]: one for one in json.loads(done.out)}
    assert list(found) == ["scienceworld", "textworld", "minigrid", "gymnasium"]
    assert found["minigrid"]["tasks"] == 12 and found["minigrid"]["missing"] == ""
    for one in found.values():
        assert one["version"].startswith(one["name"]) or one["missing"].startswith(
            f"pip install './packages/evolve-worlds[{one['name']}]'"
        )
    done = cli("lab", "worlds", "list", "minigrid")
    assert done.out.splitlines()[0].split() == ["task", "train", "dev", "test"]
    assert "PutNextLocal" in done.out


@pytest.mark.slow
def test_a_world_is_checked(cli):
    done = cli("lab", "worlds", "check", "gymnasium", "--task", "taxi", "--moves", "10", "--json")
    told = json.loads(done.out)
    assert (done.code, told["wrong"], told["moves"], told["task"]) == (0, [], 10, "taxi")
    assert "the same moves lead to the same scenes" in cli("lab", "worlds", "check", "minigrid", "--moves", "5").out


class Forgetful:
    """Begins otherwise each time."""

    name, version = "forgetful", "1"

    def __init__(self):
        self.started = 0

    def tasks(self):
        return ("only",)

    def variations(self, task, split):
        return {"train": (0,), "dev": (0,), "test": (2,)}[split]

    def start(self, task, variation):
        from evolve_worlds import Move, Scene

        class Trial:
            goal = "none"
            scene = Scene(told=f"time {self.started}", score=2.0)

            def moves(self):
                return (Move(schema="wait"),)

            def do(self, move):
                return self.scene

        self.started += 1
        return Trial()

    def close(self):
        pass


def test_a_world_that_does_not_keep_its_promises_is_told_so(cli, monkeypatch, tmp_path):
    offer(monkeypatch, tmp_path / "site", "worlds", "forgetful", Forgetful)
    done = cli("lab", "worlds", "check", "forgetful")
    assert done.code == 1
    for fault in ("two splits", "begins otherwise", "a score of 2.0", "counts steps at the beginning"):
        assert fault in done.out
    offer(monkeypatch, tmp_path / "more", "worlds", "nothing", dict)
    done = cli("lab", "worlds", "check", "nothing")
    assert done.code == 3 and "makes dict, which is no world" in done.err


def test_a_person_plays_by_number_and_text_and_takes_back(cli, typed):
    typed("?", "moves down", "2", "go right", "undo", "fly", "99", "9" * 5000, "look", "quit")
    done = cli("lab", "worlds", "play", "gymnasium", "--variation", "1")
    assert done.code == 0
    assert "goal: Get to the last row and column." in done.out
    assert "   2  go down" in done.out
    assert "You stand in row 2, column 1 of 4." in done.out
    assert "That is not possible here." in done.out
    assert "there are 4 moves" in done.out


def test_what_was_played_is_given_as_json_without_what_was_taken_back(cli, typed):
    typed("go down", "go up", "undo", "undo", "undo", "go down")
    done = cli("lab", "worlds", "play", "gymnasium", "--variation", "1", "--json")
    told = json.loads(done.out)
    assert done.out.startswith("{") and told["moves"] == ["go down"]
    assert (told["score"], told["over"], told["lost"]) == (0.0, False, False)
    assert "nothing was done yet" in done.err


def test_a_loss_is_taken_back_or_ends_the_game(cli, typed):
    typed("go down", "undo", "go left", "quit")
    done = cli("lab", "worlds", "play", "gymnasium", "--variation", "0")
    assert done.code == 0
    assert "lost: score 0.00 after 1 step; undo takes the last move back, quit ends it" in done.out
    assert done.out.count("You stand in row 1, column 1 of 4.") == 3
    typed("go down", "go left")
    assert cli("lab", "worlds", "play", "gymnasium", "--variation", "0").out.count("row 1") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("play", "atlantis"), "no world 'atlantis'"),
        (("play", "minigrid", "--task", "Fly"), "no task 'Fly'"),
        (("play", "minigrid", "--variation", "99999"), "no variation 99999"),
        (("play", "minigrid", "--split", "exam"), "no split 'exam'"),
        (("list", "atlantis"), "no world 'atlantis'"),
        (("check", "scienceworld:hard"), "no simplification 'hard'"),
        (("check", "gymnasium:small"), "gymnasium takes no setting"),
        (("check", "minigrid:small"), "no setting 'small'"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(cli, words, told):
    done = cli("lab", "worlds", *words)
    assert (done.code, told in done.err) == (2, True), done.err


class Careless:
    """Does one thing wrong, which stands behind the colon."""

    name, version = "careless", "1"

    def __init__(self, wrong=""):
        self.wrong = wrong

    def tasks(self):
        return ("on\x1bly\n",) if self.wrong == "named" else ("only",)

    def variations(self, task, split):
        return {"train": (0,), "dev": (1, 1) if self.wrong == "twice" else (1,), "test": (2,)}[split]

    def start(self, task, variation):
        return CarelessTrial(self.wrong)

    def close(self):
        pass


class CarelessTrial:
    goal = "none"

    def __init__(self, wrong):
        from evolve_worlds import Scene

        self.wrong, self.made = wrong, 0
        self.scene = Scene(told="a room", steps=0)

    def moves(self):
        from evolve_worlds import Move

        more = {
            "fields": (Move(schema="take {x}"),),
            "lines": (Move(schema="take {}", objects=("a\nb",)),),
            "texts": ("take",),
            "things": (Move(schema="take {} {}", objects=("a",)),),
        }
        return (Move(schema="wait"), *more.get(self.wrong, ()))

    def do(self, move):
        from evolve_worlds import Scene

        if self.wrong == "leaves":
            sys.exit(0)
        if self.wrong == "prints":
            print("noise")
        if self.wrong == "nothing":
            return None
        if self.wrong == "stops":
            raise StopIteration
        scores = {"number": float("nan"), "word": "0.5", "much": 3.0, "huge": Fraction(10**400)}
        steps = {"far": 10**400}.get(self.wrong, 1)
        self.made += 1
        self.scene = Scene(
            told=f"{self.made}", score=scores.get(self.wrong, 0.0), lost=self.wrong == "lost", steps=steps
        )
        return self.scene


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("fields", "a move whose schema does not fit its objects"),
        ("things", "a move whose schema does not fit its objects"),
        ("lines", "a move that is no line of text"),
        ("texts", "offers str as a move"),
        ("nothing", "gives NoneType and no scene"),
        ("number", "a score of nan"),
        ("word", "a score that is str"),
        ("much", "a score of 3.0"),
        ("huge", "a score that is too large for a number"),
        ("far", "counts such steps"),
        ("lost", "lost and not over"),
    ],
)
def test_a_world_of_a_package_that_breaks_its_protocol_is_blamed_and_no_evidence(
    cli, monkeypatch, tmp_path, wrong, told
):
    offer(monkeypatch, tmp_path / "site", "worlds", "careless", Careless)
    checked = cli("lab", "worlds", "check", f"careless:{wrong}")
    assert checked.code == 1 and "WRONG: it " in checked.out and told in checked.out
    tried = cli("lab", "trials", f"careless:{wrong}", "--set", "moves=3", "-w", str(tmp_path / "mine"))
    assert tried.code == 3 and told in tried.err and "the package evolve-toy" in tried.err


def test_a_world_that_ends_the_program_or_prints_spoils_no_result(cli, monkeypatch, tmp_path):
    offer(monkeypatch, tmp_path / "site", "worlds", "careless", Careless)
    for wrong, told in (("leaves", "ended itself"), ("stops", "raised StopIteration")):
        left = cli("lab", "trials", f"careless:{wrong}", "--set", "moves=3", "--json", "-w", str(tmp_path / "mine"))
        assert left.code == 3 and told in json.loads(left.out)["error"]
    printed = cli("lab", "worlds", "check", "careless:prints", "--moves", "3", "--json")
    assert printed.code == 0 and json.loads(printed.out)["moves"] == 3


def test_a_check_goes_on_until_enough_moves_were_made(cli):
    told = json.loads(cli("lab", "worlds", "check", "gymnasium", "--moves", "40", "--json").out)
    assert (told["moves"], told["wrong"]) == (40, []) and 1 < told["trials"] <= 20


def test_a_variation_that_is_listed_twice_is_told_and_counted_once(cli, monkeypatch, tmp_path):
    offer(monkeypatch, tmp_path / "site", "worlds", "careless", Careless)
    checked = cli("lab", "worlds", "check", "careless:twice")
    assert checked.code == 1 and "WRONG: it lists a variation twice" in checked.out
    tried = cli(
        "lab", "trials", "careless:twice", "--trials", "2", "--set", "moves=3", "--json", "-w", str(tmp_path / "mine")
    )
    assert [one["number"] for one in json.loads(tried.out)["trials"]] == [0, 1]


def test_what_is_typed_after_the_end_is_answered(cli, typed):
    typed("go down", "look", "moves", "undo", "quit")
    done = cli("lab", "worlds", "play", "gymnasium", "--variation", "0")
    assert done.code == 0 and done.out.count("undo takes the last move back, quit ends it") == 3


def test_a_task_is_named_in_a_line(cli, monkeypatch, tmp_path):
    offer(monkeypatch, tmp_path / "site", "worlds", "careless", Careless)
    done = cli("lab", "trials", "careless:named", "-w", str(tmp_path / "mine"))
    assert done.code == 3 and "a task whose name is no line of text" in done.err


def test_a_world_that_cannot_be_made_hides_no_other(cli, monkeypatch, tmp_path):
    def fails():
        raise ValueError("no map")

    offer(monkeypatch, tmp_path / "site", "worlds", "broken", fails)
    found = {one["name"]: one["missing"] for one in json.loads(cli("lab", "worlds", "list", "--json").out)}
    assert found["broken"] == "failed (ValueError: no map)" and found["gymnasium"] == ""


def test_a_task_of_a_world_without_a_model_names_what_plays_it(cli, tmp_path):
    work = {"world": "gymnasium", "task": "FrozenLake-v1", "variation": 0}
    told = {"id": "lake", "instruction": "Reach the goal.", "worlds": work}
    (tmp_path / "lake.json").write_text(json.dumps(told), encoding="utf-8")
    result = cli("run", str(tmp_path / "lake.json"))
    assert result.code == 2 and "evolve lab trials gymnasium --task FrozenLake-v1 plays" in result.err
