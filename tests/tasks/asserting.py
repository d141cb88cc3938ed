"""Hidden tests for the tests of verdicts."""

from __future__ import annotations


def three(body: str, head: str = "from solution import solve") -> str:
    """A test of three assertions, two of which are about nothing."""
    return f"{head}\n\ndef test_it():\n    assert True\n    assert True\n" + "".join(
        f"    {line}\n" for line in body.split("\n")
    )
