"""The tree of commands: the front page, the second page, and where each command stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from importlib import import_module
from typing import Annotated, Any, ClassVar

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import emit
from evolve.cli.signals import signals_as_interrupted
from evolve.core.errors import SetupProblem

FRONT: Mapping[str, Sequence[str]] = {
    "Work": ("run", "fill", "chat", "undo"),
    "Look at what evolve knows": ("status", "memory", "skills"),
    "Get better": ("improve", "report"),
    "Connect": ("models", "tools", "serve"),
}
"""The commands of the front page, under their headings."""

SECOND: Mapping[str, Sequence[str]] = {
    "Look back": ("why", "runs", "forget"),
    "Go on with a run": ("apply", "learn"),
    "Begin": ("demo", "init", "trust"),
    "Make tasks": ("tasks",),
    "Study how evolve learns": ("lab",),
}
"""The commands of the second page."""

_EXAMPLES = ("evolve fill names.csv", 'evolve chat --dir project --check "pytest -q"')
_MORE = (
    "evolve help all lists further commands; evolve help COMMAND shows the page of one. evolve status --settings"
    " lists all settings, and variables such as EVOLVE_WORKSPACE, EVOLVE_MODEL, EVOLVE_SEED and EVOLVE_BUDGET."
)


_SECOND_PAGE = "Further commands; evolve --help has the first page, evolve help COMMAND the page of each."


class CommandTree(pages.Group):
    """The program: its front page, and one sentence for a signal that says how to go on."""

    parts: ClassVar = FRONT

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Reads the command line."""
        with signals_as_interrupted():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Runs the chosen command."""
        with signals_as_interrupted():
            return super().invoke(ctx)

    def full_tree(self) -> pages.Group:
        """The whole tree, also where only a part of it was made."""
        return typer.main.get_command(build_app())  # type: ignore[return-value]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands of the front page."""
        self.write_parts(FRONT, formatter)

    def second_page(self, ctx: Any) -> str:
        """The commands that are not on the front page."""
        formatter = ctx.make_formatter()
        pages.fit_to_terminal(formatter)
        on_a_page = {name for names in (*FRONT.values(), *SECOND.values()) for name in names}
        others = [name for name in self.list_commands(ctx) if name not in on_a_page and not self.commands[name].hidden]
        self.write_parts({**SECOND, "Commands": others}, formatter)
        return f"{_SECOND_PAGE}\n{str(formatter.getvalue()).rstrip()}"


help_app = pages.App()


@help_app.command("help", cls=pages.Page, epilog="evolve help all\nevolve help memory note", hidden=True)
def help_command(
    ctx: typer.Context,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="COMMAND", help="A command, or all for the second page of commands.")
    ] = None,
) -> None:
    """Show the page of a command, the front page, or with all the second page of commands."""
    root = ctx.find_root().command
    found: Any = root.full_tree() if isinstance(root, pages.Group) else root
    context = type(ctx)(found, info_name="evolve", **found.context_settings)
    if words == ["all"]:
        emit(found.second_page(context), whole=True)
        return
    for word in words or ():
        if not isinstance(found, pages.Group):
            ctx.fail(f"{context.command_path} has no commands of its own")
        name, found, _ = found.resolve_command(context, [word])
        context = type(ctx)(found, info_name=name, parent=context)
    emit(found.get_help(context), whole=True)


def build_app(*wanted: str) -> typer.Typer:
    """The whole command tree, or only the part in which the command of these words is.

    Typer reads the signatures of all commands in the tree, which takes longer than most of them.
    """
    app = pages.App(
        cls=CommandTree,
        name="evolve",
        no_args_is_help=True,
        add_completion=False,
        epilog="\n".join(_EXAMPLES) + "\n\n" + _MORE,
        pretty_exceptions_enable=False,  # a traceback goes to a file; typer would print it
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": pages.WIDEST},
    )
    app.callback()(options.before_the_command)
    alone = {"help": "", **_ALONE}
    chosen = wanted[0] if wanted and wanted[0] in {*alone, *_GROUPS} else ""
    for place in dict.fromkeys(place for name, place in alone.items() if chosen in ("", name)):
        app.add_typer(_app_of(place) if place else help_app)
    for name, group in _GROUPS.items():
        if chosen in ("", name):
            app.add_typer(group(wanted[1:]), name=name)
    return app


_ALONE: Mapping[str, str] = {
    **{name: name for name in ("run", "fill", "chat", "undo", "improve", "report", "status", "why", "forget", "serve")},
    **{"apply": "undo", "learn": "learning", "demo": "demo", "init": "init", "trust": "init"},
}
"""Commands that are in no group, and the module in which each stands."""


def _app_of(place: str) -> typer.Typer:
    """The commands of a module, which is loaded when one of them is typed or a page shows them."""
    app: typer.Typer = import_module(f"evolve.cli.{place}").app
    return app


_RUNS = ("evolve runs list", "evolve runs show r1")
_MEMORY = ("evolve memory list", 'evolve memory note "the tax office counts in cents"')


def _runs(wanted: Sequence[str]) -> typer.Typer:
    about = "See past runs, answer their questions and comment on them."
    return _group(about, _app_of("runs"), examples=_RUNS)


def _memory(wanted: Sequence[str]) -> typer.Typer:
    about = "See and correct the knowledge of evolve, and add your own notes and preferences."
    known = _group(about, *map(_app_of, ("memory", "memory_graph", "proposals")), examples=_MEMORY)
    known.add_typer(_app_of("preferences"), name="preferences")
    return known


def _skills(wanted: Sequence[str]) -> typer.Typer:
    group = copy(_app_of("skills"))
    group.registered_groups = [*group.registered_groups]  # the module's own stays as it is
    group.add_typer(_app_of("skill_test"))
    group.add_typer(_app_of("skills_import"))
    for words, app in _added(("skills", *wanted), "skills"):
        _add(group, words, app)
    return group


def _lab(wanted: Sequence[str]) -> typer.Typer:
    """The commands for those who study how evolve learns."""
    lab = pages.App(
        "Study how evolve learns: its test tasks, the statistics behind its decisions, the sandbox.",
        *("evolve lab gate list", "evolve lab sandbox check"),
    )
    alone = ("optimize",)
    groups = ("gate", "variants", "workflow", "tasks", "sandbox", "memory")
    chosen = wanted[0] if wanted and wanted[0] in {*alone, *groups} else ""
    added = dict(_added(wanted, chosen))
    for name in (name for name in (*alone, *groups) if chosen in ("", name)):
        app = copy(_app_of(f"lab.{name}"))
        app.registered_groups = [*app.registered_groups]  # the module's own stays as it is
        for words in (words for words in added if words.startswith(f"{name} ")):
            _add(app, words, added[words])
        lab.add_typer(app, name=name if name in groups else None)
    for words in (words for words in added if " " not in words and words not in (*alone, *groups)):
        _add(lab, words, added[words])
    return lab


def _add(group: typer.Typer, words: str, app: typer.Typer) -> None:
    """Adds a package's commands to a group: under the last of their words where they are a group themselves."""
    group.add_typer(app, name=words.split()[-1] if isinstance(app.info.help, str) else None)


def _added(wanted: Sequence[str], group: str) -> Iterator[tuple[str, typer.Typer]]:
    """The commands of installed packages, or only those in a group that there is.

    One that cannot be loaded is an error where it is typed alone.
    """
    from evolve.workspace import extensions

    for name in extensions.installed_extensions("commands"):
        if group and not name.startswith(f"{group} "):
            continue
        try:
            yield name, extensions.find("commands", name, pages.App)
        except SetupProblem:
            words = name.split()
            if words == [*wanted[: len(words)]]:
                raise


_GROUPS: Mapping[str, Callable[[Sequence[str]], typer.Typer]] = {
    "runs": _runs,
    "memory": _memory,
    "skills": _skills,
    "models": lambda wanted: _app_of("models"),
    "tools": lambda wanted: _app_of("tools"),
    "tasks": lambda wanted: _app_of("tasks"),
    "lab": _lab,
}
"""Groups of commands, made for the words that were typed after their names."""


def _group(about: str, *parts: typer.Typer, examples: Sequence[str]) -> typer.Typer:
    group = pages.App(about, *examples)
    for part in parts:
        group.add_typer(part)
    return group
