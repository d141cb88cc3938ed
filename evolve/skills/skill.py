"""Skills as values: a function with its contract, its tests, written from examples, and where it came from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from evolve.core.episodes import Json, Row, SkillDraft
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.skills.contract import Abstained, condition_from_rows, contract_text, contract_violation
from evolve.skills.signatures import names_of

_CLOSE = '''

def close(a, b):
    """Equal, with numbers compared within a relative 1e-9."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b
'''


def render_tests(entry: str, rows: Sequence[Row]) -> str:
    """Source of a test file that imports ``entry`` from ``skill`` and checks every row."""
    floats = any(_has_float(row.output) for row in rows)
    parts = ["import math\n\n" if floats else "", f"from skill import {entry}\n", _CLOSE if floats else ""]
    for number, row in enumerate(rows, 1):
        call = f"{entry}({', '.join(map(repr, row.input))})"
        parts.append(f"\n\ndef test_example_{number}():\n    assert {_check(call, row.output)}\n")
    return "".join(parts)


def _check(call: str, expected: Json) -> str:
    # By identity, because 1 == True.
    if expected is None or isinstance(expected, bool):
        return f"{call} is {expected!r}"
    return f"close({call}, {expected!r})" if _has_float(expected) else f"{call} == {expected!r}"


def _has_float(value: Json) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_float, value))
    if isinstance(value, dict):
        return any(map(_has_float, value.values()))
    return isinstance(value, float)


SkillStatus = Literal["draft", "admitted", "trusted", "idle", "doubtful", "retired"]
Owner = Literal["learned", "user", "imported", "seed"]

TRUSTED_AFTER = 3
"""Distinct tasks a skill must have helped before it is trusted."""

# What every reader of the Agent Skills format accepts; some take capitals or other scripts too.
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_LONGEST_NAME = 64

# How a part describes itself; one that was kept before parts were marked is told by these words.
PART_BEGINS, PART_ENDS = "Do in one step: ", "verified answers share them."


@dataclass(frozen=True, kw_only=True)
class Skill:
    """One skill.

    Attributes:
        name: kebab-case ASCII, at most 64 characters; also the name of its folder.
        description: What it does and when to use it.
        entry: The function to call in ``code``.
        signature: Signature grammar of tasks.
        code: Python source, standard library only, one file.
        rows: The visible examples behind its tests.
        test_code: Source of the tests: plain asserts in ``test_*`` functions that import from ``skill``.
        tree: The term as JSON, or None for skills that only have code.
        status: ``admitted`` may be used at once; ``trusted`` after three distinct tasks; ``idle`` is admitted but not
            offered to searches, because no answer to another task used it when it was.
        owner: ``user`` is never changed unattended; ``imported`` must be admitted again first;
            ``seed`` came with evolve.
        source: Where it came from: a task, or several with commas between where it was made of several skills.
        tasks: Ids of the distinct tasks it has helped.
        family: The kind of task that it came from, of answers without a tree; else "".
        offered: In how many distinct other tasks that were solved it was shown.
        part: It is a part of answers, which nobody would ask for by itself; it serves the search.
        users: How many distinct tasks it helped each policy with, by its name, as far as that was noted.
        elsewhere: As it is read for one policy, how many of ``tasks`` it helped others with.
        environment: Of a procedure, the kind of environment that it works in; its one row holds the arguments of the
            call that it was written for. "" for a function of its arguments.
        needs: Conditions on each argument that every row met on which it was right when it was admitted, those that its
            author did not see among them; see :mod:`evolve.skills.contract`. () where that is not on record.
    """

    name: str
    description: str
    entry: str
    signature: str
    code: str
    rows: tuple[Row, ...]
    test_code: str
    tree: Json = None
    status: SkillStatus = "draft"
    owner: Owner = "learned"
    source: str = ""
    tasks: tuple[str, ...] = ()
    family: str = ""
    offered: int = 0
    part: bool = False
    users: tuple[tuple[str, int], ...] = ()
    elsewhere: int = 0
    environment: str = ""
    needs: tuple[Mapping[str, Json], ...] = ()

    @property
    def is_hidden(self) -> bool:
        """Whether it serves the search alone: it has no folder, is not listed, and is neither offered nor exported."""
        return self.part and self.owner != "user"

    def works_in(self, environment: str) -> bool:
        """Whether code of an environment of this kind can call it."""
        return self.environment in ("", environment)

    @cached_property
    def contract(self) -> tuple[Mapping[str, Json], ...]:
        """Conditions on its arguments, one object per argument; of a skill of before those that its own rows meet."""
        return self.needs or tuple(condition_from_rows(row.input for row in self.rows))

    @property
    def contract_text(self) -> str:
        """Its contract in words."""
        return contract_text(self.contract, names_of(self.signature))

    def abstention_for(self, arguments: Sequence[Json]) -> Abstained | None:
        """What a call gives in place of a result, where it is not of the kind that was verified; else None."""
        reason = contract_violation(self.contract, arguments, names_of(self.signature))
        return Abstained(reason) if reason else None

    def read_for(self, policy: str) -> Skill:
        """The skill as one policy may trust it: that it helped another earns no trust with this one."""
        helped = dict(self.users)
        if not set(helped) - {policy}:
            return self
        own = helped.get(policy, 0)
        status: SkillStatus = "admitted" if self.status == "trusted" and own < TRUSTED_AFTER else self.status
        return replace(self, status=status, elsewhere=max(0, len(self.tasks) - own))

    @cached_property
    def digest(self) -> str:
        """Identifies what the skill does and how it is tested; words and bookkeeping do not change it."""
        # Verdicts, uses and variants are kept under this digest, so what stands in it and how it is written stays.
        parts = [self.entry, self.signature, self.code, self.test_code, self.tree]
        return digest(canonical_json([*parts, [[list(row.input), row.output] for row in self.rows]]))

    def came_from(self, task: str) -> bool:
        """Whether it came from a task, alone or with others."""
        return task == self.source or task in self.source.split(", ")

    def to_json(self) -> dict[str, Json]:
        """Everything but status, owner and uses, which the record keeps in rows."""
        # Bodies are named by their digest; those of before have no family and no mark, and stay what they are.
        family = {"family": self.family} if self.family else {}
        part = {"part": True} if self.part and not _is_told_as_part(self.description, self.tree) else {}
        environment = {"environment": self.environment} if self.environment else {}
        needs = {"needs": [dict(need) for need in self.needs]} if self.needs else {}
        return {
            **needs,
            **family,
            **part,
            **environment,
            "name": self.name,
            "description": self.description,
            "entry": self.entry,
            "signature": self.signature,
            "code": self.code,
            "rows": [[list(row.input), row.output] for row in self.rows],
            "test_code": self.test_code,
            "tree": self.tree,
            "source": self.source,
        }

    @classmethod
    def from_json(cls, data: dict[str, Json]) -> Skill:
        """The skill that :meth:`to_json` wrote, as a draft."""
        rows = tuple(Row(input=tuple(values), output=output) for values, output in data["rows"])
        part = data.get("part", _is_told_as_part(data["description"], data["tree"]))
        return cls(**{**data, "rows": rows, "part": part, "needs": tuple(data.get("needs", ()))})

    @classmethod
    def from_draft(cls, draft: SkillDraft) -> Skill:
        """A proposed skill with tests written from its visible rows; a procedure has none."""
        return cls(
            name=check_name(draft.name),
            description=draft.description,
            entry=draft.entry,
            signature=draft.signature,
            code=draft.code,
            rows=draft.tests,
            test_code="" if draft.environment else render_tests(draft.entry, draft.tests),
            tree=draft.tree,
            source=draft.source,
            part=bool(draft.arguments),
            environment=draft.environment,
        )

    def with_name(self, name: str) -> Skill:
        """The same skill under another name."""
        return replace(self, name=check_name(name))


def _is_told_as_part(description: str, tree: Json) -> bool:
    return tree is not None and description.startswith(PART_BEGINS) and description.endswith(PART_ENDS)


def check_name(name: str) -> str:
    """The name, when it can name a folder and a skill everywhere.

    Raises:
        UsageError: For anything but kebab-case ASCII of at most 64 characters.
    """
    if len(name) > _LONGEST_NAME or not _NAME.match(name):
        raise UsageError(
            f"not a skill name: {name[:80]!r}", hint="lower-case letters and digits, joined by single hyphens"
        )
    return name
