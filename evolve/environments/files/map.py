"""A map of a folder for whoever sees it for the first time: its files with what they define, the most used first.

A file that uses a name points to those that define it, and personalised PageRank on that graph says which files matter
for what is asked (Page, Brin, Motwani and Winograd, "The PageRank Citation Ranking", 1999; Haveliwala, "Topic-Sensitive
PageRank", 2002). Maps of this kind are known from the coding assistant aider.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from evolve.core.text_files import read_text_file
from evolve.environments.files.editing import python_tree
from evolve.environments.files.tables import is_table, short_table
from evolve.environments.files.tags import Definition, definitions_by_grammar

MOST = 6_000
"""Characters of a map."""

_LARGEST_FILE = 200_000
_MOST_READ = 3 << 20
"""Bytes of a file, and of all, that are looked into."""

_FOR_NAMES = MOST // 4
_MOST_DEFINITIONS = 12
"""Definitions of one file where not all fit."""

_LONGEST_LINE = 160
_MOST_HOMES = 20
"""Files that define a name at most, for its uses to point to them."""

_WORD = re.compile(r"[^\W\d]\w{2,}")
_DEFINES = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_DAMPING, _ROUNDS = 0.85, 40
_NAMED, _POINTED = 4.0, 0.7
"""What a file counts that is named in what is asked, where the only one to define a name in it counts 1; and the share
of walks that begin at such files."""


def folder_map(files: Mapping[str, bytes], asked: str) -> str:
    """The map, in at most :data:`MOST` characters.

    Args:
        asked: What is wanted of the folder; files that it speaks of come first.
    """
    empty = _empty(files, _FOR_NAMES)
    filled = {name: data for name, data in files.items() if data}
    return "\n".join(filter(None, [_mapped(filled, asked, MOST - len(empty) - 1), empty]))


def _mapped(files: Mapping[str, bytes], asked: str, most: int) -> str:
    """The map of files that are not empty."""
    if not files:
        return ""
    read = _read(files)
    names = {name: _names(name, text) for name, text in read.items()}
    used = {name: Counter(_WORD.findall(text)) for name, text in read.items()}
    ranks = _ranks(files, names, used, asked)
    order = sorted(files, key=lambda name: (-ranks[name], name))
    if sum(len(name) for name in files) < most:  # else not even the names fit, and no file has to be parsed to see it
        lines = [line for name in order for line in _entry(name, files[name], _definitions(name, read.get(name, "")))]
        if sum(len(line) + 1 for line in lines) <= most:
            return "\n".join(lines)
    wanted = Counter(word for counts in used.values() for word in counts)
    wanted.update(dict.fromkeys(_WORD.findall(asked), len(files)))
    room, lines, shown = most - _FOR_NAMES, [], 0
    for name in order:
        # The definitions that most files use, in their order: those of the file's own level first, constants last
        known = [one for one in _definitions(name, read.get(name, "")) if not one.name.startswith("__")]
        best = sorted(known, key=lambda one: (one.name.isupper(), one.text.startswith(" "), -wanted.get(one.name, 0)))
        entry = list(_entry(name, files[name], sorted(best[:_MOST_DEFINITIONS], key=lambda one: one.line)))
        room -= sum(len(line) + 1 for line in entry)
        if room < 0:
            break
        lines, shown = [*lines, *entry], shown + 1
    return "\n".join([*lines, *_rest(order[shown:], files, most - sum(len(line) + 1 for line in lines))])


def _empty(files: Mapping[str, bytes], most: int) -> str:
    """The names of empty files in one line, as many as there is room for; "" where there are none."""
    names = sorted(name for name, data in files.items() if not data)
    shown: list[str] = []
    for name in names:
        if shown and sum(len(each) + 2 for each in shown) + len(name) > most:
            break
        shown.append(name)
    more = f" and {len(names) - len(shown):,} more" if len(names) > len(shown) else ""
    return f"Empty: {', '.join(shown)}{more}" if names else ""


def full_listing(files: Mapping[str, bytes], most: int = MOST) -> str:
    """All files with their content, tables in short, where all are text and together no longer than that; else ""."""
    tables = {name: len(data) for name, data in files.items() if is_table(name)}
    if sum(map(len, files.values())) - sum(tables.values()) > 4 * most or sum(tables.values()) > _MOST_READ:
        return ""
    parts: list[str] = []
    for name, data in sorted(files.items()):
        file = read_text_file(data)
        if file is None:
            return ""
        text = file.text
        short = short_table(name, text)
        end = f"{len(data):,} bytes, in short" if short else "" if text.endswith("\n") else "without a line end"
        head = ", ".join(filter(None, [f"=== {name}", file.form_text, end]))
        parts += [f"{head}\n{short or text.rstrip(chr(10))}"] if data else []
    shown = "\n".join(filter(None, [*parts, _empty(files, most)]))
    return shown if len(shown) <= most else ""


def _read(files: Mapping[str, bytes]) -> dict[str, str]:
    """The texts that are looked into: small ones first, until it is enough."""
    read, left = {}, _MOST_READ
    for name in sorted(files, key=lambda name: len(files[name])):
        size = len(files[name])
        if size > min(left, _LARGEST_FILE):
            break
        file = read_text_file(files[name])
        if file is not None:
            read[name], left = file.text, left - size
    return read


def _names(name: str, text: str) -> set[str]:
    """Names that a file seems to define; a Python file is not parsed for them, which would take a minute for many."""
    if name.endswith((".py", ".pyi")):
        return set(_DEFINES.findall(text))
    return {tag.name for tag in definitions_by_grammar(name, text)}


def _definitions(name: str, text: str) -> Sequence[Definition]:
    if not name.endswith((".py", ".pyi")):
        return definitions_by_grammar(name, text)
    tree = python_tree(text)
    try:
        return [] if tree is None else list(_in_body(tree.body, ""))
    except RecursionError:  # a default value or a base that is nested too deeply to be written down
        return []


def _in_body(body: Sequence[ast.stmt], indent: str) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
            text = f"{indent}def {node.name}({ast.unparse(node.args)}){returns}"
            yield Definition(name=node.name, line=node.lineno, text=text)
        elif isinstance(node, ast.ClassDef):
            bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
            yield Definition(name=node.name, line=node.lineno, text=f"{indent}class {node.name}{bases}")
            yield from _in_body(node.body, f"{indent}  ")
        elif not indent and isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and target.id.isupper():
                    yield Definition(name=target.id, line=node.lineno, text=target.id)


def _ranks(
    files: Mapping[str, bytes],
    defined: Mapping[str, set[str]],
    used: Mapping[str, Mapping[str, int]],
    asked: str,
) -> dict[str, float]:
    """PageRank of every file, by who uses whose names; walks begin where what is asked points to."""
    homes: dict[str, set[str]] = defaultdict(set)
    for name, words in defined.items():
        for word in words:
            homes[word].add(name)
    edges: dict[str, dict[str, float]] = {name: defaultdict(float) for name in files}
    for name, counts in used.items():
        for word, count in counts.items():
            defining = homes.get(word, set())
            # A name that many define says little of each, and the tenth use little more than the first.
            for home in defining - {name} if len(defining) <= _MOST_HOMES else ():
                edges[name][home] += count**0.5 / len(defining)
    pointing = {word for word in _WORD.findall(asked) if word in homes}
    points = {
        name: _NAMED * (name in asked or name.rpartition("/")[2] in asked)
        + sum(1 / len(homes[word]) for word in pointing & defined.get(name, set()))
        for name in files
    }
    share, all_points = (_POINTED, sum(points.values())) if any(points.values()) else (0.0, 1.0)
    starts = {name: (1 - share) / len(files) + share * points[name] / all_points for name in files}
    return _page_rank(edges, starts)


def _page_rank(edges: Mapping[str, Mapping[str, float]], starts: Mapping[str, float]) -> dict[str, float]:
    """Power iteration, from starts that are 1 together; a file that points nowhere sends walks to where they begin."""
    import numpy as np

    place = {name: number for number, name in enumerate(starts)}
    begin = np.array([starts[name] for name in place])
    links = [(place[name], place[home], weight) for name, to in edges.items() for home, weight in to.items()]
    sources, homes, weights = (np.array(column) for column in zip(*links, strict=True)) if links else np.zeros((3, 0))
    sources, homes = sources.astype(int), homes.astype(int)
    sums = np.bincount(sources, weights, len(place))
    shares = weights / sums[sources]
    ranks = begin
    for _ in range(_ROUNDS):
        walked = np.bincount(homes, ranks[sources] * shares, len(place))
        ranks = _DAMPING * walked + (1 - _DAMPING + _DAMPING * ranks[sums == 0].sum()) * begin
    return {name: float(ranks[number]) for name, number in place.items()}


def _entry(name: str, data: bytes, definitions: Sequence[Definition]) -> Iterator[str]:
    file = read_text_file(data) if len(data) <= _LARGEST_FILE else None
    yield f"{name} ({len(data):,} bytes{f', {file.form_text}' if file is not None and file.form_text else ''})"
    for one in definitions:
        yield f"  {one.line}: {one.text}"[:_LONGEST_LINE]


def _rest(order: Sequence[str], files: Mapping[str, bytes], room: int) -> Iterator[str]:
    """As many names as fit, and how many more there are."""
    room -= 60
    for number, name in enumerate(order):
        line = f"{name} ({len(files[name]):,} bytes)"
        room -= len(line) + 1
        if room < 0:
            left = order[number:]
            yield f"... and {len(left):,} more files, {sum(len(files[one]) for one in left):,} bytes"
            return
        yield line
