"""The doubles act badly unless their prompt holds what is needed; then, and only then, a learner gets better."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.doubles import QuirkDouble, quirk_suite, quirk_tasks
from benchmarks.doubles.quirks import NORMALISE_NAME, QUIRKS
from evolve.core.errors import TaskError
from evolve.runtime.models import Message, ModelRequest, ModelSetup, open_models
from evolve.testing import LocalWire, Scenario, ScriptedEndpoint, load_scenario
from tests.models.conftest import ask

JOBS = quirk_tasks(32)
CODE = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
LESSON = {
    "type": "object",
    "properties": {
        "insights": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "relation": {"enum": ["prevents", "contributes"]}},
                "required": ["text", "relation"],
            },
        }
    },
    "required": ["insights"],
}


def said(*texts, schema=None):
    body = {"messages": [{"role": "user", "content": text} for text in texts]}
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"schema": schema}}
    text = QuirkDouble().answer(body)
    return json.loads(text) if schema is not None else text


def faults(code, task):
    """What goes wrong when the code runs on all rows of a task; "" when nothing does."""
    namespace = {}
    exec(code.replace("from normalise_name import normalise_name", NORMALISE_NAME), namespace)
    for row in (*task.examples, *task.verify, *task.hidden):
        got = namespace[task.entry](*row.input)
        if got != row.output:
            return f"{row.input!r}: expected {row.output!r}, got {got!r}"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.task.id)
def test_a_task_is_solved_only_with_its_quirk_in_the_prompt(job):
    asked, others = job.task.instruction, [quirk.sentence for quirk in QUIRKS if quirk != job.quirk]
    wrong = said("Write a function.", asked, schema=CODE)["code"]
    assert "expected" in faults(wrong, job.task)
    assert said(*others, asked, schema=CODE)["code"] == wrong
    assert faults(said(job.quirk.sentence, asked, schema=CODE)["code"], job.task) == ""


def test_what_fails_shows_in_the_visible_examples():
    for job in JOBS:
        namespace = {}
        exec(job.wrong, namespace)
        assert any(namespace[job.task.entry](*row.input) != row.output for row in job.task.examples)


@pytest.mark.slow
def test_the_failure_of_its_own_code_is_feedback_and_other_failures_are_not():
    first = JOBS[0]
    code = said(first.task.instruction, schema=CODE)["code"]
    assert faults(said(first.task.instruction, "It failed: expected 2", schema=CODE)["code"], first.task)
    assert faults(said(first.task.instruction, code, "Do it again.", schema=CODE)["code"], first.task)
    shown = [
        f"```python\n{code}```\n{faults(code, first.task)}",
        json.dumps({"tried": code, "error": "AssertionError"}),
    ]
    for text in shown:
        assert faults(said(first.task.instruction, text, schema=CODE)["code"], first.task) == ""


def test_a_skill_is_imported_the_way_the_prompt_says():
    job = next(job for job in JOBS if job.quirk.skill)
    told = "Skills:\n\n    from normalise_name import normalise_name\n"
    code = said(told, job.task.instruction, schema=CODE)["code"]
    assert code.startswith("from normalise_name import normalise_name\n")
    assert faults(code, job.task) == ""


@pytest.mark.slow
def test_plans_skills_by_name_and_code_of_others_help_too():
    dates, names = JOBS[0], next(job for job in JOBS if job.quirk.skill)
    other = next(job for job in JOBS[1:] if job.quirk == dates.quirk)
    helps = [
        (dates, "Plan: 1. split the text; 2. take the day first, then the month; 3. return it."),
        (dates, f"Skill {other.task.entry}:\n```python\n{other.right}```"),
        (dates, json.dumps({"skill": {"code": other.right}})),
        (names, "Skills you can use: normalise-name"),
    ]
    for job, told in helps:
        assert faults(said(told, job.task.instruction, schema=CODE)["code"], job.task) == ""
    useless = ["Plan: 1. split the text; 2. take the month.", f"Skill {other.task.entry}: gives a quarter of a date"]
    assert all(faults(said(text, dates.task.instruction, schema=CODE)["code"], dates.task) for text in useless)


def test_a_lesson_states_the_quirk_only_where_it_could_be_learned():
    job = JOBS[0]
    assert said(job.task.instruction, "What did you learn?", schema=LESSON) == {"insights": []}
    shown = f"{job.wrong}\nexpected 3, got 12"
    learned = said(job.task.instruction, shown, "What did you learn?", schema=LESSON)["insights"]
    assert learned == [{"text": job.quirk.sentence, "relation": "contributes"}]


def test_it_answers_in_words_and_by_schemas_in_words():
    job = JOBS[0]
    assert f"```python\n{job.wrong}```" in said(job.task.instruction)
    models = open_models(ModelSetup(model="http://x/v1#m", environ={}, wire=lambda endpoint: LocalWire(QuirkDouble())))
    from evolve.runtime.models import Abilities

    only_words = Abilities(rungs={"json_schema": False, "json_object": False})
    models.model_for("act").services.abilities.save(models.model_for("act").endpoint, only_words)
    assert models.complete(ask(job.task.instruction, schema=CODE)).data == {"code": job.wrong}


def attempts_over(suite, *, keeps, memory=()):
    """How many tries each task took, for a learner that keeps what reflection says, or does not."""
    memory, taken = list(memory), []
    models = open_models(ModelSetup(model="http://x/v1#m", environ={}, wire=lambda endpoint: LocalWire(QuirkDouble())))
    for task in suite.tasks:
        prompt = [Message(role="system", text=f"Known: {text}", kind="insight") for text in memory]
        prompt.append(Message(role="user", text=task.instruction, kind="task"))
        tries, fault = 0, "not tried"
        while fault and tries < 3:
            tries += 1
            code = models.complete(ModelRequest(messages=prompt, schema=CODE)).data["code"]
            fault = faults(code, task)
            if fault:
                prompt.append(Message(role="user", text=f"{code}\n{fault}", kind="feedback"))
        taken.append(tries)
        found = models.complete(ModelRequest(messages=prompt, schema=LESSON)).data["insights"]
        memory += [item["text"] for item in found if keeps and item["text"] not in memory]
    return taken


@pytest.mark.slow
def test_a_learner_that_keeps_its_lessons_gets_better_and_one_that_forgets_does_not():
    suite = quirk_suite(30)
    assert attempts_over(suite, keeps=True) == [2] * 4 + [1] * 26
    assert attempts_over(suite, keeps=False) == [2] * 30
    assert attempts_over(suite, keeps=False, memory=["Check the input.", "Dates are hard.", "Use a comma."]) == [2] * 30


@pytest.mark.slow
def test_the_suite_is_the_same_for_a_seed_and_splits_into_all_three():
    assert quirk_suite(30).digest == quirk_suite(30).digest != quirk_suite(30, seed=1).digest
    suite = quirk_suite(30)
    assert len({task.group for task in suite.tasks}) == 30
    assert all(suite.split(name) for name in ("train", "gate", "test"))
    assert all(task.verifiable for task in suite.tasks)


@pytest.mark.slow
def test_a_scenario_file_is_served_to_other_processes(tmp_path):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps({"replies": ["first"]}))
    command = [sys.executable, "-W", "error", "-m", "evolve.testing.endpoint", str(file)]
    command += ["--double", "benchmarks.doubles:QuirkDouble"]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as serving:
        with open_models(ModelSetup(model=serving.stdout.readline().strip(), environ={})) as models:
            assert models.complete(ask()).text == "first"
            assert "```python" in models.complete(ask(JOBS[0].task.instruction)).text
        serving.stdin.close()
        assert serving.wait(10) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ('{"reply": []}', "expected an object with some of"),
        ('{"replies": ["a", {"fault": "fire"}]}', r"replies\[1\]'?: no fault 'fire'"),
        ('{"replies": [{"bad": "fire"}]}', "no bad body"),
        ('{"replies": [5]}', "expected a text"),
    ],
)
def test_mistakes_in_a_scenario_are_named(tmp_path, text, message):
    file = tmp_path / "scenario.json"
    file.write_text(text)
    with pytest.raises(TaskError, match=message):
        load_scenario(file)


def test_an_endpoint_that_was_never_started_can_be_closed():
    idle = ScriptedEndpoint(Scenario())
    idle.close()
    idle.close()
    assert idle.stopping.is_set()


def test_a_script_that_has_ended_says_so():
    from evolve.core.errors import EndpointProblem

    with (
        ScriptedEndpoint(Scenario()) as endpoint,
        open_models(ModelSetup(model=endpoint.model, environ={})) as models,
        pytest.raises(EndpointProblem, match="the script has ended"),
    ):
        models.complete(ask())
