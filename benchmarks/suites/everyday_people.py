"""Everyday families about people: names, greetings, user names, e-mail addresses."""

from __future__ import annotations

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V

LIST = "(text: str) -> list[str]"
PAIR = "(first: str, last: str) -> str"


def _words(text: str) -> tuple[str, str]:
    """First and last word."""
    parts = text.split()
    return parts[0], parts[-1]


def _swap(text: str) -> tuple[str, str]:
    """First and last name of ``Last, First``."""
    last, first = text.split(", ")
    return first, last


def _bare(text: str) -> str:
    """The name without a leading title."""
    return text.split(". ", 1)[1] if ". " in text else text


def _middle(text: str) -> str:
    parts = text.split()
    return parts[1] if len(parts) == 3 else ""


def _shorten(text: str) -> str:
    parts = text.split()
    return f"{parts[0]} {parts[1][0]}. {parts[2]}" if len(parts) == 3 else text


def _owner(address: str) -> tuple[str, str]:
    """First and last name behind ``maria.jensen@acme.com``, capitalised."""
    first, last = address.split("@")[0].split(".")
    return first.title(), last.title()


def _address(text: str) -> str:
    """The bare address of a mail-client cell."""
    return text.strip().strip("<>").removeprefix("mailto:").lower()


def _starred(text: str, keep: int) -> str:
    user, host = text.split("@")
    return user[:keep] + "*" * (len(user) - keep) + "@" + host


def _is_long(text: str) -> int:
    return len(text.split())


NAMES = (
    Family(
        name="name-initials",
        draw=draws.long_name,
        branch=_is_long,
        variants=(
            V(2, "Give the initials of each person.", lambda s: "".join(w[0] for w in s.split())),
            V(3, "Write the initials with a full stop after each.", lambda s: "".join(w[0] + "." for w in s.split())),
            V(
                3,
                "Write the initials, dotted and separated by blanks.",
                lambda s: " ".join(w[0] + "." for w in s.split()),
            ),
            V(3, "Make lower-case initials.", lambda s: "".join(w[0] for w in s.split()).lower()),
            V(3, "Join the initials with hyphens.", lambda s: "-".join(w[0] for w in s.split())),
            V(2, "Initials of the first and the last name only.", lambda s: s[0] + _words(s)[1][0]),
        ),
    ),
    Family(
        name="name-to-last-first",
        draw=draws.full_name,
        variants=(
            V(2, "Turn the full name into Last, First.", lambda s: "{1}, {0}".format(*_words(s))),
            V(3, "Turn the full name into LAST, First.", lambda s: f"{_words(s)[1].upper()}, {_words(s)[0]}"),
            V(3, "Write the last name, then the first initial with a full stop.", lambda s: f"{_words(s)[1]} {s[0]}."),
            V(3, "Write LAST F. in capitals.", lambda s: f"{_words(s)[1]} {s[0]}.".upper()),
            V(3, "Write last/first in lower case with a slash.", lambda s: "{1}/{0}".format(*_words(s)).lower()),
        ),
    ),
    Family(
        name="name-from-last-first",
        draw=draws.last_first,
        variants=(
            V(2, "Turn Last, First into First Last.", lambda s: " ".join(_swap(s))),
            V(3, "Turn Last, First into F. Last.", lambda s: f"{_swap(s)[0][0]}. {_swap(s)[1]}"),
            V(3, "Make a user name first.last in lower case.", lambda s: ".".join(_swap(s)).lower()),
            V(3, "Turn Last, First into FIRST LAST.", lambda s: " ".join(_swap(s)).upper()),
            V(3, "Give First L. for each entry.", lambda s: f"{_swap(s)[0]} {s[0]}."),
            V(2, "Give the first name that follows the comma.", lambda s: _swap(s)[0]),
        ),
    ),
    Family(
        name="name-part",
        draw=draws.three_names,
        variants=(
            V(1, "Give the first name.", lambda s: s.split()[0]),
            V(1, "Give the last name.", lambda s: s.split()[-1]),
            V(1, "Give the middle name.", lambda s: s.split()[1]),
            V(2, "Give the first name in capitals.", lambda s: s.split()[0].upper()),
            V(2, "Give the last name in lower case.", lambda s: s.split()[-1].lower()),
            V(2, "Leave out the middle name.", lambda s: " ".join(_words(s))),
            V(2, "Give the first letter of the middle name.", lambda s: s.split()[1][0]),
            V(2, "Give all given names without the last name.", lambda s: s.rsplit(" ", 1)[0]),
        ),
    ),
    Family(
        name="name-abbreviate",
        draw=draws.full_name,
        variants=(
            V(2, "Shorten the first name to its initial.", lambda s: f"{s[0]}. {_words(s)[1]}"),
            V(2, "Shorten the last name to its initial.", lambda s: f"{_words(s)[0]} {_words(s)[1][0]}."),
            V(
                3,
                "Make the user name: first initial and last name, lower case.",
                lambda s: (s[0] + _words(s)[1]).lower(),
            ),
            V(3, "Make the user name last.f in lower case.", lambda s: f"{_words(s)[1]}.{s[0]}".lower()),
            V(
                3,
                "Make the user name: last name and first initial, lower case.",
                lambda s: (_words(s)[1] + s[0]).lower(),
            ),
            V(
                3,
                "Make a six-letter code: three letters of each name in capitals.",
                lambda s: (_words(s)[0][:3] + _words(s)[1][:3]).upper(),
            ),
        ),
    ),
    Family(
        name="name-casing",
        draw=draws.messy_name,
        variants=(
            V(2, "Clean up the names: capital initials, single blanks.", lambda s: " ".join(s.split()).title()),
            V(2, "Clean up the names and write them in capitals.", lambda s: " ".join(s.split()).upper()),
            V(
                3,
                "Clean up the names, the last name in capitals.",
                lambda s: f"{_words(s)[0].title()} {_words(s)[1].upper()}",
            ),
            V(
                3,
                "Clean up the names and write them as Last, First.",
                lambda s: f"{_words(s)[1].title()}, {_words(s)[0].title()}",
            ),
            V(2, "Give the first name, properly cased.", lambda s: _words(s)[0].title()),
            V(3, "Turn the messy names into lower-case keys with a dot.", lambda s: ".".join(s.split()).lower()),
        ),
    ),
    Family(
        name="name-title",
        draw=draws.titled_name,
        branch=lambda s: ". " in s,
        variants=(
            V(4, "Drop the title if there is one.", _bare),
            V(4, "Give the title, or nothing where there is none.", lambda s: s.split()[0] if ". " in s else ""),
            V(4, "Drop the title and write Last, First.", lambda s: "{1}, {0}".format(*_words(_bare(s)))),
            V(
                4,
                "Keep the title with the last name; without a title keep the full name.",
                lambda s: f"{s.split()[0]} {s.split()[-1]}" if ". " in s else s,
            ),
            V(4, "Drop the title and give the initials.", lambda s: "".join(w[0] for w in _bare(s).split())),
            V(4, "Answer whether the person has a title.", lambda s: ". " in s, None, "(text: str) -> bool"),
        ),
    ),
    Family(
        name="name-middle",
        draw=draws.long_name,
        branch=_is_long,
        variants=(
            V(4, "Shorten the middle name, where there is one, to an initial.", _shorten),
            V(
                4,
                "Write Last, First M. with the middle initial only where there is one.",
                lambda s: f"{_words(s)[1]}, {_shorten(s).rsplit(' ', 1)[0]}",
            ),
            V(4, "Give the middle name or an empty cell.", _middle),
            V(4, "Give the middle initial or a hyphen.", lambda s: _middle(s)[:1] or "-"),
            V(
                3,
                "Shorten all names but the last to initials.",
                lambda s: " ".join([*(w[0] + "." for w in s.split()[:-1]), s.split()[-1]]),
            ),
        ),
    ),
    Family(
        name="name-greeting",
        draw=draws.full_name,
        variants=(
            V(2, "Write the salutation Dear First,", lambda s: f"Dear {s.split()[0]},"),
            V(1, "Write Hello First Last!", lambda s: f"Hello {s}!"),
            V(3, "Write Hi First L.", lambda s: f"Hi {_words(s)[0]} {_words(s)[1][0]}."),
            V(3, "Write the label: Attn. LAST", lambda s: f"Attn. {_words(s)[1].upper()}"),
            V(3, "Write the possessive: Last's account", lambda s: f"{_words(s)[1]}'s account"),
        ),
    ),
    Family(
        name="name-columns",
        draw=draws.first_and_last,
        signature=PAIR,
        variants=(
            V(1, "Join first and last name.", lambda a, b: f"{a} {b}"),
            V(2, "Make Last, First from the two columns.", lambda a, b: f"{b}, {a}"),
            V(3, "Make the login: first initial plus last name, lower case.", lambda a, b: (a[0] + b).lower()),
            V(3, "Make the login: first name, dot, last initial, lower case.", lambda a, b: f"{a}.{b[0]}".lower()),
            V(3, "Write LAST, First.", lambda a, b: f"{b.upper()}, {a}"),
            V(2, "Give the two initials.", lambda a, b: a[0] + b[0]),
            V(
                3,
                "Make the staff code: three letters of the last and two of the first name, capitals.",
                lambda a, b: (b[:3] + a[:2]).upper(),
            ),
            V(4, "Give whichever name is longer; the last name when equal.", lambda a, b: a if len(a) > len(b) else b),
            V(3, "Make a mail alias first_last in lower case.", lambda a, b: f"{a}_{b}".lower()),
        ),
    ),
    Family(
        name="name-counts",
        draw=draws.long_name,
        branch=_is_long,
        signature="(text: str) -> int",
        variants=(
            V(2, "Count the letters of the last name.", lambda s: len(s.split()[-1])),
            V(2, "Count the letters of the first name.", lambda s: len(s.split()[0])),
            V(2, "Count the letters without blanks.", lambda s: len(s.replace(" ", ""))),
        ),
    ),
    Family(
        name="name-list",
        draw=draws.name_list,
        signature=LIST,
        variants=(
            V(1, "Split the cell into the full names.", lambda s: s.split("; ")),
            V(3, "List the last names.", lambda s: [p.split()[-1] for p in s.split("; ")]),
            V(3, "List the first names.", lambda s: [p.split()[0] for p in s.split("; ")]),
            V(4, "List the first names in alphabetical order.", lambda s: sorted(p.split()[0] for p in s.split("; "))),
            V(2, "Count the people in the cell.", lambda s: s.count(";") + 1, None, "(text: str) -> int"),
            V(
                4,
                "List the people as Last, First, separated by blanks and bars.",
                lambda s: " | ".join("{1}, {0}".format(*_words(p)) for p in s.split("; ")),
                None,
                "(text: str) -> str",
            ),
            V(
                4,
                "Give the initials of everybody, separated by commas.",
                lambda s: ",".join("".join(w[0] for w in p.split()) for p in s.split("; ")),
                None,
                "(text: str) -> str",
            ),
        ),
    ),
)

EMAILS = (
    Family(
        name="email-part",
        draw=draws.email,
        variants=(
            V(1, "Give the domain of the address.", lambda s: s.split("@")[1]),
            V(1, "Give the user part of the address.", lambda s: s.split("@")[0]),
            V(2, "Give the company behind the address.", lambda s: s.split("@")[1].split(".")[0]),
            V(3, "Give the company behind the address, capitalised.", lambda s: s.split("@")[1].split(".")[0].title()),
            V(1, "Give the first name in the address.", lambda s: s.split(".")[0]),
            V(2, "Give the last name in the address.", lambda s: s.split("@")[0].split(".")[1]),
        ),
    ),
    Family(
        name="email-to-name",
        draw=draws.email,
        variants=(
            V(3, "Recover the full name from the address.", lambda s: " ".join(_owner(s))),
            V(4, "Recover Last, First from the address.", lambda s: "{1}, {0}".format(*_owner(s))),
            V(4, "Recover the name as F. Last.", lambda s: f"{_owner(s)[0][0]}. {_owner(s)[1]}"),
            V(2, "Recover the first name, capitalised.", lambda s: _owner(s)[0]),
            V(4, "Recover the initials in capitals.", lambda s: _owner(s)[0][0] + _owner(s)[1][0]),
            V(
                4,
                "Write name and company: First Last (Company)",
                lambda s: f"{' '.join(_owner(s))} ({s.split('@')[1].split('.')[0].title()})",
            ),
        ),
    ),
    Family(
        name="email-from-name",
        draw=draws.full_name,
        variants=(
            V(3, "Make the staff address first.last@acme.com.", lambda s: s.replace(" ", ".").lower() + "@acme.com"),
            V(4, "Make the address flast@initech.org.", lambda s: (s[0] + _words(s)[1]).lower() + "@initech.org"),
            V(4, "Make the address last.first@umbra.net.", lambda s: "{1}.{0}@umbra.net".format(*_words(s)).lower()),
            V(4, "Make the address f.last@kestrel.io.", lambda s: f"{s[0]}.{_words(s)[1]}@kestrel.io".lower()),
            V(3, "Make the address last@lumen.de.", lambda s: _words(s)[1].lower() + "@lumen.de"),
        ),
    ),
    Family(
        name="email-user",
        draw=draws.tagged_email,
        variants=(
            V(4, "Remove the +tag from the address.", lambda s: s.split("@")[0].split("+")[0] + "@" + s.split("@")[1]),
            V(3, "Give the user without +tag.", lambda s: s.split("@")[0].split("+")[0]),
            V(
                4,
                "Give the user's letters only, without tag and digits.",
                lambda s: "".join(c for c in s.split("@")[0].split("+")[0] if c.isalpha()),
            ),
            V(4, "Give the tag after the plus sign or an empty cell.", lambda s: s.split("@")[0].partition("+")[2]),
        ),
        branch=lambda s: "tag" if "+" in s else any(c.isdigit() for c in s),
    ),
    Family(
        name="email-mask",
        draw=draws.email,
        variants=(
            V(3, "Hide the user: keep the first letter, then ***.", lambda s: s[0] + "***@" + s.split("@")[1]),
            V(4, "Replace all but the first letter of the user by stars.", lambda s: _starred(s, 1)),
            V(4, "Replace all but the first two letters of the user by stars.", lambda s: _starred(s, 2)),
            V(3, "Hide the domain: keep the user and write @***.", lambda s: s.split("@")[0] + "@***"),
            V(3, "Write the address without at sign: user (at) domain.", lambda s: s.replace("@", " (at) ")),
        ),
    ),
    Family(
        name="email-clean",
        draw=draws.messy_email,
        variants=(
            V(4, "Clean the address: lower case, no brackets, no mailto.", _address),
            V(4, "Clean the address and give its domain.", lambda s: _address(s).split("@")[1]),
            V(4, "Clean the address and give its user.", lambda s: _address(s).split("@")[0]),
        ),
    ),
)
