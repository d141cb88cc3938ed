"""One interpreter and one folder in the sandbox, in which the blocks of an episode's actions run one after another."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evolve.core import text_files
from evolve.core.episodes import GUIDANCE_FOLDER, Json
from evolve.core.episodes.blocks import FencedBlock
from evolve.core.errors import Cancelled
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, clean_text
from evolve.runtime.folder_tree import IGNORED, FolderTree, holds_secrets, is_ignored
from evolve.runtime.sandbox.actions import NO_FILES, UNPLACED, ActionResult, CodeSession, FunctionCalls
from evolve.runtime.sandbox.interpreter import guest_source
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.skills.procedures import FOLDER_FUNCTIONS
from evolve.tasks.verification.checks import folder_limits

# Asked last, so that a package of the same name in the folder comes first and may be extended by ours.
_FINDER = """
import importlib.util as _util, sys as _sys
class _Modules:
    def find_spec(self, name, path=None, target=None):
        if name in SOURCES:
            return _util.spec_from_loader(name, self, is_package="." not in name)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(SOURCES[module.__name__], module.__name__, "exec"), module.__dict__)
_sys.meta_path.append(_Modules())
"""
KEPT_OUTPUT = 2 << 20
"""Bytes of what one block prints that are kept at most."""

_MARGIN_KB = 64
_MOST_GUESSED = 4 << 20
"""Bytes of files whose encoding is guessed before a session begins."""

# Lives in the session's memory, where the folder's files cannot take its place. A file of the folder that is imported
# is read anew in every block, because the block before may have changed it; the folder is the last place to look, so
# that no file of it takes the place of a standard module.
_TOOLS = """
import importlib, json, os, select, subprocess, sys
from evolve.runtime.sandbox.guest.acting import evaluate
from evolve.runtime.sandbox.guest.worker import plain
ROOT = os.getcwd()
sys.path.append("")
os.environ["PATH"] += os.pathsep + os.path.dirname(sys.executable)
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
for name in FOLDERS:
    os.makedirs(name, exist_ok=True)
for name in EXECUTABLE:
    try:
        os.chmod(name, 0o755)
    except OSError:
        pass  # where the sandbox lets no code change rights
def python(source):
    os.chdir(ROOT)
    importlib.invalidate_caches()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.abspath(file).startswith(ROOT + os.sep):
            del sys.modules[name]
    has_value, value = evaluate(source, sys.modules["__main__"].__dict__)
    if not has_value or value is None:
        return None
    try:
        text, kind = json.dumps(plain(value), ensure_ascii=False, allow_nan=False), "json"
    except (TypeError, ValueError):
        text, kind = repr(value), "text"
    if len(text) > MOST:
        return ["text", text[: MOST // 2] + " ... " + text[-MOST // 2 :]]
    return [kind, text]
def shell(command):
    os.chdir(ROOT)
    read, write = os.pipe()
    process = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=write, stderr=write)
    os.close(write)
    head, tail, total, left = b"", b"", 0, 1 << 16
    while left > 0:
        over = process.poll() is not None
        if not select.select([read], [], [], 0 if over else 0.05)[0]:
            if over:
                break
            continue
        part = os.read(read, 1 << 16)
        if not part:
            break
        # what it left running in the background may go on writing; its own words are no more than a pipe holds
        left -= len(part) * over
        total += len(part)
        room = MOST - len(head)
        head += part[:room]
        tail = (tail + part[room:])[-MOST:]
    os.close(read)
    ended = process.wait()
    cut = total - len(head) - len(tail)
    between = b"\\n... %d bytes left out ...\\n" % cut if cut else b""
    return ended, head + between + tail
def sh(command):
    ended, printed = shell(command)
    sys.stdout.flush()
    sys.stdout.buffer.write(printed)
    return ended
"""

_START = """
import sys
tools = sys.modules["folder_tools"] = type(sys)("folder_tools")
tools.__dict__.update(EXECUTABLE=EXECUTABLE, FOLDERS=FOLDERS, MOST=MOST)
exec(compile(TOOLS, "<folder>", "exec", dont_inherit=True), tools.__dict__)
text_files = sys.modules["evolve.core.text_files"] = type(sys)("evolve.core.text_files")
exec(compile(TEXT_FILES, "text_files", "exec", dont_inherit=True), text_files.__dict__)
functions = sys.modules[NAME] = type(sys)(NAME)
exec(compile(FUNCTIONS, NAME, "exec", dont_inherit=True), functions.__dict__)
functions.__dict__.update(LEFT_OUT=frozenset(LEFT_OUT), ENCODINGS=ENCODINGS, shell=tools.shell)
del sys.modules["evolve.core.text_files"]  # the folder may hold a package of that name
del sys, tools, text_files, functions, TOOLS, EXECUTABLE, FOLDERS, MOST, NAME, TEXT_FILES, FUNCTIONS, LEFT_OUT
del ENCODINGS
"""


_NO_TREE = FolderTree(files={})


@dataclass(frozen=True, kw_only=True)
class BlockResult:
    """What a block of code did.

    Attributes:
        tree: The folder after it; as before where ``lost``.
        printed: What it printed on both streams.
        secret: Files that it wrote and that are not taken, because they may hold secrets.
        value: The value of its last expression as JSON or, of one that is no JSON, as text.
        shown: The same value as text; "" where there is none.
        exit: The exit code of ``sh``.
        error: Why a Python block failed, or why a block did not come to its end; "" else.
        limit: The limit that it reached, or "".
        lost: It reached a limit, or the sandbox failed: the folder is as it was before the block.
        ended: The interpreter is gone.
        fault: The sandbox failed, which says nothing about the block.
        seconds: Wall seconds that it ran.
    """

    tree: Mapping[str, bytes]
    printed: str = ""
    secret: tuple[str, ...] = ()
    value: Json = None
    shown: str = ""
    exit: int = 0
    error: str = ""
    denied: str = ""
    limit: str = ""
    lost: bool = False
    ended: bool = False
    fault: bool = False
    seconds: float = 0.0


class FolderSession:
    """An interpreter that starts in a copy of a tree, in which blocks of code run.

    Args:
        tree: What the folder holds at the start.
        modules: Python files by name that code can import, and that do not lie in the folder.
        start: The folder at the start: which files are executable, and which folders are empty.
        seconds: Wall seconds that a block may take at least, such as those of the check.
        calls: Answers the calls of functions that Python blocks make.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        tree: Mapping[str, bytes],
        *,
        modules: Mapping[str, bytes] = NO_FILES,
        start: FolderTree = _NO_TREE,
        seconds: float = 0.0,
        calls: FunctionCalls | None = None,
    ) -> None:
        limits = folder_limits(tree, seconds)
        kept_kb = (KEPT_OUTPUT >> 10) + _MARGIN_KB
        limits = replace(limits, output_kb=kept_kb, result_kb=kept_kb)
        self.tree: Mapping[str, bytes] = tree
        # What no import finds is put into the folder; files that are imported stay in memory.
        beside = {name: data for name, data in modules.items() if name.startswith(GUIDANCE_FOLDER)}
        self._unplaced: dict[str, bytes] = {**tree, **beside}
        modules = {name: data for name, data in modules.items() if name not in beside}
        self._session: CodeSession | None = sandbox.session(limits, calls=calls)
        self._setup = _setup(tree, sorted(start.executable & set(tree)), modules, start.folders)

    @property
    def is_alive(self) -> bool:
        """Whether blocks can run in it still."""
        return self._session is not None

    def write_file(self, name: str, data: bytes) -> None:
        """Writes a file before the next block runs."""
        self._unplaced[name] = data
        self.tree = {**self.tree, name: data}

    def run(self, block: FencedBlock) -> BlockResult:
        """Runs a ``python`` or ``sh`` block.

        Raises:
            Cancelled: A person stopped it; the session is then over.
        """
        if self._setup:
            started = self._execute(self._setup)
            if started.state != "ok":
                self.close()
                return BlockResult(tree=self.tree, error=started.error, lost=True, ended=True, fault=True)
            self._setup = ""
        result = self._execute(f"__import__('folder_tools').{block.kind}({block.text!r})")
        unplaced = result.state == "error" and result.error.startswith(UNPLACED)
        lost = result.state in ("limit", "fault")
        secret: tuple[str, ...] = ()
        if not (lost or unplaced):
            self.tree = _after(self.tree, result)
            secret = tuple(file.name for file in result.files if holds_secrets(file.name))
        if result.ended or unplaced:
            self.close()  # another one begins without what is in the way: links are no part of the tree
        value, shown = _value_of(result) if block.kind == "python" else (None, "")
        limit = f"it reached its {result.limit} limit; what it changed is not kept" if result.limit else ""
        return BlockResult(
            tree=self.tree,
            printed=result.stdout + result.stderr,
            secret=secret,
            value=value,
            shown=shown,
            exit=result.value if block.kind == "sh" and isinstance(result.value, int) else 0,
            error=limit or result.error,
            denied=str(result.denied[0]) if result.denied else "",
            limit=result.limit,
            lost=lost,
            ended=result.ended or unplaced,
            fault=result.state == "fault",
            seconds=result.wall_s,
        )

    def close(self) -> None:
        """Ends it; closing twice is no error."""
        if self._session is not None:
            self._session.close()
        self._session = None

    def _execute(self, code: str) -> ActionResult:
        assert self._session is not None
        hit_failpoint("sandbox.before")
        try:
            result = self._session.execute(code, files=self._unplaced, collect="changed")
        except Cancelled:
            self._session = None  # it ended with the block
            raise
        hit_failpoint("sandbox.after")
        self._unplaced = {}
        return result


def _value_of(result: ActionResult) -> tuple[Json, str]:
    """The value of a Python block and its text; code may have put anything in the place of what reports it."""
    match result.value:
        case [("json" | "text") as kind, str(said)]:
            text = clean_text(said)
        case _:
            return None, ""
    try:
        value = json.loads(text) if kind == "json" else text or None
        canonical_json(value).encode()  # what no record could hold is text
        # As Python writes it, which is what a model reads.
        return value, repr(value) if kind == "json" else text
    except (ValueError, RecursionError):
        return text, text


def _setup(
    tree: Mapping[str, bytes], executable: Collection[str], modules: Mapping[str, bytes], folders: Sequence[str]
) -> str:
    source = guest_source(f"{FOLDER_FUNCTIONS}.py")
    head = {"EXECUTABLE": list(executable), "FOLDERS": list(folders), "MOST": KEPT_OUTPUT // 2, "TOOLS": _TOOLS}
    head |= {"NAME": FOLDER_FUNCTIONS, "FUNCTIONS": source, "LEFT_OUT": sorted(IGNORED)}
    head |= {"TEXT_FILES": Path(text_files.__file__).read_text(encoding="utf-8")}
    # Encodings by name where it takes a guess, small files first: what guesses is not there in the sandbox
    foreign = {name: data for name, data in tree.items() if text_files.needs_encoding_guess(data)}
    encodings, left = dict[str, str](), _MOST_GUESSED
    for name in sorted(foreign, key=lambda name: len(foreign[name])):
        left -= len(foreign[name])
        file = text_files.read_text_file(foreign[name]) if left >= 0 else None
        if file is not None:
            encodings[name] = file.encoding
    head |= {"ENCODINGS": encodings}
    return "".join(f"{name} = {value!r}\n" for name, value in head.items()) + _START + module_finder_code(modules)


def _after(tree: Mapping[str, bytes], result: ActionResult) -> Mapping[str, bytes]:
    """The tree with what a block changed. What is left out of the work may lie in the folder and is not taken."""
    if not result.files and not result.gone:
        return tree
    after = {**tree, **{file.name: file.data for file in result.files if not _is_left_out(file.name)}}
    for name in result.gone:
        after.pop(name, None)
    return after


def _is_left_out(name: str) -> bool:
    return is_ignored(name) or name.startswith(f"{GUIDANCE_FOLDER}/")


def module_finder_code(modules: Mapping[str, bytes]) -> str:
    """Code after which a session can import the modules; "" where there are none.

    They stay in the session's memory: files in the folder could be changed by an action, and would be collected.

    Args:
        modules: Source by file name, such as ``skills/twice.py``.
    """
    if not modules:
        return ""
    sources = {_module(file): text.decode() for file, text in modules.items()}
    return f"SOURCES = {sources!r}\nexec({_FINDER!r}, {{'SOURCES': SOURCES}})\ndel SOURCES\n"


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
