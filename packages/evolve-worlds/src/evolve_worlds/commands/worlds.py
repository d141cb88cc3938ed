"""``evolve lab worlds``: which worlds there are, whether one works here, and a trial that a person plays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.asking import ask_line
from evolve.cli.render.output import (
    count_of,
    emit,
    emit_json,
    escape_control_characters,
    flush,
    print_note,
    suspend_live_line,
    table,
)
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve_worlds import Scene, Trial

_FEW = 20
"""So many moves are shown with every scene; of more, only how many there are."""

_DIGITS = 10
"""No number of a move has as many; who types more means a move, and Python would not read thousands."""

app = pages.App(
    "List, check and play worlds: games and simulations with a goal, which others wrote.",
    "evolve lab worlds list",
    "evolve lab worlds play minigrid --task GoToLocal",
)

Name = Annotated[
    str, typer.Argument(metavar="WORLD", help="Name of a world, from the list; its setting may follow a colon.")
]
Task = Annotated[str | None, typer.Option("--task", metavar="TASK", help="A task of the world. Default: its first.")]


@app.page("list", "evolve lab worlds list", "evolve lab worlds list minigrid")
def list_command(
    world: Annotated[
        str | None, typer.Argument(metavar="WORLD", help="List the tasks of this one.", show_default=False)
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List worlds and how to install those that are not, or the tasks of one with their variations."""
    from evolve_worlds import worlds

    if world is not None:
        tasks = worlds.tasks(world)
        if as_json:
            return emit_json(tasks)
        counts = [(task.name, task.train, task.dev, task.test) for task in tasks]
        emit(table(("task", "train", "dev", "test"), counts))
        print_note("variations to learn from (train), to develop with (dev) and to report (test)")
        return
    found = worlds.list()
    if as_json:
        return emit_json(found)
    header = ("world", "tasks", "what is used, or what makes it usable", "offered by")
    rows = [(one.name, one.tasks or "-", one.version or one.missing, one.package or "evolve") for one in found]
    emit(table(header, rows, spare=("offered by",)))


@app.page("check", "evolve lab worlds check scienceworld --task boil", "evolve lab worlds check minigrid")
def check_command(
    world: Name,
    task: Task = None,
    moves: Annotated[int, typer.Option("--moves", metavar="NUMBER", min=1, max=10_000, help="Of all trials.")] = 60,
    as_json: options.AsJson = False,
) -> None:
    """Play random moves twice and say whether the same came of them, and how fast.

    The exit code is 1 if the world does not keep what a world has to.
    """
    from evolve_worlds import worlds

    done = worlds.check(world, task, moves=moves)
    if as_json:
        emit_json(done)
    else:
        emit(f"{done.version}: {done.task}, {count_of(done.trials, 'trial')}")
        rate = done.moves / max(done.seconds, 1e-9)
        emit(f"{count_of(done.moves, 'move')}, {count_of(done.steps, 'step')} of the world, {rate:,.0f} moves a second")
        emit("can go back to an earlier scene" if done.stateful else "goes back by playing again only")
        for fault in done.wrong:
            emit(f"WRONG: it {fault}")
        if not done.wrong:
            emit("the same moves lead to the same scenes, and scores stay within bounds")
    if done.wrong:
        raise typer.Exit(1)


@app.page(
    "play",
    "evolve lab worlds play minigrid",
    "evolve lab worlds play scienceworld --task boil --split dev",
    "evolve lab worlds play scienceworld:openDoors --task find-plant --variation 3",
)
def play_command(
    world: Name,
    task: Task = None,
    variation: Annotated[
        int | None, typer.Option("--variation", metavar="NUMBER", min=0, help="Default: the first of the split.")
    ] = None,
    split: Annotated[str, typer.Option("--split", metavar="SPLIT", help="train, dev or test.")] = "train",
    as_json: options.AsJson = False,
) -> None:
    """Act in a world yourself: type a move or its number, ? for help, quit to end.

    With --json what was played is printed at the end, and everything before it goes to the error stream.
    """
    from evolve_worlds import worlds

    if split not in ("train", "dev", "test"):
        raise UsageError(f"no split {split!r}", hint="--split train, --split dev or --split test")
    with worlds.play(world, task, variation=variation, split=split) as trial:  # type: ignore[arg-type]
        table_of_moves = _Table(trial, print_note if as_json else emit)
        table_of_moves.play()
    if as_json:
        emit_json({"goal": trial.goal, "moves": table_of_moves.played, **_plain(trial.scene)})


class _Table:
    """A person at a trial.

    Attributes:
        played: The moves that led to the scene.
    """

    def __init__(self, trial: Trial, say: Callable[[str], None]) -> None:
        from evolve_worlds import Stateful

        self._trial = trial
        self._tell = say
        self._stateful = trial if isinstance(trial, Stateful) else None
        self._before: list[tuple[object, int]] = []
        self._steps = 0
        self._listed: list[str] = []
        self.played: list[str] = []

    def _say(self, text: str) -> None:
        """Prints what may have come from the world."""
        self._tell(escape_control_characters(text))

    def play(self) -> None:
        """Until it is over, or the person has had enough."""
        trial = self._trial
        self._say(f"goal: {trial.goal}")
        self._say(trial.scene.view or trial.scene.told)
        self._offer()
        while not trial.scene.over or self._stateful is not None:
            if trial.scene.over:
                self._tell_the_end("; undo takes the last move back, quit ends it")
            typed = self._typed()
            if typed in (None, "quit"):
                break
            if not trial.scene.over or typed in ("undo", "look"):
                self._answer(str(typed))
        if trial.scene.over and self._stateful is None:
            self._tell_the_end("")

    def _tell_the_end(self, more: str) -> None:
        scene = self._trial.scene
        how = "lost" if scene.lost else "over"
        self._say(f"{how}: score {scene.score:.2f} after {count_of(self._steps, 'step')}{more}")

    def _typed(self) -> str | None:
        flush()
        if not (sys.stdin.isatty() and sys.stdout.isatty()):  # a prompt would leave a blank in what a program reads
            with suspend_live_line():
                line = sys.stdin.readline()
            return line.strip() if line else None
        typed = ask_line(">", ahead=True)
        return typed.strip() if typed is not None else None

    def _answer(self, typed: str) -> None:
        if typed in ("", "?"):
            self._say("a move, its number from the list, moves [WORD] (those with a word), undo, look, quit")
        elif typed == "look":
            self._say(self._trial.scene.view or self._trial.scene.told)
        elif typed == "undo":
            self._undo()
        elif typed.split()[0] == "moves":
            self._list(typed.partition(" ")[2].strip())
        else:
            self._do(typed)

    def _do(self, typed: str) -> None:
        moves = [move.text for move in self._trial.moves()]
        text = typed
        # Where the world itself asks for a number, that is the move.
        if typed.isdecimal() and len(typed) < _DIGITS and typed not in moves:
            if not 1 <= int(typed) <= len(self._listed):
                self._say(f"there are {count_of(len(moves), 'move')}; moves lists them")
                return
            text = self._listed[int(typed) - 1]  # as it was shown, whatever has come and gone since
            if text not in moves:
                self._say(f"{typed} was {text!r}, which cannot be done now; moves lists what can")
                return
        if self._stateful is not None:
            self._before.append((self._stateful.snapshot(), self._steps))
        scene = self._trial.do(text)
        self.played.append(text)
        self._steps += scene.steps
        self._say(scene.told)
        self._offer()

    def _undo(self) -> None:
        if self._stateful is None:
            self._say("this world goes back by playing again only: quit, begin anew, and make the moves up to there")
        elif not self._before:
            self._say("nothing was done yet")
        else:
            kept, self._steps = self._before.pop()
            self._stateful.restore(kept)
            self.played.pop()
            self._say(self._trial.scene.view or self._trial.scene.told)
            self._offer()

    def _offer(self) -> None:
        if self._trial.scene.over:
            return
        moves = self._trial.moves()
        score = f"[score {self._trial.scene.score:.2f}, {count_of(self._steps, 'step')}]"
        if len(moves) <= _FEW:
            if [move.text for move in moves] != self._listed:
                self._list("")
            self._say(score)
        else:
            self._say(f"{score} {count_of(len(moves), 'move')}; moves lists them, moves WORD those with a word")

    def _list(self, word: str) -> None:
        self._listed = [move.text for move in self._trial.moves()]
        told = [f"{number:>4}  {text}" for number, text in enumerate(self._listed, 1) if word in text]
        for line in told or [f"no move has {word!r} in it; moves lists them all"]:
            self._say(line)


def _plain(scene: Scene) -> dict[str, Any]:
    return {"score": scene.score, "over": scene.over, "lost": scene.lost, "told": scene.told}
