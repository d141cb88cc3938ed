"""Which skills a prompt offers, and how it shows them."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.episodes import TaskView
from evolve.models import Message
from evolve.policies.language.mounting import import_line
from evolve.policies.language.quoting import Learned, learned, shortened
from evolve.skills import Skill


def best_skills(skills: Sequence[Skill], view: TaskView) -> list[Skill]:
    """Skills by how well their words fit the task, those of the same types first where words say nothing."""
    from evolve.retrieval import BM25

    texts = {skill.digest: f"{skill.name.replace('-', ' ')} {skill.description}" for skill in skills}
    scores = BM25(texts).scores(f"{view.family} {view.instruction}") if texts else {}
    order = sorted(
        skills,
        key=lambda skill: (-scores.get(skill.digest, 0.0), skill.signature != view.signature, skill.name),
    )
    return order[:12]


def skills_message(skills: Sequence[Skill], most: int) -> list[Message]:
    """Skills by import line and description, the best first, as many as fit."""
    items: list[Learned] = []
    for skill in skills:
        item = Learned(
            name=skill_id(skill),
            head=f"{import_line(skill)}  # {skill.signature}",
            text=shortened(skill.description, 300),
            provenance=f"from {skill.source or 'somewhere'}; {skill.status}, helped {len(skill.tasks)} other tasks",
        )
        if sum(len(each.line) for each in items) + len(item.line) > most:
            break
        items.append(item)
    if not items:
        return []
    text = "Functions that were tested and may be imported:\n" + learned("skills", items)
    return [Message(role="user", text=text, priority=40, kind="skill")]


def skill_id(skill: Skill) -> str:
    """The short id by which a skill is cited."""
    return f"k-{skill.digest[:8]}"
