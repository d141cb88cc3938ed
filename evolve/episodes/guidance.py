"""Skills and notes that others wrote for an agent, as an episode is offered them: as data, read when they fit."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

GUIDANCE_FOLDER = ".skills"
"""Where the files of skills lie in the folder of a session; a change there is none of the work."""
_WANTED = re.compile(r"\s*skill\s+([\w.-]+)(?:/(\S+))?\s*\Z")
_NAMED = re.compile(rf"(?:^|[^\w-]){re.escape(GUIDANCE_FOLDER)}/([\w.-]+)")


@dataclass(frozen=True, kw_only=True)
class Guide:
    """A skill in the Agent Skills format, or a file of notes such as CLAUDE.md.

    Attributes:
        description: What it does and when to use it; "" for notes.
        files: Its files by name in its folder, ``SKILL.md`` among them; notes are one file, which is told whole.
    """

    name: str
    description: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def is_notes(self) -> bool:
        """Whether it is notes."""
        return "SKILL.md" not in self.files

    def text(self, name: str = "") -> str:
        """A file of it, by default its instructions; "" where there is none."""
        wanted = name or (self.name if self.is_notes else "SKILL.md")
        return self.files.get(wanted, b"").decode("utf-8", "replace")


@dataclass(frozen=True, kw_only=True)
class Guidance:
    """What an episode is offered of others' skills and notes; nothing by default."""

    guides: tuple[Guide, ...] = ()

    def without(self, names: Collection[str]) -> Guidance:
        """The same without the guides of these names."""
        return replace(self, guides=tuple(guide for guide in self.guides if guide.name not in names))

    def files(self) -> dict[str, bytes]:
        """The files of the skills, as they lie in the folder of a session."""
        skills = [guide for guide in self.guides if not guide.is_notes]
        return {f"{GUIDANCE_FOLDER}/{one.name}/{name}": data for one in skills for name, data in one.files.items()}

    def looked_up(self, words: str) -> str:
        """What words such as ``skill NAME`` or ``skill NAME/FILE`` ask for; "" where they ask for nothing of this."""
        wanted = _WANTED.match(words)
        return next((one.text(wanted[2] or "") for one in self.guides if wanted and one.name == wanted[1]), "")


def guides_read(words: str, code: str) -> set[str]:
    """The names of the skills that an action read, by what it looked up and by the files that its code names."""
    wanted = _WANTED.match(words)
    return {*_NAMED.findall(code), *([wanted[1]] if wanted else [])}
