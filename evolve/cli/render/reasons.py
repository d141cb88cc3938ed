"""Why something is doubtful or failed, in words: codes and facts come from below, the sentences stand here."""

from __future__ import annotations

import json
import string
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from evolve.cli.render.layout import count_of

if TYPE_CHECKING:
    from evolve.workspace import Diagnosis, Explanation, FillResult, FlagReasons, LearningResult, Reason, Result


OF_RUNS = {
    "actions_pass_again": "the recorded actions pass when they are run again, so leaving one out tells nothing",
    "actions_reach_a_limit": "the recorded actions reach a limit when run again, so leaving one out tells nothing",
    "beginning_not_on_record": "what it was begun with is not on record, so it cannot be run again",
    "broke_off": "it broke off: {text:text}",
    "budget_ran_out": "its budget ran out before it was through",
    "change_refused": "you refused its change",
    "change_refused_because": "you refused its change: {said:text}",
    "check_fell": "the check fell from {before:.2f} to {after:.2f} there and stayed below",
    "check_limit": "the check that decides reached its {limit:text} limit: {text:text}",
    "check_names": "the check names {names:text}, which it changed",
    "check_said_new": "from there on the check said what it had not said before: {line:text}",
    "check_unmoved": "the check said the same of {states:different state} and named nothing that was changed",
    "consumed_before": "a step consumed it",
    "consumed_there": "the step that broke consumed it",
    "diverged": "there it first did something else than {other:text}, which went well",
    "ended_the_run": "it ended the run: {note:text}",
    "fails_without_all": "without it, and without all else that was offered, the run fails as well",
    "fails_without_it_alone": "without it alone the run fails as well",
    "fails_without_row": "without this row the run fails as well",
    "first_failed": "it was the first that failed: {error:text}",
    "first_not_borne_out": "its answer was the first that the examples do not bear out",
    "first_refused": "its answer was the first that was refused",
    "fits_without_row": "without this row a function fits all others, too few to verify it",
    "found_without_row": "without this row a function is found that is right on all others, unseen ones too",
    "function_was_given": "its function was given",
    "functions_not_called_again": "its code called functions, which are not called again to compare",
    "good_did_without": "{other:text}, which went well, did without it",
    "good_had_it": "{other:text}, which went well, had it too",
    "has_not_ended": "it has not ended; it was stopped, or goes on in another process",
    "led_to_handed_in": "it led to what was handed in",
    "like_took": "{other:text} of like work took {took:candidate}",
    "machine_failed": "the machine failed",
    "more_finds_nothing": "with {times:,} times as much nothing is found either",
    "more_finds_one_that_fails": "with {times:,} times as much a function is found that fails a row",
    "more_solves_by_candidates": "with {times:,} times as much it is solved, after {spent:candidate}",
    "more_solves_by_tokens": "with {times:,} times as much it is solved, after {spent:token}",
    "nearest_fails": "what came nearest fails {rows:,} of the rows, this one among them: {text:text}",
    "no_action": "no action was taken",
    "no_answer_to_try": "no answer was found that could be tried",
    "no_trial_tells": "nothing can check an answer to it, so no trial would tell",
    "not_all_tried": "not everything was tried: {text:text}",
    "nothing_run_again": "nothing was run again, as was asked",
    "only_offered": "it was offered, and no step says that it used it",
    "others_fail": "without step {step:,} the others fail as well",
    "others_pass": "without step {step:,} the other actions of the run pass",
    "refused_on_this_row": "an answer that was right on every visible row was refused on this one",
    "rest_takes": "the rest takes {policy:text}, which decided in it: --model names it",
    "searching_takes_long": "to search again takes a while; --replay does that",
    "solved_again": "run again as it was, it is solved: chance ended it, or what was learned since helps",
    "solved_without_all_alone": "without all that was offered the run is solved, not without it alone",
    "solved_without_it": "run again without it and all else as it was, it is solved",
    "stands_in": "it stands in {bad:,} of {failed:,} failed and {good:,} of {went_well:,} good runs",
    "step_denied": "step {step:,} was denied {what:text}",
    "step_limit": "step {step:,} reached its {limit:text} limit: {text:text}",
    "step_says_it": "the step says what it says",
    "trying_asks_a_model": "to try it again without an item asks a model, which costs; --replay does that",
    "turns_are_gone": "it followed on turns of a conversation, which is gone or says something else by now",
    "waits_for_answer": "it waits for an answer: {question:text}",
    "was_last": "it was the last",
    "words_of_no_row": "outputs hold words that no input gives",
    "words_of_this_output": "its output alone holds words that its input does not give",
}
"""By code; a name in braces is a fact."""


_SHOWN = 80
"""Longest value in a reason."""
_ROWS = "any row that the function was learned from"

SENTENCES = OF_RUNS | {
    "another_as_simple": (
        "an equally simple function gives {other:json} for {input:values}, where this one gives {gives:json}"
    ),
    "another_fails": "another function that fits your rows fails here",
    "another_gives": "another function that fits your rows gives {value}",
    "between_steps": "the rows that the function was learned from leave open what is between {low} and {high}",
    "blank_inputs": "the cells that the function reads are empty",
    "budget_too_small": "the budget was too small to look for other functions that fit your rows",
    "differs": "the function gives {value} here",
    "doubtful_when_kept": "the function was doubtful when you kept it",
    "empty_text": "the function gives an empty text",
    "fails": "the function cannot handle {values:given}",
    "fewer_than_known": f"it has fewer {{trait:plain}} than {_ROWS}",
    "flagged_before": "the earlier fill flagged this value; correct it, or clear this reason if it is right",
    "fill_with": "fill it with {function:text}?",
    "formula": "a spreadsheet might run this text, because it begins with {sign}",
    "other_blanks": "the cells that the function was learned from have their blanks in other places",
    "formula_row": "the formula refers to another row than your own do from theirs",
    "formula_as_text": (
        "a spreadsheet might run this text, because it begins with {sign}; evolve puts {prefix:plain} before it"
    ),
    "fraction": "the function gives a fraction, the other cells are whole numbers",
    "inexact": "the number is too large to be exact to its last digit",
    "judging_takes_more": "judging it first may take more than this budget leaves: evolve learn without one",
    "kept_fails": "the function used so far fails here",
    "kept_gives": "the function used so far gives {value} here",
    "merged": "the cell is a part of merged cells",
    "more_than_known": f"it has more {{trait:plain}} than {_ROWS}",
    "no_cell": "the function gives {kind:kind}, which no cell can hold",
    "no_cell_filled": "nothing shows how to fill {column}",
    "no_equal_row": "no filled row has the same values",
    "no_json": "the function gives a value that no JSON file can hold",
    "no_right_answer": "it has no right answer to learn from",
    "no_such_character": "the file's encoding, {encoding:plain}, has no {character}",
    "no_value": "the function gives nothing",
    "no_workbook_number": "the function gives a number that no workbook can hold exactly",
    "no_workbook_text": "the function gives a text that no workbook can hold",
    "not_a_number": "{value} is not a number",
    "new_sign": "no cell that the function was learned from has {sign}",
    "nothing_left_to_learn_with": "nothing of the budget was left to learn with; a larger --budget leaves some",
    "nothing_unknown": "it showed nothing that was not known",
    "nothing_verifies_it": "nothing verifies the answer",
    "nothing_worth_remembering": "the model found nothing worth remembering",
    "one_reply_did_it": "one reply did it",
    "one_row_not_looked_at": "it took too long to see whether the answer rests on one row alone",
    "one_value": (
        "every filled cell has the same value, so nothing shows what it depends on; a row with another value would tell"
    ),
    "other_length": "all cells that the function was learned from are as long as {example}",
    "other_shape": "all cells that the function was learned from have the shape of {example}",
    "other_kind": "the function gives {kind:kind}, the other cells are {column:cells}",
    "out_of_contract": f"{{lacks:text}}, unlike {_ROWS}",
    "own_cells": (
        "{given:,} cells of {column} are filled, and an earlier fill wrote {own:,} of them; "
        "did you check what it wrote, so that it counts as yours?"
    ),
    "piece_may_be_copied": (
        "{piece} stands in every output and in every input, so it may have to be copied from there; "
        "a row with another one, such as {other}, would tell"
    ),
    "recorded": "{text:text}",
    "rests_on_one_row": "without one row, {row:plain}, evolve would not have found it",
    "row_does_not_fit": "your row for {input:values} says {given:json}, the function gives {expected:json}",
    "rows_like_misfits": "correct these rows if they are mistyped; else more rows like them would help",
    "rows_missing": "{missing:more row} could verify it",
    "rows_or_column": "more rows would help, or a column that the outputs follow from",
    "rows_repeat": "{repeated:,} of the {rows:row} that decide repeat other rows under another id",
    "saved_function_did_it": "the saved function {function:plain} did it",
    "search_stopped": "you stopped the search for other functions that fit your rows",
    "skill_not_kept": "the skill that it proposed was not kept",
    "solved_by_another": "it was solved by {policy:text}, which alone can learn from it: {command:text}",
    "stopped_by_the_person": "you stopped it",
    "too_few_values": "the {rows:row} that decide have too few different values; more rows would settle it",
    "too_many_digits": "the function gives a number of more than {most:,} digits, which no cell can hold",
    "too_slow": "the function takes too long",
    "trait_missing": "it has no {trait:plain}; every row that the function was learned from has some",
    "unknown_trait": "no row that the function was learned from has {trait:plain}",
    "unlike_column": "{value} under {column} is not like the other cells",
    "unverified_when_kept": "the function was not verified when you kept it",
    "which_column": "evolve has functions for {columns:empty column} of {file:plain}: {columns}; which is meant?",
    "words_of_categories": "the outputs hold {words}, which no input gives: fill {rows:row} for each of them",
    "words_of_no_input": "the outputs hold {words}, which no input gives: mistyped, or a column is missing",
    "would_write": "in line {line:,} it would write {value}",
    "wrong_for_nearest": "the function is wrong for the nearest filled row: {input:plain} has {output:plain}",
}
"""By code; a name in braces is a fact."""
_KINDS = {
    "bool": "true or false",
    "dict": "a record",
    "float": "a number",
    "int": "a number",
    "list": "a list",
    "str": "text",
}


class _Words(string.Formatter):
    """Facts as words: values quoted, ``:plain`` as they are, ``:text`` also where long, ``:json`` and ``:values``
    as JSON, ``:given`` as cells, ``:kind`` and ``:cells`` what they are, ``:row`` how many rows."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in ("plain", "text"):
            return _short(str(value)) if format_spec == "plain" else str(value)
        if format_spec in ("json", "values"):
            return values_text(value) if format_spec == "json" else values_text(*value)
        if format_spec == "given":
            cells = value if isinstance(value, list | tuple) else [value]
            return ", ".join("an empty cell" if one in (None, "") else _quoted(one) for one in cells)
        if format_spec in ("kind", "cells"):
            several = "numbers" if value in ("int", "float") else "text"
            return _KINDS.get(value, str(value)) if format_spec == "kind" else several
        if format_spec.isalpha() or " " in format_spec:
            return count_of(value, format_spec)
        if format_spec:
            return format(value, format_spec)
        return ", ".join(map(_quoted, value)) if isinstance(value, list | tuple) else _quoted(value)


def reason_sentence(reason: Reason) -> str:
    """A reason in a clause."""
    return _Words().vformat(SENTENCES[reason.code], (), reason.facts)


def reason_sentences(reasons: Iterable[Reason]) -> str:
    """Reasons in one sentence."""
    return "; ".join(map(reason_sentence, reasons))


def flag_sentence(flag: FlagReasons) -> str:
    """What is doubtful about a cell, in a sentence."""
    why = reason_sentences(flag.reasons)
    return f"{flag.left}: {why}" if flag.left else why


def explanation_data(explained: Explanation) -> dict[str, Any]:
    """Why a run counts as what it does, as data with its reasons in words."""
    return {**explained.to_json(), "reasons": [reason_sentence(one) for one in explained.reasons]}


def diagnosis_data(found: Diagnosis) -> dict[str, Any]:
    """A diagnosis as data with its reasons in words."""
    from evolve.workspace import to_data

    suspects = [
        {**to_data(one), "evidence": reason_sentences(one.evidence), "tested": _told(one.tested)}
        for one in found.suspects
    ]
    worded = {"said": _told(found.said), "why": _told(found.why), "untried": _told(found.untried)}
    return {**found.to_json(), **worded, "suspects": suspects}


def result_data(result: Result) -> dict[str, Any]:
    """A result as data with its reasons in words."""
    worded = {"reason": result.reason, "advice": result.advice}
    return {**result.to_json(), **{name: reason_sentence(one) for name, one in worded.items() if one is not None}}


def _told(reason: Reason | None) -> str:
    return "" if reason is None else reason_sentence(reason)


def learning_data(taught: LearningResult) -> dict[str, Any]:
    """What a run taught as data with its reasons in words."""
    nothing = {} if taught.nothing is None else {"nothing": reason_sentence(taught.nothing)}
    return {**taught.to_json(), "note": _told(taught.note), **nothing}


def fill_data(filled: FillResult) -> dict[str, Any]:
    """What became of a table, as data with its reasons in words."""
    data = filled.to_json()
    for one, mark in zip(data["marks"], filled.marks, strict=True):
        one["why"] = flag_sentence(mark.flag)
    return {**data, "result": None if filled.result is None else result_data(filled.result)}


def fill_summary(filled: FillResult) -> dict[str, Any]:
    """The same for a program that pays for each word: the cells, what is doubtful, and the function once."""
    data = fill_data(filled)
    told = {key: data[key] for key in ("out", "column", "inputs", "given", "filled", "marked", "function")}
    told["marks"] = [{key: one[key] for key in ("row", "line", "value", "why")} for one in data["marks"]]
    told |= {key: data[key] for key in ("used", "against", "offered", "loss") if data[key]}
    if filled.result is not None:
        told |= {"run": filled.result.run_id, "verified": filled.result.verified}
        told |= {key: value for key in ("note", "question", "warnings") if (value := data["result"].get(key))}
    return told


def _quoted(value: Any) -> str:
    return f"'{_short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))}'"


def _short(text: str) -> str:
    line = text.replace("\n", " ").replace("\r", " ")
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def values_text(*values: Any) -> str:
    """Values as JSON, an error as what it says; what is long is cut short."""
    return ", ".join(map(one_value, values))


def one_value(value: Any) -> str:
    """A value as JSON, an error as what it says; what is long is cut short."""
    if isinstance(value, dict) and set(value) == {"error"}:
        return f"an error ({value['error']})"[:200]
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
