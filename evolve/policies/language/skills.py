"""Skills in answers: offered by an import line, and written into the answer that uses them.

So what is verified, stored and exported is one file that runs by itself. An action in a folder imports them instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evolve.core.episodes import TaskView
from evolve.core.episodes.blocks import blocks_of
from evolve.policies.language.quoting import LearnedItem, quoted_items, truncate_middle
from evolve.runtime.models import Message
from evolve.skills import Skill
from evolve.skills.contract import __file__ as contract_file
from evolve.skills.equivalence import same_source
from evolve.skills.signatures import names_of, signature_shape

PACKAGE = "skills"


@dataclass(frozen=True, kw_only=True)
class MountedAnswer:
    """An answer with its skills in it.

    Attributes:
        code: The source.
        used: Digests of the skills that were imported.
    """

    code: str
    used: tuple[str, ...] = ()


def _module_of(skill: Skill) -> str:
    """The skill's module, as an answer imports it."""
    return f"{PACKAGE}.{skill.name.replace('-', '_')}"


def skill_files(skills: Sequence[Skill]) -> dict[str, bytes]:
    """The skills as files for a session, importable there by the same line; each checks its calls against its contract.

    An answer has no such check (:func:`inline_skills`): it is verified as a whole, and what it is good for is drawn
    anew.
    """
    contract = Path(contract_file).read_bytes()
    files = {f"{PACKAGE}/__init__.py": b"", f"{PACKAGE}/_contract.py": contract} if skills else {}
    for skill in skills:
        name = skill.name.replace("-", "_")
        # Calls of its own function by itself are not checked: it may take there what nobody gives it.
        files[f"{PACKAGE}/_{name}.py"] = skill.code.encode()
        needs, names = [dict(need) for need in skill.contract], names_of(skill.signature)
        imports = f"from {PACKAGE}._{name} import *\nfrom {PACKAGE}._contract import guarded as _guarded\n"
        guard = f"{imports}{skill.entry} = _guarded({skill.entry}, {needs!r}, {names!r})\n"
        files[f"{PACKAGE}/{name}.py"] = guard.encode()
    return files


def inline_skills(code: str, skills: Sequence[Skill]) -> MountedAnswer:
    """Replaces imports of skills by their source. Code that is no Python is left as it is."""
    known = {_module_of(skill): skill for skill in skills}
    try:
        tree = ast.parse(code)
    # What parsing raises on code that is nested too deep, besides its own error.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return MountedAnswer(code=code)
    wanted = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module in known]
    if not wanted:
        return MountedAnswer(code=code)
    lines = code.splitlines()
    taken = _defined_names([node for node in tree.body if node not in wanted])
    parts: list[str] = []
    used: dict[str, None] = {}
    for node in wanted:
        skill = known[str(node.module)]
        for place in range(node.lineno - 1, node.end_lineno or node.lineno):
            # Emptied and not removed: the lines of what follows stay those of the tree.
            lines[place] = ""
        if skill.digest not in used:
            parts.append(_inlined_source(skill, taken))
            # The next skill may define the same names.
            taken |= _defined_names(ast.parse(skill.code).body)
        parts += [f"{alias.asname} = {alias.name}" for alias in node.names if alias.asname]
        used[skill.digest] = None
    # Imports from __future__ are valid only at the start of a file.
    head = [lines.pop(0) for _ in range(_future_lines(tree)) if lines]
    rest = "\n".join(lines).strip("\n")
    text = "\n".join(part for part in ["\n".join(head).strip("\n"), *parts, "\n" + rest] if part.strip())
    return MountedAnswer(code=text + "\n", used=tuple(used))


def find_imported_skills(code: str, skills: Sequence[Skill]) -> MountedAnswer:
    """The code as it is, and which skills its Python imports, wherever it does so. What is no Python imports none."""
    known = {_module_of(skill): skill.digest for skill in skills}
    nodes = [node for block in blocks_of(code) if block.kind == "python" for node in _nodes(block.text)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return MountedAnswer(code=code, used=tuple(dict.fromkeys(known[name] for name in names if name in known)))


def _nodes(source: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _inlined_source(skill: Skill, taken: set[str]) -> str:
    """The skill's source; inside a function of its own where its names are taken already."""
    body = [node for node in ast.parse(skill.code).body if not _is_future(node)]
    if not (_defined_names(body) & taken):
        return ast.unparse(ast.Module(body=body, type_ignores=[]))
    factory = f"_make_{skill.entry}"
    inner = "\n".join(f"    {line}" for line in ast.unparse(ast.Module(body=body, type_ignores=[])).splitlines())
    return f"def {factory}():\n{inner}\n    return {skill.entry}\n{skill.entry} = {factory}()"


def _defined_names(body: Sequence[ast.stmt]) -> set[str]:
    """Names that these statements define at the top level, imports of modules apart."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _future_lines(tree: ast.Module) -> int:
    return max((node.end_lineno or 0 for node in tree.body if _is_future(node)), default=0)


MOST = 6
"""Skills that a prompt offers."""
_NEAR_BEST = 0.35
"""Least score of an offer, as a share of the best one's."""
_SHARED = 0.2
"""Least share of the words of task or skill, whichever says less, that both have."""
_KINDRED = 0.5
"""What being of the task's family and types counts beside words, of which the best fit counts 1."""
_SENTENCE = 200
_EXAMPLE = 200
# What descriptions of any function say.
_COMMON = re.compile(
    r"(?:an?|all|and|any|are|as|at|be|by|each|every|family|for|from|function|gives?|given|giving|helps|if|in|into|inputs?"
    r"|is|its?|of|on|one|or|outputs?|returns?|skill|such|tasks?|that|the|their|them|then|this|to|values?|when|where|whether"
    r"|which|with|you|your)\Z"
)
_HIRAGANA = re.compile("[\u3040-\u309f]")
"""Signs of endings and particles, which are in every Japanese sentence."""


@dataclass(frozen=True, kw_only=True)
class OfferedSkills:
    """What a prompt shows of skills.

    Attributes:
        ids: How the record names those that are shown.
    """

    messages: tuple[Message, ...] = ()
    ids: tuple[str, ...] = ()


def skill_offer(skills: Sequence[Skill], view: TaskView, most: int) -> OfferedSkills:
    """What is offered for a task, in at most that many characters; nothing where no skill is relevant."""
    items = _fitting(best_skills(skills, view), most)
    return OfferedSkills(messages=tuple(_message(items)), ids=tuple(f"skill:{skill.digest}" for skill, _ in items))


def best_skills(skills: Sequence[Skill], view: TaskView) -> list[Skill]:
    """The skills that are relevant to a task, at most six, none of them twice under two names.

    Relevant is one that shares words with the task, and scores near the best (BM25), or is of its family and types. One
    that was often shown and never of use comes after the others.
    """
    from evolve.runtime.retrieval import WordIndex

    skills = [skill for skill in skills if skill.works_in(view.environment)]
    wanted = list(content_stems(view.instruction))
    texts = {
        skill.digest: list(content_stems(f"{skill.name.replace('-', ' ')} {skill.description}")) for skill in skills
    }
    index = WordIndex()
    index.add({digest: " ".join(text) for digest, text in texts.items()})
    scores = index.scores(" ".join(wanted))
    best = max(scores.values(), default=0.0)
    ranks: dict[str, float] = {}
    for skill in skills:
        share = scores.get(skill.digest, 0.0) / best if best else 0.0
        near = share >= _NEAR_BEST and word_overlap(wanted, texts[skill.digest]) >= _SHARED
        kindred = (
            bool(skill.family)
            and skill.family == view.family
            and signature_shape(skill.signature) == signature_shape(view.signature)
        )
        if near or kindred:
            ranks[skill.digest] = (share + _KINDRED * kindred) * _taken(skill)
    order = sorted((skill for skill in skills if skill.digest in ranks), key=lambda s: (-ranks[s.digest], s.name))
    chosen: list[Skill] = []
    for skill in order:
        if len(chosen) < MOST and not any(_twins(skill, other) for other in chosen):
            chosen.append(skill)
    return chosen


def skill_id(skill: Skill) -> str:
    """The short id by which a skill is cited."""
    return f"k-{skill.digest[:8]}"


def example_call(skill: Skill) -> str:
    """The shortest call of a skill's own tests, with what it gives; "" without tests. A procedure gives nothing."""
    pairs = [(f"{skill.entry}({', '.join(map(repr, row.input))})", row.output) for row in skill.rows]
    calls = [call if skill.environment else f"{call} == {gave!r}" for call, gave in pairs]
    return truncate_middle(min(calls, key=len), _EXAMPLE) if calls else ""


def _message(items: Sequence[tuple[Skill, LearnedItem]]) -> list[Message]:
    if not items:
        return []
    text = "Functions that were tested and that your Python may import by these lines:\n" + quoted_items(
        "skills", [item for _, item in items]
    )
    return [Message(role="user", text=text, priority=40, kind="skill")]


def _fitting(skills: Sequence[Skill], most: int) -> list[tuple[Skill, LearnedItem]]:
    """Those for whose lines there is room, with them."""
    items: list[tuple[Skill, LearnedItem]] = []
    room = most
    for skill in skills:
        # A call stands before the words, because spaces within its values mean something.
        acts = "works in the folder, as by" if skill.environment else skill.signature
        told = " ".join(filter(None, [acts, " ".join(example_call(skill).splitlines())]))
        helped = f"{len(skill.tasks)} of {skill.offered}" if skill.offered > len(skill.tasks) else str(len(skill.tasks))
        others = f", {skill.elsewhere} of them with another model" if skill.elsewhere else ""
        sentences = re.split(r"(?<=[.!?])\s+(?=\S)", " ".join(skill.description.split()), maxsplit=1)
        item = LearnedItem(
            name=skill_id(skill),
            head=f"from {_module_of(skill)} import {skill.entry}  # {told}",
            text=truncate_middle(sentences[0], _SENTENCE).replace("\n", " "),
            provenance=f"from {skill.source or 'somewhere'}; {skill.status}, helped {helped} other tasks{others}",
        )
        room -= len(item.line)
        if room < 0:
            break
        items.append((skill, item))
    return items


def _taken(skill: Skill) -> float:
    """How often an offer was of use: 1 for one that is new, less with every task that was solved without it."""
    return (len(skill.tasks) + 1) / (max(skill.offered, len(skill.tasks)) + 1)


def _twins(one: Skill, other: Skill) -> bool:
    """Whether a reader could not tell two offers apart, or they are one program."""
    if (one.signature, one.description, example_call(one)) == (other.signature, other.description, example_call(other)):
        return True
    return signature_shape(one.signature) == signature_shape(other.signature) and same_source(one, other)


def content_stems(text: str) -> Iterator[str]:
    """The words that say what a text is about, without endings of the plural; where no spaces stand, pairs of signs."""
    from evolve.runtime.retrieval import split_words

    for word in split_words(text):
        if word[0] >= "\u3040":
            pairs = (word[place : place + 2] for place in range(max(1, len(word) - 1)))
            yield from (pair for pair in pairs if not _HIRAGANA.search(pair))
        elif not _COMMON.match(word):
            yield word[:-1] if word.endswith("s") and len(word) > 3 else word


def word_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of words that both have, of those of the one that has fewer."""
    first, second = set(one), set(other)
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0
