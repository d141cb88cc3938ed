"""The prompt by which a model is asked for a move."""

from __future__ import annotations

from pathlib import Path

ACT = Path(__file__).with_name("act-worlds.md")
