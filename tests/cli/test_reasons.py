"""Every reason that the layers below give has a sentence, and every sentence a reason."""

from __future__ import annotations

import ast
from pathlib import Path

import evolve
from evolve.cli.render.reasons import SENTENCES, flag_sentence, reason_sentence
from evolve.core.episodes import Action, Judgement
from evolve.core.episodes.codec import from_json
from evolve.core.reasons import reason
from evolve.workspace import FlagReasons


def _codes():
    """Codes and names of facts in every call of ``reason``."""
    for file in Path(evolve.__file__).parent.rglob("*.py"):
        text = file.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "reason(" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "reason":
                codes = [one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)]
                yield from ((one, [word.arg for word in node.keywords]) for one in codes if isinstance(one, str))


def test_every_reason_has_a_sentence_made_of_its_facts():
    codes = list(_codes())
    assert {code for code, _ in codes} == set(SENTENCES)
    for code, facts in codes:
        assert reason_sentence(reason(code, **{name: [3] if name == "input" else 3 for name in facts}))


def test_a_sentence_of_an_earlier_record_is_shown_as_it_was():
    old = from_json(Judgement, '{"accepted": true, "verified": false, "rows": 4, "doubt": "one row decides"}')
    assert reason_sentence(old.doubt) == "one row decides"
    assert reason_sentence(from_json(Action, '{"kind": "finish", "advice": "add rows"}').advice) == "add rows"


def test_a_long_or_broken_value_stays_one_line():
    told = flag_sentence(FlagReasons(left="not filled", reasons=(reason("not_a_number", value="x\n" * 500),)))
    assert "\n" not in told and len(told) < 200
