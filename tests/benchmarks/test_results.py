"""The page of results: sections of benchmarks that ran anew replace the old ones, the others stay."""

from __future__ import annotations

from benchmarks.results import renewed

OLD = "# Results\n\nHead.\n\n## learning: lists\n\nold lists\n\n## sandbox\n\nold sandbox\n\n### under it\n"


def test_a_section_measured_anew_replaces_the_old_one_and_the_others_stay() -> None:
    page = renewed(OLD, "# Results\n\nOther head.\n\n## sandbox\n\nnew sandbox\n")

    assert page == "# Results\n\nHead.\n\n## learning: lists\n\nold lists\n\n## sandbox\n\nnew sandbox\n"


def test_a_new_section_stands_where_the_order_says() -> None:
    page = renewed(OLD, "# Results\n\n## learning: dates\n\nnew\n\n## demo: everyday\n\nnew\n")

    titles = [line for line in page.splitlines() if line.startswith("## ")]
    assert titles == ["## learning: lists", "## learning: dates", "## demo: everyday", "## sandbox"]


def test_renewing_a_page_with_itself_changes_nothing() -> None:
    once = renewed(OLD, OLD)

    assert renewed(once, once) == once
