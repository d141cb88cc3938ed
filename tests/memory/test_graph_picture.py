"""Pictures of the causal graph hold what they say, each insight once, and no text breaks them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.episodes import FACT, Scope
from evolve.memory import graph_picture
from evolve.memory.graph_picture import MOST
from evolve.memory.insights import Insight, Posterior
from evolve.memory.telling import Sentence

SVG = "{http://www.w3.org/2000/svg}"


def insight(number, cause, effect, relation="contributes", status="supported", groups=1, family="words"):
    return Insight(
        id=f"i{number:03}", cause=cause, relation=relation, effect=effect,
        scope=Scope(environment="programs", family=family), status=status, posterior=Posterior(agree=groups),
        tasks=groups, groups=groups, evidence=groups, text=cause, standings=(),
    )  # fmt: skip


def told(insights):
    """Each insight as a model would have worded it."""
    return {
        one.id: Sentence(
            text=one.text, occurs=one.groups, of=one.groups, worded=True,
            counts=f"{one.groups} trials for it, 0 against", standing=one.status,
        )
        for one in insights
    }  # fmt: skip


def svg(insights):
    return graph_picture.svg(insights, told(insights))


def mermaid(insights):
    return graph_picture.mermaid(insights, told(insights))


def lines_of(picture):
    root = ElementTree.fromstring(picture)
    ways = [one for one in root.iter(f"{SVG}path") if one.find(f"{SVG}title") is not None]
    return root, {way.find(f"{SVG}title").text: way.get("class").split() for way in ways}


def texts_of(root):
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def test_the_line_says_the_relation_and_its_weight_the_status():
    root, lines = lines_of(
        svg(
            [
                insight(1, "sorting", "solved", "necessary", "confirmed", 7),
                insight(2, f"{FACT}the network <b>fails</b> & stays so", "solved", "prevents", "refuted", 2),
            ]
        )
    )
    assert lines["sorting → solved: needs it (confirmed, 7 trials for it, 0 against)"] == [
        "way", "necessary", "confirmed",
    ]  # fmt: skip
    assert lines["the network <b>fails</b> & stays so → solved: prevents (refuted, 2 trials for it, 0 against)"] == [
        "way", "prevents", "refuted", "against",
    ]  # fmt: skip
    assert {"needs it (confirmed, 7 trials for it, 0 against)", "sorting", "solved"} <= set(texts_of(root))


def test_a_step_that_was_never_left_out_is_not_said_to_help():
    one = insight(1, "operation:sort_by", "solved")
    seen = Sentence(
        text="", occurs=2, of=3, cause='the step "sort by"', counts="in 2 of 3 answers", standing="seen twice"
    )
    root, lines = lines_of(graph_picture.svg([one], {one.id: seen}))
    assert lines == {
        'the step "sort by" → solved: in answers, untried (seen twice, in 2 of 3 answers)': [
            "way", "seen", "supported", "plain",
        ]
    }  # fmt: skip
    assert "in answers, untried (seen twice, in 2 of 3 answers)" in texts_of(root)
    assert not any("helps" in text for text in texts_of(root))


def test_a_cause_stands_beside_each_kind_of_tasks_so_that_no_lines_cross():
    many = [
        insight(number, f"cause {number % 7}", "solved", family=f"kind {number % 4}", groups=number)
        for number in range(28)
    ]
    root, lines = lines_of(svg(many))
    ways = [one.get("d") for one in root.iter(f"{SVG}path") if one.find(f"{SVG}title") is not None]
    stops = [stop for _, stop in sorted((float(way.split()[1]), float(way.split()[-1])) for way in ways)]
    assert stops == sorted(stops)
    assert len(lines) == 28


def test_what_is_wide_stays_in_its_box():
    names = ["W" * 80, "漢字" * 40, "a word and " * 20, "@" * 50]
    root, _ = lines_of(svg([insight(number, f"{FACT}{name}", "solved") for number, name in enumerate(names)]))
    inside = [one.text for one in root.iter(f"{SVG}text") if one.get("x") == "36"]
    assert len(inside) == 8
    for text in inside:
        # Widths in a sans-serif of 13 pixels; others are 7 on average.
        assert sum({"W": 12.5, "@": 12.7}.get(sign, 13 if sign > "\u2e80" else 7) for sign in text) <= 270 - 24


def test_an_effect_that_is_a_cause_stands_between_in_its_own_scope():
    chain = [
        insight(1, "key is taken", "door opens", family="house"),
        insight(2, "door opens", "solved", family="house"),
        insight(3, "something", "door opens", family="ship"),
    ]
    root, _ = lines_of(svg(chain))
    boxes = {one.get("x") for one in root.iter(f"{SVG}rect") if "box" in one.get("class")}
    assert len(boxes) == 3
    assert texts_of(root).count("door opens") == 2  # that of the ship leads nowhere


def test_a_line_that_passes_a_layer_runs_behind_no_box():
    root, _ = lines_of(svg([insight(1, "a", "b"), insight(2, "b", "c"), insight(3, "a", "c")]))
    box = next(one for one in root.iter(f"{SVG}rect") if "green" in one.get("class", ""))
    left, top, wide, high = (float(box.get(name)) for name in ("x", "y", "width", "height"))
    long = max((one.get("d") for one in root.iter(f"{SVG}path")), key=len)
    assert long.count("C") == 3
    begin, end = (tuple(map(float, part.split()[-2:])) for part in long.split("C")[1:3])
    assert (begin[0], end[0]) == (left, left + wide) and begin[1] == end[1]
    assert not top <= begin[1] <= top + high


def test_of_many_the_best_supported_are_drawn_and_the_rest_is_counted():
    many = [insight(number, f"op {number}", "solved", groups=number) for number in range(MOST + 5)]
    root, lines = lines_of(svg(many))
    assert len(lines) == MOST
    assert any("5 more with less evidence are not drawn" in text for text in texts_of(root))
    assert "op 4" not in texts_of(root) and f"op {MOST + 4}" in texts_of(root)
    assert "5 more" in mermaid(many)


def test_causes_that_go_round_in_a_circle_are_drawn():
    _, lines = lines_of(svg([insight(1, "a", "b"), insight(2, "b", "a"), insight(3, "b", "b")]))
    assert len(lines) == 3


def test_without_insights_the_picture_says_so():
    root, lines = lines_of(svg([]))
    assert not lines
    assert any(text.startswith("no insights yet") for text in texts_of(root))


def test_what_no_xml_may_hold_is_replaced():
    named = "".join(map(chr, (*range(32), 127, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x1FFFE)))
    picture = svg([insight(1, f"{FACT}so{named}", f"solved{named}")])
    root, lines = lines_of(picture.encode())
    assert len(lines) == 1 and any("\ufffd" in text for text in texts_of(root))


names = st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=60)
statuses = st.sampled_from(["hypothesis", "supported", "confirmed", "contested", "refuted", "superseded", "expired"])


@pytest.mark.slow
@given(st.lists(st.tuples(names, names, statuses, st.integers(0, 99)), max_size=12))
def test_any_words_give_a_picture_whose_boxes_do_not_overlap(made):
    insights = [insight(n, cause, effect, status=status, groups=g) for n, (cause, effect, status, g) in enumerate(made)]
    root, _ = lines_of(svg(insights))
    boxes = [
        tuple(float(one.get(name)) for name in ("x", "y", "width", "height"))
        for one in root.iter(f"{SVG}rect")
        if "box" in one.get("class")
    ]
    for place, (x, y, wide, tall) in enumerate(boxes):
        assert x >= 0 and y >= 0 and x + wide <= float(root.get("width")) and y + tall <= float(root.get("height"))
        for other_x, other_y, _, other_tall in boxes[place + 1 :]:
            assert x != other_x or y + tall <= other_y + 1 or other_y + other_tall <= y + 1
    assert svg(insights) == svg(list(reversed(insights)))
