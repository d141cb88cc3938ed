"""What a failed exchange means to whoever has to act."""

from __future__ import annotations

from evolve.errors import BudgetExhausted, EndpointProblem, ModelMistake, NotRecorded, PromptTooLong
from evolve.models.protocol import Usage
from evolve.models.wire import Failure

_HINTS = {
    "access": "set OPENAI_API_KEY (or EVOLVE_API_KEY for other endpoints), then `evolve models check`",
    "missing": "`evolve models list` shows the models of the endpoint",
    "connect": "check the address with `evolve models check`; the same command goes on where it stopped",
    "offline": "the same command with --record in place of --replay asks for what is missing and adds it",
}
_KINDS: dict[str, type[EndpointProblem]] = {"offline": NotRecorded, "context": PromptTooLong}


def endpoint_problem(name: str, failure: Failure, failures: int) -> EndpointProblem:
    """The error for a failure that nothing helps against now.

    Args:
        name: Whose endpoint it was.
        failures: How often it failed in a row.
    """
    times = f" ({failures} times)" if failures > 1 else ""
    hint = _HINTS.get(failure.kind, "the same command goes on where it stopped" if failure.retryable else "")
    if failure.kind == "limit" and failure.final:
        hint = "the account's quota is used up: raise it, or choose another model"
    if failure.kind == "context":
        hint = "choose a model with a longer context, or give fewer rows"
    kind = _KINDS.get(failure.kind, EndpointProblem)
    return kind(f"{name}: {failure.text}{times}", retryable=failure.retryable, hint=hint)


def unusable_problem(name: str, why: str, tries: int, *, answered: bool) -> ModelMistake | EndpointProblem:
    """The error for replies none of which could be used: the endpoint's trouble, until it has given an answer once."""
    text = f"{name} gave no usable reply in {tries} {'try' if tries == 1 else 'tries'}: {why}"
    if answered:
        return ModelMistake(text)
    return EndpointProblem(text, retryable=False, hint="`evolve models list` shows which others the endpoint has")


def over_budget(reached: str, most: Usage) -> BudgetExhausted:
    """The error for a call that is not made.

    Args:
        reached: The bound that is reached, or "".
        most: What the call may cost.
    """
    money = f" and ${most.money:.4f}" if most.money else ""
    text = reached or f"the next call may take {most.tokens:,} tokens{money}, and less than that is left"
    return BudgetExhausted(text, tokens=most.tokens)
