"""Preferences: how a person wants things done, learned from what the person said and did."""

from __future__ import annotations

from evolve.memory.preferences.book import PREFERENCES, PreferenceBook
from evolve.memory.preferences.edits import edit_in_words, edit_lines
from evolve.memory.preferences.own_words import Screen, own_words, without_reply
from evolve.memory.preferences.preference import (
    ActKind,
    Context,
    PersonAct,
    Preference,
    PreferenceStatus,
)

__all__ = [
    "PREFERENCES",
    "ActKind",
    "Context",
    "PersonAct",
    "Preference",
    "PreferenceBook",
    "PreferenceStatus",
    "Screen",
    "edit_in_words",
    "edit_lines",
    "own_words",
    "without_reply",
]
