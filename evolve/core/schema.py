"""Every table of a record, and the migrations that made it what it is.

It stands apart from the code that reads and writes the tables, so that opening a record loads none of that. A migration
that was released is never edited, its indentation included: SQLite keeps the text of a definition, and
:func:`evolve.core.store.migrations._changed_definitions` compares it.
"""

from __future__ import annotations

from evolve.core.schema_changes import create_makers, join_notes_and_preferences
from evolve.core.store import Migration

AGENT: tuple[Migration, ...] = (
    Migration(
        "agent",
        1,
        """
        CREATE TABLE runs (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, key TEXT NOT NULL,
            started TEXT NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL);
        CREATE INDEX runs_key ON runs (key, state);
        CREATE TABLE episodes (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, run TEXT NOT NULL, task TEXT NOT NULL,
            suite TEXT NOT NULL, problem TEXT NOT NULL, split TEXT NOT NULL, variant TEXT NOT NULL,
            seed INTEGER NOT NULL, status TEXT NOT NULL, verified INTEGER NOT NULL, candidates INTEGER NOT NULL,
            seconds REAL NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL);
        CREATE INDEX episodes_run ON episodes (run);
        CREATE TABLE steps (
            number INTEGER PRIMARY KEY, episode TEXT NOT NULL, step INTEGER NOT NULL, stage TEXT NOT NULL,
            kind TEXT NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL,
            UNIQUE (episode, step, stage, kind));
        """,
    ),
    Migration(
        "agent",
        2,
        """
        CREATE TABLE episode_lessons (
            number INTEGER PRIMARY KEY, episode TEXT NOT NULL UNIQUE, run TEXT NOT NULL, state TEXT NOT NULL,
            source TEXT NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL);
        CREATE INDEX episodes_task ON episodes (task, split);
        """,
    ),
)

# Columns called problem hold a group, because GROUP is a word of SQL.
MEMORY: tuple[Migration, ...] = (
    Migration(
        "memory",
        1,
        """
        CREATE TABLE memory_insights (id TEXT PRIMARY KEY, cause TEXT NOT NULL, effect TEXT NOT NULL,
            environment TEXT NOT NULL, family TEXT NOT NULL, preconditions TEXT NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE memory_claims (insight TEXT NOT NULL, relation TEXT NOT NULL, text TEXT NOT NULL,
            checksum TEXT NOT NULL, PRIMARY KEY (insight, relation));
        CREATE TABLE memory_features (id TEXT PRIMARY KEY, numbers TEXT NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE memory_episodes (seq INTEGER PRIMARY KEY AUTOINCREMENT, episode TEXT NOT NULL UNIQUE,
            task TEXT NOT NULL, problem TEXT NOT NULL, environment TEXT NOT NULL, family TEXT NOT NULL,
            instruction TEXT NOT NULL, features TEXT NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE memory_evidence (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
            insight TEXT NOT NULL, relation TEXT NOT NULL, episode TEXT NOT NULL, task TEXT NOT NULL,
            problem TEXT NOT NULL, kind TEXT NOT NULL, direction INTEGER NOT NULL, features TEXT NOT NULL,
            detail TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE INDEX memory_evidence_insight ON memory_evidence (insight);
        CREATE TABLE memory_expiries (seq INTEGER PRIMARY KEY AUTOINCREMENT, insight TEXT NOT NULL,
            through INTEGER NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE memory_notes (id TEXT PRIMARY KEY, text TEXT NOT NULL, author TEXT NOT NULL,
            at REAL NOT NULL, checksum TEXT NOT NULL)
        """,
    ),
    Migration(
        "memory",
        2,
        """
    CREATE TABLE memory_preferences (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
        description TEXT NOT NULL, author TEXT NOT NULL, contexts TEXT NOT NULL, status TEXT NOT NULL,
        proposal TEXT NOT NULL, proposed_by TEXT NOT NULL, successor TEXT NOT NULL, turn INTEGER NOT NULL,
        at REAL NOT NULL, checksum TEXT NOT NULL);
    CREATE TABLE memory_acts (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
        preference TEXT NOT NULL, kind TEXT NOT NULL, author TEXT NOT NULL, text TEXT NOT NULL,
        before TEXT NOT NULL, after TEXT NOT NULL, question TEXT NOT NULL, context TEXT NOT NULL,
        run TEXT NOT NULL, episode TEXT NOT NULL, step INTEGER NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL);
    CREATE INDEX memory_acts_preference ON memory_acts (preference)
    """,
    ),
    Migration(
        "memory",
        3,
        """
    CREATE TABLE memory_metrics (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
        definition TEXT NOT NULL, edited INTEGER NOT NULL, checksum TEXT NOT NULL);
    CREATE TABLE memory_remarks (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, comment TEXT NOT NULL,
        run TEXT NOT NULL, text TEXT NOT NULL, sign INTEGER NOT NULL, metric TEXT NOT NULL, checksum TEXT NOT NULL)
    """,
    ),
    Migration(
        "memory",
        4,
        "CREATE TABLE memory_sources (episode TEXT PRIMARY KEY, source TEXT NOT NULL, checksum TEXT NOT NULL)",
    ),
    Migration(
        "memory",
        5,
        """
    ALTER TABLE memory_notes ADD COLUMN role TEXT;
    ALTER TABLE memory_notes ADD COLUMN thread TEXT;
    ALTER TABLE memory_notes ADD COLUMN source TEXT;
    ALTER TABLE memory_notes ADD COLUMN environment TEXT;
    ALTER TABLE memory_notes ADD COLUMN family TEXT
    """,
    ),
    Migration("memory", 6, create_makers),
    Migration(
        "memory",
        7,
        """
    CREATE TABLE memory_uses (seq INTEGER PRIMARY KEY AUTOINCREMENT, episode TEXT NOT NULL, insight TEXT NOT NULL,
        policy TEXT NOT NULL, problem TEXT NOT NULL, told INTEGER NOT NULL, solved INTEGER NOT NULL,
        checksum TEXT NOT NULL, UNIQUE (insight, policy, problem));
    CREATE TABLE memory_retirements (seq INTEGER PRIMARY KEY AUTOINCREMENT, insight TEXT NOT NULL,
        policy TEXT NOT NULL, through INTEGER NOT NULL, uses INTEGER NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL,
        checksum TEXT NOT NULL)
    """,
    ),
    Migration(
        "memory",
        8,
        "CREATE TABLE memory_forgotten_notes (id TEXT PRIMARY KEY, at REAL NOT NULL, checksum TEXT NOT NULL)",
    ),
    Migration("memory", 9, join_notes_and_preferences),
)

SKILLS: tuple[Migration, ...] = (
    Migration(
        "skills",
        1,
        """
        CREATE TABLE skills (
            digest TEXT PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            object TEXT NOT NULL,
            status TEXT NOT NULL,
            owner TEXT NOT NULL,
            reason TEXT NOT NULL DEFAULT '',
            checksum TEXT NOT NULL
        );
        CREATE TABLE skill_verdicts (
            digest TEXT NOT NULL,
            policy TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            admitted INTEGER NOT NULL,
            failed TEXT NOT NULL,
            reason TEXT NOT NULL,
            checks TEXT NOT NULL,
            checksum TEXT NOT NULL,
            UNIQUE (digest, policy, fingerprint)
        );
        CREATE TABLE skill_uses (
            digest TEXT NOT NULL,
            task TEXT NOT NULL,
            checksum TEXT NOT NULL,
            UNIQUE (digest, task)
        )
        """,
    ),
    Migration(
        "skills",
        2,
        "CREATE TABLE skill_offers (digest TEXT NOT NULL, task TEXT NOT NULL, checksum TEXT NOT NULL,"
        " UNIQUE (digest, task))",
    ),
    Migration(
        "skills",
        3,
        "CREATE TABLE skill_users (digest TEXT NOT NULL, task TEXT NOT NULL, policy TEXT NOT NULL,"
        " checksum TEXT NOT NULL, UNIQUE (digest, task, policy))",
    ),
    Migration(
        "skills",
        4,
        "CREATE TABLE skill_rehearsals (digest TEXT NOT NULL, problem TEXT NOT NULL, body TEXT NOT NULL,"
        " checksum TEXT NOT NULL, UNIQUE (digest, problem))",
    ),
    Migration(
        "imports",
        1,
        "CREATE TABLE skill_imports (number INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL UNIQUE,"
        " name TEXT NOT NULL, origin TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, body TEXT NOT NULL,"
        " checksum TEXT NOT NULL)",
    ),
)

GATE: tuple[Migration, ...] = (
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
    Migration(
        "gate",
        4,
        "CREATE TABLE gate_served (id TEXT PRIMARY KEY, key TEXT NOT NULL, block TEXT NOT NULL,"
        " number INTEGER NOT NULL, level REAL NOT NULL, problems TEXT NOT NULL, checksum TEXT NOT NULL)",
    ),
    Migration(
        "prequential",
        1,
        """
        CREATE TABLE own_pairs (id INTEGER PRIMARY KEY AUTOINCREMENT, episode TEXT NOT NULL UNIQUE,
            family TEXT NOT NULL, alike INTEGER NOT NULL, outcome TEXT NOT NULL, arms TEXT NOT NULL,
            at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE own_traits (trait TEXT PRIMARY KEY, episode TEXT NOT NULL, checksum TEXT NOT NULL)
        """,
    ),
    Migration(
        "judges",
        1,
        """
        CREATE TABLE judge_verdicts (key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL,
            accepted INTEGER NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE judge_measurements (seq INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT NOT NULL,
            prompt TEXT NOT NULL, body TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL)
        """,
    ),
)

OPTIMIZER: tuple[Migration, ...] = (
    Migration(
        "optimizer",
        1,
        """
        CREATE TABLE variants (id TEXT PRIMARY KEY, content TEXT NOT NULL, origin TEXT NOT NULL,
            at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE variant_promotions (id INTEGER PRIMARY KEY AUTOINCREMENT, variant TEXT NOT NULL,
            before TEXT NOT NULL, grounds TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL);
        CREATE TABLE variant_scores (id TEXT PRIMARY KEY, variant TEXT NOT NULL, suite TEXT NOT NULL,
            task TEXT NOT NULL, seed INTEGER NOT NULL, solved INTEGER NOT NULL, candidates INTEGER NOT NULL,
            tokens INTEGER NOT NULL, checksum TEXT NOT NULL)
        """,
    ),
    Migration(
        "optimizer",
        2,
        "CREATE TABLE variant_measures (id TEXT PRIMARY KEY, variant TEXT NOT NULL, run TEXT NOT NULL,"
        " kind TEXT NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL)",
    ),
    # It held how single gate tasks went, beside what can be proposed from; episodes say it for a person.
    Migration("optimizer", 3, "DROP TABLE variant_scores"),
    Migration(
        "prompt_items",
        1,
        """
        CREATE TABLE prompt_item_outcomes (id TEXT PRIMARY KEY, batch TEXT NOT NULL, item TEXT NOT NULL,
            with_solved INTEGER NOT NULL, with_failed INTEGER NOT NULL, without_solved INTEGER NOT NULL,
            without_failed INTEGER NOT NULL, checksum TEXT NOT NULL);
        CREATE INDEX prompt_item_outcomes_item ON prompt_item_outcomes (item)
        """,
    ),
)

# The package keeps the name that it had when the tables were made: under another they would be made again.
IMPROVE: tuple[Migration, ...] = (
    Migration(
        "improve",
        1,
        """
        CREATE TABLE loop_steps (number INTEGER PRIMARY KEY, run TEXT NOT NULL, name TEXT NOT NULL,
            body TEXT NOT NULL, checksum TEXT NOT NULL, UNIQUE (run, name));
        CREATE TABLE reports (number INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, body TEXT NOT NULL,
            checksum TEXT NOT NULL)
        """,
    ),
    Migration(
        "improve",
        2,
        "CREATE TABLE loop_attempts (number INTEGER PRIMARY KEY, run TEXT NOT NULL, episode TEXT NOT NULL UNIQUE,"
        " body TEXT NOT NULL, checksum TEXT NOT NULL)",
    ),
    Migration(
        "functions",
        1,
        "CREATE TABLE function_uses (digest TEXT NOT NULL, what TEXT NOT NULL, task TEXT NOT NULL,"
        " checksum TEXT NOT NULL, UNIQUE (digest, what, task))",
    ),
)

MIGRATIONS = (*AGENT, *MEMORY, *SKILLS, *GATE, *OPTIMIZER, *IMPROVE)
"""All of them, in the order in which they run."""
