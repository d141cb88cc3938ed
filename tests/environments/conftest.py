from __future__ import annotations

import pytest

from evolve.runtime.sandbox import open_sandbox
from evolve.tasks import Task
from evolve.tasks.work import FolderWork
from evolve.workspace.opening import cache_folder
from tests.agent.conftest import collector, make_agent

__all__ = ["collector", "make_agent"]

CHECK = "python3 test_total.py"
TEST = "import sys\nfrom total import total\n\nassert total([1, 2]) == 3\nassert total([]) == 0\nprint('fine')\n"
WRONG = "def total(xs):\n    return xs[0]\n"
RIGHT = "open('total.py', 'w').write('def total(xs):\\n    return sum(xs)\\n')"


@pytest.fixture(scope="module")
def sandbox(private_home):
    patch = pytest.MonkeyPatch()
    patch.setenv("HOME", str(private_home))
    patch.setenv("XDG_CACHE_HOME", str(private_home / ".cache"))
    with open_sandbox(cache_dir=cache_folder()) as opened:
        yield opened
    patch.undo()


@pytest.fixture
def project(tmp_path):
    """A folder with a fault, a test, and things that are nobody's business."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text("[core]\n")
    (folder / ".env").write_text("KEY=secret\n")
    (folder / "total.py").write_text(WRONG)
    (folder / "test_total.py").write_text(TEST)
    (folder / "outside").symlink_to(tmp_path)
    return folder


@pytest.fixture
def make_work(project):
    def make(**more):
        work = FolderWork(folder=str(project), check=more.pop("check", CHECK), **more)
        return Task(id="total", family="files", instruction="total adds up", examples=(), work=work)

    return make
