"""A virtual environment is shown, and nothing else of the folder in which it lies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve.core.errors import SandboxUnavailable, UsageError
from evolve.runtime.sandbox import Sandbox, SandboxLimits, open_sandbox

SECRET = "only for its owner"
READ = """
import os
said = {}
for path in PATHS:
    try:
        said[path] = os.listdir(path) if path.endswith("/") else open(path).read()
    except OSError as error:
        said[path] = None
said
"""


@pytest.fixture(params=["bubblewrap", "landlock"])
def opened(request: pytest.FixtureRequest, cache_dir):
    """Opens the backend with what the test wants."""
    started: list[Sandbox] = []

    def make(**more) -> Sandbox:
        try:
            started.append(open_sandbox(request.param, cache_dir=cache_dir, **more))
        except SandboxUnavailable as error:
            pytest.skip(str(error))
        return started[-1]

    yield make
    for sandbox in started:
        sandbox.close()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project whose folder is its own virtual environment, installed in it so that it can be edited."""
    folder = tmp_path_factory.mktemp("home") / "project"
    folder.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "."], cwd=folder, check=True)
    for name in (".env", "memory_store/memory.db", "lib/own.txt", "src/shop/__init__.py", "bin/.token"):
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(name).write_text(f"# {SECRET}\n")
    deploy = folder / "bin" / "deploy"
    deploy.write_text(f"#!/bin/sh\necho {SECRET}\n")
    tool = folder / "bin" / "tool"
    tool.write_text(f"#!{folder}/bin/python3\nimport parcel, sys\nprint(parcel.weight, sys.prefix)\n")
    for script in (deploy, tool):
        script.chmod(0o755)
    packages(folder).joinpath("parcel.py").write_text("weight = 3\n")
    packages(folder).joinpath("shop.pth").write_text(f"{folder}/src\n")
    yield folder


def packages(folder: Path) -> Path:
    return folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def read(sandbox: Sandbox, *paths: str) -> dict[str, object]:
    result = sandbox.execute(f"PATHS = {paths!r}\n" + READ)
    assert result.state == "ok", result.error
    assert isinstance(result.value, dict)
    return result.value


@pytest.mark.parametrize("named", [".", "bin/python"])
def test_nothing_of_a_project_that_is_its_own_environment_is_shown_but_the_environment(opened, project, named):
    sandbox = opened(python=project / named, hidden=[project])
    kept = [".env", "memory_store/memory.db", "lib/own.txt", "src/shop/__init__.py", "bin/.token", "bin/deploy"]
    said = read(sandbox, *(str(project / name) for name in kept), f"{project}/memory_store/")
    assert set(said.values()) == {None}
    assert sandbox.execute("import parcel\nparcel.weight").value == 3
    assert "version" in str(read(sandbox, str(project / "pyvenv.cfg")))


def test_a_file_of_secrets_beside_the_packages_is_not_shown_and_the_packages_are(opened, project):
    names = [".env", ".env.local", ".environment", "parcel.py"]
    for name in names[:-1]:
        packages(project).joinpath(name).write_text(f"# {SECRET}\n")
    try:
        sandbox = opened(python=project, hidden=[project / "memory_store"])
        said = read(sandbox, *(str(packages(project) / name) for name in names))
        assert [value is None for value in said.values()] == [True, True, False, False]
        code = f"import parcel, subprocess\nsubprocess.run(['cat', {str(packages(project) / '.env')!r}]).returncode"
        assert sandbox.execute(code, SandboxLimits(processes=8)).value != 0
        assert sandbox.execute("import parcel\nparcel.weight").value == 3
    finally:
        for name in names[:-1]:
            packages(project).joinpath(name).unlink()


def test_what_is_only_called_like_the_interpreter_is_not_shown(opened, project):
    beside = [project / "lib/python/.env", project / "lib/python-client/notes", project / "bin/python.env"]
    for path in beside:
        path.parent.mkdir(exist_ok=True)
        path.write_text(SECRET)
    sandbox = opened(python=project)
    assert set(read(sandbox, *map(str, beside)).values()) == {None}
    assert sandbox.execute("import parcel\nparcel.weight").value == 3


@pytest.mark.slow
def test_the_commands_of_an_environment_run_and_find_its_packages(opened, project):
    sandbox = opened(python=project)
    commands = ["tool", "python3 -c 'import parcel; print(parcel.weight)'", "deploy", f"cat {project}/.env"]
    code = (
        f"import subprocess\nCOMMANDS = {commands!r}\n"
        "[subprocess.run(c, shell=True, capture_output=True, text=True).stdout for c in COMMANDS]"
    )
    result = sandbox.execute(code, SandboxLimits(wall_s=30.0, processes=8))
    assert result.value == [f"3 {project}\n", "3\n", "", ""], result.error


def test_a_hidden_folder_below_one_of_the_system_is_hidden_and_what_is_beside_it_is_not(opened):
    beside = next(name for name in sorted(os.listdir("/usr")) if name not in ("share", "bin", "lib"))
    sandbox = opened(hidden=["/usr/share"])
    said = read(sandbox, "/usr/share/", "/usr/bin/", f"/usr/{beside}/")
    assert said["/usr/share/"] is None and said["/usr/bin/"] and said[f"/usr/{beside}/"] is not None
    deeper = sorted(name for name in os.listdir("/usr/share") if os.path.isdir(f"/usr/share/{name}"))[:2]
    said = read(opened(hidden=[f"/usr/share/{deeper[0]}"]), *(f"/usr/share/{name}/" for name in deeper))
    assert [value is None for value in said.values()] == [True, False]


def test_a_workspace_around_the_interpreter_hides_all_but_the_interpreter(opened):
    prefix = os.path.realpath(sys.base_prefix)
    sandbox = opened(hidden=[prefix])
    assert sandbox.execute("import json\njson.loads('1')").value == 1
    said = read(sandbox, f"{prefix}/include/", f"{prefix}/lib/")
    assert said[f"{prefix}/include/"] is None and said[f"{prefix}/lib/"]


def test_a_workspace_inside_a_library_that_code_imports_from_is_refused(project, cache_dir):
    for place in (packages(project) / "ws", Path(os.__file__).parent / "ws"):
        with pytest.raises(UsageError, match="which code in the sandbox can read"):
            open_sandbox(cache_dir=cache_dir, python=project, hidden=[place])
