"""Takes the pictures of ``docs/chat.md`` and ``docs/tools.md``: the real program in a real terminal, its screen as SVG.

``python -m docs.pictures [NAME ...]`` writes ``docs/images/NAME.svg`` and ``NAME-dark.svg``. It needs tmux. The
model behind the pictures is a stand-in that acts by its prompt; everything else is the program as it ships.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from evolve.testing import ScriptedEndpoint
from tests.cli.chat_terminal import Terminal, with_office
from tests.doubles.conversing import ConversingDouble
from tests.doubles.secretary import Secretary

_OUT = Path(__file__).parent / "images"
_CELL = 12.2
"""Width of a character in the picture."""
_INDENTED = re.compile(r'x="([\d.]+)"( y="[\d.]+") textLength="([\d.]+)"([^>]*)>((?:&#160;)+)(?=[^<])')
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_THEMES = {
    "": TerminalTheme(
        (255, 255, 255),
        (36, 41, 47),
        [
            *((36, 41, 47), (190, 30, 45), (20, 110, 50), (140, 90, 0)),
            *((5, 80, 174), (125, 60, 170), (15, 115, 125), (90, 98, 108)),
        ],
        [
            *((100, 108, 118), (200, 40, 55), (30, 125, 60), (150, 100, 0)),
            *((20, 95, 190), (140, 75, 185), (25, 130, 140), (36, 41, 47)),
        ],
    ),
    "-dark": TerminalTheme(
        (24, 27, 32),
        (220, 223, 228),
        [
            *((60, 64, 72), (224, 108, 117), (152, 195, 121), (229, 192, 123)),
            *((97, 175, 239), (198, 120, 221), (86, 182, 194), (220, 223, 228)),
        ],
        [
            *((110, 116, 126), (240, 130, 138), (170, 214, 140), (240, 208, 140)),
            *((120, 190, 250), (214, 140, 236), (105, 200, 212), (255, 255, 255)),
        ],
    ),
}
"""By what the name of a picture ends with."""
_PRICES = """\
def total(prices):
    net = sum(prices)
    return round(net, 2)


def average(prices):
    net = sum(prices)
    return round(net / len(prices), 2)
"""


def main() -> None:
    """Takes the pictures that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m docs.pictures", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *SCENES], help="which; default: all")
    for name in parser.parse_args().names or SCENES:
        double = Secretary() if name == "tools-leave" else ConversingDouble()
        with tempfile.TemporaryDirectory() as home, ScriptedEndpoint(double=double) as endpoint:
            columns, rows = (44, 20) if name == "chat-narrow" else (92, 33)
            window = Terminal(Path(home), columns=columns, rows=rows)
            try:
                SCENES[name](window, endpoint)
                title = "evolve run" if name in ("chat-folder", "tools-leave") else "evolve chat"
                write(name, window.screen(colours=True, history=False), columns, title=title)
            finally:
                window.close()


def write(name: str, screen: str, columns: int, *, title: str) -> None:
    """The screen as two pictures, light and dark."""
    for ending, theme in _THEMES.items():
        console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor")
        console.print(Text.from_ansi(screen.rstrip("\n")), soft_wrap=True)
        svg = console.export_svg(title=title, theme=theme, unique_id=name)
        file = _OUT / f"{name}{ending}.svg"
        file.parent.mkdir(exist_ok=True)
        svg = _INDENTED.sub(_moved, svg)
        file.write_text(_FONTS.sub("", svg).replace("Fira Code", "DejaVu Sans Mono"), encoding="utf-8")
        print(file)


def _moved(found: re.Match[str]) -> str:
    """A text that begins with spaces begins where its letters do: some programs drop the spaces."""
    by = _CELL * (len(found[5]) // len("&#160;"))
    return f'x="{float(found[1]) + by:g}"{found[2]} textLength="{float(found[3]) - by:g}"{found[4]}>'


def _home(window: Terminal) -> Mapping[str, str]:
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    return {"HOME": str(window.folder), "XDG_CACHE_HOME": cache}


def _start(window: Terminal, *arguments: object) -> None:
    home = _home(window)
    window.start("chat", *arguments, TERM="tmux-256color", COLORTERM="truecolor", LC_ALL="C.UTF-8", **home)
    window.wait("/help lists")


def _change(window: Terminal, endpoint: ScriptedEndpoint) -> None:
    folder = window.folder / "shop"
    folder.mkdir()
    (folder / "prices.py").write_text(_PRICES)
    # A check says something only where it fails before.
    check = "grep gross prices.py"
    _start(window, "--dir", folder, "--check", check, "--model", endpoint.model, "--budget", "200k-tokens")
    window.type("replace net by gross in prices.py")
    window.wait("[yes/no/later]")
    window.type("yes")
    window.wait("takes it back")
    window.type("/m", enter=False)
    window.wait("what is known")


def _rows(window: Terminal, endpoint: ScriptedEndpoint) -> None:
    _start(window, "--model", "")
    for row in ("Ada Lovelace -> A. LOVELACE", "Alan Turing -> A. TURING", "Grace Hopper -> G. HOPPER", ""):
        window.type(row)
    window.wait("why r1")
    window.ready()


def _narrow(window: Terminal, endpoint: ScriptedEndpoint) -> None:
    _start(window, "--model", endpoint.model)
    window.type("add 17 and 25")
    window.wait("why r1")
    window.ready()


def _wish(window: Terminal, endpoint: ScriptedEndpoint) -> None:
    folder = window.folder / "shop"
    folder.mkdir()
    (folder / "prices.py").write_text(_PRICES)
    _start(window, "--dir", folder, "--check", "grep gross prices.py", "--model", endpoint.model)
    window.type("replace net by gross in prices.py")
    window.wait("[yes/no/later]")
    window.type("no, say before_tax and never gross")
    window.wait("Enter: later]")
    window.type("yes")
    window.wait("drops it)")


def _folder(window: Terminal, endpoint: ScriptedEndpoint) -> None:
    folder = window.folder / "shop"
    folder.mkdir()
    (folder / "prices.py").write_text(_PRICES)
    check = ("--dir", folder, "--check", "grep gross prices.py", "--model", endpoint.model)
    window.start("run", "replace net by gross in prices.py", *check, TERM="tmux-256color", LC_ALL="C.UTF-8")
    window.wait("[y/N]")
    window.type("y")
    window.wait("learning: ")


def _leave(window: Terminal, endpoint: ScriptedEndpoint) -> None:
    home = _home(window)
    with_office(window, **home)
    wish = "mail ada@example.org when the garden party is"
    window.start("run", wish, "--model", endpoint.model, TERM="tmux-256color", LC_ALL="C.UTF-8", **home)
    window.wait("ne[v]er")
    window.type("y")
    window.wait("learning: ")


SCENES: Mapping[str, Callable[[Terminal, ScriptedEndpoint], None]] = {
    "chat-change": _change,
    "chat-rows": _rows,
    "chat-narrow": _narrow,
    "chat-wish": _wish,
    "chat-folder": _folder,
    "tools-leave": _leave,
}


if __name__ == "__main__":
    main()
