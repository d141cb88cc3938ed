"""The reference programs do what their instructions say, on rows worked out by hand."""

from __future__ import annotations

import pytest

from benchmarks.suites import everyday, tables
from benchmarks.suites.everyday_build import members
from evolve.core.episodes import Json
from evolve.tasks import equal

STOCK = [
    {"item": "mug", "category": "home", "qty": 4, "price": 10},
    {"item": "desk", "category": "office", "qty": 30, "price": 80},
    {"item": "vase", "category": "home", "qty": 25, "price": 7},
]
LOG = "2024-03-05 10:22:11 ERROR [db] connection lost"
ACCESS = '10.0.0.7 - "GET /orders HTTP/1.1" 404 512'


@pytest.mark.parametrize(
    ("family", "text", "args", "output"),
    [
        ("name-initials", "Give the initials of each person.", ["Ana Rosa Lund"], "ARL"),
        ("name-title", "Drop the title if there is one.", ["Prof. Ana Lund"], "Ana Lund"),
        ("name-title", "Drop the title if there is one.", ["Ana Lund"], "Ana Lund"),
        ("name-middle", "Shorten the middle name, where there is one, to an initial.",
         ["Ana Rosa Lund"], "Ana R. Lund"),
        ("name-list", "List the last names.", ["Ana Lund; Bo Quist"], ["Lund", "Quist"]),
        ("email-to-name", "Recover Last, First from the address.", ["ana.lund@acme.com"], "Lund, Ana"),
        ("email-user", "Remove the +tag from the address.", ["alund+news@acme.com"], "alund@acme.com"),
        ("email-clean", "Clean the address: lower case, no brackets, no mailto.", [" <A.B@X.ORG> "], "a.b@x.org"),
        ("url-host", "Give the host without www.", ["https://www.acme.io/a/b"], "acme.io"),
        ("url-query", "Give the value of the parameter id.", ["https://a.b/c?page=3&id=77&q=x"], "77"),
        ("phone-normalise", "Bring all phone numbers to the form 555-010-2233.", ["(503) 555 0142"], "503-555-0142"),
        ("phone-extension", "Write ext. instead of x.", ["503-555-0142 x12"], "503-555-0142 ext. 12"),
        ("address-rewrite", "Write City (ST).", ["12 Oak Lane, Salem, OR 97301"], "Salem (OR)"),
        ("address-abbreviate", "Abbreviate the kind of street.", ["12 Oak Avenue"], "12 Oak Ave."),
        ("date-to-iso", "Turn dates written Month D, YYYY into ISO dates.", ["March 5, 2024"], "2024-03-05"),
        ("date-to-iso", "Turn dates written DD-Mon-YY into ISO dates.", ["05-Mar-24"], "2024-03-05"),
        ("date-from-iso", "Write the ISO date as M/D/YY without leading zeros.", ["2024-03-05"], "3/5/24"),
        ("date-between-styles", "Rewrite dates from DD.MM.YYYY to MM/DD/YYYY.", ["05.03.2024"], "03/05/2024"),
        ("date-quarter", "Give the first day of the quarter.", ["2024-08-05"], "2024-07-01"),
        ("date-shift", "Give the last day of the month.", ["2024-02-05"], "2024-02-29"),
        ("date-weekday", "Give the Monday of that week.", ["2024-03-07"], "2024-03-04"),
        ("date-difference", "Count the days, the last one included.", ["2024-02-28", "2024-03-01"], 3),
        ("time-twelve-hour", "Turn twelve-hour times into 24-hour times.", ["12:05 AM"], "00:05"),
        ("time-twelve-hour", "Turn 24-hour times into twelve-hour times.", ["13:05"], "1:05 PM"),
        ("duration-read", "Turn durations such as 1h 30m into minutes.", ["2h"], 120),
        ("duration-write", "Write the minutes as HH:MM.", [135], "02:15"),
        ("money-read", "Turn European euro amounts into numbers.", ["1.234,50 €"], 1234.5),
        ("money-read", "Turn amounts in kroner into numbers.", ["1 234,50 kr"], 1234.5),
        ("money-write", "Write the amount the European way with the euro sign.", [1234.5], "1.234,50 €"),
        ("money-bookkeeping", "Turn amounts into numbers; brackets mean negative.", ["(1,234.50)"], -1234.5),
        ("money-magnitude", "Turn numbers such as 1.5k and 2.3M into full numbers.", ["2.3M"], 2_300_000),
        ("price-tax", "Add 19 % tax, rounded to cents.", [10.0], 11.9),
        ("percent-of", "Write the change from the first to the second with sign, one decimal.", [80, 60], "-25.0%"),
        ("unit-mixed", "Bring all masses to grams.", ["3 kg"], 3000),
        ("file-size", "Turn file sizes into bytes (1 KB = 1024 B).", ["2 KB"], 2048),
        ("number-pad", "Write the number as an ordinal such as 1st.", [112], "112th"),
        ("number-pad", "Write the number as an ordinal such as 1st.", [23], "23rd"),
        ("code-pad", "Fill up the number in the code to 4 digits.", ["AB-42"], "AB-0042"),
        ("number-mask", "Replace all but the last four digits by x.", ["123456789012"], "xxxxxxxx9012"),
        ("version", "Give the next minor version.", ["v1.9.4"], "v1.10.0"),
        ("colour", "List red, green and blue.", ["#ff8000"], [255, 128, 0]),
        ("log-part", "Give the component in square brackets.", [LOG], "db"),
        ("log-access", "Give the status as a number.", [ACCESS], 404),
        ("log-access", "Answer whether the request failed (status 400 and more).", [ACCESS], True),
        ("identifier-case", "Turn camelCase into snake_case.", ["orderTotalNet"], "order_total_net"),
        ("text-shorten", "Cut titles over 12 characters to 12 and three dots.",
         ["Small Red Lamp Sale"], "Small Red La..."),
        ("row-contact", "Give the e-mail, else the phone, else none.",
         [{"name": "A B", "email": "", "phone": "1"}], "1"),
        ("row-stock", "Label the row sold out, reorder (below the minimum) or ok.",
         [{"item": "mug", "stock": 3, "minimum": 4}], "reorder"),
    ],
)  # fmt: skip
def test_everyday_programs(family: str, text: str, args: list[Json], output: Json) -> None:
    found = [m for m in members("everyday", everyday.families()) if (m.family.name, m.variant.text) == (family, text)]
    assert len(found) == 1
    assert equal(found[0].variant.program(*args), output)


@pytest.mark.parametrize(
    ("text", "args", "output"),
    [
        ("List the column item.", [STOCK], ["mug", "desk", "vase"]),
        ("Add up the column qty.", [STOCK], 59),
        ("Give the mean of qty, two places.", [STOCK], 19.67),
        ("Add up qty times price over the rows.", [STOCK], 2615),
        ("Add up price where category is office.", [STOCK], 80),
        ("List item where qty is over 20.", [STOCK], ["desk", "vase"]),
        ("List item where category is home and qty is over 20.", [STOCK], ["vase"]),
        ("Order the rows by qty.", [STOCK], [STOCK[0], STOCK[2], STOCK[1]]),
        ("List the item of the two rows with the largest qty.", [STOCK], ["desk", "vase"]),
        ("Give the qty of the given item.", [STOCK, "desk"], 30),
        ("Give the price of the given item, 0 where it is not in the table.", [STOCK, "rug"], 0),
        ("Count the rows by category.", [STOCK], {"home": 2, "office": 1}),
        ("Add up qty by category.", [STOCK], {"home": 29, "office": 30}),
        ("List item by category.", [STOCK], {"home": ["mug", "vase"], "office": ["desk"]}),
        ("Make a dictionary from item to qty.", [STOCK], {"mug": 4, "desk": 30, "vase": 25}),
        ("Join the two tables by item.", [[{"item": "mug", "qty": 1}], [{"item": "mug", "price": 2}]],
         [{"item": "mug", "qty": 1, "price": 2}]),
        ("Merge the dictionaries and add values with the same key.", [{"a": 1, "b": 2}, {"b": 5}], {"a": 1, "b": 7}),
        ("Swap keys and values.", [{"Graz": "A1"}], {"A1": "Graz"}),
        ("Transpose the table.", [[[1, 2], [3, 4], [5, 6]]], [[1, 3, 5], [2, 4, 6]]),
        ("Turn header and rows into dictionaries.", [[["a", "b"], [1, "x"]]], [{"a": 1, "b": "x"}]),
    ],
)  # fmt: skip
def test_table_programs(text: str, args: list[Json], output: Json) -> None:
    found = [member for member in members("tables", tables.families()) if member.variant.text == text]
    assert len(found) == 1
    assert equal(found[0].variant.program(*args), output)
