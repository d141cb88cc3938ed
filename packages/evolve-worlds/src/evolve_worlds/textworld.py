"""TextWorld: houses with quests of a length that is asked for, made from a seed (Côté et al. 2018, CGW).

A game is made and translated by what comes in the package ``textworld``, which takes some seconds, and played by its
interpreter. Its goal names the last thing to be done alone: the package's own text of a quest tells every step. The
list of steps that a game's file holds, and the facts of rooms that were not entered, are not asked for.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evolve.core.errors import UsageError
from evolve_worlds.opening import installed_version, loaded, one_line
from evolve_worlds.world import Move, Scene, Split, WorldFault

_LENGTHS = (1, 2, 3, 4, 5, 6, 8, 10)
_SEEDS: Mapping[Split, range] = {"train": range(100), "dev": range(100, 150), "test": range(150, 200)}
_ASKED = ("admissible_commands", "command_templates", "description", "inventory", "objective", "score", "max_score")
_SPACES = re.compile(r"[ \t]+")
_PROMPT = re.compile(r"\n?>[^\n]*\Z")
_PLACE = re.compile(r"\{\w+\}")


class TextWorld:
    """Quests of one to ten steps; a variation is the seed of its house, things and words."""

    name = "textworld"

    def __init__(self) -> None:
        loaded("textworld", extra="textworld")
        self._folder: Path | None = None

    @property
    def version(self) -> str:
        """The package's version."""
        return f"textworld {installed_version('textworld')} (made games, the goal alone told)"

    def tasks(self) -> Sequence[str]:
        """Such as ``quest-3``, of three steps in four rooms."""
        return tuple(f"quest-{length}" for length in _LENGTHS)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        """Seeds."""
        self._check(task)
        return _SEEDS[split]

    def start(self, task: str, variation: int) -> TextWorldTrial:
        """Begins the game of a seed, which is made where it is the first time."""
        self._check(task)
        if not any(variation in seeds for seeds in _SEEDS.values()):
            raise UsageError(f"the task {task} has no variation {variation}", hint=f"0 to {_SEEDS['test'][-1]}")
        import textworld

        infos = textworld.EnvInfos(won=True, lost=True, **dict.fromkeys(_ASKED, True))
        with _quiet():
            inner = textworld.start(str(self._game(task, variation)), infos)
            inner.seed(variation)  # else the interpreter draws otherwise each time
            return TextWorldTrial(inner, inner.reset())

    def close(self) -> None:
        """Deletes the games that were made."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None

    def _check(self, task: str) -> None:
        if task not in self.tasks():
            raise UsageError(f"textworld has no task {task!r}", hint=", ".join(self.tasks()))

    def _game(self, task: str, variation: int) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="evolve-textworld-"))
        file = self._folder / f"{task}-{variation}.z8"
        if not file.exists():
            length = int(task.removeprefix("quest-"))
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    _make(file, length, variation)
            except (OSError, RuntimeError, ValueError) as error:
                raise WorldFault(f"the game {task} of seed {variation} could not be made: {error}") from error
        return file


def _make(file: Path, length: int, seed: int) -> None:
    import textworld
    from textworld import generator

    options = textworld.GameOptions()
    options.seeds = seed
    options.nb_rooms, options.nb_objects, options.quest_length = 1 + length, 2 + 2 * length, length
    options.grammar.only_last_action = True
    options.path = str(file)
    generator.compile_game(generator.make_game(options), options)


class TextWorldTrial:
    """One attempt at a quest."""

    def __init__(self, inner: Any, state: Any) -> None:
        self._inner, self._state = inner, state
        self._schemas = [(template, _pattern(template)) for template in _longest_first(state.command_templates)]
        self._verbs = {template.split()[0] for template in state.command_templates}
        self.goal = _tidy(str(state.objective))
        self.scene = self._scene(_tidy(str(state.description)), steps=0)

    def moves(self) -> Sequence[Move]:
        return () if self.scene.over else tuple(self._move(text) for text in self._state.admissible_commands)

    def do(self, move: str) -> Scene:
        text = one_line(move)
        if self.scene.over:
            return self.scene
        if (text.split() or [""])[0] not in self._verbs:  # the interpreter's own, such as restart, are no moves
            self.scene = self._scene("That's not a verb I recognise.")
            return self.scene
        try:
            self._state, _, _ = self._inner.step(text)
        except (OSError, RuntimeError, ValueError) as error:
            raise WorldFault(f"the interpreter of TextWorld failed: {error}") from error
        self.scene = self._scene(_tidy(str(self._state.feedback)))
        return self.scene

    def snapshot(self) -> object:
        with _quiet():
            return self._inner.copy(), self._state, self.scene

    def restore(self, snapshot: Any) -> None:
        inner, self._state, self.scene = snapshot
        with _quiet():
            self._inner = inner.copy()

    def _scene(self, told: str, steps: int = 1) -> Scene:
        state = self._state
        won, lost = bool(state.won), bool(state.lost)
        score = 1.0 if won else min(1.0, max(0.0, int(state.score or 0) / max(1, int(state.max_score or 1))))
        view = _tidy(f"{state.description}\n{state.inventory}")
        return Scene(told=told, view=view, score=score, over=won or lost, lost=lost and not won, steps=steps)

    def _move(self, text: str) -> Move:
        for template, pattern in self._schemas:
            match = pattern.fullmatch(text)
            if match:
                return Move(schema=_PLACE.sub("{}", template), objects=match.groups())
        return Move(schema=text)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The interpreter warns that it knows no score of made games; the package reads the score from the game itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _longest_first(templates: Iterable[str]) -> Sequence[str]:
    """Else ``take {o}`` would stand for ``take key from box`` too, with ``key from box`` for a thing."""
    return sorted(templates, key=lambda one: (-len(one.split()), one))


def _pattern(template: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in _PLACE.split(template)]
    return re.compile("(.+)".join(parts))


def _tidy(text: str) -> str:
    """Without the interpreter's prompt, its line of status and spaces at ends of lines."""
    lines = [_SPACES.sub(" ", line).strip() for line in _PROMPT.sub("", text.strip()).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
