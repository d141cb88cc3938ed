"""``evolve memory`` says the same of an insight everywhere, and after every mistake what to do next."""

from __future__ import annotations

import json

import pytest

from tests.cli.screens import check_screen

ROWS = "name,short\n" + "".join(
    f"{first} {last},{first[0]}. {last.upper()}\n"
    for first, last in (
        name.split() for name in ["Ann Lee", "Bob Ray", "Cy Dow", "Dee Fox", "Eve Kay", "Flo Jon", "Gus Hill"]
    )
)


@pytest.fixture
def learned(cli, tmp_path):
    (tmp_path / "names.csv").write_text(ROWS)
    assert cli("run", "--examples", "names.csv").code == 0


@pytest.mark.slow
def test_an_insight_has_one_wording(cli, learned, tmp_path):
    insights = json.loads(cli("memory", "list", "--json").out)["insights"]
    assert insights
    listed, recalled = cli("memory", "list", "--all").out, cli("memory", "recall", "short", "--k", "20").out
    chains, drawn = cli("why", "solved").out, cli("memory", "graph").out
    assert cli("memory", "graph", "--out", "graph.svg").code == 0
    picture = (tmp_path / "graph.svg").read_text()
    for insight in insights:
        text, counts = insight["text"], insight["counts"]
        shown = cli("why", insight["id"]).out
        assert all(text in said for said in (listed, recalled, chains, shown)), text
        assert all(counts in said for said in (shown, drawn, picture))
    as_data = json.loads(cli("memory", "recall", "short", "--k", "20", "--json").out)
    assert {one["text"] for one in as_data} == {insight["text"] for insight in insights}


@pytest.mark.slow
def test_what_the_person_said_is_listed_first_and_steps_of_the_search_only_where_asked_for(cli, learned):
    assert cli("memory", "preferences", "add", "short answers").code == 0
    assert cli("memory", "note", "dates are day first", "--at", "2026-03-31", "--by", "ann").code == 0
    check_screen("memory-list", cli("memory", "list"), cli("memory", "list", "--all"))


@pytest.mark.slow
def test_a_chain_of_causes_names_the_run_and_what_opens_it(cli, learned):
    chains = cli("why", "solved").out
    episode = json.loads(cli("runs", "show", "r1", "--json").out)[0]["episode"][:10]
    assert f"evolve why {episode} --steps" in chains and "for: r1 " in chains
    assert cli("why", episode, "--steps").code == 0
    unknown = cli("why", "solvd")
    assert unknown.code == 2 and "evolve why solved" in unknown.err


@pytest.mark.slow
def test_data_of_insights_holds_no_vectors(cli, learned):
    name = json.loads(cli("memory", "list", "--json").out)["insights"][0]["id"]
    for command in (("why", name), ("why", "solved"), ("memory", "recall", "short"), ("memory", "list")):
        said = cli(*command, "--json").out
        assert "features" not in said and len(said) < 20_000
    evidence = json.loads(cli("why", "solved", "--json").out)["chains"][0]["links"][0]["evidence"]
    assert evidence[0]["run"] == "r1"


@pytest.mark.slow
def test_a_picture_replaces_no_other_kind_of_file(cli, learned, tmp_path):
    assert "wrote graph.svg" in cli("memory", "graph", "--out", "graph.svg").err
    assert "in place of" in cli("memory", "graph", "--out", "graph.svg").err
    assert "in place of" in cli("lab", "workflow", "draw", "--out", "graph.svg").err
    for command in (("memory", "graph"), ("lab", "workflow", "draw")):
        refused = cli(*command, "--out", "names.csv")
        assert refused.code == 2 and "names.csv" in refused.err
    assert (tmp_path / "names.csv").read_text() == ROWS


@pytest.mark.slow
def test_a_refused_test_leaves_no_run_open(cli, learned):
    refused = cli("lab", "memory", "test", "everyday")
    assert refused.code == 2 and "evolve improve everyday" in refused.err
    assert {run["state"] for run in json.loads(cli("runs", "list", "--json").out)} == {"done"}


def test_a_file_is_no_workspace(cli, tmp_path):
    (tmp_path / "plain").write_text("x")
    for command in (("status",), ("status", "--settings"), ("memory", "list"), ("memory", "note", "x")):
        done = cli(*command, "-w", "plain")
        assert done.code == 3 and "plain" in done.err, command
    assert (tmp_path / "plain").read_text() == "x"


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "-w", "none"),
        ("check", "-w", "none"),
        ("reindex", "-w", "none"),
        ("test", "lists", "-w", "none"),
        ("list", "--status", "foo"),
        ("recall", " "),
        ("note", " "),
        ("note", "x", "--role", "boss"),
        ("import", "nofile"),
        ("import", "bad.json"),
        ("import", "foreign.jsonl"),
        ("import", "picture.png"),
        ("import", "."),
        ("export", "bad.json"),
        ("test", "nosuch"),
        ("test", "bad.json"),
        ("test", "everyday", "--budget", "foo"),
        ("graph", "--out", "bad.json"),
        ("graph", "--out", ""),
        ("graph", "--out", "."),
        ("graph", "--out", "/proc/x/y.svg"),
    ],
)
def test_every_mistake_is_answered_by_what_to_do(cli, made, tmp_path, arguments):
    (tmp_path / "bad.json").write_text('{"a":')
    (tmp_path / "foreign.jsonl").write_text('{"x": 1}\n')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\xff\x00")
    where = ("lab", "memory") if arguments[0] in ("check", "reindex", "test") else ("memory",)
    done = cli(*where, *arguments, "--json")
    assert done.code in (2, 3) and "\n  try: " in done.err, done.err
    assert json.loads(done.out)["hint"]
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("encoder", ["miniLM", "minilm:folder", "minilm:/nowhere", "minilm:HERE", "st", "minilm"])
def test_a_wrong_encoder_is_answered_by_what_to_do(cli, made, tmp_path, encoder):
    (tmp_path / "config.json").write_text("{}")
    assert cli("memory", "note", "the port is 9000").code == 0
    settings = tmp_path / "ws" / "evolve.toml"
    settings.write_text(f'encoder = "{encoder.replace("HERE", str(tmp_path))}"\n')
    done = cli("memory", "recall", "port")
    assert done.code == 0 or (done.code == 3 and "\n  try: " in done.err), done.err


def test_a_number_is_no_date(cli, made):
    for command in (("note", "x", "--at", "2050"), ("recall", "x", "--as-of", "2050")):
        done = cli("memory", *command)
        assert done.code == 2 and "2026-03-31" in done.err


def test_every_note_is_shown_with_its_day_and_the_older_of_two_is_marked(cli):
    for day, text in (("2026-02-03", "our broker is rabbit"), ("2026-06-07", "our broker is kafka")):
        assert cli("memory", "note", text, "--at", day).code == 0
    older, newer = json.loads(cli("memory", "list", "--json").out)["notes"]
    assert (older["date"], older["newer"], newer["newer"]) == ("2026-02-03", newer["id"], None)
    found = json.loads(cli("memory", "recall", "our broker", "--json").out)
    assert [(one["date"], one["status"]) for one in found] == [("2026-06-07", ""), ("2026-02-03", "older")]
    for shown in (cli("memory", "list").out, cli("memory", "recall", "our broker").out):
        assert "2026-02-03" in shown and "2026-06-07" in shown


def test_a_preference_for_a_folder_is_recalled_where_the_folder_is_named(cli, tmp_path):
    (tmp_path / "there").mkdir()
    assert cli("memory", "preferences", "add", "run the tests with tox", "--dir", "there").code == 0
    for folder, found in (("there", ["preference"]), (".", [])):
        recalled = json.loads(cli("memory", "recall", "run the tests", "--dir", folder, "--json").out)
        assert [one["kind"] for one in recalled] == found
    assert "run the tests with tox" in cli("memory", "recall", "run the tests", "--dir", "there").out
