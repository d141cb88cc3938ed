"""What a source may do while it is imported: define things, and compute constants with nothing of its own in them.

As no function of the source runs then, no instance of its classes exists, and none of their special methods is called.
How long an import takes is no matter of this: it is bounded where it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Literal

from evolve.skills.lint.allowed import (
    ANY_SIZE,
    CALLED_ON_IMPORT,
    DECORATORS,
    MODULES_CALLED_ON_IMPORT,
    WRAPPERS,
    allowed_lists,
)
from evolve.skills.lint.annotations import is_named_tuple
from evolve.skills.lint.attributes import is_special
from evolve.skills.lint.classbodies import body_problems
from evolve.skills.lint.constants import (
    MOST_ITEMS,
    ConstantTooLarge,
    NotConstant,
    assigned_names,
    evaluate_node,
    holds_names,
    is_cheap,
    top_level_constants,
)
from evolve.skills.lint.scopes import arguments

Kind = Literal["data", "import", "code", "class", "enum", "member"]
Known = dict[str, Kind]
"""Names that are bound so far: to data, what an import gave, whatever holds code of the source, or its own classes."""

_OWN_CODE = ("code", "class", "enum", "member")
"""Kinds of names behind which code of the source may stand."""
_BINDERS = ("classmethod", "staticmethod", "property", "cached_property", "setter", "deleter")
"""Decorators of which one around another would run code when the class is read."""
_OPERATIONS: tuple[type[ast.expr], ...] = (
    *(ast.Attribute, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Slice),
    *(ast.JoinedStr, ast.FormattedValue),
)


class TopLevelRules:
    """Judges what runs on import.

    Args:
        tree: The module.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._imports: dict[str, tuple[str, str]] = {}
        self._constants = top_level_constants(tree)
        self._literal_names = assigned_names(tree, lambda value, _: isinstance(value, ast.Constant))
        self._product_names = assigned_names(tree, holds_names)
        # With the future import annotations are not evaluated (PEP 563), so nothing runs in them.
        self._lazy_annotations = any(
            isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body
        )
        self._problems: list[tuple[int, str]] = []
        self._top: Known = {}
        self._class_bodies: list[Known] = []
        self._wrappers: set[str] = set()
        self._functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    def problems(self) -> list[tuple[int, str]]:
        """Line and message of everything that is not allowed."""
        self._block(self._tree.body, self._top)
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ClassDef):
                self._problems += body_problems(node)
        return self._problems

    def _report(self, node: ast.stmt | ast.expr, text: str) -> None:
        self._problems.append((node.lineno, text))

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
                    kind = self._class_on_import(node, known)
                    # A body reads the names before it, and what it binds stays in it.
                    self._class_bodies.append(dict(known))
                    self._block(node.body, self._class_bodies[-1])
                    known[node.name] = kind
                case ast.Assign(targets=targets, value=value):
                    code = self._has_code(value, known)
                    for target in targets:
                        self._bind(target, code, known)
                case ast.AnnAssign(target=target, value=value, annotation=annotation):
                    self._type(annotation, known)
                    if value is not None:
                        self._bind(target, self._has_code(value, known), known)
                case _:
                    self._report(
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
            if alias.asname in allowed_lists().builtins:
                self._report(node, f"{alias.asname} gets another meaning")
            known[bound] = "import"

    def _bind(self, target: ast.expr, code: bool, known: Known) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._bind(element, code, known)
        elif isinstance(target, ast.Name):
            known[target.id] = "code" if code else "data"
            self._wrappers.discard(target.id)
        else:
            self._report(target, "only names are assigned at the top level")

    # definitions

    def _function(self, node: ast.FunctionDef, known: Known) -> None:
        self._decorators(node, known)
        self._any_has_code([*node.args.defaults, *node.args.kw_defaults], known)
        for annotation in [node.returns, *(parameter.annotation for parameter in arguments(node.args))]:
            if annotation is not None:
                self._type(annotation, known)

    def _decorators(self, node: ast.FunctionDef | ast.ClassDef, known: Known) -> None:
        named = [part for part in node.decorator_list if isinstance(part, ast.Name | ast.Attribute)]
        if sum((part.id if isinstance(part, ast.Name) else part.attr) in _BINDERS for part in named) > 1:
            self._report(node, "a property, a method of the class or a static method of another")  # read, it would run
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            values = (
                [*decorator.args, *(k.value for k in decorator.keywords)] if isinstance(decorator, ast.Call) else []
            )
            if self._any_has_code(values, known):
                self._report(node, "a decorator that is given code")
            match called:
                case ast.Name(id="classmethod" | "property" | "staticmethod") if called.id not in known:
                    continue
                case ast.Attribute(value=ast.Name(id=name), attr="setter" | "deleter") if known.get(name) == "code":
                    continue
            own = (
                isinstance(decorator, ast.Name) and decorator.id in self._wrappers and isinstance(node, ast.FunctionDef)
            )
            if not own and self._named(called, known) not in DECORATORS:
                self._report(
                    node, f"the decorator {ast.unparse(called)}: its own may only define a function and return it"
                )

    def _note_wrapper(self, node: ast.FunctionDef, known: Known) -> None:
        """Notes whether a function may decorate: all it does is to define another function and return that."""
        self._wrappers.discard(node.name)
        match [part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]:
            case [ast.FunctionDef(name=name) as inner, ast.Return(value=ast.Name(id=returned))] if name == returned:
                wraps = [
                    decorator
                    for decorator in inner.decorator_list
                    if isinstance(decorator, ast.Call) and len(decorator.args) == 1
                ]
                names = {
                    self._named(decorator.func, known) for decorator in wraps if isinstance(decorator.args[0], ast.Name)
                }
                typed = [parameter.annotation for parameter in arguments(inner.args)] + [inner.returns]
                harmless = names <= {("functools", "wraps")} and len(wraps) == len(inner.decorator_list)
                defaults = [part for part in (*inner.args.defaults, *inner.args.kw_defaults) if part is not None]
                harmless &= all(isinstance(part, ast.Constant) for part in defaults)
                names_taken = {parameter.arg for parameter in arguments(node.args)}
                harmless &= not any(
                    isinstance(part, ast.Name) and part.id in names_taken
                    for decorator in wraps
                    for part in ast.walk(decorator.func)
                )
                if (
                    known is self._top
                    and harmless
                    and not node.decorator_list
                    and (self._lazy_annotations or not any(typed))
                ):
                    self._wrappers.add(node.name)

    def _class_on_import(self, node: ast.ClassDef, known: Known) -> Kind:
        """Judges a class that is made on import; gives which kind of class it is."""
        self._decorators(node, known)
        kinds: list[Kind] = []
        for base in node.bases:
            if isinstance(base, ast.Call) and is_named_tuple(base, self._named(base.func, known)):
                kinds.append("class")
                continue
            self._type(base, known)
            kinds.append(self._base(base, known))
        if "code" in kinds:
            self._report(node, "a base that is no class by its name")
        if "enum" not in kinds:
            return "class"
        # Making a member would call methods of the other class.
        if "class" in kinds:
            self._report(node, "an enumeration of another class")
        for part in node.body:
            name = getattr(part, "name", "")
            if is_special(name) and name != "__str__" and not self._only_stores(part):
                self._report(part, f"the special method {name} of an enumeration")  # made and shown on import
        return "enum"

    def _only_stores(self, node: ast.stmt) -> bool:
        """Whether this is an ``__init__`` that only stores its arguments."""
        if not isinstance(node, ast.FunctionDef) or node.name != "__init__" or node.decorator_list:
            return False
        names = [parameter.arg for parameter in node.args.args] or [""]
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

    def _type(self, node: ast.expr, known: Known) -> None:
        """A base or an annotation: a subscript must not run code of the source."""
        for part in ast.walk(node):
            if isinstance(part, ast.Subscript) and not self._lazy_annotations:
                root = part.value
                while isinstance(root, ast.Attribute):
                    root = root.value
                if not isinstance(root, ast.Name) or known.get(root.id) in _OWN_CODE:
                    self._report(node, "a subscript of a class of its own")
            elif isinstance(part, ast.Call):
                self._report(node, "a call among types")

    # constants

    def _has_code(self, node: ast.expr | None, known: Known) -> bool:
        """Judges an expression; gives whether code of the source can be in its value."""
        match node:
            case None | ast.Constant():
                return False
            case ast.Name():
                if node.id not in known and node.id not in allowed_lists().builtins:
                    self._report(node, f"use of {node.id} before it is there")
                return known.get(node.id) in _OWN_CODE
            case ast.Tuple() | ast.List() | ast.Set() | ast.Dict() | ast.Starred():
                return self._any_has_code(_operands(node), known)
            case ast.Lambda(args=parameters):
                self._any_has_code([*parameters.defaults, *parameters.kw_defaults], known)
                return True
            case ast.Call():
                return self._call(node, known)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self._comprehension(node, known)
        return self._operation(node, known)

    def _any_has_code(self, parts: Sequence[ast.expr | None], known: Known) -> bool:
        # A list, because every part has to be judged, also behind the first that holds code.
        return any([self._has_code(part, known) for part in parts])

    def _operation(self, node: ast.expr, known: Known) -> bool:
        """Judges an operation, which may run code of its operands; an attribute of a class only reads its body."""
        if not isinstance(node, _OPERATIONS) or (isinstance(node, ast.BinOp) and not self._is_small(node)):
            self._report(node, f"{type(node).__name__} at the top level")
            return False
        owner = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(node, ast.Attribute) and isinstance(owner, ast.Name) and known.get(owner.id) == "member":
            if node.attr not in ("name", "value") or node.attr in self._functions:
                self._report(node, f"the attribute {node.attr} of a member at the top level")
            return node.attr != "name"
        code = self._any_has_code(_operands(node), known)
        if code and not (isinstance(owner, ast.Name) and known.get(owner.id) in ("class", "enum")):
            self._report(node, "an operation on code of its own at the top level")
        return code

    def _is_small(self, node: ast.BinOp) -> bool:
        """Whether a result was worked out to be small, or is not much larger than its source."""
        try:
            evaluate_node(node, self._constants)
        except ConstantTooLarge:
            return False
        except NotConstant:
            return is_cheap(node)
        return True

    def _call(self, node: ast.Call, known: Known) -> bool:
        code = self._any_has_code([*node.args, *(keyword.value for keyword in node.keywords)], known)
        name, free = self._callee(node.func, known)
        if not free:
            self._report(node, f"a call of {ast.unparse(node.func)} at the top level: call it in a function")
        elif code and name not in WRAPPERS:
            self._report(node, f"a call of {name} with code of its own at the top level")
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        if name not in ANY_SIZE and any(map(self._may_run_long, values)):
            self._report(node, f"a call of {ast.unparse(node.func)} on a large number at the top level")
        module, _ = self._named(node.func, known) or ("", "")
        if module == "re" and any(holds_names(value, self._product_names) for value in values):
            self._report(node, "a pattern with repetitions that are not written out")
        return code

    def _may_run_long(self, node: ast.expr | None) -> bool:
        """Whether a computed number in it may say how often a call does something; calls in it are judged alone."""
        if node is None or isinstance(node, ast.Call | ast.Constant):
            return False
        try:
            written = isinstance(node, ast.Name) and node.id in self._literal_names
            value = 0 if written else evaluate_node(node, self._constants)
        except (NotConstant, ConstantTooLarge):
            return any(map(self._may_run_long, _operands(node)))
        large = isinstance(value, int) and abs(value) > MOST_ITEMS
        return large or any(map(self._may_run_long, _operands(node)))

    def _callee(self, function: ast.expr, known: Known) -> tuple[str, bool]:
        """The name of what is called, and whether the top level may call it."""
        if isinstance(function, ast.Name) and function.id not in known:
            return function.id, function.id in CALLED_ON_IMPORT
        named = self._named(function, known)
        if named is not None:
            # A defaultdict calls what it was given whenever a key is missing.
            return named[1], named[0] in MODULES_CALLED_ON_IMPORT and named[1] != "defaultdict"
        if isinstance(function, ast.Attribute):
            return "", not self._has_code(function.value, known)
        return "", False

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, known: Known) -> bool:
        # but for what it goes through first, it does not see the names of a class
        inner = dict(self._top if any(known is body for body in self._class_bodies) else known)
        code = False
        for number, generator in enumerate(node.generators):
            code |= self._has_code(generator.iter, inner if number else known)
            self._bind(generator.target, code, inner)
            if (
                isinstance(generator.iter, ast.Name)
                and known.get(generator.iter.id) == "enum"
                and isinstance(generator.target, ast.Name)
            ):
                inner[generator.target.id] = "member"
            code |= self._any_has_code(generator.ifs, inner)
        results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return self._any_has_code(results, inner) or code

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


def _operands(node: ast.expr) -> list[ast.expr | None]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
