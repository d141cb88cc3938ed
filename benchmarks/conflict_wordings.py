"""The wordings of ``benchmarks.conflict``: facts, how a change of them is told, and what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Facts of one kind.

    Attributes:
        subjects, values: What may stand for ``{s}`` and ``{v}``; ``{o}`` is the old value.
        told: Ways to state it; ``changed``: to tell that it is another one now.
        asked: Questions for it.
        free: Whether the wording is free.
        beside: What is told later of the same subject or value and changes neither.
    """

    name: str
    subjects: Sequence[str]
    values: Sequence[str]
    told: Sequence[str]
    changed: Sequence[str]
    asked: Sequence[str]
    free: bool = False
    beside: Sequence[str] = ()


_PEOPLE = ("Mira Okafor", "Jonas Weber", "Priya Nair", "Tom Alvarez", "Lena Sato", "Omar Haddad", "Kate Lindqvist")
_SERVICES = ("billing", "search", "checkout", "mailer", "reporting", "login", "gateway")
_TEAMS = ("design team", "support team", "data team", "Lisbon office", "night shift", "book club", "press desk")
_NUMBERS = tuple(str(number) for number in range(20, 9000, 271))
_NAMES = (
    "Ruth Bell",
    "Igor Petrov",
    "Amina Diallo",
    "Chen Wei",
    "Sofia Rossi",
    "Paul Meyer",
    "Nora Quinn",
    "Luis Prado",
)
_CITIES = ("Ghent", "Porto", "Leipzig", "Turin", "Bergen", "Malmo", "Graz", "Cork", "Basel", "Nantes")
_DATES = ("3 March", "19 April", "7 May", "22 June", "11 July", "30 August", "5 October", "14 November", "2 December")

DOMAINS = (
    Domain(
        name="setting",
        subjects=_SERVICES,
        values=_NUMBERS,
        told=("The request limit of the {s} service is {v}.", "{s} service request limit: {v}"),
        changed=(
            "The {s} service's request limit is now {v}.",
            "We raised the request limit of the {s} service from {o} to {v}.",
            "As of Monday, the request limit of the {s} service is {v}.",
        ),
        asked=("What is the request limit of the {s} service?", "request limit {s}"),
    ),
    Domain(
        name="lead",
        subjects=_TEAMS,
        values=_NAMES,
        told=("The lead of the {s} is {v}.", "{v} is the current lead of the {s}."),
        changed=(
            "{v} is the new lead of the {s}.",
            "The {s}'s lead is {v} now.",
            "Correction: the lead of the {s} is {v}.",
        ),
        asked=("Who is the lead of the {s}?", "Who leads the {s} these days?"),
    ),
    Domain(
        name="city",
        subjects=_PEOPLE,
        values=_CITIES,
        told=("{s} lives in {v}.", "{s} is based in {v}."),
        changed=("{s} has moved to {v}.", "{s} now lives in {v}.", "{s} no longer lives in {o}, the new home is {v}."),
        asked=("Where does {s} live?", "Which city is {s} in?"),
    ),
    Domain(
        name="date",
        subjects=(
            "budget review",
            "spring fair",
            "server upgrade",
            "choir concert",
            "audit",
            "summer camp",
            "fire drill",
        ),
        values=_DATES,
        told=("The date of the {s} is {v}.", "The {s} is on {v}."),
        changed=(
            "The {s} was moved to {v}.",
            "The {s} has been postponed from {o} to {v}.",
            "The {s} is on {v} instead.",
        ),
        asked=("When is the {s}?", "date of the {s}"),
    ),
    Domain(
        name="belongings",
        subjects=_PEOPLE,
        values=("cello", "kayak", "sewing machine", "telescope", "motorbike", "pottery wheel", "drone", "typewriter"),
        told=("{s} spends the weekends with a {v}.", "For fun {s} has taken up the {v}."),
        changed=("{s} swapped the {o} for a {v}.", "{s} gave up the {o} and spends the weekends with a {v}."),
        asked=("What does {s} do on weekends?", "What is the hobby of {s}, {s} spends weekends with what?"),
        free=True,
    ),
    Domain(
        name="supplier",
        subjects=("paper", "coffee", "steel pipes", "office chairs", "printer ink", "solar panels", "frozen fish"),
        values=("Nordvik", "Halloran & Sons", "Tessaro", "Brightwell", "Quayside", "Okami", "Delacroix", "Pemberton"),
        told=("We order our {s} from {v}.", "{v} delivers the {s} to us."),
        changed=(
            "We switched to {v} for {s}.",
            "{v} delivers the {s} from now on, {o} does not.",
            "We get {s} from {v} now.",
        ),
        asked=("Who supplies our {s}?", "Where do we order {s}?"),
        free=True,
    ),
    Domain(
        name="diet",
        subjects=_PEOPLE,
        values=("nuts", "shellfish", "milk", "eggs", "wheat", "soy", "sesame", "celery"),
        told=("{s} does not tolerate {v}.", "{s} gets a rash from {v}."),
        changed=("It turned out {s} tolerates {o} but actually not {v}.", "{s} no longer reacts to {o}, only to {v}."),
        asked=("What does {s} not tolerate?", "What must {s} avoid eating, what gives {s} a rash?"),
        free=True,
    ),
)

KEPT = (
    Domain(
        name="course",
        subjects=_PEOPLE,
        values=("Danish", "welding", "calculus", "pottery", "first aid", "bookkeeping", "photography", "sign language"),
        told=("On Tuesdays {s} sits in a {v} class.", "{s} signed up for evening lessons in {v}."),
        changed=(
            "{s} traded the {o} class for {v}.",
            "{s} abandoned {o} and enrolled in {v}.",
            "Turns out the lessons {s} takes are in {v}, after {o} was full.",
        ),
        asked=("What is {s} learning?", "Which class does {s} take?"),
        free=True,
    ),
    Domain(
        name="commute",
        subjects=_PEOPLE,
        values=("bus", "tram", "bicycle", "scooter", "ferry", "train", "rental van"),
        told=("{s} gets to the office by {v}.", "Every morning {s} takes the {v} to work."),
        changed=(
            "Since the roadworks {s} commutes by {v}.",
            "{s} sold the old pass, no more {o}; it is the {v} that brings {s} to work.",
            "Instead of the {o}, {s} rides the {v} to the office.",
        ),
        asked=("How does {s} get to work?", "{s} commutes how?"),
        free=True,
    ),
    Domain(
        name="pet",
        subjects=_PEOPLE,
        values=("rabbit", "parrot", "terrier", "goldfish", "hamster", "tortoise", "tabby cat"),
        told=("{s} has a {v} at home.", "There is a {v} in the flat of {s}."),
        changed=(
            "The {o} of {s} went to a farm; a {v} took its place.",
            "{s} gave the {o} away and adopted a {v}.",
            "{s} keeps a {v} these days.",
        ),
        asked=("What pet does {s} have?", "Which animal lives with {s}?"),
        free=True,
    ),
    Domain(
        name="printer",
        subjects=("second floor", "reception", "library", "workshop", "canteen", "archive", "mail room"),
        values=("Lexor 210", "Oriben X4", "Pagemate", "Sunbury 77", "Tonewell", "Inkfield Pro"),
        told=("In the {s} people print on the {v}.", "A {v} stands in the {s}."),
        changed=(
            "The {o} in the {s} broke; a {v} stands there.",
            "Somebody put a {v} into the {s} where the {o} used to be.",
            "In the {s} they got rid of the {o} in favour of a {v}.",
        ),
        asked=("Which printer is in the {s}?", "What do they print on in the {s}?"),
        free=True,
    ),
)
"""Domains that were written before the rules for free wording were worked on again, and kept from that work. Since then
they were looked at, so they are in sight like the first."""

FRESH = (
    Domain(
        name="dentist",
        subjects=_PEOPLE,
        values=("Abara", "Brandt", "Castell", "Dimov", "Erdem", "Fink", "Galvan", "Hasek"),
        told=("{s} sees Dr. {v} about the teeth.", "Dr. {v} checks the teeth of {s} twice a year."),
        changed=(
            "{s} has found another dentist, Dr. {v}, and is glad to be rid of Dr. {o}.",
            "Dr. {v} looks after the teeth of {s} since Dr. {o} retired.",
            "{s} is a patient of Dr. {v} by now.",
        ),
        asked=("Who is the dentist of {s}?", "Which doctor checks the teeth of {s}?"),
        free=True,
    ),
    Domain(
        name="band",
        subjects=_PEOPLE,
        values=("trumpet", "tuba", "clarinet", "drums", "flute", "saxophone", "trombone"),
        told=("{s} plays the {v} in the town band.", "In the town band {s} is on {v}."),
        changed=(
            "{s} put the {o} aside and took up the {v}.",
            "The band needed a {v}, so {s} laid down the {o}.",
            "{s} can be heard on the {v} this season.",
        ),
        asked=("What does {s} play in the band?", "Which instrument is {s} on in the town band?"),
        free=True,
    ),
    Domain(
        name="storage",
        subjects=("tax files", "spare keys", "paint cans", "tent poles", "board games", "ski boots", "old maps"),
        values=("blue cabinet", "cellar", "garden shed", "hall closet", "attic", "glass shelf", "garage"),
        told=("You find the {s} in the {v}.", "Whoever needs the {s} has to go to the {v}."),
        changed=(
            "Someone carried the {s} from the {o} to the {v}.",
            "The {s} went into the {v} because the {o} was damp.",
            "Look for the {s} in the {v}, they left the {o}.",
        ),
        asked=("Where do I find the {s}?", "Where have the {s} gone?"),
        free=True,
    ),
    Domain(
        name="lunch",
        subjects=_TEAMS,
        values=("Da Enzo", "Little Hanoi", "the Oak Room", "Mezzaluna", "Burrito Bay", "Green Fork", "Sapporo"),
        told=("The {s} has lunch at {v}.", "At noon you meet the {s} at {v}."),
        changed=(
            "The {s} grew tired of {o} and eats at {v}.",
            "{o} closed down, so the {s} has lunch at {v}.",
            "For lunch the {s} prefers {v} to {o} lately.",
        ),
        asked=("Where does the {s} have lunch?", "Where do I meet the {s} at noon?"),
        free=True,
    ),
)
"""Domains that were written before that last work; no rule was chosen by them."""

_PERSONS = ("Greta Vos", "Hamid Karimi", "Ines Duarte", "Piotr Zielinski", "Wanda Fox", "Yusuf Demir", "Clara Nyberg")
_APPS = ("payroll", "inventory", "ticketing", "newsletter", "archive viewer", "booking", "metrics")
_OF_PERSONS = (
    "{s} has changed the password twice.",
    "{s} no longer answers mails after six.",
    "{s} now also helps at the food bank.",
    "{s} bought a new lamp instead of a chair.",
    "{s} asked for a quieter desk.",
)
_OF_APPS = (
    "The {s} app now has a dark mode.",
    "The logo of the {s} app was changed.",
    "The {s} app got a new button instead of the menu.",
    "The docs of the {s} app moved to the wiki.",
    "The {s} app is three years old.",
)

BESIDE = (
    Domain(
        name="gym",
        subjects=_PERSONS,
        values=("Ironworks", "Pulse Hall", "the Boiler", "Atlas", "Riverfit", "Stone Gym", "Zenit"),
        told=("{s} trains at {v}.", "You can find {s} lifting weights at {v}."),
        changed=(
            "{s} cancelled {o} and trains at {v}.",
            "{s} has a membership at {v} these days.",
            "After {o} raised its fees {s} went over to {v}.",
            "{s} works out at {v}.",
        ),
        asked=("Where does {s} train?", "Which gym does {s} go to?"),
        free=True,
        beside=(*_OF_PERSONS, "{s} now pays less at {v}.", "{s} wrote a review of {v} instead of a diary."),
    ),
    Domain(
        name="phone",
        subjects=_PERSONS,
        values=("Nokto 5", "Fairline", "Pixa", "Razor", "Honto Z", "Selva 9"),
        told=("{s} carries a {v} as a phone.", "{s} makes calls with a {v}."),
        changed=(
            "The {o} of {s} fell into a lake, a {v} replaces it.",
            "{s} upgraded to a {v}.",
            "{s} picked up a {v} on Friday and recycled the {o}.",
            "{s} phones with a {v}.",
        ),
        asked=("Which phone does {s} have?", "What does {s} make calls with?"),
        free=True,
        beside=(*_OF_PERSONS, "The {v} of {s} got a new battery.", "{s} no longer takes the {v} to bed."),
    ),
    Domain(
        name="data",
        subjects=_APPS,
        values=("Postgres", "Cassandra", "MySQL", "Redis", "SQLite", "Mongo"),
        told=("The {s} app stores its data in {v}.", "The data of the {s} app sits in {v}."),
        changed=(
            "We migrated the {s} app off {o} and onto {v}.",
            "The {s} app writes to {v} since the outage.",
            "Forget {o}, the {s} app keeps everything in {v}.",
            "{v} holds the data of the {s} app.",
        ),
        asked=("Where does the {s} app store its data?", "Which database does the {s} app use?"),
        free=True,
        beside=(*_OF_APPS, "The {s} app now backs up {v} every hour.", "{v} was updated for the {s} app."),
    ),
    Domain(
        name="build",
        subjects=_APPS,
        values=("Bazel", "Gradle", "plain make", "Ninja", "Meson", "Buck", "SCons"),
        told=("The {s} app is built with {v}.", "To compile the {s} app you need {v}."),
        changed=(
            "{o} was too slow for the {s} app, {v} compiles it.",
            "The {s} app compiles with {v}.",
            "Someone ported the {s} app from {o} to {v}.",
            "You build the {s} app with {v} instead of {o}.",
        ),
        asked=("What is the {s} app built with?", "Which build tool does the {s} app need?"),
        free=True,
        beside=(*_OF_APPS, "The {s} app builds faster since {v} was updated.", "{v} now warns about the {s} app."),
    ),
    Domain(
        name="tenant",
        subjects=("garden flat", "attic flat", "corner shop", "boathouse", "stable", "mill loft", "north office"),
        values=("the Bergs", "Mr. Osei", "a florist", "two students", "the Lindens", "a law firm", "Ms. Ruiz"),
        told=("The {s} is let to {v}.", "{v} rent the {s}."),
        changed=(
            "{o} moved out of the {s}, {v} moved in.",
            "{v} signed the lease for the {s}.",
            "The {s} went to {v} after {o} fell behind with the rent.",
            "In the {s} there are {v}.",
        ),
        asked=("Who rents the {s}?", "To whom is the {s} let?"),
        free=True,
        beside=(
            "The roof of the {s} was replaced.",
            "Someone painted the {s} green instead of white.",
            "The {s} now has a new door.",
            "The {s} has no heating.",
            "{v} put new curtains into the {s}.",
            "The {s} has a new lock, {v} asked for it.",
        ),
    ),
)
"""Domains in which every fact is followed by talk of the same subject or value that changes nothing. The rules for what
free wording replaces were chosen by these and like wordings, so they are in sight."""
