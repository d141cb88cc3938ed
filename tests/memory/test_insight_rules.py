"""What evidence makes of a claim, whatever the order in which it came."""

from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.episodes import Relation, Scope
from evolve.memory import ClaimKey, EvidenceRow, Insight, Posterior, insight_id, resolve

SCOPE = Scope(environment="programs", family="list[int] -> int")
RELATIONS: list[Relation] = ["necessary", "sufficient", "contributes", "no_effect", "prevents"]
KEY = ClaimKey(
    id=insight_id("operation:sort", "solved", SCOPE),
    cause="operation:sort",
    effect="solved",
    scope=SCOPE,
    texts={"contributes": "Sorting helps.", "prevents": "Sorting hurts."},
)


def row(
    number: int,
    direction: int = 1,
    *,
    kind: str = "intervention",
    relation: Relation = "contributes",
    group: str = "",
    episode: str = "",
) -> EvidenceRow:
    return EvidenceRow(
        id=f"row {number} {relation} {kind} {direction}",
        insight=KEY.id,
        relation=relation,
        episode=episode or f"e{number}",
        task=f"t{number}",
        group=group or f"g{number}",
        kind=kind,  # type: ignore[arg-type]
        direction=direction,
        seq=number,
    )


def rows(agree: int, disagree: int = 0, **more: str) -> list[EvidenceRow]:
    listed = [row(number, 1, **more) for number in range(agree)]  # type: ignore[arg-type]
    return listed + [row(100 + number, -1, **more) for number in range(disagree)]  # type: ignore[arg-type]


evidence = st.lists(
    st.builds(
        row,
        st.integers(0, 30),
        st.sampled_from([1, -1]),
        kind=st.sampled_from(["observation", "contrast", "intervention"]),
        relation=st.sampled_from(RELATIONS),
        group=st.sampled_from(["g1", "g2", "g3", "g4"]),
        episode=st.sampled_from(["e1", "e2", "e3"]),
    ),
    max_size=25,
)


@pytest.mark.slow
@settings(max_examples=120)
@given(evidence, st.randoms())
def test_order_and_repetition_change_nothing(listed: list[EvidenceRow], rng: random.Random) -> None:
    # Rows of one id are one piece of evidence; hypothesis may draw it twice with other details.
    unique = list({one.id: one for one in listed}.values())
    shuffled = unique + rng.sample(unique, len(unique) // 2)
    rng.shuffle(shuffled)
    assert resolve(KEY, shuffled) == resolve(KEY, unique)


@settings(max_examples=120)
@given(evidence)
def test_only_the_admitted_influence_and_at_most_one_camp_does(listed: list[EvidenceRow]) -> None:
    found = resolve(KEY, listed)
    assert found.evidence == len({one.id for one in listed})
    assert sum(one.status in ("supported", "confirmed") for one in found.standings) <= 1
    if found.may_influence:
        agreeing = [one for one in listed if one.relation == found.relation and one.direction > 0]
        assert agreeing
        assert found.standings[0].status == found.status
        assert found.posterior.mean >= 0.5
    if found.status == "confirmed":
        assert found.posterior.sign_probability >= 0.95 and found.groups >= 2


@pytest.mark.slow
@settings(max_examples=100)
@given(evidence, st.integers(31, 40))
def test_agreeing_interventions_never_weaken_a_claim(listed: list[EvidenceRow], number: int) -> None:
    ladder = ["refuted", "hypothesis", "supported", "confirmed"]
    own = [one for one in listed if one.relation == "contributes"]
    before = resolve(KEY, own)
    after = resolve(KEY, [*own, row(number)])
    assert ladder.index(after.status) >= ladder.index(before.status)
    assert after.posterior.mean > before.posterior.mean


def test_nothing_known_is_a_hypothesis() -> None:
    found = resolve(KEY, [])
    assert (found.status, found.posterior.mean, found.evidence) == ("hypothesis", 0.5, 0)


def test_one_intervention_admits_and_one_observation_does_not() -> None:
    assert resolve(KEY, [row(1)]).status == "supported"
    assert resolve(KEY, [row(1, kind="observation")]).status == "hypothesis"
    assert resolve(KEY, [row(1, -1)]).status == "hypothesis"


def test_two_independent_episodes_admit() -> None:
    def seen(number: int, group: str, episode: str) -> EvidenceRow:
        return row(number, kind="contrast", group=group, episode=episode)

    assert resolve(KEY, [seen(1, "g1", "e1"), seen(2, "g2", "e2")]).status == "supported"
    assert resolve(KEY, [seen(1, "g1", "e1"), seen(2, "g1", "e2")]).status == "hypothesis"
    assert resolve(KEY, [seen(1, "g1", "e1"), seen(2, "g2", "e1")]).status == "hypothesis"


def test_confirmation_takes_four_clean_interventions_in_two_groups() -> None:
    # 1 - 2^-(n+1) passes 0.95 first at n = 4.
    assert resolve(KEY, rows(3)).status == "supported"
    assert resolve(KEY, rows(4)).status == "confirmed"
    assert resolve(KEY, rows(40, group="one problem only")).status == "supported"
    assert resolve(KEY, rows(4, 1)).status == "supported"
    assert resolve(KEY, rows(0, 4)).status == "refuted"
    assert resolve(KEY, rows(0, 40, group="one problem only")).status == "hypothesis"


def test_rivals_that_outweigh_the_only_admitted_camp_contest_it() -> None:
    torn = [row(number, relation="prevents") for number in range(10, 13)]
    torn += [row(number, -1, relation="prevents") for number in range(20, 23)]
    assert resolve(KEY, [row(1), *torn]).status == "contested"
    # P(at most 6 heads in 10 tosses) is 0.83, P(at most 9 in 13) is 0.954.
    assert resolve(KEY, [*rows(6), *torn]).status == "supported"
    assert resolve(KEY, [*rows(9), *torn]).status == "confirmed"


def test_opposing_claims_contest_each_other_until_one_wins() -> None:
    helps = [row(number) for number in range(2)]
    hurts = [row(50 + number, relation="prevents") for number in range(2)]
    contested = resolve(KEY, helps + hurts)
    assert contested.status == "contested" and not contested.may_influence
    settled = resolve(KEY, helps + hurts + [row(number) for number in range(10, 30)])
    assert (settled.status, settled.relation, settled.text) == ("confirmed", "contributes", "Sorting helps.")
    assert [(one.camp, one.status) for one in settled.standings] == [
        ("promotes", "confirmed"),
        ("prevents", "superseded"),
    ]
    assert settled.standings[1].posterior.agree == 2


def test_relations_of_one_camp_add_up() -> None:
    mixed = [row(1), row(2, relation="necessary"), row(3, relation="necessary"), row(4, relation="sufficient")]
    found = resolve(KEY, mixed)
    assert (found.status, found.relation, found.posterior.agree) == ("confirmed", "necessary", 4)
    assert len(found.standings) == 1


def test_an_expired_claim_influences_nothing_and_keeps_its_grounds() -> None:
    found = resolve(KEY, rows(9), expired=True)
    assert (found.status, found.may_influence, found.evidence) == ("expired", False, 9)
    assert found.standings[0].posterior.agree == 9


@settings(max_examples=80)
@given(st.integers(0, 80), st.integers(0, 80))
def test_the_posterior_is_symmetric_and_firm_with_evidence(agree: int, disagree: int) -> None:
    one, other = Posterior(agree=agree, disagree=disagree), Posterior(agree=disagree, disagree=agree)
    assert one.sign_probability == pytest.approx(1 - other.sign_probability)
    assert one.mean == pytest.approx(1 - other.mean)
    assert dataclasses.replace(one, agree=agree + 1).sign_probability >= one.sign_probability


def test_the_posterior_against_closed_forms() -> None:
    assert Posterior().sign_probability == 0.5
    assert Posterior(agree=4).sign_probability == pytest.approx(1 - 0.5**5)
    assert Posterior(agree=1, disagree=1).sign_probability == pytest.approx(0.5)


def test_the_id_is_of_the_key_and_ignores_the_order_of_preconditions() -> None:
    def scope(*preconditions: str) -> Scope:
        return Scope(environment="programs", family="f", preconditions=preconditions)

    assert insight_id("a", "b", scope("x", "y")) == insight_id("a", "b", scope("y", "x", "y"))
    assert len({insight_id("a", "b", scope()), insight_id("b", "a", scope()), insight_id("a", "b", scope("x"))}) == 3


def test_a_claim_without_a_sentence_gets_one() -> None:
    found: Insight = resolve(KEY, [row(1, relation="no_effect")])
    assert found.text == "operation:sort no_effect solved"


def test_a_row_speaks_for_the_claim_that_it_stands_under_or_against_it() -> None:
    needed, spare = row(1, relation="necessary"), row(2, relation="no_effect")
    found = resolve(KEY, [spare, row(3, relation="no_effect"), needed])
    assert found.relation == "no_effect"
    against = row(4, -1, relation="necessary")
    assert [found.direction_of(one) for one in (spare, needed, against)] == [1, -1, 0]
    assert resolve(KEY, [needed]).direction_of(spare) == -1
