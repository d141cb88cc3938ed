"""Preferences: how a person wants things done, learned from what the person said and did."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.memory.preferences.kinds import is_once
    from evolve.memory.preferences.matching import (
        YOU_SAID,
        is_negated,
        is_new,
        narrower_preference,
        same_meaning,
        topic_words,
    )
    from evolve.memory.preferences.preference import WISHES, PersonAct, Preference, PreferenceContext, PreferenceStatus
    from evolve.memory.preferences.quotes import LEFT_OUT, LONGEST, edit_in_words, parse_answer, without_reply
    from evolve.memory.preferences.repository import PreferenceRepository
else:
    __getattr__, __dir__ = attach(__name__)
