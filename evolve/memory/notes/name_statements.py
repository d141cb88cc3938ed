"""Reads out of sentences who is called what, and who or what belongs to whom.

Plain rules for English. The names of a sentence are found first; the forms are those of the words between them. What no
form reads but names two is a link as well, by whatever other words the sentence has. A denial and a question say
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evolve.memory.notes.facts import is_negated, word_stems
from evolve.memory.notes.name_table import NameStatement, name_key
from evolve.memory.notes.times import names_time

_LONGEST = 240
"""Letters of a sentence that is read."""
_MOST = 6
"""Names of a sentence that is read; a list of more links nobody."""
_PART = r"(?:[A-Z]\.|[A-Z][\w-]*(?:'(?!s\b)[A-Z]?\w+)?)"
_PROPER = rf"{_PART}(?: ?(?:(?:van|von|de|der|den|da|di|del|of the) )?(?<=[ .]){_PART}| \d+\b){{0,4}}"
_OPENS_TEXT = """
a after all also an and any as at before both but by each even everybody everyone folks for friends from has have he her
here hers his how i if in is it its just let more most my no nobody not now on once only or our ours people please
remember she since so some somebody someone that the their them then there these they this those to today tomorrow
update we what when where whether which while who whoever why with yesterday yes you your
"""
_OPENS = frozenset(_OPENS_TEXT.split())
"""Words that open a sentence with a capital, or stand for a name, and are none."""
_THING = r"\b(?:[Tt]he|[Oo]ur|[Aa]n?) (?=[a-z])(?:(?!(?:%s)\b)[a-z][\w-]* ?){1,3}" % (  # noqa: UP031
    r"is|are|was|were|be|been|being|has|have|had|does|did|will|can|may|must|should|in|on|at|of|to|for|with|by|from|and|or|but"
    r"|that|which|who|whom|whose|as|than|goes|went|belongs?|works?|looks?|keeps?|known|called|named|also|if|when"
    r"|same|other|owns?|means|stands|runs|lives?|sits?|reports?|gets?|answers|now|used|kept|owned|managed|led"
)
_QUOTED = r"[\"'`](?P<quoted>[\w][\w .-]{0,40})[\"'`](?!\w)"
_NAME = re.compile(rf"(?<![\w'])(?:{_QUOTED}|(?P<thing>{_THING})|(?P<proper>{_PROPER}))")
_ROLE_FOLLOWS = re.compile(r"\s?(?:of|to|for|at|called|named)\b|,? ?[A-Z]")

_X, _Y = r"@(?P<x>\d)", r"@(?P<y>\d)"
_ROLE_WORD = (
    r"(?!(?:is|are|was|of|to|for|at|and|with|that|which|who|calls?|called|named|him|her|since|belongs?|in|on|by|from|as"
    r"|the|an?)\b)[a-z][\w-]*"
)
_ROLE = rf"(?P<role>{_ROLE_WORD}(?: {_ROLE_WORD}){{0,3}})"
_SO = r"(?:(?:also|often|usually|always|mostly|better|otherwise|generally|now|just|simply|sometimes|commonly) )*"
_BE = r"(?:is|was|are|were|has been|gets|(?:prefers|likes|wants|asked|asks)(?: to be)?)"
_SAY = r"(?:calls?|called|knows?|address(?:es)?|refers? to|nicknamed|dubbed|shortens?|shortened|abbreviates?)"
_CALLED = (
    r"(?:called|known|named|nicknamed|dubbed|referred to|addressed|abbreviated|shortened|listed|written|spelled|filed)"
)
_PLAIN = re.compile(rf"^{_X} (?:is|=) {_Y}$")
_ALIASES = (
    _PLAIN,
    *(
        re.compile(form)
        for form in (
            rf"{_X}(?: {_BE} {_SO}{_CALLED}|, (?:(?:who|which|that) )?(?:{_BE} )?{_SO}{_CALLED}| {_SO}known as)"
            rf"(?: (?:as|to|just|simply|here|by \w+|to \w+))* {_Y}",
            rf"{_X},? (?:who |which )?{_SO}(?:(?:goes|went) by|(?:answers|responds|listens) to"
            r"|(?:signs|appears|writes|posts)(?: \w+)?? (?:as|under))"
            rf"(?: (?:the )?(?:nick|short )?name(?: of)?)? {_Y}",
            rf"{_X},? (?:is )?(?:a\.?k\.?a\.?|alias|in short|short|or|i\.e\.|that is),? {_Y}",
            rf"{_X} (?:{_BE} )?{_SO}(?:short for|stands for|means|abbreviates|(?:the )?(?:same \w+ as|same as))"
            rf" {_Y}",
            rf"{_X} (?:{_BE} )?(?:what|how)(?: \w+){{1,3}}? (?:calls?|says? to|refers? to|knows?|mean by) {_Y}",
            rf"\b{_SAY} {_X},? (?:(?:as|by|to|just|simply|the|name) )*{_Y}(?: (?:for short|here|now))?$",
            rf"{_X} \((?:(?:also|or|alias|aka|short|known|as) )*{_Y}(?: (?:for|to|in) [\w @]+)?\)",
            rf"{_X},? ?(?:or |- )?{_Y},? (?:for short|to (?:his|her|its|their|most|all)\b)",
            rf"{_X},? (?:whose (?:\w+ )?(?:nick)?name is|uses the (?:\w+ )?(?:handle|name|nickname)) {_Y}",
            rf"{_X}'s? \w+ (?:call|know) (?:him|her|it|them) (?:as |just |simply )?{_Y}",
            rf"^{_X} and {_Y} are (?:one and )?the same(?: \w+)?$",
            rf"(?:says?|writes?|reads?|hears?|see) {_Y},? .{{0,20}}\bmeans? {_X}",
        )
    ),
)
"""Two names of one person or thing."""
_ALSO = frozenset(("name", "nickname", "alias", "handle", "initials", "abbreviation", "moniker", "short"))
"""A role that is another name."""

_OWNER = "owner owns own belong property"
_LEADER = "boss manager lead leader head supervisor report manage"
_WORK = "work employer company firm employ job"
_KEEPER = "keeper keep maintain maintainer care look"
_VERBS: tuple[tuple[str, str, str], ...] = (
    ("belongs to", r"belongs? to|(?:is|are) (?:owned by|the property of)", _OWNER),
    ("owns", r"(?:owns|possesses)", _OWNER),
    ("works for", r"(?:works? (?:at|for|with)|joined|(?:is|are) employed (?:at|by))", _WORK),
    ("reports to", r"(?:reports? to|works? under|(?:is|are) (?:managed|led|supervised|headed|run) by)", _LEADER),
    ("manages", r"(?:manages|leads|heads|runs|supervises)", _LEADER),
    ("is married to", r"(?:(?:is|got) (?:married|engaged) to|married)", "spouse partner marry married"),
    ("looks after", r"(?:looks? after|keeps|takes care of|maintains)", _KEEPER),
    ("is looked after by", r"(?:is|are) (?:kept|maintained|looked after|taken care of) by", _KEEPER),
)
"""A label, the verbs of it, and more words by which a question may name it."""
_LINKS = (
    *((label, more, re.compile(rf"{_X},? (?:who |which )?(?:(?:now|currently|has|have) )*(?:{verbs}) {_Y}"))
      for label, verbs, more in _VERBS),
    ("belongs to", _OWNER, re.compile(rf"{_X} (?:is|are) {_Y}'s?$")),
)  # fmt: skip
_ROLES = tuple(
    re.compile(form)
    for form in (
        rf"{_X}'s? {_ROLE}(?:,|(?:,? (?:is|are|was|named|called|is called|is named))?) {_Y}",
        rf"{_Y},? (?:(?:is|was|has been|became|being|as) )?{_X}'s? {_ROLE}",
        rf"[Tt]he {_ROLE} (?:of|for|to|at) {_X}(?:,|(?:,? (?:is|are|was|named|called|is called|is named))?) {_Y}",
        rf"{_Y}(?:,|,? (?:is|was|has been|became|(?:acts|works|serves) as))(?: (?:the|an?))? {_ROLE}"
        rf" (?:of|for|to|at) {_X}",
        rf"{_X} has an? {_ROLE},? (?:(?:who|which) )?(?:is )?(?:(?:called|named|by the name of) )?{_Y}",
        rf"{_X} (?:has|took|chose|got|hired) {_Y} (?:as|for) (?:(?:his|her|their|its|an?) )?{_ROLE}",
        rf"{_X} and {_Y} are {_ROLE}$",
    )
)
"""The role that the second has for the first."""
_FREE_ALIAS = re.compile(
    rf"^{_X},? (?:is |are )?{_SO}(?:short for|stands for|means|aka|also known as|called)"
    r" (?P<y>[a-z][\w-]*(?: [\w-]+){0,3})$"
)
_FREE_OWNER = re.compile(rf"^(?P<x>[a-z][\w-]*(?: [\w-]+){{0,2}}) (?:belongs? to|(?:is|are) owned by) {_Y}")
_TWO = re.compile(rf"\b{_SAY} {_X}(?: (?:for short|here|now))?$")
"""A name behind which its other name stands with nothing between."""
_CALLING = re.compile(
    r"\b(?:say|says|call\w*|name[ds]?|nick\w*|known|short\w*|sign\w*|means?|dub\w*|refer\w*|address\w*|handle|initials?"
    r"|spell\w*|writ\w+|introduc\w*|same|hears?|listens?|abbreviat\w*)\b"
)
"""What tells that a sentence may be about how somebody is called."""
_ASIDE = re.compile(r" \([^()]*\)")
_I, _MY = re.compile(r"\bI(?:'m| am)\b"), re.compile(r"\b(?:[Mm]y|[Mm]ine)\b(?= [a-z])")


def read_names(sentences: Sequence[str], author: str) -> list[NameStatement]:
    """What the sentences of a note say of names, of two names one thing each; what is "my" is its author's."""
    found = list[NameStatement]()
    for place, sentence in enumerate(sentences):
        plain = " ".join(sentence.split()).rstrip(" .!;,").replace("@", " ")
        if len(plain) > _LONGEST or plain.endswith("?") or is_negated(plain):
            continue
        text, names = _with_places(plain, _clean(author))
        if not 0 < len(names) <= _MOST:
            continue
        pairs: dict[tuple[frozenset[str], bool], NameStatement] = {}
        for one in _read(text, names, place):
            keys = frozenset((name_key(one.left), name_key(one.right)))
            if len(keys) == 2 and "" not in keys:
                pairs.setdefault((keys, one.loose), one)
        found += pairs.values()
    return found


def _with_places(plain: str, author: str) -> tuple[str, list[str]]:
    """A sentence with ``@`` and a number in place of each name, and the names."""
    names: list[str] = []

    def placed(found: re.Match[str]) -> str:
        whole, name = found[0], found["quoted"] or _clean(found[0])
        if found["thing"] and _ROLE_FOLLOWS.match(plain[found.end() - whole.endswith(" ") :]):
            return whole  # "the sister of Bob"
        if not name:
            return whole
        if name not in names:
            names.append(name)
        dropped = whole[: whole.find(name)] if not (found["thing"] or found["quoted"]) else ""
        return f"{dropped}@{names.index(name)}{' ' * whole.endswith(' ')}"

    text = _NAME.sub(placed, plain)
    if author and (_MY.search(text) or _I.search(text)):
        names = names if author in names else [*names, author]
        text = _I.sub(f"@{names.index(author)} is", _MY.sub(f"@{names.index(author)}'s", text))
    return text, names


def _read(text: str, names: Sequence[str], place: int) -> Iterator[NameStatement]:
    """Statements, the surest first."""
    if free := _FREE_ALIAS.match(text):
        yield NameStatement(names[int(free["x"])], free["y"], place=place)
    if free := _FREE_OWNER.match(text):
        stems = word_stems(_OWNER)
        yield NameStatement(free["x"], names[int(free["y"])], "belongs to", stems=stems, place=place)
    two = _TWO.search(text) if len(names) == 1 else None
    first, _, other = names[int(two["x"])].rpartition(" ") if two else ("", "", "")
    if first:
        yield NameStatement(first, other, place=place)
    found = [*_aliases(text, names, place), *_links(_ASIDE.sub("", text), names, place)] if len(names) > 1 else []
    yield from found
    proper = [name for name in names if name[0].isupper()]
    if len(proper) == 2 and all(one.label for one in found):
        if not found and _CALLING.search(text) and _is_like(*proper):
            yield NameStatement(proper[0], proper[1], place=place)
        words = " ".join(name for name in names if name not in proper)
        stems = word_stems(f"{re.sub('@[0-9]', ' ', text)} {words}") - {"@"}
        yield NameStatement(proper[0], proper[1], "named with", stems=stems, loose=True, place=place)


def _is_like(one: str, other: str) -> bool:
    """Whether one name may be made of the other: three letters in common, or how they begin."""
    first, second = name_key(one), name_key(other)
    parts = {first[place : place + 3] for place in range(len(first) - 2)}
    return first[:2] == second[:2] or any(part in second for part in parts if " " not in part)


def _aliases(text: str, names: Sequence[str], place: int) -> Iterator[NameStatement]:
    for form in _ALIASES:
        for found in form.finditer(text):
            left, right = names[int(found["x"])], names[int(found["y"])]
            # "The lead is Anna" and "Bob is the captain" tell a part that somebody has.
            if form is not _PLAIN or (left[0].isupper() and (right[0].isupper() or left.isupper())):
                yield NameStatement(left, right, place=place)


def _links(text: str, names: Sequence[str], place: int) -> Iterator[NameStatement]:
    for label, more, form in _LINKS:
        for found in form.finditer(text):
            stems, right = word_stems(f"{label} {more}"), names[int(found["y"])]
            if more != _WORK or right[0].isupper():  # "joined the project"
                yield NameStatement(names[int(found["x"])], right, label, stems=stems, place=place)
    for form in _ROLES:
        for found in form.finditer(text):
            left, right, role = names[int(found["x"])], names[int(found["y"])], found["role"]
            if _ALSO.isdisjoint(role.split()):
                yield NameStatement(left, right, role, noun=True, stems=word_stems(role), place=place)
            else:
                yield NameStatement(left, right, place=place)


def _clean(text: str) -> str:
    """A name without an article and what opens the sentence; "" for what names nothing, such as a day."""
    parts = text.strip(" ,;").split()
    while parts and parts[0].lower() in _OPENS and not (parts[0][1:].isupper() or parts[0].endswith(".")):
        parts = parts[1:]
    name = " ".join(parts)
    return name if len(name) <= 60 and any(map(str.isalpha, name)) and not names_time(name) else ""
