"""What the blocks of an action do in a folder, what is said of them, and when a folder is ready to be judged."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import replace

import pytest

from evolve.core.episodes import Action, Step, Subgoal
from evolve.core.episodes.blocks import FencedBlock
from evolve.environments import EnvironmentOptions, open_environment
from evolve.environments.files import FilesEnvironment
from evolve.environments.files.editing import BlockRunner
from evolve.environments.files.folder_session import FolderSession
from evolve.tasks import load_suite, task_json
from evolve.tasks.reading.folder import folder_task
from tests.environments.conftest import CHECK

ANEW = "the interpreter was started anew: variables and temporary files are gone, the folder is as it was"
PASSING = "python3 -c 'from total import total'"
MEND = """```edit total.py
<<<<<<< SEARCH
    return xs[0]
=======
    return sum(xs)
>>>>>>> REPLACE
```"""


class Work:
    """An episode's steps in one environment."""

    def __init__(self, environment):
        self.environment, self.steps = environment, []

    def act(self, code="", kind="code", text=""):
        action = Action(kind=kind, code=code, text=text)
        observed = self.environment.observe(action, self.steps)
        self.steps.append(Step(number=len(self.steps) + 1, action=action, observation=observed))
        return observed

    def says(self, code):
        return self.act(code).state.output

    def judged(self):
        return self.environment.judge(self.steps)


@pytest.fixture
def opened(sandbox, make_work, tmp_path):
    environments = []

    def open_one(task=None, **more):
        setting = EnvironmentOptions(
            sandbox=sandbox, folder=tmp_path / "episode", branches=more.pop("branches", 1), own=more.pop("own", False)
        )
        environments.append(open_environment(task or make_work(**more), setting))
        return Work(environments[-1])

    yield open_one
    for environment in environments:
        environment.close()


def python(code):
    return f"```python\n{code}\n```"


def sh(command):
    return f"```sh\n{command}\n```"


def edit(path, *pairs):
    body = "".join(f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n" for old, new in pairs)
    return f"```edit {path}\n{body}```"


def file(path, text):
    return f"````file {path}\n{text}\n````"


@pytest.mark.slow
def test_blocks_run_in_order_and_each_says_what_it_gave(opened):
    work = opened()
    seen = work.act(
        "\n".join(["look, then mend", python("n = 4\nprint('said')\nn * 2"), sh("echo out; echo err >&2"), MEND])
    )
    assert seen.state.output.split("\n") == [
        *("[1] python", "said", "value: 8", "[2] sh: exit 0", "out", "err"),
        "[3] edit total.py: 1 place changed (line 2)",
    ]
    assert (seen.ok, seen.state.changed, seen.state.check, seen.state.value) == (True, ("total.py",), "fine\n", 8)
    assert work.judged().accepted


def test_variables_and_files_are_kept_from_action_to_action(opened):
    work = opened()
    work.act(python("import re\nn = 20"))
    assert "value: 42" in work.says(python("open('new.txt', 'w').write('x')\nn + 22"))
    assert "new.txt" in work.says(sh("ls"))
    assert "value: 'x'" not in work.says(python("n")) and "value: 20" in work.says(python("n"))


def test_temporary_files_are_kept_from_action_to_action_and_are_no_change(opened):
    work = opened()
    written = python("import tempfile\nfile = tempfile.NamedTemporaryFile('w')\nprint(7, file=file, flush=True)")
    seen = work.act(f"{written}\n{sh('echo 8 > $TMPDIR/aside; echo 9 > ~/.cached')}")
    assert (seen.error, seen.state.changed) == ("", ())
    seen = work.act(f"{sh('cat $TMPDIR/aside ~/.cached; ls -A')}\n{python('open(file.name).read()')}")
    assert (seen.error, seen.state.changed, seen.state.value) == ("", (), "7\n")
    assert "8\n9\n" in seen.state.output and "aside" not in seen.state.output


def test_programs_that_are_known_by_another_name_are_there(opened):
    """Such as ``awk``, whose name leads to one of several programs over a link in the machine's settings."""
    here = shutil.which("awk") is not None
    assert opened().says(sh("awk 'BEGIN { print 6 * 7 }'")).endswith("42" if here else "not found")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("block", "error"),
    [
        (python("1 / 0"), "ZeroDivisionError: division by zero (line 1)"),
        (sh("exit 3"), "sh: exit 3"),
        (edit("total.py", ("no such line", "x")), "edit total.py: refused: the SEARCH text does not stand there"),
    ],
)
def test_after_a_block_that_fails_the_rest_is_not_run(opened, block, error):
    seen = opened().act("\n".join([file("one.txt", "1"), block, file("two.txt", "2"), python("3")]))
    assert seen.error.startswith(error) and not seen.ok
    assert seen.state.changed == ("one.txt",)
    assert "[3] file two.txt: not run, because block 2 failed\n[4] python: not run" in seen.state.output


@pytest.mark.slow
def test_after_a_time_no_further_block_of_a_reply_is_begun_and_that_is_said(sandbox):
    """The first second of a block does not count, so that a busy machine ends no reply of short ones."""

    def ran(*sources, seconds):
        runner = BlockRunner(
            {"a.txt": b"x"}, None, lambda tree: FolderSession(sandbox, tree), lambda name: False, seconds
        )
        blocks = [FencedBlock(kind="python", text=text) for text in sources] + [
            FencedBlock(kind="file", path="b.txt", text="y")
        ]
        try:
            return runner.run(blocks)
        finally:
            runner.session.close()

    slow = "import time; time.sleep(1.6)"
    late = ran(slow, slow, "print('third')", seconds=1.0)
    told = "not run, because the blocks of one reply may run for 1 s together"
    assert list(late.parts[2:]) == [f"[3] python: {told}", f"[4] file b.txt: {told}"]
    assert late.error in told and "b.txt" not in late.tree and not late.lost
    assert not ran("1", "2", "3", "4", seconds=60.0).error


@pytest.mark.slow
def test_done_is_not_taken_from_a_reply_whose_time_was_over(opened, monkeypatch):
    from evolve.environments.files import environment

    monkeypatch.setattr(environment, "REPLY_S", 0.2)
    work = opened(check="")
    ended = work.act(f"```python\nimport time; time.sleep(1.4)\n```\n{MEND}", kind="finish")
    assert not ended.ok and "may run for 0.2 s together" in ended.state.output
    assert work.act(MEND, kind="finish").ok


@pytest.mark.slow
def test_the_limit_that_a_check_reached_is_noted_and_what_it_prints_of_one_is_not(opened):
    work = opened(check="sleep 30", seconds=1.0)
    assert work.act(file("notes.txt", "x")).state.limit == "wall"
    first, _ = work.act(kind="finish"), work.act(kind="finish")
    assert (first.state.limit, first.limit, work.judged().limit) == ("wall", "", "wall")
    said = opened(check="echo it reached its wall limit; false")
    assert said.act(file("notes.txt", "x")).state.limit == ""
    said.act(kind="finish")
    said.act(kind="finish")
    judged = said.judged()
    assert "reached its wall limit" in judged.text and judged.limit == ""


def test_code_without_fences_is_python(opened):
    assert opened().says("print('as ever')") == "[1] python\nas ever"


def test_a_value_that_is_no_json_is_shown_as_python_shows_it(opened):
    work = opened()
    seen = work.act(python("import pathlib\npathlib.PurePosixPath('a')"))
    assert "value: PurePosixPath('a')" in seen.state.output and not seen.error


def test_files_of_the_folder_are_imported_as_they_are_now(opened):
    work = opened()
    assert "value: 1" in work.says(python("from total import total\ntotal([1, 2])"))
    assert "value: 3" in work.says(f"{MEND}\n{python('from total import total')}\n{python('total([1, 2])')}")


def test_shell_output_of_both_streams_comes_in_order_and_a_process_left_behind_does_not_hold_it(opened):
    work = opened()
    seen = work.act(sh("echo 1; echo 2 >&2; echo 3; sleep 50 & exit 4"))
    assert seen.state.output == "[1] sh: exit 4\n1\n2\n3"


def test_what_code_writes_is_seen_by_an_edit_and_the_other_way_round(opened):
    work = opened()
    write = python("open('notes.txt', 'w').write('one\\ntwo\\n')")
    seen = work.act("\n".join([write, edit("notes.txt", ("two", "three")), sh("cat notes.txt")]))
    assert seen.state.output.endswith("[3] sh: exit 0\none\nthree")
    assert work.says(sh("cat notes.txt")).endswith("one\nthree")


def test_a_long_output_is_shown_by_both_ends_and_kept_whole(opened):
    work = opened()
    seen = work.act("\n".join([sh("echo first"), sh("seq 1 20000"), python("print('last')")]))
    assert len(seen.state.output) <= 20_000
    assert "[1] sh: exit 0\nfirst\n[2] sh: exit 0\n1\n2\n" in seen.state.output
    assert "characters left out" in seen.state.output and "20000\n[3] python\nlast" in seen.state.output
    assert work.environment.full_output(work.steps[-1]) == "\n".join(
        ["[1] sh: exit 0", "first", "[2] sh: exit 0", *map(str, range(1, 20001)), "[3] python", "last"]
    )
    assert work.says(sh("seq 1 3000")).count("\n") == 3000  # what fits is shown whole


def test_what_is_kept_whole_has_no_secret(sandbox, make_work):
    task = make_work()
    setting = EnvironmentOptions(sandbox=sandbox, clean=lambda text: text.replace("opensesame", "[secret]"))
    with closing(open_environment(task, setting)) as environment:
        work = Work(environment)
        seen = work.act(python("print('opensesame' * 9000)"))
        assert "opensesame" not in environment.full_output(work.steps[-1]) + seen.state.output


@pytest.mark.slow
def test_an_interpreter_that_ended_is_started_anew_with_the_files_as_they_were(opened):
    work = opened()
    work.act(python("n = 1\nopen('kept.txt', 'w').write('x')"))
    seen = work.act(python("import os\nopen('late.txt', 'w').write('x')\nos._exit(3)"))
    assert "the code ended its own process; the interpreter has ended" in seen.state.output
    said = work.says(python("'n' in globals(), sorted(os.listdir()) if 'os' in globals() else None"))
    assert said.startswith(ANEW) and "value: [False, None]" in said
    assert "kept.txt\nlate.txt" in work.says(sh("ls"))
    assert ANEW not in work.says(sh("ls"))


def test_after_a_crash_the_next_environment_goes_on_with_the_files(opened, sandbox):
    work = opened()
    work.act(python("n = 1\nopen('kept.txt', 'w').write('x')"))
    work.act(edit("kept.txt", ("x", "y")))
    later = opened()
    later.steps = work.steps
    assert later.says(sh("cat kept.txt")) == f"{ANEW}\n[1] sh: exit 0\ny"


def test_a_step_back_in_the_search_has_an_interpreter_of_its_own(opened):
    work = opened(branches=2)
    work.act(python("n = 1\nopen('a.txt', 'w').write('x')"))
    again = work.environment.observe(Action(kind="code", code=python("'n' in globals()")), work.steps[:0])
    assert "value: False" in again.state.output and ANEW not in again.state.output
    back = work.environment.observe(Action(kind="code", code=sh("ls")), work.steps)
    assert back.state.output.startswith(ANEW) and "a.txt" in back.state.output


@pytest.mark.slow
def test_a_block_that_reaches_a_limit_changes_nothing_and_those_before_it_do(opened):
    work = opened()
    hog = python("open('large', 'wb').write(bytes(100 << 20))")
    seen = work.act("\n".join([file("one.txt", "1"), hog]))
    assert (seen.state.changed, seen.ok) == (("one.txt",), False)
    assert "disk limit" in seen.error and seen.limit == "disk"
    assert work.says(sh("ls")).splitlines()[-3:] == ["one.txt", "test_total.py", "total.py"]


REFUSALS = [
    (edit("total.py", ("def totl(xs):", "def x(xs):")), "nearest to it is\n1: def total(xs):\n2:     return xs[0]"),
    (
        edit("total.py", ("    return xs", "    return sum(xs)")),
        "whole lines are needed, and the SEARCH text ends within line 2, which is '    return xs[0]'",
    ),
    (
        edit("total.py", ("xs[0]", "sum(xs)")),
        "whole lines are needed, and the SEARCH text begins within line 2, which is '    return xs[0]'",
    ),
    (edit("twice.txt", ("same", "x")), "stands there 2 times, at lines 1, 3"),
    (
        edit("twice.txt", ("other", "more\nlines\nthan\nbefore"), ("sam", "x")),
        "of its pairs nothing is applied; in pair 2 whole lines are needed, and the SEARCH text ends within line 1,",
    ),
    (
        edit("total.py", ("    return xs[0]", "    return (xs[0]")),
        "the file would not be Python: '(' was never closed, line 2",
    ),
    (edit("total.py", ("    return xs[0]", "    return xs[0]")), "it changes nothing"),
    ("```edit total.py\nreturn sum(xs)\n```", "an edit holds pairs of this form; none could be read\n<<<<<<< SEARCH"),
    (edit("totl.py", ("x", "y")), "there is no such file; there are total.py"),
    (file("new.py", "def f(:"), "the file would not be Python: invalid syntax, line 1: def f(:"),
    (file("new.json", "{"), "the file would not be JSON:"),
    (file("new.toml", "a ="), "the file would not be TOML:"),
    (file("../out.txt", "x"), "the path leaves the folder"),
    (file("/tmp/out.txt", "x"), "the path leaves the folder"),
    (file(".git/hooks/pre-commit", "x"), "left out of the work"),
    (file("sub/.env", "x"), "left out of the work"),
    (file("total.py/x.txt", "x"), "total.py is a file and no folder"),
    (edit("image.bin", ("x", "y")), "it is binary and no text"),
    (file("image.bin", "x"), "it is binary and no text"),
]


@pytest.mark.parametrize(("block", "why"), REFUSALS)
def test_an_edit_that_cannot_be_made_is_refused_with_the_place(opened, project, block, why):
    (project / "twice.txt").write_text("same\nother\nsame\n")
    (project / "image.bin").write_bytes(b"x\n\0\1")
    seen = opened().act(block)
    assert why in seen.state.output and "refused" in seen.error
    assert not seen.error.endswith((":", " is"))  # alone, where no more than a line is shown, it is a whole sentence
    assert seen.state.changed == ()


@pytest.mark.slow
def test_a_file_is_written_where_code_has_left_a_link(opened):
    work = opened()
    work.act(sh("ln -s /tmp out"))
    seen = work.act("\n".join([file("out/new.txt", "x"), sh("ls")]))
    assert "could not be put" in seen.error and seen.state.changed == ("out/new.txt",)
    assert work.says(sh("cat out/new.txt")).endswith("\nx")


def test_several_places_are_changed_together_or_not_at_all(opened, project):
    (project / "long.txt").write_bytes(b"a\r\nb\r\nc")
    work = opened()
    assert work.act(edit("long.txt", ("a", "A"), ("z", "Z"))).state.changed == ()
    assert "2 places changed (lines 1, 3)" in work.says(edit("long.txt", ("a", "A"), ("c", "C")))
    assert "value: 'A\\r\\nb\\r\\nC'" in work.says(python("repr(open('long.txt', newline='').read())")).replace(
        '"', ""
    ).replace("\\\\", "\\")


def test_a_file_that_did_not_parse_before_may_be_edited(opened, project):
    (project / "old.py").write_text("print 'two'\nx = 1\n")
    assert opened().act(edit("old.py", ("x = 1", "x = 2"))).state.changed == ("old.py",)


@pytest.mark.slow
def test_a_protected_file_can_be_edited_and_is_said_not_to_be_taken(opened):
    seen = opened().act(edit("test_total.py", ("print('fine')", "print('good')")))
    assert "not taken" in seen.state.output
    assert seen.state.protected == ("test_total.py",)


def test_handing_in_what_fails_the_check_warns_once(opened):
    work = opened()
    work.act(file("notes.txt", "x"))
    first, second = work.act(kind="finish"), work.act(kind="finish")
    assert not first.ok and "the check fails: AssertionError" in first.error
    assert first.error.endswith("done again hands in all the same, and the same check decides")
    assert second.ok and not work.judged().accepted


@pytest.mark.slow
def test_a_change_after_the_warning_is_warned_of_again(opened):
    work = opened()
    work.act(file("notes.txt", "x"))
    assert not work.act(kind="finish").ok
    assert not work.act(file("notes.txt", "y"), kind="finish").ok
    assert work.act(MEND, kind="finish").ok and work.judged().accepted


def test_an_unchanged_folder_is_not_handed_in_and_giving_up_hands_in_nothing(opened):
    work = opened()
    assert work.act(kind="finish", text="done").error == "nothing was changed"
    work.act(MEND)
    assert not work.act(kind="give_up", text="too hard").ok


def test_a_check_that_passed_before_says_nothing_of_a_change(opened):
    work = opened(check=PASSING)
    seen = work.act(file("notes.txt", "x"))
    assert (seen.ok, seen.error, seen.state.score) == (False, "", 1.0)
    assert work.act(kind="finish").ok


@pytest.mark.slow
def test_blocks_that_fail_hand_nothing_in(opened):
    seen = opened().act("\n".join([MEND, sh("exit 1")]), kind="finish")
    assert not seen.ok and seen.error == "sh: exit 1"


@pytest.mark.slow
def test_a_slow_check_runs_when_the_folder_is_handed_in(sandbox, make_work):
    with closing(FilesEnvironment(make_work().work, EnvironmentOptions(sandbox=sandbox), quick_s=0.0)) as environment:
        work = Work(environment)
        assert work.act(file("notes.txt", "x")).state.check is not None  # nobody knew how long it takes
        seen = work.act(MEND)
        assert seen.state.check is None and "was not run; done runs it" in seen.state.output and not seen.ok
        assert "was not run" not in work.says(f"{file('more.txt', 'x')}\n{sh(CHECK)}")
        seen = work.act(kind="finish")
        assert seen.ok and seen.state.check == "fine\n"


@pytest.mark.slow
def test_what_passes_a_slow_check_is_found_behind_a_later_state(sandbox, make_work):
    with closing(FilesEnvironment(make_work().work, EnvironmentOptions(sandbox=sandbox), quick_s=0.0)) as environment:
        work = Work(environment)
        work.act(file("notes.txt", "x"))  # the only one on which the check runs
        work.act(MEND)
        mended = work.steps[-1].observation.state.snapshot
        for spoilt in ("0", "1", "x"):
            assert environment.left_right(work.steps).state.snapshot == mended
            work.act(file("total.py", f"def total(xs):\n    return {spoilt!r}\n"))
        assert environment.left_right(work.steps) is None  # each state that is looked at costs a run of the check


def test_an_answer_in_words_is_no_change_and_nothing_can_check_it(opened, project):
    work = opened(folder_task("what does total give?", project))
    work.act(sh("cat total.py"))
    seen = work.act(kind="answer", text="the first number")
    assert seen.ok and seen.outputs == ("the first number",)
    judged = work.judged()
    assert (judged.accepted, judged.unchecked, judged.verified, judged.checked) == (True, True, False, False)
    assert judged.text == "nothing can check it"
    assert work.environment.answer(work.steps[-1]) == "the first number"


def test_an_answer_in_words_does_not_do_for_a_task_with_a_check(opened):
    seen = opened().act(kind="answer", text="it is right already")
    assert not seen.ok and seen.error == "this task asks for a change of the folder, until the check passes"


def test_a_person_who_asks_about_a_folder_with_a_check_gets_words_while_it_stays_as_it_is(opened):
    work = opened(own=True)
    assert work.act(kind="answer", text="the first number").ok
    judged = work.judged()
    assert (judged.accepted, judged.unchecked, judged.checked) == (True, True, False)
    changed = opened(own=True)
    changed.act(file("notes.txt", "x"))
    assert "asks for a change" in changed.act(kind="answer", text="the first number").error


def test_a_change_that_nothing_can_check_is_handed_in_as_such(opened, project):
    work = opened(folder_task("make it right", project))
    assert not work.act(MEND).ok
    assert work.act(kind="finish").ok
    judged = work.judged()
    assert (judged.accepted, judged.unchecked) == (True, True)


def test_a_task_file_may_hold_work_without_a_check(project, tmp_path):
    task = folder_task("look at it", project)
    written = tmp_path / "tasks.jsonl"
    written.write_text(json.dumps(task_json(task)) + "\n")
    (loaded,) = load_suite(str(written)).tasks
    assert loaded.work == replace(task.work, folder=loaded.work.folder) and loaded.work.check == ""
    with pytest.raises(Exception, match="is missing"):
        folder_task(" ", project)


@pytest.mark.slow
def test_a_probe_takes_blocks_too(opened):
    work = opened()
    snapshot = work.act(file("notes.txt", "x")).state.snapshot
    assert work.environment.probe([(MEND, "")], [[snapshot], [""]]) == [[True, True]]
    assert work.environment.probe([(sh("ls"), "")], [[snapshot]]) == [[None]]


@pytest.mark.slow
def test_what_one_look_hides_the_next_sees(opened):
    """Only what changed comes back, so a file that changes twice in a row has to come back twice."""
    work = opened()
    for word in ("one", "two", "six"):
        seen = work.act(python(f"open('n.txt', 'w').write('{word}')"))
        assert seen.state.changed == ("n.txt",)
        assert word in work.environment.answer(work.steps[-1])
    assert work.act(sh("rm n.txt; mkdir n.txt; echo x > n.txt/in")).state.changed == ("n.txt", "n.txt/in")


# Each of these took a reader that tries everything many minutes, as a model that repeats itself may write it.
@pytest.mark.parametrize(
    "reply",
    [
        "```python" + " " * 20_000 + "`\n1\n```",
        "```edit total.py\n" + "<<<<<<< SEARCH\n" * 50_000 + "```",
        "```edit total.py\n" + "<<<<<<< SEARCH\n=======\n" * 50_000 + "```",
    ],
    ids=["a long opening", "pairs that never end", "pairs within pairs"],
)
def test_a_reply_that_repeats_itself_is_read_at_once(opened, reply):
    assert not opened().act(reply).ok


def test_what_a_reply_quotes_in_another_language_is_not_run(opened):
    quoted = "````markdown\n" + sh("rm total.py") + "\n````\n```text\n```python\nopen('x.txt', 'w')\n```\n"
    seen = opened().act(quoted + python("print('run')"))
    assert seen.state.output == "[1] python\nrun" and not seen.state.changed


HEADING = "Title\n=======\nold\n"


@pytest.mark.slow
def test_a_line_of_the_file_that_is_like_a_mark_is_not_taken_for_one(opened):
    work = opened()
    work.act(file("page.rst", HEADING.rstrip("\n")))
    refused = work.says(edit("page.rst", ("Title\n=======\nold", "Title\n=======\nnew")))
    assert "refused: an edit holds pairs of this form" in refused and "nine signs" in refused
    pair = "<<<<<<<<< SEARCH\nTitle\n=======\nold\n=========\nTitle\n=======\nnew\n>>>>>>>>> REPLACE\n"
    assert "1 place changed" in work.says(f"```edit page.rst\n{pair}```")
    assert "Title\n=======\nnew" in work.says(sh("cat page.rst"))


def test_an_edit_whose_last_pair_is_cut_off_changes_nothing(opened):
    cut = MEND.removesuffix("```") + "<<<<<<< SEARCH\ndef total(xs):\n=======\ndef tot```"
    seen = opened().act(cut)
    assert "refused: an edit holds pairs" in seen.error and not seen.state.changed


@pytest.mark.parametrize(
    ("text", "old", "said"),
    [
        ("max = 1\n", "x = 1", "begins within line 1"),
        ("max = 1\nif 1:\n    x = 1\n", "x = 1", "1 place changed (line 3)"),
        ("a = 1\na = 1\na = 1\n", "a = 1\na = 1", "stands there 2 times, at lines 1, 2"),
    ],
    ids=["the end of another line", "beside one", "places that overlap"],
)
def test_an_edit_finds_whole_lines_and_every_place(opened, text, old, said):
    work = opened()
    work.act(file("notes.py", text.rstrip("\n")))
    assert said in work.says(edit("notes.py", (old, "y = 2")))


REPORTED = """[1, 2, 3]
['json', 'no JSON']
['json', 5]
[[], 'x']
['json', 'NaN']
['json', '[' * 100_000]
['json', '9' * 5_000]
['json', '"' + chr(92) + 'ud800"']
['text', {}]
{'a': 1}"""


@pytest.mark.parametrize("reported", REPORTED.splitlines())
def test_code_that_takes_the_place_of_what_reports_values_ends_no_episode(opened, reported):
    work = opened()
    work.act(python(f"import sys\nsys.modules['folder_tools'].python = lambda source: {reported}"))
    seen = work.act(python("1"))
    assert not seen.fault and json.dumps(seen.state.value, allow_nan=False).encode()
    assert "exit 0" in work.says(sh("true"))


def test_what_writes_on_in_the_background_does_not_hold_a_command(opened):
    loop = "import time\nwhile True:\n    print('on', flush=True)\n    time.sleep(0.005)\n"
    work = opened()
    work.act(file("loop.py", loop.rstrip("\n")))
    assert "[1] sh: exit 0\nbegun" in work.says(sh("echo begun; python3 loop.py & sleep 0.2"))
    assert "goes on" in work.says(python("'goes on'"))


@pytest.mark.slow
def test_a_text_that_is_not_in_a_long_file_of_alike_lines_is_refused_at_once(opened, project):
    (project / "long.txt").write_text("}\n\n" * 20_000 + "".join(f"value {n} of many\n" for n in range(20_000)))
    blank = "}\n\n" * 1_000 + "nothing\n" + "\n}\n" * 1_000
    assert "nearest to it is\n1: }" in opened().says(edit("long.txt", (blank, "x")))
    assert "nearest to it is" in opened().says(edit("long.txt", ("value 7 of men", "x")))


@pytest.mark.slow
def test_checks_of_subgoals_see_the_folder_as_it_is_and_nothing_that_is_hidden(opened):
    work = opened(hidden_check="python3 hidden.py", hidden_files={"hidden.py": "assert False\n"})
    work.act(file("new.txt", "1"))
    commands = (
        "test -e hidden.py",
        "test -e new.txt && rm new.txt total.py",
        "test -e new.txt",
        "exit 3",
        "nothing-such",
    )
    subgoals = [Subgoal(id=f"s{n}", goal="g", postcondition="", check=each) for n, each in enumerate(commands)]
    gave = work.environment.try_checks(subgoals, work.steps[-1])
    assert [one.held for one in gave] == [False, True, True, False, False]
    assert gave[3].told == "exit 3" and "not found" in gave[4].told
    assert "fine" not in work.says(sh("cat total.py new.txt"))
    assert work.steps[-1].observation.error == ""  # both are still there
