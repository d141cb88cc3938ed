"""Takes the person's secrets out of what an endpoint says, before anything reads, shows or records it.

An endpoint can repeat the header that it was sent, and then a key stands in a reply, an error, or a part of each.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from evolve.core.redaction import MARK, Scanner, StreamCleaner
from evolve.runtime.models.protocol import ModelRequest
from evolve.runtime.models.wire import CodeAt, Deadlines, Exchange, ExchangeFailure, OnBytes, RawReply, Wire

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
CODE = "code"
"""The name of the field of a structured reply whose text may be executed."""

_SHOWN_BEGINNING = 4  # so few characters of a secret tell nothing
_Path = tuple[str | int, ...]


class CleaningWire:
    """A wire whose bodies and failures hold no known secret.

    The pieces that ``on_bytes`` hears are as they came; whoever shows text of them uses a
    :class:`evolve.core.redaction.StreamCleaner`.

    Args:
        wire: The real one.
        scanner: Knows the secrets.
    """

    def __init__(self, wire: Wire, scanner: Scanner) -> None:
        self._wire, self._scanner = wire, scanner

    def send(
        self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None = None
    ) -> RawReply | ExchangeFailure:
        """One exchange; see :class:`evolve.runtime.models.wire.Wire`."""
        answer = self._wire.send(exchange, deadlines, on_bytes)
        if isinstance(answer, ExchangeFailure):
            # Neither a secret, nor the beginning of one at which it was cut off.
            cleaner = StreamCleaner(self._scanner)
            clean, rest = cleaner.clean_piece(answer.text), cleaner.close()
            return replace(answer, text=clean + (MARK if len(rest) >= _SHOWN_BEGINNING else rest))
        return replace(answer, content=_clean_body(answer.content, self._scanner, gives_code=exchange.gives_code))

    def close(self) -> None:
        """Closes the real wire."""
        self._wire.close()


def _clean_body(content: bytes, scanner: Scanner, *, gives_code: CodeAt = "") -> bytes:
    """A reply's body without known secrets: of JSON and of streams every text in it, of anything else the whole.

    A body that holds none stays as it came, byte for byte. Of one with code in a field see :func:`clean_reply`; of one
    whose text is code only the secrets of ``scanner.for_code`` are taken out.
    """
    if not scanner:
        return content
    if gives_code:
        scanner = scanner.for_code if gives_code == "text" else _ReplyScanner(scanner)
    encoding = json.detect_encoding(content)
    if not encoding.startswith("utf-8"):  # UTF-16 or UTF-32, by its zeros or its byte order mark
        text = content.decode(encoding, "replace")
        clean = _clean_text(text, scanner)
        content = content if clean == text else clean.encode(encoding, "replace")
    return _clean_text(content.decode("utf-8", "surrogateescape"), scanner).encode("utf-8", "surrogateescape")


def _clean_text(text: str, scanner: Scanner) -> str:
    try:
        # A byte order mark is no JSON, and once kept a whole body from being looked through.
        whole = json.loads(text.removeprefix("\ufeff"))
        replacements = _replacements({0: whole}, scanner)
        if not replacements and _is_clean(text, whole, scanner):
            return text
        # Cleaned once more: keys and numbers can be secret as well, and have no place in replacements.
        return json.dumps(scanner.redact_value(_replaced(whole, replacements.get(0, {}))))
    except (ValueError, RecursionError):
        return _clean_stream(text, scanner) if "data:" in text else scanner.redact_text(text)


def clean_reply(value: Any, scanner: Scanner) -> Any:
    """The data of a structured reply without known secrets; its code only without those of ``scanner.for_code``."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return [clean_reply(item, scanner) for item in value]
    if not isinstance(value, dict):
        return scanner.redact_value(value)
    apart = [name for name, item in value.items() if name == CODE or isinstance(item, list)]
    rest = scanner.redact_value({name: item for name, item in value.items() if name not in apart})
    lists = {scanner.redact_text(name): clean_reply(value[name], scanner) for name in apart if name != CODE}
    return {**rest, **lists, **({CODE: scanner.for_code.redact_value(value[CODE])} if CODE in value else {})}


class _ReplyScanner(Scanner):
    """Of pieces it takes out only what no chance puts there; of a whole text all secrets, but not from its code."""

    def __init__(self, scanner: Scanner) -> None:
        super().__init__(scanner.for_code.known)
        self._all = scanner

    def whole(self, text: str) -> str:
        if f'"{CODE}"' not in text:
            return self._all.redact_text(text)
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return self.redact_text(text)  # it will not be understood, or is asked for again
        clean = clean_reply(value, self._all)
        return text if clean == value and not self.secret_spans(text) else json.dumps(clean)


def clean_request(request: ModelRequest, scanner: Scanner) -> ModelRequest:
    """The request with no known secret in its messages: whatever an action printed is also told to an endpoint."""
    if not scanner:
        return request
    messages = (
        replace(
            message,
            text=scanner.redact_text(message.text),
            reasoning=None if message.reasoning is None else scanner.redact_value(message.reasoning),
        )
        for message in request.messages
    )
    return replace(request, messages=tuple(messages))


def _clean_stream(text: str, scanner: Scanner) -> str:
    """Server-sent events without secrets. Where pieces share one, their joined text goes into the first of them."""
    lines, events = text.removeprefix("\ufeff").split("\n"), {}
    for place, line in enumerate(lines):
        try:
            events[place] = json.loads(line.removeprefix("data:")) if line.startswith("data:") else None
        except (ValueError, RecursionError):
            events[place] = None
    changed = _replacements(events, scanner)
    return "\n".join(
        scanner.redact_text(line)
        if events[place] is None
        else _event_line(line, events[place], changed.get(place), scanner)
        for place, line in enumerate(lines)
    )


def _replacements(values: Mapping[int, Any], scanner: Scanner) -> dict[int, dict[_Path, str]]:
    """The texts of JSON values that have to change, also where parts or pieces of one text share a secret."""
    texts: defaultdict[_Path, list[tuple[int, _Path, str]]] = defaultdict(list)
    for place, value in values.items():
        for path, text in _texts(value):
            texts[_path_of_whole(path)].append((place, path, text))
    changed: defaultdict[int, dict[_Path, str]] = defaultdict(dict)
    for pieces in texts.values():
        clean = [scanner.redact_text(text) for *_, text in pieces]
        # A key once stood in two halves in a recording, each harmless by itself.
        joined = "".join(clean)
        whole = scanner.whole(joined) if isinstance(scanner, _ReplyScanner) else scanner.redact_text(joined)
        if whole != joined:
            clean = [whole, *("" for _ in pieces[1:])]
        for (place, path, text), new in zip(pieces, clean, strict=True):
            if new != text:
                changed[place][path] = new
    return changed


def _path_of_whole(path: _Path) -> _Path:
    """The path that all pieces of one text share: it may come as a list of texts, or of parts with a ``text``."""
    part = len(path) > 1 and path[-1] == "text" and isinstance(path[-2], int)
    return tuple(step for step in path[: -1 if part else None] if not isinstance(step, int))


def _event_line(line: str, event: Any, replacements: dict[_Path, str] | None, scanner: Scanner) -> str:
    """The line of an event, with its new texts where it has some."""
    if replacements is None and _is_clean(line, event, scanner):
        return line
    return "data: " + json.dumps(scanner.redact_value(_replaced(event, replacements or {})))


def _is_clean(text: str, value: Any, scanner: Scanner) -> bool:
    """Whether neither a JSON value nor its text holds a secret: of two equal names the value has only the last."""
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).replace("\\/", "/")
    return scanner.redact_value(value) == value and not scanner.secret_spans(text) and not scanner.secret_spans(plain)


def _texts(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, str]]:
    """The texts of an event with their places, by which those of one kind are joined."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(item, (*path, key))


def _replaced(value: Any, replacements: dict[_Path, str], path: _Path = ()) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(item, replacements, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, replacements, (*path, place)) for place, item in enumerate(value)]
    return replacements.get(path, value)
