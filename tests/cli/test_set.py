"""``--set KEY=VALUE``: settings and details of one command, and how many options that leaves a page."""

from __future__ import annotations

import json

import pytest
import typer

import evolve
from evolve.cli.program import build_app
from evolve.core.errors import UsageError

MOST = 10
EVERYWHERE = {"--workspace", "--json", "--help", "--model", "--budget"}
ROWS = "name,short\nAda Lovelace,A. LOVELACE\nAlan Turing,A. TURING\nGrace Hopper,G. HOPPER\n"


def pages(found=None, path=("evolve",)):
    """Every command and group with the words that call it."""
    found = found or typer.main.get_command(build_app())
    yield path, found
    for name, inner in getattr(found, "commands", {}).items():
        yield from pages(inner, (*path, name))


def test_a_page_has_at_most_ten_options_beside_those_of_all_pages():
    for path, page in pages():
        own = [option.opts[-1] for option in page.params if option.param_type_name == "option"]
        assert len({*own} - EVERYWHERE) <= MOST, (path, own)


@pytest.fixture
def rows(tmp_path):
    (tmp_path / "names.csv").write_text(ROWS)
    return tmp_path / "names.csv"


def test_a_setting_holds_for_one_command_only(cli, rows):
    line = ("run", "--examples", rows, "--json")
    off = json.loads(cli(*line, "--set", "learn=off").out)
    assert off["learned"] == []
    again = json.loads(cli(*line, "--set", "candidates=10").out)
    assert again["status"] == "budget"
    assert json.loads(cli(*line).out)["status"] == "solved"


def test_the_last_of_two_values_holds(cli, rows):
    done = cli("run", "--examples", rows, "--set", "candidates=10", "--set", "candidates=50000")
    assert done.code == 0, done.err


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("lerning=off", "learn"),
        ("learn", "learn"),
        ("model=gpt", "--model"),
        ("learn=never", "learn"),
        ("seed=many", "seed"),
        ("candidates=0", "candidates"),
        ("sandbox=paper", "landlock"),
        ("approve=perhaps", "ask, auto, never"),
        ("header=maybe", "yes, no"),
        ("day_limit=much", "day_limit"),
        ("moves=3", "keys are"),
    ],
)
def test_an_unknown_key_or_value_is_named_and_makes_nothing(cli, tmp_path, rows, typed, named):
    done = cli("run", "--examples", rows, "--set", typed)
    assert done.code == 2 and named in done.err, done.err
    assert not (tmp_path / "ws").exists()


def test_a_table_without_a_header(cli, tmp_path):
    (tmp_path / "doubles.csv").write_text("1,2\n2,4\n3,6\n5,10\n")
    done = cli("run", "--examples", "doubles.csv", "--set", "header=no", "--json")
    assert done.code == 0 and json.loads(done.out)["status"] == "solved"


@pytest.mark.parametrize("line", ['approve = "auto"', 'sandbox = "none"', 'protect = "x"', 'python = "/usr"'])
def test_a_file_cannot_say_what_only_a_person_at_the_keyboard_decides(cli, tmp_path, rows, line):
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "evolve.toml").write_text(line)
    done = cli("run", "--examples", rows)
    assert done.code == 3 and line.split()[0] in done.err


def test_no_variable_says_it_either(cli, rows, monkeypatch):
    monkeypatch.setenv("EVOLVE_SANDBOX", "none")
    assert cli("run", "--examples", rows).code == 2


def test_no_sandbox_needs_a_second_word(cli, rows, monkeypatch):
    refused = cli("run", "--examples", rows, "--set", "sandbox=none")
    assert refused.code == 2 and "EVOLVE_UNSAFE" in refused.err
    monkeypatch.setenv("EVOLVE_UNSAFE", "I_UNDERSTAND")
    done = cli("run", "--examples", rows, "--set", "sandbox=none")
    assert done.code == 0 and "unsandboxed" in done.out


def test_a_limit_holds_beside_the_one_of_the_workspace(tmp_path):
    evolve.init(tmp_path / "ws")
    (tmp_path / "ws" / "evolve.toml").write_text('day_limit = "$1"\n')
    with evolve.open(tmp_path / "ws", settings={"day_limit": "$100"}) as opened:
        assert opened.settings.day_limit == "$1 $100"
    with pytest.raises(UsageError, match="no setting"):
        evolve.open(tmp_path / "ws", settings={"approve": "auto"})


def test_a_conversation_goes_on_with_what_was_set(tmp_path):
    from evolve.cli.chat.setup import ChatSetup, open_workspace

    with open_workspace(ChatSetup(workspace=str(tmp_path / "ws"), settings={"seed": "7"})) as opened:
        assert opened.settings.seed == 7
