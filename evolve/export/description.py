"""Names and describes an exported skill: by its contract, or in the words of a person.

Another agent reads names and descriptions as if they were its own instructions, and a skill's description may have been
written by a model that had read a hostile file. So unless a person stands behind it, a description is made from the
signature and from short examples, which nobody's sentence gets into.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from evolve.episodes import Json, Row
from evolve.export.validation import LONGEST_DESCRIPTION
from evolve.skills import Skill

MOST_KINDS = 3
"""Of arguments, in a name that is made from the contract."""

# too little room for an order to whoever reads it
_SHORT, _MOST_LETTERS = 40, 20
_FROM_TABLE_LABELS = re.compile(r"Give \w{1,20} from \w{1,20}(?:(?:,| and) \w{1,20})*\. Use when ")
_TYPE_WORDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "yes or no",
    "any": "a value",
    "dict": "a record",
    "list": "a list",
    "none": "nothing",
}


def describe(skill: Skill, words: str = "") -> str:
    """What the skill does and when to use it, in characters and length that every client accepts.

    Args:
        words: A person's own, in place of the contract. Those of a skill that a person owns are a person's too.
    """
    if words or skill.owner == "user":
        return _in_words(skill, words or skill.description)
    return from_contract(skill)


def from_contract(skill: Skill) -> str:
    """Describes the skill by its contract, in words that are all our own."""
    takes, gives = _contract(skill.signature)
    example = next((sample for row in skill.rows if (sample := _example(row))), "")
    text = f"A function that was learned from examples: takes {takes} and gives {gives}{example}."
    return f"{text} Use when a task needs this function, as its name and its examples tell."[:LONGEST_DESCRIPTION]


def exported_name(skill: Skill) -> str:
    """The name that the skill leaves under: its own if a person gave it, or the search from a table's short labels.

    Any other is made from the contract: the words of a model, or of an instruction, could be an order.
    """
    if skill.owner == "user" or (skill.tree is not None and _FROM_TABLE_LABELS.match(skill.description)):
        return skill.name
    parameters, _, result = skill.signature.rpartition("->")
    kinds = list(dict.fromkeys(_kind(annotation).split()[-1] for annotation in re.findall(r":\s*([a-z]+)", parameters)))
    # with a piece of the digest, as many skills have the same contract
    return f"{'-'.join(kinds[:MOST_KINDS]) or 'nothing'}-to-{_kind(result).split()[-1]}-{skill.digest[:4]}"


def _in_words(skill: Skill, words: str) -> str:
    # strict clients refuse angle brackets, and three dashes would end the front matter
    text = words.replace("->", "to").replace("<", "less than ").replace(">", "greater than ")
    text = " ".join(text.replace("---", "-").split()).strip()
    if "use when" in text.lower():
        return text[:LONGEST_DESCRIPTION]
    what = (text or skill.name.replace("-", " ").capitalize()).rstrip(".")
    when = f" Use when a task needs {skill.name.replace('-', ' ')}, or a function with the same results."
    return what[: LONGEST_DESCRIPTION - len(when) - 1] + "." + when


def _contract(signature: str) -> tuple[str, str]:
    """The kinds of a signature's parameters and of its result, in words of ours only."""
    parameters, _, result = signature.rpartition("->")
    kinds = [_kind(annotation) for annotation in re.findall(r":\s*([a-z]+)", parameters)]
    return " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds or ["nothing"]), _kind(result)


def _kind(text: str) -> str:
    return _TYPE_WORDS.get(re.split(r"[^a-z]", text.strip().lower())[0], "a value")


def arguments(rows: Sequence[Row]) -> str:
    """The arguments of the first row that is too short to hold a sentence, as JSON; without one, ``[...]``.

    They stand where a reader looks for what to do.
    """
    return next((json.dumps(list(row.input)) for row in rows if _is_short(list(row.input))), "[...]")


def _example(row: Row) -> str:
    """A row that is too short to hold a sentence; else ""."""
    if not all(_is_short(value) for value in (*row.input, row.output)):
        return ""
    inputs = ", ".join(json.dumps(value) for value in row.input)
    text = f"; for example {inputs} gives {json.dumps(row.output)}"
    return text if len(text) <= 2 * _SHORT and not re.search("[<>]", text) else ""


def _is_short(value: Json) -> bool:
    """Whether a value is too short to hold a sentence: at most two words, in plain letters and few."""
    text = json.dumps(value, ensure_ascii=False)
    letters = re.findall(r"[^\W\d_]+", text)
    return text.isascii() and len(text) <= _SHORT and len(letters) <= 2 and len("".join(letters)) <= _MOST_LETTERS
