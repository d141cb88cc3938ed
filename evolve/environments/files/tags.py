"""What files of other languages than Python define, where the extra package with their grammars is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

_LANGUAGES = {
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), "javascript"),
    **{"ts": "typescript", "tsx": "tsx", "go": "go", "rs": "rust", "java": "java", "rb": "ruby"},
    **{"c": "c", "h": "c", "cs": "csharp", "php": "php", "scala": "scala", "swift": "swift", "lua": "lua"},
    **dict.fromkeys(("cpp", "cc", "cxx", "hpp", "hh"), "cpp"),
}
# Grammars name such nodes alike: function_declaration, class_definition, struct_item, method, type_spec.
_DEFINES = re.compile(
    r"(?:function|method|class|interface|struct|enum|trait|type_alias|type_spec|module|record|object)"
)
_NO_DEFINITION = re.compile(r"parameter|argument|call|expression|type_identifier|_body|field_decl|enumerator|modifier")
_FUNCTIONS = ("arrow_function", "function_expression", "function")
_DEEPEST = 6


@dataclass(frozen=True, kw_only=True)
class Definition:
    """Something that a file defines, as one line says it."""

    name: str
    line: int
    text: str


def definitions_by_grammar(file: str, text: str) -> Sequence[Definition]:
    """What the file defines, functions inside of functions not among it; () where no grammar is there for it."""
    parser = _parser(_LANGUAGES.get(file.rpartition(".")[2].casefold(), ""))
    return () if parser is None else list(_below(parser.parse(text.encode()).root_node, 0))


@cache
def _parser(language: str) -> Any:
    """The parser of a language; None where there is none."""
    if not language:
        return None
    try:
        from tree_sitter_language_pack import get_parser
    except ImportError:
        return None
    return get_parser(cast(Any, language))


def _below(node: Any, depth: int) -> Iterator[Definition]:
    for child in node.named_children:
        name = _name(child)
        if name:
            first = child.text.decode("utf-8", "replace").partition("\n")[0]
            indent = "  " if depth > 1 else ""
            yield Definition(name=name, line=child.start_point.row + 1, text=indent + first.partition("{")[0].strip())
        if depth < _DEEPEST and not (name and _is_function(child.type)):
            yield from _below(child, depth + 1)


def _name(node: Any) -> str:
    """The name that a node gives to something; "" for every other node."""
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is None or value.type not in _FUNCTIONS:
            return ""
    elif not _DEFINES.match(node.type) or _NO_DEFINITION.search(node.type):
        return ""
    named = node.child_by_field_name("name")
    inner = node
    while named is None and inner is not None:  # in C the name stands inside of what declares it
        inner = inner.child_by_field_name("declarator")
        named = inner if inner is not None and inner.child_by_field_name("declarator") is None else None
    return "" if named is None else named.text.decode("utf-8", "replace")


def _is_function(kind: str) -> bool:
    return "function" in kind or "method" in kind or kind == "variable_declarator"
