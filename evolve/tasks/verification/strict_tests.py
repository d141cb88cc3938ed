"""Rewrites tests to compare more strictly: right answers still pass, a value that equals everything does not."""

from __future__ import annotations

import ast
import builtins
import copy
import re
import secrets
from collections.abc import Callable, Sequence

from evolve.tasks.verification.broken_tests import SAME, first_statement, is_literal, parse_or_none, tests_of

_RAISING = ("assertRaises", "assertRaisesRegex")
# Tests with an equality of their own may well compare with what equals everything.
_OWN_EQUALITY = re.compile(r"__eq__|\bANY\b|addTypeEqualityFunc")
# Lists and the like have four items: an empty call of a mock equals what has one or two.
# The names of unittest's assertions with what each says; those that can be told without its own methods.
_PROBE = """
def {name}(*values, method=""):
    for value in values:
        for other in {others}:
            same = False
            try:
                found = value == other
                # What gives no truth value may build a query; with plain values there is none.
                if found and ({plain} or isinstance(found, (bool, int))):
                    same = True
            except Exception:
                pass
            assert not same
    if any(hasattr(value, "__next__") for value in values):
        return values
    if method == "assertEqual": assert values[0] == values[1]
    if method == "assertTrue": assert values[0]
    if method == "assertFalse": assert not values[0]
    if method == "assertIsNone": assert values[0] is None
    if method == "assertIsNotNone": assert values[0] is not None
    if method == "assertNotEqual": assert values[0] != values[1]
    if method == "assertIs": assert values[0] is values[1]
    if method == "assertIsNot": assert values[0] is not values[1]
    if method == "assertIn": assert values[0] in values[1]
    if method == "assertNotIn": assert values[0] not in values[1]
    if method == "assertIsInstance": assert isinstance(values[0], values[1])
    if method == "assertGreater": assert values[0] > values[1]
    if method == "assertGreaterEqual": assert values[0] >= values[1]
    if method == "assertLess": assert values[0] < values[1]
    if method == "assertLessEqual": assert values[0] <= values[1]
    if method == "assertAlmostEqual": assert values[0] == values[1] or round(abs(values[0] - values[1]), 7) == 0
    return values
"""
# A class that Python code made and no library defines is one of the answer: what its objects say of themselves shows
# nothing. Whoever leaves a test from outside of it by a skip or an exit has not passed it.
_PLAIN = """
def {name}_own(value, depth=0, *, sys=__import__("sys"), os=__import__("os"), folder=__import__("os").getcwd()):
    kind = type(value)
    if depth < 5 and kind in (list, tuple, set, frozenset, dict):
        inner = [*value, *value.values()] if kind is dict else list(value)
        for one in inner[:1000]: {name}_own(one, depth + 1)
    assert not {name}_is_own(kind)
    return value
def {name}_is_own(kind, *, sys=__import__("sys"), os=__import__("os"), folder=__import__("os").getcwd()):
    here = globals().get(kind.__name__) is kind and kind.__module__ == __name__
    if here or not type.__dict__["__flags__"].__get__(kind) & 512:
        return False
    module = sys.modules.get(kind.__module__)
    place = getattr(module, "__file__", None)
    if getattr(module, kind.__name__, None) is not kind or place is None:
        return True
    return os.path.abspath(place).startswith(folder + os.sep)
"""
_LEFT = """
def {name}_ended(test, *, os=__import__("os"), place=__import__("os").environ.get("TESTS_ENDED_FILE")):
    if place:
        file = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{name} {{test}}\\n".encode())
        os.close(file)
def {name}_left(error, *, os=__import__("os"), folder=__import__("os").getcwd()):
    if isinstance(error, Exception) and type(error).__name__ != "SkipTest":
        return
    step = error.__traceback__
    while step is not None:
        place = os.path.abspath(step.tb_frame.f_code.co_filename)
        inside = place.startswith(folder + os.sep)
        *parts, last = place[len(folder):].split(os.sep)
        tests = last[:5] == "test_" or last[-8:] == "_test.py" or last == "conftest.py"
        assert not inside or tests or {{"test", "tests"}} & set(parts) or step.tb_frame.f_globals is globals()
        step = step.tb_next
def {name}_steady(function):
    def called(*values):
        try: return function(*values)
        except StopIteration:
            assert not values
            raise
    return called if callable(function) else function
"""
# The builtins that tests use are bound before they import the answer; of what was imported before that, they see that
# it left them what they were: functions and classes that no Python code made.
_INTACT = """
def {name}_intact(*, sys=__import__("sys"), builtins=__import__("builtins")):
    for one in {used}:
        value = globals()[one]
        assert getattr(builtins, one) is value
        made = type(value) is type and not type.__dict__["__flags__"].__get__(value) & 512
        assert made or type(value) is type(sys.intern)
"""
_VALUES_COMPARED = {
    **dict.fromkeys(("assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"), 1),
    **dict.fromkeys(("assertNotEqual", "assertIs", "assertIsNot", "assertIn", "assertNotIn", "assertIsInstance"), 2),
    **dict.fromkeys(("assertGreater", "assertGreaterEqual", "assertLess", "assertLessEqual", "assertAlmostEqual"), 2),
}
"""How many of its arguments each assertion of unittest compares."""
_OWN_ASSERTIONS = re.compile(rf"\bdef (?:{'|'.join((*_VALUES_COMPARED, *sorted(SAME)))})\(")


def reprint_tests(text: str) -> str:
    """The same tests printed anew from their syntax tree: a check that then fails minds their layout."""
    tree = parse_or_none(text)
    return text if tree is None else ast.unparse(tree)


def strengthen_tests(text: str, secret: str, *, plain: bool = False, script: bool = False, file: str = "") -> str:
    """The tests, changed so that right answers pass as before, and a value that equals everything does not.

    Every value that is compared, at any depth, is compared besides with values that nobody can guess. Tests that define
    an equality of their own are only printed anew. A test that the answer leaves by a skip or an exit has failed.

    Args:
        secret: Text that nobody can guess.
        plain: What is compared must besides be no object of the answer's own classes.
        script: The file is run by itself.
        file: Its name, under which a test tells that it came to its end; see :func:`ended_tests`.
    """
    tree = parse_or_none(text)
    if tree is None:
        return text
    bodies, name = {test: node.body for test, node in tests_of(tree)}, f"_{secret}"
    for body in bodies.values() if plain else ():
        assertions = [
            ast.Assert(test=ast.Compare(ast.Name(constant, ast.Load()), [ast.Eq()], [value]))
            for constant, value in _constants(tree)
        ]
        body[:] = [ast.Try(body=list(body), handlers=[], orelse=[], finalbody=list(assertions))] if assertions else body
    used = _builtins_used(tree) if "builtins" not in text else []
    for test, body in bodies.items():
        if plain and used:
            body.append(ast.parse(f"{name}_intact()").body[0])
        body[:] = [_with_exit_check(body, name, f"{file}::{test}")]
    if script:
        at = first_statement(tree.body)
        tree.body[at:] = [_with_exit_check(tree.body[at:] or [ast.Pass()], name)]
    if not _OWN_EQUALITY.search(text) and not _OWN_ASSERTIONS.search(text):
        tree, others = _ProbeInserter(name, plain).visit(tree), _unguessable_values(secret)
        at = first_statement(tree.body)
        tree.body[at:at] = ast.parse(
            _PLAIN.format(name=name) + _PROBE.format(name=name, others=others, plain=plain)
        ).body
    at = first_statement(tree.body)
    bound = ast.parse(f"from builtins import {', '.join(used)}\n" if used else "").body
    intact = ast.parse(_INTACT.format(name=name, used=used) if plain and used else "").body
    tree.body[at:at] = [*bound, *ast.parse(_LEFT.format(name=name)).body, *intact]
    return ast.unparse(ast.fix_missing_locations(tree))


def _unguessable_values(secret: str) -> list[object]:
    number = 10**12 + secrets.randbelow(10**12)
    four = [secret, number, secret, number]
    return [secret, secret.encode(), number, number + 0.5, four, tuple(four), dict(zip(range(4), four, strict=True))]


def _builtins_used(tree: ast.Module) -> list[str]:
    """The builtins of C that tests name, and give no other meaning to."""
    nodes = list(ast.walk(tree))
    own = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)} | {
        node.name.partition(".")[0] if node.asname is None else node.asname
        for node in nodes
        if isinstance(node, ast.alias)
    }
    own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    named = {node.id for node in nodes if isinstance(node, ast.Name)} - own
    # Others than functions and classes of C are left alone, and so is what test runners and libraries replace.
    plain = {name for name in named if type(getattr(builtins, name, None)) in (type, type(len))}
    return sorted(
        plain - {"__import__", "__build_class__", "breakpoint", "globals", "input", "locals", "open", "print"}
    )


def uses_class(text: str, is_answer: Callable[[str], bool]) -> bool:
    """Whether tests make objects of a class that they import from the answer, or from a module that is."""
    tree = parse_or_none(text)
    nodes = list(ast.walk(tree)) if tree is not None else []
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and is_answer(node.module or ""):
            names = [alias.asname or alias.name for alias in node.names if alias.name[:1].isupper()]
            if called & set(names):
                return True
        elif isinstance(node, ast.Import):
            made = tuple(f"{alias.asname or alias.name}." for alias in node.names if is_answer(alias.name))
            if made and any(callee.startswith(made) and callee.rpartition(".")[2][:1].isupper() for callee in called):
                return True
    return False


def _constants(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    """Names to which a module gives a container of literals, once, and which it does not change afterwards."""
    nodes = list(ast.walk(tree))
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)):
            own |= {child.id for child in ast.walk(node.value) if isinstance(child, ast.Name)}
    return [
        (node.targets[0].id, copy.deepcopy(node.value))
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.List | ast.Dict | ast.Set | ast.Tuple)
        and is_literal(node.value)
        and stored.count(node.targets[0].id) == 1
        and node.targets[0].id not in own
    ]


def _with_exit_check(body: list[ast.stmt], name: str, test: str = "") -> ast.stmt:
    text = f"try: {name}_whole = True\nexcept BaseException as {name}_e:\n    {name}_whole = False\n"
    text += f"    {name}_left({name}_e)\n    raise"
    # Also where the test returns early.
    text += f"\nfinally:\n    if {name}_whole: {name}_ended({test!r})" if test else ""
    tries = ast.parse(text).body[0]
    if isinstance(tries, ast.Try):
        tries.body += body
    return tries


def ended_tests(lines: Sequence[str], secret: str) -> list[str]:
    """The tests that told of their end, as ``file::test``, an item for each time."""
    return [line.removeprefix(f"_{secret} ") for line in lines if line.startswith(f"_{secret} ")]


class _ProbeInserter(ast.NodeTransformer):
    """Hands what is compared to a function first, and leaves alone what may build a query and no truth value."""

    def __init__(self, name: str, plain: bool) -> None:
        self._name = name
        self._plain = plain
        self._spared: set[int] = set()

    def _own(self, value: ast.expr) -> ast.expr:
        """The value, which must be no object of the answer's own, where only plain ones may be compared."""
        if not self._plain or isinstance(value, ast.Constant | ast.Starred):
            return value
        return ast.Call(func=ast.Name(id=f"{self._name}_own", ctx=ast.Load()), args=[value], keywords=[])

    def _probe(self, *operands: ast.expr) -> ast.Call:
        values = map(self._own, operands)
        return ast.Call(func=ast.Name(id=self._name, ctx=ast.Load()), args=list(values), keywords=[])

    def _probed(self, value: ast.expr) -> ast.expr:
        return ast.Subscript(value=self._probe(value), slice=ast.Constant(value=0), ctx=ast.Load())

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if id(node) not in self._spared:
            node.left, node.comparators = (
                self._probed(node.left),
                [self._probed(operand) for operand in node.comparators],
            )
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if not method.startswith("assert"):
            name = node.func.id if isinstance(node.func, ast.Name) else method
            # Where something else asks for the next value, an end of the answer's would look like the last.
            argument = node.args[0] if node.args else ast.Name("next", ast.Load())
            ends = isinstance(argument, ast.Starred) or ast.unparse(argument) == "next"
            if name in ("filter", "map", "starmap") and not ends:
                node.args[0] = ast.Call(ast.Name(f"{self._name}_steady", ast.Load()), [argument], [])
            elif name in ("abs", "isclose", "float", "round"):
                node.args = list(map(self._own, node.args))
            return self._sparing(node)
        self.generic_visit(node)
        canonical, about = ("assertEqual", 2) if method in SAME else (method, _VALUES_COMPARED.get(method, 0))
        # A tolerance of their own is theirs to apply.
        plain = method != "assertAlmostEqual" or (len(node.args) == 2 and not node.keywords)
        first = node.args[: about or 2]
        if not any(isinstance(operand, ast.Starred) for operand in first):
            probed = self._probe(*first)
            probed.keywords = [ast.keyword(arg="method", value=ast.Constant(value=canonical))]
            same = about == len(first) and plain
            compared = [ast.Starred(value=probed, ctx=ast.Load())] if same else map(self._probed, first)
            node.args[: about or 2] = compared
        return node

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        """What has to be raised is seen to be raised, whatever the context does with it."""
        self.generic_visit(node)
        call = node.items[0].context_expr
        method = call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
        own = isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.raises"
        if len(node.items) > 1 or not (own or method in _RAISING) or not isinstance(call, ast.Call) or not call.args:
            return node
        seen = f"{self._name}_{node.lineno}"
        text = f"{seen} = []\ntry: pass\nexcept BaseException as {seen}_: {seen}.append({seen}_); raise\n"
        text += f"assert {seen} and isinstance({seen}[0], {ast.unparse(call.args[0])})"
        before, tries, after = ast.parse(text).body
        if isinstance(tries, ast.Try):
            tries.body, node.body = node.body, [tries]
        return [before, node, after]

    def _sparing(self, node: ast.AST) -> ast.AST:
        self._spared |= {id(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.Compare)}
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self._sparing(node)
        node.left, node.right = self._own(node.left), self._own(node.right)
        return node

    visit_Subscript = _sparing
