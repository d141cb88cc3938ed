"""``evolve chat`` with lines from a pipe: what a conversation does, turn by turn."""

from __future__ import annotations

import json
import stat

import pytest

from tests.cli.screens import check_screen


@pytest.mark.slow
def test_the_last_function_is_tried_by_command_and_by_a_bare_line(chat):
    names = ("ada lovelace", "alan turing", "grace hopper", "tony hoare", "john backus", "kay mcnulty", "rob pike")
    rows = [f"{name} -> {name.upper()}" for name in names]
    done = chat("/try donald knuth", *rows, "", "/try donald knuth", "niklaus wirth", "/try")
    assert "there is no function" in done.out + done.err
    assert "DONALD KNUTH" in done.out and "NIKLAUS WIRTH" in done.out
    assert "nothing to try" in done.out + done.err


@pytest.mark.slow
def test_several_arguments_are_cells_or_a_list(chat):
    rows = [f'"{a}", {n} -> "{a}-{n}"' for a, n in [("x", 1), ("yy", 2), ("z", 30), ("ab", 4), ("c", 5), ("dd", 6)]]
    done = chat(*rows, "", "/try q, 7", '/try ["r", 8]', "/try alone")
    assert "q-7" in done.out.replace("q- 7", "q-7") and "r-8" in done.out
    assert "takes" in done.out + done.err


@pytest.mark.slow
def test_what_is_not_of_the_parameters_kind_is_refused(chat):
    done = chat("5 -> 10", "6 -> 12", "9 -> 18", "", "hello", "/try hello", "/try 8")
    told = done.out + done.err
    assert "hellohello" not in told and told.count("takes a number") == 2
    assert "16" in done.out


@pytest.mark.slow
def test_rows_are_solved_without_a_model_and_end_where_something_else_begins(chat):
    done = chat("1 -> 2", "2 -> 3", "5 -> 6", "/plan", "[1] -> 1", "[1, 2] -> 2", "[4, 5, 6] -> 3", "")
    assert done.code == 0, done.err
    check_screen("chat-rows", done)


def test_without_a_model_words_get_three_lines_and_the_session_goes_on(chat):
    done = chat("what is the weather", "/help")
    assert done.out.count("hint: ") == 3 and "/undo: [RUN]" in done.out
    assert chat("what is the weather").code == 2


@pytest.mark.slow
def test_the_task_that_is_named_as_an_example_exists(cli):
    from evolve.cli.chat.session import WITHOUT_MODEL

    name = next(word.rstrip(",") for word in WITHOUT_MODEL[1].split() if word.startswith("everyday#"))
    assert cli("lab", "tasks", "show", name).code == 0


def test_a_later_turn_knows_the_earlier_ones(work, project):
    done = work("replace red by green in left.txt", "/approve", "do the same for right.txt", "/approve")
    assert done.code == 0, done.out
    assert (project / "left.txt").read_text() == "green green\n"
    assert (project / "right.txt").read_text() == "green blue\n"
    assert work("do the same for right.txt").code == 1  # another conversation, which knows of nothing


def test_nothing_is_changed_unapproved_and_what_is_refused_is_dropped(work, project):
    first = work("replace red by green in left.txt")
    assert first.code == 6 and "+green green" in first.out
    assert (project / "left.txt").read_text() == "red red\n"
    done = work("/diff", "/refuse not this word", "/approve", options=("--resume", "c1"))
    assert "+green green" in done.out
    assert "you said: not this word" in done.out
    assert "approve: ask" in done.out
    assert (project / "left.txt").read_text() == "red red\n"


@pytest.mark.slow
def test_auto_applies_and_undo_takes_back(work, project):
    done = work("replace red by green in left.txt", "/undo", options=("--set", "approve=auto"))
    assert done.code == 0 and "applied: left.txt" in done.out and "undone: left.txt" in done.out
    assert (project / "left.txt").read_text() == "red red\n"
    never = work("/approve never", "replace red by green in left.txt")
    assert never.code == 6 and (project / "left.txt").read_text() == "red red\n"


def test_a_task_in_words_gives_a_value_and_is_called_unverified(chat, endpoint):
    done = chat("add 17 and 25", options=("--model", endpoint.model))
    assert done.code == 0 and "value: 42" in done.out and "unchecked: " in done.out


def test_what_a_turn_says_stays_on_the_line(chat, endpoint):
    endpoint.add({"text": "```answer\n\x1b[2Jgone\x07\n```"})
    done = chat("add 1 and 2", options=("--model", endpoint.model))
    assert "\\x1b[2Jgone\\x07" in done.out and "\x1b" not in done.out


def test_the_budget_is_one_for_the_whole_session(chat, endpoint):
    options = ("--model", endpoint.model, "--budget", "100k-tokens")
    done = chat("add 1 and 2", "/budget", "/budget 1-tokens", "add 3 and 4", options=options)
    assert done.code == 5
    assert "tokens left" in done.out and "error: the budget" in done.out
    assert "value: 7" not in done.out


def test_a_conversation_is_the_persons_own_and_can_be_saved(chat, endpoint, tmp_path):
    assert chat("add 1 and 2", "/save talk.md", options=("--model", endpoint.model)).code == 0
    text = (tmp_path / "talk.md").read_text()
    assert "> add 1 and 2" in text and "return 1 + 2" in text
    kept = tmp_path / "ws" / "memory_store" / "runs" / "chats" / "c1.jsonl"
    for file in (kept, tmp_path / "talk.md"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = chat("/save talk.md", options=("--resume", "r1"))
    assert again.code == 2 and "is there already" in again.out


@pytest.mark.slow
def test_names_that_are_none_end_no_session(chat, tmp_path):
    far = "a" * 300
    typed = (f"/diff {far}", f"/undo {far}", "/save ~nobody-of-that-name/talk.md", f"/save {far}", "/save it's.md")
    done = chat(*typed, "1 -> 2", "2 -> 3", "4 -> 5", "")
    assert done.code == 0 and "return n + 1" in done.out, done.err
    assert done.out.count("there is no run") == 2 and "no such user" in done.out
    assert "changed no folder" in chat("/undo r1", "/diff r1").out  # there is that one
    assert (tmp_path / "it's.md").is_file()


@pytest.mark.slow
def test_what_was_changed_in_another_folder_is_not_taken_back_unasked(chat, work, endpoint, project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    done = work("replace red by green in left.txt", options=("--set", "approve=auto"))
    assert "applied: left.txt" in done.out
    done = chat("/undo", options=("--dir", other, "--check", "true", "--model", endpoint.model))
    assert done.code == 2 and "nothing is applied" in done.out and "/undo r1" in done.out
    assert (project / "left.txt").read_text() == "green green\n"
    assert "undone" in work("/undo").out
    assert (project / "left.txt").read_text() == "red red\n"


@pytest.mark.slow
def test_leave_given_beforehand_does_not_go_along_to_another_folder(chat, work, endpoint, project, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "left.txt").write_text("red\n")
    assert work("replace red by green in left.txt").code == 6
    options = ("--dir", other, "--check", "true", "--model", endpoint.model, "--set", "approve=auto")
    done = chat("replace red by green in left.txt", "/resume c1", "replace red by green in right.txt", options=options)
    assert (other / "left.txt").read_text() == "green\n"
    assert (project / "right.txt").read_text() == "red blue\n" and "approve: ask" in done.out
    (resumed,) = (line for line in done.out.splitlines() if line.startswith("resumed: c1"))
    assert "evolve chat --new" in resumed


@pytest.mark.slow
def test_a_torn_conversation_goes_on(chat, tmp_path):
    assert chat("1 -> 2", "2 -> 3", "4 -> 5").code == 0
    kept = tmp_path / "ws" / "memory_store" / "runs" / "chats" / "c1.jsonl"
    kept.write_bytes(kept.read_bytes()[:-20])
    done = chat("/again", options=("--resume", "c1"))
    assert done.code == 0 and "again: 1 -> 2" in done.out
    statuses = [json.loads(line).get("status") for line in kept.read_bytes().splitlines() if line.endswith(b"}")]
    assert statuses[-1] == "solved"


def test_wrong_commands_and_options_are_told(chat, project):
    done = chat("/aprove", "/approve sometimes", "/diff r9", "/model not a model")
    assert "/approve?" in done.out and "'sometimes'" in done.out
    assert done.code == 2
    assert "--dir" in chat(options=("--check", "true")).err
    assert chat(options=("--set", "approve=sometimes")).code == 2
    assert chat(options=("--resume", "c99")).code == 2


def test_a_bound_in_mid_session_says_what_it_counts_and_how_it_is_typed_there(chat):
    done = chat("/budget 3-calls", "/budget 3 calls")
    assert "3 calls left" in done.out
    refused = (done.out + done.err).partition("beginning of the session")[2]
    assert "/budget 3-calls $2" in refused and "--budget" not in refused and "option" not in refused
