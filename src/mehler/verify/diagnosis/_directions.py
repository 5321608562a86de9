"""Causes that depend on the direction of rows, the law of weights, or the number of features."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, from_host, place_of
from mehler._plural import counted
from mehler.verify.diagnosis import _fits
from mehler.verify.diagnosis._fits import CALM, FAR, Cause
from mehler.verify.sampling._pairs import Pairs, make_pairs
from mehler.verify.sampling._sources import estimate

# Distances from the origin, in units of the kernel's length scale.
_LENGTHS = (0.3, 1.0, 2.2)
# Number of axes and of diagonals, kept small for speed.
_DIRECTIONS = 4
# Least standard error, since constant estimates are rounded too.
_LEAST_ERROR = 1e-6


@dataclass(frozen=True)
class Lines:
    """Rows on lines, and the pairs of rows that share a line.

    `chosen` is the index into `pairs` of each pair, shape (lines, 2, products), in both directions;
    the first `n_axes` lines are axes, and the first diagonal has no negative entry.
    """

    pairs: Pairs
    chosen: Any
    n_axes: int

    @classmethod
    def of(cls, kernel: Any, like: Pairs, seed: int) -> Lines | None:
        """Return lines in the domain of a kernel, or None.

        None for unnamed kernels, whose domain is unknown, for kernels of nonnegative inputs, where
        a row has no negative, and in one dimension, where every line is an axis.
        """
        d = like.left.host.shape[1]
        if getattr(kernel, "nonnegative", True) or d < 2:
            return None
        axes = np.eye(d)[:_DIRECTIONS]
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(_DIRECTIONS, d))
        signs[0] = 1.0
        signs[1] = np.resize([1.0, -1.0], d)
        directions = np.concatenate([axes, signs / math.sqrt(d)])
        steps = kernel.length * np.outer([1.0, -1.0], _LENGTHS).ravel()
        rows = (directions[:, None, :] * steps[None, :, None]).reshape(-1, d)
        host = rows.astype(like.left.host.dtype)
        pairs = make_pairs(kernel, from_host(host, place_of(like.left.given)), None)
        block = np.arange(len(rows)) // len(_LENGTHS)
        first, second = pairs.first, pairs.second
        together = np.flatnonzero(block[first] == block[second])
        order = together[np.argsort(block[first[together]], kind="stable")]
        return cls(pairs, order.reshape(len(directions), 2, -1), len(axes))

    @property
    def apart(self) -> Any:
        """Mask of the products of two different rows; |phi(x)|^2 may vary by an offset alone."""
        index = self.chosen[0, 0]
        return self.pairs.first[index] != self.pairs.second[index]

    @property
    def claim(self) -> Any:
        """The kernel at the pairs, in units of sqrt(k(x,x) k(y,y)), equal in both directions."""
        return self.pairs.claim[self.chosen]

    def look(self, phi: Callable[..., Any], n_features: int) -> Any:
        """Return the estimates of one draw, shape (lines, 2, products)."""
        gram = self.pairs.pick(estimate(phi, self.pairs, n_features)) / self.pairs.unit
        return gram[self.chosen]


@dataclass(frozen=True)
class OnLines:
    """Deviations of mean estimates from the kernel, for a row with its negative and between them.

    Absolute and in standard errors, each of shape (lines, products).
    """

    even: Any
    even_errors: Any
    odd: Any
    odd_errors: Any
    n_axes: int

    @classmethod
    def of(cls, lines: Lines, measured: Any) -> OnLines:
        """Summarise estimates of shape (draws, lines, 2, products)."""
        there, back = measured[:, :, 0], measured[:, :, 1]
        even, even_errors = _deviation(0.5 * (there + back) - lines.claim.mean(axis=1))
        odd, odd_errors = _deviation(0.5 * (there - back))
        return cls(even, even_errors, odd, odd_errors, lines.n_axes)


def falls(small: Array, large: Array) -> Any:
    """Return the factor by which the squared spread over draws falls from one size to another.

    For each pair, from mean absolute deviations, which are robust to few large samples. NaN for
    pairs whose estimate is constant, as cos^2 + sin^2 is.
    """
    before, after = (np.abs(x - x.mean(axis=0)).mean(axis=0) for x in (small, large))
    varies = (before > _LEAST_ERROR) & (after > _LEAST_ERROR)
    return np.where(varies, (before / np.where(varies, after, 1.0)) ** 2, np.nan)


def _deviation(samples: NDArray[np.float64]) -> tuple[Any, Any]:
    mean = samples.mean(axis=0)
    error = samples.std(axis=0, ddof=1) / math.sqrt(samples.shape[0])
    return mean, np.abs(mean) / np.maximum(error, _LEAST_ERROR)


# Least claimed correlation of near rows, and least number of near pairs.
_NEAR, _FEWEST = 0.6, 8
# Largest root mean square residual at near pairs, in standard errors.
_NEAR_REST = 2.0


def of_law(means: _fits.Means, pairs: Pairs, kernel: Any) -> list[Cause]:
    """Return another law as the cause if a bandwidth fits near rows but not far ones."""
    if means.agrees(pairs.claim) or not getattr(kernel, "bandwidth", ""):
        return []
    near = pairs.claim >= _NEAR
    if near.sum() < _FEWEST or near.all():
        return []
    some = replace(
        pairs, first=pairs.first[near], second=pairs.second[near], claim=pairs.claim[near]
    )
    fit = _fits.bandwidth(means.at(near), some, kernel)
    if fit is None:
        return []
    name = kernel.bandwidth
    other = kernel.replace(**{name: fit.value * kernel.parameters[name]})
    model = pairs.pick(other(pairs.left.values, pairs.right.values)) / pairs.unit
    off = float((np.abs(means.mean - model) / means.error)[~near].max())
    if fit.rest > _NEAR_REST or fit.error > 0.1 * fit.value or off < FAR:
        return []
    text = (
        f"rows near each other fit {name}' / {name} = {fit.value:.2f} ± {fit.error:.2f}, rows "
        f"apart do not ({off:.0f} standard errors): the weights have another law than the "
        "kernel's, not another scale"
    )
    return [Cause(kind="law", text=text, value=fit.value, error=fit.error, rest=fit.rest)]


def same_draws(n_draws: int) -> Cause:
    """Return ignored seeds as the cause."""
    text = (
        f"all of {counted(n_draws, 'draw')} from different seeds are the same: the seed is not used"
    )
    return Cause(kind="seed", text=text, value=float(n_draws))


def of_size(falls: Array, small: int, large: int) -> list[Cause]:
    """Return shared features as the cause if the error falls much less than it should."""
    ratio = large / small
    if large <= small or np.isnan(falls).all():
        return []
    fall = float(np.nanmedian(falls))
    if fall >= 0.4 * ratio:
        return []
    text = (
        f"the error does not fall with m as it should: from {small} to {large} features its "
        f"variance falls {fall:.2f} times, where independent features give {ratio:.2f} times"
    )
    return [Cause(kind="size", text=text, value=fall)]


def of_points(falls: Array, n_axes: int, small: int, large: int) -> list[Cause]:
    """Return shared randomness as the cause if errors fall in one direction but not in another."""
    ratio = large / small
    if large <= small or np.isnan(falls).all():
        return []
    # Lines and pairs without variation are no evidence.
    some = ~np.isnan(falls).all(axis=1)
    each = np.full(len(falls), np.nan)
    each[some] = np.nanmedian(falls[some], axis=1)
    worst, least, most = int(np.nanargmin(each)), float(np.nanmin(each)), float(np.nanmax(each))
    if most < 0.8 * ratio or least >= 0.35 * ratio or most < 3.0 * least:
        return []
    where = f"axis {worst + 1}" if worst < n_axes else "a diagonal"
    text = (
        "the error falls with m in one direction and not in another: from "
        f"{small} to {counted(large, 'feature')} its variance falls {least:.1f} times on "
        f"{where} and "
        f"{most:.1f} times elsewhere, where independent features give {ratio:.1f} times, so all "
        "features of a draw share an accident, as points of a low-discrepancy sequence do that are "
        "taken with gaps, or two at a time by Box and Muller's method"
    )
    return [Cause(kind="points", text=text, value=least)]


def of_axes(measured: OnLines) -> list[Cause]:
    """Return the axes as the cause: right along them, significantly wrong off them."""
    n = measured.n_axes
    on, off = float(abs(measured.even[:n]).max()), float(abs(measured.even[n:]).max())
    calm, far = measured.even_errors[:n].max(), measured.even_errors[n:].max()
    if not (calm <= CALM and far >= FAR and off >= 4.0 * on):
        return []
    text = (
        "right for inputs along one axis, wrong on diagonals: the largest deviation is "
        f"{on:.2g} on axes ({calm:.1f} standard errors) and {off:.2g} on diagonals "
        f"({far:.0f}), in units of sqrt(k(x,x) k(y,y)), so the coordinates of a weight have the "
        "right law and depend on each other, as when lengths multiply the coordinates of "
        "orthogonal directions and not the directions"
    )
    return [Cause(kind="axes", text=text, value=off)]


def of_lean(measured: OnLines) -> list[Cause]:
    """Return asymmetric weights as the cause: right for x and -x together, wrong for each."""
    place = np.unravel_index(np.argmax(measured.odd_errors), measured.odd_errors.shape)
    even, odd = float(abs(measured.even[place])), float(abs(measured.odd[place]))
    errors, line = float(measured.odd_errors[place]), int(place[0])
    if not (measured.even_errors.max() <= CALM and errors >= FAR and odd >= 4.0 * even):
        return []
    where = "an axis" if line < measured.n_axes else "a diagonal"
    if line == measured.n_axes:
        where = "the diagonal of ones"
    text = (
        "right on average over inputs and their negatives, wrong for each alone: off by "
        f"{odd:.2g} sqrt(k(x,x) k(y,y)) in opposite ways ({errors:.0f} standard errors, most along "
        f"{where}), so the weights lean to one side, as those from a QR factorisation do without "
        "the signs of R's diagonal: Q * sign(diag(R)) is uniform, Q is not"
    )
    return [Cause(kind="lean", text=text, value=odd)]
