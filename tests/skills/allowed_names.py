"""Writes ``evolve/skills/lint/allowed.toml``: what a skill may use of the standard library, from the modules
themselves.

    python -m tests.skills.allowed_names [check]

Run it under every supported Python, oldest first: each run adds what its version has and takes nothing away. What a
person decided stands here, in the tables of what is left out; the file that comes out is what the lint reads, and a
change of it is read line by line before it is kept.
"""

from __future__ import annotations

import datetime
import enum
import functools
import importlib
import inspect
import re
import sys
import textwrap
import time
import tokenize
import tomllib
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "evolve/skills/lint/allowed.toml"


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


BUILTINS = words(
    """
    Ellipsis NotImplemented abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod
    enumerate filter float format frozenset hasattr hash hex int isinstance issubclass iter len list map max min
    next object oct ord pow property range repr reversed round set slice sorted staticmethod str sum super tuple
    type zip ArithmeticError AssertionError AttributeError BufferError EOFError Exception ExceptionGroup
    FloatingPointError IndexError KeyError LookupError MemoryError NameError NotImplementedError OSError
    OverflowError RecursionError RuntimeError StopIteration SyntaxError TypeError UnboundLocalError
    UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError ValueError ZeroDivisionError
    """
)

MODULES = words(
    """
    abc base64 binascii bisect calendar cmath collections collections.abc colorsys contextlib copy csv dataclasses
    datetime decimal difflib enum fnmatch fractions functools graphlib hashlib heapq html html.parser io ipaddress
    itertools json math numbers operator re statistics string struct textwrap types typing unicodedata urllib.parse
    zlib zoneinfo
    """
)

ONLY = {  # of these, a few names are of use, and the rest makes code, reads files or changes what all share
    "abc": "ABC abstractmethod",
    "contextlib": "contextmanager nullcontext suppress",
    "copy": "copy deepcopy",
    "csv": "DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC QUOTE_NOTNULL "
    "QUOTE_STRINGS Sniffer reader writer",
    "dataclasses": "asdict astuple dataclass field replace",
    "enum": "Enum Flag IntEnum IntFlag StrEnum auto unique",
    "functools": "cache cached_property cmp_to_key lru_cache partial reduce total_ordering wraps",
    "html": "escape unescape",
    "html.parser": "HTMLParser",
    "io": "BytesIO StringIO",
    "json": "JSONDecodeError JSONDecoder JSONEncoder dumps loads",
    "string": "Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable "
    "punctuation whitespace",
    "types": "EllipsisType GeneratorType MappingProxyType NoneType NotImplementedType",
    "typing": "AbstractSet Annotated Any AnyStr Callable ClassVar Collection Concatenate Container Counter DefaultDict "
    "Deque Dict Final FrozenSet Generator Generic Hashable ItemsView Iterable Iterator KeysView List Literal "
    "LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet NamedTuple Never NewType "
    "NoReturn NotRequired Optional OrderedDict ParamSpec Pattern Protocol Required Reversible Self Sequence Set Sized "
    "SupportsAbs SupportsFloat SupportsIndex SupportsInt SupportsRound Text Tuple Type TypeAlias TypeGuard TypeVar "
    "TypedDict Union Unpack ValuesView cast final override",
    "zoneinfo": "ZoneInfo ZoneInfoNotFoundError",
}
LEFT_OUT = {  # of these, everything public but this
    "base64": "main test encode decode",  # files
    "calendar": "LocaleHTMLCalendar LocaleTextCalendar setfirstweekday firstweekday c main mdays prcal prmonth prweek "
    "format formatstring week different_locale error EPOCH repeat error standalone_month_name standalone_month_abbr",
    "decimal": "BasicContext DefaultContext ExtendedContext getcontext setcontext HAVE_CONTEXTVAR HAVE_THREADS",
    "difflib": "IS_LINE_JUNK",
    "hashlib": "algorithms_available algorithms_guaranteed file_digest new scrypt",
    "operator": "methodcaller call length_hint setitem delitem",
    "re": "Scanner purge template TEMPLATE T DEBUG RegexFlag",
    "statistics": "kde_random",  # chance
    "unicodedata": "ucd_3_2_0 UCD",
    "zlib": "ZLIB_RUNTIME_VERSION ZLIB_VERSION",
}
TABLES = {"calendar": "day_abbr day_name month_abbr month_name"}
"""Objects that all code shares and could change: only their items may be used."""

HELD_BACK = words(
    """
    format format_map now today utcnow samples mro fget fset fdel gen default_factory obj with_traceback add_note
    throw print_file_and_line scanner _exceptions from_file no_cache clear_cache prcal prmonth prweek pryear detach
    getbuffer fileno parse_object parse_array parse_string scan_once cache_parameters _ip
    cache_info cache_clear make_file make_table flags formatyearpage traps attrname register _is_protocol
    _is_runtime_protocol _dump_registry _abc_registry_clear _abc_caches_clear
    """
)
"""Attributes of values that lead to code, format strings, the clock, chance and files, change what is shared or tell of
earlier calls."""

HARMLESS = words(
    """
    _add _apply _asdict _call _day _days _denominator _div _divmod _dump _fields _floordiv _fold _hash _hour _items
    _mapping _microsecond _microseconds _minute _mod _month _mu _mul _name _numerator _offset _replace _second
    _seconds _sigma _split _sub _tzinfo _version _year
    """
)
"""Private names of the library that own classes may have too: behind them are numbers, or methods that are called."""

LISTS = ("attributes", "withheld", "methods")
FRAMES = [types.FrameType, types.CodeType, types.TracebackType, types.CoroutineType, types.AsyncGeneratorType]


def module_names(module: Any, name: str) -> list[str]:
    """Public names of a module that are there and are no modules themselves."""
    if name in ONLY:
        found: Iterable[str] = ONLY[name].split()
    else:
        found = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
        if name == "calendar":
            found = [
                *found,
                *(n for n in vars(module) if n in ("weekheader", "timegm")),
            ]
        found = set(found) - set(LEFT_OUT.get(name, "").split())
    there = {n for n in found if hasattr(module, n) and not n.startswith("_")}
    return sorted(n for n in there if not isinstance(getattr(module, n), types.ModuleType))


def kind(module: str, name: str, value: Any) -> str:
    """How a name may be used: as any value, as a class, by its items, or where attributes are set only as a class."""
    if name in TABLES.get(module, "").split():
        return "tables"
    if isinstance(value, type) and module != "typing":
        return "values" if not value.__flags__ & (1 << 9) or value.__flags__ & (1 << 8) else "classes"
    if module == "typing" and name not in ("cast", "final", "override"):
        return "classes"
    days = module == "calendar" and name.isupper()  # members of enumerations in later versions
    keeps = (types.FunctionType, type(functools.lru_cache(len)), enum.Enum)
    if days or isinstance(value, keeps):
        return "functions"
    plain = (str, int, float, complex, bytes, frozenset, tuple, types.BuiltinFunctionType)
    if isinstance(value, plain) or type(value).__flags__ & (1 << 8) or not type(value).__flags__ & (1 << 9):
        return "values"
    raise SystemExit(f"{module}.{name} can be changed by whoever has it: {value!r}; leave it out")


def value_types() -> Iterator[type]:
    """Types whose instances a skill can have, with those that no name leads to."""
    import builtins
    import csv
    import hashlib
    import io
    import re as regex
    import struct
    import urllib.parse
    import zlib

    found = (value for name, value in vars(builtins).items() if not name.startswith("_"))
    yield from (value for value in found if isinstance(value, type) and value not in (type, memoryview))
    yield from (types.GeneratorType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)
    yield from (types.MappingProxyType, types.GenericAlias, types.UnionType, time.struct_time, struct.Struct)
    given = [csv.reader([]), csv.writer(io.StringIO()), regex.compile("a"), regex.match("", ""), hashlib.md5(b"")]
    given += [hashlib.sha3_256(b""), hashlib.shake_128(b""), hashlib.blake2b(b""), zlib.compressobj(), {}.items()]
    given += [zlib.decompressobj(), functools.lru_cache(len), functools.partial(len), {}.keys(), {}.values()]
    given += [datetime.date(2020, 1, 1).isocalendar(), urllib.parse.urlsplit(""), urllib.parse.urlparse("")]
    given += [urllib.parse.urldefrag(""), functools.lru_cache(len).cache_info(), regex.I]
    yield from map(type, given)
    for name in MODULES:
        module = importlib.import_module(name)
        found = [getattr(module, one) for one in module_names(module, name) if name != "typing"]
        yield from (value for value in found if isinstance(value, type))


@functools.cache
def instance_names(kind: type) -> frozenset[str]:
    """What the source of a class assigns to its instances; nothing where there is none in Python."""
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError, tokenize.TokenError):
        return frozenset()
    return frozenset(re.findall(r"\bself\.(\w+)\s*(?:[:=,]|[-+*/|&]=)", source))


def attributes(kinds: Iterable[type]) -> set[str]:
    """Names of attributes of these classes and, as far as their source tells, of their instances."""
    found: set[str] = set()
    for one in kinds:
        found |= set(dir(one))
        found |= set().union(*map(instance_names, one.__mro__))
    return {name for name in found if not name.startswith("__")}


def shared_state(kinds: Iterable[type]) -> set[str]:
    """Names at which classes keep something that could be changed for everyone."""
    harmless = (str, int, float, bytes, tuple, frozenset, types.NoneType, types.FunctionType, classmethod, staticmethod)
    harmless += (property, types.BuiltinFunctionType, types.MethodDescriptorType, types.GetSetDescriptorType)
    harmless += (types.MemberDescriptorType, types.ClassMethodDescriptorType, types.WrapperDescriptorType, re.Pattern)
    harmless += (functools.cached_property, enum.property, enum.Enum, range, type(time.struct_time.n_fields))
    harmless += (datetime.date, datetime.time, datetime.timedelta, datetime.timezone)
    harmless += (type(vars(functools.lru_cache(len).cache_info().__class__)["hits"]),)
    return {
        name
        for one in kinds
        for base in one.__mro__
        for name, value in vars(base).items()
        if not name.startswith("__") and not isinstance(value, harmless)
    }


def methods(kinds: Iterable[type]) -> set[str]:
    """Names of methods written in Python, which keep attributes for everyone."""
    found = {name for one in kinds for base in one.__mro__ for name, value in vars(base).items() if keeps(value)}
    return {name for name in found if not name.startswith("__")}


def keeps(value: Any) -> bool:
    """Whether a method, however it is bound, is one that attributes can be set on."""
    return isinstance(value, types.FunctionType) or isinstance(getattr(value, "__func__", None), types.FunctionType)


def collected() -> dict[str, Any]:
    """What this version of Python has."""
    tables: dict[str, Any] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        table: dict[str, set[str]] = {}
        for one in module_names(module, name):
            table.setdefault(kind(name, one, getattr(module, one)), set()).add(one)
        tables[name] = table
    seen = list(value_types())
    public = {name for name in attributes(seen) if not name.startswith("_")}
    hidden = attributes([*FRAMES, types.GeneratorType]) - attributes([str]) - {"send", "close", "clear"}
    allowed = (public - hidden - set(HELD_BACK) - shared_state(seen)) | {"_asdict", "_fields", "_replace"}
    private = {name for name in attributes(seen) if name.startswith("_") and not name.endswith("_")} - set(HARMLESS)
    withheld = ((public | hidden | private | set(HELD_BACK)) - allowed) | shared_state(seen)
    return {"modules": tables, "attributes": allowed, "withheld": withheld, "methods": methods(seen)}


def kept() -> dict[str, Any]:
    """What the file holds."""
    data = tomllib.loads(TARGET.read_text()) if TARGET.exists() else {"modules": {}}
    tables = {name: {k: set(v.split()) for k, v in table.items()} for name, table in data["modules"].items()}
    return {"modules": tables, **{key: set(data.get(key, "").split()) for key in LISTS}}


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Both; where two versions differ, the stricter one decides."""
    tables: dict[str, dict[str, set[str]]] = {}
    for name in MODULES:
        both = (old["modules"].get(name, {}), new["modules"][name])
        taken: set[str] = set()
        tables[name] = {}
        for way in ("tables", "classes", "functions", "values"):
            tables[name][way] = set().union(*(table.get(way, set()) for table in both)) - taken
            taken |= tables[name][way]
    withheld = old["withheld"] | new["withheld"]
    lists = {key: old[key] | new[key] for key in LISTS}
    return {**lists, "modules": tables, "attributes": lists["attributes"] - withheld, "withheld": withheld}


def text_of(data: dict[str, Any]) -> str:
    """The file's text."""

    def words(names: Iterable[str]) -> str:
        return '"""\n' + "\n".join(textwrap.wrap(" ".join(sorted(names)), 118, break_on_hyphens=False)) + '\n"""'

    head = (
        "# What a skill may use of the standard library. Written by `python -m tests.skills.allowed_names`, which\n"
        "# also says what was left out and why, and read before it is kept. `values` may stand anywhere, `classes`\n"
        "# only where nothing can change them for everyone, `functions` also only there in a source that sets\n"
        "# attributes, which they would keep, of `tables` only the items may be used.\n\n"
    )
    parts = [
        "# names that are there without an import\nbuiltins = " + words(BUILTINS),
        "# attributes of values, whatever they are\nattributes = " + words(data["attributes"]),
        "# attributes that values have and a skill must not read, whatever it defines itself\n"
        "withheld = " + words(data["withheld"]),
        "# methods that everyone's code shares and that keep attributes\nmethods = " + words(data["methods"]),
    ]
    for name, table in data["modules"].items():
        lines = [f"{way} = {words(names)}" for way, names in sorted(table.items()) if names]
        parts.append("\n".join([f'[modules."{name}"]', *lines]))
    return head + "\n\n".join(parts) + "\n"


def main() -> int:
    """Writes the file, or says with ``check`` whether this version of Python would add something."""
    text = text_of(merged(kept(), collected()))
    if sys.argv[1:] == ["check"]:
        return int(text != TARGET.read_text())
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
