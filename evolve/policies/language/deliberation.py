"""What the language policy can do beyond one answer: more answers, a critique, a revision, a task taken apart."""

from __future__ import annotations

import json
import re
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evolve.core.episodes import Action, Cost, Json, Limits, Plan, Row, Step, TaskView
from evolve.core.errors import BudgetExhausted, ModelMistake
from evolve.environments import environment_kind
from evolve.policies.base import BasePolicy
from evolve.policies.language.forms import CITED
from evolve.policies.language.plans import PLAN_SCHEMA, read_subgoals
from evolve.policies.language.prompt import facts_message, task_message
from evolve.policies.language.proposals import ProposedAction, read_proposal
from evolve.policies.language.questions import CRITIQUE_SCHEMA, Questions
from evolve.policies.language.quoting import quote_text
from evolve.runtime.models import ESSENTIAL, ChatModel, Message, ModelReply, ModelRequest
from evolve.runtime.retrieval.text_overlap import one_line, repeats

_MOST_CASES = 3
_LONGEST = 600
_COPIED = 3
"""Words from which on a text of the rules that a reply gives back is no text of its own."""


@dataclass(frozen=True, kw_only=True)
class ModelPolicy(BasePolicy):
    """A policy that asks a model, and what it can do beyond one answer.

    Attributes:
        models: Who is asked.
        questions: Makes the requests.
    """

    spends = deliberates = criticises = True

    models: ChatModel
    questions: Questions = field(default_factory=Questions)

    @abstractmethod
    def ask_for_action(self, view: TaskView, plan: Plan, steps: Sequence[Step], *, sample: int = 0) -> ProposedAction:
        """What the model says to the question for the next action."""

    @abstractmethod
    def action_of(self, view: TaskView, plan: Plan, steps: Sequence[Step], reply: ProposedAction) -> Action:
        """The action that a reply to that question asks for."""

    def complete_text(self, request: ModelRequest) -> ModelReply:
        """A reply in words; ``ModelMistake`` where the model would not answer, or recites the rules it was given."""
        reply = self.models.complete(request)
        if reply.refused:
            raise ModelMistake("the model would not answer, which says nothing about the task")
        rules = request.messages[0].text
        if repeats(reply.text, rules):
            raise ModelMistake("the reply repeats the rules and does nothing")
        return reply

    def complete_json(self, request: ModelRequest) -> ModelReply:
        """A usable reply; ``ModelMistake`` where there is none."""
        reply = self.complete_text(request)
        if reply.data is None:
            raise ModelMistake("the model would not answer, which says nothing about the task")
        return reply

    def ask_own(self, name: str, parts: Sequence[Message], schema: Mapping[str, Any]) -> Any:
        """The value that a question by ``prompts/NAME.md`` gives, without what only repeats an example of its rules."""
        request = self.questions.ask(name, parts, schema)
        return _without_rules(self.complete_json(request).data, one_line(request.messages[0].text))

    def alternatives(
        self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits, wanted: int
    ) -> tuple[Action, ...]:
        """Answers to the question that the last step answered, each different from the others."""
        started = time.process_time()
        *before, last = steps
        answers: dict[str, Action] = {last.action.code: last.action}
        for number in range(1, wanted + 1):
            try:
                # Above the numbers of the knob `samples`, so that no two of these questions have one seed.
                reply = self.ask_for_action(view, plan, before, sample=100 + number)
            except (ModelMistake, BudgetExhausted):  # there is an answer already
                break
            if reply.kind == "code" and reply.answer:
                other = self.action_of(view, plan, before, reply)
                answers.setdefault(other.code, other)
        spent = Cost(seconds=round(time.process_time() - started, 6))
        return (*list(answers.values())[1:], Action(kind="finish", text=f"{len(answers) - 1} rivals", cost=spent))

    def decompose(self, view: TaskView, plan: Plan, share: float) -> Plan:
        """Asks for functions that make up the answer, as subgoals.

        Raises:
            ModelMistake: The model gave nothing usable.
        """
        parts = [*facts_message(plan.told, self.questions.rooms.facts), task_message(view)]
        reply: Any = self.complete_json(self.questions.ask("decompose", parts, PLAN_SCHEMA)).data
        subgoals = read_subgoals(reply["subgoals"])
        return replace(plan, goal=str(reply["goal"])[:300] or plan.goal, subgoals=subgoals) if subgoals else plan

    def critique(self, view: TaskView, plan: Plan, steps: Sequence[Step]) -> tuple[str, tuple[Row, ...]]:
        """Asks for calls on which the last step's answer is wrong; whoever asks runs them.

        Raises:
            ModelMistake: The model gave nothing usable.
        """
        parts = [
            *facts_message(plan.told, self.questions.rooms.facts),
            task_message(view),
            _answer_message(steps[-1]),
        ]
        reply: Any = self.complete_json(self.questions.ask("critique", parts, CRITIQUE_SCHEMA, seed=len(steps))).data
        # A case with another number of arguments would fail on every answer.
        width = {len(row.input) for row in view.examples}
        cases = [row for row in _rows(reply["cases"]) if not width or len(row.input) in width]
        return " ".join(str(reply["fault"]).split())[:_LONGEST], tuple(cases)

    def revise(self, view: TaskView, plan: Plan, steps: Sequence[Step], doubt: str) -> Action:
        """Asks for the answer of the last step, changed so that the doubt no longer holds.

        Raises:
            ModelMistake: The model gave nothing usable, or no answer.
        """
        parts = [
            *facts_message(plan.told, self.questions.rooms.facts, CITED[self.questions.form]),
            task_message(view),
            _answer_message(steps[-1]),
            Message(role="user", text="The doubt:\n" + quote_text("doubt", doubt), priority=ESSENTIAL, kind="doubt"),
        ]
        reply = self.complete_text(self.questions.ask("revise", parts, seed=len(steps)))
        proposed = read_proposal(reply.text, view, environment_kind(view.environment), reply.data)
        if proposed.kind != "code" or not proposed.answer:
            raise ModelMistake("the revision holds no answer")
        return self.action_of(view, plan, steps, proposed)


def _without_rules(value: Any, rules: str) -> Any:
    """A value whose texts of three words and more are empty where they stand in the rules, as an example there."""
    if isinstance(value, str):
        line = one_line(value)
        return "" if len(re.findall(r"[^\W_]+", line)) >= _COPIED and line in rules else value
    if isinstance(value, list):
        return [_without_rules(each, rules) for each in value]
    if isinstance(value, dict):
        return {name: _without_rules(each, rules) for name, each in value.items()}
    return value


def _answer_message(step: Step) -> Message:
    text = "The answer:\n" + quote_text("code", step.action.source, name=f"step {step.number}")
    return Message(role="user", text=text, priority=ESSENTIAL, kind="answer")


def _rows(cases: Sequence[Mapping[str, str]]) -> Iterator[Row]:
    """The calls that can be read; what is no JSON is left out."""
    for case in cases[:_MOST_CASES]:
        inputs, expected = _value(case["input"]), _value(case["expected"])
        if inputs and isinstance(inputs[0], list) and expected:
            yield Row(input=tuple(inputs[0]), output=expected[0])


def _value(text: str) -> tuple[Json, ...]:
    try:
        return (json.loads(text, parse_constant=_refuse),)
    except (ValueError, RecursionError):
        return ()


def _refuse(name: str) -> None:
    """Called for NaN and Infinity, which Python reads as JSON and which equal no answer."""
    raise ValueError(f"{name} is no JSON")
