"""Is a defect in one of five prompts found and mended, and do prompts stay small and whole under many rewrites?

The prompts belong to the order desk of ``benchmarks.doubles``: models that know what their prompt tells and no more,
and are not reliable, and a rewriter about a third of whose proposals follow from nothing. The engine, the screening of
edits, the blame and the gate are the real ones. Nothing here says how good any real model is at rewriting.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.doubles.line import Desk, LineDouble, desk_prompts, desk_tasks
from benchmarks.doubles.line_rewriter import LineRewriter
from benchmarks.doubles.line_rules import LineRule, line_rules
from benchmarks.doubles.line_trials import DeskTrials
from benchmarks.record import Op, Outcome, Target, common_options, progress, publish
from evolve.agent.workflow import Workflow
from evolve.core.episodes import EpisodeRecord
from evolve.core.files import canonical_json
from evolve.core.schema import OPTIMIZER
from evolve.core.store import Database, ObjectStore
from evolve.improve.optimizer.counterfactual import Attribution, EditSearch, PromptProposal
from evolve.improve.optimizer.credit import Divergence, rank_blame
from evolve.improve.optimizer.engine import Candidate, EngineSettings
from evolve.improve.optimizer.gepa_engine import GepaEngine
from evolve.improve.optimizer.leakage import guard_of
from evolve.policies.language import LanguageRewriter
from evolve.policies.language.prompt_items import ItemLimits, parse_prompt
from evolve.tasks import Task
from evolve.trials.gate import ErrorBudget, GateLevel, PairedRunner, SequentialTest, clopper_pearson, run_serially
from evolve.trials.item_utility import ItemUtility, weak_items
from evolve.trials.variants import VariantRepository

KINDS = ("missing", "contrary", "vague", "added contrary")
DEFECTS = len(KINDS) * 15
CONTROLS = 40
TRAIN, GATE, PROPOSALS, PROPOSALS_WHOLE = 40, 80, 6, 24
FIRST_SEED = 1_000
"""The seeds below were used while the engine was written."""

CYCLES, REPEATS = 200, 3
LIMITS = ItemLimits(count=8, size=500)
WRONG = 0.5


def seeded(rule: LineRule | None, kind: str) -> dict[str, str]:
    """The desk's prompts with one defect, or without any."""
    rules = line_rules()
    if rule is None:
        return desk_prompts(rules)
    kept = [one for one in rules if one.name != rule.name or kind == "added contrary"]
    texts = desk_prompts(kept)
    instead = {"missing": "", "vague": f"- {rule.vague}\n"}.get(kind, f"- {rule.contrary}\n")
    texts[f"{rule.stage}.md"] += instead
    return texts


def defect_row(number: int, rule: LineRule | None, kind: str, *, replays: bool = True) -> dict[str, Any]:
    """One search of the engine from prompts with one defect.

    Args:
        replays: An edit is tried by asking its stage again; else only on whole episodes, which takes more proposals.
    """
    seed = FIRST_SEED + number
    texts = seeded(rule, kind)
    desk = Desk(model=LineDouble())
    train, gate = desk_tasks(TRAIN, seed), desk_tasks(GATE, seed, prefix="gate")
    by_id = {task.id: task for task in train}
    start = Candidate(workflow=Workflow(), prompts=tuple(texts.items()))
    trials = DeskTrials(desk=desk, train=train, gate=gate, incumbent=start, seed=seed)

    def again(record: EpisodeRecord, changed: Mapping[str, str], at: Divergence) -> EpisodeRecord:
        return desk.again(record, changed, by_id[record.task], at.prompt)

    engine = GepaEngine(
        editor=editor_of([*train, *gate], texts, 0.35),
        replay=again if replays else None,
        settings=EngineSettings(seed=seed, proposals=PROPOSALS if replays else PROPOSALS_WHOLE),
    )
    records = [desk.run(texts, task, seed) for task in train]
    observed = rank_blame(records, list(texts))
    reason = engine.search(trials, start)
    ranking = engine.rankings[0] if engine.rankings else observed
    ended = trials.incumbent.prompt_texts
    accepted = [judgement.accepted for _, judgement in trials.judgements]
    row = {
        "measure": "control" if rule is None else "defect" if replays else "defect, whole episodes",
        "seed": seed,
        "rule": rule.name if rule else "",
        "kind": kind,
        "solved_before": sum(record.solved for record in records),
        "proposals": len(engine.rankings),
        "judged": len(accepted),
        "accepted": sum(accepted),
        "pairs": trials.pairs,
        "episodes_screened": trials.screened,
        "reason": reason,
    }
    if rule is None:
        return row
    name = f"{rule.stage}.md"
    mended = rule.told_in(ended[name]) and not rule.denied_in(ended[name])
    return {
        **row,
        "prompt": name,
        "blamed": ranking[0].prompt == name,
        "blamed_by_observation": observed[0].prompt == name,
        "fixed": any(accepted) and mended,
        "else_unchanged": nothing_else_changed(texts, ended, rule),
    }


def nothing_else_changed(before: Mapping[str, str], after: Mapping[str, str], rule: LineRule) -> bool:
    """Whether only the rule's own item differs: other prompts by the byte, the fixed text, and every other item."""
    name = f"{rule.stage}.md"
    old, new = parse_prompt(before[name]), parse_prompt(after[name])
    own = {rule.vague, rule.contrary, *rule.says}
    same = [item.text for item in old.items if item.text not in own] == [
        item.text for item in new.items if item.text not in own
    ]
    return (
        same
        and old.fixed_text == new.fixed_text
        and all(after[other] == before[other] for other in before if other != name)
    )


def editor_of(tasks: Sequence[Task], texts: Mapping[str, str], wrong: float) -> EditSearch:
    """The screening of edits, with a rewriter of which a share of proposals follows from nothing."""
    return EditSearch(
        rewriter=LanguageRewriter(models=LineRewriter(wrong=wrong)),
        tasks={task.id: canonical_json(task.examples[0].input[0]) for task in tasks},
        guard=guard_of(tasks, common=list(texts.values())),
        limits=LIMITS,
    )


@dataclass(kw_only=True)
class Cycles:
    """Many rewrites in a row, on fresh tasks each time; nothing but the gate stands against bad ones.

    Attributes:
        judged: The gate accepts; else, to compare with, whatever does not look worse on 24 tasks is taken over.
        texts: The prompts in force.
        made: Edits that were proposed and passed the screening of words.
        stakes: Of these, what the gate staked on those that were put to it.
        taken: Of these, edits that were taken over.
    """

    seed: int
    judged: bool
    items: VariantRepository
    texts: dict[str, str]
    desk: Desk = field(default_factory=lambda: Desk(model=LineDouble()))
    made: int = 0
    stakes: list[GateLevel] = field(default_factory=list)
    taken: int = 0
    largest: int = 0
    most_items: int = 0

    def turn(self, number: int) -> None:
        """One cycle: episodes, blame, an edit, and its acceptance."""
        tasks = desk_tasks(24, self.seed * 1_000 + number, prefix="cycle")
        records = [self.desk.run(self.texts, task, number) for task in tasks]
        listed = [item.id for text in self.texts.values() for item in parse_prompt(text).items]
        weak = weak_items(self.items.item_utilities(), listed)
        plain = editor_of(tasks, self.texts, WRONG)
        editor = EditSearch(rewriter=plain.rewriter, tasks=plain.tasks, guard=plain.guard, limits=LIMITS, weak=weak)
        attribution = Attribution(editor=editor, records=records, texts=self.texts)
        made = next((one for seed in range(4) if (one := attribution.propose_edit(seed=4 * number + seed))), None)
        if made is None:
            return
        self.made += 1
        changed = {**self.texts, made.prompt: made.text}
        after = [self.desk.run(changed, task, number) for task in tasks]
        self._note(number, made, records, after)
        if self._is_accepted(number, changed, records, after):
            self.texts, self.taken = changed, self.taken + 1
        for text in self.texts.values():
            prompt = parse_prompt(text)
            self.largest, self.most_items = max(self.largest, prompt.size), max(self.most_items, len(prompt.items))

    def _is_accepted(
        self, number: int, changed: dict[str, str], before: Sequence[EpisodeRecord], after: Sequence[EpisodeRecord]
    ) -> bool:
        gain = sum(one.solved for one in after) - sum(one.solved for one in before)
        if not self.judged or gain <= 0:
            return not self.judged and gain >= 0
        level = ErrorBudget().next_level(self.stakes)
        arms = {"old": self.texts, "new": changed}
        tasks = desk_tasks(60, self.seed * 1_000 + number, prefix="gate")
        runner: PairedRunner[Task] = PairedRunner(
            run=run_serially(lambda task, arm, seed: self.desk.run(arms[arm], task, seed, variant=arm)),
            test=SequentialTest(alpha=level),
            seed=number,
        )
        state = runner.compare(tasks, parent="old", variant="new").state
        accepted = state.verdict == "accept"
        self.stakes.append(GateLevel(level=level, wealth=state.wealth, accepted=accepted))
        return accepted

    def _note(
        self, number: int, made: PromptProposal, before: Sequence[EpisodeRecord], after: Sequence[EpisodeRecord]
    ) -> None:
        old, new, whole = sum(one.solved for one in before), sum(one.solved for one in after), len(before)
        with_it = ItemUtility(with_solved=new, with_failed=whole - new, without_solved=old, without_failed=whole - old)
        without_it = ItemUtility(
            with_solved=old, with_failed=whole - old, without_solved=new, without_failed=whole - new
        )
        outcomes = {change.before: without_it for change in made.revision.changes if change.before}
        outcomes |= {change.after: with_it for change in made.revision.changes if change.after}
        self.items.add_item_outcomes(f"{self.seed}:{number}", outcomes)

    def told(self) -> set[str]:
        """Names of the rules that are told and not denied."""
        return {
            rule.name
            for rule in line_rules()
            if rule.told_in(self.texts[f"{rule.stage}.md"]) and not rule.denied_in(self.texts[f"{rule.stage}.md"])
        }


def cycles_row(seed: int, *, judged: bool, cycles: int) -> dict[str, Any]:
    """Rewrites that begin with most of the rules and some words that tell nothing."""
    rng = random.Random(f"cycles:{seed}")
    rules = list(line_rules())
    known = rng.sample(rules, 12)
    texts = desk_prompts([rule for rule in rules if rule in known])
    for rule in rng.sample(rules, 5):
        texts[f"{rule.stage}.md"] += f"- {rule.vague}\n"
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", OPTIMIZER) as db:
        run = Cycles(
            seed=seed, judged=judged, items=VariantRepository(db, ObjectStore(Path(folder) / "objects")), texts=texts
        )
        begun = ever = run.told()
        for number in range(cycles):
            run.turn(number)
            ever = ever | run.told()
        now = run.told()
    fixed = all(parse_prompt(run.texts[name]).fixed_text == parse_prompt(texts[name]).fixed_text for name in texts)
    return {
        "measure": "cycles",
        "arm": "gate" if judged else "screening alone",
        "seed": seed,
        "cycles": cycles,
        "made": run.made,
        "put": len(run.stakes),
        "taken": run.taken,
        "largest": run.largest,
        "most_items": run.most_items,
        "golden_begun": len(begun),
        "golden_ever": len(ever),
        "golden_kept": len(ever & now),
        "fixed_text_kept": fixed,
    }


def rows_of(*, quick: bool, seeds: int) -> Iterator[dict[str, Any]]:
    """All rows of the benchmark, as they come.

    Args:
        seeds: Runs with a defect, at most one for every pair of a rule and a kind of defect.
    """
    rules = line_rules()
    count = min(10 if quick else seeds, DEFECTS)
    # A stride without a common factor, so that few runs have many rules and kinds too.
    for number in range(count):
        place = number * 17 % DEFECTS
        progress(f"defect {number + 1} of {count}")
        for replays in (True, False):
            yield defect_row(number, rules[place % len(rules)], KINDS[place // len(rules)], replays=replays)
    controls = 4 if quick else CONTROLS
    progress(f"{controls} controls without a defect")
    for number in range(controls):
        yield defect_row(DEFECTS + number, None, "none")
    for judged in (True, False):
        for seed in range(1 if quick else REPEATS):
            progress(f"cycles, {'gate' if judged else 'screening alone'}, seed {seed}")
            yield cycles_row(FIRST_SEED + seed, judged=judged, cycles=20 if quick else CYCLES)


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The figures behind the rows."""
    defects = [row for row in rows if row["measure"] == "defect"]
    controls = [row for row in rows if row["measure"] == "control"]
    whole = [row for row in rows if row["measure"] == "defect, whole episodes"]
    fixed = [row for row in (*defects, *whole) if row["fixed"]]
    found = [
        _share("prompt with the defect blamed first", defects, "blamed", ">=", 0.9),
        _share("defect mended and accepted by the gate", defects, "fixed", ">=", 0.8),
        _share("the same without asking single stages again", whole, "fixed", ">=", 0.8),
        _share("nothing else changed, of those mended", fixed, "else_unchanged", "==", 1.0),
        _share("an edit accepted where nothing was wrong", controls, "accepted", "<=", 0.05),
    ]
    for arm in ("gate", "screening alone"):
        runs = [row for row in rows if row["measure"] == "cycles" and row["arm"] == arm]
        largest = max((row["largest"] for row in runs), default=None)
        kept = clopper_pearson(sum(row["golden_kept"] for row in runs), sum(row["golden_ever"] for row in runs))
        found.append(
            Target(
                name=f"largest advice of a prompt, characters ({arm})",
                op="<=",
                target=LIMITS.size,
                value=largest,
                n=sum(row["cycles"] for row in runs),
            )
        )
        found.append(
            Target(
                name=f"golden items kept to the end ({arm})",
                op=">=",
                target=0.95,
                value=kept.value,
                low=kept.low,
                high=kept.high,
                n=kept.n,
            )
        )
    return found


def _share(name: str, rows: Sequence[Mapping[str, Any]], key: str, op: Op, target: float) -> Target:
    one = clopper_pearson(sum(bool(row[key]) for row in rows), len(rows))
    return Target(name=name, op=op, target=target, value=one.value, low=one.low, high=one.high, n=one.n)


def table(outcome: Outcome) -> str:
    """The figures for people."""
    defects = [row for row in outcome.rows if row["measure"] == "defect"]
    lines = []
    for kind in KINDS:
        of_kind = [row for row in defects if row["kind"] == kind]
        sums = {key: sum(row[key] for row in of_kind) for key in ("blamed_by_observation", "blamed", "fixed")}
        lines.append(
            f"{kind:16} n {len(of_kind):2}  blamed by what was seen {sums['blamed_by_observation']:2},"
            f" and by trying edits {sums['blamed']:2}; mended {sums['fixed']:2}"
        )
    for row in outcome.rows:
        if row["measure"] == "cycles":
            lines.append(
                f"{row['cycles']} cycles, {row['arm']}: {row['made']} edits made, {row['put']} put to the gate,"
                f" {row['taken']} taken; golden items {row['golden_begun']} -> {row['golden_kept']} of"
                f" {row['golden_ever']} ever told, at most {row['largest']} characters"
            )
    for target in outcome.targets:
        value = "not measured" if target.value is None else f"{target.value:.3g}"
        bounds = "" if target.low is None else f" [{target.low:.3g}, {target.high:.3g}]"
        lines.append(
            f"{'met ' if target.met else 'MISS'} {target.name}: {value}{bounds}, n {target.n}"
            f" ({target.op} {target.target:g})"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.optimize_prompts", description=(__doc__ or "").split("\n")[0]
    )
    common_options(parser, seeds=DEFECTS)
    options = parser.parse_args(argv)
    rows = list(rows_of(quick=options.quick, seeds=options.seeds))
    outcome = Outcome(
        benchmark="optimize_prompts",
        seeds=sum(row["measure"] == "defect" for row in rows),
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"train": TRAIN, "gate": GATE, "proposals": PROPOSALS, "cap": LIMITS.size, "wrong in cycles": WRONG},
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
