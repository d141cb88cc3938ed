"""Who is called what and who or what belongs to whom, as a graph that a question walks from the names in it.

The graph is read out of the notes that hold when a question is asked, around the names of that question. It is derived,
so a note that was forgotten or replaced is gone from it at once.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from evolve.memory.notes.facts import word_stems
from evolve.memory.notes.name_table import NameStatement, is_full_name, name_key, short_names
from evolve.memory.notes.note import TRUST
from evolve.memory.notes.superseded import ResolvedNotes

if TYPE_CHECKING:
    import networkx as nx

_WORDS = 4
"""Of a name in a question, at most."""
_STEPS = 2
"""Links that are followed from a name of the question; another name of one person is no step."""
_LINKS = 24
"""Notes that are read of one name: the newest of the most trusted."""
_NAMES = 96
"""Names that are reached, at most."""
_SPEAKING = 200
"""Notes that speak of a name; what more notes do tells nothing."""
_ASKED_FOR, _OTHER = 1.0, 2.0
"""The length of a link that the question names, such as "sister", and of another one."""
_DECAY = 0.6
"""What is left of the gain after each step."""
_SUBJECT = 7.0
"""By how much more the gain is for a name that the question leads to by all that it asks for: "sister" is in many
notes, and those of other people must not come before what is said of this one."""
_UNLIKE = 0.8
"""Share of that gain of a note that has nothing else of the question; of another gain such a note has none."""
_POSSESSED = re.compile(
    r"'s? (?:(?:older|younger|elder|eldest|big|little|best|new|old|former|late) )*[\w-]+|[\w-]+ (?:of|to|for)\b"
)
"""What a question says is somebody's."""
_RAW = re.compile(r"[^\W_]+")


@dataclass(frozen=True, kw_only=True)
class ReachedName:
    """A name that a question has or leads to.

    Attributes:
        name: As written.
        length: Of the way from a name in the question.
        path: What was followed, in words; "" where the question has the name.
        followed: The stems by which the question names the links on the way.
    """

    name: str
    length: float
    path: str
    followed: frozenset[str]


def follow_names(
    book: ResolvedNotes,
    total: dict[str, float],
    question: str,
    gain: float,
    fits: Callable[[str], bool],
    until: float | None,
) -> Mapping[str, str]:
    """Adds a gain to notes that speak of other names of one in the question, and of what is linked to it.

    The gain decays with each step, and is less for a note that has little else of what the question asks.

    Args:
        total: Scores by id; changed, where the question has a name of the graph.
        fits: Whether a note may be given, and be read for what it says of names.
        until: When the notes are read; None for now.

    Returns:
        By which names a note came, in words, of those that the question leads to.
    """
    reached = _Walk(book, question, fits, until).reach() if gain and book.names.tables else []
    gains: dict[str, float] = {}
    paths: dict[str, str] = {}
    followed = frozenset().union(*(one.followed for one in reached))
    asked = word_stems(question) - followed.union(*(word_stems(one.name) for one in reached if not one.path))
    for one in sorted(reached, key=lambda one: (one.length, len(one.path), one.name)):
        subject = bool(followed) and one.followed == followed
        value = gain * _DECAY**one.length * (_SUBJECT if subject else 1.0)
        least = _UNLIKE if subject else 0.0
        for name in _notes_about(book, one.name) if one.path else ():  # what has a name of the question is found by it
            alike = len(asked & book.stems_of(name)) / len(asked) if asked else 1.0
            score = value * (least + (1.0 - least) * alike)
            if score > gains.get(name, 0.0) and (name in total or fits(name)):
                gains[name], paths[name] = score, one.path
    for name, score in gains.items():
        total[name] = total.get(name, 0.0) + score
    return paths


def _notes_about(book: ResolvedNotes, name: str) -> Iterator[str]:
    """The notes that have a name as it is written."""
    exact = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE if name.islower() else 0)
    for trust in sorted(set(TRUST.values()), reverse=True):
        for other in book.notes_with_stems(word_stems(name), trust, _SPEAKING):
            if exact.search(book.notes[other].text):
                yield other


class _Walk:
    """The graph around the names of one question."""

    def __init__(self, book: ResolvedNotes, question: str, fits: Callable[[str], bool], until: float | None) -> None:
        self._book, self._question, self._fits, self._until = book, question, fits, until
        self._asked = word_stems(question)
        self._possessed = word_stems(" ".join(found[0] for found in _POSSESSED.finditer(question)))
        self._known: dict[str, list[NameStatement]] = {}
        self._written: dict[str, str] = {}

    def reach(self) -> list[ReachedName]:
        """The names that the question has or leads to."""
        starts = list(dict.fromkeys(self._names_in_question()))
        if not starts:
            return []
        # Only a question with a name of the graph pays for loading it.
        import networkx as nx

        graph = self._graph(starts)
        lengths, ways = nx.multi_source_dijkstra(graph, starts)
        return [self._reached(graph, ways[key], length) for key, length in lengths.items()]

    def _reached(self, graph: nx.Graph[str], way: list[str], length: float) -> ReachedName:
        edges = [graph.edges[pair] for pair in pairwise(way)]
        return ReachedName(
            name=self._written[way[-1]],
            length=length,
            path=", ".join(dict.fromkeys(edge["told"] for edge in edges if edge["told"])),
            followed=frozenset().union(*(edge["stems"] for edge in edges)) & self._asked,
        )

    def _names_in_question(self) -> Iterator[str]:
        words = _RAW.findall(self._question)
        taken: set[int] = set()
        for count in range(_WORDS, 0, -1):
            for start in range(len(words) - count + 1):
                span = range(start, start + count)
                key = name_key(" ".join(words[start : start + count]))
                if not taken.isdisjoint(span) or not self._book.names.places(key):
                    continue
                capital = words[start][0].isupper() or self._question.islower()
                # A name that no form was read of begins nothing.
                found = [key] if any(not one.loose for one in self._statements(key)) else self._longer(key)
                # What is written with a capital is a name only where the question has one, "Will" and not "will".
                if len(found) == 1 and (capital or count > 1 or self._written[found[0]].islower()):
                    taken.update(span)
                    yield found[0]

    def _statements(self, key: str) -> list[NameStatement]:
        """What is said of this very name by notes that hold."""
        return [one for one in self._near(key) if key in (name_key(one.left), name_key(one.right))]

    def _near(self, key: str) -> list[NameStatement]:
        """What notes that hold say of this name, and of full names that it may stand for."""
        if key not in self._known:
            book = self._book
            notes = [book.notes.name(place) for place in self._book.names.places(key)]
            notes = sorted(filter(self._fits, reversed(notes)), key=lambda name: -TRUST[book.notes[name].role])
            found = ((name, one) for name in notes[:_LINKS] for one in book.names.statements(name))
            self._known[key] = [one for name, one in found if book.is_in_force(name, one.place, self._until)]
            for one in self._known[key]:
                for name in (one.left, one.right):
                    self._written.setdefault(name_key(name), name)
        return self._known[key]

    def _longer(self, key: str) -> list[str]:
        """The full names that a shorter one may stand for."""
        names = dict.fromkeys(name for one in self._near(key) for name in (one.left, one.right) if is_full_name(name))
        keys = dict.fromkeys(map(name_key, names))
        return [other for other in keys if other != key and key in short_names(other)]

    def _same(self, key: str) -> Iterator[str]:
        """Shorter and longer forms of a name that mean the same one, as no other name has them."""
        if len(longer := self._longer(key)) == 1:
            yield longer[0]
        if is_full_name(self._written[key]):
            for short in dict.fromkeys(short_names(key)):
                if short != key and self._longer(short) == [key]:
                    # A note may have the first name alone though no statement does.
                    self._written.setdefault(short, _short_form(self._written[key], short))
                    yield short

    def _graph(self, starts: list[str]) -> nx.Graph[str]:
        import networkx as nx

        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(starts)
        queue, steps = deque(starts), dict.fromkeys(starts, 0)
        while queue and len(steps) < _NAMES:
            key = queue.popleft()
            for other, edge in self._edges(key):
                links = steps[key] + (edge["weight"] > 0)
                if links > _STEPS:
                    continue
                if not graph.has_edge(key, other) or graph.edges[key, other]["weight"] > edge["weight"]:
                    graph.add_edge(key, other, **edge)
                if links < steps.get(other, _STEPS + 1):
                    steps[other] = links
                    (queue.append if edge["weight"] else queue.appendleft)(other)
        return graph

    def _edges(self, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for other in self._same(key):
            yield other, {"weight": 0.0, "told": "", "stems": frozenset()}
        for one in self._statements(key):
            left, right = name_key(one.left), name_key(one.right)
            named = not one.stems.isdisjoint(self._possessed if one.loose else self._asked)
            if one.loose and not named:
                continue
            weight = (_ASKED_FOR if named else _OTHER) if one.label else 0.0
            yield (right if left == key else left), {"weight": weight, "told": str(one), "stems": one.stems}


def _short_form(name: str, short: str) -> str:
    """A short name as it would be written."""
    parts = name.split()
    forms = (parts[0], parts[-1], f"{parts[0][0]}. {parts[-1]}", "".join(part[0] for part in parts))
    return next(form for form in forms if name_key(form) == short)
