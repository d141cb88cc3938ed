"""What a workspace that nobody trusted would change. It is looked at here and believed nowhere."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.core.errors import EvolveError, UsageError
from evolve.core.files import digest, read_text
from evolve.core.paths import WorkspacePaths, is_workspace, seed_root
from evolve.core.settings import VARIABLES, Settings, load_settings, proposed_servers
from evolve.core.store import query_untrusted_file

_MODELS = ("model", "model_act", "model_reflect", "model_judge", "model_rewrite")
_LONGEST, _MOST = 100, 8


@dataclass(frozen=True, kw_only=True)
class TrustProposal:
    """What a person has to know before they trust a workspace.

    Attributes:
        root: Its folder.
        owner: The user id that the folder belongs to.
        changes: What it would change, a line each: the owner where that is another user, models, tools and so on.
        seal: Changes with what was looked at.
    """

    root: Path
    owner: int
    changes: tuple[str, ...]
    seal: str


def proposal_of(paths: WorkspacePaths) -> TrustProposal:
    """Looks at a workspace, of which nothing need be true."""
    state = os.stat(paths.root)
    parts = [repr((state.st_dev, state.st_ino, state.st_uid, state.st_mode))]
    for path in (paths.marker, paths.root / "pyproject.toml"):
        try:
            parts.append(read_text(path))
        except UsageError:
            parts.append("")
    for path in trusted_parts(paths):
        found = os.lstat(path)
        parts.append(repr((str(path), found.st_ino, found.st_size, found.st_ctime_ns)))
    return TrustProposal(
        root=paths.root, owner=state.st_uid, changes=tuple(_changes(paths)), seal=digest("\0".join(parts))
    )


def trusted_parts(paths: WorkspacePaths) -> list[Path]:
    """What is there that a workspace would be believed: settings, prices, prompts, and whatever is in its store."""
    seeds = [path.name for path in (seed_root() / "prompts").iterdir() if path.name != "README.md"]
    own = (paths.prices, *(paths.prompts / name for name in seeds), *_inside(paths.store))
    marks = [paths.root] if is_workspace(paths.root) or os.path.lexists(paths.marker) else []
    return marks + [path for path in own if os.path.lexists(path)]


def owner_ids(paths: WorkspacePaths) -> frozenset[int]:
    """The user ids that the folder, its settings and what lies in it belong to, of links and where they lead."""
    states = (look(path) for path in _looked_at(paths) for look in (os.lstat, os.stat) if os.path.exists(path))
    return frozenset(state.st_uid for state in states)


def is_shared(paths: WorkspacePaths) -> bool:
    """Whether any user of this machine could change it."""
    return any(os.stat(path).st_mode & stat.S_IWOTH for path in _looked_at(paths) if os.path.exists(path))


def addresses_of(settings: Settings) -> frozenset[str]:
    """The addresses of models that a workspace's file names; not those of a variable, or of OpenAI."""
    names = ("base_url", *_MODELS)
    of_file = [name for name in names if settings.sources.get(name, "default") not in ("default", *VARIABLES)]
    own = {name: str(getattr(settings, name)) for name in of_file}
    base = own.pop("base_url", "").strip().rstrip("/")
    return frozenset(filter(None, {base, *addresses_in(*own.values(), base_url=base)}))


def addresses_in(*models: str, base_url: str = "") -> frozenset[str]:
    """The addresses that names of models stand for, but for OpenAI's."""
    names = [name for text in models for name in text.split(",") if name.strip()]
    if not names:
        return frozenset()
    from evolve.runtime.models.addressing import OPENAI, parse_model

    found = set()
    for name in names:
        try:
            found.add(parse_model(name, {}, base_url=base_url).base_url)
        except UsageError:
            continue  # nothing can be sent there, and whoever opens the models tells it
    return frozenset(found - {OPENAI})


def _looked_at(paths: WorkspacePaths) -> tuple[Path, ...]:
    return (paths.root, paths.marker, paths.store, paths.db, paths.identity, paths.prompts, paths.skills)


def _inside(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder) if not name.startswith(".")]
    except NotADirectoryError:
        return [folder]
    except OSError:
        return []


def _changes(paths: WorkspacePaths) -> Iterator[str]:
    foreign = sorted(owner_ids(paths) - {os.geteuid()})
    if foreign:
        yield f"files of {', '.join(map(_user, foreign))}"
    if is_shared(paths):
        yield "any user of this machine can change it"
    links = [path.name for path in _looked_at(paths)[1:] if path.is_symlink()]
    if links:
        yield f"links that lead elsewhere: {_listed(links)}"
    try:
        settings = load_settings(paths.root, {})
        yield from (f"{name} = {printable_line(value)}" for name, value in _settings(settings))
        servers = sorted(proposed_servers(paths.root))
        if servers:
            yield f"servers of tools, each of which is asked about: {_listed(servers)}"
    except EvolveError as error:
        yield f"settings that cannot be read: {printable_line(str(error))}"
    prompts = [path.name for path in trusted_parts(paths) if path.parent == paths.prompts]
    if prompts:
        yield f"prompts of its own: {_listed(sorted(prompts))}"
    if os.path.lexists(paths.prices):
        yield f"prices of models: {paths.prices.name}"
    if os.path.lexists(paths.db):
        skills, insights = (_count(paths, table) for table in ("skills", "memory_insights"))
        notes = _count(paths, "memory_statements WHERE kind = 'note'", "memory_notes")  # the last, of earlier versions
        yield f"a record with {skills} skills, {insights} insights and {notes} notes"


def _settings(settings: Settings) -> Iterator[tuple[str, Any]]:
    """The settings that the file makes, models first."""
    names = [name for name in settings.sources if settings.sources[name] != "default"]
    for name in sorted(names, key=lambda name: (name not in ("base_url", *_MODELS), name)):
        yield name, getattr(settings, name)


def _count(paths: WorkspacePaths, *tables: str) -> str:
    found = (query_untrusted_file(paths.db, f"SELECT COUNT(*) FROM {table}") for table in tables)
    return next((printable_line(rows[0][0]) for rows in found if rows), "unreadable")


def _user(number: int) -> str:
    try:
        return f"the user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"the user number {number}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(map(printable_line, names[:_MOST])) + more


def printable_line(value: object) -> str:
    """A value that comes from outside, on one short line that steers no terminal."""
    text = str(value)
    text = text if text.isprintable() else ascii(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
