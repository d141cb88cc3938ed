"""Clues: what the examples say of one name, in terms that all names of its kind share.

That every output is one match of a pattern, that a number separates what a filter kept from
what it dropped, or that an operation leaves every output as it is, points to that pattern,
number or operation whichever it is. A guide learns one weight per clue, and so what it
learned of one name serves those it never needed so far. Like the features of a task, clues
are property signatures (Odena & Sutton 2020), here of a task and a name.

- ``texts``: literals in texts: patterns, separators, formats of dates and numbers, places.
- ``numbers``: whole numbers beside lists and numbers.
- ``operations``: operations, from one step of each on the inputs.
- ``bodies``: operations inside functions, from one step of each on the items of lists.
- ``reader``: all of them for one problem.
"""

from evolve.policies.search.features.features_reader import TaskFeatures
from evolve.policies.search.features.texts import kind_of, priced_literals

__all__ = ["TaskFeatures", "kind_of", "priced_literals"]
