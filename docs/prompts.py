"""Prints every kind of prompt once into ``docs/prompts.md``, as a model gets it, for readers to judge.

``python -m docs.prompts`` writes the page anew. What is asked about is small: a function over dates, a folder of three
files, a question. The replies between are written here; everything else comes from the code that works with a model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from docs.prompt_cases import (
    CHECK,
    FACT,
    FILES,
    FITS,
    HALF,
    INSTRUCTION,
    LOOK,
    MISSED,
    PLANNED,
    PRINTED,
    RIGHT,
    SEATS,
    SKILL,
    TASK,
    WISH,
    WRONG,
    design_brief,
)
from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import Workflow
from evolve.core.episodes import (
    Action,
    EnvironmentState,
    EpisodeRecord,
    Limits,
    Observation,
    PatchDecision,
    Plan,
    Step,
    SubgoalCheck,
    TaskView,
    Turn,
)
from evolve.core.episodes.blocks import blocks_of, read_reply
from evolve.core.prompts import PromptLayers, load_prompt, render_prompt
from evolve.environments.files.editing import EditRefusal as EditRefused
from evolve.environments.files.editing import apply_block
from evolve.environments.files.first_look import first_look_text, without_rules
from evolve.policies.base import PastWork
from evolve.policies.language import EpisodeMeter, LanguageDesigner, LanguagePolicy, LanguageRewriter
from evolve.policies.language.describing import describe_preference
from evolve.policies.language.plans import read_plan
from evolve.policies.language.policy import LanguageSettings
from evolve.policies.language.questions import Questions
from evolve.runtime.models import ChatModel, ModelSetup, open_models
from evolve.tasks.verification.checks import CheckResult
from evolve.tasks.verification.rubric import RubricVerifier
from evolve.tasks.verification.verifiers import Submission
from evolve.testing import LocalWire, TrustingSandbox
from evolve.testing.endpoint_faults import chat_completion_body

PAGE = Path(__file__).with_suffix(".md")
RENEW = "python -m docs.prompts"
_HEAD = f"""\
# The prompts

What a model is asked, each kind of question once and as it is sent. `{RENEW}` writes this page; a test compares it with
what is sent now. The texts of the system are `prompts/*.md`; what follows them is put together from the task, from what
was learned and from what was done. Where a reply has to be JSON, its schema goes along as `response_format`, and in
words to endpoints that do not heed that. Actions are JSON with the setting `reply_form = "json"`.
"""

Body = Mapping[str, Any]


@dataclass(kw_only=True)
class Endpoint:
    """A model that says what it is told to say, and keeps what it was asked.

    Attributes:
        replies: What it says, one after the other; the last one again and again.
    """

    replies: Sequence[str | Mapping[str, Any]]
    asked: list[Body] = field(default_factory=list)

    def answer(self, body: Body) -> str | Mapping[str, Any]:
        """The next reply."""
        self.asked.append(body)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]

    def models(self, meter: EpisodeMeter | None = None) -> ChatModel:
        """It behind the client that models are asked by."""
        return open_models(
            ModelSetup(
                model="http://localhost:1/v1#model",
                environ={},
                meter=meter or EpisodeMeter(),
                wire=lambda _: LocalWire(self.answer),
                sleep=lambda _: None,
            )
        )

    def policy(self, **more: Any) -> LanguagePolicy:
        """The language policy that asks it."""
        meter = EpisodeMeter()
        return LanguagePolicy(models=self.models(meter), meter=meter, **more)


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The text of the page."""
    return printed(_HEAD, requests())


def printed(head: str, asked: Iterable[tuple[str, str, Body]]) -> str:
    """A page of prompts, those of a package too."""
    return "\n".join([head, *(f"## {name}\n\n{told}\n\n{_printed(body)}" for name, told, body in asked)])


def _printed(body: Body) -> str:
    """A request, message by message, and the form that the reply has to have."""
    texts = [f"**{message['role']}**\n\n{_fence(message['content'].rstrip())}" for message in body["messages"]]
    form = body.get("response_format", {}).get("json_schema")
    if form:
        texts.append(f"**reply by the schema** `{form['name']}`\n\n{_fence(json.dumps(form['schema']), 'json')}")
    return "\n".join(texts)


def _fence(text: str, kind: str = "text") -> str:
    return f"~~~~~{kind}\n{text}\n~~~~~\n"


def requests() -> Iterator[tuple[str, str, Body]]:
    """Every kind of prompt: its name with what it is about, a sentence, and what is sent."""
    yield from _function()
    yield from _folder()
    yield from _words()
    yield from _around_an_answer()
    yield from _learning()
    yield from _procedure()
    yield from _opinions()
    yield from _forms()


# A function that examples show.


def _episode(*replies: str) -> tuple[EpisodeRecord, Endpoint]:
    """The task of dates, worked on with these replies."""
    told = Endpoint(replies=replies)
    policy = told.policy(skills=(SKILL,), settings=LanguageSettings(reflects=False, distils=False))
    around = AgentServices(
        policy=policy, sandbox=TrustingSandbox(), run="page", recall=lambda *_: [FACT, WISH], skills=(SKILL,)
    )
    agent = Agent(around, Workflow().with_knobs(steps=6, withhold=0.0))
    return agent.run_episode(TASK, variant="page", split="own"), told


def _function() -> Iterator[tuple[str, str, Body]]:
    _, told = _episode(LOOK, WRONG, FITS, RIGHT)
    yield (
        "act.md with form-blocks.md and act-turns.md: the first question",
        "A function is wanted. A fact was recalled, a person's wish, and a skill is offered.",
        told.asked[0],
    )
    yield (
        "act.md: after three replies",
        "One reply found something out, one was wrong on an example, and one was refused, which showed a row.",
        told.asked[3],
    )
    request = Questions().ask("act", (), turns=False, strategy="")
    asked = Endpoint(replies=[WRONG])
    asked.models().complete(request)
    yield (
        "act.md without act-turns.md",
        "The rules for a model that repeats a wrong answer when it is told: it is asked anew instead.",
        asked.asked[0],
    )


# Work in a folder.


def _folder() -> Iterator[tuple[str, str, Body]]:
    instruction = "iso_date gives 2031-3-9 for 9.3.2031; it should give 2031-03-09."
    checked = CheckResult(ok=False, output=PRINTED, tail=PRINTED, exit=1, seconds=0.2)
    view = TaskView(
        id="dates",
        family="files",
        instruction=instruction,
        signature="",
        examples=(),
        environment="files",
        check=CHECK,
        files=tuple(FILES),
        seen=tuple(first_look_text(FILES, instruction, CHECK, checked)),
    )
    limits = Limits(steps=60, tokens=1_000_000)
    plan = Plan(goal=instruction, told=(FACT,))
    first = Endpoint(replies=[MISSED])
    first.policy().act(view, plan, (), limits)
    yield (
        "act-files.md: the first question",
        "Work in a folder with a check, and all that is seen of it.",
        first.asked[0],
    )

    failing = without_rules(PRINTED.replace("2031-3-9'", "2031-03-9'"))
    state = EnvironmentState(snapshot="1", parent=1, changed=("notes/dates.py",), output=_ran(HALF), check=failing)
    steps = (
        _step(1, MISSED, EnvironmentState(changed=(), output=_ran(MISSED)), _ran(MISSED).partition("\n")[0][4:]),
        _step(
            2,
            HALF,
            state,
            "the check fails: FAILED (failures=1); done again hands in all the same, and the same check decides",
        ),
    )
    later = Endpoint(replies=[MISSED])
    later.policy().act(view, plan, steps, replace(limits, steps=58, tokens=996_000))
    planned = _step(1, PLANNED, replace(state, output=_ran(PLANNED)), "the check fails: FAILED (failures=1)")
    checks = (SubgoalCheck(id="s1", held=True), SubgoalCheck(id="s2", held=False, told="exit 1"))
    brought = replace(plan, subgoals=read_plan(read_reply(PLANNED).blocks_of("plan")[0].text).subgoals)
    planned = replace(
        planned,
        action=replace(planned.action, plan=brought),
        observation=replace(planned.observation, checks=checks),
    )
    with_plan = Endpoint(replies=[MISSED])
    with_plan.policy().act(view, plan, (planned,), replace(limits, steps=59, tokens=998_000))
    yield (
        "act-files.md: after a reply with a plan",
        "One part of three is done by its check.",
        with_plan.asked[0],
    )
    yield (
        "act-files.md: after two replies",
        "An edit did not fit, and after another one the check failed.",
        later.asked[0],
    )


def _procedure() -> Iterator[tuple[str, str, Body]]:
    view = TaskView(
        id="rename-key",
        family="words",
        instruction="Rename the setting page_size to rows_per_page wherever it is read.",
        signature="",
        examples=(),
        environment="files",
        check="python3 test_app.py",
        files=("app.py", "settings.py", "test_app.py"),
    )
    blank = dict.fromkeys(("known", "name", "description", "code", "arguments"), "")
    told = Endpoint(replies=[json.dumps({**blank, "earlier": []})])
    change = "".join(
        f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{line % 'page_size'}\n+{line % 'rows_per_page'}\n"
        for name, line in (("app.py", 'SHOWN = SETTINGS["%s"]'), ("settings.py", 'SETTINGS = {"%s": 5}'))
    )
    past = PastWork(tasks={"r3": "Rename the setting max_users to most_users wherever it is read."})
    told.policy().propose_procedure(view, (), change, past)
    yield (
        "distill-folder.md",
        "Asked once a check accepted a change in words like an earlier one.",
        told.asked[0],
    )
    refused = PatchDecision(state="refused", reason="Old setting files must still be read, so keep page_size as well.")
    asked = replace(view, instruction=f"{view.instruction} Leave the tests alone.", earlier=(), decision=refused)
    state = EnvironmentState(snapshot="1", changed=("app.py", "settings.py"), score=1.0, output="2 files changed")
    action = Action(kind="finish", code="edit", said="", text="the setting is rows_per_page now", prompt="act-files.md")
    step = Step(number=1, action=action, observation=Observation(ok=True, state=state))
    told = Endpoint(replies=[json.dumps({"memories": []})])
    told.policy().suggestions(asked, (step,))
    yield (
        "remember.md",
        "Asked after work in a folder, here of a change that was refused. What passes is offered to the person.",
        told.asked[0],
    )


def _ran(said: str) -> str:
    """What the environment tells of the first block of a reply, an edit."""
    block = blocks_of(
        "".join(f"```{one.kind} {one.path}\n{one.text}```\n" for one in read_reply(said).blocks_of("edit"))
    )[0]
    try:
        return f"[1] edit {block.path}: {apply_block(block, FILES).told}"
    except EditRefused as refusal:
        return f"[1] edit {block.path}: refused: {refusal}"


def _step(number: int, said: str, state: EnvironmentState, error: str) -> Step:
    action = Action(kind="finish", code="edit", said=said, prompt="act-files.md")
    return Step(number=number, action=action, observation=Observation(ok=False, state=state, error=error))


# A question in words.


def _words() -> Iterator[tuple[str, str, Body]]:
    view = TaskView(
        id="question",
        family="words",
        instruction="On how many days of 2031 is the 13th a Friday?",
        signature="",
        examples=(),
        environment="words",
        today="Tuesday, 2031-04-01",
        past=True,
    )
    told = Endpoint(replies=["```answer\nOn one day, the 13th of June.\n```"])
    told.policy().act(view, Plan(goal="", told=(WISH,)), (), Limits(steps=12, tokens=100_000))
    yield "act-words.md", "A question, and a wish of the person, who has asked others before.", told.asked[0]
    told = Endpoint(replies=["```answer\nThe green one.\n```"])
    able = replace(view, id="rooms", instruction="Which room has more seats, blue or green?", functions=(SEATS,))
    told.policy().act(able, Plan(goal=""), (), Limits(steps=12, tokens=100_000))
    yield "act-words.md", "A question, with a function that code can call.", told.asked[0]
    earlier = (Turn(said="How many chairs do 40 guests need?", outcome="40, one each."),)
    asked = replace(view, instruction="No, we always put out a few more: one for every ten guests.", earlier=earlier)
    told = Endpoint(replies=[json.dumps({"memories": []})])
    told.policy().suggestions(asked, (Step(number=1, action=Action(kind="finish", code="44", said="44")),))
    yield (
        "remember-words.md",
        "Asked after a question beside which the person stated something. What they keep is told to questions like it.",
        told.asked[0],
    )


# What stages of a workflow ask before an answer and about it.

_SUBGOALS = {"goal": "dates", "subgoals": [{"goal": "split", "postcondition": "three parts", "needs": []}]}


def _around_an_answer() -> Iterator[tuple[str, str, Body]]:
    view, plan = TASK.view(), Plan(goal=INSTRUCTION, told=(FACT,))
    told = Endpoint(replies=[json.dumps(_SUBGOALS)])
    told.policy(settings=LanguageSettings(plans=True)).plan(view, (FACT,))
    yield "plan.md", "Asked before the first action, where a workflow wants that.", told.asked[0]

    told = Endpoint(replies=[json.dumps(_SUBGOALS)])
    told.policy().decompose(view, plan, 1.0)
    yield "decompose.md", "Asked by the stage of that name.", told.asked[0]

    record, _ = _episode(FITS, "```give_up\nno more\n```")
    steps = record.steps[:1]
    told = Endpoint(replies=[json.dumps({"fault": "", "cases": []})])
    told.policy().critique(view, plan, steps)
    yield "critique.md", "Asked about an answer that is right on the examples, before it is handed in.", told.asked[0]

    told = Endpoint(replies=[RIGHT])
    told.policy().revise(view, plan, steps, 'iso_date("1.2.31"): expected "2031-02-01", got "31-02-01"')
    yield "revise.md", "Asked once an answer is doubted.", told.asked[0]


# Learning from an episode.


class _NothingTried:
    """Trials that are never made, because no claim is stated."""

    def __call__(self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Any]]) -> list[list[Any] | None]:
        return [None for _ in programs]

    def attempt(self, action: Action, before: Sequence[Step]) -> None:
        """Nothing."""


def _learning() -> Iterator[tuple[str, str, Body]]:
    view = TASK.view()
    record, _ = _episode(WRONG, FITS, RIGHT)
    told = Endpoint(replies=[json.dumps({"claims": []})])
    told.policy().reflect(view, "dates", record.steps, _NothingTried())
    yield (
        "reflect.md",
        "Asked after an episode with failures. What is claimed is tried before it is kept.",
        told.asked[0],
    )

    told = Endpoint(replies=[json.dumps({"name": "iso-date", "description": "Brings dates into the ISO form."})])
    (draft,) = told.policy().distill(view, record.steps)
    yield "distill.md", "Asked for a name and a sentence, once an answer is verified.", told.asked[0]

    told = Endpoint(replies=[json.dumps({"code": "", "calls": [{"arguments": '["1.2.31"]', "value": '"2031-02-01"'}]})])
    told.policy().repair_draft(
        view,
        draft,
        "only 14 of 16 wrong versions noticed",
        ["line 3: 20{year} -> {year}", "line 3: len(year) == 4 -> len(year) != 5"],
    )
    yield "repair-draft.md", "Asked once for a skill whose tests let wrong versions pass.", told.asked[0]


def _opinions() -> Iterator[tuple[str, str, Body]]:
    told = Endpoint(replies=[json.dumps({"accepted": True, "reason": "It names the day."})])
    values = {"task": "Write one sentence to a customer whose parcel is late.", "rubric": "Polite; names a day."}
    prompt = render_prompt(load_prompt("judge.md", PromptLayers()), values, name="judge.md").strip()
    answer = "We are sorry that your parcel is late; it will be with you on Tuesday."
    RubricVerifier(model=told.models(), prompt=prompt).verify(Submission(shown=answer), TrustingSandbox())
    yield "judge.md", "Asked where a rubric decides, and nothing else can.", told.asked[0]

    described = {"name": "short-mails", "description": "The person prefers short mails."}
    told = Endpoint(replies=[json.dumps(described)])
    acts = [
        "The task: Write to the customer that the parcel is late.\nThe person said: half of that is enough",
        "The task: Answer the complaint of Monday.\nThe person edited the answer:\n- Dear Sir or Madam,\n+ Hello,",
    ]
    describe_preference(told.models(), Questions(), acts)
    yield "describe.md", "Asked to put into words what a person's remarks and edits come down to.", told.asked[0]

    told = Endpoint(replies=[json.dumps({"edits": []})])
    traces = [
        f"Trace notes-4, failed\nGiven: {INSTRUCTION} 1.2.31\nSaid: 31-02-01\nRight: 2031-02-01\n"
        "Came of it: wrong on one row\n",
    ]
    LanguageRewriter(models=told.models()).propose(
        ["Read the examples to the end.", "Dates have two digits."],
        traces,
        about="You solve a programming task: one Python function.",
        tried=["add: Dates are written with hyphens. (turned 0 of 3 failures around)"],
    )
    yield "rewrite.md", "Asked for better advice in a prompt, by a search that tries what it says.", told.asked[0]

    told = Endpoint(replies=[json.dumps({"why": "", "workflow": ""})])
    LanguageDesigner(models=told.models()).design(design_brief())
    yield "design.md", "Asked for a whole workflow, by a search that tries it; one draft had a fault.", told.asked[0]


# What is asked where a reply does not have the form it should have.


def _forms() -> Iterator[tuple[str, str, Body]]:
    described = json.dumps({"name": "short-mails", "description": "The person prefers short mails."})
    told = Endpoint(replies=["They like it short.", described])
    models = told.models()
    for _ in range(2):
        describe_preference(models, Questions(), ["The person said: half of that is enough"])
    yield (
        "reply-repair.md",
        "Said after a reply without the wanted JSON, here to the question of describe.md.",
        told.asked[1],
    )
    yield "reply-form.md", "Said with every further question to an endpoint that did not heed a schema.", told.asked[2]

    for name in ("act", "act-files", "act-words", "revise"):
        request = Questions(form="json").ask(name, (), strategy="")
        asked = Endpoint(replies=[json.dumps({"thought": "", "blocks": [], "uses": []})])
        asked.models().complete(request)
        yield (
            f"form-json.md: {name}.md",
            "The rules where replies are JSON; what follows them is the same.",
            asked.asked[0],
        )

    told = Endpoint(replies=[chat_completion_body(FITS[:80], choice={"finish_reason": "length"}), FITS[80:]])
    told.policy().act(TASK.view(), Plan(goal=""), (), Limits(steps=6, tokens=100_000))
    shown = {**told.asked[1], "messages": told.asked[1]["messages"][-2:]}
    yield "reply-continue.md", "Said after a reply that was cut off; the messages before it are left out here.", shown


if __name__ == "__main__":
    main()
