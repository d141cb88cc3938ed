"""Search by stemmed words in a set of texts that grows: SQLite's FTS5 in memory.

BM25 as FTS5 computes it (Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75), over Porter's stems without accents.
Adding a text costs the same however many there are; nothing is rebuilt at a query.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from evolve.retrieval.lexical import words

_STOP_WORDS_TEXT = """
a about an and any are as at be been by can could did do does for from had has have he her him his how i if in is it its
me my of on or our out she should so some that the their them then there these they this those to us was we were what
when where which who whom whose why will with would you your
"""
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())
"""Words that ask and join. They would make most texts match and tell them apart by nothing."""


class WordIndex:
    """Texts by id, found by words that they share with a query.

    In memory on purpose: what the record forgets leaves no words in a segment or a backup, and no table of the record
    is without checksums.
    """

    def __init__(self) -> None:
        self._ids: list[str] = []

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        # A workspace is closed from other threads than the one that recalled; its own lock keeps them apart.
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2')"
        )
        return connection

    def add(self, texts: Mapping[str, str]) -> None:
        """Adds texts under new ids."""
        rows = [(at, " ".join(words(text))) for at, text in enumerate(texts.values(), len(self._ids))]
        self._connection.execute("BEGIN")
        self._connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", rows)
        self._connection.execute("COMMIT")
        self._ids += texts

    def scores(self, query: str, limit: int = -1) -> dict[str, float]:
        """Scores above zero by id, best first, equal ones as they came; texts that share no word are left out.

        Words such as "the" and "what" count only where the query has no others.

        Args:
            limit: Most texts that are named; -1 for all.
        """
        asked = list(dict.fromkeys(words(query)))
        # Quoted, so that no word of a query is read as an operator.
        wanted = " OR ".join(f'"{word}"' for word in ([w for w in asked if w not in _STOP_WORDS] or asked))
        if not wanted:
            return {}
        # By number, as every matching row would be looked up for its id, and nearly all are left out.
        sql = "SELECT rowid, -bm25(texts) AS score FROM texts WHERE texts MATCH ? ORDER BY score DESC, rowid LIMIT ?"
        rows: list[tuple[int, Any]] = self._connection.execute(sql, (wanted, limit)).fetchall()
        return {self._ids[at]: float(score) for at, score in rows}

    def close(self) -> None:
        """Frees its memory; closing twice is no error."""
        if connection := self.__dict__.pop("_connection", None):
            connection.close()
        self._ids = []
