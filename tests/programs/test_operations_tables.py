"""What the readers and writers of dates, times, durations and numbers make of the usual notations."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.operations import vocabulary

OPERATIONS = {operation.name: operation.function for operation in vocabulary()}


@pytest.mark.parametrize(
    "text",
    [
        "2021-03-05", "2021/3/5", "20210305", "5 March 2021", "5 Mar 2021", "March 5, 2021", "Mar 5th, 2021",
        "Friday, March 5, 2021", "05-Mar-21", "5th of March 2021", "2021 March 5", "2021-03-05T10:20:30", "5MAR2021",
    ],
)  # fmt: skip
@pytest.mark.parametrize("reader", ["parse_date_day_first", "parse_date_month_first"])
def test_unambiguous_dates_read_the_same_both_ways(reader: str, text: str) -> None:
    assert OPERATIONS[reader](text) == datetime.date(2021, 3, 5)


@pytest.mark.parametrize("text", ["3/5/2021", "03/05/21", "3-5-2021", "03.05.2021", "3.5.21"])
def test_ambiguous_dates_follow_the_named_order(text: str) -> None:
    assert OPERATIONS["parse_date_month_first"](text) == datetime.date(2021, 3, 5)
    assert OPERATIONS["parse_date_day_first"](text) == datetime.date(2021, 5, 3)


@pytest.mark.parametrize(
    "text", ["", "March", "12", "13/2021", "5/3/123", "Sunday 99 Foo 2021", "2021-02-30", "555-123-4567"]
)
def test_texts_without_a_date_have_none(text: str) -> None:
    for reader in ("parse_date_day_first", "parse_date_month_first"):
        with pytest.raises(EVALUATION_ERRORS):
            OPERATIONS[reader](text)


def test_a_day_beyond_twelve_does_not_silently_swap_the_order() -> None:
    with pytest.raises(EVALUATION_ERRORS):
        OPERATIONS["parse_date_month_first"]("25/12/2021")


@pytest.mark.parametrize(
    ("operation", "args", "expected"),
    [
        ("parse_amount", ("$1,234.50",), 1234.5),
        ("parse_amount", ("(12.00)",), -12.0),
        ("parse_amount", ("-7%",), -7.0),
        ("parse_amount", ("-$5",), -5.0),
        ("parse_amount", ("$-5.25",), -5.25),
        ("parse_amount", ("5.00-",), -5.0),
        ("parse_amount", ("1 234 567",), 1234567.0),
        ("parse_amount", ("10 20",), 10.0),
        ("parse_amount", ("Room A-12",), 12.0),
        ("parse_amount", ("USD .50",), 0.5),
        ("parse_european_amount", ("1.234,50 €",), 1234.5),
        ("parse_amount", ("CHF 1’234.50",), 1234.5),
        ("parse_amount", ("Rs 1,00,000.5",), 100000.5),
        ("parse_amount", ("12, later 13",), 12.0),
        ("parse_european_amount", ("-3,5",), -3.5),
        ("parse_european_amount", ("1\u202f234,50 €",), 1234.5),
        ("parse_mixed_amount", ("1.234,50",), 1234.5),
        ("parse_mixed_amount", ("1,234.50",), 1234.5),
        ("parse_mixed_amount", ("12,5",), 12.5),
        ("parse_mixed_amount", ("12,500",), 12500.0),
        ("parse_magnitude", ("$1.2K",), 1200.0),
        ("parse_magnitude", ("2.5 billion",), 2.5e9),
        ("parse_magnitude", ("3M",), 3e6),
        ("parse_size", ("1.5 KB",), 1536.0),
        ("parse_size", ("2 MiB",), 2097152.0),
        ("parse_size", ("7",), 7.0),
        ("parse_roman", ("MCMXCIV",), 1994),
        ("to_roman", (2024,), "MMXXIV"),
        ("ordinal", (11,), "11th"),
        ("ordinal", (122,), "122nd"),
        ("round_half_up", (2, 2.675), 2.68),
        ("round_half_up", (0, -2.5), -3.0),
        ("float_to_shortest_text", (2.50,), "2.5"),
        ("format_integer", ("02d", 7), "07"),
        ("format_float", (",.2f", 1234.5), "1,234.50"),
        ("parse_truth", ("Yes",), True),
        ("parse_truth", ("off",), False),
        ("round_to_nearest", (5, 13), 15),
        ("floor_to", (10, 37), 30),
        ("ceil_to", (10, 31), 40),
    ],
)
def test_numbers(operation: str, args: tuple[Any, ...], expected: Any) -> None:
    found = OPERATIONS[operation](*args)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2h 15m", 8100), ("1 hour 30 minutes", 5400), ("1:30:00", 5400), ("4:05", 245), ("PT1H30M", 5400),
        ("P1DT2H", 93600), ("90 s", 90), ("1d 2h", 93600), ("45 min", 2700), ("1.5 hours", 5400), ("2 weeks", 1209600),
        ("PT0.5S", 0), ("3hrs", 10800), ("5mins 3secs", 303),
    ],
)  # fmt: skip
def test_durations(text: str, seconds: int) -> None:
    assert OPERATIONS["parse_duration"](text) == seconds


@pytest.mark.parametrize("seconds", [0, 1, 59, 60, 3600, 3661, 86399, 86400, 90061, 604800])
def test_written_durations_read_back(seconds: int) -> None:
    for writer in ("duration_in_units", "duration_in_words", "iso_duration"):
        assert OPERATIONS["parse_duration"](OPERATIONS[writer](seconds)) == seconds


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("15:04", (15, 4)), ("3:04 PM", (15, 4)), ("3:04:05 pm", (15, 4, 5)), ("12:00 AM", (0, 0)), ("12 pm", (12, 0)),
        ("9am", (9, 0)), ("15h04", (15, 4)), ("at 08.30", (8, 30)), ("2021-03-05T10:20:30", (10, 20, 30)),
        ("7:15 p.m.", (19, 15)),
    ],
)  # fmt: skip
def test_times(text: str, time: tuple[int, ...]) -> None:
    assert OPERATIONS["parse_time"](text) == datetime.time(*time)


@pytest.mark.parametrize("text", ["5,5 %", "12,50", "0,123", "1,2345", "1,2,3"])
def test_a_comma_that_does_not_group_thousands_is_not_left_out_of_an_amount(text: str) -> None:
    with pytest.raises(EVALUATION_ERRORS):
        OPERATIONS["parse_amount"](text)


@pytest.mark.parametrize("text", ["", "25:00", "13 PM x:y", "12", "10:75"])
def test_texts_without_a_time_have_none(text: str) -> None:
    with pytest.raises(EVALUATION_ERRORS):
        OPERATIONS["parse_time"](text)


@pytest.mark.parametrize(
    ("operation", "args", "expected"),
    [
        ("add_months", (1, datetime.date(2021, 1, 31)), datetime.date(2021, 2, 28)),
        ("add_months", (-2, datetime.date(2021, 1, 31)), datetime.date(2020, 11, 30)),
        ("add_years", (1, datetime.date(2020, 2, 29)), datetime.date(2021, 2, 28)),
        ("add_working_days", (1, datetime.date(2021, 3, 5)), datetime.date(2021, 3, 8)),
        ("add_working_days", (-1, datetime.date(2021, 3, 8)), datetime.date(2021, 3, 5)),
        ("end_of_month", (datetime.date(2020, 2, 3),), datetime.date(2020, 2, 29)),
        ("age_in_years", (datetime.date(2000, 3, 5), datetime.date(2021, 3, 4)), 20),
        ("quarter_of", (datetime.date(2021, 10, 1),), 4),
        ("month_name", (9,), "September"),
        ("parse_moment_as_utc", ("2021-03-05T10:20:30+02:00",), datetime.datetime(2021, 3, 5, 8, 20, 30)),
        ("epoch_seconds", (datetime.datetime(1970, 1, 2),), 86400),
        ("add_minutes", (50, datetime.time(23, 30)), datetime.time(0, 20)),
        ("floor_time", (30, datetime.time(9, 47)), datetime.time(9, 30)),
        ("base_sixty", (125,), "2:05"),
        ("format_duration", (3905,), "1:05:05"),
    ],
)
def test_calendar_and_clock(operation: str, args: tuple[Any, ...], expected: Any) -> None:
    assert OPERATIONS[operation](*args) == expected


@pytest.mark.parametrize(
    ("operation", "args", "expected"),
    [
        ("snake_case", ("HTTPServerError2",), "http_server_error_2"),
        ("camel_case", ("user first-name",), "userFirstName"),
        ("pascal_case", ("user_first_name",), "UserFirstName"),
        ("sentence_case", ("HELLO THERE. HOW ARE YOU?",), "Hello there. How are you?"),
        ("capitalize_words", ("o'neil's  bar",), "O'neil's Bar"),
        ("remove_accents", ("Crème Brûlée",), "Creme Brulee"),
        ("initials", ("Ada King Lovelace",), "AKL"),
        ("mask_all_but_last", (2, "*", "secret"), "****et"),
        ("before_first", ("@", "a@b@c"), "a"),
        ("after_last", ("@", "a@b@c"), "c"),
        ("keep_matches", (r"\d", "(555) 123"), "555123"),
        ("common_prefix", (("inter", "internal", "into"),), "int"),
        ("parse_pairs", (";", "=", "a=1; b = x=y;c"), {"a": "1", "b": "x=y"}),
        ("parse_csv_line", ('a,"b, c",d',), ("a", "b, c", "d")),
    ],
)
def test_texts_and_tables(operation: str, args: tuple[Any, ...], expected: Any) -> None:
    assert OPERATIONS[operation](*args) == expected
