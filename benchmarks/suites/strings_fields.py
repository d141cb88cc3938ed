"""Families of programs over fields as they stand in files: names, codes, dates, amounts, lists, addresses, paths."""

from __future__ import annotations

import random
import re

from benchmarks.suites.frame import Program
from benchmarks.suites.strings_families import one_of

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def person(rng: random.Random) -> Program:
    mark = rng.choice([".", "_", "-", ""])
    n = rng.randint(1, 4)
    return one_of(
        rng,
        ("write the name as last name, comma, first name", lambda s: f"{s.split()[-1]}, {s.split()[0]}"),
        ("shorten the first name to its initial", lambda s: f"{s[0]}. {s.split()[-1]}"),
        ("shorten the last name to its initial", lambda s: f"{s.split()[0]} {s.split()[-1][0]}."),
        (f"make a login of first and last name joined by {mark!r}",
         lambda s: mark.join([s.split()[0], s.split()[-1]]).lower()),
        (f"make a login of the initial and the last name joined by {mark!r}",
         lambda s: s[0].lower() + mark + s.split()[-1].lower()),
        (f"make a login of {n} letters of the last and 1 of the first name",
         lambda s: (s.split()[-1][:n] + s[0]).lower()),
        ("write the last name in capitals, then the first name", lambda s: f"{s.split()[-1].upper()} {s.split()[0]}"),
        ("give first and last name without the middle", lambda s: f"{s.split()[0]} {s.split()[-1]}"),
        (f"make a code of {n} letters of the first and {n} of the last name, in capitals",
         lambda s: (s.split()[0][:n] + s.split()[-1][:n]).upper()),
        ("write a greeting to the first name", lambda s: f"Dear {s.split()[0]},"),
        ("shorten all but the last name to initials",
         lambda s: " ".join([w[0] + "." for w in s.split()[:-1]] + [s.split()[-1]])),
    )  # fmt: skip


def product_code(rng: random.Random) -> Program:
    place, mark, width = rng.randrange(3), rng.choice(["/", ":", ".", "_", " "]), rng.randint(5, 7)
    order = rng.choice([(1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0)])
    return one_of(
        rng,
        (f"give part {place + 1} of the code", lambda s: s.split("-")[place]),
        (f"write {mark!r} for '-' in the code", lambda s: s.replace("-", mark)),
        ("give the number in the middle of the code", lambda s: int(s.split("-")[1])),
        ("write the middle part without leading zeros",
         lambda s: "{}-{}-{}".format(s.split("-")[0], int(s.split("-")[1]), s.split("-")[2])),
        (f"fill the middle part with zeros to {width} digits",
         lambda s: "-".join([s.split("-")[0], s.split("-")[1].zfill(width), s.split("-")[2]])),
        (f"put the parts in the order {[i + 1 for i in order]} with {mark!r} between",
         lambda s: mark.join(s.split("-")[i] for i in order)),
        ("drop the last part of the code", lambda s: s[: s.rindex("-")]),
        ("write the first part in small letters", lambda s: s.split("-")[0].lower() + s[s.index("-") :]),
        (f"join first and last part with {mark!r}", lambda s: mark.join(s.split("-")[::2])),
        ("give the length of the first part", lambda s: len(s.split("-")[0])),
        ("write the last part in capitals", lambda s: s[: s.rindex("-")] + s[s.rindex("-") :].upper()),
    )  # fmt: skip


def calendar(rng: random.Random) -> Program:
    mark, n = rng.choice([".", "/", "-", " "]), rng.randint(1, 5)
    return one_of(
        rng,
        (f"write the date as day, month, year with {mark!r} between", lambda s: mark.join(s.split("-")[::-1])),
        (f"write the date as month, day, year with {mark!r} between", lambda s: mark.join([s[5:7], s[8:10], s[:4]])),
        (f"write day and month without leading zeros and {mark!r} between",
         lambda s: f"{int(s[8:])}{mark}{int(s[5:7])}"),
        ("give the year of the date as a number", lambda s: int(s[:4])),
        ("give the month of the date as a number", lambda s: int(s[5:7])),
        ("give the name of the month", lambda s: MONTHS[int(s[5:7]) - 1]),
        ("give the quarter, such as Q1", lambda s: f"Q{(int(s[5:7]) + 2) // 3}"),
        ("give the last two digits of the year behind an apostrophe", lambda s: "'" + s[2:4]),
        ("write the date as day, month's name in three letters, year",
         lambda s: f"{int(s[8:])} {MONTHS[int(s[5:7]) - 1][:3]} {s[:4]}"),
        ("write the date as month's name and day, comma, year",
         lambda s: f"{MONTHS[int(s[5:7]) - 1]} {int(s[8:])}, {s[:4]}"),
        (f"give the year {n} years later", lambda s: int(s[:4]) + n),
        ("write the date without marks", lambda s: s.replace("-", "")),
        ("give the decade, such as 1990s", lambda s: s[:3] + "0s"),
        (f"tell whether the month is after month {n + 3}", lambda s: int(s[5:7]) > n + 3),
        ("give year and month", lambda s: s[:7]),
    )  # fmt: skip


def money(rng: random.Random) -> Program:
    sign, places = rng.choice(["$", "EUR ", "£", "kr "]), rng.randint(0, 2)
    return one_of(
        rng,
        ("give the part before the decimal point", lambda s: s.split(".")[0]),
        (f"write {sign!r} in front", lambda s: sign + s),
        ("write a comma for the decimal point", lambda s: s.replace(".", ",")),
        (f"write with {places + 1} decimals", lambda s: f"{float(s):.{places + 1}f}"),
        ("write with commas between thousands", lambda s: f"{float(s):,.2f}"),
        (f"write with commas between thousands, two decimals and {sign!r} in front",
         lambda s: f"{sign}{float(s):,.2f}"),
        ("write without its sign", lambda s: s.lstrip("-")),
        ("read as a number", lambda s: float(s)),
        (f"read as a number and multiply by {places + 2}", lambda s: round(float(s) * (places + 2), 3)),
        ("give the number of digits before the decimal point", lambda s: len(s.split(".")[0].lstrip("-"))),
        ("put negative numbers in parentheses and a plus before others",
         lambda s: f"({s[1:]})" if s.startswith("-") else f"+{s}"),
        ("write a plus in front of numbers without a sign", lambda s: s if s.startswith("-") else "+" + s),
        (f"fill with zeros on the left to {places + 8} characters", lambda s: s.zfill(places + 8)),
        ("tell whether the number has decimals", lambda s: "." in s),
    )  # fmt: skip


def list_text(rng: random.Random) -> Program:
    mark, place = rng.choice(["; ", " | ", " / ", "-", " and "]), rng.choice([0, 1, -1])
    return one_of(
        rng,
        ("split at commas and remove blanks", lambda s: _items(s)),
        (f"give item {place if place < 0 else place + 1} of the list", lambda s: _items(s)[place]),
        (f"write {mark!r} between the items", lambda s: mark.join(_items(s))),
        ("count the items", lambda s: len(_items(s))),
        (f"sort the items and write {mark!r} between",
         lambda s: mark.join(sorted(_items(s), key=str.lower))),
        (f"reverse the items and write {mark!r} between", lambda s: mark.join(_items(s)[::-1])),
        ("write commas between the items and 'and' before the last", lambda s: _and(_items(s))),
        ("give the longest item", lambda s: max(_items(s), key=len)),
        ("split at commas and write the items in capitals", lambda s: [item.upper() for item in _items(s)]),
        ("sort the items", lambda s: sorted(_items(s))),
        (f"drop item 1 and write {mark!r} between the others", lambda s: mark.join(_items(s)[1:])),
        ("give the lengths of the items", lambda s: [len(item) for item in _items(s)]),
        ("keep the items that begin with a capital", lambda s: [item for item in _items(s) if item[0].isupper()]),
    )  # fmt: skip


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _and(items: list[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def figure_list(rng: random.Random) -> Program:
    k = rng.randint(2, 20)
    return one_of(
        rng,
        ("sum the numbers", lambda s: sum(_ints(s))),
        ("give the largest number", lambda s: max(_ints(s))),
        ("read the numbers", _ints),
        (f"count the numbers above {k}", lambda s: sum(x > k for x in _ints(s))),
        (f"add {k} to every number", lambda s: ",".join(str(x + k) for x in _ints(s))),
        ("sort the numbers", lambda s: ",".join(map(str, sorted(_ints(s))))),
        ("sort the numbers, largest first, with a blank between", lambda s: " ".join(map(str, sorted(_ints(s))[::-1]))),
        (f"keep the numbers above {k}", lambda s: [x for x in _ints(s) if x > k]),
        (f"fill every number with zeros to {k % 3 + 3} digits",
         lambda s: ",".join(str(x).zfill(k % 3 + 3) for x in _ints(s))),
        ("write smallest and largest number with '-' between", lambda s: f"{min(_ints(s))}-{max(_ints(s))}"),
        ("give the number of numbers and their sum", lambda s: [len(_ints(s)), sum(_ints(s))]),
    )  # fmt: skip


def _ints(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def address(rng: random.Random) -> Program:
    n, mark = rng.randint(1, 3), rng.choice(["*", "x", "."])
    return one_of(
        rng,
        ("give what stands before the @", lambda s: s.split("@")[0]),
        ("give the domain", lambda s: s.split("@")[1]),
        ("give the domain without its ending", lambda s: s.split("@")[1].split(".")[0]),
        ("give the ending of the domain", lambda s: s.rsplit(".", 1)[1]),
        ("write ' at ' for the @", lambda s: s.replace("@", " at ")),
        (f"keep {n} letters before the @ and write {mark * 3!r} for the others",
         lambda s: s[:n] + mark * 3 + s[s.index("@") :]),
        ("make a name of the part before the @",
         lambda s: " ".join(w.capitalize() for w in re.split(r"[._]", re.sub(r"\d", "", s.split("@")[0])))),
        ("write the company with a capital", lambda s: s.split("@")[1].split(".")[0].capitalize()),
        ("drop digits before the @", lambda s: re.sub(r"\d", "", s.split("@")[0]) + "@" + s.split("@")[1]),
        ("give the number of characters before the @", lambda s: s.index("@")),
        ("tell whether the address holds a digit", lambda s: any(c.isdigit() for c in s)),
        (f"write domain, colon, and the first {n + 2} letters", lambda s: f"{s.split('@')[1]}: {s[: n + 2]}"),
    )  # fmt: skip


def file_path(rng: random.Random) -> Program:
    ending, mark = rng.choice(["bak", "html", "xml", "old", "tmp"]), rng.choice(["\\", ":", " > ", "."])
    return one_of(
        rng,
        ("give the file name", lambda s: s.rsplit("/", 1)[1]),
        ("give the ending of the file", lambda s: s.rsplit(".", 1)[1]),
        ("give the file name without its ending", lambda s: s.rsplit("/", 1)[1].rsplit(".", 1)[0]),
        ("give the folder of the file", lambda s: s.rsplit("/", 1)[0]),
        ("give the first folder", lambda s: s.split("/")[0]),
        ("give the innermost folder", lambda s: s.split("/")[-2]),
        ("count the folders", lambda s: s.count("/")),
        (f"change the ending to {ending}", lambda s: f"{s.rsplit('.', 1)[0]}.{ending}"),
        (f"append .{ending}", lambda s: f"{s}.{ending}"),
        (f"write {mark!r} for '/'", lambda s: s.replace("/", mark)),
        ("give the parts of the path", lambda s: s.split("/")),
        ("write the ending in capitals", lambda s: s.rsplit(".", 1)[0] + "." + s.rsplit(".", 1)[1].upper()),
        ("write the ending, a colon and the file name without it",
         lambda s: "{1}: {0}".format(*s.rsplit("/", 1)[1].rsplit(".", 1))),
    )  # fmt: skip
