"""Runs that fail for one planted reason, made by the real system with a double in the place of a model.

Each maker opens a workspace, runs what fails in it, and says what broke it: at which step, and which item. Beside the
planted item stand others that are true or of no matter. In half of the cases a like run went well before the item was
planted, in the others there is nothing to compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import evolve
from benchmarks.doubles.clerk import ASPECTS, INSTRUCTION, NOISE, ClerkDouble, code_of, rows_of, sentences
from evolve.core.episodes import FACT, Claim, EpisodeRecord, Evidence, Row, Scope, SkillDraft
from evolve.core.errors import EvolveError
from evolve.skills import Skill
from evolve.skills.admission import AdmissionVerdict
from evolve.tasks import Task
from evolve.testing import Scenario, ScriptedEndpoint, prompt_of
from evolve.workspace import Person, Result, Workspace, tasks

QUIET = Person(learn="off")
_FENCE = "```"


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A failed run with what broke it.

    Attributes:
        step: Where it entered; 0 where no step is to blame.
        kind: Of what was planted, as diagnosis calls it.
        id: Its id; "" where the kind says it, as with a budget.
        steps: How many the run had.
        through: Id of the action by which it broke the run, where leaving that out turns the outcome as well.
    """

    run: str
    step: int
    kind: str
    id: str = ""
    steps: int = 1
    through: str = ""


Maker = Callable[[Path, Random], Iterator[tuple[Workspace, Planted]]]


def _way(rng: Random) -> dict[str, str]:
    return {aspect: rng.choice(list(ways)) for aspect, ways in ASPECTS.items()}


def _bent(way: Mapping[str, str], aspect: str, rng: Random) -> dict[str, str]:
    """The same but for one aspect, which is another."""
    return {**way, aspect: rng.choice([value for value in ASPECTS[aspect] if value != way[aspect]])}


def _ledger(name: str, way: Mapping[str, str], rng: Random) -> Task:
    rows = rows_of(way, rng, 9)
    return Task(
        id=f"{name}-ledger",
        family="amounts",
        instruction=INSTRUCTION.format(name=name),
        signature="(cents: int) -> str",
        examples=tuple(rows[:4]),
        verify=tuple(rows[4:]),
    )


@contextmanager
def _serving(folder: Path, double: ClerkDouble) -> Iterator[Workspace]:
    with ScriptedEndpoint(double=double) as endpoint, evolve.open(folder / "ws", model=endpoint.model) as ws:
        yield ws


@contextmanager
def _scripted(folder: Path, replies: list[Any]) -> Iterator[Workspace]:
    with (
        ScriptedEndpoint(Scenario(replies=replies)) as endpoint,
        evolve.open(folder / "ws", model=endpoint.model) as ws,
    ):
        yield ws


def _clerk(plant: Callable[[Workspace, str, str], str], kind: str) -> Maker:
    """Runs in which a sentence that is told is false; ``plant`` puts sentences in and gives their ids."""

    def made(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
        way, aspect = _way(rng), rng.choice(list(ASPECTS))
        false = ASPECTS[aspect][_bent(way, aspect, rng)[aspect]]
        others = [text for text in sentences(way) if text != ASPECTS[aspect][way[aspect]]]
        beside = rng.sample([*others, *NOISE], 4)
        double = ClerkDouble(
            {"north": way, "south": way}, looks=rng.random() < 0.5, cites=rng.choice(("all", "none", "true"))
        )
        with _serving(folder, double) as ws:
            for text in beside:
                plant(ws, text, "true")
            if rng.random() < 0.5:
                ws.run(_ledger("south", way, rng), person=QUIET)
            planted = plant(ws, false, "false")
            result = ws.run(_ledger("north", way, rng), person=QUIET)
            if not result.solved:  # else it was not recalled, and broke nothing
                yield ws, _of_answer(ws, result, kind, planted)

    return made


def _of_answer(ws: Workspace, result: Result, kind: str, planted: str) -> Planted:
    """Broke at the first answer, into which what was planted went."""
    steps = ws.runs.replay(result.episode_id).steps
    first = next(step.number for step in steps if step.action.code and not step.action.explores)
    return Planted(run=result.run_id, step=first, kind=kind, id=planted, steps=len(steps))


def _note(ws: Workspace, text: str, which: str) -> str:
    return ws.memory.note(text).id


def _preference(ws: Workspace, text: str, which: str) -> str:
    return ws.preferences.add(text).id


def _insight(ws: Workspace, text: str, which: str) -> str:
    """An insight that trials on two problems agreed with, as they did before the ledgers changed."""
    evidence = [
        Evidence(task=f"old-{n}-{text}", group=f"old-{n}-{text}", kind="intervention", direction=1) for n in range(5)
    ]
    claim = Claim(
        cause=f"{FACT}{text}",
        relation="contributes",
        effect="solved",
        scope=Scope(environment="programs", family="amounts"),
        evidence=tuple(evidence),
        text=text,
    )
    before = {insight.id for insight in ws.memory.list()}
    for place, one in enumerate(evidence):
        record = EpisodeRecord(
            episode=f"old-{place}-{text}"[:40], run="old", task=one.task, suite="", group=one.group, split="train",
            variant="unlearned", seed=0, status="solved", verified=True,
            claims=(Claim(**{**vars(claim), "evidence": (one,)}),),
        )  # fmt: skip
        ws.stores.commit(record, instruction=INSTRUCTION.format(name="old"))
    return next(insight.id for insight in ws.memory.list() if insight.id not in before)


def _skill(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """A skill of another ledger is offered and taken, which writes one aspect otherwise."""
    way, aspect = _way(rng), rng.choice(list(ASPECTS))
    false = _bent(way, aspect, rng)
    double = ClerkDouble({"north": way, "south": way}, looks=rng.random() < 0.5, cites=rng.choice(("all", "none")))
    with _serving(folder, double) as ws:
        for text in rng.sample([*sentences(way), *NOISE], 3):
            ws.memory.note(text)
        if rng.random() < 0.5:
            ws.run(_ledger("south", way, rng), person=QUIET)
        draft = SkillDraft(
            name="write-amount",
            description="Writes the amounts of a ledger, given in cents, as text.",
            entry="write_amount",
            signature="(cents: int) -> str",
            code=code_of(false, "write_amount"),
            tests=tuple(rows_of(false, rng, 3)),
        )
        skill = Skill.from_draft(draft)
        ws.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
        result = ws.run(_ledger("north", way, rng), person=QUIET)
        yield ws, _of_answer(ws, result, "skill", f"skill:{skill.digest}")


_PARTS = ("alpha", "beta", "gamma", "delta", "omega")
_CHECK = "python3 check.py"


def _project(folder: Path, *, check: str = "") -> Path:
    """Modules that give a wrong number each, but for the last, and a check that tells of every one."""
    project = folder / "project"
    project.mkdir(parents=True)
    for place, part in enumerate(_PARTS):
        value = place if part != _PARTS[-1] else 100 + place
        (project / f"{part}.py").write_text(f"def {part}():\n    return {value}\n")
    lines = ["import importlib, sys", "bad = []", f"for place, part in enumerate({_PARTS!r}):"]
    lines += ["    got = getattr(importlib.import_module(part), part)()", "    if got != 100 + place:"]
    lines += ["        bad.append(f'{part}.py: {part} gives {got}, wanted {100 + place}')"]
    (project / "check.py").write_text(check or "\n".join([*lines, "print('\\n'.join(bad))", "sys.exit(bool(bad))", ""]))
    return project


def _edits(rng: Random, broken: int | None) -> list[str]:
    """Replies that mend one module each in any order; one of them spoils the last module as well, or nothing does."""
    order = rng.sample(range(len(_PARTS) - 1), len(_PARTS) - 1)
    replies = []
    for place, number in enumerate(order):
        part = _PARTS[number]
        if place == broken:
            replies.append(_written(f"Tidy {_PARTS[-1]}.", _PARTS[-1], rng.randint(1, 99)))
        replies.append(_written(f"Mend {part}.", part, 100 + number))
    return [*replies, *[f"Done.\n{_FENCE}done\n{_FENCE}\n"] * 3, *[f"No.\n{_FENCE}give_up\nno more\n{_FENCE}\n"] * 9]


def _written(thought: str, part: str, value: int) -> str:
    return f"{thought}\n{_FENCE}file {part}.py\ndef {part}():\n    return {value}\n{_FENCE}\n"


def _folder_run(
    folder: Path, project: Path, replies: list[str], notes: tuple[str, ...]
) -> Iterator[tuple[Workspace, Result]]:
    with _scripted(folder, replies) as ws:
        for note in notes:
            ws.memory.note(note)
        task = tasks.in_folder("Mend the modules of the project until the check passes.", project, _CHECK, name="mend")
        yield ws, ws.run(task, person=QUIET)


def _action(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """A step in the middle spoils a module that was right."""
    broken = rng.randint(1, len(_PARTS) - 2)
    notes = ("Modules of the project are small.", "The check of the project prints what is wrong.")
    for ws, result in _folder_run(folder, _project(folder), _edits(rng, broken), notes):
        steps = ws.runs.replay(result.episode_id).steps
        step = broken + 1
        yield ws, Planted(run=result.run_id, step=step, kind="action", id=f"step {step}", steps=len(steps))


def _check(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """The check fails whatever is done: it was wrong from the beginning."""
    wrong = rng.choice(
        ("import modules_of_old\n", "raise SystemExit('the licence of the checker ran out')\n", "assert 2 + 2 == 5\n")
    )
    project = _project(folder, check=wrong)
    for ws, result in _folder_run(folder, project, _edits(rng, None), ("Modules of the project are small.",)):
        steps = ws.runs.replay(result.episode_id).steps
        yield ws, Planted(run=result.run_id, step=0, kind="check", id="check", steps=len(steps))


class Mender:
    """Mends the modules as :func:`_edits` does, and spoils the last one where its prompt tells it to."""

    def __init__(self, false: str, spoiling: list[str], honest: list[str]) -> None:
        self._false, self._spoiling, self._honest = false, spoiling, honest

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply with the number that follows on its own earlier ones."""
        replies = self._spoiling if self._false in prompt_of(body) else self._honest
        return replies[sum(message.get("role") == "assistant" for message in body["messages"])]


def _told(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """A note asks for what the check refuses, and the model does it in the middle of its work."""
    broken, seed = rng.randint(1, len(_PARTS) - 2), rng.randint(0, 999)
    false = f"The {_PARTS[-1]} module of the project wants a small number."
    double = Mender(false, _edits(Random(seed), broken), _edits(Random(seed), None))
    project = _project(folder)
    with ScriptedEndpoint(double=double) as endpoint, evolve.open(folder / "ws", model=endpoint.model) as ws:
        for text in ("Modules of the project are small.", "The check of the project prints what is wrong."):
            ws.memory.note(text)
        planted = ws.memory.note(false).id
        task = tasks.in_folder("Mend the modules of the project until the check passes.", project, _CHECK, name="mend")
        result = ws.run(task, person=QUIET)
        steps = len(ws.runs.replay(result.episode_id).steps)
        through = f"step {broken + 1}"
        yield ws, Planted(run=result.run_id, step=broken + 1, kind="note", id=planted, steps=steps, through=through)


_NAMES = (
    "Ann Lee",
    "Bob Ray",
    "Cy Dow",
    "Dee Fox",
    "Eve Kay",
    "Flo Jon",
    "Gus Hill",
    "Hal Moss",
    "Ida Penn",
    "Jo Quin",
)
_FUNCTIONS: tuple[Callable[[str], str], ...] = (
    lambda name: f"{name[0]}. {name.split()[1].upper()}",
    lambda name: f"{name.split()[1]}, {name.split()[0]}".lower(),
    lambda name: f"{name.split()[1][:2].upper()}-{name.split()[0]}",
)


def _pairs(function: Callable[[str], str]) -> list[tuple[str, str]]:
    return [(name, function(name)) for name in _NAMES]


def _search(folder: Path) -> Workspace:
    return evolve.open(folder / "ws", model="")


def _budget(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """A search that ends before the function it would have found."""
    pairs = _pairs(rng.choice(_FUNCTIONS))
    with _search(folder) as probe:
        found = probe.run(examples=pairs, name="whole", person=QUIET)
        took = int(probe.runs.replay(found.episode_id).steps[-1].action.private["candidates"])
    with evolve.open(folder / "ws2", model="") as ws:
        result = ws.run(examples=pairs, name="short", budget=f"{max(2, took // 2)}-candidates", person=QUIET)
        yield ws, Planted(run=result.run_id, step=0, kind="budget", id="budget")


def _row(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """One row has the output of another, among few; so no function fits all."""
    pairs = _pairs(rng.choice(_FUNCTIONS[:2]))  # what a search finds within its budget, where the rows are right
    place = rng.randrange(len(pairs))
    pairs[place] = (pairs[place][0], pairs[place - 3][1])
    task = _task_of(pairs)
    with _search(folder) as ws:
        result = ws.run(task, budget="20k-candidates", person=QUIET)
        yield ws, Planted(run=result.run_id, step=0, kind="row", id=pairs[place][0])


def _task_of(pairs: list[tuple[str, str]]) -> Task:
    rows = tuple(Row(input=(name,), output=output) for name, output in pairs)
    return Task(
        id="names", family="names", instruction="", signature="(name: str) -> str", examples=rows[:6], verify=rows[6:]
    )


def _data(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """The outputs follow from a column that is not there."""
    words = rng.sample(
        ("north", "harbour", "mill", "castle", "bridge", "orchard", "tower", "market", "lake", "abbey"), 10
    )
    pairs = [(name, f"{name[0]} {word}") for name, word in zip(_NAMES, words, strict=True)]
    with _search(folder) as ws:
        result = ws.run(examples=pairs, name="places", budget="20k-candidates", person=QUIET)
        yield ws, Planted(run=result.run_id, step=0, kind="data", id="data")


def _endpoint(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """The endpoint refuses the key in the middle of the work."""
    replies: list[Any] = [f"I look.\n{_FENCE}python\n1 + 1\n{_FENCE}\n", *[{"status": 401, "message": "bad key"}] * 9]
    with _scripted(folder, replies) as ws:
        ws.memory.note(rng.choice(NOISE))
        with suppress(EvolveError):
            ws.run(_ledger("north", _way(rng), rng), person=QUIET)
        yield ws, Planted(run=ws.runs.list()[-1].run.id, step=0, kind="fault")


def _denied(folder: Path, rng: Random) -> Iterator[tuple[Workspace, Planted]]:
    """Its only answer asks for the network, which the sandbox does not give."""
    place = f"('10.0.0.{rng.randint(1, 9)}', 80)"
    code = f"import socket\n\n\ndef solve(cents):\n    return str(socket.create_connection({place}))\n"
    replies = [f"I ask the bank.\n{_FENCE}python\n{code}{_FENCE}\n", *[f"No.\n{_FENCE}give_up\nno way\n{_FENCE}\n"] * 5]
    with _scripted(folder, replies) as ws:
        ws.memory.note(rng.choice(NOISE))
        result = ws.run(_ledger("north", _way(rng), rng), person=QUIET)
        yield ws, Planted(run=result.run_id, step=1, kind="fault")


MAKERS: Mapping[str, Maker] = {
    "note": _clerk(_note, "note"),
    "action": _action,
    "budget": _budget,
    "row": _row,
    "preference": _clerk(_preference, "preference"),
    "insight": _clerk(_insight, "insight"),
    "skill": _skill,
    "check": _check,
    "data": _data,
    "told": _told,
    "endpoint": _endpoint,
    "denied": _denied,
}
HELD_OUT = ("preference", "insight", "skill", "data", "denied")
"""Kinds that were measured and not looked at while the diagnosis was written."""
