"""Choose the samples that a map's declarations allow, or their variances by groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._output import read
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import (
    Columns,
    Estimates,
    Source,
    Units,
    _Blocked,
    both,
    estimate,
    unit_products,
)

# Pairs at which a map's own products are compared with its features.
_PROBES = 8


def choose_source(phi: Any, pairs: Pairs, independent_features: bool) -> Source:
    """Return the source with most samples per draw that the map's declarations and values allow."""
    head, eps = read(phi, pairs.left)
    m = head.shape[1]
    if independent_features:
        return Columns(pairs, m, m, eps)
    if getattr(phi, "independent_units", False):
        return unit_source(phi, pairs) or Estimates(pairs, m, 1, eps)
    return Estimates(pairs, m, 1, eps)


def unit_source(phi: Any, pairs: Pairs) -> Source | None:
    """Return the source of one sample per unit, independent or not; None without such products.

    A map's `products` are used only where they agree with its features, so that correct products
    cannot hide a defect in the features.
    """
    if not callable(getattr(phi, "products", None)):
        return None
    head, eps = read(phi, pairs.left)
    floating, m = np.issubdtype(head.dtype, np.floating), head.shape[1]
    probes = np.unique(np.linspace(0, pairs.n - 1, _PROBES).astype(int))
    products = unit_products(phi, pairs, probes)
    # Each route sums n_inputs and m rounded terms; 64 covers the constants.
    slack = 64.0 * eps * np.sqrt(pairs.left.host.shape[1] + m)
    if floating and products.shape[1] == m:
        left, right = both(phi, pairs, m)
        columns = m * left[pairs.first[probes]] * right[pairs.second[probes]]
        if _close(products, columns, slack):
            return Columns(pairs, m, m, eps)
    whole = pairs.pick(estimate(phi, pairs, m))[probes]
    if np.abs(products.mean(axis=1) - whole).max() <= slack * np.abs(products).mean(axis=1).max():
        return Units(pairs, m, products.shape[1], eps)
    return None


def units_of(phi: Any, n_features: int) -> int:
    """Return the number of independent units of a draw, each of one or more columns; 0 if none."""
    if not getattr(phi, "independent_units", False):
        return 0
    return int(getattr(phi, "n_units", n_features))


def declared_variance(phi: Any, source: Source) -> Any:
    """Return the declared n_features * Var<phi(x), phi(y)>; dependent units need gram_variance."""
    of_gram = getattr(phi, "gram_variance", None)
    if source.per_draw == 1 and of_gram is not None:
        return lambda X, Y: np.asarray(of_gram(X, Y)) * source.n_features
    return getattr(phi, "variance", None)


def _close(a: Any, b: Any, slack: float) -> bool:
    return bool(np.abs(a - b).max() <= slack * max(np.abs(a).max(), np.abs(b).max()))


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
