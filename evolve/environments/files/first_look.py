"""What there is to see of a folder before anything is done: its check, a map, and how its people want it treated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from evolve.core.episodes import Exhibit
from evolve.core.errors import UsageError
from evolve.core.files import clean_text, head_and_tail
from evolve.core.text_files import text_of
from evolve.environments.files.map import folder_map, full_listing
from evolve.tasks.verification.checks import CheckResult

_MOST_CONVENTIONS = 3_000
_RULE = re.compile(r"([-=_*~#+])\1{7,}")
_FIRST_WORD = re.compile(r"\s*([A-Za-z_][\w.+-]*)(?=\s|$)")
"""A program that is looked up; a path may be one that the work is to make."""
_CONVENTIONS = ("agents.md", "claude.md", "contributing.md")


def first_look_text(
    files: Mapping[str, bytes], asked: str, command: str, checked: CheckResult | None, notes: Sequence[str] = ()
) -> Iterator[Exhibit]:
    """The parts in their order.

    Args:
        files: The folder at the start.
        asked: What is wanted, which says what of the map comes first.
        command: The check; "" where there is none to be seen.
        checked: What it said.
        notes: What has to be known of the files besides, a line each.
    """
    output = ""
    if checked is not None:
        output = without_rules(checked.output)
        # The command stands above it, where it is said how the work is judged.
        yield Exhibit(name="check", text=f"{output.rstrip()}\n[{_ending(checked)}]".lstrip("\n"))
    conventions = _conventions(files)
    others = {name: data for name, data in files.items() if name not in conventions}
    everything = full_listing(others)
    if everything:
        but = (
            f" but {', '.join(conventions)}, which {'is' if len(conventions) == 1 else 'are'} below"
            if conventions
            else ""
        )
        yield Exhibit(name="files", text="\n".join([*notes, f"all files of the copy{but}", everything]))
    elif others:
        mapped = folder_map(others, f"{asked}\n{command}\n{output}")
        yield Exhibit(name="map", text="\n".join([*notes, "what the files hold is not shown", mapped]))
    for name in conventions:
        text = clean_text(text_of(files[name]))
        yield Exhibit(name="conventions", text=head_and_tail(text, _MOST_CONVENTIONS), origin=name)


def need_program(command: str, checked: CheckResult) -> None:
    """Stops before anything is asked of a model where the check cannot begin, whatever is changed in the folder.

    Raises:
        UsageError: The program that the command names first is nowhere in the sandbox.
    """
    first = _FIRST_WORD.match(command)
    if checked.exit == 127 and first and re.search(rf"\b{re.escape(first[1])}: .*not found", checked.tail):
        raise UsageError(
            f"the check cannot begin: the sandbox has no command {first[1]!r}",
            hint="mend --check, or name the virtual environment that has it with --set python=DIR",
        )


def without_rules(output: str) -> str:
    """What a check printed with the rules that are drawn across it cut short: they are long and say nothing."""
    return _RULE.sub(r"\1\1\1", output)


def _ending(checked: CheckResult) -> str:
    if checked.exit is None:
        return checked.error
    took = f", in {checked.seconds:.0f} s" if checked.seconds >= 1 else ""
    already = "; it passes already, so it says nothing of what is asked" if checked.ok else ""
    return f"exit {checked.exit}{took}{already}"


def _conventions(files: Mapping[str, bytes]) -> list[str]:
    """The files of the root that say how to work there, at most one of each kind."""
    by_name: dict[str, str] = {}
    for name in sorted(files, reverse=True):
        low = name.casefold()
        kind = "readme" if low.partition(".")[0] == "readme" and "/" not in low else low
        if kind in (*_CONVENTIONS, "readme"):
            by_name[kind] = name
    return [by_name[kind] for kind in (*_CONVENTIONS, "readme") if kind in by_name]
