"""Roles and levels: who is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.core.errors import UsageError
from evolve.runtime.models import ModelSetup, open_models
from evolve.testing import LocalWire
from tests.models.conftest import ask


def opened(model, **more):
    wires = []

    def wire(endpoint):
        wires.append(endpoint.model)
        return LocalWire(lambda body: f"this is {endpoint.model}")

    models = open_models(ModelSetup(model=model, environ={}, wire=wire, **more))
    return models, wires


def test_roles_take_their_own_model_and_else_the_common_one():
    models, wires = opened("small", roles={"reflect": "large", "judge": ""})
    said = {role: models.complete(ask(role=role)).text for role in ("act", "reflect", "judge", "rewrite")}
    assert said == {role: "this is large" if role == "reflect" else "this is small" for role in said}
    assert wires == ["large", "small"]  # one connection for each model


def test_the_cheap_one_comes_first_and_failed_work_goes_up():
    models, _ = opened("small, middle, large", roles={"judge": "small,large"})
    assert models.levels == 3
    assert models.name == "small"
    acting = [models.escalate(level).complete(ask()).text for level in range(5)]
    assert acting == ["this is small", "this is middle", *["this is large"] * 3]
    assert models.escalate(1).escalate(0).complete(ask()).text == "this is small"
    assert models.escalate(1).complete(ask(role="judge")).text == "this is large"


def test_a_request_tells_how_often_the_work_was_refused():
    models, _ = opened("small, middle, large")
    acting = [models.complete(replace(ask(), refused=number)).text for number in range(4)]
    assert acting == ["this is small", "this is middle", *["this is large"] * 2]
    assert models.escalate(1).complete(replace(ask(), refused=1)).text == "this is large"


@pytest.mark.parametrize(
    ("model", "roles", "message"),
    [("", {}, "no model is named"), ("m", {"cook": "x"}, "no role 'cook'"), ("http://x", {}, "no model is named")],
)
def test_mistakes_are_named(model, roles, message):
    with pytest.raises(UsageError, match=message):
        opened(model, roles=roles)


def test_an_unknown_role_is_not_answered_by_somebody_else():
    models, _ = opened("m")
    with pytest.raises(UsageError, match="no role 'cook' for a model; roles are act, reflect, judge, rewrite"):
        models.complete(ask(role="cook"))
