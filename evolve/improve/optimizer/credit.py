"""Finds which prompt is to blame for failures: where failed episodes part from solved ones, then what edits change.

What a step was made from is recorded with it. So the causes of a failure are looked for among what the failed answer
really consumed, not among what merely came before (Zhang et al., "GraphTracer", arXiv 2510.10581). Where a successful
episode of the same task is at hand, the first output that differs although its inputs agree is where they part. Such
counts are observations; episodes run again with one prompt changed are interventions and weigh more the more there are.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from evolve.core.episodes import EpisodeRecord, Step, Subgoal, stated_subgoals
from evolve.core.files import canonical_json
from evolve.policies.language.plans import carries_plan
from evolve.trials.gate import is_informative

ACT, PLAN, REFLECT, DISTILL = "act.md", "plan.md", "reflect.md", "distill.md"
"""Prompts that may be to blame, where a step names no other."""

_UNMATCHED = 0.1
"""Weight of a failure without a successful episode beside it."""
_TURNED, _STAYED = 10.0, 0.55
"""How much likelier each outcome of an intervention is where the prompt is the one to blame: a fitting edit of it turns
a failure around about every second time, an edit of another prompt hardly ever."""


@dataclass(frozen=True, kw_only=True)
class StageOutput:
    """What one question to a prompt gave.

    Attributes:
        id: ``plan``, ``step:N``, or the id of an insight or skill.
        prompt: File name of the prompt that was asked.
        consumed: Ids of the outputs it was made from.
        refuted: What came back says that this output was wrong.
    """

    id: str
    prompt: str
    text: str = ""
    consumed: tuple[str, ...] = ()
    refuted: bool = False


def stage_outputs(record: EpisodeRecord) -> tuple[StageOutput, ...]:
    """The outputs of an episode in order, with the edges between them.

    A plan that the first reply carried is part of what that gave; one that was asked for comes from ``plan.md``. A step
    names its prompt, else it is ``act.md``; where it names no earlier step that it was
    made from, all earlier ones are meant, as they stand in its prompt. Insights come from ``reflect.md`` and skills
    from ``distill.md``, of whatever episode.
    """
    outputs: dict[str, StageOutput] = {}
    planned = record.steps[0].action.plan if record.steps else None
    if planned is not None and planned.subgoals and not carries_plan(record.steps[0]):
        outputs["plan"] = StageOutput(id="plan", prompt=PLAN, text=_plan_text(planned.subgoals))
    for step in record.steps:
        named = [source for source in step.action.consumed if source.startswith("step:") or source == "task"]
        for source in step.action.consumed:
            if source not in named:
                outputs.setdefault(
                    source, StageOutput(id=source, prompt=DISTILL if source.startswith("skill:") else REFLECT)
                )
        earlier = [output.id for output in outputs.values() if output.id == "plan" or output.id.startswith("step:")]
        learned = [source for source in step.action.consumed if source not in named]
        name = f"step:{step.number}"
        outputs[name] = StageOutput(
            id=name,
            prompt=step.action.prompt or ACT,
            text=_said(step),
            consumed=tuple([*(named or earlier), *learned]),
            refuted=_is_refuted(step),
        )
    return tuple(outputs.values())


def _said(step: Step) -> str:
    """What a step's reply came to, with the plan that it carried."""
    text = step.action.code or step.action.text
    carried = stated_subgoals(step) if step.action.revised or carries_plan(step) else ()
    return f"{text}\n{_plan_text(carried)}" if carried else text


def _plan_text(subgoals: Sequence[Subgoal]) -> str:
    return canonical_json([asdict(subgoal) for subgoal in subgoals])


def _is_refuted(step: Step) -> bool:
    observation, judgement = step.observation, step.judgement
    if observation is None or observation.fault or observation.denied or step.action.explores:
        return False
    return not observation.ok or (judgement is not None and not judgement.accepted)


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """Where a failed episode went wrong.

    Attributes:
        output: Id of the output that went wrong, as :class:`StageOutput` has it.
        given: The texts of what the output was made from; () where that is the task alone.
        right: What a successful episode made from the same, or "" where there is none to compare with.
        came: What came of the failed episode, in words.
        weight: How much it counts; 1 for a first divergence.
    """

    task: str
    prompt: str
    given: tuple[str, ...]
    said: str
    right: str = ""
    came: str = ""
    weight: float = 1.0
    output: str = ""

    def summary(self, task: str = "") -> str:
        """The divergence as a trace for a rewriter.

        Args:
            task: What the task asks and gives.
        """
        lines = [f"Trace {self.task}, failed"]
        if task and self.given:
            lines.append(f"Task: {task}")
        lines += [f"Given: {' and '.join(self.given) or task or 'the task'}", f"Said: {self.said}"]
        if self.right:
            lines.append(f"Right: {self.right}")
        if self.came:
            lines.append(f"Came of it: {self.came}")
        return "\n".join(lines) + "\n"


def find_divergences(failed: EpisodeRecord, solved: Sequence[EpisodeRecord] = ()) -> tuple[Divergence, ...]:
    """Where a failed episode parts from successful ones of the same task, else what of it may have been wrong."""
    outputs = stage_outputs(failed)
    peers = [other for other in solved if other.task == failed.task]
    first = [
        divergence for other in peers for divergence in _first_divergences(failed.task, outputs, stage_outputs(other))
    ]
    parted = tuple(replace(divergence, weight=divergence.weight / len(peers)) for divergence in first) or _suspects(
        failed.task, outputs
    )
    outcomes = {f"step:{step.number}": _what_came_back(step) for step in failed.steps}
    # Giving up comes after the failure; what it says of itself tells nothing about the answer.
    answers = [step for step in failed.steps if step.action.kind == "code"] or list(failed.steps)
    last = next((_what_came_back(step) for step in reversed(answers) if _what_came_back(step)), "")
    return tuple(replace(divergence, came=outcomes.get(divergence.output) or last) for divergence in parted)


def _what_came_back(step: Step) -> str:
    observation, judgement = step.observation, step.judgement
    if observation is None or not _is_refuted(step):
        return ""
    if judgement is not None and observation.ok:
        return "right on what was shown, refused on what was not"
    return observation.error or observation.text or f"wrong: it gave {canonical_json(list(observation.outputs))[:600]}"


def _first_divergences(
    task: str, failed: Sequence[StageOutput], solved: Sequence[StageOutput]
) -> tuple[Divergence, ...]:
    """Outputs of the failed episode that differ though what they were made from agrees."""
    ours, theirs = {output.id: output for output in failed}, {output.id: output for output in solved}
    involved = _involved(failed)
    firsts = []
    for output in failed:
        other = theirs.get(output.id)
        if output.id not in involved or (other is not None and _says_the_same(output, other)):
            continue
        if other is None and output.prompt in (REFLECT, DISTILL):
            text = output.text or output.id
            firsts.append(Divergence(task=task, prompt=output.prompt, given=(), said=text, output=output.id))
        elif other is not None and other.prompt == output.prompt and _inputs_agree(output, other, ours, theirs):
            parted = Divergence(
                task=task,
                prompt=output.prompt,
                given=_input_texts(output, ours),
                said=output.text,
                right=other.text,
                output=output.id,
            )
            firsts.append(parted)
    # A failed episode weighs one in all, however many of its outputs differ.
    share = 1.0 / max(1, len(firsts))
    return tuple(replace(divergence, weight=share) for divergence in firsts)


def _suspects(task: str, outputs: Sequence[StageOutput]) -> tuple[Divergence, ...]:
    """Without anything to compare with: the first refuted output, and less and less what it was made from."""
    by_id = {output.id: output for output in outputs}
    start = next((output for output in outputs if output.refuted), outputs[-1] if outputs else None)
    if start is None:
        return ()
    weights: dict[str, float] = {start.id: 1.0}
    layer = [start]
    while layer:
        above = [by_id[name] for output in layer for name in output.consumed if name in by_id and name not in weights]
        for output in above:
            weights[output.id] = weights[layer[0].id] / 2
        layer = list({output.id: output for output in above}.values())
    whole = sum(weights.values())
    return tuple(
        Divergence(
            task=task,
            prompt=by_id[name].prompt,
            given=_input_texts(by_id[name], by_id),
            said=by_id[name].text or name,
            weight=_UNMATCHED * weight / whole,
            output=name,
        )
        for name, weight in weights.items()
    )


def _involved(outputs: Sequence[StageOutput]) -> set[str]:
    """Ids of the last output and of all that it was made from, at whatever distance."""
    by_id = {output.id: output for output in outputs}
    involved: set[str] = set()
    pending = [outputs[-1].id] if outputs else []
    while pending:
        name = pending.pop()
        if name in by_id and name not in involved:
            involved.add(name)
            pending.extend(by_id[name].consumed)
    return involved


def _says_the_same(output: StageOutput, other: StageOutput) -> bool:
    return output.text.split() == other.text.split()


def _inputs_agree(
    output: StageOutput, other: StageOutput, ours: Mapping[str, StageOutput], theirs: Mapping[str, StageOutput]
) -> bool:
    return set(output.consumed) == set(other.consumed) and all(
        _says_the_same(ours[name], theirs[name]) for name in output.consumed if name in ours and name in theirs
    )


def _input_texts(output: StageOutput, by_id: Mapping[str, StageOutput]) -> tuple[str, ...]:
    return tuple(by_id[name].text or name for name in output.consumed if name in by_id)


@dataclass(frozen=True, kw_only=True)
class Intervention:
    """A failed episode run again with one prompt changed and all else fixed."""

    prompt: str
    flipped: bool
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class PromptBlame:
    """How much a prompt is to blame.

    Attributes:
        score: Probability that it is the one to blame, if one is: divergences as counts over a flat Dirichlet prior,
            then Bayes' rule for each intervention. All scores sum to one.
        divergences: Those of this prompt, the heaviest first.
    """

    prompt: str
    score: float
    divergences: tuple[Divergence, ...]
    interventions: tuple[Intervention, ...]

    @property
    def evidence(self) -> str:
        """What the score rests on, in one sentence."""
        matched = sum(1 for divergence in self.divergences if divergence.right)
        flipped = sum(intervention.flipped for intervention in self.interventions)
        return (
            f"{matched} first divergences beside a success, {len(self.divergences) - matched} without one;"
            f" {flipped} of {len(self.interventions)} interventions turned a failure around"
        )


def rank_blame(
    records: Iterable[EpisodeRecord], prompts: Sequence[str], interventions: Sequence[Intervention] = ()
) -> tuple[PromptBlame, ...]:
    """The prompts by how much they are to blame for the failed episodes, the most first.

    Episodes that the environment cut short say nothing and are left out.

    Args:
        records: Failed and successful episodes, in any order; those of the same task are compared.
        prompts: File names of what may be blamed.
    """
    informative = [record for record in records if is_informative(record)]
    by_task: dict[str, list[EpisodeRecord]] = defaultdict(list)
    for record in informative:
        by_task[record.task].append(record)
    by_prompt: dict[str, list[Divergence]] = {prompt: [] for prompt in prompts}
    for same in by_task.values():
        solved = [record for record in same if record.solved]
        # A task that mostly succeeds fails by chance rather than for want of something in a prompt.
        steady = (1 - len(solved) / len(same)) ** 2
        for divergence in (
            divergence for record in same if not record.solved for divergence in find_divergences(record, solved)
        ):
            if divergence.prompt in by_prompt:
                by_prompt[divergence.prompt].append(replace(divergence, weight=divergence.weight * steady))
    scores = {
        prompt: (1 + sum(divergence.weight for divergence in by_prompt[prompt]))
        * math.prod(
            _TURNED if intervention.flipped else _STAYED
            for intervention in interventions
            if intervention.prompt == prompt
        )
        for prompt in prompts
    }
    whole = math.fsum(scores.values())
    ranked = [
        PromptBlame(
            prompt=prompt,
            score=scores[prompt] / whole,
            divergences=tuple(
                sorted(
                    by_prompt[prompt],
                    key=lambda divergence: (-divergence.weight, divergence.task, not divergence.right),
                )
            ),
            interventions=tuple(intervention for intervention in interventions if intervention.prompt == prompt),
        )
        for prompt in prompts
    ]
    return tuple(sorted(ranked, key=lambda entry: (-entry.score, entry.prompt)))
