"""The figures by which code bases are compared."""

from __future__ import annotations

from pathlib import Path

from benchmarks.code_shape import shape


def test_a_package_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "inner" / "__init__.py").write_text("from ..high import Box\n")
    (folder / "high.py").write_text("import pack.inner\n\n\nclass Box:\n    def open(self):\n        import json\n")
    (folder / "low.py").write_text("class Box:\n    def open_all(self):\n" + "        pass\n" * 60)
    found = shape(folder)
    assert (found["files"], found["functions"], found["cycle"]) == (4, 2, 2)
    assert (found["shared"], found["one_word"], found["functions_over_50"]) == (1, 0.5, 1)
    assert (found["longest_function"], found["imports_in_functions"]) == (61, 1)
