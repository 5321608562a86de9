"""Independent samples from drawn maps phi, to test a claim such as E<phi(x), phi(y)> = k(x, y).

Entries of one Gram matrix share a draw and are not independent. Whole draws always are: `Estimates`
takes one sample, <phi(x), phi(y)>, of each. If phi declares its m features (`Columns`), or groups
of several features (`UnitProducts`), independent, each is a sample: a draw gives up to m of them.
A check puts an interval about each mean, from sums of powers of samples. It also bets, as in a fair
game, that squares |u + v|^2 and |u - v|^2 are larger than claimed, u and v being phi(x) and phi(y)
over their claimed lengths. A large win refutes the claim. Squares, unlike products, are never
negative, and such bets then need no variance. Means are in units of scale, sqrt(k(x,x) k(y,y)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, to_host
from mehler._plural import be, counted
from mehler.verify._maps import Draws, EvaluatedRows, RowPairs, call, evaluate, is_feature_map

Reals = float | NDArray[np.float64]  # one value, or one for each mean

CANCELLED = 64.0 * float(np.finfo(np.float64).eps)  # relative rounding of sums that cancel


def power_sums(samples: Array) -> Any:
    squares = samples * samples
    parts = (samples, squares, squares * samples, squares * squares)
    return np.stack([part.sum(axis=0) for part in parts])


def about(c: Array, n: int, sums: Array) -> Any:
    """Return sums of the powers of X - c, given the power sums of n samples X."""
    (first, second, third, fourth), d = sums, -c
    seconds = second + 2.0 * d * first + n * d**2
    thirds = third + 3.0 * d * second + 3.0 * d**2 * first + n * d**3
    fourths = fourth + 4.0 * d * third + 6.0 * d**2 * second + 4.0 * d**3 * first + n * d**4
    return np.stack([first - n * c, seconds, thirds, fourths])


def sums_and_differences(whole: Reals, cross: Reals) -> Any:
    """Return |u + v|^2 and |u - v|^2 from |u|^2 + |v|^2 and <u, v>, along the last axis."""
    return np.concatenate([whole + 2.0 * cross, whole - 2.0 * cross], axis=-1)


class CentralSums:
    """The mean of n samples, and the sums of their second to fourth powers about it."""

    def __init__(self, n: float, sums: NDArray[np.float64]) -> None:
        s1, s2, s3, s4 = sums
        self.n, self.mean = n, (m := s1 / n)
        self.squares = np.maximum(s2 - m * s1, 0.0)
        self.cubes = s3 - 3.0 * m * s2 + 2.0 * n * m**3
        self.fourths = np.maximum(s4 - 4.0 * m * s3 + 6.0 * m**2 * s2 - 3.0 * n * m**4, 0.0)
        # Bounds on the rounding errors of the squares and the fourths.
        self.slack = CANCELLED * s2, CANCELLED * (s4 + 6.0 * m**2 * s2 + n * m**4)

    def at(self, d: Reals, sign: Reals = 1.0) -> Any:
        """Return sums of powers 2 to 4 of sign (X - mean) + d, the even ones rounded upwards."""
        second, third = self.squares + self.slack[0], sign * self.cubes
        thirds = third + 3.0 * d * second + self.n * d**3
        fourths = self.fourths + self.slack[1] + 4.0 * d * third + 6.0 * d**2 * second
        return second + self.n * d**2, thirds, fourths + self.n * d**4


# Elements of the largest temporary; features averaged to one sample of a betting test, and most
# elements of all averages of a draw.
BLOCK, _TOGETHER, _MOST_AVERAGES = 1 << 22, 4, 1 << 21

# Unit of kernels, as `Verdict.scale` states it, and what every check of draws assumes.
KERNEL_UNIT = "sqrt(k(x,x) k(y,y))"
INDEPENDENT = "draws from different seeds are independent"


class Finding(Exception):
    """A refutation without error rate, such as a sample out of bounds: mean, reason and value."""

    def __init__(
        self, mean: int, reason: str, value: float, method: str, n_draws: int = 1, **more: Any
    ) -> None:
        super().__init__(reason)
        self.mean, self.reason, self.value, self.method = mean, reason, value, method
        self.n_draws, self.more = n_draws, more


class Source:
    """Independent samples, from maps, of many means claimed to be `claim`, over scales `unit`.

    Both have shape (means,). A draw gives `per_draw` samples; `rounding` bounds a mean's rounding.
    """

    name, events, independence = "", "draws", INDEPENDENT
    # The class attributes are for a `Verdict`, the report of a check. Words for what a mean is of,
    # its scale and what is bet on, and what helps where too few samples leave a claim open.
    noun, unit_name, squares = "pair", KERNEL_UNIT, "squared lengths"
    remedy = "declare variance= or bounds=, or draw larger maps"
    # Draws or features per sample; whether the claim is an upper bound, which a mean may be below.
    group, is_bound = 1, False
    # The word for what a verdict counts where it says how many would decide.
    counted_in, eps = "feature", 0.0
    ignored = ""  # a sentence on attributes of the map that are no declarations
    pairs: Any  # the `RowPairs`, in sources of one mean per pair

    def __init__(
        self, claim: Array, unit: Array, n_features: int, per_draw: int, rounding: float
    ) -> None:
        self.claim, self.unit = claim, unit
        self.n_features, self.per_draw, self.rounding = n_features, per_draw, rounding

    def samples(self, phi: Callable[..., Any], index: NDArray[np.int64]) -> Any:
        """Return samples of the means at an index, shape (per_draw, index.size)."""
        raise NotImplementedError

    def sums(self, phi: Callable[..., Any]) -> Any:
        """Return sums of the first four powers of samples minus claimed means, shape (4, means)."""
        total = np.empty((4, self.claim.size))
        for index in self.blocks():
            total[:, index] = power_sums(self.samples(phi, index) - self.claim[index])
        return total

    def lengths(self) -> tuple[Any, ...] | None:
        """Return what `SquaredLengths`, bets on squares, takes, if their means are claimed."""
        return None

    def of_draw(self, phi: Callable[..., Any]) -> tuple[Any, ...]:
        """Return power sums, values that identify the draw, squares to bet on, and their sizes."""
        sums = self.sums(phi)
        return sums, sums, (), ()

    def blocks(self) -> list[NDArray[np.int64]]:
        """Return the indices of means in blocks whose samples fit into one temporary array."""
        step = max(1, BLOCK // self.per_draw)
        return np.split(np.arange(self.claim.size), range(step, self.claim.size, step))

    def place(self, index: int) -> dict[str, Any]:
        return self.pairs.place(index)

    def unit_text(self, index: int) -> str:
        return f"{self.unit_name} = {float(self.unit[index]):.3g} there"

    def certificate_data(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what a certificate states of the source, and of each of its means."""
        return {}, {}


class PairSource(Source):
    """Samples of products <phi(x), phi(y)> at pairs of rows, over scales sqrt(k(x,x) k(y,y))."""

    def __init__(self, pairs: RowPairs, n_features: int, per_draw: int, eps: float) -> None:
        # Rounding errors of an inner product of d terms add up like independent ones to about
        # sqrt(d) eps (Higham and Mary 2019); 8 covers both factors of a product and their sum.
        rounding = 8.0 * float(np.sqrt(pairs.left.host.shape[1])) * eps
        super().__init__(pairs.claim, pairs.unit, n_features, per_draw, rounding)
        self.pairs, self.eps = pairs, eps

    def lengths(self) -> tuple[Any, ...]:
        """Return claims of |u + v|^2 and |u - v|^2 at pairs, u = phi(x)/sqrt(k(x,x)), v of y."""
        claims = sums_and_differences(self.pairs.squares, self.pairs.claim)
        forms = "|u {} v|^2, u = phi(x)/sqrt(k(x,x)), v = phi(y)/sqrt(k(y,y))"
        return claims, np.stack([self.pairs.first, self.pairs.second]), self.rounding, forms

    def of_draw(self, phi: Callable[..., Any]) -> tuple[Any, ...]:
        cross, left, right, sums = self._products(phi)
        size = left[:, self.pairs.first] + right[:, self.pairs.second]
        return sums, cross, sums_and_differences(size, cross), size

    def _products(self, phi: Callable[..., Any]) -> tuple[Any, Any, Any, Any]:
        pairs = self.pairs
        gram, left, right = estimate_and_lengths(phi, pairs, self.n_features)
        cross = (pairs.pick(gram) / pairs.unit)[None]
        left, right = left / pairs.left.unit**2, right / pairs.right.unit**2
        sums = power_sums(cross - self.claim) if isinstance(self, Estimates) else self.sums(phi)
        return cross, left[None], right[None], sums

    def certificate_data(self) -> tuple[dict[str, Any], dict[str, Any]]:
        rows = [len(self.pairs.left.host), None if self.pairs.same else len(self.pairs.right.host)]
        return {"rows": rows}, {"pair": np.stack([self.pairs.first, self.pairs.second])}


class Columns(PairSource):
    """One sample per feature l of m, m phi_l(x) phi_l(y), for maps with independent columns."""

    name, events = "independent features", "features"
    independence = "draws and the features of a draw are independent and alike"

    def samples(self, phi: Callable[..., Any], index: NDArray[np.int64]) -> Any:
        left, right = self._normalised(phi)
        return (left[self.pairs.first[index]] * right[self.pairs.second[index]]).T

    def sums(self, phi: Callable[..., Any]) -> Any:
        return self._sums(*self._normalised(phi))

    def _sums(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> Any:
        """Return power sums at all pairs: sum_l (z_il z_jl)^k is a Gram matrix of k-th powers."""
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
        return about(self.claim, self.per_draw, total[:, self.pairs.first, self.pairs.second])

    def _products(self, phi: Callable[..., Any]) -> tuple[Any, Any, Any, Any]:
        """Return products and lengths, averaged over few features: more bets win more."""
        pairs, m, (left, right) = self.pairs, self.n_features, self._normalised(phi)
        u, v, block = left.T, right.T, max(_TOGETHER, math.ceil(2 * pairs.n * m / _MOST_AVERAGES))
        starts = np.arange(0, m, block)
        sizes = np.diff(np.append(starts, m))[:, None]
        parts = (u[:, pairs.first] * v[:, pairs.second], u * u, v * v)
        cross, us, vs = (np.add.reduceat(part, starts, axis=0) / sizes for part in parts)
        return cross, us, vs, self._sums(left, right)

    def _normalised(self, phi: Callable[..., Any]) -> tuple[Any, Any]:
        left, right = both(phi, self.pairs, self.n_features)
        root = np.sqrt(self.n_features)
        left = root * left / self.pairs.left.unit[:, None]
        if self.pairs.same:
            return left, left
        return left, root * right / self.pairs.right.unit[:, None]


class UnitProducts(PairSource):
    """One sample per unit, a column of the map's products(X, Y); their mean is <phi(x), phi(y)>."""

    name, events = "independent units", "units"
    independence = "draws and the units of a draw are independent and alike"

    def samples(self, phi: Callable[..., Any], index: NDArray[np.int64]) -> Any:
        products = unit_products(phi, self.pairs, index)
        if products.shape[1] != self.per_draw:
            n = counted(products.shape[1], "column")
            text = f"products(X, Y) has {n} in this draw but had {self.per_draw} in the first"
            raise ValueError(f"{text}: every draw must have the same size")
        whole = self.pairs.pick(estimate(phi, self.pairs, self.n_features))[index]
        off = np.abs(products.mean(axis=1) - whole)
        size = np.abs(products).mean(axis=1).max()
        if off.max() > slack_of(self.pairs, self.n_features, self.eps) * size:
            k = int(np.argmax(off))
            text = f"In one draw products(X, Y) average to {products[k].mean():.6g}, and features"
            reason = f"{text} to {whole[k]:.6g}: the features or the products are wrong."
            method = "products compared with features"
            raise Finding(int(index[k]), reason, float(whole[k]), method)
        return (products / self.pairs.unit[index, None]).T


class Estimates(PairSource):
    """One sample per draw, the whole estimate <phi(x), phi(y)>, for maps without declarations."""

    name = "independent draws"

    def samples(self, phi: Callable[..., Any], index: NDArray[np.int64]) -> Any:
        gram = estimate(phi, self.pairs, self.n_features)
        return (self.pairs.pick(gram) / self.pairs.unit)[index][None, :]


def both(phi: Callable[..., Any], pairs: RowPairs, n_features: int) -> tuple[Any, Any]:
    left = require_width(call(phi, pairs.left), n_features)
    return (left, left) if pairs.same else (left, require_width(call(phi, pairs.right), n_features))


def estimate(phi: Callable[..., Any], pairs: RowPairs, n_features: int) -> Any:
    """Return <phi(x_i), phi(y_j)>, of features that are codes (integers) by the map's own gram."""
    return estimate_and_lengths(phi, pairs, n_features)[0]


def estimate_and_lengths(phi: Any, pairs: RowPairs, n_features: int) -> tuple[Any, Any, Any]:
    """Return `estimate`, and <phi(x), phi(x)> of the rows of either side."""
    head = call(phi, pairs.left)
    if not np.issubdtype(head.dtype, np.floating) and hasattr(phi, "gram"):
        x, y = pairs.left.array, pairs.right.array
        sides = [(x, y)] if pairs.same else [(x, y), (x, x), (y, y)]
        grams = [np.asarray(to_host(phi.gram(*side)), dtype=np.float64) for side in sides]
        return grams[0], np.diag(grams[1 % len(grams)]), np.diag(grams[-1])
    left = require_width(head, n_features)
    right = left if pairs.same else require_width(call(phi, pairs.right), n_features)
    lengths = [np.einsum("ij,ij->i", side, side) for side in (left, right)]
    return left @ right.T, lengths[0], lengths[1]


def unit_products(phi: Any, pairs: RowPairs, index: NDArray[np.int64]) -> Any:
    """Return phi.products of the chosen pairs, shape (chosen, units), in float64."""
    first, second = pairs.first[index], pairs.second[index]
    # Of the class alone: a wrapper may have products of its own, and pass on what it has not.
    at = getattr(type(phi), "_products_at", None)
    value = None
    if at is not None and len(pairs.left.host) + len(pairs.right.host) <= 2 * len(index):
        value = at(phi, pairs.left.array, pairs.right.array, first, second)
    if value is None:
        value = phi.products(pairs.left.gather(first), pairs.right.gather(second))
    value = np.asarray(to_host(value), dtype=np.float64)
    if value.ndim != 2 or value.shape[0] != len(index) or value.shape[1] == 0:
        text = f"products(X, Y) of {counted(len(index), 'row')} has shape {value.shape}"
        raise ValueError(f"{text}: it must have shape ({len(index)}, units)")
    return value


def require_width(value: NDArray[np.float64], n_features: int) -> Any:
    if value.shape[1] != n_features:
        text = f"a draw has {counted(value.shape[1], 'feature')} of {counted(len(value), 'row')}"
        text += f" but the first had {n_features}: every draw must have the same size"
        raise ValueError(f"{text}, whatever the number of rows")
    return value.astype(np.float64)


# Functions that a `FeatureMap`, or a class with `independent_units`, may declare; else ignored.
_DECLARATIONS = ("variance", "gram_variance", "product_kurtosis", "products", "feature_cdf")


def declaration(phi: object, name: str, default: Any = None) -> Any:
    declares = is_feature_map(phi) or hasattr(type(phi), "independent_units")
    value = getattr(phi, name, default) if declares else default
    return default if name in _DECLARATIONS and not callable(value) else value


def slack_of(pairs: RowPairs, m: int, eps: float) -> float:
    """Return the rounding error of sums of n_inputs and of m terms; 64 covers the constants."""
    return 64.0 * eps * float(np.sqrt(pairs.left.host.shape[1] + m))


def choose_source(phi: Any, pairs: RowPairs, independent_features: bool) -> PairSource:
    """Return the source of most samples per draw that the declarations of map phi justify."""
    source = _best_source(phi, pairs, independent_features)
    names = []
    for name in _DECLARATIONS:
        with suppress(Exception):  # of properties that raise
            # Of modules of PyTorch, neither class nor dict has parameters.
            if getattr(phi, name, None) is not None and not callable(declaration(phi, name)):
                names.append(name)
    text = f"{', '.join(names)} of the class {type(phi).__name__} declared nothing and"
    source.ignored = f"{text} {be(len(names), past=True)} ignored" if names else ""
    return source


def _best_source(phi: Any, pairs: RowPairs, independent_features: bool) -> PairSource:
    # Products are used only where they agree with the features, and so can hide no defect of them.
    head, eps = evaluate(phi, pairs.left)
    m = head.shape[1]
    if independent_features:
        return Columns(pairs, m, m, eps)
    if not (declaration(phi, "independent_units", False) and declaration(phi, "products")):
        return Estimates(pairs, m, 1, eps)
    n_probes = min(pairs.n, max(8, BLOCK // (8 * m)))  # all, if a temporary holds them
    probes = np.unique(np.linspace(0, pairs.n - 1, n_probes).astype(int))
    products = unit_products(phi, pairs, probes)
    slack = slack_of(pairs, m, eps)
    if np.issubdtype(head.dtype, np.floating) and products.shape[1] == m:
        left, right = both(phi, pairs, m)
        columns = m * left[pairs.first[probes]] * right[pairs.second[probes]]
        size = max(np.abs(products).max(), np.abs(columns).max())
        if np.abs(products - columns).max() <= slack * size:
            return Columns(pairs, m, m, eps)
    whole = pairs.pick(estimate(phi, pairs, m))[probes]
    if np.abs(products.mean(axis=1) - whole).max() <= slack * np.abs(products).mean(axis=1).max():
        return UnitProducts(pairs, m, products.shape[1], eps)
    return Estimates(pairs, m, 1, eps)


def units_of(phi: object, n_features: int) -> int:
    """Return the number of independent units of a draw, each of one or more columns; 0 if none."""
    if not declaration(phi, "independent_units", False):
        return 0
    return int(getattr(phi, "n_units", n_features))


def declared_variance(phi: object, source: Source) -> Any:
    """Return the declared n_features * Var<phi(x), phi(y)>; dependent units need gram_variance."""
    of_gram = declaration(phi, "gram_variance")
    if source.per_draw == 1 and callable(of_gram):
        return lambda X, Y: np.asarray(of_gram(X, Y)) * source.n_features
    return declaration(phi, "variance")


# Least and largest number of seeds that must agree: nonzero features may be rare, 1 in hundreds.
_ALIKE = 20, 2300


def ignored_seed(draws: Draws, rows: EvaluatedRows, n_draws: int) -> str:
    """Return a sentence if all draws are bitwise equal and not 0, else an empty text."""
    least, most = _ALIKE
    first = np.array(call(draws[0], rows))  # a copy, which no later call overwrites
    n = max(least, min(n_draws, most))
    alike = first.any() and all(np.array_equal(call(draws[k], rows), first) for k in range(n))
    return f"draw ignores its seed: {counted(n, 'seed')} gave the same features" if alike else ""
