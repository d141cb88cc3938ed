"""Is a question answered whose words name somebody by another name, and by what is linked to them?

Forty people go by another name and have somebody: a sister, a manager. Notes say so, and say things of all of them,
among notes of others. A two-hop question names one by the other name and asks something of the linked person, so no
word of the note that answers it need stand in the question. Single-hop questions ask of whoever they name, others name
nobody. Counted is whether the note with the answer stands in the first five. ``--seen`` and ``--held`` have
wordings that were in sight while the rules were made; those of the figures were written after it.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.record import Outcome, Target, common_options, progress, publish
from benchmarks.who_and_what_wordings import BYSTANDERS, FRESH, HELD, PEOPLE, RELATED, SEEN, Fact, Family
from evolve.core.settings import Settings
from evolve.memory import Note, NoteQuestion, recall_notes
from evolve.workspace.opening import open_embedder

_DAY = 86_400.0
_BYSTANDER_FACTS = 4
"""Notes about each of those who are asked for by nobody."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, of which kind, and the note that answers it."""

    kind: str
    text: str
    answer: str


def draw(seed: int, family: Family) -> tuple[list[Note], list[Question]]:
    """Notes in the order in which they are said, and the questions."""
    rng = random.Random(seed)
    words = PEOPLE.split()
    pairs = [
        (f"{first} {rest.partition('/')[0]}", rest.partition("/")[2])
        for first, rest in zip(words[::2], words[1::2], strict=True)
    ]
    related = RELATED.split()
    rng.shuffle(related)
    texts = [text for text, _ in family.others]
    asked = [Question(kind="no name", text=question, answer=text) for text, question in family.others]
    for (person, alias), other in zip(pairs, related, strict=True):
        fact, beside = rng.sample(list(family.facts), 2)
        own, own_beside = rng.sample(list(family.facts), 2)
        relation = rng.choice(family.relations)
        answer, single = _say(rng, fact, other), _say(rng, own, person)
        texts += [rng.choice(family.alias).format(p=person, a=alias)]
        texts += [rng.choice(relation.told).format(p=rng.choice((person, alias)), z=other)]
        texts += [answer, _say(rng, beside, other), single, _say(rng, own_beside, alias)]
        who = relation.asked.format(p=alias)
        asked.append(Question(kind="two hops", text=rng.choice(fact.asked).format(z=who), answer=answer))
        asked.append(Question(kind="one hop", text=rng.choice(own.asked).format(z=person), answer=single))
    for name in BYSTANDERS.split():
        texts += [_say(rng, rng.choice(family.facts), name) for _ in range(_BYSTANDER_FACTS)]
    texts = list(dict.fromkeys(texts))
    rng.shuffle(texts)
    notes = [
        Note(id=f"{place:04}", text=text, author="somebody", at=place * _DAY, seq=place)
        for place, text in enumerate(texts, 1)
    ]
    return notes, asked


def _say(rng: random.Random, fact: Fact, who: str) -> str:
    return rng.choice(fact.told).format(z=who, v=rng.choice(fact.values))


def measure(seed: int, family: Family, encoder: str = "hashing") -> list[dict[str, Any]]:
    """A row for each question: at which place its answer stands, 0 for nowhere."""
    notes, asked = draw(seed, family)
    embedder = open_embedder(Settings(encoder=encoder))
    rows = []
    for question in asked:
        text = question.text[0].upper() + question.text[1:]
        found = recall_notes(notes, embedder, NoteQuestion(text=text, k=8, now=len(notes) * 2 * _DAY))
        place = next((place for place, item in enumerate(found, 1) if item.text == question.answer), 0)
        rows.append({"seed": seed, "kind": question.kind, "question": text, "answer": question.answer, "place": place})
    return rows


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The shares of questions whose answer is among the first five, of each kind, and what they should be."""
    found = []
    for kind, least in (("two hops", 0.75), ("one hop", 0.95), ("no name", 1.0)):
        mine = [row for row in rows if row["kind"] == kind]
        for most, target in ((5, least), (1, 0.0)):
            share = sum(0 < row["place"] <= most for row in mine) / len(mine)
            found.append(Target(name=f"{kind}: in {most}", op=">=", target=target, value=share, n=len(mine)))
    return found


def table(outcome: Outcome) -> str:
    """The targets, one a line."""
    return "\n".join(
        f"{'met ' if one.met else 'MISS'} {one.name:16} {one.op} {one.target:.2f}: {one.value:.3f} of {one.n}"
        for one in outcome.targets
    )


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.who_and_what", description=(__doc__ or "").split("\n")[0]
    )
    common_options(parser, seeds=1)
    parser.add_argument("--encoder", default="hashing", help="as the setting encoder; minilm is a trained one")
    parser.add_argument("--seen", action="store_true", help="wordings that were in sight while the rules were made")
    parser.add_argument("--held", action="store_true", help="those that the first rules were measured with")
    options = parser.parse_args(argv)
    family = SEEN if options.seen else HELD if options.held else FRESH
    rows = []
    for seed in range(1 if options.quick else options.seeds):
        progress(f"seed {seed}")
        rows += measure(seed, family, options.encoder)
    outcome = Outcome(
        benchmark="who_and_what", seeds=options.seeds, quick=options.quick, rows=rows, targets=targets_of(rows)
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
