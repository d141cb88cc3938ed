"""Skills and notes that others wrote for an agent, as an episode is offered them: as data, read when they fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

GUIDANCE_FOLDER = ".skills"
"""Where the files of skills lie in the folder of a session; a change there is none of the work."""
_STEP = re.compile(r"step\s+\d", re.IGNORECASE)
_TELLING = 20
"""Characters from which on a line of instructions tells of which skill it is."""
_FILES_NAMED = 40


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

    def looked_up(self, words: str, most: int) -> str:
        """What lines such as ``skill NAME``, ``NAME`` or ``skill NAME/FILE`` ask for, in at most so many characters.

        A line that names none of this is answered with the names that there are; "" where no line asks for a skill.
        """
        skills, lines = [guide.name for guide in self.guides if not guide.is_notes], _lines(words)
        asks = [bool(self._named(line)[0]) or line.startswith("skill ") or " " not in line for line in lines]
        if not skills or not any(asks):
            return ""
        room = most // len(lines)
        return "\n\n".join(self._part(line, room - len(line) - 4, alone=len(lines) == 1) for line in lines)

    def read_by(self, recalled: str, seen: str) -> set[str]:
        """The names of the skills that an action read.

        Args:
            recalled: What the action looked up, or "".
            seen: What it was shown; a skill is read where a line of its instructions that no other has stands in it.
        """
        found = [self._named(line) for line in _lines(recalled)]
        texts = {one.name: one.text() for one in self.guides if not one.is_notes}
        own = {
            name: {line for line in map(str.strip, _body(text)) if len(line) >= _TELLING}
            for name, text in texts.items()
        }
        count = Counter(line for lines in own.values() for line in lines)
        marks = {name: [line for line in own[name] if count[line] == 1] or [texts[name].strip()] for name in texts}
        shown = {name for name, lines in marks.items() if any(line and line in seen for line in lines)}
        return shown | {guide.name for guide, file in found if guide and not guide.is_notes and guide.text(file)}

    def _named(self, line: str) -> tuple[Guide | None, str]:
        """The guide and the file, "" for its instructions, that a line asks for."""
        words = line.removeprefix("skill ").strip().removeprefix(f"{GUIDANCE_FOLDER}/").rstrip("/")
        name, _, file = words.partition("/")
        return next((guide for guide in self.guides if guide.name == name), None), file

    def _part(self, line: str, room: int, *, alone: bool) -> str:
        guide, file = self._named(line)
        if guide and (text := guide.text(file)):
            whole = _beginning(text, f"{GUIDANCE_FOLDER}/{guide.name}/{file or 'SKILL.md'}", room)
            return whole if alone else f"{line}:\n{whole}"
        if _STEP.match(line):
            return f"Send `{line}` alone."
        told = f"Skills: {', '.join(one.name for one in self.guides if not one.is_notes)}."
        names = sorted(guide.files) if guide else []
        more = f", and {len(names) - _FILES_NAMED} more" if len(names) > _FILES_NAMED else ""
        told += f" Files of {guide.name}: {', '.join(names[:_FILES_NAMED])}{more}." if guide else ""
        return f"No skill or file `{line.removeprefix('skill ')[:200]}`. {told}"[: max(room, 0)]


def _lines(words: str) -> list[str]:
    return list(dict.fromkeys(line for line in (each.strip(" \t\r`'\"") for each in words.splitlines()) if line))


def _body(document: str) -> list[str]:
    """The lines below the front matter."""
    head, fence, body = document.partition("\n---")
    return (body if fence and head.startswith("---") else document).splitlines()


def _beginning(text: str, place: str, room: int) -> str:
    """As many whole lines as there is room for, with how much is left out and where it stands."""
    if len(text) <= room:
        return text
    head = text[: max(0, room - len(place) - 150)]
    head = head[: head.rfind("\n") + 1] or head
    left, line = len(text) - len(head), head.count("\n") + 1
    return f"{head}\n... {left:,} of {len(text):,} characters left out: read {place} from line {line} on"
