"""Is a skill found by other words than its own? Paraphrases, against the very text that left.

The library is filled up with functions of the suites that ship, described as skills are, under columns that are drawn.
What computes the same as a skill that is asked for is left out: it would be a right answer too.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.core.episodes import Row
from evolve.runtime.retrieval import Embedder
from evolve.runtime.sandbox import Program, Sandbox, SandboxLimits
from evolve.skills import Skill
from evolve.skills.export import SkillIndex, search_text
from evolve.skills.signatures import signature_shape, types_of
from evolve.tasks import Task
from evolve.tasks.suites import BUILTIN, generate_suite

_NOUNS = """
account amount answer area article author balance batch bed belt birthday board bonus branch brand budget building cabin
capacity case category cell channel chapter charge coach colour column comment condition contact container
contract copy country course court crate crew customer deadline degree delivery depth desk device diameter district
dividend dose driver edition effort engine entrance entry estimate event exam exhibit factor farm field fine flavour
fleet flight floor forecast forest frame fuel gate gauge gender genre goal guest habitat harvest height hotel
hull income index insurance interest invoice island journal journey key kitchen lab label lane lease lecture lesson
licence limit load loan locker lot machine mass material meal meeting member menu merchant meter mission model module
motor museum nickname note notice number offer office option orchard order organ origin owner page paint panel park
part partner passenger patient pattern payment pension permit pitch plan plant platform plot pool port position premium
prize product profile program project proof province pump purpose quality queue quota rack rail rainfall range rank rate
reach reading receipt recipe record region rent repair reply report reserve resort result reward ring risk river road
role room root route row rule salary sample scale scene schedule school score season seat section sector segment seller
series service session shade shape share shelf shift ship shop side sign signal site size skill slot soil song source
space species speed stage stake stamp station step stock storage store strength student style subject suite supplier
supply survey switch symptom table tank target task team temperature tenant term test theme ticket tide tier title tool
topic tower track trade train treatment trip trunk type unit usage vaccine van variant vehicle venue vessel village
visit voltage wage wall ward warehouse warranty watt wave weight wheel width window wing winner wood zone
"""


@dataclass(frozen=True, kw_only=True)
class Found:
    """How many questions found their skill among the first three, and the CPU time of one, in milliseconds."""

    skills: int
    right: int
    asked: int
    milliseconds: float


def questions(tables: Mapping[str, str]) -> list[tuple[str, str]]:
    """Paraphrases with the skill that they mean.

    Args:
        tables: The table of each skill, by its name.
    """
    told = json.loads(Path(__file__).with_name("paraphrases.json").read_text("utf-8"))
    return [(text, skill) for skill, table in tables.items() for text in told[table]]


def other_tasks(skills: Sequence[Skill], sandbox: Sandbox) -> list[Task]:
    """Tasks of the suites that none of the skills does, as far as their rows tell."""
    tasks = [task for suite in BUILTIN for task in generate_suite(suite.name).tasks]
    same: set[str] = set()
    for kind in {signature_shape(skill.signature) for skill in skills}:
        rows = [(task, row) for task in tasks if signature_shape(task.signature) == kind for row in task.examples]
        programs = [
            Program(source=one.code, entry=one.entry) for one in skills if signature_shape(one.signature) == kind
        ]
        for program in programs if rows else ():
            ran = sandbox.run_programs([program], [list(row.input) for _, row in rows], SandboxLimits(wall_s=20.0))
            given = ran.programs[0].outputs if ran.programs and not ran.timed_out else ()
            differ = {task.id for (task, row), one in zip(rows, given, strict=False) if one.value != row.output}
            same |= {task.id for task, _ in rows[: len(given)]} - differ
    return [task for task in tasks if task.id not in same]


def found(
    texts: Mapping[str, str],
    asked: Sequence[tuple[str, str]],
    sizes: Sequence[int],
    tasks: Sequence[Task],
    embedder: Embedder,
) -> list[Found]:
    """For each size: skills that are asked for among as many others as that takes."""
    rng = random.Random("finding")
    results = []
    for size in sizes:
        right = count = 0
        spent: list[float] = []
        for _ in range(20 if size < len(texts) else 1):
            names = rng.sample(sorted(texts), min(size, len(texts)))
            library = {name: texts[name] for name in names} | _others(texts, size - len(names), tasks, rng)
            index = SkillIndex(library, embedder)
            index.best_matches("warm up", 3)
            for text, skill in asked:
                if skill not in library:
                    continue
                began = time.process_time()
                best = index.best_matches(text, 3)
                spent.append(1000 * (time.process_time() - began))
                right, count = right + (skill in best), count + 1
        results.append(Found(skills=size, right=right, asked=count, milliseconds=statistics.median(spent)))
    return results


def _others(texts: Mapping[str, str], count: int, tasks: Sequence[Task], rng: random.Random) -> dict[str, str]:
    """Texts in the form of the given ones, about other columns and functions."""
    forms, drawn = sorted(texts.values()), rng.sample(list(tasks), len(tasks))
    made: dict[str, str] = {}
    while len(made) < count:
        text = search_text(_renamed(drawn[len(made) % len(drawn)], rng))
        before, _, after = text.partition(" Use when")
        steps = rng.choice(forms).partition("Steps: ")[2].partition(".")[0]
        made[text.partition(":")[0]] = (
            before.partition(" Steps:")[0] + (f" Steps: {steps}." if steps else "") + " Use when" + after
        )
    return made


def _renamed(task: Task, rng: random.Random) -> Skill:
    """The skill that a table with such columns would give; its code is left out."""
    takes, gives = types_of(task.signature)
    wanted, *given = rng.sample(_NOUNS.split(), len(takes) + 1)
    name, names = f"{wanted}-from-{'-'.join(given)}", ", ".join(given)
    entry = name.replace("-", "_")
    typed = ", ".join(f"{one}: {kind}" for one, kind in zip(given, takes, strict=True))
    rows = tuple(Row(input=row.input, output=row.output) for row in task.examples)
    code = f"def {entry}({names}):\n    return [{names}]\n"
    told = f"Give {wanted} from {' and '.join(given)}."
    signature = f"({typed}) -> {gives}"
    return Skill(
        name=name, description=told, entry=entry, signature=signature, code=code, rows=rows, test_code="", source=""
    )
