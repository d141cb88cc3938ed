"""Skills and notes that others wrote for an agent, as an episode is offered them: as data, read when they fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from evolve.core.episodes.steps import Step

GUIDANCE_FOLDER = ".skills"
"""Where the files of skills lie in the folder of a session; a change there is none of the work."""
_OTHER = re.compile(r"step\s+\d|(?!skill )\S+\s", re.IGNORECASE)  # looks up a step, or what is remembered
_TELLING = 20  # characters from which on a line of instructions tells of which skill it is


@dataclass(frozen=True, kw_only=True)
class ExternalSkill:
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

    guides: tuple[ExternalSkill, ...] = ()

    def without_guides(self, names: Collection[str]) -> Guidance:
        """The same without the guides of these names."""
        return replace(self, guides=tuple(guide for guide in self.guides if guide.name not in names))

    def files(self) -> dict[str, bytes]:
        """The files of the skills, as they lie in the folder of a session."""
        return {f"{GUIDANCE_FOLDER}/{one.name}/{name}": raw for one in self._skills for name, raw in one.files.items()}

    def looked_up(self, words: str, most: int) -> str:
        """What lines such as ``skill NAME``, ``NAME`` or ``skill NAME/FILE`` ask for, in at most so many characters.

        What is not there is answered with the names that are; "" where no line asks for a skill.
        """
        lines = _lines(words)
        if not self._skills or all(map(_OTHER.match, lines)):
            return ""
        return "\n\n".join(self._part(line, most // len(lines) - 2) for line in lines)

    def read_in(self, step: Step) -> set[str]:
        """The skills that a step looked up, or of whose instructions it showed a line that no other skill has."""
        observed, state = step.observation, step.observation.state if step.observation else None
        seen = f"{observed.text if observed else ''}\n{state.output if state else ''}"
        shown = {name for name, lines in self._telling.items() if any(line in seen for line in lines)}
        found = map(self._named, _lines(step.action.text if step.action.kind == "recall" else ""))
        return shown | {guide.name for guide, file in found if guide and guide.text(file)}

    @cached_property
    def _telling(self) -> dict[str, set[str]]:
        bodies = {one.name: one.text().partition("\n---")[2] or one.text() for one in self._skills}
        every = {name: {line.strip() for line in body.splitlines()} for name, body in bodies.items()}
        count = Counter(line for lines in every.values() for line in lines if len(line) >= _TELLING)
        return {one.name: {n for n in every[one.name] if count[n] == 1} or {one.text().strip()} for one in self._skills}

    @property
    def _skills(self) -> list[ExternalSkill]:
        return [guide for guide in self.guides if not guide.is_notes]

    def _named(self, line: str) -> tuple[ExternalSkill | None, str]:
        name, _, file = line.removeprefix("skill ").strip().removeprefix(f"{GUIDANCE_FOLDER}/").partition("/")
        return next((guide for guide in self._skills if guide.name == name), None), file

    def _part(self, line: str, room: int) -> str:
        guide, file = self._named(line)
        if guide and (text := guide.text(file)):
            place = f"{GUIDANCE_FOLDER}/{guide.name}/{file or 'SKILL.md'}"
            if len(place) + 2 + len(text) <= room:
                return f"{place}:\n{text}"
            head = text[: max(0, room - 2 * len(place) - 120)]  # whole lines, so that the rest has a number
            head = head[: head.rfind("\n") + 1] or head
            left, next_ = f"{len(text) - len(head):,} of {len(text):,} characters", head.count("\n") + 1
            return f"{place}:\n{head}\n... {left} left out: read {place} from line {next_} on"
        files = f" Files of {guide.name}: {', '.join(sorted(guide.files))}." if guide else ""
        names = ", ".join(one.name for one in self._skills)
        return f"No skill or file `{line.removeprefix('skill ')}`. Skills: {names}.{files}"[: max(0, room)]


def _lines(words: str) -> list[str]:
    return list(dict.fromkeys(line for line in (each.strip(" \t\r`'\"") for each in words.splitlines()) if line))
