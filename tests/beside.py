"""What holds of every package beside evolve: what it needs, what it adds, what its pages name, what is built of it."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.version import Version

from evolve.core.extensions import PACKAGES, installed_extensions
from tests.architecture.source import ROOT
from tests.architecture.test_python_api import commands, place_of
from tests.cli.test_docs import problem, typed


@dataclass(frozen=True)
class Beside:
    """A package by its name."""

    name: str

    @cached_property
    def folder(self) -> Path:
        return ROOT / "packages" / self.name

    @cached_property
    def project(self) -> Mapping[str, Any]:
        return tomllib.loads((self.folder / "pyproject.toml").read_text("utf-8"))["project"]

    @cached_property
    def pages(self) -> tuple[str, ...]:
        return ("README", *(f"docs/{path.stem}" for path in sorted((self.folder / "docs").glob("*.md"))))

    def text(self, page: str) -> str:
        return (self.folder / f"{page}.md").read_text("utf-8")

    def check_needs(self) -> None:
        """It needs the evolve of this tree, which no index can have, and nor can one have the package."""
        core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        (needed,) = [one for one in map(Requirement, self.project["dependencies"]) if one.name == core["name"]]
        assert Version(core["version"]) in needed.specifier
        assert not [text for text in ("0.1.0", "0.1.0.post1", "0.2", "99") if Version(text) in needed.specifier]
        assert Version(self.project["version"]).local

    def check_offers(self) -> None:
        """What it says that it adds is there, and whoever misses it is told the package."""
        for group, points in self.project["entry-points"].items():
            for name, place in points.items():
                module, _, attribute = place.partition(":")
                assert getattr(importlib.import_module(module), attribute) is not None
                assert installed_extensions(group.removeprefix("evolve."))[name] == self.name
                asked = f"kind {name}" if group == "evolve.functions" else name
                assert name.endswith(".md") or PACKAGES[asked] == self.name

    def check_calls(self, calls: Mapping[str, str], tree: Any, places: Mapping[str, Any]) -> None:
        """Every command has its call in Python, and its line on the first page.

        Args:
            calls: By command, what does the same; it begins with one of ``places``.
        """
        own = tuple(place_of(name) for name in self.project["entry-points"]["evolve.commands"])
        assert sorted(one for one in commands(tree) if one.startswith(own)) == sorted(calls)
        for command, call in calls.items():
            first, *rest = call.split(".")
            found = places[first]
            for part in rest:
                found = getattr(found, part)
            assert callable(found) and f"| `evolve {command}` | `{call}" in self.text("README")

    def check_pages(self, tree: Any, at_least: int) -> None:
        """The pages name commands that there are, and no package of an index."""
        found = [(name, words) for name in self.pages for words in typed(f"../packages/{self.name}/{name}")]
        assert len(found) > at_least
        assert [(name, words) for name, words in found if problem(words, tree)] == []
        assert not [name for name in self.pages if f"pip install {self.name}" in self.text(name)]

    def check_wheel(self, folder: Path, *files: str) -> None:
        """The wheel has these files of the package, and nothing but it."""
        build = f"import hatchling.build as b; b.build_wheel({str(folder)!r})"
        subprocess.run([sys.executable, "-c", build], cwd=self.folder, check=True, capture_output=True)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            names = set(wheel.namelist())
        module = self.name.replace("-", "_")
        assert {f"{module}/{file}" for file in ("py.typed", *files)} <= names
        assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {module}

    def check_alone(self, folder: Path) -> None:
        """Without evolve it is not installed."""
        words = ["-q", "--no-index", "--no-build-isolation", "--target", str(folder), str(self.folder)]
        done = subprocess.run([sys.executable, "-m", "pip", "install", *words], capture_output=True, text=True)
        assert done.returncode != 0 and "No matching distribution found for evolve-learn==0.1.0+source" in done.stderr
        assert not list(folder.iterdir())
