"""Reads the calls and prints what they gave; every consumer's program ends so."""

import json
import sys
from pathlib import Path


def given():
    """The bundle's folder and the calls: tool, arguments by name."""
    bundle, calls = map(Path, sys.argv[1:3])
    sys.path.insert(0, str(bundle.parent))
    return bundle, json.loads(calls.read_text())


def read(text):
    """A value as a host shows it to a model: JSON where it is, else the text itself."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text


def tell(values, described):
    """Prints the values in order, and how many tools have every argument described."""
    print(json.dumps({"values": values, "described": described}))
