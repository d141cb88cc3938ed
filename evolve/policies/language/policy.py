"""The policy that asks a language model: it plans, acts, reflects and distils through structured replies."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import (
    PREFERENCE,
    TRIAL,
    Action,
    Alternative,
    Claim,
    Cost,
    Guidance,
    Limits,
    OfferedFunction,
    Plan,
    Recalled,
    SkillDraft,
    Step,
    Suggestion,
    TaskView,
)
from evolve.core.errors import BudgetExhausted, ModelMistake
from evolve.core.ledger import Budget
from evolve.environments import ReflectionTrials, environment_kind
from evolve.policies.base import Once, OnPiece, PastWork, ProcedureCall
from evolve.policies.language.deliberation import ModelPolicy
from evolve.policies.language.drafting import drafts_of, proceeding_of, repaired_draft
from evolve.policies.language.drawing import Draw, DrawPlan, count_refusals, next_draw
from evolve.policies.language.forms import CITED, read_written
from evolve.policies.language.loop_detection import is_decided, open_question, stuck_reason
from evolve.policies.language.model_calls import CachedModel, EpisodeMeter, WatchedModel
from evolve.policies.language.plans import PLAN_SCHEMA, adopt_plan, read_subgoals
from evolve.policies.language.prompt import (
    earlier_message,
    facts_message,
    fitting_wishes,
    guidance_message,
    is_tested_move,
    plan_message,
    short_id,
    task_message,
    tested_message,
    today_message,
    wishes_message,
)
from evolve.policies.language.proposals import ProposedAction, read_proposal
from evolve.policies.language.quoting import LearnedItem, quoted_items, truncate_middle
from evolve.policies.language.reflection import Reflection, unfit_fact
from evolve.policies.language.skills import find_imported_skills, inline_skills, skill_files, skill_id, skill_offer
from evolve.policies.language.suggestions import suggestions_of
from evolve.policies.language.transcript import SEEN, TurnLimits, conversation_turns
from evolve.runtime.models import DRAWN_AT, Message
from evolve.skills import Skill

_DESCRIPTION = 300
"""Characters of what a function is said to do."""

_LEAD = "Your Python may call these functions. They act outside of its interpreter:"
_HOW = """\
`from functions import {name}` brings one in. A call that fails or is not allowed raises `FunctionError` of the same
module, with the reason; the person may be asked before one is made. Code may call them in loops and by conditions;
print no more of what they give than you need."""
_ANSWERS = " Code that is handed in as the answer, and checks of a plan, cannot call them."
_CHECKS = " Checks cannot call them."
_SHARED = "act.md"
"""The prompt that an action comes from where it names none."""
_LETTERS = 3
"""Characters of a token, rather too few: code and other languages than English have fewer than prose."""


@dataclass(frozen=True, kw_only=True)
class LanguageSettings:
    """How the policy works.

    Attributes:
        plans: Ask for a plan before the first action; without, the first action may carry one.
        reflects: Ask for claims after failures.
        distils: Ask for a name and description of right answers.
        samples: Answers to one question. Where rows decide they are drawn one at a time until one fits
            (:mod:`~evolve.policies.language.drawing`); else the agent runs all and goes on with the commonest value.
        pairs: Most claims of one episode that are tried; None for all.
        differing: What an action gave is told as its difference to an earlier one, where it is long and mostly alike.
    """

    plans: bool = False
    reflects: bool = True
    distils: bool = True
    samples: int = 1
    pairs: int | None = None
    differing: bool = False


@dataclass(frozen=True, kw_only=True)
class LanguagePolicy(ModelPolicy):
    """Decides by asking a model. Nothing of an episode is kept between calls but what it may still spend.

    Attributes:
        skills: Admitted skills, offered by import line.
        meter: The meter that ``models`` book on.
        guidance: Skills and notes of others, offered by name and read on demand.
    """

    skills: tuple[Skill, ...] = ()
    meter: EpisodeMeter = field(default_factory=EpisodeMeter)
    settings: LanguageSettings = field(default_factory=LanguageSettings)
    name: str = "language"
    guidance: Guidance = field(default_factory=Guidance)

    @property
    def total_cost(self) -> Cost:
        """What calls have cost so far; it only rises."""
        return self.meter.spent

    def start_budget(self, limits: Limits) -> None:
        """Starts an episode that may spend ``limits``."""
        self.meter.start(Budget(tokens=limits.tokens, money=limits.money, calls=limits.calls, seconds=limits.seconds))

    def with_supervision(self, cancellation: Cancellation, on_piece: OnPiece | None = None) -> LanguagePolicy:
        """The same policy, whose questions can be stopped and whose replies are told while they come."""
        return replace(self, models=WatchedModel(models=self.models, cancellation=cancellation, on_piece=on_piece))

    def with_claim_trials(self, pairs: int) -> LanguagePolicy:
        """The same policy, which tries at most so many claims of one episode."""
        return replace(self, settings=replace(self.settings, pairs=pairs))

    def with_reply_cache(self, once: Once) -> LanguagePolicy:
        """The same policy, whose replies are kept one by one."""
        return replace(self, models=CachedModel(models=self.models, once=once, meter=self.meter))

    def session_files(self) -> Mapping[str, bytes]:
        """Files that sessions start with: the skills, and those of others where they lie."""
        return {**skill_files(self.skills), **self.guidance.files()}

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """Asks for subgoals, and keeps what was recalled for the steps."""
        # Preferences and notes are a person's own words; of insights only those in plain sentences say something to a
        # model.
        items = tuple(
            item
            for item in recalled
            if item.kind in (PREFERENCE, "note") or is_tested_move(item) or not unfit_fact(item.text)
        )
        if not self.settings.plans:
            return Plan(goal=view.instruction, told=items)
        rooms = self.questions.rooms
        wishes, earlier = wishes_message(items, rooms.wishes), earlier_message(view, rooms.earlier)
        parts = [*facts_message(items, rooms.facts), *wishes, *earlier, task_message(view)]
        try:
            reply = self.complete_json(self.questions.ask("plan", parts, PLAN_SCHEMA, evidence="")).data
        except ModelMistake:  # without a plan the task is its own
            return Plan(goal=view.instruction, told=items)
        return Plan(goal=str(reply["goal"])[:300], subgoals=read_subgoals(reply["subgoals"]), told=items)

    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """Asks for the next action; one that was told that it turns in circles, and went on, is not asked any more.

        Raises:
            ModelMistake: The model refused.
        """
        asked = open_question(steps)
        if asked is not None:
            return asked
        kind = environment_kind(view.environment)
        draw = next_draw(view, steps, self._draws)
        reason = draw.ended or stuck_reason(draw.steps)
        if reason:
            return Action(kind="finish" if kind.one_file else "give_up", text=reason)
        started = time.process_time()
        told = TurnLimits.at_start(limits, steps)
        proposed = self.ask_for_action(draw.view, plan, draw.steps, sample=draw.number, told=told, draw=draw)
        action = self.action_of(view, plan, steps, proposed)
        if proposed.continues and not kind.one_file:
            action = replace(action, continues=True)
        if action.kind == "code" and action.code and not action.explores and kind.one_file and not view.examples:
            action = self._sampled(view, plan, steps, action)
        return replace(action, cost=Cost(seconds=round(time.process_time() - started, 6)))

    @property
    def _draws(self) -> DrawPlan:
        known = self.models.limits("act").draws
        return DrawPlan(samples=max(self.settings.samples, known), repeats=known > 1)

    def uncounted_steps(self, view: TaskView, steps: Sequence[Step]) -> int:
        """Further draws of the first question."""
        return self._draws.uncounted_draws(view, steps)

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: ReflectionTrials) -> tuple[Claim, ...]:
        """Claims with evidence; see :class:`~evolve.policies.language.reflection.Reflection`.

        Raises:
            ModelMistake: The model gave nothing usable; then nothing is learned.
        """
        if not (self.settings.reflects and (view.examples or view.check)):
            return ()
        bare, skilled = replace(self, skills=()), bool(self.skills)
        made = Reflection(policy=self, bare=bare, skilled=skilled, view=view, group=group, steps=steps, trials=probe)
        return replace(made, most=self.settings.pairs).claims()

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """The verified answer as a skill, under a name and description that the model gives.

        Raises:
            ModelMistake: The model gave nothing usable; then nothing is kept.
        """
        return drafts_of(view, steps, self.ask_own) if self.settings.distils else ()

    def propose_procedure(
        self, view: TaskView, steps: Sequence[Step], change: str, past: PastWork
    ) -> ProcedureCall | None:
        """The accepted change as a call of a procedure."""
        return proceeding_of(view, steps, change, past, self.ask_own) if self.settings.distils else None

    def suggestions(self, view: TaskView, steps: Sequence[Step]) -> tuple[Suggestion, ...]:
        """What the run suggests to remember."""
        return suggestions_of(self, view, steps)

    def repair_draft(self, view: TaskView, draft: SkillDraft, refusal: str, passed: Sequence[str]) -> SkillDraft | None:
        """The draft with further calls among its tests, or with another source."""
        return repaired_draft(view, draft, refusal, passed, self.ask_own)

    def ask_for_action(
        self,
        view: TaskView,
        plan: Plan,
        steps: Sequence[Step],
        *,
        sample: int = 0,
        told: TurnLimits | None = None,
        draw: Draw | None = None,
    ) -> ProposedAction:
        rooms, kind = self.questions.rooms, environment_kind(view.environment)
        opening = [
            *skill_offer(self.skills, view, rooms.skills).messages,
            *_functions_message(view),
            *guidance_message(self.guidance),
            *facts_message(plan.told, rooms.facts, CITED[self.questions.form]),
            *tested_message(plan.told, view),
            *wishes_message(plan.told, rooms.wishes),
            *earlier_message(view, rooms.earlier),
            *today_message(view),
            task_message(view),
            *plan_message(plan, plan.subgoals),
            *(draw.wrong_rows_messages() if draw is not None else ()),
        ]
        # A number for every question of an episode.
        seed = 1_000 * sample + 2 * len(steps)
        limits = self.models.limits("act")
        room = int(limits.window * rooms.share * _LETTERS)
        parts = [*opening, *conversation_turns(view, steps, room, told, differing=self.settings.differing)]
        # Prompts of before had a place for a strategy.
        asked = self.questions.ask(
            kind.prompt.removesuffix(".md"), parts, seed=seed, turns=not self._draws.draws_alone(view), strategy=""
        )
        most = min(limits.reply, rooms.reply)
        # How often the answer was refused decides how dear a model is asked.
        refused = draw.refusals if draw is not None else count_refusals(steps)
        warmth = DRAWN_AT if sample else None
        reply = self.complete_text(replace(asked, refused=refused, code=True, max_tokens=most, temperature=warmth))
        return replace(read_proposal(reply.text, view, kind, reply.data), reasoning=reply.reasoning)

    def _sampled(self, view: TaskView, plan: Plan, steps: Sequence[Step], action: Action) -> Action:
        """The action with further answers to the same question, each different from the others."""
        samples: dict[str, Alternative] = {}
        for number in range(1, self.settings.samples):
            try:
                reply = self.ask_for_action(view, plan, steps, sample=number)
            except (ModelMistake, BudgetExhausted):  # there is an answer already
                break
            if reply.kind != "code" or not reply.answer:
                continue
            other = self.action_of(view, plan, steps, reply)
            if other.code != action.code:
                samples[other.code] = replace(other.as_alternative, written=reply.code)
        if not samples:
            return action
        decided = is_decided(fitting_wishes(plan.told, self.questions.rooms.wishes), steps)
        return replace(action, samples=tuple(samples.values()), decided=decided)

    def action_of(self, view: TaskView, plan: Plan, steps: Sequence[Step], reply: ProposedAction) -> Action:
        kind = environment_kind(view.environment)
        stated = adopt_plan(reply.plan, plan, steps, view.earlier[-1].plan if view.earlier else ())
        begun = any(not step.action.interrupted for step in steps)  # a reply that was stopped keeps no plan
        first = None if begun else replace(plan, subgoals=stated.subgoals or plan.subgoals, private={}, notes=())
        asked = "".join(block.text for block in read_written(reply.said).blocks_of("recall")) or reply.text
        shown = self.guidance.looked_up(asked, SEEN) if reply.kind == "recall" else ""
        # How the record names the functions that are shown
        action = Action(
            kind=reply.kind,
            text=asked.strip() if shown else reply.text,
            said=reply.said,
            shown=shown,
            private={"reasoning": dict(reply.reasoning)} if reply.reasoning else {},
            offered=(
                *skill_offer(self.skills, view, self.questions.rooms.skills).ids,
                *(() if begun else tuple(f"function:{one.digest}" for one in view.functions if one.digest)),
            ),
            prompt="" if kind.prompt == _SHARED else kind.prompt,
            subgoal=f"s{reply.subgoal}" if reply.subgoal else "",
            plan=first,
            revised=stated.subgoals if steps else (),
            finished=stated.finished,
        )
        if not reply.code:
            return action
        if reply.kind == "code" and not reply.answer and kind.one_file:
            return replace(action, code=reply.code, explores=True)
        # In a folder the sandbox has the skills to import, because what an action writes is no single file.
        put_in = inline_skills if kind.one_file else find_imported_skills
        mounted = put_in(reply.code, [skill for skill in self.skills if skill.works_in(view.environment)])
        written = reply.code if mounted.code != reply.code else ""
        used = [f"skill:{skill_digest}" for skill_digest in mounted.used]
        consumed = tuple(dict.fromkeys([*self._cited(reply.cites, plan.told), *used]))
        return replace(action, code=mounted.code, written=written, consumed=consumed)

    def _cited(self, cites: Sequence[str], items: Sequence[Recalled]) -> list[str]:
        """Ids of what a reply relies on: named by its id, or quoted word for word."""
        cited = [
            item.id
            for item in items
            if item.kind != TRIAL
            and any(cite.strip("[] ") == short_id(item) or cite.strip() == item.text.strip() for cite in cites)
        ]
        cited_ids = {cite.strip("[] ") for cite in cites}
        return cited + [f"skill:{skill.digest}" for skill in self.skills if skill_id(skill) in cited_ids]


def _functions_message(view: TaskView) -> list[Message]:
    """The functions with their signatures; what they are said to do is data of whoever offers them."""
    if not view.functions:
        return []
    shown = quoted_items("functions", [_item(one) for one in view.functions])
    kind = environment_kind(view.environment)
    without = "" if kind.accepts_unchecked else _ANSWERS if kind.one_file else _CHECKS
    text = f"{_LEAD}\n{shown}\n{_HOW.format(name=view.functions[0].name)}{without}"
    return [Message(role="user", text=text, priority=60, kind="functions")]


def _item(one: OfferedFunction) -> LearnedItem:
    origin = f"{one.does}; from {one.source}" if one.source else one.does
    text = truncate_middle(one.description, _DESCRIPTION)
    return LearnedItem(name="", head=one.signature, text=text, provenance=origin)
