"""A model's double that knows only what stands in the prompt, and does badly without what it needs.

It is a pure function of the messages. It finds out which task it has by the task's own words, what it was shown by
looking for the lines and values themselves, and how to reply by what the prompt says of replies. What it can do on
each task, and what it has to see before, is data: :class:`benchmarks.agent.task.Knowledge`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from benchmarks.agent.prompt import FAILED, PASSED, Prompt, Raised
from benchmarks.agent.replies import Form, Move, Telling, Version, running
from benchmarks.agent.task import Knowledge, Row, knowledge

SLIPS = 3
"""Percent of prompts on which it makes a slip."""

_ASKED = re.compile(r"\b(learn(t|ed)|lessons?|caus(e|es|al)|reflect|insights?|house rules?)\b", re.I)
_LOOKED = re.compile(
    r"not found|no match|does(n't| not) (match|occur|appear)|AssertionError: *$|SyntaxError|could not be applied", re.M
)
_PAGE = 60


class AgentDouble:
    """The model behind the endpoint; it keeps nothing but, for the books, which answer it gave last."""

    def answer(self, body: Mapping[str, Any]) -> str:
        """The text of the reply."""
        return reply(body)[0]


def reply(body: Mapping[str, Any], draw: int = 0) -> tuple[str, Version]:
    """The reply, and which of its answers it holds: "" where none, ``right`` where the one that is right.

    Args:
        draw: Which prompts it slips on; the same for the same number.
    """
    prompt = Prompt(body)
    form = Form(body, prompt)
    known = task_in(prompt)
    if _asks_for_lessons(prompt, form):
        return _tell(prompt, form, known), ""
    if known is None:
        return form.says(Telling(thought="There is no task that I know.", finish=True)), ""
    move = Reader(prompt, form, known).move()
    if slips(prompt, draw):
        move = _slip(move)
    return form.says(move), move.version


def task_in(prompt: Prompt) -> Knowledge | None:
    """The task whose words are there; of several the one of which most is shown, then the last."""
    told = [known for known in knowledge().values() if prompt.tells(known.task.instruction)]
    if not told:
        told = [
            known for known in knowledge().values() if known.task.entry and f"def {known.task.entry}(" in prompt.told
        ]

    def weight(known: Knowledge) -> tuple[float, int]:
        words = re.sub(r"[\W_]+", "", known.task.instruction.lower())[:100]
        return _share_shown(prompt, known), prompt.letters.rfind(words)

    return max(told, key=weight, default=None)


def _share_shown(prompt: Prompt, known: Knowledge) -> float:
    task = known.task
    if task.shape == "rows":
        return sum(_row_shown(prompt, row) for row in task.shown) / len(task.shown)
    return sum(path in prompt.told for path in task.files) / len(task.files)


def _row_shown(prompt: Prompt, row: Row) -> bool:
    return all(prompt.shows_value(value) for value in row.input) and prompt.shows_value(row.output)


def _asks_for_lessons(prompt: Prompt, form: Form) -> bool:
    if form.code_tags:
        return False
    if form.schema is not None:
        names = set(re.findall(r"\"(\w+)\":", str(form.schema).replace("'", '"')))
        lists = {
            "claims",
            "insights",
            "lessons",
            "causes",
            "facts",
            "rules",
            "subgoals",
            "goal",
            "description",
            "cause",
        }
        return bool(names & lists) and not names & {"code", "program", "kind", "action"}
    return bool(_ASKED.search(prompt.last)) and not form.kinds & {"python", "sh", "edit", "file"}


def _tell(prompt: Prompt, form: Form, known: Knowledge | None) -> str:
    """What was learned, honestly: a rule only where wrong and wanted values are there to compare."""
    if known is None:
        return form.says(Telling(thought="Nothing that I could show.")) if form.schema is not None else "Nothing."
    rule = known.rule if Reader(prompt, form, known).compared() else ""
    about = known.task.instruction.partition(". ")[0].rstrip(".") + "."
    said = Telling(thought=rule or "I read the task and write it.", rule=rule, name=known.task.id, about=about)
    return form.says(said) if form.schema is not None else rule or "Nothing that the values show."


def _digest(prompt: Prompt, draw: int) -> int:
    """A number of the prompt's words; paths and numbers, which differ from run to run, are left out."""
    words = re.sub(r"\S*/\S*|[\d.]+", "", prompt.whole) + (f"\n{draw}" if draw else "")
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big")


def slips(prompt: Prompt, draw: int) -> bool:
    """Whether it makes a slip on this prompt."""
    return _digest(prompt, draw) % 100 < SLIPS


def _slip(move: Move) -> Move:
    if move.function:
        head, _, rest = move.function.partition(":\n")
        return Move(
            thought=move.thought,
            function=f"{head}:\n    undefined_name\n{rest}",
            compares=move.compares,
            version="slip",
        )
    if move.changes or move.program or move.look[0]:
        return Move(thought="Where was I?", look=("ls", "import os\nprint(os.listdir('.'))"))
    return move


@lru_cache(maxsize=256)
def outcomes(task_id: str, version: Version) -> tuple[tuple[Row, Any], ...]:
    """Rows on which one of its wrong functions is wrong, each with what comes out."""
    known = knowledge()[task_id]
    source = known.second if version == "second" else known.guess
    found = []
    for row in (*known.task.shown, *known.task.hidden):
        space: dict[str, Any] = {}
        exec(source, space)
        try:
            got = space[known.task.entry](*_copied(row.input))
        except Exception as error:
            got = Raised(error)
        if got != row.output:
            found.append((row, got))
    return tuple(found)


def _copied(value: Any) -> Any:
    return [_copied(one) for one in value] if isinstance(value, list | tuple) else value


class Reader:
    """One prompt on one task."""

    def __init__(self, prompt: Prompt, form: Form, known: Knowledge) -> None:
        self.prompt, self.form, self.known = prompt, form, known
        self.task = known.task

    def move(self) -> Move:
        """What to do next."""
        return {"rows": self._rows, "folder": self._folder, "words": self._words}[self.task.shape]()

    # What the prompt shows

    def compared(self) -> int:
        """How many wrong values of its own stand there with what was wanted."""
        if self.task.shape == "rows":
            return self._clues("guess") + (self._clues("second") if self.known.second else 0)
        return sum(text in self.prompt.told for text in self.known.shows)

    def _clues(self, version: Version) -> int:
        wrong = outcomes(self.task.id, version)
        return sum(self.prompt.compares(row.input, got, row.output) for row, got in wrong)

    @property
    def _rule_known(self) -> bool:
        return self.prompt.states(self.known.terms)

    # Rows

    def _rows(self) -> Move:
        known, clues = self.known, self._clues("guess")
        second = self._clues("second") if known.second else 0
        rows = [_row_shown(self.prompt, row) for row in self.task.shown]
        at_sight = known.at_sight and all(rows[at] for at in known.needs_rows)
        tried = {name: self._tries(source) for name, source in self._sources().items()}
        version: Version = "guess"
        if self._rule_known or at_sight or clues >= known.clues or second:
            version = "right"
        elif clues and known.second:
            version = "second"
        if version != "right" and tried[version]:
            if self.form.acts and not self._asked_back():
                return self._look_at_rows(version)
            version = "right" if sum(tried.values()) > 1 else "second" if known.second else "guess"
        source = self._sources()[version]
        after = self.prompt.after(self._place(source))
        if tried[version] and PASSED.search(after) and not FAILED.search(after):
            return Move(
                thought="All of it is right.", finish=True, function="" if self.form.kinds & {"done"} else source
            )
        finish = bool(self.form.kinds & {"done"}) and self.form.together
        if self.form.code_tags and tried[version] > 2 and "InterpreterError" in after:
            return Move(thought="It cannot be run here; I give its source.", answer=source, finish=True)
        compares = self._comparing() if self.form.code_tags else ""
        thought = self._thought(version)
        return Move(thought=thought, function=self._named(source), compares=compares, finish=finish, version=version)

    def _sources(self) -> dict[Version, str]:
        return {"right": self.known.right, "guess": self.known.guess, "second": self.known.second}

    def _tries(self, source: str) -> int:
        lines = self._own_lines(source)
        return min((self.prompt.count(line) for line in lines), default=0)

    def _place(self, source: str) -> int:
        return max(0, self.prompt.place_of(self._own_lines(source)))

    def _own_lines(self, source: str) -> list[str]:
        """Lines that this source has and the others have not."""
        others = {line for other in self._sources().values() if other != source for line in other.splitlines()}
        mine = [line for line in source.splitlines() if line.strip() and line not in others]
        return mine or [line for line in source.splitlines()[1:] if line.strip()]

    def _named(self, source: str) -> str:
        entry = self.task.entry
        if re.search(rf"\b{entry}\b", self.prompt.told):
            return source
        found = re.search(r"\bdef (\w+)\(|function (?:named |called )?[`'\"](\w+)", self.prompt.told)
        return re.sub(rf"\b{entry}\b", (found[1] or found[2]) if found else "solve", source)

    def _asked_back(self) -> bool:
        return "gave something else" in self.prompt.whole

    def _look_at_rows(self, version: Version) -> Move:
        if "recall" in self.form.kinds and "```recall" not in self.prompt.whole.partition(self.task.instruction)[2]:
            return Move(thought="Something like it may be known.", recall=self.task.instruction)
        return Move(
            thought="It was not right; I look where it gave something else than wanted.",
            compares=f"{self._named(self._sources()[version]).rstrip()}\n\n{self._comparing()}",
        )

    def _comparing(self) -> str:
        rows = [(list(row.input), row.output) for row in self.task.shown if _row_shown(self.prompt, row)]
        entry = re.findall(r"^def (\w+)", self._named(self.known.right), re.M)[-1]
        return (
            f"rows = {rows!r}\n"
            f"wrong = [(args, {entry}(*args), wanted) for args, wanted in rows if {entry}(*args) != wanted]\n"
            'for args, got, wanted in wrong:\n    print("for", args, "came out", repr(got), "wanted", repr(wanted))'
        )

    def _thought(self, version: Version) -> str:
        if version == "right" and self.known.rule and (self._rule_known or self.compared()):
            return f"So this holds here: {self.known.rule}"
        return "I write what the task asks for."

    # Folders

    def _folder(self) -> Move:
        prompt, known = self.prompt, self.known
        places = {name: self._written(name) for name in ("right", "guess")}
        latest = max(places, key=lambda name: places[name])
        sure = not known.guess or self._rule_known or bool(self.compared()) or self._all_known()
        if places[latest] < 0:
            unread = self._unread()
            if unread is not None:
                return unread
            return self._write("right" if sure else "guess", whole=False)
        after = prompt.after(places[latest])
        failed, passed = bool(FAILED.search(after)), bool(PASSED.search(after))
        if latest == "guess" and sure:
            return self._write("right", whole=True)
        if _LOOKED.search(after):
            return self._write("right" if sure else "guess", whole=True)
        if latest == "guess" and failed and not passed:
            return self._doubt(after)
        if (passed and not failed) or self._passed_last(after):
            return Move(thought="The check passes; I hand in.", finish=True)
        if failed:
            return self._write("right" if sure else "guess", whole=True)
        if self._checks_itself() or not self.form.acts:
            return Move(thought="I hand in.", finish=True)
        return Move(thought="Does it pass?", check=self.task.check)

    def _passed_last(self, after: str) -> bool:
        fails = [found.start() for found in FAILED.finditer(after)]
        passes = [found.start() for found in PASSED.finditer(after)]
        return bool(passes) and passes[-1] > max(fails, default=-1)

    def _checks_itself(self) -> bool:
        return self.form.together and "done" in self.form.kinds

    def _tree(self, version: str) -> Mapping[str, str]:
        return self.known.right if version == "right" else self.known.guess

    def _written(self, version: str) -> int:
        """Where its own change of that kind stands last in the prompt; -1 where nowhere."""
        other = self._tree("guess" if version == "right" else "right")
        lines = [
            line
            for path, text in self._tree(version).items()
            for line in text.splitlines()
            if len(line.strip()) > 8
            and line not in self.task.files.get(path, "").splitlines()
            and line not in other.get(path, "").splitlines()
        ]
        return self.prompt.place_of(sorted(lines, key=len)[-3:])

    def _all_known(self) -> bool:
        return bool(self.known.knows) and all(self.prompt.shows_line(text) for text in self.known.knows)

    def _unread(self) -> Move | None:
        """A look at what is still needed."""
        if not any(path in self.prompt.told for path in self.task.files if path != "tests/__init__.py"):
            listing = "find . -type f -not -name '*.pyc' -not -path './.git/*' | sort"
            command = f"{listing}; {self.task.check} 2>&1 | tail -n 40" if self.task.check else listing
            return Move(thought="First I look around.", look=(command, running(command)))
        for group in self.known.reads:
            wanted = {path: [line for line in self.known.needs if line in self.task.files[path]] for path in group}
            missing = [path for path in group if not all(map(self.prompt.shows_line, wanted[path]))]
            if missing:
                return self._read(group, missing)
        return None

    def _read(self, group: Any, missing: list[str]) -> Move:
        begun = [path for path in missing if self._lines_seen(path) >= 3]
        if begun:
            at = self._lines_seen(begun[0])
            command = f"sed -n '{at},{at + _PAGE}p' {begun[0]}"
            return Move(thought="I have not seen the part that matters.", look=(command, running(command)))
        files = " ".join(group)
        program = f"from pathlib import Path\nfor name in {list(group)!r}:\n"
        program += "    print('==>', name)\n    print(Path(name).read_text())"
        return Move(thought="I read what this is about.", look=(f"tail -n +1 {files}", program))

    def _lines_seen(self, path: str) -> int:
        """How many lines of a file were shown without a gap, from the start."""
        seen = 0
        for number, line in enumerate(self.task.files[path].splitlines(), 1):
            if not self.prompt.shows_line(line):
                break
            seen = number
        return seen

    def _doubt(self, after: str) -> Move:
        """The guess failed, and nothing says why."""
        if self.form.acts and "unittest" in self.task.check and "Ran " not in after:
            return Move(thought="What does the check say?", check=self.task.check)
        rest = [path for group in self.known.reads for path in group if self._lines_seen(path) < 3]
        if rest and self.form.acts:
            return self._read(rest, rest)
        return self._write("right" if self.prompt.count("I change it now") > 1 else "guess", whole=True)

    def _write(self, version: Version, *, whole: bool) -> Move:
        changes = {
            path: (None if whole else self.task.files.get(path), text) for path, text in self._tree(version).items()
        }
        together = self._checks_itself()
        check = "" if together and not self.form.code_tags else self.task.check
        said = self._thought(version) if self.known.rule else "I have seen enough."
        return Move(thought=f"{said} I change it now.", changes=changes, check=check, finish=together, version=version)

    # Questions in words

    def _words(self) -> Move:
        known, prompt = self.known, self.prompt
        right = self._all_known()
        found = [
            value.strip() for value in re.findall(re.escape(known.label) + r"([^\n{]+)", prompt.told) if value.strip()
        ]
        if found and not (right and self._ran("guess") and not self._ran("right")):
            return Move(thought="That is it.", answer=found[-1].split("\\n")[0], finish=True, version=self._ran_last())
        if not any(path in prompt.told for path in self.task.files) or not self._heads_seen():
            paths = [path for group in known.reads for path in group]
            command = f"ls -la; head -n 40 {' '.join(paths)}"
            program = (
                "import os\nfrom pathlib import Path\nfor name in sorted(os.listdir('.')):\n    print('==>', name)\n"
            )
            program += "    print('\\n'.join(Path(name).read_text().split('\\n')[:40]))"
            return Move(thought="I look at the data first.", look=(command, program))
        source = known.right if right else known.guess
        if self.form.code_tags:
            source = _for_restricted(source)
        return Move(thought="I count it.", program=source)

    def _heads_seen(self) -> bool:
        return all(map(self.prompt.shows_line, self.known.needs))

    def _ran(self, version: Version) -> bool:
        return self._tries(_for_restricted(self._sources()[version])) > 0 or self._tries(self._sources()[version]) > 0

    def _ran_last(self) -> Version:
        return "guess" if self._ran("guess") and not self._ran("right") else "right"


def _for_restricted(source: str) -> str:
    """The same program where ``open`` is not there."""
    head = "import io\nfrom pathlib import Path\n"
    return head + re.sub(r"open\((\"[^\"]+\")\)", r"io.StringIO(Path(\1).read_text())", source)
