"""The two forms of a reply that acts: words with fenced blocks, or the same blocks in one JSON object.

Fenced blocks hold code as it is. JSON is for endpoints that keep to a schema and do badly in free text; there code
stands escaped in a string. Both are read into one value, so nothing else of the work depends on the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, get_args

from evolve.core.episodes.blocks import BlockKind, FencedBlock, WrittenReply, read_reply
from evolve.core.settings import ReplyForm
from evolve.runtime.models.structure import closed_object, extract

CITED: Mapping[ReplyForm, str] = {
    "blocks": "; say on a line `uses: ` with its id, above your blocks, where you rely on one",
    "json": "; name its id in uses where you rely on one",
}
"""How a reply says what it relies on."""

_TEXT: Mapping[str, Any] = {"type": "string"}
_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
_FENCED = re.compile(r"^(`{3,})(\w+)[ \t]*([^`\n]*)\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_NAMED = re.compile(r"\bblock `(\w+)`|`?(python)`? block\b")


def asks_for_json(rules: str) -> str:
    """The rules for an action with every block that they show as the object that it is in JSON."""

    def shown(match: re.Match[str]) -> str:
        block = {"kind": match[2], "path": match[3].strip(), "code": match[4].removesuffix("\n")}
        return json.dumps(block, ensure_ascii=False)

    return _FENCED.sub(shown, rules)


def schema_for(rules: str) -> Mapping[str, Any]:
    """The schema of a reply whose blocks are of the kinds that the rules speak of."""
    told = {match[2] for match in _FENCED.finditer(rules)}
    told |= {match[1] or match[2] for match in _NAMED.finditer(rules)}
    return _schema(tuple(kind for kind in _KINDS if kind in told))


def read_written(said: str) -> WrittenReply:
    """The thought and the blocks of a reply in either form."""
    if said.lstrip()[:1] in ("{", "`") and '"blocks"' in said:
        found = extract(said, _schema(_KINDS)).value
        if found is not None:
            return from_data(found)
    return read_reply(said)


def from_data(data: Mapping[str, Any]) -> WrittenReply:
    """The thought and the blocks of a JSON object by such a schema."""
    blocks = [
        FencedBlock(kind=each["kind"], text=_ended(each["code"]), path=str(each["path"]).strip())
        for each in data["blocks"]
    ]
    return WrittenReply(thought=str(data["thought"]).strip(), blocks=tuple(blocks), uses=tuple(map(str, data["uses"])))


def _ended(text: str) -> str:
    """A block's text with its last line end, as a fence gives it."""
    return text if not text or text.endswith("\n") else f"{text}\n"


def _schema(kinds: tuple[BlockKind, ...]) -> Mapping[str, Any]:
    block = closed_object("block", kind={"type": "string", "enum": list(kinds)}, path=_TEXT, code=_TEXT)
    texts = {"type": "array", "items": _TEXT}
    return closed_object("action", thought=_TEXT, blocks={"type": "array", "items": block}, uses=texts)
