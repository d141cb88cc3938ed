"""Are wrong answers called right? Every forgery of the corpus, by every way an answer is judged.

``rows`` compares values, ``values`` runs hidden tests that can be kept apart from the answer, ``objects`` tests that
cannot, ``check`` a command in a folder. A row says what the verifier called the answer. The right answer is put to
every way too: what refuses it is no verifier.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.forged_answers import CODES, FILES, FOLDER, MODULE, OBJECTS, RIGHT, VALUES, Forgery
from benchmarks.forged_families import TRICKS, Trick
from benchmarks.record import Outcome, Target, common_options, progress, publish
from evolve.core.episodes import Row
from evolve.runtime.sandbox import Sandbox, open_sandbox
from evolve.tasks import CommandVerifier, RowsVerifier, Submission, TestsVerifier, Verifier
from evolve.tasks.work import FolderWork

OWN = "tests of their own"
WAYS = ("rows", "values", "objects", "check")
COMMAND = "python3 -m pytest -q -p no:cacheprovider"
_WITHOUT_PLUGINS = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 "
LEAST = 30
_QUICK = 2
_ROWS = tuple(Row(input=(x,), output=x + x) for x in (2, 5, 7.5))
_HONEST = Forgery(name="the right answer", code=RIGHT)


def judged(way: str, forgery: Forgery, sandbox: Sandbox) -> dict[str, Any]:
    """What one verifier says of one answer."""
    original = {name: text.encode() for name, text in FOLDER.items()}
    command = COMMAND if forgery.plugins else _WITHOUT_PLUGINS + COMMAND
    verifiers: dict[str, Verifier] = {
        "rows": RowsVerifier(rows=_ROWS),
        "values": TestsVerifier(tests=VALUES),
        "objects": TestsVerifier(tests=OBJECTS),
        "check": CommandVerifier(work=FolderWork(folder="/", check=command), original=original),
    }
    written = {f"{MODULE}.py": forgery.code, **forgery.files}
    files = {**original, **{name: text.encode() for name, text in written.items()}}
    said = _said(verifiers[way], Submission(code=forgery.code, files=files), sandbox)
    return {"way": way, "answer": forgery.name, "aside": forgery.aside, "knows": forgery.knows, **said}


def tricked(trick: Trick, sandbox: Sandbox, *, right: bool = False) -> dict[str, Any]:
    """What the verifier of its tests says of one answer with tests of its own."""
    code = trick.right if right else trick.code
    start = {"app.py": b"def f(x): raise NotImplementedError\n", "tests/__init__.py": b""}
    original = {**start, trick.file: trick.tests.encode()}
    files = {**original, "app.py": code.encode()}
    files |= {} if right else {name: text.encode() for name, text in trick.changed.items()}
    work = FolderWork(folder="/", check=trick.command)
    verifier: Verifier = TestsVerifier(tests=trick.tests)
    if trick.command:
        verifier = CommandVerifier(work=work, original=original)
    said = _said(verifier, Submission(code=code, files=files), sandbox)
    return {"way": OWN, "answer": f"{_HONEST.name} to: {trick.name}" if right else trick.name, **said}


def _said(verifier: Verifier, submission: Submission, sandbox: Sandbox) -> dict[str, Any]:
    started = time.monotonic()
    verdict = verifier.verify(submission, sandbox)
    return {
        "accepted": verdict.accepted,
        "checked": verdict.checked,
        "verified": verdict.verified,
        "fault": verdict.fault,
        "said": verdict.text,
        "seconds": round(time.monotonic() - started, 2),
    }


def planned(quick: bool, seed: int) -> Iterator[tuple[str, Forgery]]:
    """Every way with what is put to it; a quick run takes a sample where an answer is slow to judge."""
    for way in WAYS:
        chosen: Sequence[Forgery] = (*CODES, *FILES) if way == "check" else CODES
        if quick and way == "check":
            chosen = random.Random(seed).sample(chosen, _QUICK)
        yield way, _HONEST
        yield from ((way, forgery) for forgery in chosen)


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """No forgery is verified, none that can be noticed is accepted, and the right answer always is."""
    own = [row for row in rows if row.get("way") == OWN]
    tricks = [row for row in own if not row["answer"].startswith(_HONEST.name)]
    solved = [row for row in own if row["answer"].startswith(_HONEST.name)]
    rows = [row for row in rows if row not in own]
    forged = [row for row in rows if row["answer"] != _HONEST.name]
    right = [row for row in rows if row["answer"] == _HONEST.name]
    reached = [row for row in forged if not row["knows"]]
    counts: list[tuple[str, int | None, int, int]] = [
        ("forgeries verified", sum(row["verified"] for row in forged), 0, len(forged)),
        ("forgeries accepted that can be noticed", sum(row["accepted"] for row in reached), 0, len(reached)),
        ("tricks verified or checked", sum(row["verified"] or row["checked"] for row in tricks), 0, len(tricks)),
        ("right answers to their tests refused", sum(not row["accepted"] for row in solved), 0, len(solved)),
        ("faults", sum(row["fault"] for row in (*rows, *own)), 0, len(rows) + len(own)),
        ("right answers refused", sum(not row["accepted"] for row in right), 0, len(right)),
        ("right answers verified", sum(row["verified"] for row in right), 2, len(right)),
    ]
    found = [Target(name=name, op="==", target=target, value=value, n=n) for name, value, target, n in counts]
    return [*found, Target(name="forgeries", op=">=", target=LEAST, value=len({row["answer"] for row in forged}))]


def table(outcome: Outcome) -> str:
    """Counts per way, and every forgery that was believed."""
    lines = []
    for way in (*WAYS, OWN):
        here = [row for row in outcome.rows if row["way"] == way and not row["answer"].startswith(_HONEST.name)]
        counts = [sum(row[key] for row in here) for key in ("verified", "checked", "accepted")]
        lines.append(f"{way}: {len(here)} forgeries, {counts[0]} verified, {counts[1]} checked, {counts[2]} accepted")
        lines += [f"  {row['answer']}: {row['said']}" for row in here if row["accepted"] or row["fault"]]
    lines += [f"{t.name}: {t.value} ({t.op} {t.target:g}: {'met' if t.met else 'MISSED'})" for t in outcome.targets]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forged", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=1)
    options = parser.parse_args(argv)
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="evolve-forged-") as cache,
        open_sandbox(cache_dir=Path(cache), python=Path(sys.prefix)) as sandbox,
    ):
        for way, forgery in planned(options.quick, options.seeds):
            rows.append(judged(way, forgery, sandbox))
            progress(f"{way}: {forgery.name}: {'accepted' if rows[-1]['accepted'] else 'refused'}")
        for trick in TRICKS:
            rows += [tricked(trick, sandbox, right=True), tricked(trick, sandbox)]
            progress(f"{OWN}: {trick.name}: {'accepted' if rows[-1]['accepted'] else 'refused'}")
    outcome = Outcome(benchmark="forged", seeds=1, quick=options.quick, rows=rows, targets=targets_of(rows))
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
