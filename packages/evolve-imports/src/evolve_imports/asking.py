"""Has the workspace's model read a session for what its person corrected; a person confirms what comes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evolve.core.errors import BudgetExhausted, ModelMistake
from evolve.core.files import canonical_json, digest, read_text, write_atomic
from evolve.core.text_screen import remove_spaces
from evolve.memory.preferences import topic_words
from evolve.policies.language import LanguagePolicy
from evolve.policies.language.quoting import quote_text, truncate_middle
from evolve.runtime.models import ESSENTIAL
from evolve.runtime.models import Message as Part
from evolve.runtime.models.structure import closed_object
from evolve_imports.corrections import MOST, Said, person_sentences, without_lead
from evolve_imports.signs import weight_of
from evolve_imports.transcripts import Message, Session

_ROOM, _MESSAGE, _CONTEXT, _REPLY = 16_000, 1_200, 200, 2_048
"""Characters of a session, of a message and of what stood before it; tokens of the reply."""
_LONGEST, _SHORTEST_QUOTE = 240, 6
_CARRIED = 1 / 3
"""Least share of a proposal's words that were said in the session; the others make a sentence of them."""
_FIRST = 5.0
"""What the surest proposal of a model weighs."""
_OF_A_TASK = -2.0
"""Sum of the signs up to which a sentence is a task or a question, whatever the model makes of it."""
_TEXT = {"type": "string"}
_SCHEMA = closed_object(
    "corrections",
    proposals={"type": "array", "maxItems": MOST, "items": closed_object("proposal", text=_TEXT, quote=_TEXT)},
)


def corrections_by_model(
    policy: LanguagePolicy, session: Session, insight_problem: Callable[[str], str], kept: Path
) -> list[Said] | None:
    """What a model proposes, borne out by the person's own words; None where it gave nothing usable or may not spend.

    Args:
        kept: The folder of replies, so that the same question is not paid twice.

    Raises:
        EndpointProblem: It could not be asked.
    """
    own = [person_sentences(message, insight_problem) for message in session.said]
    lines = [_line(message, " ".join(said)) for message, said in zip(session.said, own, strict=True) if said]
    if not lines:
        return []
    shown = quote_text("session", truncate_middle("\n".join(lines), _ROOM))
    request = policy.questions.ask(
        "corrections", [Part(role="user", text=shown, priority=ESSENTIAL, kind="task")], _SCHEMA
    )
    name = f"{digest(canonical_json([policy.name, *(part.text for part in request.messages)]))[:32]}.json"
    reply = read_text(kept / name) if (kept / name).is_file() else ""
    if not reply:
        try:
            data = policy.complete_json(replace(request, max_tokens=min(request.max_tokens, _REPLY))).data
        except (BudgetExhausted, ModelMistake):
            return None
        kept.mkdir(parents=True, exist_ok=True)
        reply = canonical_json(data)
        write_atomic(kept / name, reply.encode())
    return list(_borne_out(json.loads(reply)["proposals"], session, own))


def _line(message: Message, own: str) -> str:
    did = "; ".join(f"ran `{truncate_middle(one, 80)}`" for one in message.did[-2:])
    said = f'said "{truncate_middle(" ".join(message.answer.split()), _CONTEXT)}"' if message.answer else ""
    context = "; ".join(filter(None, (did, said)))
    return (
        f"agent: {context}\nperson: {truncate_middle(own, _MESSAGE)}"
        if context
        else f"person: {truncate_middle(own, _MESSAGE)}"
    )


def _borne_out(proposals: list[Any], session: Session, own: Sequence[Sequence[str]]) -> Iterator[Said]:
    """The proposals that rest on words of the person which are no task, and that say little beside what was said."""
    heard = " ".join(
        text for one, said in zip(session.said, own, strict=True) for text in (*said, one.answer, *one.did)
    )
    for number, one in enumerate(proposals[:MOST]):
        text, quote = " ".join(one["text"].split()), " ".join(one["quote"].split())
        letters, words = remove_spaces(quote), topic_words(text)
        place = next((at for at, said in enumerate(own) if letters in remove_spaces(" ".join(said))), None)
        if place is None or len(letters) < _SHORTEST_QUOTE or len(text) > _LONGEST:
            continue
        sentence = next((said for said in own[place] if letters in remove_spaces(said)), quote)
        is_carried = words & topic_words(sentence) and len(words & topic_words(heard)) >= _CARRIED * len(words)
        has_figures = set(re.findall(r"\d+", text)) <= set(re.findall(r"\d+", heard))
        if is_carried and has_figures and weight_of(without_lead(sentence)) > _OF_A_TASK:
            yield Said(text=text, quote=quote, weight=_FIRST - number, at=place)
