"""Takes the person's secrets out of what an endpoint says, before anything reads, shows or records it.

An endpoint can repeat the header that it was sent, and then a key stands in a reply, an error, or a part of each.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evolve.models.protocol import ModelRequest
from evolve.models.wire import Deadlines, Exchange, Failure, OnBytes, Received, Wire
from evolve.redaction import MARK, Scanner, StreamCleaner

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_SHOWN_BEGINNING = 4  # so few characters of a secret tell nothing


class CleaningWire:
    """A wire whose bodies and failures hold no known secret.

    The pieces that ``on_bytes`` hears are as they came; whoever shows text of them uses a
    :class:`evolve.redaction.StreamCleaner`.

    Args:
        wire: The real one.
        scanner: Knows the secrets.
    """

    def __init__(self, wire: Wire, scanner: Scanner) -> None:
        self._wire, self._scanner = wire, scanner

    def send(self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None = None) -> Received | Failure:
        """One exchange; see :class:`evolve.models.wire.Wire`."""
        answer = self._wire.send(exchange, deadlines, on_bytes)
        if isinstance(answer, Failure):
            return replace(answer, text=_cut_clean(answer.text, self._scanner))
        return replace(answer, content=clean_body(answer.content, self._scanner))

    def close(self) -> None:
        """Closes the real wire."""
        self._wire.close()


def clean_body(content: bytes, scanner: Scanner) -> bytes:
    """A reply's body without known secrets: of JSON and of streams every text in it, of anything else the whole.

    A body that holds none stays as it came, byte for byte.
    """
    if not scanner:
        return content
    text = content.decode("utf-8", "surrogateescape")
    try:
        whole = json.loads(text.removeprefix("\ufeff"))
        clean = text if _is_clean(text, whole, scanner) else json.dumps(scanner.cleaned(whole))
    except (ValueError, RecursionError):
        clean = _clean_stream(text, scanner) if "data:" in text else scanner.clean(text)
    return clean.encode("utf-8", "surrogateescape")


def clean_request(request: ModelRequest, scanner: Scanner) -> ModelRequest:
    """The request with no known secret in its messages: whatever an action printed is also told to an endpoint."""
    if not scanner:
        return request
    return replace(request, messages=tuple(replace(one, text=scanner.clean(one.text)) for one in request.messages))


def _clean_stream(text: str, scanner: Scanner) -> str:
    """Server-sent events without secrets. Where pieces share one, their joined text goes into the first of them."""
    lines, events = text.removeprefix("\ufeff").split("\n"), {}
    for place, line in enumerate(lines):
        try:
            events[place] = json.loads(line.removeprefix("data:")) if line.startswith("data:") else None
        except (ValueError, RecursionError):
            events[place] = None
    texts: defaultdict[tuple[Any, ...], list[tuple[int, str]]] = defaultdict(list)
    for place, event in events.items():
        for path, said in _texts(event):
            texts[path].append((place, said))
    changed: dict[int, dict[tuple[Any, ...], str]] = defaultdict(dict)
    for path, pieces in texts.items():
        clean = [scanner.clean(said) for _, said in pieces]
        if scanner.clean("".join(clean)) != "".join(clean):
            clean = [scanner.clean("".join(clean)), *("" for _ in pieces[1:])]
        for (place, said), new in zip(pieces, clean, strict=True):
            if new != said:
                changed[place][path] = new
    return "\n".join(
        scanner.clean(line) if events[place] is None else _event(line, events[place], changed.get(place), scanner)
        for place, line in enumerate(lines)
    )


def _event(line: str, event: Any, news: dict[tuple[Any, ...], str] | None, scanner: Scanner) -> str:
    """The line of an event, with its new texts where it has some."""
    if news is None and _is_clean(line, event, scanner):
        return line
    return "data: " + json.dumps(scanner.cleaned(_with(event, news or {})))


def _is_clean(text: str, value: Any, scanner: Scanner) -> bool:
    """Whether neither a JSON value nor its text holds a secret: of two equal names the value has only the last."""
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).replace("\\/", "/")
    return scanner.cleaned(value) == value and not scanner.spans(text) and not scanner.spans(plain)


def _texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    """The texts of an event with their places, by which those of one kind are joined."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*path, key))


def _with(value: Any, news: dict[tuple[Any, ...], str], path: tuple[Any, ...] = ()) -> Any:
    if isinstance(value, dict):
        return {key: _with(item, news, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_with(item, news, (*path, place)) for place, item in enumerate(value)]
    return news.get(path, value)


def _cut_clean(text: str, scanner: Scanner) -> str:
    """A phrase without secrets, and without the beginning of one at which it was cut off."""
    cleaner = StreamCleaner(scanner)
    shown, rest = cleaner.feed(text), cleaner.close()
    return shown + (MARK if len(rest) >= _SHOWN_BEGINNING else rest)
