"""The record against a plain model of it, through crashes, restarts and full disks in any order."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from benchmarks.crash_work import episode_of, open_stores
from benchmarks.doubles import small_suite
from evolve.core.errors import WorkspaceError
from evolve.core.failpoints import VARIABLE
from evolve.core.paths import WorkspacePaths
from evolve.core.schema import MIGRATIONS
from evolve.core.store import Database, WriterLock
from evolve.skills import AdmissionVerdict, Skill
from evolve.workspace.locating import ensure_workspace

pytestmark = pytest.mark.slow

TASKS = small_suite(4).tasks
PLACE = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
FULL = st.sampled_from(
    ("", "", "record.begin", "episode.inside", "record.commit.before", "object.begin", "file.synced", "folder.file")
)
"""Where the disk is full, if anywhere: all before the commit, so what meets it has not happened."""


class RecordMachine(RuleBasedStateMachine):
    """What was acknowledged is there once, and nothing else is."""

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory(dir=PLACE)
        self.lives = 0
        self.episodes, self.notes, self.skills = set(), [], {}
        ensure_workspace(self.root)
        self.open()

    @property
    def root(self):
        return Path(self.folder.name) / str(self.lives)

    def open(self):
        paths = WorkspacePaths(self.root)
        self.lock = WriterLock(paths.lock)
        self.lock.acquire()
        self.db = Database(paths.db, MIGRATIONS)
        self.stores = open_stores(self.db, paths)

    def close(self):
        self.db.close()
        self.lock.release()

    @contextmanager
    def full_at(self, point):
        os.environ[VARIABLE] = f"{point}:1:full" if point else ""
        try:
            yield
        except (OSError, WorkspaceError) as error:
            assert point and ("disk full" in str(error) or VARIABLE in str(error))
        finally:
            os.environ.pop(VARIABLE)

    @rule(task=st.sampled_from(TASKS), number=st.integers(0, 5), point=FULL)
    def commit(self, task, number, point):
        record = replace(episode_of(task, "r1"), episode=f"e{number}")
        with self.full_at(point):
            assert self.stores.commit(record, instruction="") == (record.episode not in self.episodes)
            self.episodes.add(record.episode)

    @rule(text=st.sampled_from("abc"), point=FULL)
    def note(self, text, point):
        with self.full_at(point):
            self.stores.memory.add_note(text, "somebody")
            self.notes += [text] * (text not in self.notes)

    @rule(name=st.sampled_from(("one", "two")), point=FULL)
    def admit(self, name, point):
        skill = Skill(name=name, description="", entry="f", signature="", code=f"# {name}", rows=(), test_code="")
        with self.full_at(point):
            with self.db.transaction():
                self.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
            self.skills[name] = "admitted"

    @precondition(lambda self: self.skills)
    @rule(data=st.data(), point=FULL)
    def retire(self, data, point):
        name = data.draw(st.sampled_from(sorted(self.skills)))
        with self.full_at(point):
            self.stores.skills.retire(name, "a test")
            self.skills[name] = "retired"

    @rule()
    def restart(self):
        self.close()
        self.open()

    @rule()
    def crash(self):
        """The files as they are, log and all, are what a killed process would leave."""
        before = self.root
        self.lives += 1
        shutil.copytree(before, self.root, ignore=shutil.ignore_patterns("*-shm"))
        self.close()
        self.open()
        assert self.db.check() == []

    @invariant()
    def the_record_is_the_model(self):
        stores = self.stores
        assert sorted(one.episode for one in stores.runs.episodes()) == sorted(self.episodes)
        evidence = [row.episode for one in stores.memory.list_insights() for row in stores.memory.evidence(one.id)]
        assert sorted(evidence) == sorted(self.episodes)
        assert [note.text for note in stores.memory.list_notes()] == self.notes
        assert {skill.name: skill.status for skill in stores.skills.list()} == self.skills

    def teardown(self):
        self.close()
        self.folder.cleanup()


TestRecord = RecordMachine.TestCase
TestRecord.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)
