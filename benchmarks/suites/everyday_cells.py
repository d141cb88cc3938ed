"""Everyday families about titles, identifiers, blanks, lists in cells and missing values."""

from __future__ import annotations

import re
from random import Random

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V
from benchmarks.suites.everyday_words import ADJECTIVES, CITIES, PRODUCTS, TOPICS

INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"
LIST = "(text: str) -> list[str]"


def _title(rng: Random) -> tuple[str]:
    words = rng.sample(ADJECTIVES + PRODUCTS + TOPICS, rng.randint(2, 4))
    return (" ".join(words).title(),)


def _snake(rng: Random) -> tuple[str]:
    return ("_".join(rng.sample(TOPICS + PRODUCTS, rng.randint(2, 3))),)


def _camel(rng: Random) -> tuple[str]:
    first, *rest = rng.sample(TOPICS + PRODUCTS, rng.randint(2, 3))
    return (first + "".join(word.title() for word in rest),)


def _kebab(rng: Random) -> tuple[str]:
    return (_snake(rng)[0].replace("_", "-"),)


def _humps(text: str) -> list[str]:
    """The words of a camelCase identifier."""
    return re.sub("([A-Z])", r" \1", text).lower().split()


def _blanks(rng: Random) -> tuple[str]:
    words = rng.sample(ADJECTIVES + PRODUCTS, rng.randint(2, 4))
    return (draws.pad(rng, "".join(word + " " * rng.choice((1, 1, 2, 3)) for word in words).strip()),)


def _cells(rng: Random) -> list[str]:
    words = (rng.choice(column) for column in (PRODUCTS, ADJECTIVES, CITIES))
    return [*words, str(rng.randint(1, 99))]


def _comma_cells(rng: Random) -> tuple[str]:
    return (",".join(_cells(rng)),)


def _bar_cells(rng: Random) -> tuple[str]:
    return (" | ".join(_cells(rng)),)


def _list_cell(rng: Random) -> tuple[str]:
    words = [rng.choice(TOPICS) for _ in range(rng.randint(2, 5))]
    return ("".join(word + rng.choice(("; ", ";", " ; ")) for word in words[:-1]) + words[-1],)


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(";")]


def _tags(rng: Random) -> tuple[str]:
    return (" ".join("#" + tag for tag in rng.sample(TOPICS, rng.randint(2, 4))),)


def _quoted(rng: Random) -> tuple[str]:
    return (f'"{_title(rng)[0]}"',)


def _missing(rng: Random) -> tuple[str]:
    return (draws.pad(rng, rng.choice(("N/A", "-", "none", *rng.sample(CITIES, 2)))),)


def _blank(text: str) -> bool:
    return text.strip() in ("N/A", "-", "none")


CELLS = (
    Family(
        name="title-to-slug",
        draw=_title,
        variants=(
            V(2, "Make a slug with hyphens.", lambda s: s.lower().replace(" ", "-")),
            V(2, "Make a lower-case key with underscores.", lambda s: s.lower().replace(" ", "_")),
            V(3, "Make a page name: slug and .html", lambda s: s.lower().replace(" ", "-") + ".html"),
            V(3, "Make the acronym with a full stop at the end.", lambda s: "".join(w[0] for w in s.split()) + "."),
            V(4, "Make the camelCase name.", lambda s: s[0].lower() + s.replace(" ", "")[1:]),
            V(3, "Write the title in sentence case.", lambda s: s.capitalize()),
            V(3, "Give the longest word of the title, the first where several are.", lambda s: max(s.split(), key=len)),
        ),
    ),
    Family(
        name="identifier-case",
        draw=_snake,
        variants=(
            V(4, "Turn snake_case into camelCase.", lambda s: s[0] + s.title().replace("_", "")[1:]),
            V(3, "Turn snake_case into PascalCase.", lambda s: s.title().replace("_", "")),
            V(1, "Turn snake_case into kebab-case.", lambda s: s.replace("_", "-")),
            V(2, "Turn snake_case into CONSTANT-CASE with hyphens.", lambda s: s.upper().replace("_", "-")),
            V(2, "Turn snake_case into a title.", lambda s: s.title().replace("_", " ")),
            V(4, "Turn camelCase into snake_case.", lambda s: "_".join(_humps(s)), _camel),
            V(4, "Turn camelCase into kebab-case.", lambda s: "-".join(_humps(s)), _camel),
            V(5, "Turn camelCase into a title.", lambda s: " ".join(_humps(s)).title(), _camel),
            V(4, "Turn kebab-case into camelCase.", lambda s: s[0] + s.title().replace("-", "")[1:], _kebab),
            V(1, "Turn kebab-case into words.", lambda s: s.replace("-", " "), _kebab),
        ),
    ),
    Family(
        name="white-space",
        draw=_blanks,
        variants=(
            V(1, "Trim the cell.", lambda s: s.strip()),
            V(2, "Trim the cell and reduce runs of blanks to one.", lambda s: " ".join(s.split())),
            V(1, "Remove all blanks.", lambda s: s.replace(" ", "")),
            V(3, "Tidy the blanks and start with a capital.", lambda s: " ".join(s.split()).capitalize()),
            V(3, "Tidy the blanks and join the words with commas.", lambda s: ", ".join(s.split())),
            V(2, "Count the words of the cell.", lambda s: len(s.split()), None, INT),
            V(1, "List the words of the cell.", lambda s: s.split(), None, LIST),
        ),
    ),
    Family(
        name="cell-of-row",
        draw=_comma_cells,
        variants=(
            V(1, "Give the first cell of the comma-separated row.", lambda s: s.split(",")[0]),
            V(1, "Give the second cell of the row.", lambda s: s.split(",")[1]),
            V(1, "Give the last cell as a number.", lambda s: int(s.split(",")[-1]), None, INT),
            V(1, "Give the third cell between bars.", lambda s: s.split(" | ")[2], _bar_cells),
            V(1, "Separate the cells by semicolons.", lambda s: s.replace(",", ";")),
            V(
                4,
                "Swap the first two cells.",
                lambda s: ",".join([s.split(",")[1], s.split(",")[0], *s.split(",")[2:]]),
            ),
            V(3, "Give first and third cell, separated by a slash.", lambda s: "{0}/{2}".format(*s.split(","))),
            V(3, "Drop the last cell.", lambda s: s.rsplit(",", 1)[0]),
            V(3, "Write the cells with commas instead of bars.", lambda s: s.replace(" | ", ","), _bar_cells),
            V(
                4,
                "Write second and first cell as one phrase, capitalised.",
                lambda s: "{1} {0}".format(*s.split(",")).capitalize(),
            ),
        ),
    ),
    Family(
        name="list-in-cell",
        draw=_list_cell,
        signature=LIST,
        variants=(
            V(3, "Split the cell at semicolons and trim the items.", _items),
            V(4, "List the items of the cell in alphabetical order.", lambda s: sorted(_items(s))),
            V(4, "List the distinct items of the cell in order.", lambda s: list(dict.fromkeys(_items(s)))),
            V(4, "Count the distinct items of the cell.", lambda s: len(set(_items(s))), None, INT),
            V(3, "Write the items with commas.", lambda s: ", ".join(_items(s)), None, "(text: str) -> str"),
            V(3, "Give the last item.", lambda s: _items(s)[-1], None, "(text: str) -> str"),
        ),
    ),
    Family(
        name="tags",
        draw=_tags,
        variants=(
            V(3, "List the tags without the hash.", lambda s: s.replace("#", "").split(), None, LIST),
            V(2, "Write the tags with commas and without the hash.", lambda s: s.replace("#", "").replace(" ", ", ")),
            V(1, "Count the tags.", lambda s: s.count("#"), None, INT),
            V(4, "Write the tags in alphabetical order.", lambda s: " ".join(sorted(s.split()))),
        ),
    ),
    Family(
        name="quotes",
        draw=_quoted,
        variants=(
            V(1, "Remove the quotes.", lambda s: s.strip('"')),
            V(1, "Write single quotes instead of double ones.", lambda s: s.replace('"', "'")),
            V(3, "Remove the quotes and write lower case.", lambda s: s.strip('"').lower()),
            V(2, "Write square brackets instead of the quotes.", lambda s: "[" + s[1:-1] + "]"),
        ),
    ),
    Family(
        name="text-shorten",
        draw=_title,
        branch=lambda s: (len(s) > 12, len(s) > 20),
        variants=(
            V(
                4,
                "Cut titles over 12 characters to 12 and three dots.",
                lambda s: s if len(s) <= 12 else s[:12] + "...",
            ),
            V(
                4,
                "Cut titles over 20 characters to 17 and three dots.",
                lambda s: s if len(s) <= 20 else s[:17] + "...",
            ),
            V(4, "Label titles over 20 characters long, others ok.", lambda s: "long" if len(s) > 20 else "ok"),
            V(3, "Give the characters left to 40.", lambda s: 40 - len(s), None, INT),
        ),
    ),
    Family(
        name="missing-value",
        draw=_missing,
        branch=lambda s: s.strip() if _blank(s) else "value",
        variants=(
            V(
                4,
                "Trim the cells and empty those that hold a hyphen, none or N/A.",
                lambda s: "" if _blank(s) else s.strip(),
            ),
            V(
                5,
                "Trim the cells and write unknown for hyphen, none or N/A.",
                lambda s: "unknown" if _blank(s) else s.strip(),
            ),
            V(4, "Answer whether a value is missing (hyphen, none or N/A).", _blank, None, BOOL),
            V(
                5,
                "Write values in capitals, missing ones as NONE.",
                lambda s: "NONE" if _blank(s) else s.strip().upper(),
            ),
        ),
    ),
)
