"""Errands that need a word which only skills tell, folders of such skills, and two agents that go by what they read.

An errand is a folder and a hidden check. Whether the agent knows its word without a skill is drawn beforehand for each
errand, so a helpful skill gains what is unknown, a harmful one loses what is known, and an idle one changes nothing.
"""

from __future__ import annotations

import json
import random
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evolve.testing.doubles import prompt_of

KINDS = ("helpful", "harmful", "idle")
TOPICS = ("ports", "fabrics", "spices")
_ERRAND = re.compile(r"Write the word for (\w+) (\d+) \((known|unknown)\) into out\.txt")
_TELLS = re.compile(r"For (\w+) write (\w+)\.")


def write_errands(file: Path, count: int, known: float, seed: int = 0) -> None:
    """Tasks in folders beside a task file, in turns over the topics."""
    draw, lines = random.Random(seed), []
    for number in range(count):
        topic = TOPICS[number % len(TOPICS)]
        folder = file.parent / "errands" / str(number)
        folder.mkdir(parents=True)
        (folder / "README.md").write_text(f"Errand {number}.\n")
        knows = "known" if draw.random() < known else "unknown"
        words = f"Write the word for {topic} {number} ({knows}) into out.txt."
        work = {"folder": f"errands/{number}", "hidden_check": f"grep -qx {topic}-right out.txt"}
        lines.append(json.dumps({"id": f"e{number}", "instruction": words, "files": work}) + "\n")
    file.write_text("".join(lines))


def write_skill(folder: Path, topic: str, kind: str) -> str:
    """A skill for a topic: what it tells is right, wrong, or nothing; gives its name."""
    name = f"words-for-{topic}"
    tells = {"helpful": f"For {topic} write {topic}_right.", "harmful": f"For {topic} write wrong."}
    (folder / name).mkdir(parents=True)
    text = f'---\nname: {name}\ndescription: "The words for {topic}. Use when a word for {topic} is wanted."\n---\n\n'
    (folder / name / "SKILL.md").write_text(text + tells.get(kind, "Be careful.") + "\n")
    return name


class ErrandDouble:
    """A model that reads the skill of a topic when its prompt lists one, and writes what it says."""

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply: a look at a skill, else the word, handed in."""
        prompt = prompt_of(body)
        errand = _ERRAND.search(prompt)
        if errand is None:
            return "nothing to do\n```give_up\nthere is no errand\n```\n"
        name = f"words-for-{errand[1]}"
        if f"{name}: " in prompt and f"name: {name}\n" not in prompt:
            return f"I look it up.\n```recall\nskill {name}\n```\n"
        return f"I write it.\n```file out.txt\n{word_for(errand, prompt)}\n```\n```done\n```\n"


def word_for(errand: re.Match[str], read: str) -> str:
    """The word for an errand by what was read, else by what is known."""
    told = [word for topic, word in _TELLS.findall(read) if topic == errand[1]]
    word = told[-1] if told else f"{errand[1]}_right" if errand[3] == "known" else "unsure"
    return word.replace("_", "-")


_SCRIPT = f"""#!{sys.executable}
import pathlib, re, sys
errand = re.search({_ERRAND.pattern!r}, sys.argv[-1])
read = ""
for place in sorted(pathlib.Path(".claude/skills").glob(f"words-for-{{errand[1]}}/SKILL.md")):
    print("reading", place)
    read += place.read_text()
for place in pathlib.Path(".").glob("CLAUDE.md"):
    read += place.read_text()
told = [word for topic, word in re.findall({_TELLS.pattern!r}, read) if topic == errand[1]]
word = told[-1] if told else errand[1] + "_right" if errand[3] == "known" else "unsure"
pathlib.Path("out.txt").write_text(word.replace("_", "-") + "\\n")
"""


def write_agent(file: Path, more: str = "") -> None:
    """The same as a program that works in its current folder; ``more`` is Python that it runs at its end."""
    file.write_text(_SCRIPT + more)
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
