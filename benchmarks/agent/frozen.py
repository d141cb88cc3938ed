"""Digests of what must not change once an arm was written for it. ``python -m benchmarks.agent.frozen`` writes them."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
FROZEN = HERE / "FROZEN"
_PARTS = {
    "double": ("double.py", "prompt.py", "replies.py", "endpoint.py"),
    "tasks": ("task.py", "tasks/**/*"),
    "plain": ("plain.py",),
    "judge": ("judge.py",),
}


def digests() -> dict[str, str]:
    """SHA-256 of each part: over the names and contents of its files, by name."""
    found = {}
    for part, patterns in _PARTS.items():
        whole = sha256()
        for path in sorted({path for pattern in patterns for path in HERE.glob(pattern) if path.is_file()}):
            whole.update(path.relative_to(HERE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        found[part] = whole.hexdigest()
    return found


def written() -> dict[str, str]:
    """The digests that were written down."""
    lines = FROZEN.read_text(encoding="utf-8").split("\n")
    return {part: value for value, _, part in (line.partition("  ") for line in lines if line)}


if __name__ == "__main__":
    FROZEN.write_text("".join(f"{value}  {part}\n" for part, value in digests().items()), encoding="utf-8")
