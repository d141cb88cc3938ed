"""The wordings of ``benchmarks.who_and_what``: other names, relations, facts and questions, in families."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Relation:
    """How somebody is related to somebody else.

    Attributes:
        told: Ways to say that ``{z}`` is that of ``{p}``.
        asked: How a question speaks of ``{z}`` as that of ``{p}``.
    """

    told: Sequence[str]
    asked: str


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something that is so of a person or thing.

    Attributes:
        told: Ways to say it of ``{z}`` with the value ``{v}``.
        asked: Questions for the value; ``{z}`` stands for whatever names who is meant.
    """

    told: Sequence[str]
    asked: Sequence[str]
    values: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Family:
    """Wordings that share nothing with those of another family but plain English.

    Attributes:
        alias: Ways to say that ``{p}`` has the other name ``{a}``.
        others: Notes without names, each with a question for it.
    """

    alias: Sequence[str]
    relations: Sequence[Relation]
    facts: Sequence[Fact]
    others: Sequence[tuple[str, str]]


PEOPLE = """
Robert Aalto/Robbie Katherine Brandt/Kit Nathaniel Cole/Nat Elisabeth Dahl/Betsy Theodore Eklund/Teddy Margaret Falk/Peg
Alexander Gruber/Sasha Josephine Holt/Posy Benedikt Ivarsson/Benno Wilhelmina Jansen/Mina Sebastian Kroll/Bash
Philippa Lund/Pip Maximilian Moser/Maxl Charlotte Nyberg/Lottie Frederick Olsen/Fritz Antonia Perez/Toni
Christopher Quist/Kip Gabriela Rossi/Gabi Leonardo Stark/Nardo Henrietta Thorn/Hetty Reginald Unger/Reggie
Dorothea Vogel/Dot Cornelius Wolff/Corny Isabella Xenakis/Izzy Valentin York/Val Augusta Zeller/Gus Ferdinand Abel/Ferdy
Rosalind Berg/Roz Zachary Carver/Zack Penelope Drew/Nell Jonathan Ernst/Jonty Matilda Frost/Tilly Abraham Gold/Bram
Seraphina Hahn/Fina Montgomery Ives/Monty Veronica Jung/Ronnie Tobias Kern/Tobi Eleanor Lang/Norrie Ignatius Marsh/Iggy
Beatrix North/Trixie
"""
"""Full names, each with another name."""

RELATED = """
Anna Carla Dmitri Esther Farouk Greta Hiro Ines Jakub Keiko Lamar Mireille Nadia Oskar Paloma Quentin Ravi Solveig
Tariq Ursula Viktor Wanda Ximena Yusuf Zelda Amara Bjorn Celine Dario Edith Faisal Gudrun Hamza Ingrid Javier Katya
Linus Marta Nuria Otto
"""

BYSTANDERS = """
Abdul Birgit Claudio Dolores Emil Fiona Goran Helga Ivan Jolanda Karim Luisa Marek Nina Olaf Petra Rashid Sabine Timur
Ulrike Vera Walid Yara Zoltan Agata Bruno Cosima Dag Elif Franka
"""

CITIES = ("Porto", "Ghent", "Turin", "Bergen", "Graz", "Cork", "Basel", "Nantes", "Malmo", "Leipzig", "Lyon", "Split")
DISHES = ("risotto", "goulash", "paella", "ramen", "moussaka", "pierogi", "tagine", "ceviche", "fondue", "borscht")
ROOMS = tuple(f"room {number}" for number in range(101, 399, 23))
TOOLS = ("kayak", "cello", "telescope", "loom", "drone", "kiln", "lathe", "harp", "unicycle", "sextant")
DAYS = ("6 May", "19 April", "3 March", "22 June", "11 July", "30 August", "5 October", "14 November", "2 December")

SEEN = Family(
    alias=(
        "{p} goes by {a}.",
        "{p} is called {a} by everybody.",
        "{a} is short for {p}.",
        "{p}, also known as {a}, joined the project in spring.",
        "{a} is {p}.",
    ),
    relations=(
        Relation(told=("{p}'s sister is {z}.", "{z} is the sister of {p}."), asked="{p}'s sister"),
        Relation(told=("{p}'s manager is {z}.", "{p} reports to {z}."), asked="the manager of {p}"),
        Relation(told=("{p} is married to {z}.", "{z} is {p}'s wife."), asked="{p}'s wife"),
        Relation(told=("The neighbour of {p} is {z}.", "{z} is {p}'s neighbour."), asked="{p}'s neighbour"),
    ),
    facts=(
        Fact(told=("{z} lives in {v}.",), asked=("Where does {z} live?", "Which town is {z} in?"), values=CITIES),
        Fact(
            told=("{z} cannot stand {v}.",),
            asked=("What does {z} not like to eat?", "Which dish should we not serve {z}?"),
            values=DISHES,
        ),
        Fact(told=("{z} sits in {v}.",), asked=("Which office does {z} have?", "Where does {z} sit?"), values=ROOMS),
        Fact(told=("{z} has bought a {v}.",), asked=("What did {z} buy?", "What is new at {z}'s?"), values=TOOLS),
        Fact(
            told=("{z} was born on {v}.",),
            asked=("When is the birthday of {z}?", "When was {z} born?"),
            values=DAYS,
        ),
    ),
    others=(
        ("The router in the hall is restarted by holding its button for ten seconds.", "How is the router restarted?"),
        ("Invoices go out on the last working day.", "When do invoices go out?"),
        ("The backup runs at two in the night.", "When does the backup run?"),
        ("Tables in reports have no vertical lines.", "How do tables in reports look?"),
        ("The coffee machine wants descaling every month.", "How often is the coffee machine descaled?"),
        ("Parcels are left with the bakery downstairs.", "Where are parcels left?"),
        ("The staging database is wiped on Sundays.", "When is the staging database wiped?"),
        ("Travel costs are claimed with form nine.", "Which form is for travel costs?"),
    ),
)
"""In sight while the rules were made."""

HELD = Family(
    alias=(
        "Nobody says {p}, it is always {a}.",
        "In the office {p} answers to {a}.",
        "When mails are signed {a}, that is {p}.",
        "{p} ({a} to the whole floor) started here years ago.",
        "People call {p} {a}.",
        "{a} is what we call {p}.",
    ),
    relations=(
        Relation(told=("{p} has a nephew called {z}.", "{z} is a nephew of {p}."), asked="{p}'s nephew"),
        Relation(told=("{z} deputises for {p}, as deputy.", "The deputy of {p} is {z}."), asked="the deputy of {p}"),
        Relation(told=("{p} shares a flat with {z}, a flatmate.", "{p}'s flatmate is {z}."), asked="{p}'s flatmate"),
        Relation(told=("{z} has been {p}'s mentor for years.", "{p} chose {z} as mentor."), asked="{p}'s mentor"),
        Relation(told=("{z} acts as accountant to {p}.", "{p} pays {z}, the accountant."), asked="{p}'s accountant"),
    ),
    facts=(
        Fact(
            told=("{z} moved to a house near {v} years ago.", "Home for {z} is {v}."),
            asked=("In what place does {z} live?", "Where should we send {z}'s parcel?"),
            values=CITIES,
        ),
        Fact(
            told=("{z} orders {v} every time.", "Nothing beats {v} for {z}."),
            asked=("Which food should we cook for {z}?", "What is the favourite meal of {z}?"),
            values=DISHES,
        ),
        Fact(
            told=("You find {z} in {v}.", "The desk of {z} stands in {v}."),
            asked=("Where do I meet {z}?", "In which part of the building is {z}?"),
            values=ROOMS,
        ),
        Fact(
            told=("{z} is learning to use a {v}.", "{z} spends evenings with a {v}."),
            asked=("What hobby does {z} have?", "How does {z} pass the time?"),
            values=TOOLS,
        ),
        Fact(
            told=("{z} is away until {v}.", "From {v} on {z} is back at work."),
            asked=("How long is {z} on holiday?", "When does {z} return?"),
            values=DAYS,
        ),
    ),
    others=(
        ("The front door locks itself at eight in the evening.", "At what hour does the front door lock?"),
        ("Contracts are kept for ten years.", "How long do we keep contracts?"),
        ("A pull request needs two reviews.", "How many reviews does a pull request need?"),
        ("The heating is bled every autumn.", "When is the heating bled?"),
        ("Passwords are changed after a phone is lost.", "When are passwords changed?"),
        ("The minutes are filed below projects.", "Where are the minutes filed?"),
        ("Visitors sign the red book.", "Where do visitors sign?"),
        ("The price list is printed on yellow paper.", "On which paper is the price list printed?"),
    ),
)
"""Written after the first rules, which found 23 of 40 answers; in sight since."""

FRESH = Family(
    alias=(
        "{p} likes to be called {a}.",
        "{p} is better known as {a}.",
        "If somebody mentions {a}, they are talking about {p}.",
        "Friends shortened {p} to {a} long ago.",
        "{a}, full name {p}, sends the weekly mail.",
        "{p}'s nickname is {a}.",
        "By {a} I mean {p}.",
    ),
    relations=(
        Relation(
            told=("{z} is {p}'s landlady.", "{p} rents a flat from {z}, a strict landlady."), asked="{p}'s landlady"
        ),
        Relation(told=("{p}'s stepson {z} visits often.", "{z} is the stepson of {p}."), asked="the stepson of {p}"),
        Relation(told=("{p} got a new assistant, {z}.", "{z} works as assistant for {p}."), asked="{p}'s assistant"),
        Relation(told=("{p} and {z} are cousins.", "A cousin of {p} is {z}."), asked="{p}'s cousin"),
        Relation(
            told=("{p} goes to {z} as dentist.", "The dentist who treats {p} is {z}."), asked="the dentist of {p}"
        ),
    ),
    facts=(
        Fact(
            told=("{z} bought a flat in {v}.", "{v} is where {z} grew up."),
            asked=("Which city does {z} come from?", "What is the home of {z}?"),
            values=CITIES,
        ),
        Fact(
            told=("{z} is allergic to {v}.", "{v} makes {z} ill."),
            asked=("What must {z} avoid at lunch?", "Which dish is bad for {z}?"),
            values=DISHES,
        ),
        Fact(
            told=("{z} moved into {v}.", "Mail for {z} goes to {v}."),
            asked=("Where is the desk of {z}?", "Where do we find {z}?"),
            values=ROOMS,
        ),
        Fact(
            told=("{z} sold a {v} at the market.", "{z} got a {v} as a present."),
            asked=("What did {z} own or receive?", "Which instrument or machine has {z} had?"),
            values=TOOLS,
        ),
        Fact(
            told=("{z} travels on {v}.", "The contract of {z} starts on {v}."),
            asked=("On what date does {z} leave?", "When will {z} begin?"),
            values=DAYS,
        ),
    ),
    others=(
        ("The lift is inspected twice a year.", "How often is the lift inspected?"),
        ("Orders above a thousand need a second signature.", "Which orders need a second signature?"),
        ("The garden is watered before seven.", "When is the garden watered?"),
        ("Old laptops are wiped and given to schools.", "What happens to old laptops?"),
        ("The logo is never stretched.", "May the logo be stretched?"),
        ("Complaints are answered within two days.", "How soon are complaints answered?"),
        ("The projector needs the blue cable.", "Which cable does the projector need?"),
        ("Lunch is cooked by a different group every week.", "Who cooks lunch?"),
    ),
)
"""Written after the rules were worked on with both others in sight; choose nothing by it."""
