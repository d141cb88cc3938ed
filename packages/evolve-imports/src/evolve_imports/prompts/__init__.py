"""The prompt by which a model is asked what the person of a session corrected."""

from pathlib import Path

CORRECTIONS = Path(__file__).with_name("corrections.md")
