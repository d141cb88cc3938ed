"""What the prompts of ``docs/prompts.md`` are about: a function over dates, a folder of three files, and replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.workflow import Workflow
from evolve.core.episodes import (
    PREFERENCE,
    Action,
    Cost,
    EpisodeRecord,
    Judgement,
    Limits,
    OfferedFunction,
    Recalled,
    Row,
    SkillDraft,
    Step,
    TaskView,
)
from evolve.improve.optimizer.adas import other_candidates, separate_tasks, setting_of, tasks_of, trials_of
from evolve.improve.optimizer.engine import Candidate, CandidateTrial
from evolve.improve.optimizer.population import ScoredCandidate
from evolve.improve.optimizer.workflow_drafts import DraftSpace, SearchScope
from evolve.policies import WorkflowBrief
from evolve.skills import Skill
from evolve.tasks import Task

# A function that examples show, and replies to its task.

INSTRUCTION = "Bring the date of a delivery note into the form 2031-03-09."
EXAMPLES = (Row(input=("9.3.2031",), output="2031-03-09"), Row(input=("28.11.2030",), output="2030-11-28"))
UNSEEN = (
    Row(input=("1.2.31",), output="2031-02-01"),
    Row(input=("4.5.30",), output="2030-05-04"),
    Row(input=("17.6.2031",), output="2031-06-17"),
    Row(input=("30.12.2030",), output="2030-12-30"),
)
TASK = Task(
    id="notes-4",
    family="delivery-notes",
    instruction=INSTRUCTION,
    examples=EXAMPLES,
    verify=UNSEEN,
    meta={"entry": "iso_date"},
)
FACT = Recalled(
    id="3f9a61c07d52",
    kind="insight",
    text="Delivery notes put the day before the month.",
    score=1.0,
    status="supported",
    provenance="from delivery-notes; 2 pairs of answers with it and without it speak for it",
)
WISH = Recalled(
    id="b81e22d4a093",
    kind=PREFERENCE,
    text="Use the standard library's own functions where there are some.",
    score=1.0,
    author="Kim",
)
SKILL = replace(
    Skill.from_draft(
        SkillDraft(
            name="two-digits",
            description="Writes a number of a delivery note with two digits at least.",
            entry="two_digits",
            signature="(n: int) -> str",
            code="def two_digits(n):\n    return f'{n:02d}'\n",
            tests=(Row(input=(7,), output="07"), Row(input=(12,), output="12"), Row(input=(0,), output="00")),
            source="notes-2",
        )
    ),
    status="admitted",
    family="delivery-notes",
    tasks=("notes-3",),
)
LOOK = """\
What do the parts of such a date look like?

```python
"9.3.2031".split(".")
```
"""
WRONG = """\
Day, month and year in the other order.
uses: i-3f9a61c0

```python
def iso_date(text):
    day, month, year = text.split(".")
    return "-".join([year, month, day])
```
"""
FITS = """\
The parts need two digits.

```python
def iso_date(text):
    day, month, year = text.split(".")
    return "-".join([year, month.zfill(2), day.zfill(2)])
```
"""
RIGHT = """\
A short year is one of this century.

```python
def iso_date(text):
    day, month, year = text.split(".")
    return "-".join([year if len(year) == 4 else f"20{year}", month.zfill(2), day.zfill(2)])
```
"""

SEATS = OfferedFunction(
    name="seats_of",
    signature="seats_of(room: str) -> int",
    description="How many seats a room has.",
    does="reads",
    source="rooms",
)

# A folder, and replies to its task.

CHECK = "python3 -m unittest -q"
FILES = {
    "README.md": b"# Notes\n\nReads delivery notes. Names are in English, lines at most 100 characters.\n",
    "notes/__init__.py": b"",
    "notes/dates.py": b"""def iso_date(text):
    day, month, year = text.split(".")
    return "-".join([year, month, day])
""",
    "tests/__init__.py": b"",
    "tests/test_dates.py": b"""import unittest

from notes.dates import iso_date


class TestDates(unittest.TestCase):
    def test_parts_have_two_digits(self):
        self.assertEqual(iso_date("9.3.2031"), "2031-03-09")
""",
}
PRINTED = """\
FAIL: test_parts_have_two_digits (tests.test_dates.TestDates.test_parts_have_two_digits)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/tmp/work/tests/test_dates.py", line 8, in test_parts_have_two_digits
    self.assertEqual(iso_date("9.3.2031"), "2031-03-09")
AssertionError: '2031-3-9' != '2031-03-09'

----------------------------------------------------------------------
Ran 1 test in 0.001s

FAILED (failures=1)
"""
MISSED = """\
The parts are joined as they are; each needs two digits.

```edit notes/dates.py
<<<<<<< SEARCH
    return "-".join((year, month, day))
=======
    return "-".join([year, month.zfill(2), day.zfill(2)])
>>>>>>> REPLACE
```
```done
```
"""
HALF = """\
The brackets were others.

```edit notes/dates.py
<<<<<<< SEARCH
    return "-".join([year, month, day])
=======
    return "-".join([year, month.zfill(2), day])
>>>>>>> REPLACE
```
```done
```
"""
PLANNED = """\
The month first, then the day, then a word in the README.

```plan
1. the month has two digits
   check: python3 -c 'from notes.dates import iso_date; assert "-03-" in iso_date("9.3.2031")'
2. the README names the form
   check: grep -q 2031-03-09 README.md
3. the day has two digits
   after: 1
```
```edit notes/dates.py
<<<<<<< SEARCH
    return "-".join([year, month, day])
=======
    return "-".join([year, month.zfill(2), day])
>>>>>>> REPLACE
```
"""

# What the trials of three workflows came to, for whoever writes the next one.


def design_brief() -> WorkflowBrief:
    """A model acts, has one action, and fails on three of four tasks; votes made it dearer, and a plan no better."""
    start, scope = (
        Workflow().with_knobs(steps=1),
        SearchScope(policy="language:model", limits=Limits(candidates=None, seconds=None, tokens=100_000)),
    )
    voting = Workflow(stages=("recall", "plan", "act", "vote", *start.stages[3:]), knobs=start.knobs)
    planned = Workflow(stages=("recall", "plan", "decompose", *start.stages[2:]), knobs=start.knobs)
    views = [replace(TASK.view(), id=f"notes-{number}") for number in range(4)]
    parent, *others = (
        _member(workflow, views, right, cost)
        for workflow, right, cost in ((start, 1, 480), (voting, 1, 1_400), (planned, 0, 900))
    )
    drafted = start.with_knobs(steps=4).render().replace("steps = 4", "steps = 4\nrivals = 3")
    fault = "workflow.toml: knobs.rivals: none of the stages uses it"
    return replace(
        DraftSpace(parent=start, scope=scope).to_brief(
            setting=setting_of(scope, views, start),
            trials=trials_of(parent),
            tasks=tasks_of(parent, views)[:2],
            others=other_candidates(others, parent, {others[0].candidate.digest}),
            apart=separate_tasks(others, parent, views),
        ),
        faults=((drafted, fault),),
    )


def _member(workflow: Workflow, views: Sequence[TaskView], right: int, cost: int) -> ScoredCandidate:
    trials = {}
    for number, view in enumerate(views):
        solved = number < right
        record = EpisodeRecord(
            **dict.fromkeys(("episode", "run", "suite", "variant"), "page"),
            task=view.id,
            group=view.id,
            split="screen",
            seed=0,
            status="solved" if solved else "refused",
            steps=(
                Step(number=1, action=Action(kind="code"), judgement=Judgement(accepted=solved, verified=True, rows=4)),
            ),
        )
        trials[view.id] = CandidateTrial(
            task=view.id, group=view.id, score=float(solved), solved=solved, cost=Cost(tokens=cost), record=record
        )
    return ScoredCandidate(candidate=Candidate(workflow=workflow), trials=trials)
