"""Goes on with the answer that most others agree with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evolve.agent.answer_stages import exchange_answer, is_error, run_rivals, with_note, with_rivals
from evolve.agent.context import EpisodeContext
from evolve.core.episodes import Action, Json, Plan, Step
from evolve.core.files import canonical_json

_NAME = "vote"


def work(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    """Lets the answer and its rivals vote on inputs near the examples (self-consistency: Wang et al., 2023).

    Those that reproduce most examples have a vote. The winner is the one with which, on the average input, the
    largest share agrees; it is doubtful where that share is below the quorum.
    """
    action = with_rivals(context, plan, steps, _NAME)
    if not action.rivals:
        return with_note(action, _NAME, "nobody else has a vote", doubtful=False)
    table, right = run_rivals(context, action, steps[-1].number, _NAME)
    voters = [number for number, count in enumerate(right) if count == max(right)]
    ballots = {number: _ballot(table[number] or (), len(context.view.examples)) for number in voters}
    counts = [Counter(filter(None, column)) for column in zip(*ballots.values(), strict=True)]
    shares = {number: _shares(ballot, counts, len(voters)) for number, ballot in ballots.items()}
    # The earlier answer wins a tie: the first is the one that the policy chose itself.
    best = max(voters, key=lambda number: (shares[number], -number))
    agreement = shares[best]
    doubtful = len(voters) > 1 and agreement < context.knobs.quorum
    text = f"{len(voters)} of {len(table)} answers vote; number {best + 1} wins with an agreement of {agreement:.2f}"
    chosen = action if best == 0 else exchange_answer(action, action.rivals[best - 1])
    return with_note(chosen, _NAME, text, doubtful=doubtful)


def _shares(ballot: Sequence[str], counts: Sequence[Counter[str]], voters: int) -> float:
    """The share of the voters that say the same, over the inputs on which anybody has a value; 1.0 without any."""
    agreeing = [count[value] / voters for value, count in zip(ballot, counts, strict=True) if count]
    return sum(agreeing) / len(agreeing) if agreeing else 1.0


def _ballot(values: Sequence[Json], shown: int) -> list[str]:
    """What a program says on the inputs beyond the examples; "" where it has no value."""
    return ["" if is_error(value) else canonical_json(value) for value in (values[shown:] or values)]
