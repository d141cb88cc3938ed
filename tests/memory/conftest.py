"""Episodes that taught something, and memories over real stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evolve.core.episodes import Claim, Cost, EpisodeRecord, Evidence, EvidenceKind, Relation, Scope, Status
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import StoredIndex, open_index
from evolve.runtime.retrieval import HashingEmbedder

FAMILY = "list[int] -> int"


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """One episode in short: on a task that looks like this, the cause helped or not."""

    number: int
    cause: str = "operation:sort"
    features: tuple[float, ...] = (1.0, 0.0)
    direction: int = 1
    relation: Relation = "contributes"
    kind: EvidenceKind = "intervention"
    effect: str = "solved"
    family: str = FAMILY
    status: Status = "solved"
    split: str = "train"
    policy: str = ""
    fingerprint: str = ""

    def record(self) -> EpisodeRecord:
        task = f"task-{self.number}"
        claim = Claim(
            cause=self.cause,
            relation=self.relation,
            effect=self.effect,
            scope=Scope(environment="programs", family=self.family),
            evidence=(
                Evidence(
                    task=task,
                    group=f"group-{self.number}",
                    kind=self.kind,
                    direction=self.direction,  # type: ignore[arg-type]
                    features=self.features,
                    detail="removed it and ran again",
                ),
            ),
            text=f"{self.cause} {self.relation} to {self.effect}",
        )
        return EpisodeRecord(
            episode=f"episode-{self.number}",
            run="run",
            task=task,
            suite="suite",
            group=f"group-{self.number}",
            split=self.split,
            variant="unlearned",
            seed=0,
            status=self.status,
            verified=self.status == "solved",
            answer="",
            steps=(),
            cost=Cost(candidates=10),
            claims=(claim,),
            policy=self.policy,
            fingerprint=self.fingerprint,
        )


@dataclass
class Store:
    """Opens memories over one folder, as one process after another would."""

    folder: Path
    now: float = 1000.0
    vectors: str = "auto"
    opened: list[tuple[MemoryRepository, Database]] = field(default_factory=list)

    def database(self) -> Database:
        return Database(self.folder / "memory.db", MEMORY)

    def memory(self, db: Database | None = None) -> MemoryRepository:
        database = db or self.database()
        memory = MemoryRepository(
            database,
            self.index,
            HashingEmbedder(64),
            clock=lambda: self.now,
        )
        self.opened.append((memory, database))
        return memory

    def index(self, dimension: int = 256 + 64) -> StoredIndex:
        return open_index(self.folder / "index", "insights", dimension, store=self.vectors)

    def close(self) -> None:
        while self.opened:
            memory, database = self.opened.pop()
            memory.close()
            database.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path)
    yield made
    made.close()


@pytest.fixture
def memory(store: Store) -> MemoryRepository:
    return store.memory()


@pytest.fixture
def lesson() -> Callable[..., EpisodeRecord]:
    return lambda number, **more: Lesson(number=number, **more).record()
