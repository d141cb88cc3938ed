"""What holds for every test: no network, no real home, no settings from outside, one thread per library.

Where tests spend their time is told by ``--durations=50``; what they wait for most is the disk, and Python that starts.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
import socket
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.offering import put_metadata

# Until the tests are collected nearly all that is made stays, and to look for what does not takes a tenth of the time.
gc.disable()

# Libraries read this once, when they are first imported.
os.environ["OMP_NUM_THREADS"] = "1"

# A simulator in Java lives for seconds here; the compiler that makes long runs fast would take a third of them.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")

# Importing readline sets these in the C environment, past ``os.environ``; commands then fold what goes into a pipe.
for _name in ("COLUMNS", "LINES"):
    os.environ.pop(_name, None)
    os.unsetenv(_name)

# Hundreds of tests start Python; without bytecode each of them would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A commit of the database waits some ten milliseconds for a disk, and next to nothing for memory. What it has to
# survive in the tests is the end of a process, which loses neither.
_MEMORY = Path("/dev/shm")
_ROOM = 2 << 30


def _holds_folders(place: Path) -> bool:
    """Whether it is a place to write to that has room, and from which programs may be started."""
    if not os.access(place, os.W_OK):
        return False
    state = os.statvfs(place)
    return not state.f_flag & os.ST_NOEXEC and state.f_bavail * state.f_frsize >= _ROOM


if _holds_folders(_MEMORY):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# The same examples on every run and every machine; time limits would only measure the neighbours.
hypothesis.settings.register_profile("evolve", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("evolve")

_HOME_VARIABLES = {
    "HOME": "",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
}
_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY")
_LOOPBACK = ("127.", "::1", "localhost")


LIVE = pytest.StashKey[str]()
"""The model that ``EVOLVE_LIVE_MODEL`` names, read before the variables of the developer are taken away."""


WORKERS = 2
"""How many processes share the tests; as many as the smallest machine has cores."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Shares the tests among processes, unless the command line says how many or wants to see one at work.

    A few named tests sooner run than workers start. What ``-s`` and ``--pdb`` show would be lost in another process.
    """
    option = config.option
    if not config.pluginmanager.hasplugin("xdist") or hasattr(config, "workerinput") or option.numprocesses is not None:
        return
    alone = option.live or option.usepdb or option.capture == "no" or any(Path(name).suffix for name in config.args)
    if not alone:
        option.numprocesses = WORKERS
        option.dist = "worksteal" if option.dist == "no" else option.dist


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every second worker reads the files from the last to the first.

    In a fresh tree half of the work before the first test is to compile them, and each then finds half of that done.
    """
    report = yield
    name = getattr(collector.config, "workerinput", {}).get("workerid", "gw0")
    if isinstance(collector, pytest.Directory) and int(name.removeprefix("gw")) % 2:
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """All workers have the tests in the same order, whichever way they went."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path.parts)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was read to collect the tests stays to the end, so the collector need not go through it again and again.

    It takes a tenth of the time of all tests otherwise, and more in workers, which hold thousands of tests.
    """
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--live", action="store_true", help="only the tests against a real model's server")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LIVE] = os.environ.get("EVOLVE_LIVE_MODEL", "")
    if config.getoption("--live"):
        config.option.markexpr = "live"


@pytest.fixture(scope="session")
def private_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home folder for the whole session, so that caches in it are made once."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session", autouse=True)
def _home_of_shared_workspaces(private_home: Path) -> Iterator[None]:
    """What is made once for several tests is entered in the same register of workspaces as what a test makes."""
    patch = pytest.MonkeyPatch()
    for name, folder in _HOME_VARIABLES.items():
        patch.setenv(name, str(private_home / folder))
    yield
    patch.undo()


@pytest.fixture(scope="session")
def _workspace_numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture(autouse=True)
def _own_environment(private_home: Path, _workspace_numbers: Iterator[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has its own workspace and none of the developer's settings or keys."""
    for name in [*os.environ]:
        if name.startswith("EVOLVE_") or name in _KEYS:
            monkeypatch.delenv(name)
    for name, folder in _HOME_VARIABLES.items():
        monkeypatch.setenv(name, str(private_home / folder))
    # What an endpoint could do is remembered by its port, and another test's endpoint may get the same one.
    (private_home / ".cache" / "evolve" / "endpoints.json").unlink(missing_ok=True)
    workspace = private_home / "workspaces" / str(next(_workspace_numbers))
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(workspace))


@pytest.fixture
def generators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What draws fresh tasks of the built-in suites is installed, as it is with an editable install of a clone."""
    put_metadata(tmp_path / "site", "evolve-clone", {"evolve.suites": {"lists": "benchmarks.suites.lists:generate"}})
    monkeypatch.syspath_prepend(tmp_path / "site")


@pytest.fixture
def few_rivals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hardly anything is tried in search of other functions that fit the rows, which takes longer than an answer."""
    monkeypatch.setattr("evolve.workspace.runs.ambiguity.CANDIDATES", (300, 300))


@pytest.fixture
def short_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds nothing for a person's own task gives up early, far beyond what the test's functions take."""
    monkeypatch.setattr("evolve.core.settings.OWN_BOUNDS", {"candidates": 60_000, "seconds": 60.0})


@pytest.fixture(autouse=True)
def _ctrl_c_in_hand() -> Iterator[None]:
    """Ctrl-C raises in every test, whatever the one before left behind.

    Whoever starts the tests in the background has it ignored in them, and in all processes that they start; a command
    that ran in this process leaves it to end the process.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """A connection to anywhere but this machine is a failure of the test that tried it."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex", "sendto"):
        patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    yield
    patch.undo()


def _guarded(original: Any) -> Any:
    def call(self: socket.socket, *args: Any) -> Any:
        address = args[-1]
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(_LOOPBACK):
            pytest.fail(f"a test tried to reach {address[0]}")
        return original(self, *args)

    return call
