"""Independent samples from a drawn map, whose mean is the kernel at each pair.

Entries of one Gram matrix share a draw and are not independent. Whole draws always are, and so are
the units of one draw if the map declares it; a draw of m units then gives m samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, to_host
from mehler._plural import counted
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, Pairs, read
from mehler.verify.sampling._pairs import call as call

# Elements of the largest temporary, 32 MiB of float64.
BLOCK = 1 << 22


class Source(Protocol):
    """Samples of one drawn map, in units of sqrt(k(x,x) k(y,y)).

    `n_features` is the width of the map, `per_draw` the number of samples per pair and draw.
    """

    name: str
    n_features: int
    per_draw: int
    eps: float

    def samples(self, phi: Any, chosen: NDArray[np.int64]) -> Any:
        """Return samples of the pairs at index `chosen`, shape (per_draw, chosen)."""

    def sums(self, phi: Callable[..., Any], claim: Array) -> Any:
        """Return the sums of the first four powers of samples minus claims, shape (4, pairs)."""


class _Blocked:
    """Power sums computed from the samples, a block of pairs at a time."""

    name = ""

    def __init__(self, pairs: Pairs, n_features: int, per_draw: int, eps: float) -> None:
        self.pairs = pairs
        self.n_features = n_features
        self.per_draw = per_draw
        self.eps = eps

    def samples(self, phi: Any, chosen: NDArray[np.int64]) -> Any:
        raise NotImplementedError

    def sums(self, phi: Callable[..., Any], claim: Array) -> Any:
        total = np.empty((4, self.pairs.n))
        step = max(1, BLOCK // self.per_draw)
        for start in range(0, self.pairs.n, step):
            chosen = np.arange(start, min(start + step, self.pairs.n))
            total[:, chosen] = power_sums(self.samples(phi, chosen) - claim[chosen])
        return total


class Columns(_Blocked):
    """One sample per feature, m phi_l(x) phi_l(y), for maps with independent columns."""

    name = "independent features"

    def samples(self, phi: Any, chosen: NDArray[np.int64]) -> Any:
        left, right = self._scaled(phi)
        return (left[self.pairs.first[chosen]] * right[self.pairs.second[chosen]]).T

    def sums(self, phi: Callable[..., Any], claim: Array) -> Any:
        """Return power sums as Gram matrices: sum_l (z_il z_jl)^k is that of the k-th powers."""
        left, right = self._scaled(phi)
        total = np.zeros((4, left.shape[0], right.shape[0]))
        step = max(1, BLOCK // max(left.shape[0], right.shape[0]))
        for start in range(0, left.shape[1], step):
            a, b = left[:, start : start + step], right[:, start : start + step]
            power_a, power_b = a, b
            for k in range(4):
                total[k] += power_a @ power_b.T
                if k < 3:
                    power_a = power_a * a
                    power_b = power_a if left is right else power_b * b
        return about(claim, self.per_draw, total[:, self.pairs.first, self.pairs.second])

    def _scaled(self, phi: Callable[..., Any]) -> tuple[Any, Any]:
        left, right = both(phi, self.pairs, self.n_features)
        root = np.sqrt(self.n_features)
        scaled = root * left / self.pairs.left.unit[:, None]
        if self.pairs.same:
            return scaled, scaled
        return scaled, root * right / self.pairs.right.unit[:, None]


class Units(_Blocked):
    """One sample per unit: the columns of the map's own products(X, Y)."""

    name = "independent units"

    def samples(self, phi: Any, chosen: NDArray[np.int64]) -> Any:
        products = unit_products(phi, self.pairs, chosen)
        if products.shape[1] != self.per_draw:
            raise ValueError(
                f"products(X, Y) has {counted(products.shape[1], 'column')} in this draw but had "
                f"{self.per_draw} in the first: every draw must have the same size"
            )
        return (products / self.pairs.unit[chosen, None]).T


class Estimates(_Blocked):
    """One sample per draw, the whole estimate <phi(x), phi(y)>, for maps without declarations."""

    name = "independent draws"

    def samples(self, phi: Any, chosen: NDArray[np.int64]) -> Any:
        gram = estimate(phi, self.pairs, self.n_features)
        return (self.pairs.pick(gram) / self.pairs.unit)[chosen][None, :]


def power_sums(samples: Array) -> Any:
    """Return sums over axis 0 of the first four powers."""
    squares = samples * samples
    return np.stack(
        [
            samples.sum(axis=0),
            squares.sum(axis=0),
            (squares * samples).sum(axis=0),
            (squares * squares).sum(axis=0),
        ]
    )


def about(c: Array, n: int, sums: Array) -> Any:
    """Return power sums about c, given those about 0."""
    s1, s2, s3, s4 = sums
    return np.stack(
        [
            s1 - n * c,
            s2 - 2.0 * c * s1 + n * c**2,
            s3 - 3.0 * c * s2 + 3.0 * c**2 * s1 - n * c**3,
            s4 - 4.0 * c * s3 + 6.0 * c**2 * s2 - 4.0 * c**3 * s1 + n * c**4,
        ]
    )


def both(phi: Callable[..., Any], pairs: Pairs, n_features: int) -> tuple[Any, Any]:
    """Return the features of both sides in float64, as one array if the sides are the same."""
    left = sized(call(phi, pairs.left), n_features)
    return (left, left) if pairs.same else (left, sized(call(phi, pairs.right), n_features))


def estimate(phi: Callable[..., Any], pairs: Pairs, n_features: int) -> Any:
    """Return <phi(x_i), phi(y_j)>, by the map's own gram for codes, which have no inner product."""
    return estimate_and_lengths(phi, pairs, n_features)[0]


def estimate_and_lengths(
    phi: Callable[..., Any], pairs: Pairs, n_features: int
) -> tuple[Any, Any, Any]:
    """Return `estimate`, and <phi(x), phi(x)> of the rows of either side."""
    head = call(phi, pairs.left)
    if not np.issubdtype(head.dtype, np.floating) and hasattr(phi, "gram"):
        gram = _own_gram(phi, pairs.left, pairs.right)
        own = [gram] * 2
        if not pairs.same:
            own = [_own_gram(phi, side, side) for side in (pairs.left, pairs.right)]
        return gram, np.diag(own[0]), np.diag(own[1])
    left = sized(head, n_features)
    right = left if pairs.same else sized(call(phi, pairs.right), n_features)
    lengths = [np.einsum("ij,ij->i", side, side) for side in (left, right)]
    return left @ right.T, lengths[0], lengths[1]


def unit_products(phi: Any, pairs: Pairs, chosen: NDArray[np.int64]) -> Any:
    """Return phi.products of the chosen pairs, shape (chosen, units), in float64."""
    first, second = pairs.first[chosen], pairs.second[chosen]
    # Of the class alone: a wrapper may have products of its own, and pass on what it has not.
    at = getattr(type(phi), "_products_at", None)
    value = None
    if at is not None and len(pairs.left.host) + len(pairs.right.host) <= 2 * len(chosen):
        value = at(phi, pairs.left.given, pairs.right.given, first, second)
    if value is None:
        value = phi.products(pairs.left.gather(first), pairs.right.gather(second))
    value = np.asarray(to_host(value), dtype=np.float64)
    if value.ndim != 2 or value.shape[0] != len(chosen) or value.shape[1] == 0:
        raise ValueError(
            f"products(X, Y) of {counted(len(chosen), 'row')} has shape {value.shape}: "
            f"it must have shape ({len(chosen)}, units)"
        )
    return value


def _own_gram(phi: Any, left: EvaluatedRows, right: EvaluatedRows) -> Any:
    return np.asarray(to_host(phi.gram(left.given, right.given)), dtype=np.float64)


def sized(value: NDArray[np.float64], n_features: int) -> Any:
    """Return features of a draw in float64; ValueError unless they are as many as in the first."""
    if value.shape[1] != n_features:
        raise ValueError(
            f"a draw has {counted(value.shape[1], 'feature')} but the first had {n_features}: "
            "every draw must have the same size"
        )
    return value.astype(np.float64)


# Pairs at which a map's own products are compared with its features.
_PROBES = 8


def choose_source(phi: Callable[..., Any], pairs: Pairs, independent_features: bool) -> Source:
    """Return the source with most samples per draw that the map's declarations and values allow."""
    head, eps = read(phi, pairs.left)
    m = head.shape[1]
    if independent_features:
        return Columns(pairs, m, m, eps)
    if getattr(phi, "independent_units", False):
        return unit_source(phi, pairs) or Estimates(pairs, m, 1, eps)
    return Estimates(pairs, m, 1, eps)


def unit_source(phi: Callable[..., Any], pairs: Pairs) -> Source | None:
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


def units_of(phi: Callable[..., Any], n_features: int) -> int:
    """Return the number of independent units of a draw, each of one or more columns; 0 if none."""
    if not getattr(phi, "independent_units", False):
        return 0
    return int(getattr(phi, "n_units", n_features))


def declared_variance(phi: Callable[..., Any], source: Source) -> Any:
    """Return the declared n_features * Var<phi(x), phi(y)>; dependent units need gram_variance."""
    of_gram = getattr(phi, "gram_variance", None)
    if source.per_draw == 1 and of_gram is not None:
        return lambda X, Y: np.asarray(of_gram(X, Y)) * source.n_features
    return getattr(phi, "variance", None)


def _close(a: NDArray[np.float64], b: NDArray[np.float64], slack: float) -> bool:
    return bool(np.abs(a - b).max() <= slack * max(np.abs(a).max(), np.abs(b).max()))


class Repeats:
    """Whether draws have given the same values so far, none of them all 0, as rare events are."""

    def __init__(self) -> None:
        self._first: tuple[Array, ...] = ()
        self.so_far, self._draws = True, 0

    def add(self, *values: Array) -> None:
        """Compare the values of a draw with those of the first."""
        self._first = self._first or values
        self.so_far = self.so_far and all(map(np.array_equal, values, self._first))
        self._draws += 1

    @property
    def is_fixed(self) -> bool:
        """Whether two draws or more were one fixed map."""
        return self._draws > 1 and self.so_far and all(bool(np.any(each)) for each in self._first)


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

    def __init__(
        self, base: Source, pairs: Pairs, declared: NDArray[np.float64], bundle: int
    ) -> None:
        super().__init__(pairs, base.n_features * bundle, base.per_draw * bundle // GROUP, base.eps)
        self.name = base.name
        self._base, self.whole_draws = base, base.per_draw == 1
        # The declared variance is n_features times that of the mean of per_draw samples.
        self._factor = base.n_features / base.per_draw / declared

    def samples(self, phi: Any, chosen: NDArray[np.int64]) -> Any:
        maps = phi if isinstance(phi, tuple) else (phi,)
        x = np.concatenate([self._base.samples(each, chosen) for each in maps])
        groups = x[: self.per_draw * GROUP].reshape(self.per_draw, GROUP, -1)
        return groups.var(axis=1, ddof=1) * self._factor[chosen]


def group_size(base: Source) -> int:
    """Return the draws per bundle: 1 where one draw has a few groups."""
    return 1 if base.per_draw >= 2 * GROUP else GROUP
