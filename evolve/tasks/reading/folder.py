"""What a task file says of work in a folder, under the key ``files``."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from evolve.core.episodes import Json
from evolve.runtime.sandbox.actions import is_plain_name
from evolve.tasks.reading.limits import FilePosition, check_value
from evolve.tasks.reading.validation import printable, validate_json
from evolve.tasks.work import MAX_CHECK_S, PROTECTED, FolderWork


class _WorkModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    folder: str
    check: str = ""
    base: str = ""
    protected: list[str] | None = None
    hidden_check: str = ""
    hidden_files: dict[str, str] = {}
    seconds: float = 120.0
    elsewhere: bool = False
    named: list[str] = []


def folder_work(data: Json, place: FilePosition) -> FolderWork:
    """The work, with its folder found from the place of the file that names it.

    Raises:
        TaskError: Something is missing, too large or of another kind.
    """
    model: _WorkModel = validate_json(_WorkModel, data, place)
    if not 0 < model.seconds <= MAX_CHECK_S:
        raise place.at("seconds").error(f"not more than 0 and at most {MAX_CHECK_S:g}")
    for name in model.hidden_files:
        if not is_plain_name(name):
            raise place.at("hidden_files").error(f"{printable(name)!r} is not a plain relative file name")
    check_value([model.folder, model.check, model.hidden_check, *model.hidden_files.values()], place)
    folder = Path(place.file).parent / Path(model.folder).expanduser()
    return FolderWork(
        folder=str(folder),
        check=model.check,
        base=model.base,
        protected=PROTECTED if model.protected is None else tuple(model.protected),
        hidden_check=model.hidden_check,
        hidden_files=model.hidden_files,
        seconds=model.seconds,
        # What a file names is no word of the person who runs it.
        named=() if Path(place.file).is_file() else tuple(model.named),
        elsewhere=model.elsewhere or _is_elsewhere(folder, Path(place.file)),
    )


def _is_elsewhere(folder: Path, file: Path) -> bool:
    """Whether a folder lies neither beside the file that names it nor below; what no file names was stored here."""
    return file.is_file() and not folder.resolve().is_relative_to(file.resolve().parent)
