"""The comparison of agents: nothing frozen was changed, references are right, the double knows only the prompt."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.agent import judge, plain
from benchmarks.agent.double import reply, slips
from benchmarks.agent.endpoint import MeteredEndpoint
from benchmarks.agent.frozen import digests, written
from benchmarks.agent.judge import judged, run_program, same_answer, unpacked
from benchmarks.agent.measure import HandedIn, Result, Solved, measured, of_memory
from benchmarks.agent.prompt import Prompt
from benchmarks.agent.task import knowledge

KNOWN = list(knowledge().values())
NEVER_SHOWN = {"week-shelf-label", "cents-share", "customer-file", "quarter-archive", "money-tile", "rows-dates"}
"""Tasks of the families whose visible part does not tell the house rule: without a refusal nobody can know."""
TOO_LITTLE_READ = {"letters", "threads"}
"""The model believes that it has read enough and has not; what it was shown passes its wrong answer."""


def handed(known, source):
    task = known.task
    if task.shape == "rows":
        return HandedIn(function=source)
    if task.shape == "folder":
        return HandedIn(files={**task.files, **source})
    with unpacked(task.files) as folder:
        return HandedIn(answer=run_program(source, folder)[1].strip().removeprefix(known.label.strip()).strip())


def ids(known):
    return known.task.id


def each_task():
    """All tasks; those in folders run many commands, and wait for the slow tests but for a few."""
    quick = {"paging", "letters", "rows-jump", "money-letter"}
    for known in KNOWN:
        slow = known.task.shape == "folder" and known.task.id not in quick
        yield pytest.param(known, id=known.task.id, marks=[pytest.mark.slow] if slow else [])


def test_what_was_frozen_is_as_it_was():
    assert digests() == written()


def test_there_are_sixty_tasks_of_four_kinds():
    assert Counter(known.task.kind for known in KNOWN) == {"rows": 12, "folder": 12, "words": 6, "family": 30}
    families = Counter((known.task.family, known.task.role) for known in KNOWN if known.task.kind == "family")
    assert sorted(Counter(families.values()).items()) == [(2, 6), (3, 6)]
    words = [re.sub(r"[\W_]+", "", known.task.instruction.lower())[:100] for known in KNOWN]
    assert not [one for one in words for other in words if one is not other and one in other]


@pytest.mark.parametrize("known", list(each_task()))
def test_the_reference_is_right_and_the_guess_is_not(known):
    assert judged(known.task, handed(known, known.right))
    if known.guess:
        assert not judged(known.task, handed(known, known.guess))
    if known.second:
        assert not judged(known.task, handed(known, known.second))
    if known.task.shape == "folder":
        assert not judged(known.task, HandedIn(files=known.task.files))


@pytest.mark.parametrize("known", [known for known in KNOWN if known.rule], ids=ids)
def test_nothing_in_a_task_states_its_house_rule(known):
    shown = [str(row) for row in known.task.shown]
    told = "\n".join([known.task.instruction, *shown, *known.task.files.values()])
    assert not Prompt({"messages": [{"role": "user", "content": told}]}).states(known.terms)
    assert Prompt({"messages": [{"role": "user", "content": f"{told}\n{known.rule}"}]}).states(known.terms)


def asked(*texts, **more):
    roles = ["user", "assistant"] * len(texts)
    return {"messages": [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)], **more}


def rows_told(known):
    rows = "\n".join(f"{list(row.input)!r} -> {row.output!r}" for row in known.task.shown)
    return f"Reply with a fenced `python` block.\n{known.task.instruction}\nFunction {known.task.entry}\n{rows}"


def test_the_house_rule_in_other_words_is_enough():
    known = knowledge()["week-totals"]
    words = rows_told(known)
    versions = {reply(asked(words + f"\nNote {n}{'x' * n}: a week starts on a Thursday here."))[1] for n in range(20)}
    assert versions <= {"right", "slip"}
    assert "right" not in {reply(asked(words + f"\nNote {n}{'x' * n}"))[1] for n in range(20)}


def test_each_draw_slips_on_other_prompts_and_as_often():
    prompts = [Prompt(asked(" ".join(["word"] * n))) for n in range(400)]
    drawn = [{at for at, prompt in enumerate(prompts) if slips(prompt, draw)} for draw in (0, 1, 1)]
    assert drawn[0] != drawn[1] == drawn[2]
    assert all(3 <= len(found) <= 24 for found in drawn)


def test_a_comparison_helps_only_as_long_as_it_is_there():
    known = knowledge()["customer-clean"]
    shown = "customer ['kd-5o31'] came out 'KD5O31' instead of 'KD5031'"
    assert reply(asked(rows_told(known) + "\nEarlier: " + shown))[1] == "right"
    assert reply(asked(rows_told(known)))[1] == "guess"
    schema = {"type": "object", "properties": {"claims": {"type": "array", "items": {"type": "string"}}}}
    form = {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}
    assert json.loads(reply(asked(rows_told(known) + shown, **form))[0]) == {"claims": [known.rule]}
    assert json.loads(reply(asked(rows_told(known), **form))[0]) == {"claims": []}


def test_part_of_a_long_file_is_not_enough():
    known = knowledge()["retries"]
    text = known.task.files["client/retry.py"]
    listing = "\n".join(known.task.files)
    told = f"Blocks: `sh`, `python`.\n{known.task.instruction}\n{listing}\nThe check: {known.task.check}\n"
    assert "sed -n" in reply(asked(told + text[:900]))[0]
    assert reply(asked(told + text))[1] == "right"


def test_replies_come_in_the_form_that_is_asked_for():
    known = knowledge()["slug"]
    words = rows_told(known)
    assert "```python\ndef slug" in reply(asked(words))[0]
    tagged = reply(asked("Write <code> and </code>, end with final_answer.\n" + words))[0]
    assert "<code>\ndef slug" in tagged and "final_answer(slug)" in tagged
    schema = {"type": "object", "properties": {"thought": {"type": "string"}, "code": {"type": "string"}}}
    form = {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}
    assert json.loads(reply(asked(words, **form))[0])["code"].startswith("def slug")
    paging = knowledge()["paging"]
    told = f"{paging.task.instruction}\n" + "\n".join(f"{path}\n{text}" for path, text in paging.task.files.items())
    edit = "Blocks are `edit PATH` with <<<<<<< SEARCH, ======= and >>>>>>> REPLACE, or `done`.\n"
    assert "```edit shop/paging.py\n<<<<<<< SEARCH" in reply(asked(edit + told))[0]


def test_what_an_earlier_request_began_with_is_cached():
    with MeteredEndpoint() as endpoint:
        for text in ("a" * 5000, "a" * 3000 + "b" * 2000):
            endpoint.take_step(asked(text), "")
        assert [call.cached_tokens for call in endpoint.calls] == [0, 640]


@pytest.mark.parametrize(
    ("said", "right"),
    [("east 123.50 hours", True), ("123.5, by East", True), ("west 123.5", False), ("east 1123.5", False), ("", False)],
)
def test_answers_in_words_are_compared_leniently(said, right):
    assert same_answer("east 123.5", said) is right


def test_memory_is_compared_over_families():
    shared = {"kind": "family", "role": "unseen", "solved": True, "prompt_tokens": 1, "cached_tokens": 0}
    rows = [
        Result(arm=arm, task=f"{f}{n}", family=f, calls=calls, first_answer_right=calls == 1,
               completion_tokens=1, seconds=0.0, **shared)
        for f in "abcdef" for n in range(2) for arm, calls in (("without", 2), ("with", 1))
    ]  # fmt: skip
    assert all(target.met for target in of_memory(rows, "without", "with"))
    assert not any(target.met for target in of_memory(rows, "with", "without"))


class Plain:
    name = "plain"

    def solve(self, task, endpoint) -> Solved:
        return plain.solve(task, endpoint)

    def close(self):
        pass


@pytest.mark.slow
def test_the_plain_loop_solves_some_of_each_kind():
    some = [knowledge()[name].task for name in ("slug", "ranges", "paging", "gears", "customer-clean")]
    assert [result.solved for result in measured(Plain(), some)] == [True] * 5


@pytest.mark.slow
def test_the_plain_loop_solves_all_but_what_it_cannot_know():
    results = list(measured(Plain(), [known.task for known in KNOWN]))
    assert {result.task for result in results if not result.solved} == NEVER_SHOWN | TOO_LITTLE_READ


@pytest.mark.slow
def test_a_command_that_does_not_end_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "_LIMIT_S", 3.0)
    code, said = judge.run_command("echo begun; sleep 977 & echo $! >left; wait", tmp_path)
    assert code == 124 and said.startswith("begun")
    told = Path("/proc", (tmp_path / "left").read_text().strip(), "stat")
    while told.exists() and told.read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.05)  # a killed process may be seen until it next runs; one that was spared stays for 977 s
