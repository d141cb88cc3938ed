"""Long conversations of two people, with questions and the turns that answer them: made up, none of it public data.

Two people write to each other over months, in sessions of some twenty short turns. What happens in their lives is drawn
from topics that both share, so that words alone do not tell who did something; most turns are small talk and reactions.
A question is worded otherwise than the turn that answers it. It asks for one turn, for several, for a time, for who did
it, for what stands in the turn beside the one that has its words, or for two turns that only a name joins.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

_FRIENDS = (
    "Marta",
    "Devon",
    "Ingrid",
    "Tobias",
    "Yara",
    "Callum",
    "Renee",
    "Stellan",
    "Noor",
    "Felix",
    "Odile",
    "Bram",
)
_OTHERS = ("Keita", "Rosalind", "Piotr", "Leonie", "Amadou", "Siobhan", "Zoltan", "Hilde", "Mateo", "Anouk", "Viktor")
_FAMILY = ("Sandoval", "Kowalczyk", "Bergstrom", "Adeyemi", "Fontaine", "Marchetti", "Lindholm", "Takahashi")
_PLACES = ("Lisbon", "Tromso", "Valencia", "Krakow", "Galway", "Ljubljana", "Bologna", "Utrecht", "Salzburg", "Tallinn")
_OPENERS = (
    "Hey {o}! It's been a while, how have you been?",
    "Hi {o}, good to hear from you! What's new?",
    "{o}! I was just thinking about you. How's everything?",
    "Hey {o}, hope your week went well!",
)
_REACTIONS = (
    "Wow, that's awesome {o}!",
    "That sounds great, I'm so happy for you!",
    "Oh no, I hope it gets better soon.",
    "Haha, I can picture that.",
    "Thanks {o}, that means a lot to me.",
    "Totally agree, it makes such a difference.",
    "You're right, we should do that more often!",
    "Really? Tell me more about it!",
    "I love that. Keep going, {o}!",
    "Same here, it has been a busy time.",
    "That must have been amazing. What was the best part?",
    "Good luck with it, let me know how it goes.",
)
_CHATTER = (
    "The weather here has been so weird lately, I never know what to wear.",
    "I've been trying to get to bed earlier, with mixed success.",
    "Work has been a lot these days, I really needed this chat.",
    "I made a big pot of soup and now I'm on the sofa with a blanket.",
    "My phone keeps dying, I think I need another one soon.",
    "I found some old photos of us, we looked so young!",
    "The neighbours are doing some building, so mornings are loud.",
    "I can't believe how fast this year is going.",
    "I'm reading a bit before sleep again, it calms me down.",
    "We should really plan that trip that we keep talking about.",
    "I went for a long walk and it cleared my head.",
    "Coffee first, then I can think about all of it.",
    "My sister says hi, by the way, she asked about you.",
    "I cleaned the whole kitchen and feel like a new person.",
)
_ECHOES = (
    ("How is it going with {v}, {o}?", "Slowly but surely! It takes more time than I thought."),
    ("I told a colleague about you and {v}, she was impressed.", "Ha, there is not that much to tell!"),
    ("Did anything more come of {v}?", "Not yet, I'll keep you posted."),
)
_LEAVES = ("Talk to you soon, {o}!", "Take care {o}, bye!", "Got to run, speak later!")


@dataclass(frozen=True, kw_only=True)
class Topic:
    """Something that happens to people.

    Attributes:
        values: What may stand for ``{v}``.
        told: How its person tells it; may hold ``{t}``, when it was.
        asked: Questions for the value, of person ``{p}``.
        when, who, every: Questions for when it was, whose it is, and for all values.
        near: What either of them says with the same words and of something else.
        lead, reply: What the other asks and its person answers, for a turn that only its neighbour explains; ``beside``
            asks for it.
    """

    values: Sequence[str]
    told: Sequence[str]
    asked: Sequence[str]
    when: str = ""
    who: str = ""
    every: str = ""
    near: str = ""
    lead: str = ""
    beside: str = ""
    reply: Sequence[str] = ()


TOPICS = (
    Topic(
        values=("the cello", "the accordion", "the harp", "the banjo", "the oboe"),
        told=(
            "I finally signed up to learn {v}, first lesson was {t}!",
            "I had a go at {v} {t}, terribly.",
        ),
        asked=("Which instrument has {p} had a lesson in?", "What is {p} learning?"),
        when="When did {p} start with {v}?",
        who="Who plays {v}?",
        near="My nephew is learning to play an instrument at school, it is so loud.",
    ),
    Topic(
        values=("a food bank", "an animal shelter", "a hospice", "a youth club", "a beach cleanup"),
        told=("{t} I gave a hand at {v} and it was humbling.", "I spent a day helping out at {v} {t}, so rewarding."),
        asked=("Where has {p} volunteered?", "What charity work does {p} do?"),
        when="When did {p} help at {v}?",
        every="At which places has {p} volunteered?",
        near="Charity is close to my heart, my mother volunteered all her life.",
    ),
    Topic(
        values=("a greyhound", "a ginger kitten", "two budgies", "a hedgehog", "a tortoise"),
        told=("We brought home {v} {t}, the kids are over the moon.", "There's someone new in the house: {v}!"),
        asked=("What pet did {p} bring home?", "Which animal is in the house of {p}?"),
        who="Who adopted {v}?",
        near="My cousin wants to adopt a pet, but her building allows no animals.",
    ),
    Topic(
        values=("a half marathon", "a triathlon", "a charity swim", "a bike race", "a climbing contest"),
        told=("I did {v} {t} and my legs still hurt.", "I actually finished {v}! Came in almost last but who cares."),
        asked=("What sports event did {p} take part in?", "Which race has {p} completed?"),
        when="When did {p} do {v}?",
        every="Which sporting events did {p} take part in?",
        near="I watched a sports event on the sofa, I take part with crisps.",
    ),
    Topic(
        values=("camping by a lake", "a pottery workshop", "the science museum", "picking apples", "a puppet show"),
        told=(
            "{t} the kids and I went for {v}, they loved it.",
            "Took the little ones along for {v}, best day in ages.",
        ),
        asked=("What did {p} do with the children?", "Which outing did {p} make with the family?"),
        every="What activities has {p} done with the kids?",
        near="The kids have too many activities, the family calendar is full.",
    ),
    Topic(
        values=("nursing", "landscape design", "social work", "data analysis", "carpentry"),
        told=(
            "I've decided to go back to school for {v}.",
            "I sent off my application, it's {v} for me!",
        ),
        asked=("What has {p} decided to study?", "What did {p} apply for at school?"),
        who="Who wants to study {v}?",
        near="My brother had to study so long, he is the educated one of us.",
    ),
    Topic(
        values=("a sunset over the sea", "a fox in the snow", "an old lighthouse", "a field of poppies", "her hands"),
        told=("I finished a painting {t}, it shows {v}.", "There's a canvas drying in my room: {v}."),
        asked=("What did {p} paint?", "What is the subject of {p}'s picture?"),
        when="When did {p} paint {v}?",
        every="What has {p} painted?",
        near="The hallway needs to be painted, I got a paint sample with a nice picture on it.",
    ),
    Topic(
        values=("lentil curry", "sourdough bread", "plum cake", "fish stew", "ramen"),
        told=("I cooked {v} {t} and for once nothing burned.", "My new party trick in the kitchen is {v}."),
        asked=("What has {p} cooked?", "What is new in the kitchen of {p}?"),
        near="I'm too tired to cook today, it's the frozen dish again.",
        lead="And how did the dinner with your in-laws go?",
        beside="What did {p} serve at the dinner with the in-laws?",
        reply=("It went well, the {v} was gone in minutes.", "Better than I feared! They even asked how I make {v}."),
    ),
    Topic(
        values=("a sprained ankle", "migraines", "a bad back", "hay fever", "insomnia"),
        told=("I've been struggling with {v}, it's exhausting.", "The doctor says it's {v}, nothing to worry about."),
        asked=("What did the doctor tell {p}?", "What health problem does {p} struggle with?"),
        near="Health comes first, no problem at work is worth suffering for.",
        lead="You sounded tired on the phone. Is something wrong?",
        beside="Why did {p} sound tired on the phone?",
        reply=("It's {v} again, I barely got through the day.", "Just {v}, I'll be fine in a week or two."),
    ),
    Topic(
        values=("a bakery", "a bike repair shop", "an online print store", "a dance studio", "a flower stand"),
        told=("Big news: I'm opening {v} of my own!", "I signed the lease {t}, so {v} is really going to happen."),
        asked=("What kind of business is {p} opening?", "What did {p} sign a lease for?"),
        when="When did {p} sign for {v}?",
        near="A new shop is starting next door, I wonder what business runs that late.",
    ),
    Topic(
        values=("a silver pendant", "a wooden clock", "a wool blanket", "a fountain pen", "a tea set"),
        told=("My grandma left me {v}, I keep it close.", "I still treasure {v}, it came from my grandfather."),
        asked=("What did {p} get from a grandparent?", "What treasured thing was left to {p}?"),
        near="My grandparents sold the house, nobody wanted to inherit the garden.",
        lead="What's that thing on your shelf in the picture?",
        beside="What is the thing on the shelf in the picture of {p}?",
        reply=("Oh, {v}! My grandma gave it to me.", "That's {v}, it has been in the family for ages."),
    ),
    Topic(
        values=tuple(_PLACES),
        told=("I was in {v} {t}, what a place!", "Just back from {v}, I could have stayed forever."),
        asked=("Where did {p} travel?", "Which city did {p} visit?"),
        when="When was {p} in {v}?",
        every="Which cities has {p} been to?",
        near="I'd love to travel more, every city I visit makes me want another.",
    ),
)

_JOINED = (
    ("my new boss", "My new boss is called {n}, seems fair so far."),
    ("the counsellor", "I started seeing a counsellor, {n}, and it helps."),
    ("the running partner", "I run with {n} now, my running partner from the club."),
    ("the landlord", "Our landlord {n} finally fixed the heating."),
    ("the dance teacher", "The dance teacher, {n}, is so patient with me."),
)
_OF_THEM = (
    ("Where does {r} of {p} come from?", "{n} grew up in {v}, by the way, and misses it a lot.", _PLACES),
    ("What does {r} of {p} collect?", "Can you believe {n} has hundreds of {v}?", ("stamps", "vinyls", "beetles")),
    ("What did {r} of {p} get over?", "{n} told me about beating {v} years ago.", ("cancer", "malaria", "polio")),
)  # fmt: skip
_AGO = (("yesterday", 1), ("last weekend", 4), ("last week", 7), ("two days ago", 2), ("last month", 30))


@dataclass(frozen=True, kw_only=True)
class TalkTurn:
    """One turn."""

    id: str
    session: str
    at: float
    speaker: str
    text: str


@dataclass(frozen=True, kw_only=True)
class TalkQuestion:
    """A question with the ids of the turns that answer it."""

    kind: str
    text: str
    evidence: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Talk:
    """A conversation with its questions."""

    turns: Sequence[TalkTurn]
    questions: Sequence[TalkQuestion]


@dataclass
class _Event:
    """Turns that belong together: speaker and text, with what is asked of them once their ids are known."""

    lines: list[tuple[int, str]]
    asked: Callable[[list[str]], None] = lambda ids: None


@dataclass
class _Making:
    rng: random.Random
    people: Sequence[str]
    questions: list[TalkQuestion] = field(default_factory=list)
    found: dict[str, list[str]] = field(default_factory=dict)

    def ask(self, kind: str, text: str, *ids: str) -> None:
        self.questions.append(TalkQuestion(kind=kind, text=text, evidence=frozenset(ids)))


def draw_talk(seed: int, sessions: int = 20) -> Talk:
    """One conversation."""
    rng = random.Random(seed)
    people = rng.sample(_FRIENDS, 2)
    made = _Making(rng, people)
    events = [event for topic in TOPICS for event in _events(made, topic)] + _joined(made)
    rng.shuffle(events)
    places: list[list[_Event]] = [[] for _ in range(sessions)]
    for event in events:
        rng.choice(places).append(event)
    start = datetime(2023, 1, 9, 18, tzinfo=UTC)
    turns: list[TalkTurn] = []
    for number, mine in enumerate(places, 1):
        start += timedelta(days=rng.randint(4, 20), minutes=rng.randint(-300, 200))
        turns += _session(made, f"session {number}", start, mine)
    for question, ids in made.found.items():
        if len(ids) > 1:
            made.ask("several", question, *ids)
    return Talk(turns=turns, questions=made.questions)


def _events(made: _Making, topic: Topic) -> list[_Event]:
    """What of a topic happens to both people, so that only who speaks tells their turns apart."""
    rng, values = made.rng, made.rng.sample(topic.values, len(topic.values))
    events = []
    for who in (0, 1):
        for value in [values.pop() for _ in range(2 if topic.every else 1)]:
            text = rng.choice(topic.told)
            text = text.format(v=value, t=rng.choice(_AGO)[0])
            events.append(_told(made, topic, who, value, text[0].upper() + text[1:]))
            question, answer = rng.choice(_ECHOES)
            events.append(_Event([(1 - who, question.format(v=value, o=made.people[who])), (who, answer)]))
        events.append(_Event([(who, topic.near), (1 - who, _reaction(made, 1 - who))]))
        if topic.reply:
            events.append(_replied(made, topic, who, values.pop()))
    return events


def _told(made: _Making, topic: Topic, who: int, value: str, text: str) -> _Event:
    person = made.people[who]
    timed = topic.when and any(word in text.lower() for word, _ in _AGO)

    def asked(ids: list[str]) -> None:
        if topic.every:
            made.found.setdefault(topic.every.format(p=person), []).append(ids[0])
        if timed:
            made.ask("when", topic.when.format(p=person, v=value), ids[0])
        elif topic.who and made.rng.random() < 0.5:
            made.ask("who", topic.who.format(v=value), ids[0])
        elif not topic.every:
            made.ask("one", made.rng.choice(topic.asked).format(p=person), ids[0])

    return _Event([(who, text), (1 - who, _reaction(made, 1 - who))], asked)


def _replied(made: _Making, topic: Topic, who: int, value: str) -> _Event:
    """An answer beside the question that has its words."""
    person = made.people[who]
    reply = made.rng.choice(topic.reply).format(v=value)
    question = topic.beside.format(p=person)
    return _Event([(1 - who, topic.lead), (who, reply)], lambda ids: made.ask("beside", question, ids[1]))


def _joined(made: _Making) -> list[_Event]:
    """Two turns, far apart, that only a name joins."""
    rng, events = made.rng, []
    names = [f"{one} {other}" for one, other in zip(rng.sample(_OTHERS, 4), rng.sample(_FAMILY, 4), strict=True)]
    for name, (role, first), (question, second, values) in zip(
        names, rng.sample(_JOINED, 4), rng.choices(_OF_THEM, k=4), strict=True
    ):
        who, ids = rng.randrange(2), list[str]()
        role = role.replace("my ", "the ")
        asked = question.format(r=role, p=made.people[who])

        def note(found: list[str], ids: list[str] = ids, asked: str = asked) -> None:
            ids.append(found[0])
            if len(ids) == 2:
                made.ask("joined", asked, *ids)

        value = rng.choice(values)
        events.append(_Event([(who, first.format(n=name))], note))
        events.append(_Event([(who, second.format(n=name.split()[0], v=value))], note))
    return events


def _session(made: _Making, name: str, start: datetime, events: Sequence[_Event]) -> list[TalkTurn]:
    rng, people = made.rng, made.people
    blocks = [*events]
    blocks += [
        _Event([(who, rng.choice(_CHATTER)), (1 - who, _reaction(made, 1 - who))])
        for who in (rng.randrange(2) for _ in range(rng.randint(4, 7)))
    ]
    rng.shuffle(blocks)
    opener = rng.choice(_OPENERS).format(o=people[1])
    blocks = [_Event([(0, opener)]), *blocks, _Event([(1, rng.choice(_LEAVES).format(o=people[0]))])]
    turns: list[TalkTurn] = []
    for block in blocks:
        ids = []
        for who, text in block.lines:
            ids.append(f"{name}.{len(turns)}")
            at = (start + timedelta(minutes=2 * len(turns))).timestamp()
            turns.append(TalkTurn(id=ids[-1], session=name, at=at, speaker=people[who], text=text))
        block.asked(ids)
    return turns


def _reaction(made: _Making, who: int) -> str:
    return made.rng.choice(_REACTIONS).format(o=made.people[1 - who])
