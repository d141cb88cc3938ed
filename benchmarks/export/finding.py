"""Is a skill found by other words than its own? Paraphrases, against the very text that left."""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.export import SkillIndex
from evolve.retrieval import HashingEmbedder

_NOUNS = """
account amount answer area article author balance batch bed belt birthday board bonus branch brand budget building cabin
capacity case category cell channel chapter charge class coach colour column comment condition contact container
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


def found(texts: Mapping[str, str], asked: Sequence[tuple[str, str]], sizes: Sequence[int]) -> list[Found]:
    """For each size: skills that are asked for among as many others as that takes."""
    rng = random.Random("finding")
    results = []
    for size in sizes:
        right = count = 0
        spent: list[float] = []
        for _ in range(20 if size < len(texts) else 1):
            names = rng.sample(sorted(texts), min(size, len(texts)))
            library = {name: texts[name] for name in names} | _others(texts, size - len(names), rng)
            index = SkillIndex(library, HashingEmbedder())
            index.best("warm up", 3)
            for text, skill in asked:
                if skill not in library:
                    continue
                began = time.process_time()
                best = index.best(text, 3)
                spent.append(1000 * (time.process_time() - began))
                right, count = right + (skill in best), count + 1
        results.append(Found(skills=size, right=right, asked=count, milliseconds=statistics.median(spent)))
    return results


def _others(texts: Mapping[str, str], count: int, rng: random.Random) -> dict[str, str]:
    """Texts in the form of the given ones, about other columns."""
    nouns, forms = _NOUNS.split(), sorted(texts.values())
    made: dict[str, str] = {}
    while len(made) < count:
        wanted, given = rng.sample(nouns, 2)
        steps = rng.choice(forms).partition("Steps: ")[2].partition(".")[0]
        told = f" Steps: {steps}." if steps else ""
        made[f"{wanted}-from-{given}"] = (
            f"{wanted} from {given}: Gives {wanted} from {given}. Takes a text ({given}); gives a text.{told}"
            f" Use when a task needs {wanted} from {given}, or a function with the same results."
        )
    return made
