"""Settings of a workspace: defaults, then ``evolve.toml`` or ``[tool.evolve]``, then variables of the environment.

Only :data:`VARIABLES` are read. A variable may lower a limit on spending, never lift one. Command-line options come
last and are the command line's business.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.extensions import BUILT_IN, install_hint, installed_extensions
from evolve.core.files import parse_toml, read_text
from evolve.core.paths import MARKER

if TYPE_CHECKING:
    from pydantic import BaseModel

    from evolve.core.ledger import Budget

SandboxBackend = Literal["auto", "bubblewrap", "landlock", "seatbelt"]
LearnMode = Literal["off", "after", "full"]
"""Nothing is learned from a run; claims and skills with one try that asks a model again; or with all tries."""

ReplyForm = Literal["blocks", "json"]
"""How a model says what it does: words and fenced blocks, or one JSON object by a schema."""

Switch = Literal["on", "off"]
T = TypeVar("T")

_PREFIX = "EVOLVE_"
OWN_BOUNDS: Mapping[str, float] = MappingProxyType({"candidates": 2_000_000, "seconds": 60.0})
"""What the search may spend on a person's own task, unless a setting says something else for every task."""
_TOOLS = "tools"
"""The table of tool servers, which is no setting."""

LIMITS = ("day_limit", "total_limit")
"""Settings that bound spending: what is said in several places holds all at once."""
NOBODY = "none"
_SEAMS = {"encoder": "encoders", "vectors": "vectors", "workers_on": "workers", "proposer": "proposers"}
"""Settings that name something installed, or by default a word that stands for no single one; each with its seam."""

VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "EVOLVE_WORKSPACE": "the workspace, where -w names none; it selects and does not trust",
        "EVOLVE_MODEL": "setting `model`: the language model, as `evolve models default` chooses it",
        "EVOLVE_BASE_URL": "setting `base_url`",
        "EVOLVE_API_KEY": "the key for endpoints other than the one that OPENAI_API_KEY is for",
        "EVOLVE_SANDBOX": "setting `sandbox`; cannot be none",
        "EVOLVE_WORKERS": "setting `workers`",
        "EVOLVE_CANDIDATES": "setting `candidates`",
        "EVOLVE_SECONDS": "setting `seconds`",
        "EVOLVE_SEED": "setting `seed`, and --seed where it is not given",
        "EVOLVE_BUDGET": "--budget where it is not given; several bounds with spaces between",
        "EVOLVE_DAY_LIMIT": "one more bound beside the setting `day_limit`",
        "EVOLVE_TOTAL_LIMIT": "one more bound beside the setting `total_limit`",
        "EVOLVE_PLAIN": "1: `evolve chat` writes plain lines, as with --plain",
        "EVOLVE_UNSAFE": "I_UNDERSTAND: the second word that --set sandbox=none needs; does nothing alone",
        "EVOLVE_FAULT": "for tests of evolve: makes a crash happen at a named place",
    }
)
"""Every variable that evolve reads of its own, with its meaning. None deletes, overwrites, approves or spends: that is
said on the command line."""


def _setting(default: T, about: str, **bounds: float) -> T:
    made: T = field(default=default, metadata={"about": about, "bounds": bounds})
    return made


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a workspace decides for all its runs.

    Attributes:
        sources: Where each value came from: ``default``, a file's path, or a variable's name.
        unsandboxed: ``--set sandbox=none`` was given. No file and no variable can say so.
    """

    candidates: int = _setting(
        50_000, "most expressions the search tries in one episode; 2,000,000 in a run of your own, unless set", ge=1
    )
    seconds: float = _setting(
        20.0, "most CPU seconds of the policy in one episode; 60 in a run of your own, unless set", gt=0
    )
    seed: int = _setting(0, "seed of everything drawn at random", ge=0, le=2**63 - 1)
    workers: int = _setting(0, "processes that work side by side; 0 means one per core", ge=0, le=1024)
    workers_on: str = _setting("local", "what runs the episodes of a loop: local, or one of a package")
    proposer: str = _setting(NOBODY, "what proposes further tasks to practise on: none, or one of a package")
    encoder: str = _setting(
        "hashing",
        "text encoder for recall: hashing, minilm (trained), minilm:/FOLDER of weights, st, or one of a package",
    )
    vectors: str = _setting("auto", "store of vectors: exact, chroma, auto (exact while small), or a package's")
    sandbox: SandboxBackend = _setting("auto", "sandbox backend: auto, bubblewrap, landlock or seatbelt")
    model: str = _setting("", "language model: NAME, openai:NAME or http://host/v1#NAME; cheap,dear")
    model_act: str = _setting("", "model that acts, where it is another one")
    model_reflect: str = _setting("", "model that reflects, where it is another one")
    model_judge: str = _setting("", "model that judges, where it is another one")
    model_rewrite: str = _setting("", "model that rewrites prompts and workflows, where it is another one")
    base_url: str = _setting("", "address where bare model names are looked for")
    reply_form: ReplyForm = _setting(
        "blocks", "form of a model's actions: blocks (words and fenced code) or json (for a strict schema)"
    )
    history_share: float = _setting(
        0.6, "share of a model's window that earlier steps may fill before they are summed up", ge=0.05, le=0.9
    )
    reply_seconds: float = _setting(600.0, "longest wait for one reply of a model, in seconds", gt=0)
    day_limit: str = _setting("", "most that models may spend in a day, such as $5, 2M-tokens, 500-calls")
    total_limit: str = _setting("", "most that models may ever spend in this workspace")
    learn: LearnMode = _setting(
        "after", "what a run of your own teaches: off, after (once its result was shown) or full"
    )
    learn_share: float = _setting(
        0.5, "what learning from a run may spend, as a share of what solving might", ge=0, le=4
    )
    shadow_share: float = _setting(
        0.0,
        "share of your own tasks with a model that are solved once more without what was learned, to see whether"
        " learning helps; each may cost as much again as its run",
        ge=0,
        le=1,
    )
    habits: Switch = _setting("on", "where rows leave a format open, take that of earlier answers: on or off")
    seed_skills: Switch = _setting("on", "use the skills that come with evolve: on or off")
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)
    unsandboxed: bool = False

    @property
    def role_models(self) -> dict[str, str]:
        """The models of single roles, where they are not the common one."""
        named = {
            "act": self.model_act,
            "reflect": self.model_reflect,
            "judge": self.model_judge,
            "rewrite": self.model_rewrite,
        }
        return {role: text for role, text in named.items() if text.strip()}

    @property
    def own_candidates(self) -> int:
        """Most expressions the search tries for a person's own task."""
        return int(self._own("candidates"))

    @property
    def own_seconds(self) -> float:
        """Most CPU seconds of the search for a person's own task."""
        return self._own("seconds")

    def _own(self, name: str) -> float:
        value: float = getattr(self, name)
        is_set = self.sources.get(name, "default") != "default" or value != getattr(Settings, name)
        return value if is_set else OWN_BOUNDS[name]

    @property
    def worker_count(self) -> int:
        """Processes to use, at least one."""
        return self.workers or os.cpu_count() or 1


def setting_fields() -> tuple[Field[Any], ...]:
    """The fields a person can set, in order; ``metadata["about"]`` explains each."""
    return tuple(item for item in fields(Settings) if "about" in item.metadata)


def setting_of(name: str, text: str, *, place: str) -> dict[str, Any]:
    """The value of one setting, read from a text.

    Raises:
        UsageError: Naming the place; the text is no value of this setting.
    """
    return _checked({name: text}, strings=True, place=place)


def load_settings(root: Path | None, environ: Mapping[str, str] | None = None) -> Settings:
    """Reads and checks the settings that hold in a workspace.

    Args:
        root: The workspace's folder, or None for defaults and variables only.
        environ: Environment to read; default: the process's own.

    Raises:
        WorkspaceError: Naming the file and the key that is wrong.
        UsageError: Naming the variable that is wrong.
    """
    values: dict[str, Any] = {}
    sources = {item.name: "default" for item in setting_fields()}
    file, raw = _read_file(root) if root is not None else (None, {})
    raw.pop(_TOOLS, None)
    if file is not None:
        values.update(_checked(raw, strings=False, place=str(file)))
        sources.update(dict.fromkeys(raw, str(file)))
    variables = _read_environment(os.environ if environ is None else environ)
    for name, text in variables.items():
        variable = _PREFIX + name.upper()
        checked = _checked({name: text}, strings=True, place=variable)
        if name in LIMITS and values.get(name):  # both hold, so a variable never lifts what the file says
            checked, sources[name] = {name: f"{values[name]} {text}"}, f"{sources[name]} and {variable}"
        else:
            sources[name] = variable
        values.update(checked)
    return Settings(**values, sources=sources)


def proposed_servers(root: Path) -> Mapping[str, Any]:
    """The tables ``[tools.servers.NAME]`` of a workspace's settings, unread: whoever wrote them can only propose.

    Raises:
        WorkspaceError: Naming the file and the key that is wrong.
    """
    file, raw = _read_file(root)
    tools = _table(raw.get(_TOOLS, {}), file or root, _TOOLS)
    if unknown := sorted(tools.keys() - {"servers"}):
        raise WorkspaceError(f"{file}: unknown key '{_TOOLS}.{unknown[0]}'; known is servers")
    return {
        name: _table(value, file or root, f"{_TOOLS}.servers.{name}")
        for name, value in _table(tools.get("servers", {}), file or root, f"{_TOOLS}.servers").items()
    }


def settings_template() -> str:
    """The text of a new ``evolve.toml``: every key with its default and meaning, commented out."""
    lines = ["# Settings of this workspace. `evolve status --settings` shows what holds and where it comes from.", ""]
    for item in setting_fields():
        default = f'"{item.default}"' if isinstance(item.default, str) else f"{item.default}"
        lines.append(f"# {item.name} = {default}    # {item.metadata['about']}")
    return "\n".join(lines) + "\n"


def _read_file(root: Path) -> tuple[Path | None, dict[str, Any]]:
    marker, project = root / MARKER, root / "pyproject.toml"
    if marker.is_file():
        whole = _toml(marker)
        table = whole.get("evolve", whole)
        return marker, _table(table, marker, "evolve")
    if project.is_file():
        tool = _toml(project).get("tool", {})
        if "evolve" in tool:
            return project, _table(tool["evolve"], project, "tool.evolve")
    return None, {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(read_text(path), str(path))
    except UsageError as error:
        raise WorkspaceError(str(error), hint=error.hint) from error


def _table(value: Any, path: Path, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WorkspaceError(f"{path}: {name}: expected a table of settings")
    return value


def _read_environment(environ: Mapping[str, str]) -> dict[str, str]:
    names = {item.name: _PREFIX + item.name.upper() for item in setting_fields()}
    values = {name: environ.get(variable, "") for name, variable in names.items() if variable in VARIABLES}
    return {name: text for name, text in values.items() if text}  # an empty variable counts as unset


def unread_variables(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Variables that look like ours and are not: a name misspelt, or of something that only an option says."""
    return tuple(sorted(name for name in environ or os.environ if name.startswith(_PREFIX) and name not in VARIABLES))


def _checked(raw: Mapping[str, Any], *, strings: bool, place: str) -> dict[str, Any]:
    if not raw:
        return {}  # most workspaces say nothing, and making the schema costs more than opening one
    from pydantic import ValidationError

    schema = _schema()
    try:
        model = schema.model_validate_strings(raw) if strings else schema.model_validate(raw, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        if first["type"] == "extra_forbidden":
            known = ", ".join(item.name for item in setting_fields())
            raise WorkspaceError(f"{place}: unknown key {key!r}; known are {known}") from error
        problem = f"{_sentence(first['msg'])}, got {first['input']!r}"
        raise _setting_error(place, "" if strings else key, problem) from error
    values = model.model_dump(exclude_unset=True)
    for key in (name for name in LIMITS if name in values):
        try:
            if limit_of(values[key]).candidates is not None:
                raise UsageError(
                    "candidates are tried without a model", hint="limit tokens, calls or money, such as $5"
                )
        except UsageError as error:
            problem = str(error).removeprefix("--budget ")
            raise _setting_error(place, "" if strings else key, problem, hint=error.hint) from error
    for key in (name for name in _SEAMS if name in values):
        if problem := _not_offered(key, values[key]):
            other = f"choose another one, or install the package that has {values[key]!r}; see evolve status --settings"
            hint = install_hint(values[key].partition(":")[0]) or other
            raise _setting_error(place, "" if strings else key, problem, hint=hint)
    if values.get("base_url", "").strip() and not is_address(values["base_url"].strip()):
        problem = f"{values['base_url']!r} is not an address"
        raise _setting_error(place, "" if strings else "base_url", problem, hint="such as http://localhost:8000/v1")
    return values


def _not_offered(key: str, name: str) -> str:
    """A sentence where nobody offers what a setting names, else ""."""
    seam, default = _SEAMS[key], str(getattr(Settings, key))
    if name == default or name in BUILT_IN[seam]:
        return ""
    others = installed_extensions(seam)
    known = ", ".join(dict.fromkeys([default, *BUILT_IN[seam], *others]))
    offered = name.partition(":")[0] if key == "encoder" else name  # a folder may follow
    return "" if offered in others else f"there is no {name!r}; there are {known}"


def is_address(text: str) -> bool:
    """Whether a text has the form of an endpoint's address."""
    try:
        parts = urlsplit(text)
        plain = text.isprintable() and not any(sign in text for sign in ' "<>\\^`{|}')
        return plain and parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _setting_error(place: str, key: str, problem: str, *, hint: str = "") -> UsageError | WorkspaceError:
    """The error for a value in a file, or in a variable where there is no key: that was typed by who calls."""
    return (
        WorkspaceError(f"{place}: {key}: {problem}", hint=hint) if key else UsageError(f"{place}: {problem}", hint=hint)
    )


def limit_of(text: str) -> Budget:
    """The bounds that the text of a limit names, with blanks or commas between them; "" for none.

    Raises:
        UsageError: It is malformed.
    """
    from evolve.core.ledger import parse_budget

    return parse_budget(re.split(r"[\s,]+", text.strip()) if text else ())


def _sentence(message: str) -> str:
    return message[:1].lower() + message[1:]


@cache
def _schema() -> type[BaseModel]:
    """The pydantic model of the settings; built on use, since importing pydantic is not free."""
    from typing import get_type_hints

    from pydantic import ConfigDict, Field, create_model

    hints = get_type_hints(Settings)
    keys: dict[str, Any] = {
        item.name: (hints[item.name], Field(default=item.default, **item.metadata["bounds"]))
        for item in setting_fields()
    }
    return create_model("SettingsFile", __config__=ConfigDict(extra="forbid", allow_inf_nan=False), **keys)
