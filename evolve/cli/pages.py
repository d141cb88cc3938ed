"""Help pages of commands and groups: purpose, examples and options, as wide as the terminal."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from evolve.cli.options import before_a_command_of_a_group
from evolve.cli.render.layout import terminal_width, wrap_text

if TYPE_CHECKING:
    from typing import TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

WIDEST = 100
"""Columns; longer lines are hard to read."""

_NARROW = 70
"""Columns; on a narrower page names get less room, so that the texts beside them keep some."""

_LEAST = 24
"""Columns; narrower pages would be columns of single words."""

_TIE = "\0"  # stands for a space that is not folded at; no command line can hold a NUL
_SENTENCE = re.compile(r"(.+?)\.(?:\s|$)", re.DOTALL)


class App(typer.Typer):
    """Commands with help pages.

    Args:
        about: What the commands are for; nothing where they stand among those of another group.
        examples: Command lines that the group's page shows.
        more: Whatever :class:`typer.Typer` takes.
    """

    def __init__(self, about: str | None = None, *examples: str, **more: Any) -> None:
        defaults = {} if about is None else {"help": about, "no_args_is_help": True, "epilog": "\n".join(examples)}
        super().__init__(**{"cls": Group, "rich_markup_mode": None, **defaults, **more})
        if about is not None:
            self.callback()(before_a_command_of_a_group)

    def page(self, name: str, *examples: str) -> Callable[[Function], Function]:
        """Adds a command, whose page shows these command lines."""
        return self.command(name, cls=Page, epilog="\n".join(examples))


class Page(TyperCommand):
    """The page of one command."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Arguments as words: ``TASK``, or ``[TASK]`` where it may be left out."""
        return [
            "[OPTIONS]",
            *(_in_usage(param) for param in self.get_params(ctx) if param.param_type_name == "argument"),
        ]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the whole page."""
        fit_to_terminal(formatter)
        self.format_usage(ctx, formatter)
        _write_text(self.help, formatter)
        _write_examples(self.epilog, formatter)
        _write_parameters(self.get_params(ctx), formatter)


class Group(TyperGroup):
    """The page of a group: its commands, each with its whole first sentence."""

    parts: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Headings with the commands that stand under each; any others under "Commands"."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the whole page. What stands in the epilog after a blank line comes last."""
        fit_to_terminal(formatter)
        examples, _, rest = (self.epilog or "").partition("\n\n")
        self.format_usage(ctx, formatter)
        _write_text(self.help, formatter)
        _write_examples(examples, formatter)
        self.format_commands(ctx, formatter)
        _write_parameters(self.get_params(ctx), formatter)
        _write_text(rest, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands, part by part."""
        headed = {name for names in self.parts.values() for name in names}
        others = [name for name in self.list_commands(ctx) if name not in headed]
        self.write_parts({**self.parts, "Commands": others}, formatter)

    def write_parts(self, parts: Mapping[str, Sequence[str]], formatter: Any) -> None:
        """Writes commands with their first sentences under headings; those that are not there are left out."""
        shown = {heading: [name for name in names if name in self.commands] for heading, names in parts.items()}
        wide = max(len(name) for names in shown.values() for name in names)
        for heading, names in shown.items():
            rows = [(name.ljust(wide), first_sentence(self.commands[name].help or "")) for name in names]
            if rows:
                _write_list(heading, rows, formatter, first=wide)

    def full_tree(self) -> Group:
        """The tree in which a word is looked for that is no command of this group."""
        return self

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is typed. A word that is a command elsewhere is answered by where it is."""
        word, root = args[0], ctx.find_root().command
        if self.get_command(ctx, word) is None and isinstance(root, Group):
            from evolve.workspace import extensions

            if hint := extensions.install_hint(f"{ctx.info_name} {word}"):
                ctx.fail(f"evolve lab {hint}")
            found = sorted(_places(root.full_tree(), word, ("evolve",)), key=lambda path: ctx.info_name not in path)
            places = [" ".join(path) for path in found]
            if places:
                ctx.fail(f"No such command {word!r}. Did you mean {', '.join(places[:_MOST_PLACES])}?")
            if hint := extensions.install_hint(word):
                ctx.fail(f"evolve lab {hint}")
        return super().resolve_command(ctx, args)


_MOST_PLACES = 4
"""Commands that are told where a word is the name of several."""


def _places(group: Group, word: str, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The command lines that end in a word, in this group and those in it."""
    for name, command in group.commands.items():
        if name == word:
            yield (*path, name)
        if isinstance(command, Group):
            yield from _places(command, word, (*path, name))


def fit_to_terminal(formatter: Any) -> None:
    """Gives a page the width of a terminal that is narrower than the 52 columns below which click does not go."""
    width = terminal_width()
    if width is not None and width - 2 < formatter.width:
        formatter.width = max(_LEAST, width - 2)


def first_sentence(text: str) -> str:
    """What a help text begins with, in one line and without its full stop."""
    match = _SENTENCE.match(text)
    return " ".join((match[1] if match else text).split())


def _write_examples(text: str | None, formatter: Any) -> None:
    """Writes command lines; one that is too long goes on in the next line, as a shell reads it."""
    lines = (text or "").splitlines()
    if not lines:
        return
    with formatter.section("Examples" if len(lines) > 1 else "Example"):
        for line in lines:
            # Only before an option: a text stays whole, and so does an option with its value.
            tied = re.sub(r" (?!-)", _TIE, line)
            parts = wrap_text(tied, formatter.width - 4, indent=4).replace(_TIE, " ").split("\n")
            formatter.write("".join(f"  {part} \\\n" for part in parts[:-1]) + f"  {parts[-1]}\n")


def _write_text(text: str | None, formatter: Any) -> None:
    """Writes paragraphs; the lines of each are put together first."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        line = " ".join(paragraph.split())
        formatter.write(wrap_text(f"\n  {line}\n" if line else "", formatter.width))


def _write_list(heading: str, rows: Sequence[tuple[str, str]], formatter: Any, *, first: int) -> None:
    """Writes names with what they are beside them, or below a name that is longer than ``first`` columns."""
    formatter.write(f"\n{heading}:\n")
    for name, about in rows:
        lines = wrap_text(about, formatter.width - first - 4).split("\n")
        if len(name) > first:
            lines.insert(0, "")
        lines = [f"  {(name if not number else '').ljust(first)}  {line}" for number, line in enumerate(lines)]
        formatter.write("".join(f"{line.rstrip()}\n" for line in lines))


def _write_parameters(parameters: Sequence[Any], formatter: Any) -> None:
    """Writes arguments and options."""
    first = 30 if formatter.width >= _NARROW else 19 if formatter.width >= _NARROW - _LEAST else 8
    for heading, kind in (("Arguments", "argument"), ("Options", "option")):
        rows = list(_rows(param for param in parameters if param.param_type_name == kind and not param.hidden))
        if rows:
            _write_list(heading, rows, formatter, first=min(first, max(len(name) for name, _ in rows)))


def _rows(parameters: Iterator[Any]) -> Iterator[tuple[str, str]]:
    """What each is called and what it is for. Variables are told in one place, not at every option."""
    for param in parameters:
        name = _word(param)
        if param.param_type_name == "option":
            name = ", ".join(sorted(param.opts, key=len)) + ("" if param.is_flag else f" {name}")
        # By their kind: 0 is a default worth telling, and equal to False.
        shows_default = (
            param.show_default is not False and isinstance(param.default, (str, int, float)) and param.default != ""
        )
        default = f"[default: {param.default}]" if shows_default and not isinstance(param.default, bool) else ""
        needed = "[required]" if param.required and param.param_type_name == "option" else ""
        yield name, "  ".join(filter(None, (param.help, default, needed)))


def _word(param: Any) -> str:
    return str(param.metavar or param.name.upper().replace("_", "-"))


def _in_usage(param: Any) -> str:
    word = _word(param) + ("..." if param.nargs != 1 else "")
    return word if param.required else f"[{word}]"
