"""The last resort: a model's opinion, marked as one."""

from __future__ import annotations

import json

import pytest

from evolve.runtime.models import ModelSetup, open_models
from evolve.tasks import RubricVerifier, Submission
from evolve.testing import LocalWire, TrustingSandbox


@pytest.fixture
def judge():
    opened = []

    def make(answer, **more):
        setup = ModelSetup(model="http://x/v1#m", environ={}, wire=lambda endpoint: LocalWire(answer))
        opened.append(open_models(setup))
        return RubricVerifier(model=opened[-1], prompt="Accept what is polite.", **more)

    yield make
    for models in opened:
        models.close()


def polite(body):
    text = json.dumps(body["messages"])
    assert "Accept what is polite." in text
    return json.dumps({"accepted": "please" in text, "reason": "it asks\nnicely"})


def test_what_a_model_accepts_is_judged_and_never_verified(judge):
    verdict = judge(polite).verify(Submission(files={"letter.txt": b"please come"}), TrustingSandbox())
    assert (verdict.accepted, verdict.verified, verdict.judged) == (True, False, True)
    assert verdict.text.startswith("judged by") and verdict.text.endswith("not verified: it asks nicely")
    assert not judge(polite).verify(Submission(code="come"), TrustingSandbox()).accepted


def test_an_answer_too_long_to_be_read_whole_is_not_accepted(judge):
    verdict = judge(polite, largest=20).verify(Submission(code="please " * 20), TrustingSandbox())
    assert (verdict.accepted, verdict.judged) == (False, True)
