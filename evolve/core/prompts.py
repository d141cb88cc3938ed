"""Finds the text of a prompt that is in force (variant, workspace, seed), and fills it in strictly.

``string.Template`` is used because prompts contain braces and code, which other template languages
would stumble over or execute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.extensions import find
from evolve.core.files import clean_text, digest, read_text
from evolve.core.paths import seed_root

TODAY = "Today is {day}."
"""A line of a prompt that differs from day to day."""
_TODAY = re.compile(r"^Today is [A-Z][a-z]+day, \d{4}-\d\d-\d\d\.$", re.MULTILINE)

_NO_MARKS = str.maketrans({'"': "'", "<": "(", ">": ")", "\n": " "})
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*\.(md|toml)\Z")


@dataclass(frozen=True, kw_only=True)
class PromptLayers:
    """Where a prompt is looked for, first to last.

    Attributes:
        variant: Texts of the active variant by file name.
        workspace: The workspace's ``prompts/`` folder, or None.
        seed: The folder of prompts that ship with evolve.
    """

    variant: Mapping[str, str] = field(default_factory=dict)
    workspace: Path | None = None
    seed: Path = field(default_factory=lambda: seed_root() / "prompts")


def load_prompt(name: str, layers: PromptLayers) -> str:
    """The text in force: the variant's, else the workspace's file, else the seed, else that of an installed package.

    Args:
        name: File name such as ``plan.md`` or ``workflow.toml``.

    Raises:
        WorkspaceError: When no layer has it, the name would leave the folder, or the file is not UTF-8.
    """
    if not _NAME.match(name):
        raise WorkspaceError(f"not a prompt's file name: {name!r}")
    if name in layers.variant:
        return layers.variant[name]
    own = [folder / name for folder in (layers.workspace, layers.seed) if folder is not None]
    file = next((path for path in own if path.is_file()), None) or find("prompts", name, Path)
    if file is not None:
        try:
            return read_text(file)
        except UsageError as error:  # the file belongs to the workspace, not to the call
            raise WorkspaceError(str(error), hint=error.hint) from error
    raise WorkspaceError(f"there is no prompt {name}", hint="install evolve again, or add the file to prompts/")


def render_prompt(text: str, values: Mapping[str, str], *, name: str = "prompt") -> str:
    """Fills in every ``$name`` of the text; ``$$`` is a dollar sign.

    Raises:
        WorkspaceError: For a variable without a value and for a stray ``$``; the message names it.
    """
    template = Template(text)
    try:
        return template.substitute(values)
    except KeyError as error:
        known = ", ".join(sorted(values)) or "none"
        raise WorkspaceError(f"{name}: unknown variable ${error.args[0]}; known are {known}") from error
    except ValueError as error:
        raise WorkspaceError(f"{name}: a single '$' must be written '$$' ({error})") from error


def quote_text(kind: str, text: str, *, name: str = "") -> str:
    """The text between marks that carry a nonce.

    The nonce is a digest of the text, so no text can hold the mark that ends it.
    """
    body = clean_text(text).strip("\n")
    nonce = digest(f"{kind}:{name}:{body}")[:12]
    # A file may have any name, and none is to end the mark that it stands in.
    origin = f' of="{name.translate(_NO_MARKS)}"' if name else ""
    return f"<data {nonce} kind={kind}{origin}>\n{body}\n</data {nonce}>"


def without_day(text: str) -> str:
    """A prompt's text without the day on which it was sent, so that a recording of it is found on another."""
    return _TODAY.sub(TODAY, text)
