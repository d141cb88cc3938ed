"""Everyday families about log lines, file names and paths."""

from __future__ import annotations

from random import Random

from benchmarks.suites import everyday_draws as draws
from benchmarks.suites.everyday_build import Family, V
from benchmarks.suites.everyday_words import ADJECTIVES, COMPONENTS, FIRST, MESSAGES, TOPICS

INT = "(text: str) -> int"
BOOL = "(text: str) -> bool"
LIST = "(text: str) -> list[str]"
_LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")


def _log(rng: Random) -> tuple[str]:
    (stamp,) = draws.timestamp(rng)
    level, part = rng.choice(_LEVELS), rng.choice(COMPONENTS)
    return (f"{stamp} {level} [{part}] {rng.choice(MESSAGES)}",)


def _access(rng: Random) -> tuple[str]:
    ip = ".".join(str(rng.randint(1, 250)) for _ in range(4))
    method, status = rng.choice(("GET", "POST", "PUT")), rng.choice((200, 200, 201, 301, 404, 500))
    path = "/".join(rng.sample(TOPICS, rng.randint(1, 2)))
    return (f'{ip} - "{method} /{path} HTTP/1.1" {status} {rng.randint(120, 90_000)}',)


def _key_values(rng: Random) -> tuple[str]:
    level, user = rng.choice(("info", "warn", "error")), rng.choice(FIRST).lower()
    parts = [f"level={level}", f"user={user}", f"ms={rng.randint(1, 900)}"]
    rng.shuffle(parts)
    return (" ".join(parts),)


def _fields(text: str) -> dict[str, str]:
    return dict(part.split("=") for part in text.split())


def _file(rng: Random) -> tuple[str]:
    tail = rng.choice(("", f"_{rng.randint(2015, 2026)}", ".final", f"-v{rng.randint(1, 9)}"))
    return (f"{rng.choice(TOPICS)}{tail}.{rng.choice(('csv', 'xlsx', 'pdf', 'png', 'jpg', 'txt'))}",)


def _loose_file(rng: Random) -> tuple[str]:
    words = [rng.choice(ADJECTIVES), rng.choice(TOPICS), str(rng.randint(1, 60))]
    text = " ".join(words[: rng.randint(2, 3)])
    return (f"{rng.choice((text, text.title()))}.{rng.choice(('csv', 'XLSX', 'pdf', 'TXT'))}",)


def _path(rng: Random) -> tuple[str]:
    folders = rng.sample(TOPICS, rng.randint(1, 3))
    return ("/" + "/".join(["home", rng.choice(FIRST).lower(), *folders]) + "/" + _file(rng)[0],)


LOGS = (
    Family(
        name="log-part",
        draw=_log,
        branch=lambda s: s.split()[2],
        variants=(
            V(1, "Give the level of the log line.", lambda s: s.split()[2]),
            V(2, "Give the component in square brackets.", lambda s: s.split("[")[1].split("]")[0]),
            V(1, "Give the message.", lambda s: s.split("] ")[1]),
            V(1, "Give the timestamp of the log line.", lambda s: s[:19]),
            V(3, "Give the hour of the log line as a number.", lambda s: int(s[11:13]), None, INT),
            V(1, "Answer whether the line is an error.", lambda s: "ERROR" in s, None, BOOL),
            V(4, "Write component: message.", lambda s: s.split("[")[1].replace("] ", ": ")),
            V(
                5,
                "Write level and component in lower case with a slash.",
                lambda s: f"{s.split()[2]}/{s.split('[')[1].split(']')[0]}".lower(),
            ),
            V(
                4,
                "Give the message of errors, an empty cell for the rest.",
                lambda s: s.split("] ")[1] if "ERROR" in s else "",
            ),
        ),
    ),
    Family(
        name="log-access",
        draw=_access,
        variants=(
            V(3, "Give the method of the request.", lambda s: s.split('"')[1].split()[0]),
            V(1, "Give the path of the request.", lambda s: s.split()[3]),
            V(2, "Give the status as a number.", lambda s: int(s.split()[-2]), None, INT),
            V(
                4,
                "Answer whether the request failed (status 400 and more).",
                lambda s: int(s.split()[-2]) >= 400,
                None,
                BOOL,
            ),
            V(4, "Write method and path.", lambda s: s.split('"')[1].rsplit(" ", 1)[0]),
            V(4, "Hide the last part of the address with 0.", lambda s: s.split()[0].rsplit(".", 1)[0] + ".0"),
            V(3, "Give the status class such as 2xx.", lambda s: s.split()[-2][0] + "xx"),
        ),
    ),
    Family(
        name="log-key-value",
        draw=_key_values,
        variants=(
            V(4, "Give the user.", lambda s: _fields(s)["user"]),
            V(4, "Give the level.", lambda s: _fields(s)["level"]),
            V(4, "Give the milliseconds as a number.", lambda s: int(_fields(s)["ms"]), None, INT),
            V(3, "Give the name of the first field.", lambda s: s.split("=")[0]),
            V(4, "List the names of the fields in order.", lambda s: [p.split("=")[0] for p in s.split()], None, LIST),
            V(5, "Turn the line into a dictionary.", _fields, None, "(text: str) -> dict[str, str]"),
            V(
                5,
                "Answer whether the request took more than half a second.",
                lambda s: int(_fields(s)["ms"]) > 500,
                None,
                BOOL,
            ),
        ),
    ),
    Family(
        name="file-part",
        draw=_file,
        branch=lambda s: s.count("."),
        variants=(
            V(1, "Give the file's extension.", lambda s: s.split(".")[-1]),
            V(2, "Give the file's name without extension.", lambda s: s.rsplit(".", 1)[0]),
            V(2, "Give the extension in capitals.", lambda s: s.split(".")[-1].upper()),
            V(
                3,
                "Answer whether the file is a picture (png or jpg).",
                lambda s: s.endswith(("png", "jpg")),
                None,
                BOOL,
            ),
            V(3, "Change the extension to bak.", lambda s: s.rsplit(".", 1)[0] + ".bak"),
            V(3, "Insert _copy before the extension.", lambda s: "_copy.".join(s.rsplit(".", 1))),
            V(1, "Append .gz.", lambda s: s + ".gz"),
        ),
    ),
    Family(
        name="file-rename",
        draw=_loose_file,
        variants=(
            V(1, "Replace the blanks in the file name by underscores.", lambda s: s.replace(" ", "_")),
            V(
                4,
                "Write the file name in lower case with underscores and put new_ in front.",
                lambda s: "new_" + s.lower().replace(" ", "_"),
            ),
            V(4, "Give the file name without extension as a title.", lambda s: s.rsplit(".", 1)[0].title()),
            V(
                3,
                "Write the extension in lower case, leave the rest.",
                lambda s: s.rsplit(".", 1)[0] + "." + s.rsplit(".", 1)[1].lower(),
            ),
        ),
    ),
    Family(
        name="path-part",
        draw=_path,
        variants=(
            V(1, "Give the file name of the path.", lambda s: s.split("/")[-1]),
            V(1, "Give the folder that holds the file.", lambda s: s.split("/")[-2]),
            V(2, "Give the path of the folder.", lambda s: s.rsplit("/", 1)[0]),
            V(1, "Give the user whose home it is.", lambda s: s.split("/")[2]),
            V(3, "Count the folders of the path.", lambda s: s.count("/") - 1, None, INT),
            V(3, "Give the file name without extension.", lambda s: s.split("/")[-1].rsplit(".", 1)[0]),
            V(3, "Write ~ for the home folder.", lambda s: "~/" + s.split("/", 3)[3]),
            V(1, "Write the path with backslashes.", lambda s: s.replace("/", "\\")),
        ),
    ),
)
