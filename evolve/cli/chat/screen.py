"""What a person sees of a session: in colour on a terminal, or as plain lines, each with a word in front."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from evolve.cli.render.activities import describe_activities
from evolve.cli.render.live_line import wrap_line
from evolve.cli.render.output import escape_control_characters, hide_live_line, suspend_live_line
from evolve.workspace import Activities, Activity, clean_text, report_activity, watch_activities

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

_TAIL_LINES = 6
"""Lines of what a model is writing that stand over the live line."""
_BETWEEN_S = 0.12
"""Seconds between two drawings of it, at least."""

STYLES: Mapping[str, str] = {
    "verified": "bold green",
    "tests pass": "bold green",
    "unchecked": "bold yellow",
    "doubtful": "bold yellow",
    "answered": "bold yellow",
    "not applied": "bold yellow",
    "waiting": "bold yellow",
    "ask": "bold yellow",
    "warning": "yellow",
    "retry": "yellow",
    "error": "bold red",
    "unsandboxed": "bold reverse red",
    "stopped": "bold yellow",
    "learned": "magenta",
    "cost": "dim",
    "hint": "dim",
}
"""By the word in front; any other is told in the colour of a stage."""


def show_control_characters(text: str) -> str:
    """The text with what a terminal would obey made visible, and tabs as they are shown."""
    return escape_control_characters(clean_text(text)).replace("\t", "    ")


def needs_plain_screen(environ: Mapping[str, str]) -> bool:
    """Whether this terminal can only take lines, or is none."""
    return environ.get("TERM", "") in ("", "dumb") or not (sys.stdin.isatty() and sys.stdout.isatty())


def open_screen(*, plain: bool) -> Screen:
    """The screen for this terminal."""
    if not plain:
        return TerminalScreen()
    wrap_line()
    return PlainScreen()


class PlainScreen:
    """Lines on stdout, for screen readers, pipes and terminals that can do nothing else."""

    plain = True
    _activity: Activity | None = None

    def print_line(self, word: str, text: str = "") -> None:
        """One line; further lines of the text follow as they are."""
        self._print(f"{word}: {show_control_characters(text)}".rstrip())

    def command(self, word: str, text: str, command: str) -> None:
        """One line, as every message."""
        self.print_line(word, text + command)

    def lines(self, word: str, text: str) -> None:
        """Every line with the word in front."""
        for line in show_control_characters(text).rstrip("\n").split("\n"):
            self._print(f"{word}: {line}".rstrip())

    def code(self, source: str) -> None:
        """The source, with the number of its lines announced."""
        self._block("code", source)

    def diff(self, text: str) -> None:
        """The diff, with the number of its lines announced."""
        self._block("diff", text)

    def print_text(self, text: str) -> None:
        """The text as it was written, which reads well aloud."""
        self.print_line("answer", text.strip("\n"))

    @contextlib.contextmanager
    def show_working(self, stage: str) -> Iterator[None]:
        """A line now and then, where it takes long; else what is worth a line comes as one."""
        with report_activity("stage", stage) as self._activity:
            yield

    def pause_live_line(self) -> contextlib.AbstractContextManager[None]:
        """There is nothing to take away."""
        return contextlib.nullcontext()

    def stage(self, text: str) -> None:
        """Says it where it takes long."""
        if self._activity is not None:
            self._activity.update("stage", text)

    def print_piece(self, text: str) -> None:
        """Says nothing: read aloud, pieces are noise, and what comes of them is told."""

    def _block(self, word: str, text: str) -> None:
        body = show_control_characters(text).rstrip("\n")
        count = body.count("\n") + 1
        self._print(f"{word}: {count} line{'' if count == 1 else 's'} follow{'s' if count == 1 else ''}")
        self._print(body)

    def _print(self, text: str) -> None:
        encoding = sys.stdout.encoding or "utf-8"
        with hide_live_line():
            print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


class TerminalScreen:
    """A terminal with colours, and one live part at its lower end while something goes on."""

    plain = False

    def __init__(self, console: Console | None = None) -> None:
        from rich.console import Console

        # Texts come from outside: what looks like markup or the name of an emoji stays as it is.
        self._console = console or Console(highlight=False, emoji=False, markup=False)
        self._live: Live | None = None
        self._activities, self._activity = Activities(), Activity("stage")
        self._tail, self._began, self._drawn = "", 0.0, 0.0

    def print_line(self, word: str, text: str = "") -> None:
        """The word in its colour, and the text beside it, wrapped beside the word where there is room."""
        from rich.table import Table
        from rich.text import Text

        self._tail = ""
        style = STYLES.get(word, "cyan")
        # A column of its own for the word would leave too little; sessions have to work in 40 columns.
        if self._console.width < 60:
            self._print(
                Text.assemble((word, style), "  " if text else "", show_control_characters(text)), soft_wrap=False
            )
            return
        grid = Table.grid(padding=(0, 2))
        grid.add_column(min_width=9, no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(
            Text(word, style=style), Text(show_control_characters(text), style="dim" if style == "dim" else "")
        )
        self._print(grid)

    def command(self, word: str, text: str, command: str) -> None:
        """The terminal breaks the command where its width ends; a break that is printed would be copied with it."""
        from rich.text import Text

        self.print_line(word, text.rstrip())
        self._print(Text(show_control_characters(command)), soft_wrap=True)

    def lines(self, word: str, text: str) -> None:
        """The word once, the lines beside it."""
        self.print_line(word, text.rstrip("\n"))

    def code(self, source: str) -> None:
        """Highlighted."""
        self._block(source, "python")

    def diff(self, text: str) -> None:
        """Highlighted."""
        self._block(text, "diff")

    def print_text(self, text: str) -> None:
        """Laid out. Addresses stay in the open, since a link can say one thing and lead to another."""
        from rich.markdown import Markdown
        from rich.padding import Padding

        self._tail = ""
        laid_out = Markdown(show_control_characters(text), hyperlinks=False, code_theme="ansi_dark")
        # Markdown would join lines: a figure and the files that it rests on are two.
        for part in (part for block in laid_out.parsed for part in block.children or ()):
            part.type = "hardbreak" if part.type == "softbreak" else part.type
        self._print(Padding(laid_out, (1, 0)))

    @contextlib.contextmanager
    def show_working(self, stage: str) -> Iterator[None]:
        """A live line with what goes on and how long already; what is typed meanwhile waits unseen for the prompt."""
        from rich.live import Live

        self._tail, self._began = "", time.monotonic()
        live = Live(console=self._console, refresh_per_second=1, transient=True, get_renderable=self._now)
        watch, going = watch_activities(), report_activity("stage", show_control_characters(stage))
        with watch as self._activities, going as self._activity, suspend_live_line(), _echo(on=False), live:
            self._live = live
            try:
                yield
            finally:
                self._live = None

    @contextlib.contextmanager
    def pause_live_line(self) -> Iterator[None]:
        """Takes the live line away, and gives the keyboard back, until it is answered."""
        live, self._tail = self._live, ""
        if live is None:
            yield
            return
        live.stop()
        with _echo(on=True):
            yield
        self._began = time.monotonic()  # the time that a person took is none of the work's
        live.start(refresh=True)

    def stage(self, text: str) -> None:
        """Changes the live line."""
        self._tail = ""
        self._activity.update("stage", show_control_characters(text))
        self._draw()

    def print_piece(self, text: str) -> None:
        """Appends to the last lines of what a model writes, which stand over the live line."""
        # Far more than the tail shows, so that a long reply does not pile up.
        self._tail = (self._tail + show_control_characters(text))[-4_000:]
        self._draw()

    def _draw(self) -> None:
        """Draws the live part before its time, a few times a second at most."""
        if self._live is not None and time.monotonic() - self._drawn >= _BETWEEN_S:
            self._drawn = time.monotonic()
            self._live.refresh()

    def _now(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        width = max(10, self._console.width - 2)
        shown = [line[:width] for line in self._tail.split("\n") if line.strip()][-_TAIL_LINES:]
        tail = [Text(line, style="dim", no_wrap=True, overflow="ellipsis") for line in shown]
        label = Text(f"{describe_activities(self._activities, 0.0, self._began)}  ", no_wrap=True, overflow="ellipsis")
        return Group(*tail, Text.assemble(label, ("Ctrl-C stops it", "dim"), no_wrap=True, overflow="ellipsis"))

    def _print(self, shown: RenderableType, *, soft_wrap: bool = False) -> None:
        with hide_live_line():
            self._console.print(shown, soft_wrap=soft_wrap)

    def _block(self, text: str, lexer: str) -> None:
        from rich.padding import Padding
        from rich.syntax import Syntax

        self._tail = ""
        body = show_control_characters(text).strip("\n")
        shown = Syntax(body, lexer, theme="ansi_dark", word_wrap=True, background_color="default")
        self._print(Padding(shown, (1, 0)))


Screen = PlainScreen | TerminalScreen
"""Where a session is shown."""


@contextlib.contextmanager
def _echo(*, on: bool) -> Iterator[None]:
    """While something is shown live, typed letters would tear it; they are kept for the next prompt."""
    import termios

    if not sys.stdin.isatty():
        yield
        return
    handle, letters = sys.stdin.fileno(), termios.ECHO | termios.ICANON
    before, changed = termios.tcgetattr(handle), termios.tcgetattr(handle)
    # Index 3 of what tcgetattr gives is the local modes.
    changed[3] = changed[3] | letters if on else changed[3] & ~letters
    termios.tcsetattr(handle, termios.TCSANOW, changed)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSANOW, before)
