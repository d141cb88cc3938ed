"""One run of many calls over several real servers, killed again and again: what was lost or done twice, in silence?

The process that holds the gate gets SIGKILL at random moments, often while a call is under way, and the same run is
gone on with. Two servers are ours and write down what reaches them, on disk before they answer, one over pipes (it dies
with the gate) and one over HTTP (it goes on). Two come from the package index, ``mcp-server-git``, whose branches tell
what reached it, and ``mcp-server-time``. What the code was told of each call is held against that.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import evolve
from benchmarks.record import ROOT, progress
from evolve.runtime.functions import CallFile
from evolve.runtime.functions.servers import Server
from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of, question_of

LEDGER = ROOT / "benchmarks" / "ledger_server.py"
_CALLS = {
    "book": "functions.book_put(number)",
    "web": "functions.web_put(number)",
    "git": "functions.git_git_create_branch({repo!r}, 'b' + str(number))",
    "time": "functions.time_get_current_time('UTC')",
}
_GAVE = re.compile(r"value: \W*(\d+ of \d+)")


@dataclass(frozen=True, kw_only=True)
class Errand:
    """Where everything of the run lies.

    Attributes:
        folder: A fresh one, with room for the workspace, the ledgers and a repository.
        peers: An interpreter that has the servers of others; None leaves them out.
    """

    folder: Path
    count: int
    peers: Path | None = None

    @property
    def names(self) -> Sequence[str]:
        """The servers in the order in which they are called."""
        return list(_CALLS) if self.peers is not None else list(_CALLS)[:2]

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    def servers(self, port: int) -> Sequence[Server]:
        """All of them, as a person would approve them."""
        read = (os.path.realpath(sys.prefix), str(LEDGER.parent))
        book, notes = str(self.folder / "book"), (str(self.folder / "book"),)
        found = [
            Server(name="book", command=(sys.executable, str(LEDGER), f"{book}/ledger"), readable=read, writable=notes),
            Server(name="web", url=f"http://127.0.0.1:{port}/mcp"),
        ]
        if self.peers is not None:
            python, read = str(self.peers), (os.path.realpath(self.peers.parent.parent),)
            command = (python, "-m", "mcp_server_git")
            found.append(Server(name="git", command=command, readable=read, writable=(str(self.repository),)))
            command = (python, "-m", "mcp_server_time", "--local-timezone", "UTC")
            found.append(Server(name="time", command=command, readable=read))
        return found

    def code(self) -> str:
        """What the double hands in: every server in turn, and how many calls were answered."""
        lines = ["import functions", "answered = 0", f"for number in range({self.count}):", "    try:"]
        for place, name in enumerate(self.names):
            call = _CALLS[name].format(repo=str(self.repository))
            lines.append(f"        if number % {len(self.names)} == {place}: {call}")
        lines += ["        answered += 1", "    except functions.FunctionError:", "        pass"]
        return "\n".join([*lines, f"str(answered) + ' of {self.count}'"])

    def reached(self, name: str) -> Counter[int] | None:
        """How often each number reached a server, by what it left behind; None where it leaves nothing."""
        if name == "git":
            told = subprocess.run(
                ["git", "branch", "--list", "b*"], cwd=self.repository, capture_output=True, text=True
            )
            return Counter(int(line.strip(" *b")) for line in told.stdout.splitlines())
        ledger = self.folder / name / "ledger"
        if name == "time":
            return None
        return Counter(map(int, ledger.read_text("ascii").split())) if ledger.exists() else Counter()


@dataclass(frozen=True)
class Runner:
    """A double of a model that has the code run and hands in its value."""

    code: str

    def answer(self, body: Mapping[str, Any]) -> str:
        if question_of(body) != "action":
            return json.dumps({"claims": [], "goal": "run it", "subgoals": []})
        gave = _GAVE.search(prompt_of(body))
        return f"```answer\n{gave[1]}\n```" if gave else f"```python\n{self.code}\n```"


def errand(count: int, kills: int, peers: Path | None, seed: int) -> Iterator[Mapping[str, Any]]:
    """A row for each server."""
    with tempfile.TemporaryDirectory(prefix="errand-") as folder:
        run = Errand(folder=Path(folder), count=count, peers=peers)
        for name in ("book", "web"):
            (run.folder / name).mkdir()
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "init", "-q", run.repository], check=True)
        commit = ["git", *author, "commit", "-q", "--allow-empty", "-m", "first"]
        subprocess.run(commit, cwd=run.repository, check=True)
        began = time.monotonic()
        with (
            over_http(run.folder / "web" / "ledger") as port,
            ScriptedEndpoint(double=Runner(run.code())) as endpoint,
        ):
            job = {"model": endpoint.model, "servers": [{"name": s.name, **s.to_json()} for s in run.servers(port)]}
            (run.folder / "job.json").write_text(json.dumps(job))
            killed, answer = _killed_again_and_again(run, kills, random.Random(seed))
        wall = time.monotonic() - began
        yield from _held_against(
            run, {"part": "errand", "seed": seed, "asked": count, "kills": killed, "answer": answer, "wall s": wall}
        )


@contextmanager
def over_http(ledger: Path) -> Iterator[int]:
    """Our server at a port of this machine, until the block ends."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    command = [sys.executable, str(LEDGER), str(ledger), str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port
    finally:
        server.kill()
        server.wait()


def _killed_again_and_again(run: Errand, kills: int, draws: random.Random) -> tuple[int, str]:
    """How many kills there were, and what the run answered in the end."""
    lines = sorted(draws.sample(range(1, 2 * run.count - 1), kills))
    killed = 0
    for target in (*lines, None):
        worker = _started(run)
        while worker.poll() is None:
            if target is not None and _lines_of(run) >= target:
                time.sleep(draws.uniform(0.0, 0.015))  # a call takes about as long
                worker.send_signal(signal.SIGKILL)
                break
            time.sleep(0.001)
        out, _ = worker.communicate()
        killed += worker.returncode == -signal.SIGKILL
        if worker.returncode == 0:
            return killed, out.strip()
        if worker.returncode != -signal.SIGKILL:
            raise RuntimeError(f"the run ended with {worker.returncode}: {(run.folder / 'errors').read_text()[-2000:]}")
        progress(f"killed at line {_lines_of(run)}")
    raise RuntimeError("the run did not end")


def _started(run: Errand) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.tool_errand", str(run.folder)]
    around = {**os.environ, "XDG_STATE_HOME": str(run.folder / "state")}
    with (run.folder / "errors").open("w") as errors:
        return subprocess.Popen(command, cwd=ROOT, env=around, stdout=subprocess.PIPE, stderr=errors, text=True)


def _lines_of(run: Errand) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (run.folder / "ws").rglob("calls.jsonl"))


def _held_against(run: Errand, known: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A row for each server: what the code was told of its calls against what reached it."""
    (path,) = (run.folder / "ws").rglob("calls.jsonl")
    told: dict[str, dict[int, str]] = {name: {} for name in run.names}
    for place, (call, answer) in CallFile(path).calls.items():
        # calls are made in the order of their numbers, one each
        told[call.function.partition("_")[0]][place[1] - 1] = "unknown" if answer is None else answer.state
    for name in run.names:
        states, reached = Counter(told[name].values()), run.reached(name)
        row = {**known, "server": name, "calls": len(told[name]), **{f"{state}": n for state, n in states.items()}}
        if reached is not None:
            row["lost"] = sum(state == "answered" and not reached[number] for number, state in told[name].items())
            row["repeated"] = sum(count > 1 for count in reached.values())
            sure = ("failed", "refused", "unknown")
            row["wrongly told"] = sum(state in sure and bool(reached[n]) for n, state in told[name].items())
            row["unasked"] = len(set(reached) - set(told[name]))
        yield row


def work(folder: Path) -> None:
    """Approves the servers where that was not done, runs the task, and prints its answer."""
    job = json.loads((folder / "job.json").read_text())
    evolve.init(folder / "ws")
    shelf = evolve.workspace.servers(folder / "ws")
    approved = {known.server.name for known in shelf.list()}
    for table in job["servers"]:
        if table["name"] not in approved:
            lists = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
            offers, reads = shelf.add(Server(**lists)), table["name"] == "time"
            effects, tools = ["reads" if reads else "changes"], [offer.tool for offer in offers]
            shelf.allow(table["name"], tools, effects=effects, repeatable=reads, grants={"*": "allow"})
    with evolve.open(folder / "ws", model=job["model"]) as workspace:
        print(workspace.run("run the errand", budget="5M-tokens").answer)


if __name__ == "__main__":
    work(Path(sys.argv[1]))
