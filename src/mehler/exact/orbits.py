"""Mean and variance of products of :class:`mehler.GroupInvariantFeatures` of two rows x and y.

A feature of x is the share of elements g of a group with <t, g x> <= tau_k. A :class:`TemplateLaw`
draws the random vector t, a template; :class:`Bins` hold the thresholds tau_k. The product of the
features of x and y, summed over k, is thus the mean over pairs of elements g and h of a product of
two indicators, of a = g x and b = h y. :func:`expected_product` and :func:`expected_square` have
its mean and mean square over t, by the norms of a and b and their inner product alone; callers
average over g and h. `limit_variance_bound` is for all pairs of elements at once, and the last
functions are for the variance over a random sample of them. All run on the host, in float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler._validate import (
    require_choice,
    require_instance,
    require_integer,
    require_positive,
    require_real,
    require_reals,
)
from mehler.exact._templates import LAWS as LAWS
from mehler.exact._templates import TemplateLaw

__all__ = ["Bins", "TemplateLaw", "expected_product", "expected_square"]

Floats = NDArray[np.float64]
RULES = ("paper", "trapezoid", "midpoint", "dither")
_LONGEST = 1e150  # squares of longer vectors overflow


@dataclass(frozen=True)
class Bins:
    r"""Thresholds tau_k in [-s, s] at distance h = s/n, and weights of the sum over them.

    .. math:: B(v) = \sum_k w_k 1[v \le \tau_k] \approx s - v

    Parameters
    ----------
    n_bins, window : int, float
        n, bins on each side of 0, and s.
    rule : {'paper', 'trapezoid', 'midpoint', 'dither'}
        'paper': k h for -n <= k <= n, all weights h; B is above s - v, by at most h. 'trapezoid':
        the same with h/2 at both ends. 'midpoint': (k + 1/2) h for -n <= k < n. 'dither': (k + u) h
        with one u uniform on [0, 1) for each template: B is s - v in the mean over u, exactly.

    Examples
    --------
    >>> Bins(2, 1.0, "paper").thresholds
    array([-1. , -0.5,  0. ,  0.5,  1. ])
    """

    n_bins: int
    window: float
    rule: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_bins", require_integer("n_bins", self.n_bins, most=10**6))
        object.__setattr__(self, "window", require_positive("window", self.window))
        require_choice("rule", self.rule, RULES)

    @property
    def step(self) -> float:
        """h, the distance of neighbouring thresholds."""
        return self.window / self.n_bins

    @property
    def columns(self) -> int:
        """Number of thresholds: columns per template."""
        return 2 * self.n_bins + (self.rule in ("paper", "trapezoid"))

    @property
    def thresholds(self) -> Floats:
        """Ascending thresholds; for 'dither' those of u = 0."""
        shift = 0.5 if self.rule == "midpoint" else 0.0
        places = np.arange(self.columns, dtype=np.float64) - self.n_bins + shift
        return self.step * places

    @property
    def weights(self) -> Floats:
        """Weights w_k of the thresholds."""
        weights = np.full(self.columns, self.step)
        if self.rule == "trapezoid":
            weights[[0, -1]] *= 0.5
        return weights


_CELLS = 64  # least number in the upper sum for the square of dithered products


def angles(left: Floats, right: Floats, inner: Floats) -> tuple[Floats, Floats]:
    """Return the angles, seen from a and from b, at which <t, a> = <t, b>.

    pi/2 less the angle between a and a - b, in [-pi/2, pi/2]; 0 where a = b.
    """
    longest = left * right
    inner = np.clip(inner, -longest, longest)
    area = np.sqrt((longest - inner) * (longest + inner))
    return np.arctan2(left * left - inner, area), np.arctan2(right * right - inner, area)


def expected_product(
    law: TemplateLaw, bins: Bins, left: ArrayLike, right: ArrayLike, inner: ArrayLike
) -> Floats:
    r"""Compute the mean over random templates t of the binned product of two indicators, exactly.

    .. math:: E \sum_k w_k 1[\langle t, a\rangle \le \tau_k]\,1[\langle t, b\rangle \le \tau_k]
              = E\,B(\max(\langle t, a\rangle, \langle t, b\rangle))

    Parameters
    ----------
    law, bins : TemplateLaw, Bins
        Distribution of the templates t; thresholds and their weights.
    left, right, inner : array
        Norms of a and of b, at most 1e150, and their inner product; of one shape.

    Returns
    -------
    array of float64, of that shape
        Absolute error about 1e-13 times the window. A wedge integral for each threshold and vector:
        d/2 steps, or one call of Owen's function, or both. Where the window cuts nothing off,
        dithered bins cost a square root. Theory: :doc:`/theorems/group-invariant-expectation`.

    Examples
    --------
    >>> import numpy as np
    >>> law, one = TemplateLaw("sphere", 3), np.ones(1)
    >>> expected_product(law, Bins(5, 1.0, "dither"), one, one, 0 * one)  # s - sqrt(2)/4
    array([0.64644661])
    """
    left, right, inner = _require(law, bins, left, right, inner)
    if bins.rule == "dither":
        value = _unbinned(law, bins.window, left, right, inner)
    else:
        theta = angles(left, right, inner)
        value = np.zeros_like(left)
        for tau, up, down in _mirrored(bins.thresholds, bins.weights):
            value += _joint(law, tau, up, down, (left, right), theta)
    return law.mass * value  # rejected templates, whose features are 0, are the rest


def expected_square(
    law: TemplateLaw, bins: Bins, left: ArrayLike, right: ArrayLike, inner: ArrayLike
) -> Floats:
    r"""Compute the mean square of the product that :func:`expected_product` averages.

    .. math:: E\,B(\max(\langle t, a\rangle, \langle t, b\rangle))^2

    Arguments and result are those of :func:`expected_product`. Exact, except for dithered bins: an
    upper bound, by an upper Riemann sum of the joint distribution function, and h^2/4 for offsets.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.ones(1)
    >>> expected_square(TemplateLaw("sphere", 3), Bins(1, 1.0, "paper"), one, one, one)
    array([2.5])
    """
    left, right, inner = _require(law, bins, left, right, inner)
    theta = angles(left, right, inner)
    value = np.zeros_like(left)
    if bins.rule == "dither":
        # (s - M)^2 = integral of 2 (s - tau) 1[M <= tau]; each cell at its upper end.
        cells = max(1, -(-_CELLS // (2 * bins.n_bins))) * bins.n_bins
        ends = bins.window * np.arange(-cells, cells + 1) / cells
        gaps = (bins.window - ends) ** 2
        nodes, coefficients = ends[1:], gaps[:-1] - gaps[1:]
        value += 0.25 * bins.step**2
    else:
        nodes, weights = bins.thresholds, bins.weights
        later = np.append(np.cumsum(weights[::-1])[::-1], 0.0)[1:]
        coefficients = weights * (weights + 2.0 * later)
    for tau, up, down in _mirrored(nodes, coefficients):
        value += _joint(law, tau, up, down, (left, right), theta)
    return law.mass * value


def _require(
    law: TemplateLaw, bins: Bins, left: Any, right: Any, inner: Any
) -> tuple[Floats, Floats, Floats]:
    require_instance("law", law, TemplateLaw)
    require_instance("bins", bins, Bins)
    a, b, product = np.broadcast_arrays(
        _require_norms("left", left), _require_norms("right", right), require_reals("inner", inner)
    )
    # Rounding of float32, and products that underflow.
    if (np.abs(product) > a * b * (1.0 + 1e-6) + 1e-300).any():
        raise ValueError("inner must be inner products, at most the product of both norms")
    return a, b, product


def _require_norms(name: str, values: Any) -> Floats:
    norms = require_reals(name, values)
    if ((norms < 0.0) | (norms > _LONGEST)).any():
        raise ValueError(f"{name} must be at least 0 and at most {_LONGEST:g}: scale the rows")
    return norms


def _unbinned(
    law: TemplateLaw, window: float, left: Floats, right: Floats, inner: Floats
) -> Floats:
    """Compute s - E clip(max(<t, a>, <t, b>)) for dithered bins, if t is not rejected."""
    longest = max(left.max(initial=0.0), right.max(initial=0.0))
    if longest == 0.0 or law.reach * longest <= window:
        square = np.maximum(left * left + right * right - 2.0 * inner, 0.0)
        return window - 0.5 * law.mean_absolute * np.sqrt(square)
    value = np.full_like(left, window)
    for length, theta in zip((left, right), angles(left, right, inner)):
        safe = np.where(length > 0.0, length, 1.0)
        mean = 2.0 * length * law.wedge_below(window / safe, theta)
        value -= np.where(length > 0.0, mean, 0.0)
    return value


def _mirrored(nodes: Floats, coefficients: Floats) -> list[tuple[float, float, float]]:
    """Group thresholds by absolute value: (tau >= 0, coefficient of tau, coefficient of -tau)."""
    pairs: dict[float, list[float]] = {}
    for node, coefficient in zip(nodes.tolist(), coefficients.tolist()):
        entry = pairs.setdefault(abs(node), [0.0, 0.0])
        entry[1 if node < 0.0 else 0] += coefficient
    return [(tau, up, down) for tau, (up, down) in pairs.items()]


def _joint(
    law: TemplateLaw, tau: float, up: float, down: float, lengths: Any, theta: Any
) -> Floats:
    """Compute up P(<t, a>, <t, b> <= tau) + down P(both <= -tau), tau >= 0; up counts ties."""
    tails: Any = 0.0
    wedges: Any = 0.0
    for length, angle in zip(lengths, theta):
        there = length > 0.0
        h = np.where(there, tau / np.where(there, length, 1.0), 0.0)
        wedges = wedges + np.where(there, law.wedge(h, angle), 0.0)
        if up != down:  # else the tails cancel
            tails = tails + np.where(there, 0.5 * law.tail(h), 0.0)
    return up * (1.0 - tails - wedges) + down * (tails - wedges)


def limit_variance_bound(
    law: TemplateLaw, centre_square: Any, mean_distance: Any, concentration: float
) -> Any:
    """Bound the variance over t of s - max(<t, a_i>, <t, b_j>), averaged over all pairs (i, j).

    It is the product of the features of x and y without bins; a_i = g_i x and b_j = g_j y are all
    moved rows. `centre_square` is the squared norm of mean(a_i) + mean(b_j), `mean_distance` the
    mean length of u = a_i - b_j, `concentration` the squared Frobenius norm of the mean of
    u u^T / length(u). Proof: :doc:`/theorems/certified-balls`.
    """
    square = law.mean_square
    even = (1.0 - 2.0 / math.pi) * concentration
    rest = 2.0 * square / math.pi - law.mean_absolute**2
    return 0.25 * square * (centre_square + even) + 0.25 * mean_distance**2 * rest


def coincidence_weight(size: int, order: int, *, replacement: bool) -> float:
    """Compute the weight w of equal elements in a mean over all pairs of r out of N elements.

    Over pairs of the sample a function F of two elements has the expected mean (1 - w) times that
    over all pairs, plus w times that over equal ones. For independent draws w = 1/r, for distinct
    ones (N - r)/(r (N - 1)).
    """
    r = require_integer("size", size)
    n = require_integer("order", order)
    if replacement:
        return 1 / r
    if r > n:
        raise ValueError(f"size={r} distinct elements out of order={n} do not exist")
    return 0.0 if r == n else (n - r) / (r * (n - 1))


def sample_variance(matrix: ArrayLike, size: int, *, replacement: bool) -> Any:
    """Compute the variance of the mean of F over all pairs of r elements, drawn from all N.

    `matrix` (..., N, N) is F at all pairs (g, h), such as the expected products at g x and h y;
    cancellation leaves about 1e-14 of the squared mean.
    """
    F = np.asarray(matrix, dtype=np.float64)
    N = F.shape[-1]
    coincidence_weight(size, N, replacement=replacement)
    mean = F.mean(axis=(-2, -1), keepdims=True)
    F = 0.5 * (F + np.swapaxes(F, -1, -2)) - mean  # centred: less cancellation
    diagonal = np.diagonal(F, axis1=-2, axis2=-1)
    r = require_real("size", size)
    if replacement:
        rows = F.mean(axis=-1)
        pairs = r * (r - 1.0)
        square = (
            r * (diagonal**2).mean(axis=-1)
            + pairs * diagonal.mean(axis=-1) ** 2
            + 4.0 * pairs * (diagonal * rows).mean(axis=-1)
            + 2.0 * pairs * (F * F).mean(axis=(-2, -1))
            + 4.0 * pairs * (r - 2.0) * (rows * rows).mean(axis=-1)
        )
        expected = r * diagonal.mean(axis=-1)
        return np.maximum(square - expected**2, 0.0) / r**4
    p = [1.0]
    for k in range(4):  # probability that k + 1 given elements are all in the sample
        p.append(p[-1] * max(r - k, 0.0) / (N - k) if k < N else 0.0)
    off = F - diagonal[..., None] * np.eye(N)
    rows, ends = off.sum(axis=-1), diagonal.sum(axis=-1)
    total = rows.sum(axis=-1)
    squares, row_squares = (off * off).sum(axis=(-2, -1)), (rows * rows).sum(axis=-1)
    cross = (diagonal * rows).sum(axis=-1)
    alone = (diagonal**2).sum(axis=-1)
    square = (
        p[1] * alone
        + p[2] * (ends**2 - alone)
        + 2.0 * (2.0 * p[2] * cross + p[3] * (ends * total - 2.0 * cross))
        + 2.0 * p[2] * squares
        + 4.0 * p[3] * (row_squares - squares)
        + p[4] * (total**2 - 2.0 * squares - 4.0 * (row_squares - squares))
    )
    expected = p[1] * ends + p[2] * total
    return np.maximum(square - expected**2, 0.0) / r**4


def orbit_sample_variance(values: ArrayLike, size: int, *, replacement: bool) -> Any:
    """Bound :func:`sample_variance` on a group from N values instead of N^2.

    There F(g_i, g_j) = f(g_i^{-1} g_j), `values` (..., N) with that of the identity first. Exact
    where f(g) = f(1/g), else an upper bound.
    """
    f = np.asarray(values, dtype=np.float64)
    N = f.shape[-1]
    coincidence_weight(size, N, replacement=replacement)
    r = require_real("size", size)
    if replacement:
        return 2.0 * r * (r - 1.0) * f.var(axis=-1) / r**4
    if N < 3:
        return np.zeros(f.shape[:-1])  # one value off the identity: all samples agree
    # Two different elements of the sample give f off the identity, of variance `spread`.
    spread = f[..., 1:].var(axis=-1)
    p2 = r * (r - 1.0) / (N * (N - 1.0))
    share = (N - r) * (N - r - 1.0) / ((N - 2.0) * (N - 3.0)) if N > 3 else float(r < 3)
    return 2.0 * p2 * share * N * (N - 1.0) * spread / r**4
