"""What a source may do while it is imported: define things, and compute constants with nothing of its own in them.

As no function of the source runs then, no instance of its classes exists, and none of their special methods is called.
How long an import takes is no matter of this: it is bounded where it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Literal

from evolve.skills.allowed import (
    ANY_SIZE,
    CALLED_ON_IMPORT,
    DECORATORS,
    DUNDER_METHODS,
    MODULES_CALLED_ON_IMPORT,
    WRAPPERS,
    allowed,
)
from evolve.skills.attributes import special
from evolve.skills.constants import MOST_ITEMS, NotConstant, TooLarge, assigned, cheap, constants, evaluated, repeats
from evolve.skills.scopes import arguments
from evolve.skills.typeplaces import is_named_tuple

Kind = Literal["data", "import", "code", "class", "enum", "member"]
Known = dict[str, Kind]
"""Names that are bound so far: to data, what an import gave, whatever holds code of the source, or its own classes."""

_OWN = ("code", "class", "enum", "member")
_BINDERS = ("classmethod", "staticmethod", "property", "cached_property", "setter", "deleter")
_OPERATIONS: tuple[type[ast.expr], ...] = (
    *(ast.Attribute, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Slice),
    *(ast.JoinedStr, ast.FormattedValue),
)


class TopLevel:
    """Judges what runs on import.

    Args:
        tree: The module.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._imports: dict[str, tuple[str, str]] = {}
        self._constants = constants(tree)
        self._written = assigned(tree, lambda value, _: isinstance(value, ast.Constant))
        self._repeated = assigned(tree, repeats)
        self._lazy = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
        self._found: list[tuple[int, str]] = []
        self._top: Known = {}
        self._bodies: list[Known] = []
        self._wrappers: set[str] = set()
        self._functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    def problems(self) -> list[tuple[int, str]]:
        """Line and words of everything that is not allowed."""
        self._block(self._tree.body, self._top)
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ClassDef):
                self._class(node)
        return self._found

    def _say(self, node: ast.stmt | ast.expr, text: str) -> None:
        self._found.append((node.lineno, text))

    def _block(self, body: list[ast.stmt], known: Known) -> None:
        for node in body:
            match node:
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case ast.Import() | ast.ImportFrom():
                    self._import(node, known)
                case ast.FunctionDef():
                    self._function(node, known)
                    known[node.name] = "code"
                    self._note_wrapper(node, known)
                case ast.ClassDef():
                    kind = self._class_made(node, known)
                    self._bodies.append(dict(known))
                    self._block(node.body, self._bodies[-1])
                    known[node.name] = kind
                case ast.Assign(targets=targets, value=value):
                    code = self._value(value, known)
                    for target in targets:
                        self._bind(target, code, known)
                case ast.AnnAssign(target=target, value=value, annotation=annotation):
                    self._type(annotation, known)
                    if value is not None:
                        self._bind(target, self._value(value, known), known)
                case _:
                    self._say(
                        node,
                        "only imports, definitions and constants may stand at the top level; fill a table by a "
                        "comprehension, or in a function",
                    )

    def _import(self, node: ast.Import | ast.ImportFrom, known: Known) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                bound = alias.asname or alias.name
                self._imports[bound] = (node.module or "", alias.name)
            else:
                bound = alias.asname or alias.name.split(".")[0]
                self._imports[bound] = (alias.name if alias.asname else bound, "")
            if alias.asname in allowed().builtins:
                self._say(node, f"{alias.asname} gets another meaning")
            known[bound] = "import"

    def _bind(self, target: ast.expr, code: bool, known: Known) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._bind(one, code, known)
        elif isinstance(target, ast.Name):
            known[target.id] = "code" if code else "data"
            self._wrappers.discard(target.id)
        else:
            self._say(target, "only names are assigned at the top level")

    # definitions

    def _function(self, node: ast.FunctionDef, known: Known) -> None:
        self._decorators(node, known)
        self._any([*node.args.defaults, *node.args.kw_defaults], known)
        for annotation in [node.returns, *(one.annotation for one in arguments(node.args))]:
            if annotation is not None:
                self._type(annotation, known)

    def _decorators(self, node: ast.FunctionDef | ast.ClassDef, known: Known) -> None:
        if sum(isinstance(one, ast.Name | ast.Attribute) and _last(one) in _BINDERS for one in node.decorator_list) > 1:
            self._say(node, "a property, a method of the class or a static method of another")  # read, it would run
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            given = [*decorator.args, *(k.value for k in decorator.keywords)] if isinstance(decorator, ast.Call) else []
            if self._any(given, known):
                self._say(node, "a decorator that is given code")
            match called:
                case ast.Name(id="classmethod" | "property" | "staticmethod") if called.id not in known:
                    continue
                case ast.Attribute(value=ast.Name(id=name), attr="setter" | "deleter") if known.get(name) == "code":
                    continue
            own = (
                isinstance(decorator, ast.Name) and decorator.id in self._wrappers and isinstance(node, ast.FunctionDef)
            )
            if not own and self._named(called, known) not in DECORATORS:
                self._say(
                    node, f"the decorator {ast.unparse(called)}: its own may only define a function and return it"
                )

    def _note_wrapper(self, node: ast.FunctionDef, known: Known) -> None:
        """Keeps whether a function can be a decorator: all that it does is to define another one and to give it."""
        self._wrappers.discard(node.name)
        match [part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]:
            case [ast.FunctionDef(name=name) as inner, ast.Return(value=ast.Name(id=given))] if name == given:
                wraps = [one for one in inner.decorator_list if isinstance(one, ast.Call) and len(one.args) == 1]
                names = {self._named(one.func, known) for one in wraps if isinstance(one.args[0], ast.Name)}
                typed = [one.annotation for one in arguments(inner.args)] + [inner.returns]
                plain = names <= {("functools", "wraps")} and len(wraps) == len(inner.decorator_list)
                defaults = [*inner.args.defaults, *(one for one in inner.args.kw_defaults if one is not None)]
                plain &= all(isinstance(one, ast.Constant) for one in defaults)
                taken = {one.arg for one in arguments(node.args)}
                plain &= not any(
                    isinstance(part, ast.Name) and part.id in taken for one in wraps for part in ast.walk(one.func)
                )
                if known is self._top and plain and not node.decorator_list and (self._lazy or not any(typed)):
                    self._wrappers.add(node.name)

    def _class_made(self, node: ast.ClassDef, known: Known) -> Kind:
        """A class that is made on import; what its bases do then is known of all that it may have."""
        self._decorators(node, known)
        kinds: list[Kind] = []
        for base in node.bases:
            if isinstance(base, ast.Call) and is_named_tuple(base, self._named(base.func, known)):
                kinds.append("class")
                continue
            self._type(base, known)
            kinds.append(self._base(base, known))
        if "code" in kinds:
            self._say(node, "a base that is no class by its name")
        if "enum" not in kinds:
            return "class"
        if "class" in kinds:
            self._say(node, "an enumeration of another class")
        for part in node.body:
            name = getattr(part, "name", "")
            if special(name) and name != "__str__" and not self._only_keeps(part):
                self._say(part, f"the special method {name} of an enumeration")  # made and shown on import
        return "enum"

    def _only_keeps(self, node: ast.stmt) -> bool:
        """Whether this is an ``__init__`` that does nothing but to keep what it is given."""
        if not isinstance(node, ast.FunctionDef) or node.name != "__init__" or node.decorator_list:
            return False
        names = [one.arg for one in node.args.args] or [""]
        for part in node.body:
            match part:
                case ast.Expr(value=ast.Constant()):
                    continue
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id=first), attr=attribute)], value=ast.Name() | ast.Constant()
                ) if first == names[0] and attribute not in self._functions:  # else it might be a property
                    continue
            return False
        return True

    def _base(self, base: ast.expr, known: Known) -> Kind:
        named = self._named(base, known)
        if named is not None:
            return "enum" if named[0] == "enum" else "class"
        if not isinstance(base, ast.Name):
            return "code"
        if base.id in known:
            return known[base.id] if known[base.id] in ("class", "enum") else "code"
        return "data" if base.id in ("int", "str", "float") else "class"

    def _class(self, node: ast.ClassDef) -> None:
        """Rules for classes anywhere."""
        if any(one.arg != "total" or not isinstance(one.value, ast.Constant) for one in node.keywords):
            self._say(node, "a class with keywords")
        for part in node.body:
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                if special(part.name) and part.name not in DUNDER_METHODS:
                    self._say(part, f"the special method {part.name}")
                if isinstance(part, ast.FunctionDef) and part.name == "__exit__" and _shows_class(part):
                    self._say(part, "__exit__ that uses the class of what was raised")
            elif isinstance(part, ast.Assign | ast.AnnAssign):
                self._class_names(part)
            elif not isinstance(part, ast.Pass | ast.Expr):
                self._say(part, "only definitions and constants may stand in a class")

    def _class_names(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for name in [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]:
            if name == "__slots__" and node.value is not None:
                if not isinstance(node.value, ast.Tuple | ast.List | ast.Constant):
                    self._say(node, "slots that are not written out")
                elif any(not _is_slot(part) for part in getattr(node.value, "elts", [node.value])):
                    self._say(node, "slots with special names")
            elif name == "__hash__" and isinstance(node.value, ast.Constant):
                continue
            elif special(name):
                self._say(node, f"the special name {name}")

    def _type(self, node: ast.expr, known: Known) -> None:
        """A base or an annotation: a subscript must not run code of the source."""
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript) and not self._lazy:
                root = part.value
                while isinstance(root, ast.Attribute):
                    root = root.value
                if not isinstance(root, ast.Name) or known.get(root.id) in _OWN:
                    self._say(node, "a subscript of a class of its own")
            elif isinstance(part, ast.Call):
                self._say(node, "a call among types")

    # constants

    def _value(self, node: ast.expr | None, known: Known) -> bool:
        """Judges an expression; gives whether code of the source can be in its value."""
        match node:
            case None | ast.Constant():
                return False
            case ast.Name():
                if node.id not in known and node.id not in allowed().builtins:
                    self._say(node, f"use of {node.id} before it is there")
                return known.get(node.id) in _OWN
            case ast.Tuple() | ast.List() | ast.Set() | ast.Dict() | ast.Starred():
                return self._any(_operands(node), known)
            case ast.Lambda(args=given):
                self._any([*given.defaults, *given.kw_defaults], known)
                return True
            case ast.Call():
                return self._call(node, known)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._comprehension(node, known)
        return self._operation(node, known)

    def _any(self, parts: Sequence[ast.expr | None], known: Known) -> bool:
        return any([self._value(part, known) for part in parts])

    def _operation(self, node: ast.expr, known: Known) -> bool:
        """What may run what is in its operands; an attribute of a class only gets what stands in its body."""
        if not isinstance(node, _OPERATIONS) or (isinstance(node, ast.BinOp) and not self._small(node)):
            self._say(node, f"{type(node).__name__} at the top level")
            return False
        owner = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(node, ast.Attribute) and isinstance(owner, ast.Name) and known.get(owner.id) == "member":
            if node.attr not in ("name", "value") or node.attr in self._functions:
                self._say(node, f"the attribute {node.attr} of a member at the top level")
            return node.attr != "name"
        code = self._any(_operands(node), known)
        if code and not (isinstance(owner, ast.Name) and known.get(owner.id) in ("class", "enum")):
            self._say(node, "an operation on code of its own at the top level")
        return code

    def _small(self, node: ast.BinOp) -> bool:
        """Whether what comes of it is small, because that was worked out, or not much larger than what is written."""
        try:
            evaluated(node, self._constants)
        except TooLarge:
            return False
        except NotConstant:
            return cheap(node)
        return True

    def _call(self, node: ast.Call, known: Known) -> bool:
        code = self._any([*node.args, *(one.value for one in node.keywords)], known)
        name, free = self._callee(node.func, known)
        if not free:
            self._say(node, f"a call of {ast.unparse(node.func)} at the top level: call it in a function")
        elif code and name not in WRAPPERS:
            self._say(node, f"a call of {name} with code of its own at the top level")
        given = [*node.args, *(one.value for one in node.keywords)]
        if name not in ANY_SIZE and any(map(self._is_long, given)):
            self._say(node, f"a call of {ast.unparse(node.func)} on a large number at the top level")
        module, _ = self._named(node.func, known) or ("", "")
        if module == "re" and any(repeats(one, self._repeated) for one in given):
            self._say(node, "a pattern with repetitions that are not written out")
        return code

    def _is_long(self, node: ast.expr | None) -> bool:
        """Whether a computed number in it may be how often something is done; calls in it ask for themselves."""
        if node is None or isinstance(node, ast.Call | ast.Constant):
            return False
        try:
            written = isinstance(node, ast.Name) and node.id in self._written
            value = 0 if written else evaluated(node, self._constants)
        except (NotConstant, TooLarge):
            return any(map(self._is_long, _operands(node)))
        large = isinstance(value, int) and abs(value) > MOST_ITEMS
        return large or any(map(self._is_long, _operands(node)))

    def _callee(self, function: ast.expr, known: Known) -> tuple[str, bool]:
        """The name of what is called, and whether it may be."""
        if isinstance(function, ast.Name) and function.id not in known:
            return function.id, function.id in CALLED_ON_IMPORT
        named = self._named(function, known)
        if named is not None:
            return named[1], named[0] in MODULES_CALLED_ON_IMPORT and named[1] != "defaultdict"
        if isinstance(function, ast.Attribute):
            return "", not self._value(function.value, known)
        return "", False

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, known: Known) -> bool:
        # but for what it goes through first, it does not see the names of a class
        inner = dict(self._top if any(known is body for body in self._bodies) else known)
        code = False
        for number, one in enumerate(node.generators):
            code |= self._value(one.iter, inner if number else known)
            self._bind(one.target, code, inner)
            if isinstance(one.iter, ast.Name) and known.get(one.iter.id) == "enum" and isinstance(one.target, ast.Name):
                inner[one.target.id] = "member"
            code |= self._any(one.ifs, inner)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return self._any(results, inner) or code

    def _named(self, node: ast.expr, known: Known) -> tuple[str, str] | None:
        """Module and name of what an import gave; None for anything else."""
        if isinstance(node, ast.Subscript):
            return self._named(node.value, known)
        root, _, rest = ast.unparse(node).partition(".") if isinstance(node, ast.Name | ast.Attribute) else ("", "", "")
        if known.get(root) != "import":
            return None
        module, name = self._imports[root]
        if name or not rest:
            return (module, name) if name and not rest else None
        whole, _, last = f"{module}.{rest}".rpartition(".")
        return whole, last


def _is_slot(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and not special(node.value)


def _last(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _shows_class(node: ast.FunctionDef) -> bool:
    """Whether a method ``__exit__`` does more with the class of what was raised than ask whether there is one."""
    given = [*node.args.posonlyargs, *node.args.args]
    if node.args.vararg or node.decorator_list or len(given) < 2:
        return True
    asked = 0
    for part in ast.walk(node):
        match part:
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant()]):
                asked += name == given[1].arg
            case ast.Name(id=name) if name == given[1].arg:
                asked -= 1
    return asked != 0


def _operands(node: ast.expr) -> list[ast.expr | None]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
