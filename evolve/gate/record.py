"""The gate's tables."""

from __future__ import annotations

from evolve.gate.prequential import OWN_PAIRS
from evolve.store import Migration

MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        "gate",
        1,
        """
        CREATE TABLE gate_decisions (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
            run TEXT NOT NULL, proposal INTEGER NOT NULL, parent TEXT NOT NULL, variant TEXT NOT NULL,
            suite TEXT NOT NULL, verdict TEXT NOT NULL, alpha REAL NOT NULL, wealth REAL NOT NULL,
            wins INTEGER NOT NULL, losses INTEGER NOT NULL, ties INTEGER NOT NULL, void INTEGER NOT NULL,
            further INTEGER, reason TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE gate_looks (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
            suite TEXT NOT NULL, run TEXT NOT NULL, purpose TEXT NOT NULL, at REAL NOT NULL,
            checksum TEXT NOT NULL);
        CREATE TABLE gate_regression (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE,
            suite TEXT NOT NULL, task TEXT NOT NULL, problem TEXT NOT NULL, stratum TEXT NOT NULL,
            tries INTEGER NOT NULL, candidates INTEGER NOT NULL, tokens INTEGER NOT NULL,
            variant TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE gate_overrides (id INTEGER PRIMARY KEY AUTOINCREMENT, variant TEXT NOT NULL,
            tasks TEXT NOT NULL, person TEXT NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL,
            checksum TEXT NOT NULL)
        """,
    ),
    Migration(
        "gate",
        2,
        """
        CREATE TABLE gate_grounds (key TEXT PRIMARY KEY, body TEXT NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE gate_openings (key TEXT PRIMARY KEY, pins TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE gate_seals (suite TEXT PRIMARY KEY, splits TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL)
        """,
    ),
    Migration(
        "gate",
        3,
        """
        CREATE TABLE gate_begun (key TEXT PRIMARY KEY, run TEXT NOT NULL, variant TEXT NOT NULL, suite TEXT NOT NULL,
            proposal INTEGER NOT NULL, alpha REAL NOT NULL, pins TEXT NOT NULL, at REAL NOT NULL,
            checksum TEXT NOT NULL);
        DROP TABLE gate_openings
        """,
    ),
    *OWN_PAIRS,
)
