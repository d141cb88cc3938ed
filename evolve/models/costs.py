"""What a call costs: dollars for tokens, and the usage that is booked."""

from __future__ import annotations

from dataclasses import dataclass

from evolve.models.protocol import Usage


@dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars for a million tokens.

    Attributes:
        cached: For prompt tokens the endpoint had in its cache; None where they cost like others.
        beyond: What all of a call costs instead where its prompt has more than so many tokens, ascending.
    """

    input: float
    output: float
    cached: float | None = None
    beyond: tuple[tuple[int, Price], ...] = ()

    def of(self, prompt: int, completion: int, cached: int = 0) -> float:
        """Dollars for a call; ``cached`` are those of ``prompt`` that were in the cache."""
        higher = [price for start, price in self.beyond if prompt > start]
        if higher:
            return higher[-1].of(prompt, completion, cached)
        lower = self.input if self.cached is None else self.cached
        return ((prompt - cached) * self.input + cached * lower + completion * self.output) / 1e6


FREE = Price(input=0.0, output=0.0)


def usage_of(
    price: Price | None, prompt: int, completion: int, *, cached: int = 0, reasoning: int = 0, estimated: bool = False
) -> Usage:
    """The usage of one call, with its price where that is known."""
    return Usage(
        prompt=prompt,
        completion=completion,
        cached=cached,
        reasoning=reasoning,
        money=price.of(prompt, completion, cached) if price is not None else 0.0,
        calls=1,
        estimated=estimated,
        priced=price is not None,
    )
