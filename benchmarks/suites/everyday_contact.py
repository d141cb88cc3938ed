"""Everyday families about reaching someone: web addresses, phones, postal addresses."""

from __future__ import annotations

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V

BOOL = "(text: str) -> bool"
INT = "(text: str) -> int"
_SHORT = {"Street": "St.", "Avenue": "Ave.", "Road": "Rd.", "Lane": "Ln."}


def _host(text: str) -> str:
    return text.split("/")[2].removeprefix("www.")


def _path(text: str) -> str:
    return text.split("/", 3)[3]


def _parameter(text: str, name: str) -> str:
    return dict(part.split("=") for part in text.split("?")[1].split("&"))[name]


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _grouped(text: str, pattern: str) -> str:
    """The ten digits laid out by a pattern such as ``{} {} {}``."""
    number = _digits(text)
    return pattern.format(number[:3], number[3:6], number[6:])


def _parts(text: str) -> tuple[str, str, str, str]:
    """Street line, city, state and zip of an address."""
    street, city, tail = text.split(", ")
    return street, city, *tail.split()  # type: ignore[return-value]


def _flat(text: str) -> str:
    return text.split("Apt ")[1] if "Apt" in text else ""


WEB = (
    Family(
        name="url-host",
        draw=draws.url,
        branch=lambda s: "www." in s,
        variants=(
            V(3, "Give the host without www.", _host),
            V(4, "Give the site's name: no www, no top-level domain.", lambda s: _host(s).split(".")[0]),
            V(2, "Give the top-level domain of the link.", lambda s: s.split("/")[2].split(".")[-1]),
            V(1, "Give the scheme before the colon.", lambda s: s.split(":")[0]),
            V(4, "Give the site's name, capitalised.", lambda s: _host(s).split(".")[0].title()),
            V(1, "Drop the scheme.", lambda s: s.split("//")[1]),
        ),
    ),
    Family(
        name="url-path",
        draw=draws.url,
        variants=(
            V(1, "Give the first part of the path.", lambda s: s.split("/")[3]),
            V(2, "Give the path with its leading slash.", lambda s: "/" + _path(s)),
            V(3, "Give the last part of the path, capitalised.", lambda s: s.split("/")[-1].title()),
            V(3, "Write the path as a breadcrumb with >.", lambda s: _path(s).replace("/", " > ")),
            V(3, "Count the parts of the path.", lambda s: len(_path(s).split("/")), None, INT),
            V(3, "List the parts of the path.", lambda s: _path(s).split("/"), None, "(text: str) -> list[str]"),
        ),
    ),
    Family(
        name="url-query",
        draw=draws.query_url,
        variants=(
            V(1, "Give everything after the question mark.", lambda s: s.split("?")[1]),
            V(1, "Remove the query.", lambda s: s.split("?")[0]),
            V(4, "Give the value of the parameter id.", lambda s: _parameter(s, "id")),
            V(4, "Give the value of the parameter page as a number.", lambda s: int(_parameter(s, "page")), None, INT),
            V(4, "Give the search word q.", lambda s: _parameter(s, "q")),
            V(3, "Give the name of the first parameter.", lambda s: s.split("?")[1].split("=")[0]),
            V(3, "Give the value of the last parameter.", lambda s: s.split("=")[-1]),
            V(
                3,
                "List the parameters as name=value.",
                lambda s: s.split("?")[1].split("&"),
                None,
                "(text: str) -> list[str]",
            ),
        ),
    ),
    Family(
        name="url-build",
        draw=draws.domain,
        branch=lambda s: s.count("."),
        variants=(
            V(1, "Make an https link of the domain.", lambda s: f"https://{s}"),
            V(1, "Make an https link with a closing slash.", lambda s: f"https://{s}/"),
            V(2, "Make the link to the login page.", lambda s: f"https://{s}/login"),
            V(3, "Give the registered domain: the last two labels.", lambda s: ".".join(s.split(".")[-2:])),
            V(4, "Give the subdomain or an empty cell.", lambda s: s.split(".")[0] if s.count(".") == 2 else ""),
            V(3, "Reverse the labels of the domain.", lambda s: ".".join(s.split(".")[::-1])),
            V(
                3,
                "Make the contact address info@ of the registered domain.",
                lambda s: "info@" + ".".join(s.split(".")[-2:]),
            ),
            V(2, "Count the labels.", lambda s: s.count(".") + 1, None, INT),
        ),
    ),
    Family(
        name="url-secure",
        draw=draws.url,
        branch=lambda s: s.startswith("https"),
        variants=(
            V(4, "Make every link https.", lambda s: "https://" + s.split("//")[1]),
            V(1, "Answer whether the link is secure.", lambda s: s.startswith("https"), None, BOOL),
            V(4, "Label the link secure or plain.", lambda s: "secure" if s.startswith("https") else "plain"),
        ),
    ),
)

PHONES = (
    Family(
        name="phone-digits",
        draw=draws.phone,
        variants=(
            V(2, "Keep the digits of the phone number.", _digits),
            V(3, "Give the area code.", lambda s: _digits(s)[:3]),
            V(3, "Give the local number without the area code, digits only.", lambda s: _digits(s)[3:]),
            V(3, "Write the number as digits after +1.", lambda s: "+1" + _digits(s)),
        ),
    ),
    Family(
        name="phone-normalise",
        draw=draws.phone,
        variants=tuple(
            V(
                4,
                f"Bring all phone numbers to the form {pattern.format('555', '010', '2233')}.",
                lambda s, pattern=pattern: _grouped(s, pattern),
            )
            for pattern in ("({}) {}-{}", "{}-{}-{}", "{}.{}.{}", "{} {} {}", "+1 {} {} {}", "{}/{}-{}")
        ),
    ),
    Family(
        name="phone-layout",
        draw=draws.plain_phone,
        variants=tuple(
            V(
                3,
                f"Lay out the ten digits as {pattern.format('555', '010', '2233')}.",
                lambda s, pattern=pattern: _grouped(s, pattern),
            )
            for pattern in ("{}{}-{}", "({}) {} {}", "{}/{}/{}", "+1-{}-{}-{}", "tel:{}.{}.{}")
        ),
    ),
    Family(
        name="phone-country",
        draw=draws.world_phone,
        variants=(
            V(2, "Give the country code without the plus.", lambda s: s.split()[0][1:]),
            V(2, "Give the number without the country code.", lambda s: s.split(" ", 1)[1]),
            V(1, "Write 00 instead of the plus.", lambda s: s.replace("+", "00")),
            V(3, "Write the number nationally: 0, area code, hyphen, number.", lambda s: "0" + "-".join(s.split()[1:])),
            V(3, "Put the country code in brackets.", lambda s: "({}) {} {}".format(*s.split())),
            V(2, "Give the country code as a number.", lambda s: int(s.split()[0]), None, INT),
        ),
    ),
    Family(
        name="phone-extension",
        draw=draws.extension_phone,
        branch=lambda s: "x" in s,
        variants=(
            V(3, "Give the extension or an empty cell.", lambda s: s.partition(" x")[2]),
            V(1, "Drop the extension.", lambda s: s.split(" x")[0]),
            V(3, "Write ext. instead of x.", lambda s: s.replace(" x", " ext. ")),
            V(3, "Answer whether there is an extension.", lambda s: "x" in s, None, BOOL),
            V(
                4,
                "Give the extension, or 0 where there is none, as a number.",
                lambda s: int(s.partition(" x")[2] or 0),
                None,
                INT,
            ),
        ),
    ),
    Family(
        name="phone-mask",
        draw=draws.dashed_phone,
        variants=(
            V(3, "Hide all but the last four digits.", lambda s: "***-***-" + s[-4:]),
            V(3, "Hide the last four digits.", lambda s: s[:-4] + "****"),
            V(3, "Hide the middle block.", lambda s: f"{s[:3]}-***-{s[-4:]}"),
        ),
    ),
)

ADDRESSES = (
    Family(
        name="address-part",
        draw=draws.address,
        variants=(
            V(1, "Give the state.", lambda s: s.split()[-2]),
            V(1, "Give the city.", lambda s: s.split(", ")[1]),
            V(1, "Give the street line.", lambda s: s.split(", ")[0]),
            V(2, "Give the street without the house number.", lambda s: s.split(", ")[0].split(" ", 1)[1]),
            V(2, "Give the zip code as a number.", lambda s: int(s.split()[-1]), None, INT),
        ),
    ),
    Family(
        name="address-rewrite",
        draw=draws.address,
        variants=(
            V(3, "Write City (ST).", lambda s: f"{_parts(s)[1]} ({_parts(s)[2]})"),
            V(3, "Write zip and city.", lambda s: f"{_parts(s)[3]} {_parts(s)[1]}"),
            V(3, "Write the city in capitals, then the state.", lambda s: f"{_parts(s)[1].upper()}, {_parts(s)[2]}"),
            V(4, "Write the parts separated by bars.", lambda s: "|".join(_parts(s))),
            V(4, "Write ST-zip and the city.", lambda s: "{2}-{3} {1}".format(*_parts(s))),
            V(
                4,
                "Put the house number behind the street name.",
                lambda s: "{1} {0}".format(*s.split(", ")[0].split(" ", 1)) + s[s.index(",") :],
            ),
        ),
    ),
    Family(
        name="address-abbreviate",
        draw=draws.street_line,
        branch=lambda s: s.split()[-1],
        variants=(
            V(5, "Abbreviate the kind of street.", lambda s: s.rsplit(" ", 1)[0] + " " + _SHORT[s.split()[-1]]),
            V(5, "Give the abbreviated kind of street.", lambda s: _SHORT[s.split()[-1]]),
            V(3, "Write the street first, then a comma and the number.", lambda s: "{1}, {0}".format(*s.split(" ", 1))),
        ),
    ),
    Family(
        name="address-flat",
        draw=draws.unit_street,
        branch=lambda s: "Apt" in s,
        variants=(
            V(4, "Give the flat number or an empty cell.", _flat),
            V(4, "Write # before the flat instead of the word Apt.", lambda s: s.replace(", Apt ", " #")),
            V(4, "Label the address flat or house.", lambda s: "flat" if "Apt" in s else "house"),
        ),
    ),
    Family(
        name="address-zip-city",
        draw=draws.zip_city,
        variants=(
            V(2, "Turn zip city into City zip, with a bar between.", lambda s: "{1}|{0}".format(*s.split())),
            V(1, "Add the country prefix D- before the zip.", lambda s: "D-" + s),
            V(3, "Write the city in capitals.", lambda s: s.upper()),
            V(3, "Give the region: the first two digits, then xxx.", lambda s: s[:2] + "xxx"),
            V(1, "Give the first digit of the zip code.", lambda s: s[0]),
            V(3, "Write City [zip].", lambda s: "{1} [{0}]".format(*s.split())),
        ),
    ),
    Family(
        name="address-zip-code",
        draw=draws.zip_code,
        branch=lambda s: "-" in s,
        variants=(
            V(1, "Cut the zip code to five digits.", lambda s: s[:5]),
            V(4, "Fill up every zip code to nine digits with -0000.", lambda s: s if "-" in s else s + "-0000"),
            V(3, "Give the four-digit suffix or an empty cell.", lambda s: s.partition("-")[2]),
            V(3, "Answer whether the suffix is there.", lambda s: "-" in s, None, BOOL),
        ),
    ),
    Family(
        name="place-country",
        draw=draws.place,
        variants=(
            V(2, "Give the country in the brackets.", lambda s: s.split("(")[1].rstrip(")")),
            V(1, "Give the city before the bracket.", lambda s: s.split(" (")[0]),
            V(3, "Write City, Country.", lambda s: s.replace(" (", ", ").rstrip(")")),
            V(4, "Swap them: Country (City).", lambda s: "{1} ({0})".format(*s.rstrip(")").split(" ("))),
            V(4, "Write COUNTRY: City.", lambda s: "{}: {}".format(s[s.index("(") + 1 : -1].upper(), s.split(" (")[0])),
            V(
                3,
                "Write the city and the first three letters of the country in capitals.",
                lambda s: "{} {}".format(s.split(" (")[0], s[s.index("(") + 1 :][:3].upper()),
            ),
        ),
    ),
)
