"""Input of a chat: plain lines from a pipe, or editing, history, completion and a status line at a terminal."""

from __future__ import annotations

import contextlib
import select
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app, run_in_terminal
from prompt_toolkit.application.current import set_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.input.typeahead import get_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import ColorDepth

from evolve.cli.asking import drop_typed_ahead
from evolve.cli.chat.reading import TypedLines, is_open, is_row, is_rows, is_unfinished
from evolve.cli.render.output import escape_control_characters, suspend_live_line
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import StyleAndTextTuples


class LineInput:
    """Reads texts from stdin.

    Args:
        attended: A person types: prompts are shown, and questions are put to them. Nobody answers a pipe.
        typed: Earlier inputs, for the arrow keys where the terminal has them.
    """

    def __init__(self, *, attended: bool, typed: Sequence[str] = ()) -> None:
        self._attended = attended
        self._pushed_back: list[str] = []
        if attended:
            with contextlib.suppress(ImportError):  # then lines are edited by the terminal alone
                import readline

                for text in typed:
                    if "\n" not in text:
                        readline.add_history(text)

    def text(self) -> str | None:
        """The next complete text, or None at the end."""
        first = self._line("evolve> ")
        if first is None:
            return None
        text = first
        # Whether a further line is there already, which then was pasted with the one before.
        while is_open(text) or (
            self._attended and is_unfinished(text) and bool(select.select([sys.stdin], [], [], 0)[0])
        ):
            more = self._line("...> ")
            if more is None:
                break
            if is_rows(text) and more.strip() and not is_row(more):
                self._pushed_back.append(more)  # rows end where something else begins
                break
            text = f"{text}\n{more}"
        return text

    def read_answer(self, question: str) -> str | None:
        """What the person answers; None where nobody is there."""
        return self._typed(question) if self._attended else None

    def drop_typed_ahead(self) -> bool:
        """Drops what was typed and not read yet; gives whether there was something. A pipe is read as it comes."""
        return self._attended and drop_typed_ahead()

    def print_above(self, say: Callable[[], None]) -> None:
        """Says nothing: the line that is being typed is the terminal's."""

    def edit(self, text: str) -> str | None:
        """Lines cannot be edited in place.

        Raises:
            UsageError: Always.
        """
        raise UsageError("answers are edited in a terminal session without --plain", hint="/comment says what is wrong")

    def _line(self, prompt: str) -> str | None:
        if self._pushed_back:
            return self._pushed_back.pop()
        if self._attended:
            return self._typed(prompt)
        with suspend_live_line():
            line = sys.stdin.readline()
        return line.rstrip("\n") if line else None

    def _typed(self, prompt: str) -> str | None:
        try:
            with suspend_live_line():
                return input(escape_control_characters(prompt))
        except EOFError:
            print()  # Ctrl-D leaves the cursor behind the prompt
            return None


Choices = Callable[[], Iterable[tuple[str, str]]]
"""Words that may be typed, each with what it means."""


class TerminalInput:
    """Reads texts with an editor of one or more lines.

    Args:
        typed: The inputs so far; new ones are added.
        status: The status line for a width, as styled text.
        choices: For the name of a command, what may follow it; for "" the commands themselves.
        colour: Whether the terminal may be sent colours.
    """

    def __init__(
        self,
        typed: TypedLines,
        status: Callable[[int], StyleAndTextTuples],
        choices: Callable[[str], Iterable[tuple[str, str]]],
        *,
        colour: bool = True,
    ) -> None:
        self._signs = (sys.stdout.encoding or "").lower().startswith("utf")
        depth = None if colour else ColorDepth.DEPTH_1_BIT
        self._session: PromptSession[str] = PromptSession(
            history=_TypedHistory(typed),
            completer=_CommandCompleter(choices),
            complete_while_typing=Condition(lambda: get_app().current_buffer.text.startswith("/")),
            multiline=True,
            key_bindings=_keys(),
            bottom_toolbar=lambda: status(get_app().output.get_size().columns),
            prompt_continuation=lambda width, line, wrapped: "" if wrapped else "… " if self._signs else ". ",
            color_depth=depth,
            enable_suspend=True,
            mouse_support=False,
        )
        self._questions: PromptSession[str] = PromptSession(color_depth=depth)
        self._untold: Callable[[], None] | None = None

    def text(self) -> str | None:
        """The next complete text; None when the person leaves.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        try:
            with suspend_live_line():
                return self._session.prompt([("bold", "› " if self._signs else "> ")], pre_run=self._say_untold)
        except EOFError:
            return None

    def read_answer(self, question: str) -> str | None:
        """What the person answers; None for Ctrl-C and Ctrl-D."""
        try:
            with suspend_live_line():
                return self._questions.prompt([("bold", escape_control_characters(question))])
        except (EOFError, KeyboardInterrupt):
            return None

    def print_above(self, say: Callable[[], None]) -> None:
        """Has something said above the line that is being typed, or that will be; from any thread."""
        self._untold = say
        loop = self._session.app.loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the line was ended just now, and the next one will say it
                loop.call_soon_threadsafe(self._say_untold)

    def _say_untold(self) -> None:
        """Says it, once, in the loop of the line that is being typed."""
        say, self._untold, app = self._untold, None, self._session.app
        if say is None:
            return

        async def say_above() -> None:
            with set_app(app):  # whoever calls from another thread knows of none
                await run_in_terminal(say)

        app.create_background_task(say_above())

    def drop_typed_ahead(self) -> bool:
        """Drops what was typed and not read yet; gives whether there was something."""
        # What came together with the end of the last input was read with it, and is kept for the next prompt.
        kept = get_typeahead(self._session.input)
        return drop_typed_ahead() or bool(kept)

    def edit(self, text: str) -> str | None:
        """The text as the person leaves it with Alt-Enter; None for Ctrl-C and Ctrl-D."""
        try:
            with suspend_live_line():
                return self._questions.prompt(
                    [("bold", "Alt-Enter keeps it, Ctrl-C drops it\n")], default=text, multiline=True
                )
        except (EOFError, KeyboardInterrupt):
            return None
        finally:
            # prompt() keeps its arguments for later calls: answers would take several lines too.
            self._questions.multiline = False


class _TypedHistory(History):
    """The person's own history, newest first as the editor wants it."""

    def __init__(self, typed: TypedLines) -> None:
        super().__init__()
        self._lines = typed

    def load_history_strings(self) -> Iterable[str]:
        return reversed(self._lines.read())

    def store_string(self, string: str) -> None:
        if string.strip():
            self._lines.add(string)


class _CommandCompleter(Completer):
    """Commands after ``/``, what they take after that, and paths anywhere else."""

    def __init__(self, choices: Callable[[str], Iterable[tuple[str, str]]]) -> None:
        self._choices = choices
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        name, space, rest = before.removeprefix("/").partition(" ")
        if before.startswith("/") and "/" not in name:
            typed = rest if space else name
            for word, about in self._choices(name if space else ""):
                if word.startswith(typed):
                    yield Completion(word, start_position=-len(typed), display_meta=about)
            if not space:
                return
        elif not complete_event.completion_requested:
            return
        last = before.rpartition(" ")[2].rpartition("\n")[2]
        yield from self._paths.get_completions(Document(last), complete_event)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        # What came in one go with this line is a paste, even from a terminal that does not mark one.
        pasted = is_unfinished(buffer.text) and any(len(press.key) == 1 for press in event.key_processor.input_queue)
        if (is_open(buffer.text) or pasted) and buffer.document.is_cursor_at_the_end:
            buffer.newline(copy_margin=False)
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return keys
