"""Search by words: tokens, the full-text index, and fusion of scores.

BM25 as FTS5 computes it (Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75), over Porter's stems without accents.
Adding a text costs the same however many there are; nothing is rebuilt at a query.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, repeat
from typing import Any

_WORD = re.compile(r"\w+")


def split_words(text: str) -> list[str]:
    """Lower-case words of a text, after Unicode compatibility folding."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("_", " "))


def fuse_rankings(
    rankings: Sequence[tuple[float, Mapping[str, float]]], *, floors: Sequence[float] = ()
) -> list[tuple[str, float]]:
    """Weighted sum of scores, each scoring first stretched to [0, 1] over the items it names.

    Scores are fused and not ranks: where one arm is much the stronger, adding ranks throws away
    how sure it is and costs ten points of recall (measured on conversations; equal arms do not care).

    Args:
        rankings: Pairs of weight and score by id. An item that a scoring does not name gets 0
            from it; a scoring that cannot tell its items apart gives each of them 1.
        floors: Of each scoring the share of its best score that a stretch begins at or below, so that small differences
            among a few items stay small; 1, as where it is left out, begins at the least score.

    Returns:
        Ids with fused scores, best first, equal scores by id.
    """
    total: dict[str, float] = {}
    for (weight, scores), floor in zip(rankings, chain(floors, repeat(1.0)), strict=False):
        if not scores:
            continue
        high = max(scores.values())
        low = min(*scores.values(), floor * high)
        for name, score in scores.items():
            share = (score - low) / (high - low) if high > low else 1.0
            total[name] = total.get(name, 0.0) + weight * share
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))


_STOP_WORDS_TEXT = """
a about an and any are as at be been by can could did do does for from had has have he her him his how i if in is it its
me my of on or our out she should so some that the their them then there these they this those to us was we were what
when where which who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())
"""Words that ask and join. They would make most texts match and tell them apart by nothing."""


class WordIndex:
    """Texts by id, found by words that they share with a query.

    Never in the record: what it forgets is to leave no words in a segment or a backup, and no table of it is without
    checksums.

    Args:
        connection: A database whose owner closes it; by default one of its own in memory.
        table: The index in that database.
        ids: What it holds already, in the order in which it was added.
    """

    def __init__(
        self, connection: sqlite3.Connection | None = None, table: str = "texts", ids: Iterable[str] = ()
    ) -> None:
        self._given, self._table = connection, table
        self._ids = list(ids)

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        # A workspace is closed from other threads than the one that recalled; its own lock keeps them apart.
        connection = self._given or sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        form = "text, content='', tokenize='porter unicode61 remove_diacritics 2'"
        connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {self._table} USING fts5({form})")
        return connection

    def add(self, texts: Mapping[str, str]) -> None:
        """Adds texts under new ids."""
        rows = [(at, " ".join(split_words(text))) for at, text in enumerate(texts.values(), len(self._ids))]
        self._connection.execute("BEGIN")
        self._connection.executemany(f"INSERT INTO {self._table} (rowid, text) VALUES (?, ?)", rows)
        self._connection.execute("COMMIT")
        self._ids += texts

    def scores(self, query: str, limit: int = -1, *, every: bool = False) -> dict[str, float]:
        """Scores above zero by id, best first, equal ones as they came; texts that share no word are left out.

        Words such as "the" and "what" count only where the query has no others.

        Args:
            limit: Most texts that are named; -1 for all.
            every: Only texts that have all words of the query.
        """
        asked = list(dict.fromkeys(split_words(query)))
        # Quoted, so that no word of a query is read as an operator.
        telling = [word for word in asked if word not in STOP_WORDS] or asked
        wanted = (" AND " if every else " OR ").join(f'"{word}"' for word in telling)
        if not wanted:
            return {}
        # By number, as every matching row would be looked up for its id, and nearly all are left out.
        sql = (
            f"SELECT rowid, -bm25({self._table}) AS score FROM {self._table} WHERE {self._table} MATCH ?"
            " ORDER BY score DESC, rowid LIMIT ?"
        )
        rows: list[tuple[int, Any]] = self._connection.execute(sql, (wanted, limit)).fetchall()
        return {self._ids[at]: float(score) for at, score in rows}

    def close(self) -> None:
        """Frees its memory; closing twice is no error."""
        connection = self.__dict__.pop("_connection", None)
        if connection is not None and connection is not self._given:
            connection.close()
        self._ids = []
