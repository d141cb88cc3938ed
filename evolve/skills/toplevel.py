"""What a source may do while it is imported: define things, and compute constants with nothing of its own in them.

As no function of the source runs then, no instance of its classes exists, and none of their special methods is called.
"""

from __future__ import annotations

import ast
from typing import Literal

from evolve.skills.allowed import (
    BUILTINS,
    CALLED_ON_IMPORT,
    DECORATORS,
    DUNDER_METHODS,
    ENUM_METHODS,
    MODULES_CALLED_ON_IMPORT,
    WRAPPERS,
)
from evolve.skills.scopes import arguments
from evolve.skills.uses import special

Known = dict[str, Literal["data", "code", "class"]]
"""Names that are bound so far: whether code of the source itself can be in their values, or they are its classes."""


class TopLevel:
    """Judges what runs on import.

    Args:
        tree: The module.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._imports: dict[str, tuple[str, str]] = {}
        self._enums: set[str] = set()
        self._lazy = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
        self._found: list[tuple[int, str]] = []

    def problems(self) -> list[tuple[int, str]]:
        """Line and words of everything that is not allowed."""
        self._block(self._tree.body, {}, inside_class=False)
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ClassDef):
                self._class(node)
        return self._found

    def _say(self, node: ast.stmt | ast.expr, text: str) -> None:
        self._found.append((node.lineno, text))

    def _block(self, body: list[ast.stmt], known: Known, *, inside_class: bool) -> None:
        for node in body:
            match node:
                case ast.Pass() | ast.Expr(value=ast.Constant()):
                    pass
                case ast.Import(names=names) | ast.ImportFrom(names=names) if not inside_class:
                    self._import(node, names, known)
                case ast.FunctionDef():
                    self._function(node, known)
                    known[node.name] = "code"
                case ast.ClassDef():
                    self._decorators(node, known)
                    for base in node.bases:
                        self._type(base, known)
                    self._block(node.body, dict(known), inside_class=True)
                    known[node.name] = "class"
                case ast.Assign(targets=targets, value=value):
                    code = self._value(value, known)
                    for target in targets:
                        self._bind(target, code, known)
                case ast.AnnAssign(target=ast.Name() as target, value=given, annotation=annotation):
                    self._type(annotation, known)
                    if given is not None:
                        self._bind(target, self._value(given, known), known)
                case _:
                    self._say(node, "only imports, definitions and constants may stand at the top level")

    def _import(self, node: ast.stmt, names: list[ast.alias], known: Known) -> None:
        for alias in names:
            if isinstance(node, ast.ImportFrom):
                bound = alias.asname or alias.name
                self._imports[bound] = (node.module or "", alias.name)
            else:
                bound = alias.asname or alias.name.split(".")[0]
                self._imports[bound] = (alias.name if alias.asname else bound, "")
            if alias.asname in BUILTINS:
                self._say(node, f"{alias.asname} gets another meaning")
            known[bound] = "data"

    def _bind(self, target: ast.expr, code: bool, known: Known) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._bind(one, code, known)
        elif isinstance(target, ast.Name):
            known[target.id] = "code" if code else "data"
        else:
            self._say(target, "only names are assigned at the top level")

    # definitions

    def _function(self, node: ast.FunctionDef, known: Known) -> None:
        self._decorators(node, known)
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self._value(default, known)
        for annotation in [node.returns, *(one.annotation for one in arguments(node.args))]:
            if annotation is not None:
                self._type(annotation, known)

    def _decorators(self, node: ast.FunctionDef | ast.ClassDef, known: Known) -> None:
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(decorator, ast.Call):
                for part in [*decorator.args, *(one.value for one in decorator.keywords)]:
                    if self._value(part, known):
                        self._say(node, "a decorator that is given code")
            match called:
                case ast.Name(id="classmethod" | "property" | "staticmethod") if called.id not in known:
                    continue
                case ast.Attribute(value=ast.Name(id=name), attr="setter" | "deleter") if known.get(name) == "code":
                    continue
            if self._named(called) not in DECORATORS:
                self._say(node, f"the decorator {ast.unparse(called)}")

    def _class(self, node: ast.ClassDef) -> None:
        """Rules for classes anywhere."""
        enum = any(
            (self._named(b) or ("",))[0] == "enum" or (isinstance(b, ast.Name) and b.id in self._enums)
            for b in node.bases
        )
        if enum:
            self._enums.add(node.name)
            mixed = [
                base for base in node.bases if isinstance(base, ast.Name) and base.id not in ("int", "str", "float")
            ]
            if any(base.id not in self._enums and (self._named(base) or ("",))[0] != "enum" for base in mixed):
                self._say(node, "an enumeration of another class")
        if node.keywords:
            self._say(node, "a class with keywords")
        for part in node.body:
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                if special(part.name) and part.name not in (ENUM_METHODS if enum else DUNDER_METHODS):
                    self._say(part, f"the special method {part.name}")
            elif isinstance(part, ast.Assign | ast.AnnAssign):
                self._class_names(part)
            elif not isinstance(part, ast.Pass | ast.Expr):
                self._say(part, "only definitions and constants may stand in a class")

    def _class_names(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for name in [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]:
            if name == "__slots__" and node.value is not None:
                texts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
                if any(not isinstance(text, str) or special(text) for text in texts):
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
                if not isinstance(root, ast.Name) or known.get(root.id) in ("code", "class"):
                    self._say(node, "a subscript of a class of its own")
            elif isinstance(part, ast.Call):
                self._say(node, "a call among types")

    # constants

    def _value(self, node: ast.expr | None, known: Known) -> bool:
        """Judges an expression; gives whether code of the source can be in its value."""
        match node:
            case None | ast.Constant():
                return False
            case ast.Name(id=name):
                if name not in known and name not in BUILTINS:
                    self._say(node, f"use of {name} before it is there")
                return known.get(name, "data") != "data"
            case ast.Attribute(value=value):
                code = self._value(value, known)
                if code and not (isinstance(value, ast.Name) and known.get(value.id) == "class"):
                    self._say(node, "an attribute of code of its own at the top level")
                return code
            case ast.Starred(value=value):
                return self._value(value, known)
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                return self._any(parts, known)
            case ast.Dict(keys=keys, values=values):
                return self._any([*keys, *values], known)
            case ast.Lambda(args=given):
                self._any([*given.defaults, *given.kw_defaults], known)
                return True
            case ast.Call():
                return self._call(node, known)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._comprehension(node, known)
        return self._operation(node, known)

    def _any(self, parts: list[ast.expr | None] | list[ast.expr], known: Known) -> bool:
        return any([self._value(part, known) for part in parts])

    def _operation(self, node: ast.expr, known: Known) -> bool:
        """An operator or a subscript, which may run what is in its operands."""
        parts: list[ast.expr | None] = []
        match node:
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.JoinedStr(values=values):
                parts = [*values]
            case ast.FormattedValue(value=value, format_spec=inner):
                parts = [value, inner]
            case ast.UnaryOp(operand=operand):
                parts = [operand]
            case ast.BoolOp(values=values):
                parts = [*values]
            case ast.Compare(left=left, comparators=comparators):
                parts = [left, *comparators]
            case ast.IfExp(test=test, body=body, orelse=orelse):
                parts = [test, body, orelse]
            case ast.Subscript(value=value, slice=inner):
                parts = [value, inner]
            case ast.Slice(lower=lower, upper=upper, step=step):
                parts = [lower, upper, step]
            case _:
                self._say(node, f"{type(node).__name__} at the top level")
        if self._any(parts, known):
            self._say(node, "an operation on code of its own at the top level")
        return False

    def _call(self, node: ast.Call, known: Known) -> bool:
        given = [*node.args, *(one.value for one in node.keywords)]
        code = self._any(given, known)
        name, free = self._callee(node.func, known)
        if not free:
            self._say(node, f"a call of {ast.unparse(node.func)} at the top level")
        elif code and name not in WRAPPERS:
            self._say(node, f"a call of {name} with code of its own at the top level")
        return code

    def _callee(self, function: ast.expr, known: Known) -> tuple[str, bool]:
        """The name of what is called, and whether it may be."""
        if isinstance(function, ast.Name) and function.id not in known:
            return function.id, function.id in CALLED_ON_IMPORT
        named = self._named(function)
        if named is not None:
            return named[1], named[0] in MODULES_CALLED_ON_IMPORT and named[1] != "defaultdict"
        if isinstance(function, ast.Attribute):
            return function.attr, not self._value(function.value, known)
        return "", False

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, known: Known) -> bool:
        inner = dict(known)
        code = False
        for one in node.generators:
            code |= self._value(one.iter, inner)
            self._bind(one.target, code, inner)
            code |= self._any(one.ifs, inner)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return self._any(results, inner) or code

    def _named(self, node: ast.expr) -> tuple[str, str] | None:
        """Module and name of what an import gave; None for anything else."""
        if isinstance(node, ast.Subscript):
            return self._named(node.value)
        if isinstance(node, ast.Name):
            found = self._imports.get(node.id)
            return found if found and found[1] else None
        path = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        root, _, rest = path.partition(".")
        module, name = self._imports.get(root, ("", ""))
        if not module or name or not rest:
            return None
        whole, _, last = f"{module}.{rest}".rpartition(".")
        return whole, last
