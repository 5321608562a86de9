"""Algorithm 1: features drawn from a pool by leverage scores, with weights, keep its kernel.

Shahrampour and Kolouri (2019) draw M of a pool's M_0 features phi with probabilities q, by scores.
All outcomes of a few draws from a small pool are enumerated, and the mean kernel of the weighted
features is compared with the pool's, the mean of phi phi': for squared weights 1/(M M_0 q),
restored from the paper's words, for others, and for three kinds of draws of ours.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from mehler.features.leverage import inclusion, points_in, ridge_leverage_scores
from mehler.statements import Context, Evidence, check

from .._comparisons import compute
from ._instances import pool

Outcome = tuple[float, Any, Any]  # probability; by feature, counts and their expectations


def independent(q: Any, n: int) -> Iterator[Outcome]:
    """Yield probability, counts and expected counts of n draws with replacement."""
    for members in itertools.product(range(q.size), repeat=n):
        yield float(np.prod(q[list(members)])), np.bincount(members, minlength=q.size), n * q


def systematic(q: Any, n: int) -> Iterator[Outcome]:
    """Enumerate systematic draws: counts are constant between finitely many starts."""
    yield from _by_start(n * q, n)


def without_replacement(q: Any, n: int) -> Iterator[Outcome]:
    """Enumerate draws of each member at most once."""
    yield from _by_start(inclusion(q, n), n)


def _by_start(expected: Any, n: int) -> Iterator[Outcome]:
    ends = np.unique(np.concatenate([[0.0, 1.0], np.cumsum(expected) % 1.0]))
    for low, high in itertools.pairwise(ends):
        yield float(high - low), points_in(expected, n, (low + high) / 2), expected


_POOL = 11
# Sums of at most 1331 outcomes of values of at most 1e3 with rounding 1e-16 each.
_ROUNDING = 1e-9
Weights = Callable[[Any, Any, int], Any]  # counts c of M draws, M q, pool's M_0 -> squared weights


def by_density(counts: Any, expected: Any, pool_size: int) -> Any:
    """Compute c/(M M_0 q): M_0 q is the density with respect to the pool's uniform law."""
    return counts / (expected * pool_size)


def by_probability(counts: Any, expected: Any, pool_size: int) -> Any:
    """Compute c/(M q)."""
    return counts / expected


def unweighted(counts: Any, expected: Any, pool_size: int) -> Any:
    """Return c/M: the features that were drawn, as they are."""
    return counts / counts.sum()


def _problem(context: Context) -> tuple[Any, Any]:
    phi = pool(context.rng("pool"), 30, _POOL)
    return phi, ridge_leverage_scores(phi, 0.01).probabilities


def _mean(phi: Any, outcomes: Iterable[Any], weights: Weights) -> Any:
    mass = sum(p * weights(counts, expected, _POOL) for p, counts, expected in outcomes)
    return (phi * mass) @ phi.T


def _ratio(context: Context, weights: Weights) -> float:
    """Return the kernel that features have on average over the pool's, at the worst row."""
    phi, q = _problem(context)
    mean = _mean(phi, independent(q, 2), weights)
    kernel = phi @ phi.T / _POOL
    # Where the kernel is largest in size, ratios lose nothing.
    ratios = np.diag(mean) / np.diag(kernel)
    return float(ratios[np.argmax(np.abs(ratios - 1))])


_ENUMERATED = "all outcomes of two draws from a pool of 11, enumerated"


@check("leverage.algorithm-1", form="restored", name="the restored weights")
def normalisation(context: Context, *, weights: Weights = by_density) -> Evidence:
    """Enumerate the kernel of the restored weights."""
    ratio = _ratio(context, weights)
    claim = (
        r"features over $\sqrt{MM_0\hat q_i}$ have the pool's kernel on average (ratio at the "
        "worst row)"
    )
    return compute(claim, ratio, _ROUNDING, exact=1.0, method=_ENUMERATED)


@check("leverage.algorithm-1", form="restored", name="the plain case")
def plain(context: Context, *, weights: Weights = by_density) -> Evidence:
    """Compare the weights of a uniform draw with those of random kitchen sinks."""
    uniform = np.full(_POOL, 1 / _POOL)
    deviation = max(
        float(np.abs(weights(counts, expected, _POOL) - unweighted(counts, expected, _POOL)).max())
        for _, counts, expected in independent(uniform, 2)
    )
    claim = (
        r"for $\hat q_i = 1/M_0$ the features are those of random kitchen sinks, $\phi/\sqrt M$"
        " (largest deviation of a squared weight)"
    )
    return compute(claim, deviation, _ROUNDING, exact=0.0, method=_ENUMERATED)


@check("leverage.algorithm-1", form="proved", name="probabilities for densities")
def probabilities(context: Context, *, weights: Weights = by_probability) -> Evidence:
    """Enumerate the kernel of features over the root of the probability."""
    ratio = _ratio(context, weights)
    claim = (
        rf"features over $\sqrt{{M\hat q_i}}$ have {_POOL} times the pool's kernel on average, "
        "as often as the pool has members (ratio at the worst row)"
    )
    return compute(claim, ratio, _ROUNDING, exact=float(_POOL), method=_ENUMERATED)


@check("leverage.algorithm-1", form="proved", name="features without weights")
def without_weights(context: Context, *, weights: Weights = unweighted) -> Evidence:
    """Show that the weights are needed: without them the kernel is another one."""
    deviation = abs(_ratio(context, weights) - 1)
    claim = (
        "features that are drawn by scores and have no weights have a kernel that is off the "
        "pool's by a tenth of it or more, at the worst row"
    )
    return compute(claim, deviation, _ROUNDING, lower=0.1, method=_ENUMERATED)


@check("leverage.algorithm-1", form="proved", name="the right weights")
def proved(context: Context, *, weights: Weights = by_density) -> Evidence:
    """Enumerate or integrate all three kinds of draws, with and without a uniform share."""
    phi, scores = _problem(context)
    kernel = phi @ phi.T / _POOL
    worst, n_designs = 0.0, 0
    for mix in (0.0, 0.1, 1.0):
        q = (1 - mix) * scores + mix / _POOL
        for draws in (independent, systematic, without_replacement):
            for n in (1, 2) if context.quick else (1, 2, 3):
                mean = _mean(phi, draws(q, n), weights)
                worst = max(worst, float(np.abs(mean - kernel).max()))
                n_designs += 1
    claim = (
        r"features over $\sqrt{MM_0\tilde q_i/c_i}$, or over $\sqrt{M_0\pi_i}$ for inclusion "
        r"probabilities $\pi$, have the pool's kernel on average: largest deviation of "
        f"{n_designs} designs"
    )
    return compute(
        claim, worst, _ROUNDING, exact=0.0, method="all outcomes, enumerated or integrated"
    )


def by_the_share(mix: float) -> float:
    return 1 / mix


@check("leverage.algorithm-1", form="proved", name="the second moment of one draw")
def second_moment(context: Context, *, factor: Callable[[float], float] = by_the_share) -> Evidence:
    """Compare the mean square of one draw's product with the plain one over the mix.

    The scores may be any; with all of them on a feature that is 0 at the rows it is an equality.
    """
    phi = pool(context.rng("pool"), 30, _POOL)
    ratios = []
    for at in range(_POOL):
        scores = np.eye(_POOL)[at]
        at_row = np.where(np.arange(_POOL) == at, 0.0, phi)
        for mix in (0.1, 0.5, 1.0):
            q = (1 - mix) * scores + mix / _POOL
            squares = at_row**2 / _POOL**2
            # E (phi phi'/(M_0 q))^2 for one draw, and the mean of (phi phi')^2.
            estimate = (at_row**2 / q) @ squares.T
            plain = (at_row**2 / _POOL) @ (at_row**2).T
            ratios.append((float((estimate / plain).max()) / factor(mix), mix))
    worst, mix = max(ratios)
    claim = (
        r"$E(\phi\phi'/(M_0\tilde q))^2 \le \frac1\eta E(\phi\phi')^2$ for one draw: ratio, "
        rf"scores on one feature (largest at $\eta = {mix:g}$)"
    )
    return compute(
        claim, worst, _ROUNDING, upper=1.0 + 2 * _ROUNDING, method="all outcomes, enumerated"
    )
