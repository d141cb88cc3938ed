"""The preferences on record: learned from acts, merged, superseded, found again for similar tasks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from evolve.core.episodes import Recalled
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, value_of
from evolve.memory.preferences.kinds import is_once
from evolve.memory.preferences.matching import find_preferences, is_contradiction, same_meaning, shares_context
from evolve.memory.preferences.preference import ActKind, PersonAct, Preference, PreferenceContext, PreferenceStatus

if TYPE_CHECKING:
    from evolve.runtime.retrieval import Embedder

_MOST_CONTEXTS = 20
"""Most contexts that one preference keeps; the newest stay."""
_TABLE = "memory_statements"
_PREFERENCE = {"kind": "preference"}
_ACTIVE = {"status": "active", "successor": ""}
_PROPOSED = {"status": "proposed", "successor": ""}
_STATED: tuple[ActKind, ...] = ("stated", "answer")
"""Acts that need no confirming: the person said them as what they want."""


class PreferenceRepository:
    """Preferences and the acts they rest on.

    Args:
        db: The record.
    """

    def __init__(self, db: Database, embedder: Embedder) -> None:
        self._db = db
        self.embedder = embedder

    def learn(self, act: PersonAct, description: str, *, confirmed: bool = True) -> Preference:
        """Keeps an act and the preference that it shows; gives the preference.

        What is not confirmed waits as proposed: it neither acts nor overrules, unless the same is active here already.
        What is active for less than its context stays as it is, and this one waits beside it.

        A preference of the same person with the same meaning takes the act in; where it had been superseded it holds
        again. What a run suggested takes in nothing that is about another folder, since a yes there is none here.
        A preference of the same person for the same context that says the opposite is superseded by this one.
        The same act again changes nothing but that.
        """
        now = time.time()
        # The id without the time: the same act told again is one act.
        recorded = replace(act, id=_act_id(act), at=now)
        with self._db.transaction():
            same = [
                one
                for one in self.list_preferences()
                if _is_same(one, act.author, description) and not _is_apart(one, act)
            ]
            # One in force that leaves out tasks of this context is passed over: the person is asked to widen it.
            existing = next(
                (one for one in same if confirmed or not (one.status == "active" and not one.covers(act.context))), None
            )
            there = self._db.rows("memory_acts", {"id": recorded.id}) if act.is_from_run and existing is None else []
            if there:  # the same words suggested another thing before
                recorded = replace(recorded, id=_act_id(act, description))
            # Order by a counter, because clocks jump.
            turn = self._next_turn()
            name = (
                existing.id if existing is not None else digest(canonical_json([recorded.id, turn, description]))[:32]
            )
            waits = not confirmed and (existing is None or existing.status != "active")
            standing = _PROPOSED if waits else _ACTIVE
            if existing is None:
                contexts = () if act.context == PreferenceContext() else (act.context,)
                row: dict[str, Any] = {**_row(name, description, act.author, contexts), **standing}
                self._db.insert(_TABLE, {**row, "turn": turn, "at": now})
            else:
                changes: dict[str, Any] = {
                    "contexts": _contexts_text(_widened(existing.contexts, act.context)),
                    "turn": turn,
                    "at": now,
                }
                self._change(name, {**changes, **standing})
            if not self._db.insert("memory_acts", {**_act_row(recorded), "preference": name}, key="id"):
                self._db.update("memory_acts", {"id": recorded.id}, {"preference": name})
            if not waits:
                self._supersede(self.get(name))
        return self.get(name)

    def save_act(self, act: PersonAct) -> PersonAct:
        """Keeps an act that shows no preference, such as a comment; the same one once."""
        recorded = replace(act, id=_act_id(act), at=time.time())
        self._db.insert("memory_acts", _act_row(recorded), key="id")
        return recorded

    def acts_of_kind(self, kind: ActKind) -> list[PersonAct]:
        """Every act of a kind, oldest first."""
        return [_act(row) for row in self._db.rows("memory_acts", {"kind": kind}, order="seq")]

    def list_preferences(self, status: PreferenceStatus | None = None) -> list[Preference]:
        """All preferences, or those of one status, the latest learned first.

        Raises:
            RecordDamaged: A row does not match its checksum.
        """
        acts: dict[str, list[PersonAct]] = {}
        for row in self._db.rows("memory_acts", "preference <> ''", order="seq"):
            acts.setdefault(str(row["preference"]), []).append(_act(row))
        rows = self._db.rows(_TABLE, _PREFERENCE, order="turn DESC")
        preferences = [_preference(row, acts.get(str(row["id"]), ())) for row in rows]
        return [preference for preference in preferences if status in (None, preference.status)]

    def get(self, name: str) -> Preference:
        """One preference by id, or by the beginning of an id that names only one.

        Raises:
            UsageError: There is none, or more than one.
        """
        preferences = self.list_preferences()
        matches = [preference for preference in preferences if preference.id == name] or [
            preference for preference in preferences if name and preference.id.startswith(name)
        ]
        if len(matches) != 1:
            problem = "no preference" if not matches else f"{len(matches)} preferences"
            raise UsageError(f"{problem} with id {name!r}", hint="evolve memory preferences list")
        return matches[0]

    def edit(
        self, name: str, *, description: str | None = None, contexts: Sequence[PreferenceContext] | None = None
    ) -> Preference:
        """Changes what a preference says or where it holds; it then holds, and what contradicts it does not.

        Raises:
            UsageError: There is no such preference, or the new text is empty.
        """
        preference = self.get(name)
        changes: dict[str, Any] = {"turn": self._next_turn(), "at": time.time(), **_ACTIVE}
        if description is not None:
            text = " ".join(description.split())
            if not text:
                raise UsageError("a preference needs some text", hint=f"evolve forget {preference.id[:8]}")
            changes |= {"text": text, "proposal": "", "proposed_by": ""}
        if contexts is not None:
            changes["contexts"] = _contexts_text(tuple(contexts))
        with self._db.transaction():
            self._change(preference.id, changes)
            self._supersede(self.get(preference.id))
        return self.get(preference.id)

    def propose(self, name: str, description: str, *, by: str) -> Preference:
        """Keeps a description that a model proposed, beside the one that acts."""
        preference = self.get(name)
        self._change(preference.id, {"proposal": description, "proposed_by": by})
        return self.get(preference.id)

    def decline(self, name: str) -> Preference:
        """Marks a preference that nobody confirmed as unwanted: it never acts, and is known as refused.

        Raises:
            UsageError: There is no such preference, or it does not wait to be confirmed.
        """
        preference = self.get(name)
        if preference.status != "proposed":
            raise UsageError(f"{preference.id[:8]} does not wait to be confirmed", hint="evolve memory proposals")
        self._change(preference.id, {"status": "declined", "at": time.time()})
        return self.get(preference.id)

    def forget(self, ids: str | Sequence[str] = (), *, everything: bool = False) -> int:
        """Deletes preferences with the acts they rest on; gives how many. Comments on runs stay as comments.

        What a deleted preference had superseded holds again.

        Raises:
            UsageError: An id is unknown; then nothing is deleted.
        """
        named = [ids] if isinstance(ids, str) else ids
        chosen = (
            [preference.id for preference in self.list_preferences()]
            if everything
            else sorted({self.get(name).id for name in named})
        )
        with self._db.transaction():
            for name in chosen:
                # A comment belongs to its run and is not this preference's to delete.
                self._db.delete("memory_acts", "preference = ? AND (kind <> 'comment' OR run = '')", parameters=[name])
                self._db.update("memory_acts", {"preference": name}, {"preference": ""})
                self._db.delete(_TABLE, {**_PREFERENCE, "id": name})
                self._db.update(_TABLE, {"successor": name}, _ACTIVE)
        return len(chosen)

    def for_context(self, context: PreferenceContext, k: int = 5, *, earlier: Sequence[str] = ()) -> list[Recalled]:
        """At most ``k`` active preferences that hold for a task, the most fitting first, among equals the newest.

        Args:
            earlier: Tasks of the same conversation before this one, in the rest of which what was said of one holds.
        """
        return find_preferences(self.list_preferences("active"), context, self.embedder, earlier)[: max(0, k)]

    def rebuild_lost(self, described: Callable[[PersonAct], str]) -> tuple[list[str], list[str]]:
        """Makes lost preferences anew from their acts, and sets aside acts that say nothing by themselves.

        What was not stated as a wish waits to be confirmed, since nothing is left to tell whether it was.

        Args:
            described: The description that follows from an act alone, or "".

        Returns:
            Ids of preferences made anew, and names of acts set aside.
        """
        existing_ids = "(SELECT id FROM memory_statements WHERE kind = 'preference')"
        anew, aside = [], []
        with self._db.transaction():
            # The latest act first: the first one that says something makes the preference.
            for row in self._db.rows(
                "memory_acts", f"preference <> '' AND preference NOT IN {existing_ids}", order="seq DESC"
            ):
                act, name = _act(row), str(row["preference"])
                description = described(act)
                if description:
                    contexts = () if act.context == PreferenceContext() else (act.context,)
                    restored = {
                        **_row(name, description, act.author, contexts),
                        **(_ACTIVE if act.kind in _STATED else _PROPOSED),
                        "turn": self._next_turn(),
                        "at": act.at,
                    }
                    anew += [name] * self._db.insert(_TABLE, restored, key=("kind", "id"))
            aside += self._db.set_aside("memory_acts", f"preference <> '' AND preference NOT IN {existing_ids}")
            self._db.update(_TABLE, f"successor <> '' AND successor NOT IN {existing_ids}", _ACTIVE)
        return anew, aside

    def _change(self, name: str, changes: Mapping[str, Any]) -> None:
        self._db.update(_TABLE, {**_PREFERENCE, "id": name}, changes)

    def _next_turn(self) -> int:
        last = self._db.query("SELECT COALESCE(MAX(turn), 0) AS turn FROM memory_statements")[0]["turn"]
        return int(str(last)) + 1

    def _supersede(self, newer: Preference) -> None:
        for older in self.list_preferences("active"):
            # What one person wishes does not overrule another.
            if older.id == newer.id or older.author != newer.author:
                continue
            same = _is_same(older, newer.author, newer.description)
            if same and all(map(newer.covers, older.contexts or [PreferenceContext()])):
                self._change(older.id, _superseded_by(newer))
                continue
            opposed = is_contradiction(older.description, newer.description) or _answers_otherwise(older, newer)
            # What a run suggested gives way to a wish for everywhere, too: that one the person said unasked.
            wider = older.suggestion is not None and newer.suggestion is None and not newer.contexts
            if opposed and (wider or shares_context(older, newer, self.embedder)):
                self._change(older.id, _superseded_by(newer))


def _superseded_by(newer: Preference) -> dict[str, str]:
    return {"status": "superseded", "successor": newer.id}


def _is_same(preference: Preference, author: str, description: str) -> bool:
    same = preference.description == description or same_meaning(preference.description, description)
    # "In this mail" and "in mails" have the same words of content.
    return preference.author == author and same and is_once(preference.description) == is_once(description)


def _is_apart(preference: Preference, act: PersonAct) -> bool:
    """Whether one of both was suggested for a folder and the other is about others: each waits for its own yes."""
    return (act.is_from_run or preference.suggestion is not None) and preference.is_elsewhere(act.context)


def _answers_otherwise(older: Preference, newer: Preference) -> bool:
    """Whether both answer one question, in different words."""
    questions = {" ".join(act.question.split()) for act in older.acts} - {""}
    return any(" ".join(act.question.split()) in questions for act in newer.acts)


def _widened(contexts: tuple[PreferenceContext, ...], more: PreferenceContext) -> tuple[PreferenceContext, ...]:
    """The contexts of a preference that was stated once more; () is everywhere and stays so."""
    # Stated without a context once, it is meant for everything.
    if not contexts or more == PreferenceContext():
        return ()
    return tuple(dict.fromkeys([*contexts, more]))[-_MOST_CONTEXTS:]


def _act_id(act: PersonAct, understood: str = "") -> str:
    """By what was said, and where one sentence suggests several things by what was understood."""
    fields = asdict(replace(act, id="", at=0.0)) | ({"understood": understood} if understood else {})
    return digest(canonical_json(fields))[:32]


def _contexts_text(contexts: tuple[PreferenceContext, ...]) -> str:
    return canonical_json([asdict(context) for context in contexts])


def _row(name: str, description: str, author: str, contexts: tuple[PreferenceContext, ...]) -> dict[str, Any]:
    return {
        **_PREFERENCE,
        "id": name,
        "text": description,
        "author": author,
        "contexts": _contexts_text(contexts),
        "status": "active",
        "proposal": "",
        "proposed_by": "",
        "successor": "",
    }


def _act_row(act: PersonAct) -> dict[str, Any]:
    return {**vars(act), "preference": "", "context": canonical_json(asdict(act.context))}


def _act(row: Mapping[str, Any]) -> PersonAct:
    return value_of(PersonAct, row, context=PreferenceContext(**json.loads(str(row["context"]))))


def _preference(row: Mapping[str, Any], acts: Sequence[PersonAct]) -> Preference:
    contexts = tuple(PreferenceContext(**context) for context in json.loads(str(row["contexts"])))
    return value_of(Preference, row, description=str(row["text"]), contexts=contexts, acts=tuple(acts))
