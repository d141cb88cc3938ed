"""``docs/prompt.md`` shows the prompt as it is sent now; ``SNAPSHOTS=write`` writes it anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from docs.prompts import Body, Endpoint, printed
from evolve.core.episodes import EnvironmentState, Exhibit, Limits, Observation, Plan, Step, TaskView

PAGE = Path(__file__).parents[1] / "docs" / "prompt.md"
HEAD = """\
# The prompt

What a model is asked in a world, as it is sent. The text of the system is `src/evolve_worlds/prompts/act-worlds.md`;
what follows it is put together from the task and from what was done.
"""

_VIEW = "You are in the hall.\nA chest stands here.\nA way leads to the garden."


def requests() -> Iterator[tuple[str, str, Body]]:
    """A world, move by move: its name, a sentence, and what is sent."""
    seen = (
        Exhibit(name="goal", text="Open the chest in the hall."),
        Exhibit(name="what can be seen", text=_VIEW),
        Exhibit(name="moves", text="go {}: garden\nopen {}: chest\nwait"),
    )
    view = TaskView(
        id="chest",
        family="vault/open",
        instruction="Open the chest in the hall.",
        signature="",
        examples=(),
        environment="worlds",
        seen=seen,
    )
    limits = Limits(steps=30, tokens=1_000_000)
    said = 'I try it.\n```python\nfrom functions import act\nact("open chest")\n```'
    told = Endpoint(replies=[said])
    action = told.policy().act(view, Plan(goal=""), (), limits)
    yield "act-worlds.md", "The first move of a trial.", told.asked[0]
    gave = {"told": "It is locked.", "score": 0.0, "over": False, "new": [], "gone": []}
    state = EnvironmentState(snapshot="1", output=f"value: {gave!r}\nscore 0.00 of 1.00; 99 moves left")
    step = Step(number=1, action=action, observation=Observation(ok=False, state=state))
    told = Endpoint(replies=[said])
    told.policy().act(view, Plan(goal=""), (step,), replace(limits, steps=29, tokens=999_000))
    yield "act-worlds.md: after a move", "What a move gave is in the words of the world, and data.", told.asked[0]


def test_the_page_shows_what_is_sent() -> None:
    page = printed(HEAD, requests())
    if os.environ.get("SNAPSHOTS") == "write":
        PAGE.write_text(page, "utf-8")
    assert PAGE.read_text("utf-8") == page
