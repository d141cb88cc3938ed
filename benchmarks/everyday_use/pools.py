"""Pools that rows are drawn from, with the variety of life: long names, accents, one-digit days, zero."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

Rng = random.Random


def _words(text: str, mark: str = " ") -> tuple[str, ...]:
    return tuple(text.split(mark))


FIRST = _words(
    "Anna Ben Clara David Emma Felix Greta Hugo Ida Jonas Katharina Leo Maria Noah Olga Paul Quentin Rosa Samuel Tina"
    " Ursula Victor Wendy Xavier Yara Zoe Al Bo Jo Ed Amélie Björn Chloé Désirée Élodie José Jürgen Søren Zoë Łukasz"
    " Anne-Marie Jean-Luc Mary-Ann Alexander Christopher Bartholomew Priya Wei Yuki Fatima Omar Kofi Ngozi Ivan"
)
LAST = _words(
    "Smith Jones Taylor Brown Miller Weber Fischer Wagner Becker Hoffmann Schulz Koch Richter Klein Wolf Neumann Braun"
    " Garcia Martinez Rossi Ferrari Novak Kowalski Nielsen Hansen Andersson Ivanova Petrov Tanaka Suzuki Kim Nguyen Li"
    " Wu Ng Okafor Mensah Haddad Cohen Levy O'Brien O'Neill McDonald MacLeod Müller Schäfer Größmann Lefèvre Núñez"
    " Peña Öztürk Åberg Dvořák Smith-Jones Meyer-Landrut García-Márquez Featherstonehaugh Papadopoulos"
)
PLAIN_FIRST = tuple(name for name in FIRST if name.isascii() and name.isalpha())
PLAIN_LAST = tuple(name for name in LAST if name.isascii() and name.isalpha())
WESTERN_LAST = tuple(name for name in LAST if name not in ("Dvořák",))
"""Those that the eight-bit character set of western Windows has."""
MIDDLE = ("Ann", "Lee", "J.", "Maria", "Robert", "K.", "Elisabeth", "van", "de la", "M.")
CITIES = _words(
    "Berlin|Hamburg|Köln|München|Bad Homburg|Frankfurt am Main|Ulm|Bonn|Zürich|Wien|Graz|St. Gallen|Genève|Lyon|Paris"
    "|Saint-Étienne|Madrid|Málaga|Porto|Roma|Oslo|Malmö|London|Leeds|Stoke-on-Trent|New York|Boston|San José|Salt Lake"
    " City|Rio de Janeiro",
    "|",
)
COUNTRIES = ("Germany", "France", "Spain", "Italy", "United Kingdom", "USA", "New Zealand", "Côte d'Ivoire", "Japan")
STREETS = _words(
    "Hauptstr.|Bahnhofstraße|Am Markt|Lange Gasse|Schillerplatz|Oak Street|Main Street|High Street|Elm Avenue|King's"
    " Road|Rue de la Paix|Via Roma|Calle Mayor|Straße des 17. Juni|Unter den Linden|St. John's Lane",
    "|",
)
COMPANIES = _words(
    "Acme|Globex|Initech|Umbrella|Hooli|Stark & Sons|Wayne Ltd|Müller GmbH|Café Noir|Nordwind AG|Soylent Foods|Blue"
    " Ocean Trading|A. B. Carlsson|3D Print Co|Maier + Partner|O'Leary Bros.|Sunrise Solar|Tyrell",
    "|",
)
PRODUCTS = _words(
    "Apple|Pen|Desk Lamp|Office Chair|Notebook A5|Stapler|USB Cable|Coffee Mug|Whiteboard Marker|Paper|Monitor Stand"
    "|Keyboard|Mouse|Printer Toner XL|Envelope|Sticky Notes|Water Bottle|Hole Punch|Headset|Ruler",
    "|",
)
COLOURS = ("red", "blue", "green", "black", "white", "yellow", "grey", "light blue", "orange", "silver")
SIZES = ("XS", "S", "M", "L", "XL", "XXL")
DEPARTMENTS = ("Sales", "IT", "Human Resources", "Legal", "R&D", "Finance", "Marketing", "Logistics", "Facilities")
TOPICS = _words(
    "Annual Report|Meeting Notes|Budget|Offer|Price List 2024|Contract Draft|Minutes|Project Plan|Invoice Copy|Travel"
    " Expenses|Holiday Request|Team Photo|Q3 Forecast|Press Release|User Guide|Order Form|Safety Rules|Salary"
    " Review|Site Visit|Test",
    "|",
)
REMARKS = ("", "", "", "called twice", "urgent", "see mail", "ok", "ask Eva", "paid", "check again!", "new")
NOTES = ("ok", "to be checked", "from last year", "by phone", "web shop", "walk-in", "n/a", "fair 2023", "renewed")


def aside(name: str) -> Callable[[Rng, int], str]:
    """Draws cells of a column that does not matter, by its name: from a generator and the number of the row."""
    kinds: dict[str, Callable[[Rng, int], str]] = {
        "No": lambda rng, number: str(number),
        "ID": lambda rng, number: f"K-{1000 + 7 * number + rng.randrange(7)}",
        "Remark": lambda rng, number: rng.choice(REMARKS),
        "Note": lambda rng, number: rng.choice(NOTES),
        "Owner": lambda rng, number: rng.choice(PLAIN_FIRST),
        "Updated": lambda rng, number: day(rng, 2024, 2024).isoformat(),
        "Branch": lambda rng, number: rng.choice(CITIES[:8]),
        "Group": lambda rng, number: rng.choice("ABC"),
        "Company": lambda rng, number: rng.choice(COMPANIES),
        "Kunde": lambda rng, number: rng.choice(COMPANIES),
        "Country": lambda rng, number: rng.choice(COUNTRIES),
    }
    return kinds[name]


def full_name(rng: Rng, *, middle: float = 0.2) -> str:
    """First and last name, at times with one in between."""
    between = f" {rng.choice(MIDDLE)}" if rng.random() < middle else ""
    return f"{rng.choice(FIRST)}{between} {rng.choice(LAST)}"


def plain_name(rng: Rng) -> str:
    """First and last name without accents and marks."""
    return f"{rng.choice(PLAIN_FIRST)} {rng.choice(PLAIN_LAST)}"


def day(rng: Rng, first: int = 2021, last: int = 2025) -> date:
    """A day of these years; now and then the first or last of a month or year."""
    edge = rng.random()
    if edge < 0.05:
        return date(rng.randint(first, last), 12, 31)
    if edge < 0.12:
        return date(rng.randint(first, last), rng.randint(1, 12), 1)
    start = date(first, 1, 1)
    return start + timedelta(days=rng.randrange((date(last, 12, 31) - start).days + 1))


def clock(rng: Rng) -> str:
    """A time such as 07:05; now and then midnight, noon or a full hour."""
    if rng.random() < 0.2:
        return f"{rng.choice((0, 12, 8, 17)):02}:{rng.choice((0, 0, 30)):02}"
    return f"{rng.randrange(24):02}:{rng.randrange(60):02}"


def amount(rng: Rng, most: int = 500) -> str:
    """A price such as 12.5, 7 or 129.95, as a sheet shows it without a format."""
    kind = rng.random()
    if kind < 0.25:
        return str(rng.randint(1, most))
    if kind < 0.5:
        return plain(Decimal(rng.randint(2, 2 * most)) / 2)
    if kind < 0.75:
        return plain(Decimal(rng.randint(1, most)) - Decimal("0.05"))
    return plain(Decimal(rng.randint(50, 100 * most)) / 100)


def cents(rng: Rng, most: int = 500) -> str:
    """A price with two decimals."""
    return f"{Decimal(amount(rng, most)):.2f}"


def digits(rng: Rng, count: int) -> str:
    """So many digits, of which the first is not zero."""
    return str(rng.randint(1, 9)) + "".join(str(rng.randrange(10)) for _ in range(count - 1))


def letters(rng: Rng, count: int) -> str:
    """So many capital letters."""
    return "".join(rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(count))


def half_up(value: Decimal, places: int = 2) -> Decimal:
    """Rounded as sheets do: halves away from zero."""
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def plain(value: Decimal) -> str:
    """The number without needless zeros: 12.50 is 12.5, 3.00 is 3."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
