"""Why something is doubtful, as a code with facts: whoever shows it to a person puts it into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A code, such as ``not_a_number``, and what it is about, such as the text of the cell as ``value``."""

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """For a log, and for a program that has no words of its own."""
        return ": ".join([self.code.replace("_", " "), *map(str, self.facts.values())])


def reason(code: str, **facts: Any) -> Reason:
    """A reason with its facts, JSON values each."""
    return Reason(code=code, facts=facts)
