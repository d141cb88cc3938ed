"""The policy that asks a language model: it plans, acts, reflects and distils through structured replies."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evolve.cancellation import Cancellation
from evolve.environments import kind_of
from evolve.environments.probing import Probe
from evolve.episodes import (
    PREFERENCE,
    TRIAL,
    Action,
    Alternative,
    Claim,
    Cost,
    Limits,
    Plan,
    Recalled,
    SkillDraft,
    Step,
    TaskView,
)
from evolve.errors import BudgetExhausted, ModelMistake
from evolve.files import digest
from evolve.ledger import Budget
from evolve.models import KEPT, ChatModel, Message, ModelReply, ModelRequest
from evolve.policies.language.asking import ACTION_SCHEMA, CLAIMS_SCHEMA, SKILL_SCHEMA, Questions
from evolve.policies.language.claims import unfit
from evolve.policies.language.deliberation import Deliberation
from evolve.policies.language.metering import EpisodeMeter
from evolve.policies.language.mounting import imported, mount, skill_files
from evolve.policies.language.plans import (
    PLAN_SCHEMA,
    current_subgoals,
    read_subgoals,
    refuted_subgoal,
    revised,
)
from evolve.policies.language.prompt import (
    earlier_message,
    facts_message,
    fitting_wishes,
    plan_message,
    short_id,
    skill_id,
    skills_message,
    step_text,
    steps_message,
    task_message,
    wishes_message,
)
from evolve.policies.language.quoting import page_of, quoted
from evolve.policies.language.reflection import (
    as_trial,
    cause_of,
    evidence_messages,
    evidence_of,
    is_failure,
    read_claims,
    right_answer,
    unfit_fact,
)
from evolve.policies.language.repeated_question import RepeatedQuestion, state_before
from evolve.policies.language.repetition import is_decided, open_question, repeats, told_in
from evolve.policies.language.streaming import Watched
from evolve.policies.protocol import OnPiece
from evolve.skills import Skill

_HANDLE = re.compile(r"step\s+(\d+)(?:\s+page\s+(\d+))?", re.IGNORECASE)
_AGAIN = "\nYour last proposal repeats an earlier step. Change the strategy: do something that was not done before."
_FIRM = frozenset({"confirmed"})


@dataclass(frozen=True, kw_only=True)
class LanguageSettings:
    """How the policy works.

    Attributes:
        plans: Ask for a plan first; without, the task is its own plan.
        reflects: Ask for claims after failures.
        distils: Ask for a name and description of right answers.
        refuted_after: Failed answers in a row on one subgoal after which it and what depends on it are planned anew.
        samples: Answers to one question; the agent runs all and goes on with the best.
        pairs: Most claims of one episode that are tried; None for all.
    """

    plans: bool = True
    reflects: bool = True
    distils: bool = True
    refuted_after: int = 2
    samples: int = 1
    pairs: int | None = None


@dataclass(frozen=True, kw_only=True)
class LanguagePolicy(Deliberation):
    """Decides by asking a model. Nothing of an episode is kept between calls but what it may still spend.

    Attributes:
        models: Who is asked.
        skills: Admitted skills, offered by import line.
        meter: The meter that ``models`` book on.
    """

    models: ChatModel
    questions: Questions = field(default_factory=Questions)
    skills: tuple[Skill, ...] = ()
    meter: EpisodeMeter = field(default_factory=EpisodeMeter)
    settings: LanguageSettings = field(default_factory=LanguageSettings)
    name: str = "language"

    @property
    def spent(self) -> Cost:
        """What calls have cost so far; it only rises."""
        return self.meter.spent

    def begin(self, limits: Limits) -> None:
        """Starts an episode that may spend ``limits``."""
        self.meter.start(Budget(tokens=limits.tokens, money=limits.money, calls=limits.calls, seconds=limits.seconds))

    def attended(self, cancellation: Cancellation, on_piece: OnPiece | None = None) -> LanguagePolicy:
        """The same policy, whose questions can be stopped and whose replies are told while they come."""
        return replace(self, models=Watched(models=self.models, cancellation=cancellation, on_piece=on_piece))

    def trying(self, pairs: int) -> LanguagePolicy:
        """The same policy, which tries at most so many claims of one episode."""
        return replace(self, settings=replace(self.settings, pairs=pairs))

    def features(self, view: TaskView) -> tuple[float, ...]:
        """None: similar tasks are found by their words."""
        return ()

    def files(self) -> Mapping[str, bytes]:
        """Files that sessions start with: the skills."""
        return skill_files(self.skills)

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """Asks for subgoals, and keeps what was recalled for the steps."""
        # Preferences and notes are a person's own words; of insights only those in plain sentences say something to a
        # model.
        items = tuple(item for item in recalled if item.kind in (PREFERENCE, "note") or not unfit_fact(item.text))
        if not self.settings.plans:
            return Plan(goal=view.instruction, told=items)
        rooms = self.questions.rooms
        wishes, earlier = wishes_message(items, rooms.wishes), earlier_message(view, rooms.earlier)
        parts = [*facts_message(items, rooms.facts), *wishes, *earlier, task_message(view)]
        try:
            reply = self.asked(self.questions.ask("plan", parts, PLAN_SCHEMA, evidence="")).data
        except ModelMistake:  # without a plan the task is its own
            return Plan(goal=view.instruction, told=items)
        return Plan(goal=str(reply["goal"])[:300], subgoals=read_subgoals(reply["subgoals"]), told=items)

    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """Asks for the next action. A proposal that repeats an earlier step is asked for once more, then ends it.

        Raises:
            ModelMistake: The model refused, or gave nothing usable.
        """
        asked = open_question(steps)
        if asked is not None:
            return asked
        started = time.process_time()
        subgoals, fresh = self._subgoals(view, plan, steps)
        now = replace(plan, subgoals=subgoals)
        reply = self.proposal(view, now, steps)
        if repeats(reply, steps):
            reply = self.proposal(view, now, steps, strategy=_AGAIN)
            if repeats(reply, steps):
                return Action(kind="finish", text="the same step was proposed again and again, so this stops here")
        action = self.action_of(view, plan, steps, reply)
        if action.kind == "code" and not action.explores and kind_of(view.environment).one_file:
            action = self._sampled(view, now, steps, action)
        if fresh:
            action = replace(action, revised=subgoals)
        return replace(action, cost=Cost(seconds=round(time.process_time() - started, 6)))

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: Probe) -> tuple[Claim, ...]:
        """Claims, each with one intervention: the task is asked anew with and without the claim.

        Raises:
            ModelMistake: The model gave nothing usable; then nothing is learned.
        """
        if not (self.settings.reflects and (view.examples or view.check)):
            return ()
        if not any(is_failure(step) for step in steps):
            return self._tested_again(view, group, steps, probe)
        parts = [task_message(view), *evidence_messages(view, steps)]
        reply = self.asked(self.questions.ask("reflect", parts, CLAIMS_SCHEMA))
        items = told_in(steps)
        known = [item.text for item in items if item.kind != TRIAL]
        # What may not act yet was recalled only to be tried, and it is tried here.
        open_ones = [{"cause": cause_of(item), "condition": ""} for item in items if item.kind == TRIAL]
        claims = read_claims([*open_ones[:1], *reply.data["claims"]], view, known=known)[: self.settings.pairs]
        if not claims:
            return ()
        question = self._repeated_question(view, steps, probe)
        # Once for all claims: an answer without any of them.
        without = question.solves(())
        tested = []
        for claim in claims if without is not None else ():
            with_it = question.solves([as_trial(claim)])
            if with_it is not None:
                evidence = evidence_of(view, group, with_it=with_it, without_it=bool(without))
                tested.append(replace(claim, evidence=(evidence,)))
        return tuple(tested)

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """The verified answer as a skill, under a name and description that the model gives.

        Raises:
            ModelMistake: The model gave nothing usable; then nothing is kept.
        """
        right = right_answer(steps)
        if right is None or not self.settings.distils or not view.examples:
            return ()
        parts = [task_message(view), Message(role="user", text=step_text(view, right), priority=KEPT, kind="answer")]
        reply = self.asked(self.questions.ask("distill", parts, SKILL_SCHEMA)).data
        described = " ".join(str(reply["description"]).split())
        # A model's own words, which would stand in later prompts.
        if unfit(described):
            described = f"Answers tasks of the family {view.family} such as {view.id}."
        return (
            SkillDraft(
                name=_skill_name(str(reply["name"]), right.action.code),
                description=described,
                entry=view.entry,
                signature=view.signature,
                code=right.action.code,
                tests=view.examples,
                source=view.id,
            ),
        )

    def asked(self, request: ModelRequest) -> ModelReply:
        reply = self.models.complete(request)
        if reply.refused or reply.data is None:
            raise ModelMistake("the model would not answer, which says nothing about the task")
        return reply

    def _subgoals(self, view: TaskView, plan: Plan, steps: Sequence[Step]) -> tuple[Any, bool]:
        """The subgoals in force, and whether evidence has just changed them."""
        subgoals = current_subgoals(plan, steps)
        refuted = refuted_subgoal(steps, self.settings.refuted_after)
        if not (subgoals and refuted and any(subgoal.id == refuted for subgoal in subgoals)):
            return subgoals, False
        evidence = f"Subgoal {refuted[1:]} failed. Plan it, and what depends on it, in another way."
        parts = [
            task_message(view),
            *plan_message(plan, subgoals),
            *steps_message(view, steps, self.questions.rooms.steps),
        ]
        try:
            reply = self.asked(self.questions.ask("plan", parts, PLAN_SCHEMA, seed=len(steps), evidence=evidence)).data
        except ModelMistake:  # the old plan is better than none
            return subgoals, False
        return revised(subgoals, refuted, read_subgoals(reply["subgoals"])), True

    def proposal(
        self, view: TaskView, plan: Plan, steps: Sequence[Step], strategy: str = "", *, sample: int = 0
    ) -> Mapping[str, Any]:
        rooms = self.questions.rooms
        parts = [
            *skills_message(self._best_skills(view), rooms.skills),
            *facts_message(plan.told, rooms.facts),
            *wishes_message(plan.told, rooms.wishes),
            *earlier_message(view, rooms.earlier),
            task_message(view),
            *plan_message(plan, plan.subgoals),
            *steps_message(view, steps, rooms.steps),
        ]
        # A number for every question of an episode, odd where it is asked a second time.
        seed = 1_000 * sample + 2 * len(steps) + bool(strategy)
        request = self.questions.ask("act", parts, ACTION_SCHEMA, seed=seed, strategy=strategy)
        # How often the answer was refused decides how dear a model is asked.
        reply: Mapping[str, Any] = self.asked(replace(request, refused=_refusals(steps))).data
        return reply

    def _sampled(self, view: TaskView, plan: Plan, steps: Sequence[Step], action: Action) -> Action:
        """The action with further answers to the same question, each different from the others."""
        samples: dict[str, Alternative] = {}
        for number in range(1, self.settings.samples):
            try:
                reply = self.proposal(view, plan, steps, sample=number)
            except (ModelMistake, BudgetExhausted):  # there is an answer already
                break
            if reply["kind"] != "code" or not reply["answer"]:
                continue
            other = self.action_of(view, plan, steps, reply)
            if other.code != action.code:
                samples[other.code] = replace(other.as_alternative, written=str(reply["code"]))
        if not samples:
            return action
        decided = is_decided(fitting_wishes(plan.told, self.questions.rooms.wishes), steps)
        return replace(action, samples=tuple(samples.values()), decided=decided)

    def _best_skills(self, view: TaskView) -> list[Skill]:
        """Skills by how well their words fit the task, those of the same types first where words say nothing."""
        from evolve.retrieval import BM25

        texts = {skill.digest: f"{skill.name.replace('-', ' ')} {skill.description}" for skill in self.skills}
        scores = BM25(texts).scores(f"{view.family} {view.instruction}") if texts else {}
        order = sorted(
            self.skills,
            key=lambda skill: (-scores.get(skill.digest, 0.0), skill.signature != view.signature, skill.name),
        )
        return order[:12]

    def action_of(self, view: TaskView, plan: Plan, steps: Sequence[Step], reply: Mapping[str, Any]) -> Action:
        one_file = kind_of(view.environment).one_file
        kind, text = reply["kind"], " ".join(str(reply["text"] or reply["thought"]).split())[:300]
        action = Action(
            kind=kind,
            text=text,
            subgoal=f"s{reply['subgoal']}" if reply["subgoal"] > 0 else "",
            plan=None if steps else Plan(goal=plan.goal, subgoals=plan.subgoals, told=plan.told),
        )
        if kind == "code" and not reply["answer"] and one_file:
            return replace(action, code=str(reply["code"]), explores=True)
        if kind == "code":
            # In a folder the sandbox has the skills to import, because what an action writes is no single file.
            put_in = mount if one_file else imported
            mounted = put_in(str(reply["code"]), self.skills)
            written = str(reply["code"]) if mounted.code != reply["code"] else ""
            used = [f"skill:{skill_digest}" for skill_digest in mounted.used]
            wished = [wish.id for wish in fitting_wishes(plan.told, self.questions.rooms.wishes)]
            consumed = tuple(dict.fromkeys([*wished, *self._cited(reply["cites"], plan.told), *used]))
            return replace(action, code=mounted.code, written=written, consumed=consumed)
        shown = _stored(view, steps, str(reply["text"])) if kind == "recall" else ""
        return replace(action, text=str(reply["text"])[:2_000] or text, shown=shown)

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

    def _repeated_question(self, view: TaskView, steps: Sequence[Step], probe: Probe) -> RepeatedQuestion:
        # A skill that rests on the same fact would hide whether the fact makes a difference.
        bare = replace(self, skills=())
        before, snapshot = state_before(steps)

        def ask(facts: Sequence[Recalled], earlier: Sequence[Step]) -> Mapping[str, Any]:
            return bare.proposal(view, Plan(goal="", told=tuple(facts)), earlier)

        return RepeatedQuestion(view=view, probe=probe, ask=ask, steps=before, snapshot=snapshot)

    def _tested_again(self, view: TaskView, group: str, steps: Sequence[Step], probe: Probe) -> tuple[Claim, ...]:
        """Tests a fact after a right first answer: one that it cited and that is not settled yet is left out.

        Where there is none, one that may not act here yet is tried in the same way.
        """
        right = right_answer(steps)
        if right is None:
            return ()
        known = told_in(steps)
        facts = [item for item in known if item.kind == "insight"]
        open_ones = [fact for fact in facts if fact.id in right.action.consumed and fact.status not in _FIRM]
        on_trial = () if open_ones else [item for item in known if item.kind == TRIAL][:1]
        for fact in (*open_ones[:1], *on_trial):
            claims = read_claims([{"cause": cause_of(fact), "condition": "", "relation": ""}], view)
            question = self._repeated_question(view, steps, probe)
            if on_trial:
                facts = [*facts, replace(fact, kind="insight")]
            with_it = question.solves(facts) if self.skills or on_trial else True
            without = question.solves([other for other in facts if other.id != fact.id])
            if claims and with_it is not None and without is not None:
                evidence = evidence_of(view, group, with_it=with_it, without_it=without)
                return (replace(claims[0], evidence=(evidence,)),)
        return ()


def _stored(view: TaskView, steps: Sequence[Step], wanted: str) -> str:
    """The page of an earlier step that is asked for, or "" where no step is named."""
    match = _HANDLE.search(wanted)
    if match is None or not 1 <= int(match[1]) <= len(steps):
        return ""
    text = step_text(view, steps[int(match[1]) - 1], whole=True)
    return quoted("step", page_of(text, int(match[2] or 1)), name=match[1])


def _refusals(steps: Sequence[Step]) -> int:
    """Answers that were put to the verifier and failed."""
    judged = [step.judgement for step in steps if step.judgement is not None]
    return sum(not (judgement.accepted or judgement.fault) for judgement in judged)


def _skill_name(name: str, code: str) -> str:
    plain = "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:48].strip("-") or "answer"
    return f"{plain}-{digest(code)[:4]}"
