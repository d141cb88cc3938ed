"""``evolve memory proposals``, and the questions that a finished run asks: what of it is to be remembered."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.asking import ask_line
from evolve.cli.render.memory import (
    choice_line,
    describe_scope,
    describe_wider_scope,
    kept_line,
    offer_lines,
    proposal_rows,
)
from evolve.cli.render.output import emit, emit_json, escape_control_characters, print_note, table
from evolve.core.errors import BudgetExhausted, EndpointProblem, ModelMistake, UsageError

if TYPE_CHECKING:
    from evolve.workspace import Budget, Ledger, Patch, Preference, Workspace

app = pages.App()

_EDIT = re.compile(r"\s*edit\b[\s.,:;!]*(?P<words>.*)", re.IGNORECASE | re.DOTALL)
_AGAIN = "please answer yes, {}edit YOUR WORDS or no [Enter: later] "


@dataclass(frozen=True, kw_only=True)
class ProposalReply:
    """What a person says to a proposal: kept, in these words where they gave some, or declined."""

    proposal: str
    keep: bool
    words: str = ""
    everywhere: bool = False


@app.page("proposals", "evolve memory proposals", "evolve memory proposals keep 522fa553 --everywhere")
def proposals_command(
    action: Annotated[
        str, typer.Argument(metavar="ACTION", help="list, keep, edit (keep it in your words) or no.")
    ] = "list",
    proposal: Annotated[
        str | None, typer.Argument(metavar="ID", help="Id of a proposal or its beginning.", show_default=False)
    ] = None,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="For edit: your words.", show_default=False)
    ] = None,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="Keep it for every task.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """List what finished runs suggest to remember, and keep, edit or decline it.

    Nothing of it is told to a run before you keep it.
    """
    if action == "list" and proposal is None:
        with evolve.open(workspace, read_only=True) as opened:
            waiting = opened.preferences.proposals()
        if as_json:
            emit_json(waiting)
        else:
            emit(table(("id", "kind", "for", "what", "because"), proposal_rows(waiting)) or "nothing is proposed")
        return
    hint = "evolve memory proposals keep ID, edit ID TEXT, or no ID"
    if action not in ("keep", "edit", "no") or proposal is None or (action == "edit") != (text is not None):
        raise UsageError("say what to do with which proposal", hint=hint)
    if action == "no" and everywhere:
        raise UsageError("--everywhere is about what is kept", hint=hint)
    decision = ProposalReply(proposal=proposal, keep=action != "no", words=text or "", everywhere=everywhere)
    with evolve.open(workspace) as opened:
        decided = apply_decision(opened, decision)
    emit_json(decided) if as_json else emit(kept_line(decided))


def apply_decision(opened: Workspace, decision: ProposalReply) -> Preference:
    """Does what the person says to a proposal; what was said of this mail alone is everywhere for every mail.

    Raises:
        UsageError: There is no such proposal, or nothing of it waits any more.
    """
    if not decision.keep:
        return opened.preferences.decline(decision.proposal)
    if not decision.everywhere:
        return opened.preferences.confirm(decision.proposal, decision.words or None)
    wish = opened.preferences.show(decision.proposal)
    meant = replace(wish, description=wish.proposal or wish.description)
    return opened.preferences.confirm(wish.id, decision.words or meant.generalized_text, contexts=())


def ask_each(
    proposals: Sequence[Preference], ask: Callable[[str], str | None], say: Callable[[str], None], *, here: str = ""
) -> list[ProposalReply]:
    """Asks about each proposal, once more where the answer means nothing here; what is left open waits, as does the
    rest where a command such as ``/exit`` is typed.

    Args:
        ask: Gives the line typed; None where nobody answers, which leaves the rest open.
        say: Shows lines.
        here: The folder that is worked in.
    """
    from evolve.workspace import parse_answer

    decisions: list[ProposalReply] = []
    for proposal in proposals:
        wider = describe_wider_scope(proposal)
        say("\n".join([*offer_lines(proposal), choice_line(proposal, here)]))
        answer = ask(f"keep it? [yes / {'everywhere / ' * bool(wider)}edit / no; Enter: later] ")
        if answer is not None and not (_is_command(answer) or parse_answer(answer) or _EDIT.match(answer)):
            answer = ask(_AGAIN.format("everywhere, " * bool(wider)))
        if answer is None or _is_command(answer):
            break
        edits, words = _EDIT.match(answer), ""
        meant = parse_answer(answer) or "later"
        if edits:
            words = (edits["words"] or ask("in your words: ") or "").strip()
            meant = "yes" if words else "later"
        if meant != "later":
            decision = ProposalReply(
                proposal=proposal.id, keep=meant != "no", words=words, everywhere=meant == "always"
            )
            decisions.append(decision)
    return decisions


def _is_command(answer: str) -> bool:
    return answer.lstrip().startswith("/")


def in_general_words(opened: Workspace, wish: Preference, budget: Budget | None = None) -> Preference:
    """A wish with a proposal of the model beside it, where the model has a usable one and may be asked."""
    # What holds once needs no general words, unless something that holds longer stands beside it.
    if wish.status != "proposed" or (wish.is_one_time and not wish.is_mixed) or not opened.uses_model:
        return wish
    try:
        return opened.preferences.propose(wish.id, budget=budget)
    except (BudgetExhausted, EndpointProblem, ModelMistake):
        return wish  # the person's own words are there, and they can say it otherwise


def offer_rule(opened: Workspace, patch: Patch, bounds: Ledger | None = None, *, attended: bool) -> None:
    """Asks whoever refused a change with a reason whether that is a rule; where nobody is there it waits.

    Args:
        bounds: What putting it into general words may spend.
    """
    from evolve.workspace import Cost

    said = [
        wish
        for wish in opened.preferences.proposals()
        if any(act.kind == "refusal" and act.run == patch.run for act in wish.acts)
    ]
    if attended:
        before = opened.preferences.spent
        said = [in_general_words(opened, wish, bounds.remaining if bounds is not None else None) for wish in said]
        if bounds is not None:
            bounds.settle(Cost(), opened.preferences.spent - before)
    ask_about_proposals(
        opened, [wish for wish in said if attended or not wish.is_one_time], attended=attended, here=patch.folder
    )


def ask_about_proposals(opened: Workspace, proposals: Sequence[Preference], *, attended: bool, here: str = "") -> None:
    """Asks about what a run suggests; where nobody is there it waits.

    Args:
        here: The folder that is worked in.
    """
    if not attended:
        for proposal in proposals:
            print_note(
                "\n".join(
                    [
                        *offer_lines(proposal),
                        escape_control_characters(f"  for {describe_scope(proposal, here)}", lines=False),
                    ]
                )
            )
            print_note(
                f"  it is not used until you keep it: evolve memory proposals keep {proposal.id[:10]}", whole=True
            )
        return
    for decision in ask_each(proposals, ask_line, print_note, here=here):
        print_note(kept_line(apply_decision(opened, decision), here=here))
