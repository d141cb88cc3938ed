"""Names and describes a skill for whoever has never seen it, in the person's own words where there are any.

Another agent reads names and descriptions as if they were its own instructions, and a skill's words may have been
written by a model that had read a hostile file, or stand in a task that somebody else wrote. So they pass the screen
for claims, or the contract speaks in their place. Words of a person who owns the skill are that person's.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from evolve.core.episodes import Json, Row
from evolve.core.text_screen import hidden_character, insight_problem, remove_spaces, repeats_text, text_problem
from evolve.skills import Skill
from evolve.skills.export.validation import LONGEST_DESCRIPTION
from evolve.skills.naming import name_of, name_without_digest
from evolve.skills.signatures import names_of, types_of

_MOST = 10
_MOSTLY = 0.6
"""Share of the values that have the form of a kind, where they are of that kind."""


def value_kind(values: Sequence[Json]) -> tuple[str, str]:
    """What most of these values look like, such as a date, and what else that is called; twice "" for nothing known."""
    texts = [str(value) for value in values if value not in (None, "")]
    shares = ((sum(map(bool, map(form.fullmatch, texts))), said) for form, said in _kinds())
    kind, _, also = next((said for count, said in shares if count > _MOSTLY * len(texts)), "").partition(": ")
    return kind, also


@cache
def _kinds() -> list[tuple[re.Pattern[str], str]]:
    pairs = [line.partition(" = ") for line in _lines("kinds.txt")]
    return [(re.compile(form), said) for form, _, said in pairs]


def _steps_of(code: str) -> list[str]:
    """What a source does, in the order in which it stands there: at most ten phrases, most of them of ``steps.txt``."""
    return list(dict.fromkeys(_told(ast.parse(code), _phrases())))[:_MOST]


@cache
def _phrases() -> dict[str, str]:
    """What a person would say of what code calls, by the names of methods, functions, operators and parts of dates."""
    pairs = [line.partition(": ") for line in _lines("steps.txt")]
    return {name: told for names, _, told in pairs for name in names.split()}


def _lines(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()


def _words_in(code: str) -> list[str]:
    """Single words of the texts that a source compares with or writes, by the alphabet, so that they say nothing."""
    tree = ast.parse(code)
    aside = [node for node in ast.walk(tree) if isinstance(node, ast.Expr | ast.Raise)]  # docstrings and messages
    docs = {id(node) for each in aside for node in ast.walk(each)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    found = {
        word for text in texts if isinstance(text, str) for word in re.findall(r"(?<![%\\\w])[A-Za-z]{3,20}\b", text)
    }
    return sorted(found, key=str.lower)[:_MOST]


def _unused_in(code: str) -> set[str]:
    """Names of arguments that a source never reads."""
    nodes = list(ast.walk(ast.parse(code)))
    return {each.arg for each in nodes if isinstance(each, ast.arg)} - {
        each.id for each in nodes if isinstance(each, ast.Name)
    }


def _told(tree: ast.AST, phrases: dict[str, str]) -> Iterator[str]:
    # Depth first, so that phrases come in the order of the text; a function that has a phrase is not looked into.
    if isinstance(tree, ast.FunctionDef) and tree.name in phrases:
        return
    yield from (phrases[name] for name in _names(tree) if name in phrases)
    if isinstance(tree, ast.BinOp) and isinstance(tree.right, ast.Constant):
        yield from _percent(tree.op, tree.right.value)
    for child in ast.iter_child_nodes(tree):
        yield from _told(child, phrases)


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Call):
        return [node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")]
    if isinstance(node, ast.Attribute):
        return [node.attr] if node.attr in ("year", "month", "day") else []
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return ["slice"]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.findall(r"%-?[A-Za-z]|[$€£%]", node.value)  # formats of dates, and signs
    operators = node.ops if isinstance(node, ast.Compare) else [node.op] if isinstance(node, ast.BinOp) else []
    return [type(each).__name__ for each in operators]


def _percent(operator: ast.operator, factor: object) -> Iterator[str]:
    """What a factor near one is among prices."""
    if isinstance(factor, float) and 0.5 <= factor < 2 and isinstance(operator, ast.Mult | ast.Div):
        off = isinstance(operator, ast.Div) or factor < 1
        why = "tax included" if isinstance(operator, ast.Div) else "discount, reduction" if off else "tax, surcharge"
        yield f"{'take off' if off else 'add'} {abs(factor - 1) * 100:g} percent ({why})"


GENERAL_TRIGGER = "Use when a column or value needs exactly this change."
"""How the search ends what it says of a skill: nobody's words."""
STEPS = "Steps:"
"""Begins the part of a description that says what the code does."""
WHEN = " Use when a task needs "
"""Begins its last part."""
MOST_KINDS = 3
"""Of arguments, in a name that is made from the contract."""

# too little room for an order to whoever reads it
_SHORT, _MOST_LETTERS = 40, 20
_TRIGGER = re.compile(r" Use (?:when|where|for|it) .*\Z", re.DOTALL)
_NO_WORDS = re.compile(
    r"(?:Find the function|Give the last column|Answers tasks of the family|Does what was done for)\b"
)
# First words that say what a function does with its argument; as orders they would be to the function.
_DOES_TEXT = """
add append change check compute convert copy count delete drop extract fill find fix format get give insert join keep
list look make map mark merge move order pad parse pick put read remove rename replace reverse round set shift
shorten skip sort split store strip sum swap take tell test treat trim turn update use write
"""
_DOES = frozenset(_DOES_TEXT.split())
_NOUNS = frozenset(
    {"answer", "call", "first", "note", "open", "order", "post", "process", "request", "return", "start"}
)
_LITTLE_TEXT = "a an and as at by each every for from in is it its of on or that the their them to with"
_LITTLE = frozenset(_LITTLE_TEXT.split())
_TYPE_WORDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "yes or no",
    "any": "a value",
    "row": "a record",
    "dict": "a record",
    "list": "a list",
    "none": "nothing",
}


def describe(skill: Skill, words: str = "", examples: Sequence[Row] = ()) -> str:
    """What the skill does and when to use it, in characters and length that every client accepts.

    Args:
        words: A person's own, in place of the contract. Those of a skill that a person owns are a person's too.
        examples: Calls that were made up; the first one that is short stands in the description.
    """
    if words or (skill.owner == "user" and not skill.description.endswith(GENERAL_TRIGGER)):
        return _in_words(skill, words or skill.description)
    what = _said_of(skill)
    takes, gives, also = _contract(skill)
    example = next((sample for row in examples if (sample := _example(row))), "")
    steps, held = ", ".join(_steps_of(skill.code)), " ".join(_words_in(skill.code))
    also = f" In other words: {also}." if also else ""
    if skill.environment:
        text = f"{what or 'Does a change that was done before'}. Edits text files of a folder. Takes {takes}."
    else:
        text = f"{what or 'Computes a value, as its examples show'}. Takes {takes}; gives {gives}{example}.{also}"
    text += f" {STEPS} {steps}." if steps else ""
    text += f" Words: {held.replace(' ', ', ')}." if held and not _objection(held) else ""
    text += f"{WHEN}{_plain_words(exported_name(skill))}, or a function with the same results."
    return text[:LONGEST_DESCRIPTION]


def _said_of(skill: Skill) -> str:
    """What the skill does, in the words of its task or of a model; "" where they say nothing or may not leave."""
    text = " ".join(unicodedata.normalize("NFKC", _TRIGGER.sub("", skill.description)).split()).rstrip(". ")
    if not text or _NO_WORDS.match(text):
        return ""
    text = _stated(text.replace("_", " ").replace("->", "to").replace("<", "below ").replace(">", "above "))
    rows = remove_spaces(json.dumps([[list(row.input), row.output] for row in skill.rows], ensure_ascii=False))
    return "" if "---" in text or insight_problem(text) or repeats_text(text, rows) else text


def exported_name(skill: Skill) -> str:
    """The name that it leaves under: its own without a digest where its words may leave, else its contract's."""
    own = name_of([name_without_digest(skill)])
    if skill.owner == "user":
        return skill.name
    if own and not _objection(_plain_words(own)):
        return own
    said = name_of([each for each in _said_of(skill).split() if each.lower() not in _LITTLE])
    return said or _contract_name(skill)


def _contract_name(skill: Skill) -> str:
    takes, gives = types_of(skill.signature)
    kinds = list(dict.fromkeys(_kind(each).split()[-1] for each in takes))
    return f"{'-'.join(kinds[:MOST_KINDS]) or 'nothing'}-to-{_kind(gives).split()[-1]}"


def may_stand(label: str) -> bool:
    """Whether a label of a column, which may come from anybody, may stand where another agent reads."""
    plain = re.fullmatch(r"[^\W\d][\w .%()/+-]{0,39}", label) is not None and len(label.split()) <= 4
    return plain and not _objection(label.replace("_", " "))


def _objection(words: str) -> str:
    if hidden_character(words):
        return "it holds invisible characters"
    first = words.split()[:1]
    # A label such as "first name" is no order.
    return text_problem(f"the {words}" if first and first[0].lower() in _NOUNS else _stated(words))


def _stated(text: str) -> str:
    """A sentence that begins with what a function is to do as one that says what it does."""
    first, blank, rest = text.partition(" ")
    verb = first.lower()
    if verb not in _DOES:
        return text[:1].upper() + text[1:]
    if re.search(r"(?:s|x|ch|sh)\Z", verb):
        verb += "es"
    elif re.search(r"[^aeiou]y\Z", verb):
        verb = verb[:-1] + "ies"
    else:
        verb += "s"
    return verb.capitalize() + blank + rest


def _plain_words(name: str) -> str:
    return name.replace("-", " ")


def _in_words(skill: Skill, words: str) -> str:
    # strict clients refuse angle brackets, and three dashes would end the front matter
    text = words.replace("->", "to").replace("<", "less than ").replace(">", "greater than ")
    text = " ".join(text.replace("---", "-").split()).strip()
    if "use when" in text.lower():
        return text[:LONGEST_DESCRIPTION]
    what = (text or _plain_words(skill.name).capitalize()).rstrip(".")
    when = f"{WHEN}{_plain_words(skill.name)}, or a function with the same results."
    return what[: LONGEST_DESCRIPTION - len(when) - 1] + "." + when


def _contract(skill: Skill) -> tuple[str, str, str]:
    """The arguments and the result, with the kind of each, and other words for these kinds.

    The kind is what the values of the rows look like, else the type. A name of an argument stands there where it may
    leave.
    """
    names, (takes, gives) = names_of(skill.signature), types_of(skill.signature)
    rows = () if skill.environment else skill.rows
    aside = _unused_in(skill.code)  # its values say nothing of what the function does
    columns = [
        [row.input[place] for row in rows if place < len(row.input) and name not in aside]
        for place, name in enumerate(names)
    ]
    found = [value_kind(values) for values in (*columns, [row.output for row in rows])]
    kinds = [kind or _kind(each) for (kind, _), each in zip(found, (*takes, gives), strict=True)]
    told = [
        f"{kind} ({_plain_words(name.replace('_', '-'))})" if len(name) <= _SHORT and not _objection(name) else kind
        for name, kind in zip(names, kinds[:-1], strict=True)
    ]
    also = ", ".join(dict.fromkeys(each for _, words in found for each in words.split(", ") if each))
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told or ["nothing"]), kinds[-1], also


def _kind(text: str) -> str:
    return _TYPE_WORDS.get(re.split(r"[^a-z]", text.strip().lower())[0], "a value")


def kind_in_words(text: str) -> str:
    """A type of a signature in words, such as "a list of texts" for ``list[str]``."""
    inner = re.fullmatch(r"list\[(.+)\]", text.strip())
    if inner is None:
        return _kind(text) + (" or nothing" if text.endswith("| None") else "")
    return f"a list, each part of which is {kind_in_words(inner[1])}"


def arguments(rows: Sequence[Row]) -> str:
    """The arguments of the first row that is too short to hold a sentence, as JSON; without one, ``[...]``.

    They stand where a reader looks for what to do.
    """
    return next((json.dumps(list(row.input)) for row in rows if is_short(list(row.input))), "[...]")


def _example(row: Row) -> str:
    """A row that is too short to hold a sentence; else ""."""
    if not all(is_short(value) for value in (*row.input, row.output)):
        return ""
    inputs = ", ".join(json.dumps(value) for value in row.input)
    text = f"; for example {inputs} gives {json.dumps(row.output)}"
    return text if len(text) <= 3 * _SHORT and not re.search("[<>]", text) and "---" not in text else ""


def is_word(value: Json) -> bool:
    """Whether a value is a single word or number, which many inputs may have in common."""
    return not isinstance(value, list | dict) and len(str(value).split()) <= 1


def is_short(value: Json) -> bool:
    """Whether a value is too short to hold a sentence: at most two words, in plain letters and few."""
    text = json.dumps(value, ensure_ascii=False)
    letters = re.findall(r"[^\W\d_]+", text)
    return text.isascii() and len(text) <= _SHORT and len(letters) <= 2 and len("".join(letters)) <= _MOST_LETTERS
