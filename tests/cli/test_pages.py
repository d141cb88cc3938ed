"""Help pages: a sentence, examples that work, words for what is typed, and no line wider than the terminal."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest
import typer

import evolve
from docs import pages
from evolve.cli.program import build_app
from evolve.cli.tree import FRONT
from evolve.core.settings import VARIABLES
from tests.cli.conftest import ROOT

TREE = typer.main.get_command(build_app())


def commands(found=TREE, path=("evolve",)) -> Iterator[tuple[str, ...]]:
    """The words that call each command."""
    yield path
    for name, inner in getattr(found, "commands", {}).items():
        yield from commands(inner, (*path, name))


def examples(page: str) -> list[str]:
    """The command lines of a page, those that go on in a further line put together."""
    _, _, below = re.sub(r" \\\n +", " ", page).partition("Example")
    lines = below.split("\n\n")[0].splitlines()[1:]
    return [line.strip() for line in lines]


@pytest.fixture(params=[" ".join(path) for path in commands()])
def path(request):
    return request.param.split()[1:]


@pytest.fixture(scope="module")
def shown():
    """Pages by their command and the width of the terminal; most tests look at the same ones."""
    return {}


@pytest.fixture
def page_of(cli, path, shown, monkeypatch):
    """The page of a command in a terminal of some width."""

    def page(columns=80):
        if (key := (*path, columns)) not in shown:
            monkeypatch.setenv("COLUMNS", str(columns))
            done = cli(*path, "--help")
            assert done.code == 0
            shown[key] = done.out
        return shown[key]

    return page


def test_a_page_has_a_sentence_and_examples_and_words(page_of):
    page = page_of()
    usage, sentence, *_ = page.split("\n\n")
    assert usage.startswith("Usage: evolve") and re.match(r"  [A-Z]", sentence) and "." in sentence
    assert 2 <= len(examples(page)) <= 3, page
    assert "env var" not in page and "int range" not in page
    without_places = re.sub(r"\{[A-Za-z]+\}", "", page)  # of values in a command line
    assert not re.search(r"<(list|str|int|float)", page) and not re.search(r"[{}]|0<=", without_places)


@pytest.mark.parametrize("name", TREE.commands)
def test_a_command_whose_name_comes_first_is_the_same_when_others_are_not_made(capsys, name):
    alone = typer.main.get_command(build_app(name))
    assert len(alone.commands) < 5
    for tree in (alone, TREE):
        print("Usage:", *(path for path in commands(tree) if path[1:2] == (name,)))
        tree.main([name, "--help"], prog_name="evolve", standalone_mode=False)
    _, names, page, same_names, same_page = capsys.readouterr().out.split("Usage:")
    assert (names, page) == (same_names, same_page)


def test_a_page_is_as_wide_as_the_terminal(page_of):
    words = {word for word in page_of(1000).split() if word != "\\"}
    for width in (60, 80, 100):
        page = page_of(width)
        assert max(map(len, page.splitlines())) <= width
        assert "..." not in re.sub(r"[A-Z]\]?\.\.\.", "", page)
        assert {word for word in page.split() if word != "\\"} == words, width


def test_every_example_is_a_command_line_that_is_understood(page_of, path):
    """It is read by the command that it calls, with all it needs and no option that is not there."""
    for line in examples(page_of()):
        program, *words = shlex.split(line.partition(" < ")[0])
        assert program == "evolve" and words[: len(path)] == path, line
        command, context = TREE, TREE.make_context("evolve", list(words))
        while words and words[0] in getattr(command, "commands", {}):
            command, name = command.commands[words[0]], words.pop(0)
            context = command.make_context(name, list(words), parent=context)
        assert not getattr(command, "commands", None) or command.invoke_without_command, line


def listed(page: str) -> list[str]:
    return re.findall(r"^  ([a-z]+)  +[A-Z]", page, re.MULTILINE)


def test_every_command_is_on_one_of_two_pages_and_the_first_leads_to_the_second(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    page, second = cli("--help").out, cli("help", "all").out
    assert listed(page) == [name for names in FRONT.values() for name in names if name in TREE.commands]
    assert sorted([*listed(page), *listed(second), "help"]) == sorted(TREE.commands)
    told = " ".join(page.split())
    assert "evolve help all" in told and "EVOLVE_WORKSPACE" in told and "evolve status --settings" in told
    assert cli("help").out == page


@pytest.mark.parametrize("path", [path[1:] for path in [*commands()][::8]], ids=" ".join)
def test_help_shows_the_page_of_any_command(cli, path):
    assert cli("help", *path).out.strip() == cli(*path, "--help").out.strip()


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (("gate", "list"), "evolve lab gate"),
        (("memory", "variants"), "evolve lab variants"),
        (("runs", "apply", "r1"), "evolve apply"),
        (("lab", "fill", "names.csv"), "evolve fill"),
    ],
)
def test_a_word_that_is_a_command_elsewhere_is_answered_by_where_it_is(cli, typed, found):
    done = cli(*typed)
    assert done.code == 2 and f"Did you mean {found}?" in done.err
    assert "Did you mean evolve" not in cli("nonsense").err


def test_every_variable_is_told_once_in_one_place(cli):
    shown = cli("status", "--settings").out
    assert all(shown.count(name) >= 1 for name in VARIABLES)


def test_the_version_is_told_with_what_runs_it(cli):
    done = cli("--version")
    assert done.code == 0
    assert re.fullmatch(rf"evolve {re.escape(evolve.__version__)} \(Python 3\.\d+\.\d+, \w+\)\n", done.out)


def test_a_wrong_variable_is_still_named(cli, monkeypatch):
    monkeypatch.setenv("EVOLVE_SEED", "many")
    done = cli("lab", "tasks", "generate", "lists", "--n", "1")
    assert done.code == 2 and "EVOLVE_SEED" in done.err


def test_the_docs_show_a_picture_of_every_page_that_is_taken_at_every_width():
    shown = (ROOT / "docs" / "screens.md").read_text()
    for name in pages.PAGES:
        for picture in (f"{name}-{width}{theme}.svg" for width in pages.WIDTHS for theme in ("", "-dark")):
            assert f"images/{picture}" in shown
            assert (ROOT / "docs" / "images" / picture).is_file()
