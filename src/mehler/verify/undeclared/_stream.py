"""What is watched: independent samples whose means are claimed to be 0, many at once."""

from __future__ import annotations

from typing import Any, Protocol


class Stream(Protocol):
    """Deviations from a claim in units in which the resolution is stated, draw by draw.

    `n_means` is how many means share the error rate, `per_draw` how many samples a mean gets from
    a draw, `n_features` what a draw costs, `rounding` by how much rounding may move a sample.
    """

    n_means: int
    per_draw: int
    n_features: int
    rounding: float

    def sums(self, k: int) -> Any:
        """Return the sums of the first four powers of draw k's samples, shape (4, n_means)."""

    @property
    def is_fixed(self) -> bool:
        """Whether all draws so far were one fixed map: what they show is no matter of chance."""
