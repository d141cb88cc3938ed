"""Where tasks come from that nobody wrote down: a repository's history, and the examples in folders of skills."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from evolve.core import frontmatter
from evolve.core.episodes import ExternalSkill, Guidance
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.runtime.folder_tree import FolderTree, read_tree
from evolve.runtime.sandbox.actions import is_plain_name
from evolve.tasks import Suite, Task, write_jsonl
from evolve.tasks.reading.git import CommitHistory, HistoryRules, tasks_from_git, write_tree
from evolve.tasks.work import FolderWork
from evolve.workspace.folder_needs import environment_for
from evolve.workspace.opening import sandbox_opener
from evolve.workspace.services import WorkspaceServices

_CHECK = """\
import json


def test_answer():
    with open("answer.json", encoding="utf-8") as file:
        assert json.load(file) == json.loads({expected!r})
"""


def write_history(
    services: WorkspaceServices, repo: Path, file: Path, rules: HistoryRules, python: str | os.PathLike[str] | None
) -> CommitHistory:
    """A repository's newest commits as a task file with the folders beside it; none where no commit makes a task.

    Args:
        python: A virtual environment for the tests; by default the repository's own.
    """
    repo = repo.expanduser().absolute()
    folders = file.absolute().with_name(f"{file.stem}-folders")
    opener = sandbox_opener(services.settings, [services.paths.root, repo])
    with closing(opener(python=environment_for(str(repo), python))) as sandbox:
        history = tasks_from_git(repo, folders, rules, sandbox)
    if history.tasks:
        # By the place of the file, so that it can be moved together with them.
        write_jsonl([_in(task, f"{folders.name}/{task.id}") for task in history.tasks], file)
    return history


def _in(task: Task, folder: str) -> Task:
    assert isinstance(task.work, FolderWork)
    return replace(task, work=replace(task.work, folder=folder))


def read_guidance(place: Path) -> Guidance:
    """A folder of skills, wherever in it they lie; one skill; or a file of notes. Nothing of it is run.

    Raises:
        UsageError: It is none of these, or two skills have one name.
    """
    path = place.expanduser().absolute()
    if path.is_file():
        return Guidance(guides=(ExternalSkill(name=path.name, files={path.name: path.read_bytes()}),))
    files = read_tree(path).files
    roots = sorted(name.removesuffix("SKILL.md") for name in files if f"/{name}".endswith("/SKILL.md"))
    guides: dict[str, ExternalSkill] = {}
    for root in roots:
        if any(root != other and root.startswith(other) for other in roots):
            continue  # a skill inside of another one is a file of that
        own = {name[len(root) :]: data for name, data in files.items() if name.startswith(root)}
        name = root.rstrip("/").rpartition("/")[2] or path.name
        if name in guides:
            raise UsageError(f"{path} holds two skills named {name}", hint="name the folder of one of them")
        guides[name] = ExternalSkill(
            name=name, description=_described(own["SKILL.md"].decode("utf-8", "replace")), files=own
        )
    if not guides:
        raise UsageError(f"{path} holds no SKILL.md", hint="name a folder of skills, or a file such as CLAUDE.md")
    return Guidance(guides=tuple(guides.values()))


def _described(document: str) -> str:
    """What a skill says of itself; also of looser front matter than the format's, as many readers take it."""
    try:
        return str(frontmatter.parse(document)[0].get("description", ""))
    except UsageError:
        lines = [line for line in document.split("\n---")[0].splitlines() if line.startswith("description:")]
        return lines[0].partition(":")[2].strip().strip("\"'") if lines else ""


def tasks_of_evals(guidance: Guidance, folders: Path) -> Suite:
    """The evals of the skills themselves that code can check: those whose expected output is JSON.

    Raises:
        UsageError: There are none.
    """
    tasks = [task for guide in guidance.guides for task in _evals(guide, folders)]
    if not tasks:
        raise UsageError(
            "no skill here has evals that code can check, so there are no tasks",
            hint="name some with --tasks FILE, or take a repository's history: --from-git .",
        )
    return Suite(name="evals of the skills", tasks=tuple(tasks))


def _evals(guide: ExternalSkill, folders: Path) -> Iterator[Task]:
    try:
        cases = list(json.loads(guide.text("evals/evals.json"))["evals"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    for number, case in enumerate(case for case in cases if isinstance(case, dict)):
        prompt, expected = str(case.get("prompt", "")), case.get("expected_output")
        try:
            wanted = json.dumps(json.loads(expected) if isinstance(expected, str) else expected)
            asked = prompt.encode()
        except (ValueError, RecursionError):
            continue  # words, which only a reader can judge, or no text
        if not prompt or wanted == "null":
            continue
        given = [name for name in case.get("files") or () if isinstance(name, str) and is_plain_name(name)]
        found = {name: guide.files.get(name, guide.files.get(f"evals/{name}")) for name in given}
        files = {"task.txt": asked, **{name: data for name, data in found.items() if data is not None}}
        folder = folders / digest(canonical_json([[name, digest(data)] for name, data in sorted(files.items())]))[:12]
        write_tree(FolderTree(files=files), folder)
        hidden = {"test_answer.py": _CHECK.format(expected=wanted)}
        work = FolderWork(folder=str(folder), hidden_check="python -m pytest -q test_answer.py", hidden_files=hidden)
        words = f"{prompt}\n\nWrite the answer, and nothing else, as JSON into the file answer.json."
        yield Task(id=f"{guide.name}-{number + 1}", family=guide.name, instruction=words, examples=(), work=work)
