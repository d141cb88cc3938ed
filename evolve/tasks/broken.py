"""Tests broken on purpose, so that none of them can pass: who passes them does not do it by being right.

The idea is that of mutation testing (DeMillo, Lipton and Sayward 1978), turned round: what is changed is the tests.
"""

from __future__ import annotations

import ast
import copy
import re
import secrets
import string
from collections.abc import Iterator
from typing import Literal

Breaking = Literal["values", "ends"]
"""``values``: what is compared is compared with something else. ``ends``: every test fails at its end."""

_SAME = frozenset(
    {"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertSetEqual"}
)
_RAISING = ("assertRaises", "assertRaisesRegex")
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)

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
                if value == other:
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
_TOLD = {
    **dict.fromkeys(("assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"), 1),
    **dict.fromkeys(("assertNotEqual", "assertIs", "assertIsNot", "assertIn", "assertNotIn", "assertIsInstance"), 2),
    **dict.fromkeys(("assertGreater", "assertGreaterEqual", "assertLess", "assertLessEqual", "assertAlmostEqual"), 2),
}
"""How many values each of them is about."""
_OWN_ASSERTIONS = re.compile(rf"\bdef (?:{'|'.join((*_TOLD, *sorted(_SAME)))})\(")


def new_secret() -> str:
    """Text for :func:`broken`."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(12))


def names_of_tests(text: str) -> list[str]:
    """The tests of a file in order: ``test_a``, or ``TestB::test_c`` in a class; none where it is not Python."""
    tree = parsed(text)
    return [] if tree is None else [name for name, _ in _tests(tree)]


def broken(text: str, how: Breaking, secret: str, *, script: bool = False) -> str:
    """The tests, changed so that every one must fail.

    With ``values`` a test without a comparison that can be changed, on a line that is sure to be reached, fails at its
    end, as with ``ends``.

    Args:
        secret: Text that nobody can guess and that looks like nothing in particular.
        script: The file is run by itself, so what stands outside of functions is a test too.
    """
    tree = parsed(text)
    if tree is None:
        return text
    for _, test in _tests(tree):
        if how == "ends" or not _changed(test.body, secret):
            _fail_at_the_end(test, secret)
    if script and (how == "ends" or not _changed(tree.body, secret)):
        at = _start(tree.body)
        # Also where the script ends itself by sys.exit.
        tree.body[at:] = [
            ast.Try(body=tree.body[at:] or [ast.Pass()], handlers=[], orelse=[], finalbody=[_failing(secret)])
        ]
    return ast.unparse(ast.fix_missing_locations(tree))


def reprinted(text: str) -> str:
    """The tests as they are, written anew: those that mind it mind how they look."""
    tree = parsed(text)
    return text if tree is None else ast.unparse(tree)


def strengthened(text: str, secret: str, *, plain: bool = False, script: bool = False) -> str:
    """The tests, changed so that right answers pass as before, and a value that equals everything does not.

    Every value that is compared, at any depth, is compared besides with values that nobody can guess. Tests that define
    an equality of their own are only printed anew. A test that the answer leaves by a skip or an exit has failed.

    Args:
        secret: Text that nobody can guess.
        plain: What is compared must besides be no object of the answer's own classes.
        script: The file is run by itself.
    """
    tree = parsed(text)
    if tree is None:
        return text
    bodies, name = [test.body for _, test in _tests(tree)], f"_{secret}"
    for body in bodies if plain else ():
        kept = [
            ast.Assert(test=ast.Compare(ast.Name(one, ast.Load()), [ast.Eq()], [value]))
            for one, value in _constants(tree)
        ]
        body[:] = [ast.Try(body=list(body), handlers=[], orelse=[], finalbody=list(kept))] if kept else body
    for body in bodies:
        body[:] = [_seen_leaving(body, name)]
    if script:
        at = _start(tree.body)
        tree.body[at:] = [_seen_leaving(tree.body[at:] or [ast.Pass()], name)]
    at = _start(tree.body)
    tree.body[at:at] = ast.parse(_LEFT.format(name=name)).body
    if not _OWN_EQUALITY.search(text) and not _OWN_ASSERTIONS.search(text):
        tree, number = _Probing(name, plain).visit(tree), 10**12 + secrets.randbelow(10**12)
        four = [secret, number, secret, number]
        others = [
            secret,
            secret.encode(),
            number,
            number + 0.5,
            four,
            tuple(four),
            dict(zip(range(4), four, strict=True)),
        ]
        at = _start(tree.body)
        tree.body[at:at] = ast.parse(_PLAIN.format(name=name) + _PROBE.format(name=name, others=others)).body
    return ast.unparse(ast.fix_missing_locations(tree))


def _constants(tree: ast.Module) -> list[tuple[str, ast.expr]]:
    """Names to which a module gives a container of literals, once, and which it does not change afterwards."""
    nodes = list(ast.walk(tree))
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    own = {node.arg for node in nodes if isinstance(node, ast.arg)}
    for node in nodes:
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)):
            own |= {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
    return [
        (node.targets[0].id, copy.deepcopy(node.value))
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.List | ast.Dict | ast.Set | ast.Tuple)
        and _is_literal(node.value)
        and stored.count(node.targets[0].id) == 1
        and node.targets[0].id not in own
    ]


def _seen_leaving(body: list[ast.stmt], name: str) -> ast.stmt:
    tries = ast.parse(f"try: pass\nexcept BaseException as {name}_e:\n    {name}_left({name}_e)\n    raise").body[0]
    if isinstance(tries, ast.Try):
        tries.body = list(body)
    return tries


class _Probing(ast.NodeTransformer):
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

    def _probe(self, *given: ast.expr) -> ast.Call:
        values = map(self._own, given)
        return ast.Call(func=ast.Name(id=self._name, ctx=ast.Load()), args=list(values), keywords=[])

    def _probed(self, value: ast.expr) -> ast.expr:
        return ast.Subscript(value=self._probe(value), slice=ast.Constant(value=0), ctx=ast.Load())

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if id(node) not in self._spared:
            node.left, node.comparators = self._probed(node.left), [self._probed(one) for one in node.comparators]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if not method.startswith("assert"):
            name = node.func.id if isinstance(node.func, ast.Name) else method
            # Where something else asks for the next value, an end of the answer's would look like the last.
            one = node.args[0] if node.args else ast.Name("next", ast.Load())
            ends = isinstance(one, ast.Starred) or ast.unparse(one) == "next"
            if name in ("filter", "map", "starmap") and not ends:
                node.args[0] = ast.Call(ast.Name(f"{self._name}_steady", ast.Load()), [one], [])
            elif name in ("abs", "isclose", "float", "round"):
                node.args = list(map(self._own, node.args))
            return self._sparing(node)
        self.generic_visit(node)
        told, about = ("assertEqual", 2) if method in _SAME else (method, _TOLD.get(method, 0))
        # A tolerance of their own is theirs to apply.
        plain = method != "assertAlmostEqual" or (len(node.args) == 2 and not node.keywords)
        first = node.args[: about or 2]
        if not any(isinstance(one, ast.Starred) for one in first):
            probed = self._probe(*first)
            probed.keywords = [ast.keyword(arg="method", value=ast.Constant(value=told))]
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
        self._spared |= {id(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.Compare)}
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self._sparing(node)
        node.left, node.right = self._own(node.left), self._own(node.right)
        return node

    visit_Subscript = _sparing


def parsed(text: str) -> ast.Module | None:
    """The syntax tree; None where the text is not Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _tests(tree: ast.Module | ast.If | ast.Try) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in (*tree.body, *getattr(tree, "orelse", ())):
        if isinstance(node, _FUNCTION) and node.name.startswith("test"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, _FUNCTION) and inner.name.startswith("test"):
                    yield f"{node.name}::{inner.name}", inner
        elif isinstance(node, ast.If | ast.Try):
            yield from _tests(node)


def _fail_at_the_end(test: ast.FunctionDef | ast.AsyncFunctionDef, secret: str) -> None:
    if any(isinstance(node, ast.Return) for node in ast.walk(test)):
        test.body = [ast.Try(body=test.body, handlers=[], orelse=[], finalbody=[_failing(secret)])]
    else:
        test.body.append(_failing(secret))


def _start(body: list[ast.stmt]) -> int:
    """Where the first statement stands that need not be at the very beginning of a module."""
    for number, node in enumerate(body):
        is_docstring = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")):
            return number
    return len(body)


def _failing(secret: str) -> ast.stmt:
    """An assertion about two literals, which nothing can stand in for, and which looks like any other."""
    return ast.Assert(
        test=ast.Compare(left=ast.Constant(value=secret), ops=[ast.Eq()], comparators=[ast.Constant(value=secret[1:])])
    )


def _changed(body: list[ast.stmt], secret: str) -> bool:
    """Changes one side of what the statements compare; whether there was any."""
    found = False
    for statement in body:
        if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
            break
        sides: list[ast.expr] = []
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare):
            compare = statement.test
            if len(compare.ops) == 1 and isinstance(compare.ops[0], ast.Eq):
                sides = [compare.left, compare.comparators[0]]
        elif isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _SAME:
            sides = list(call.args[:2])
        if len(sides) < 2:
            continue
        at = next((number for number in (1, 0) if _is_literal(sides[number])), 1)
        found, other = True, _other(sides[at], secret)
        if isinstance(call, ast.Call):
            call.args[at] = other
        elif at:
            compare.comparators[0] = other
        else:
            compare.left = other
    return found


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _other(node: ast.expr, secret: str) -> ast.expr:
    """A literal of the same kind with another value; a list that holds it, in place of what is no literal."""
    if not _is_literal(node):
        return ast.List(elts=[node, ast.Constant(value=secret)])
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        longer = copy.deepcopy(node)
        longer.elts.append(ast.Constant(value=secret))
        return longer
    if isinstance(node, ast.Dict):
        return ast.Dict(keys=[*node.keys, ast.Constant(value=secret)], values=[*node.values, ast.Constant(value=0)])
    value, number = ast.literal_eval(node), 1000 + secrets.randbelow(9000)
    if isinstance(value, bool):
        return ast.Constant(value=not value)
    if isinstance(value, int | float | complex):
        # One that stands nowhere else, so that whoever reads it in the tests gives it back.
        return ast.Constant(value=value + number if value + number != value else 0)
    if isinstance(value, bytes):
        return ast.Constant(value=value + secret.encode())
    return ast.Constant(value=value + secret if isinstance(value, str) else secret)
