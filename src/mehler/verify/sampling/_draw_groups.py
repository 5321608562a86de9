"""Sample variances of groups of draws, unbiased for the variance whatever the mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._sources import Source, _Blocked

# Samples per group. Per sample the variance of a group's variance is 2 b/(b - 1) for normal
# samples: 8 costs a seventh more than the limit and leaves many groups for a robust mean.
GROUP = 8


class DrawGroups(Draws):
    """Draws whose k-th item is a tuple of `size` maps from seeds of their own."""

    def __init__(
        self, draw: Callable[[int], Any], seed: int, size: int, *, stream: int = 0
    ) -> None:
        super().__init__(draw, seed, stream=stream)
        self.size = size
        self._bundle: tuple[int, tuple[Any, ...]] | None = None

    def __getitem__(self, k: int) -> tuple[Any, ...]:
        """Return bundle k; the last one is cached."""
        if self._bundle is None or self._bundle[0] != k:
            seeds = [self.seed(k * self.size + i) for i in range(self.size)]
            self._bundle = (k, tuple(self.draw(seed) for seed in seeds))
        return self._bundle[1]


class GroupVariances(_Blocked):
    """Sample variances of groups of GROUP samples of `base`, over the declared variance.

    A group is taken from one draw where that has many independent samples, else from a bundle.
    """

    def __init__(self, base: Source, pairs: Any, declared: Any, bundle: int) -> None:
        super().__init__(pairs, base.n_features * bundle, base.per_draw * bundle // GROUP, base.eps)
        self.name = base.name
        self._base, self.whole_draws = base, base.per_draw == 1
        # The declared variance is n_features times that of the mean of per_draw samples.
        self._factor = base.n_features / base.per_draw / declared

    def samples(self, phi: Any, chosen: Any) -> Any:
        maps = phi if isinstance(phi, tuple) else (phi,)
        x = np.concatenate([self._base.samples(each, chosen) for each in maps])
        groups = x[: self.per_draw * GROUP].reshape(self.per_draw, GROUP, -1)
        return groups.var(axis=1, ddof=1) * self._factor[chosen]


def group_size(base: Source) -> int:
    """Return the draws per bundle: 1 where one draw has a few groups."""
    return 1 if base.per_draw >= 2 * GROUP else GROUP
