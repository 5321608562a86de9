"""Stream: independent samples of many means claimed to be 0."""

from __future__ import annotations

from typing import Any, Protocol


class Stream(Protocol):
    """Deviations from a claim, in units of the resolution, draw by draw.

    `n_means` means share the error rate; a draw costs `n_features` and gives `per_draw` samples per
    mean; `rounding` bounds what rounding may move a sample by.
    """

    n_means: int
    per_draw: int
    n_features: int
    rounding: float

    def sums(self, k: int) -> Any:
        """Return the sums of the first four powers of draw k's samples, shape (4, n_means)."""

    @property
    def is_fixed(self) -> bool:
        """Whether all draws so far were one fixed map, so that chance plays no part."""
