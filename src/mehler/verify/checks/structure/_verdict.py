"""StructureVerdict: a verdict that leads with the cause."""

from __future__ import annotations

from dataclasses import dataclass

from mehler._words import counted
from mehler.verify._verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class StructureVerdict(Verdict):
    """A `Verdict` on how a map is built.

    ``observed`` is the number of defects found and ``exact`` 0; ``reason`` begins with the first of
    ``causes``, which are sorted by how much they explain.
    """

    causes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one paragraph: the causes, the tests, error rates and reservations."""
        place = ", ".join(f"{key}={value}" for key, value in self.where.items())
        sentences = [self.reason] if self.reason else []
        sentences.append(f"{self.check}: {self.status}" + (f", at {place}." if place else "."))
        sentences.append(f"Claimed: {self.claim}.")
        sentences.append(
            f"Looked at {self.amount_text()}; false alarm {self.false_alarm:.3g} ({self.method})."
        )
        if self.seeds:
            sentences.append(f"Replay with seed={self.seeds['seed']}.")
        if self.assumptions:
            sentences.append(f"Assumes, and leaves out: {'; '.join(self.assumptions)}.")
        return " ".join(sentences)

    def cells(self) -> tuple[str, ...]:
        """Return nothing: a defect is no number."""
        return ()

    def amount_text(self) -> str:
        """Return the number of draws."""
        return counted(self.n_draws, "draw")

    def power_text(self) -> str:
        """Return nothing: smaller defects are named by the tests left out."""
        return ""
