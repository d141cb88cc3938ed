"""What a person sees of a search in which a model writes workflows: what is waited for, and when that ends."""

from __future__ import annotations

from evolve.cli.render.views import LoopView
from evolve.core.events import Event
from tests.cli.screens import check_screen


def test_who_watches_is_told_what_is_waited_for_and_when_the_model_is_given_up(capsys) -> None:
    screened = {"number": 1, "operator": "design", "solved": 2, "tasks": 3}
    with LoopView() as view:
        for kind, data in (
            ("drafting", {"faults": 0}),
            ("drafting", {"faults": 1}),
            ("screened", screened),
            ("drafting", {"faults": 0}),
            ("engine", {"text": "4 workflows in a row brought nothing"}),
        ):
            view.emit(Event(kind=kind, data=data))
    check_screen("search-of-workflows", capsys.readouterr().err)
