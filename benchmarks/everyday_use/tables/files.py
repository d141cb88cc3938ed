"""File names, addresses on the web and log lines."""

from __future__ import annotations

import re

from benchmarks.everyday_use.pools import TOPICS, Rng, clock, day, digits
from benchmarks.everyday_use.table import Table

ENDINGS = ("pdf", "docx", "xlsx", "jpg", "PNG", "tar.gz", "txt")
LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")
EVENTS = ("user logged in", "disk almost full: 91 %", "timeout", "mail sent to 3 people", "cannot open a.txt: denied")


def _file(rng: Rng) -> str:
    return f"{rng.choice(TOPICS)}{rng.choice(('', '_v2', '.final', ' (1)'))}.{rng.choice(ENDINGS)}"


def _path(rng: Rng) -> str:
    parts = [rng.choice(("Projects", "Shared", "2024", "HR", "old stuff")) for _ in range(rng.randint(1, 4))]
    return "/".join(["", "srv", *parts, _file(rng)])


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _page(rng: Rng) -> str:
    host = rng.choice(("www.example.org", "shop.example.com", "example.net", "intranet.firma.example:8080"))
    return f"{rng.choice(('https', 'http'))}://{host}/{rng.choice(('', 'index.html', 'a/b', 'order?id=7&x=1'))}"


def _query(rng: Rng) -> str:
    more = rng.choice(("", "&lang=de", "&page=2&sort=asc"))
    first = rng.choice(("", "ref=mail&", "x=1&y=22&"))
    return f"https://shop.example/item?{first}id={digits(rng, rng.choice((3, 5, 8)))}{more}"


def _log(rng: Rng) -> str:
    return f"{day(rng)} {clock(rng)}:{rng.randrange(60):02} [{rng.choice(LEVELS)}] {rng.choice(EVENTS)}"


def _access(rng: Rng) -> str:
    address = ".".join(str(rng.randint(1, 254)) for _ in range(4))
    size = rng.choice((0, 17, 512, 20480, 1337))
    return f'{address} - - [{day(rng):%d/%b/%Y}:{clock(rng)}:00] "GET /a HTTP/1.1" {rng.choice((200, 404, 500))} {size}'


TABLES = (
    Table(
        name="file-name-of-path",
        columns="Path | File=",
        draw=_path,
        rule=lambda text: text.rsplit("/", 1)[1],
        rows=28,
        given=6,
    ),
    Table(
        name="kind-of-file",
        columns="No* | File | Kind=",
        draw=_file,
        rule=lambda text: text.rsplit(".", 1)[1].upper(),
        rows=34,
        given=7,
        slip="transposed",
    ),
    Table(
        name="file-name-to-save-as",
        columns="Date | Title | Save as=",
        draw=lambda rng: (day(rng).isoformat(), rng.choice(TOPICS)),
        rule=lambda one, title: f"{one}_{title.lower().replace(' ', '-')}.pdf",
        rows=30,
        given=6,
    ),
    Table(
        name="short-web-name",
        columns="Title | Slug=",
        draw=lambda rng: f"{rng.choice(TOPICS)}{rng.choice(('', '!', ' & more', ': part 2', ' (new)'))}",
        rule=_slug,
        rows=24,
        given=8,
    ),
    Table(
        name="host-of-web-address",
        columns="Note* | Page | Host=",
        draw=_page,
        rule=lambda text: text.split("/")[2],
        rows=26,
        given=6,
    ),
    Table(
        name="id-in-web-address",
        columns="Link | Item=",
        draw=_query,
        rule=lambda text: re.search(r"[?&]id=(\d+)", text)[1],
        rows=30,
        given=8,
        cases=lambda text: (text.split("?")[1][:2] == "id", text.endswith("asc")),
    ),
    Table(
        name="message-of-log-line",
        columns="Line | Message=",
        draw=_log,
        rule=lambda text: text.split("] ", 1)[1],
        rows=36,
        given=5,
    ),
    Table(
        name="level-of-log-line",
        columns="Line | Level=",
        draw=_log,
        rule=lambda text: text[text.index("[") + 1 : text.index("]")],
        rows=32,
        given=6,
    ),
)
"""Eight tables."""
