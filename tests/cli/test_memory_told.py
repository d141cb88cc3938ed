"""``evolve memory`` says the same of an insight everywhere, and after every mistake what to do next."""

from __future__ import annotations

import json

import pytest

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
    listed, recalled = cli("memory", "list").out, cli("memory", "recall", "short", "--k", "20").out
    chains, drawn = cli("memory", "why", "solved").out, cli("memory", "graph").out
    assert cli("memory", "graph", "--out", "graph.svg").code == 0
    picture = (tmp_path / "graph.svg").read_text()
    for insight in insights:
        text, counts = insight["text"], insight["counts"]
        shown = cli("memory", "show", insight["id"]).out
        assert all(text in said for said in (listed, recalled, chains, shown)), text
        assert all(counts in said for said in (shown, drawn, picture))
    as_data = json.loads(cli("memory", "recall", "short", "--k", "20", "--json").out)
    assert {one["text"] for one in as_data} == {insight["text"] for insight in insights}


@pytest.mark.slow
def test_a_chain_of_causes_names_the_run_and_what_opens_it(cli, learned):
    chains = cli("memory", "why", "solved").out
    episode = json.loads(cli("runs", "show", "r1", "--json").out)[0]["episode"][:10]
    assert f"evolve runs replay {episode}" in chains and "for: r1 " in chains
    assert cli("runs", "replay", episode).code == 0
    unknown = cli("memory", "why", "solvd")
    assert unknown.code == 0 and "evolve memory why solved" in unknown.err


@pytest.mark.slow
def test_data_of_insights_holds_no_vectors(cli, learned):
    name = json.loads(cli("memory", "list", "--json").out)["insights"][0]["id"]
    for command in (("show", name), ("why", "solved"), ("recall", "short"), ("list",)):
        said = cli("memory", *command, "--json").out
        assert "features" not in said and len(said) < 20_000
    evidence = json.loads(cli("memory", "why", "solved", "--json").out)[0]["links"][0]["evidence"]
    assert evidence[0]["run"] == "r1"


@pytest.mark.slow
def test_a_picture_replaces_no_other_kind_of_file(cli, learned, tmp_path):
    assert "wrote graph.svg" in cli("memory", "graph", "--out", "graph.svg").err
    assert "wrote graph.svg, in place of the file" in cli("memory", "graph", "--out", "graph.svg").err
    assert "wrote graph.svg, in place of the file" in cli("workflow", "draw", "--out", "graph.svg").err
    for command in (("memory", "graph"), ("workflow", "draw")):
        refused = cli(*command, "--out", "names.csv")
        assert refused.code == 2 and "another kind of file" in refused.err
    assert (tmp_path / "names.csv").read_text() == ROWS


@pytest.mark.slow
def test_a_refused_test_leaves_no_run_open(cli, learned):
    refused = cli("memory", "test", "everyday")
    assert refused.code == 2 and "evolve improve everyday" in refused.err
    assert {run["state"] for run in json.loads(cli("runs", "list", "--json").out)} == {"done"}


def test_a_file_is_no_workspace(cli, tmp_path):
    (tmp_path / "plain").write_text("x")
    for command in (("doctor",), ("where",), ("config",), ("memory", "list"), ("memory", "note", "x")):
        done = cli(*command, "-w", "plain")
        assert done.code == 3 and "is a file, not a folder" in done.err, command
    assert (tmp_path / "plain").read_text() == "x"


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "-w", "none"),
        ("check", "-w", "none"),
        ("reindex", "-w", "none"),
        ("forget", "5", "-w", "none"),
        ("test", "lists", "-w", "none"),
        ("list", "--status", "foo"),
        ("show", "zz"),
        ("show", ""),
        ("recall", " "),
        ("note", " "),
        ("note", "x", "--role", "boss"),
        ("import", "nofile"),
        ("import", "bad.json"),
        ("import", "foreign.jsonl"),
        ("import", "picture.png"),
        ("import", "."),
        ("export", "bad.json"),
        ("forget",),
        ("forget", "zz"),
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
    done = cli("memory", *arguments, "--json")
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
        assert done.code == 2 and "no date such as 2026-03-31" in done.err
