"""Skills from elsewhere: read and looked over, before the repository keeps them in quarantine.

A folder with ``SKILL.md`` is a function of its arguments where a Python file beside it defines one under its name, and
instructions where none does. Of a function only what it needs is kept, without docstrings and comments. Its author's
tests are tried and not kept.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from evolve.core import frontmatter
from evolve.core.episodes import Json
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json
from evolve.skills.documented import documented_tests
from evolve.skills.lint import lint
from evolve.skills.lint.allowed import CALLED_ON_IMPORT, MODULES_CALLED_ON_IMPORT
from evolve.skills.signatures import names_of, parameter_count
from evolve.skills.skill import Skill, check_name, render_tests

_DOCUMENT = "SKILL.md"
_MALFORMED = (UsageError, SyntaxError, LookupError, ValueError, TypeError, AttributeError, RecursionError, MemoryError)
_MOST_ROWS, _MOST_GUIDANCE = 200, 20_000
_SIGNATURE = re.compile(r"`([A-Za-z_]\w*)(\([^`\n]*\)\s*->\s*[^`\n]+)`")
_ARGUMENTS = re.compile(r"Arguments: (\[.*\])\. Give")
_RESERVED = frozenset({*sys.stdlib_module_names, "skill", "solve", "evolve", "functions"})
_LOOKS = str.maketrans("015", "ols")
_NOT_PLAIN = re.compile(r"[^\n\r\t\x20-\x7e]")
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_KIND = re.compile(r"None|(?:list\[(?=.*\])|dict\[str,(?=.*\]))*(?:str|int|float|bool|row|any)\]*")
_TYPES = (
    (r"^Optional\[(.+)\]$|^Union\[(.+),None\]$|^None\|(.+)$", r"\1\2\3|None"),
    (r"Union\[int,float\]|int\|float|float\|int", "float"),
    (r"\b(?:List|Sequence|Iterable|Collection|[Tt]uple|[Ss]et|frozenset)\b", "list"),
    (r"\b(?:Dict|Mapping|MutableMapping)\b", "dict"),
    (r"\bAny\b", "any"),
)
"""What types of Python are, in order, without their modules."""
_TAKEOVER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|other|all|your|system)"
    r"\b[^.\n]{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|safety|checks?)"
    r"|\b(?:do not|don't|never|without)\b[^.\n]{0,20}\b(?:tell|mention|inform|show|reveal)\w*\b"
    r"[^.\n]{0,30}\b(?:user|person|human|owner|anyone)"
    r"|\b(?:curl|wget)\b[^\n]{0,400}\|\s{0,20}(?:ba|z)?sh\b|\bbase64\s+(?:-d|--decode)\b|\bsystem prompt\b|\bexfiltrat"
    r"|\b(?:send|upload|post|mail|copy)\b[^.\n]{0,40}\b(?:passwords?|secrets?|credentials?|api.?keys?|tokens?|\.env|\.ssh)"
    r"|\b(?:send|upload|post|print|paste)\b[^.\n]{0,40}\b(?:the conversation|environment variables|private keys?)\b"
    # where keys lie, programs that are fetched and run, what leaves no way back, and whoever claims to be in charge
    r"|\.(?:ssh|aws|gnupg|netrc)/|\bid_(?:rsa|ed25519)\b|authorized_keys|/etc/(?:passwd|shadow|sudoers)"
    r"|\$\(\s*(?:curl|wget)\b|\bb64decode\b|\b(?:tar|cat|zip)\b[^\n]{0,80}\|\s*(?:nc|ncat|curl)\b|--(?:extra-)?index-url\s+http"
    r"|\brm\s+-\w*r\w*\s+[~/](?:[\s*/`]|$)|\bchmod\s+-R\s+777\s+/|core\.hooksPath\s+/dev/null"
    r"|\byou are now\b|\bfrom now on,? you\b|\b(?:higher|more) (?:priority|authority)[^.\n]{0,20}\bthan\b"
    r"|\bsystem instructions?\b|\b(?:forget|disregard) what you were told|\bdo (?:this|it|so) silently\b"
    r"|\b(?:user|person|owner)\b[^.\n]{0,20}\b(?:not|n't) (?:need|have) to know",
    re.IGNORECASE,
)
_ORDER_FIRST = re.compile(r"(?:always|never|you|please|do not|don't|remember|must|ignore|important)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class ForeignSkill:
    """One folder with a ``SKILL.md``: why it is refused; or its function and its author's tests; or instructions."""

    name: str
    problem: str = ""
    skill: Skill | None = None
    tests: tuple[str, ...] = ()
    guidance: str = ""
    evidence: Mapping[str, Json] = field(default_factory=dict)


def foreign_skills(texts: Mapping[str, bytes], unread: Mapping[str, str]) -> Iterator[ForeignSkill]:
    """Every skill among files, in order; one that has no folder of its own has the name that it gives itself.

    Args:
        unread: Why other files were not read.
    """
    own: dict[str, dict[str, bytes]] = {}
    for path in sorted(texts):
        if PurePosixPath(path).name == _DOCUMENT:
            own[str(PurePosixPath(path).parent)] = {}
    bad: dict[str, str] = {}
    for path in (*texts, *unread):
        root = next((str(up) for up in PurePosixPath(path).parents if str(up) in own), None)
        if root is not None and path in unread:
            bad[root] = f"{path} is {unread[path]}"
        elif root is not None:
            own[root][path if root == "." else path[len(root) + 1 :]] = texts[path]
    for root, files in own.items():
        name = PurePosixPath(root).name
        try:
            if root in bad:
                raise UsageError(bad[root])
            yield _read(name, {path: data.decode("utf-8-sig").replace("\r\n", "\n") for path, data in files.items()})
        except _MALFORMED as problem:
            yield ForeignSkill(name=name[:80] or _DOCUMENT, problem=(str(problem) or "it cannot be read")[:300])


def search_vector(name: str) -> str:
    """What names have in common that are taken for one another."""
    return name.translate(_LOOKS).replace("rn", "m")


def _hidden(text: str) -> str:
    for place, sign in ((one.start(), one[0]) for one in _NOT_PLAIN.finditer(text)):
        if sign in "\u200d\ufe0f" and place and unicodedata.category(text[place - 1]) in ("So", "Sk", "Mn"):
            continue  # a part of a pictogram
        odd = unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cs") and sign not in "\n\r\t"
        if odd or sign in _UNSEEN or "\ufe00" <= sign <= "\ufe0f":
            return f"line {text.count(chr(10), 0, place) + 1} holds an invisible character (U+{ord(sign):04X})"
    return "it holds an HTML comment" if "<!--" in text else ""


def _read(name: str, files: Mapping[str, str]) -> ForeignSkill:
    fields, body = _document(files[_DOCUMENT])
    description, metadata = " ".join(str(fields.get("description", "")).split()), fields.get("metadata")
    metadata, name = metadata if isinstance(metadata, dict) else {}, name or str(fields.get("name"))
    # Escapes in the head of the document may stand for words and signs that are not to be seen in it.
    told = " ".join(map(str, (*fields.values(), *metadata.values())))
    _refuse_words(name, fields.get("name", name), {**files, f"the head of {_DOCUMENT}": told})
    if not description or metadata.get("environment"):
        raise UsageError("it is a procedure, which is learned from own work" if description else "no description")
    evidence = {**metadata, **json.loads(files.get("evidence.json", "{}"))}
    if len(canonical_json(evidence).encode()) > _MOST_GUIDANCE:  # JSON may also tell of values that cannot be kept
        raise UsageError(f"its evidence is longer than {_MOST_GUIDANCE:,} characters")
    function = _function(name, files, metadata, body)
    if function is None:
        guidance = f"{description}\n\n{body.strip()}"
        if len(guidance) > _MOST_GUIDANCE:
            raise UsageError(f"its instructions are longer than {_MOST_GUIDANCE:,} characters")
        return ForeignSkill(name=name, guidance=guidance, evidence=evidence)
    code, entry, signature, needed = function
    if problems := lint(code, entry, parameter_count(signature)):
        raise UsageError(f"its code is not allowed: {problems[0]}")
    if any(_ORDER_FIRST.match(sentence) for sentence in re.split(r"(?<=[.!?:;])\s+", description)):
        raise UsageError("its description demands something of its reader")
    what = {"entry": entry, "signature": signature, "code": code, "test_code": "", "tree": None, "part": False}
    skill = Skill.from_json({**what, "name": name, "description": description[:1024], "rows": _rows(files)})
    tests = files.get("test_skill.py") or (render_tests(entry, skill.rows) if skill.rows else "")
    # There is a digest only of values that JSON has.
    told = documented_tests(entry, names_of(signature)[:needed], files, description)
    return ForeignSkill(name=name, skill=skill, tests=(tests, told), evidence={**evidence, "content": skill.digest})


def _refuse_words(name: str, given: object, files: Mapping[str, str]) -> None:
    if check_name(name) != given:
        raise UsageError(f"the name in {_DOCUMENT} is not that of its folder")
    if name.replace("-", "_") in _RESERVED or "claude" in name or "anthropic" in name:
        raise UsageError(f"the name {name} is reserved")
    for path, text in files.items():
        if problem := _hidden(text):
            raise UsageError(f"{path}: {problem}")
        if found := _TAKEOVER.search(unicodedata.normalize("NFKC", text)):
            raise UsageError(f"{path} speaks to its reader: {found[0][:60]!r}")


def _document(text: str) -> tuple[frontmatter.Fields, str]:
    try:
        return frontmatter.parse(text)
    except UsageError:
        head, _, body = text.removeprefix("---").partition("\n---")
        found = {key: re.search(rf"^{key}:[ \t]*(.+)$", head, re.MULTILINE) for key in ("name", "description")}
        return {key: match[1].strip().strip("\"'") for key, match in found.items() if match}, body


def _rows(files: Mapping[str, str]) -> list[list[Json]]:
    values = [json.loads(line) for line in files.get("examples.json", "").splitlines()]
    for case in json.loads(files.get("evals/evals.json", "{}")).get("evals", ()):
        if asked := _ARGUMENTS.search(case["prompt"][:_MOST_GUIDANCE]):
            values.append({"input": json.loads(asked[1]), "output": json.loads(case["expected_output"])})
    return [[list(one["input"]), one["output"]] for one in values[:_MOST_ROWS]]


def _function(
    name: str, files: Mapping[str, str], metadata: Mapping[str, str], body: str
) -> tuple[str, str, str, int] | None:
    """Code, entry and signature of its function, and how many arguments a call must give."""
    told = {found[1]: found[2].strip() for found in _SIGNATURE.finditer(body)}
    wanted = [metadata.get("entry", ""), *told, name.replace("-", "_")]
    for path in sorted(path for path in files if path.endswith(".py") and "test" not in path):
        tree = ast.parse(files[path])
        defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        public = [one for one in defined if not one.startswith("_") and one != "main"]
        entry = next((one for one in wanted if one in defined), public[0] if len(public) == 1 else "")
        if entry:
            takes, gives = defined[entry].args, defined[entry].returns
            typed = any(one.annotation for one in takes.args) or gives
            given = metadata.get("signature") or ("" if typed else told.get(entry, ""))
            if given and parameter_count(given) in (len(takes.args), len(takes.args) - len(takes.defaults)):
                (head,) = ast.parse(f"def f{given.strip()}: ...").body
                assert isinstance(head, ast.FunctionDef)
                takes, gives = head.args, head.returns
            # A signature is told to agents, so it has the words of evolve's own alone.
            signature = f"({', '.join(f'{one.arg}: {_kind(one.annotation)}' for one in takes.args)}) -> {_kind(gives)}"
            least = len(defined[entry].args.args) - len(defined[entry].args.defaults)
            return needed_source(tree, entry), entry, signature, least
    if metadata.get("entry"):
        raise UsageError(f"no file defines its function {metadata['entry']!r}")
    return None


def _kind(node: ast.expr | None) -> str:
    """A type in the words that signatures of evolve have; ``any`` for others."""
    text = re.sub(r"[\"' ]|\b[\w.]+\.(?=\w)", "", ast.unparse(node)) if node else ""
    for pattern, plain in _TYPES:
        text = re.sub(pattern, plain, text)
    kind = text.removesuffix("|None")
    if not _KIND.fullmatch(kind):
        kind = next((whole for word, whole in (("list", "list"), ("dict", "row")) if kind.startswith(word)), "any")
    return f"{kind} | None" if text.endswith("|None") and kind != "any" else kind.replace(",", ", ")


def needed_source(tree: ast.Module, entry: str) -> str:
    """Source of a function with what it needs of a module, without docstrings; the tree is changed."""
    binds: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for name in bound_names(node, binds):
            binds.setdefault(name, []).append(node)
    kept: set[ast.stmt] = set()
    wanted = [entry]
    while wanted:
        for node in binds.pop(wanted.pop(), ()):
            if node not in kept:
                kept.add(node)
                wanted += [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    tree.body = [node for node in tree.body if node in kept]
    for inner in ast.walk(tree):
        if isinstance(inner, ast.FunctionDef | ast.ClassDef):
            words = [one for one in inner.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)]
            inner.body = [one for one in inner.body if one not in words] or [ast.Pass()]
    return ast.unparse(tree) + "\n"


def bound_names(node: ast.stmt, before: Mapping[str, Sequence[ast.stmt]]) -> list[str]:
    """The names that a statement at the top level defines; a UsageError where it does anything else.

    Args:
        before: The statements before it, by the names that they define.
    """
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [one.asname or one.name.partition(".")[0] for one in names]
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ) if _is_constant(value, before):
            return [name]
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))) | ast.Expr(value=ast.Constant()) | ast.Pass():
            return []
        case ast.Try(body=body, handlers=handlers, orelse=[], finalbody=[]):  # a package that it can do without
            parts = [*body, *(one for handler in handlers for one in handler.body)]
            return [name for one in parts for name in bound_names(one, before)] and []
    raise UsageError(f"its module does something when it is loaded (line {node.lineno})")


def _is_constant(value: ast.expr | None, before: Mapping[str, Sequence[ast.stmt]]) -> bool:
    """Whether it calls only what gives constants; what a skill needs of it is looked at by the lint as well."""
    for call in (one for one in ast.walk(value or ast.Pass()) if isinstance(one, ast.Call | ast.Await)):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Constant)
        ):
            continue  # such as "a an the".split()
        root = ast.unparse(call.func).partition(".")[0] if isinstance(call, ast.Call) else ""
        nodes = before.get(root, ())
        froms = [one.module or "" for one in nodes if isinstance(one, ast.ImportFrom)]
        modules = [*froms, *(one.names[0].name for one in nodes if isinstance(one, ast.Import))]
        is_listed = {*modules} <= {*MODULES_CALLED_ON_IMPORT, "logging"} and len(modules) == len(nodes)
        if not (is_listed if nodes else root in CALLED_ON_IMPORT):
            return False
    return True
