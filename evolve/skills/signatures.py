"""What a signature says: how many values of which types a skill takes, and which inputs fit it."""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence

from evolve.core.episodes import Json
from evolve.core.files import canonical_json, digest


def parameter_count(signature: str) -> int | None:
    """How many arguments a signature names; None when it is not of the grammar."""
    node = _parsed(signature)
    return None if node is None else len(node.args.args)


def signature_shape(signature: str) -> str:
    """The signature without the names of its parameters."""
    if _parsed(signature) is None:
        return signature
    takes, gives = types_of(signature)
    return f"({', '.join(takes)}) -> {gives}"


def _parsed(signature: str) -> ast.FunctionDef | None:
    try:
        node = ast.parse(f"def f{signature.strip()}: ...").body[0]
    except (SyntaxError, ValueError):
        return None
    return node if isinstance(node, ast.FunctionDef) else None


def types_of(signature: str) -> tuple[tuple[str, ...], str]:
    """The types of the parameters and of the result; ``any`` where none is named."""
    node = _parsed(signature)
    if node is None:
        return (), signature
    takes = tuple(ast.unparse(each.annotation) if each.annotation else "any" for each in node.args.args)
    return takes, ast.unparse(node.returns) if node.returns else "any"


def names_of(signature: str) -> tuple[str, ...]:
    """The names of the parameters."""
    node = _parsed(signature)
    return () if node is None else tuple(each.arg for each in node.args.args)


def extend_signature(signature: str, more: Sequence[tuple[str, str]]) -> str:
    """The signature with further parameters behind the others, each a name and a type."""
    names, (types, result) = names_of(signature), types_of(signature)
    takes = [*zip(names, types, strict=True), *more]
    return f"({', '.join(f'{name}: {kind}' for name, kind in takes)}) -> {result}"


def similar_inputs(inputs: Sequence[Sequence[Json]], count: int) -> list[list[Json]]:
    """The given inputs and up to ``count`` variations of them, without repeats.

    Variations keep the type of every argument: lists lose, repeat, swap and reverse elements, numbers move by one,
    change sign or size, text loses, repeats and re-cases parts. Deterministic for the given inputs.
    """
    known = {canonical_json(list(row)): [*row] for row in inputs}
    if not known:
        return []
    chance = random.Random(digest(canonical_json([list(row) for row in inputs])))
    rows = list(known.values())
    pool = [value for row in rows for value in row]
    # Variations of small values often repeat; where four tries for each do not give enough, there are hardly more.
    for _ in range(count * 4):
        if len(known) >= len(rows) + count:
            break
        row = list(chance.choice(rows))
        for place in range(len(row)):
            if place == 0 or chance.random() < 0.5:
                row[place] = _varied(row[place], chance, pool)
        known.setdefault(canonical_json(row), row)
    return list(known.values())


def _varied(value: Json, chance: random.Random, pool: Sequence[Json]) -> Json:
    # Before int, of which bool is a subclass.
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice([value + 1, value - 1, -value, 2 * value, 0, 1, value + chance.randint(2, 20)])
    if isinstance(value, float):
        return chance.choice([value + 1.0, -value, value / 2, 0.0, round(value, 1), value * 10])
    if isinstance(value, str):
        return _varied_text(value, chance, [item for item in pool if isinstance(item, str)])
    if isinstance(value, list):
        lists = [other for other in pool if isinstance(other, list) and other]
        spare = [item for other in lists for item in other if value and type(item) is type(value[0])] or value
        if not value:
            return list(chance.choice(lists)) if lists else []
        place = chance.randrange(len(value))
        shuffled = chance.sample(value, len(value))
        changed = [*value[:place], _varied(value[place], chance, pool), *value[place + 1 :]]
        grown = [*value[:place], chance.choice(spare), *value[place:]]
        shorter = value[:place] + value[place + 1 :]
        return chance.choice([shuffled, changed, changed, grown, grown, shorter, value[::-1], [*value, value[place]]])
    if isinstance(value, dict) and value:
        key = chance.choice(sorted(value))
        return {**value, key: _varied(value[key], chance, pool)}
    return value


def _varied_text(text: str, chance: random.Random, pool: Sequence[str]) -> str:
    cut = chance.randint(0, len(text))
    other = chance.choice(list(pool) or [text])
    choices = [text[:cut], text[cut:], text[:cut] + text[cut + 1 :], text + other[:cut], text.upper(), text.lower()]
    return chance.choice([*choices, other, text[:cut] + text[:cut][-1:] + text[cut:], text.swapcase(), text.title()])
