"""check_kernel: does a map have the kernel that it claims, in expectation?"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_flag, require_function
from mehler.kernels import NamedKernel
from mehler.verify._arguments import (
    DrawOptions,
    accepts,
    bounds_pair,
    relative_resolution,
    require_options,
)
from mehler.verify._maps import (
    Clock,
    Draws,
    Kernel,
    RowPairs,
    first_map,
    is_feature_map,
    kernel_values,
    make_pairs,
)
from mehler.verify._measurement import Task, conclude, cut_short
from mehler.verify._sources import Finding, choose_source, declared_variance, ignored_seed
from mehler.verify._verdict import Status, Verdict
from mehler.verify.intervals._known_variance import measure_known_variance
from mehler.verify.intervals._range import measure_bounded
from mehler.verify.intervals._undeclared import measure_undeclared


@accepts()
def check_kernel(
    draw: Callable[[int], Any],
    kernel: Kernel,
    X: Array,
    Y: Array | None = None,
    *,
    resolution: float = 0.02,
    variance: Kernel | None = None,
    bounds: tuple[float, float] | None = None,
    independent_features: bool = False,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that E<phi(x), phi(y)> = k(x, y) at every pair, over independent draws of the map.

    *refuted*: at some pair the interval excludes the claim. *holds*: no interval does, and each is
    at most ``resolution * sqrt(k(x,x) k(y,y))`` wide. Else *inconclusive*, with a remedy.

    Parameters
    ----------
    draw : callable
        seed -> map, a map being any callable X -> Z with Z of shape (n, n_features); a
        scikit-learn transformer's bound ``transform`` is one.
    kernel : callable
        (X, Y) -> (n, k), the claim; takes and returns float64 NumPy arrays.
    X : array, shape (n, d)
        Rows in the map's own namespace; without `Y` all pairs are tested, the diagonal included.
    Y : array, shape (k, d), optional
        Second rows; if given, all pairs (x, y) are tested.
    resolution : float
        Smallest deviation that must not be missed, as a fraction of sqrt(k(x,x) k(y,y)): a map
        that is off by more holds with probability at most `false_alarm`. At a row with
        k(x,x) = 0 the largest k(x,x) of its matrix is taken.
    variance : callable, optional
        (X, Y) -> (n, k), V with Var<phi(x), phi(y)> = V / n_features; default the map's own
        ``variance``, or, where a whole draw is one sample, ``n_features`` times its
        ``gram_variance``. Only an upper bound is needed. Of other classes than `FeatureMap` and
        those with ``independent_units`` such attributes are ignored, and named.
    bounds : (low, high), optional
        Range of one sample, for maps without a variance: of <phi(x), phi(y)>, or of
        n_features * phi_l(x) phi_l(y) with `independent_features`.
    independent_features : bool
        The columns of one draw are independent and alike, so each is a sample. Maps that declare
        ``independent_units`` and ``products(X, Y)`` do not need it.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, time_limit, seed.

    Returns
    -------
    Verdict
        ``observed``, ``exact`` and ``interval`` are those of the worst pair, named in ``where``.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 2 or more, pairs with k(x, x) <= 0, NaN.

    Notes
    -----
    With a variance `features_needed` plans the size for `intervals.known_variance`, and earlier
    inspections share a quarter of the rate. With bounds the check bets as `intervals.betting`, at
    fixed stakes. With neither, half of the rate goes to bets that \|u + v\|^2 or \|u - v\|^2 is
    larger than claimed, u and v the features over sqrt(k(x,x)) and sqrt(k(y,y)); features that are
    all too small are a suspicion until 24,000 fresh draws confirm it, and the verdict says what
    rare draws must carry for the claim to be right. A claim holds by `intervals.self_normalised`.

    At rows where no scale of the rows between a tenth and ten times theirs would be refuted, a
    kernel by name is *inconclusive*, and one that is a bare function holds with that remark.
    A deviation of less than a twentieth of `resolution` refutes nothing. Four matrix products per
    draw; memory of one draw plus about 100 MiB.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 500))
    ...     return lambda X: X @ signs / np.sqrt(500)
    >>> X = np.random.default_rng(0).standard_normal((4, 3))
    >>> check_kernel(draw, lambda X, Y: X @ Y.T, X, resolution=0.1).status
    'holds'
    >>> check_kernel(draw, lambda X, Y: 2 * X @ Y.T, X, resolution=0.1).status
    'refuted'
    """
    terms = require_options("kernel", options, relative_resolution(resolution))
    require_flag("independent_features", independent_features)
    require_function("variance", variance, optional=True)
    clock = Clock(terms.time_limit)
    if variance is not None and bounds is not None:
        raise ValueError("variance and bounds exclude each other: a variance is the sharper one")
    if bounds is not None:
        bounds = bounds_pair(bounds)
    draws, pairs = Draws(draw, terms.seed), make_pairs(kernel, X, Y)
    terms.pay()

    # Non-finite values are a finding about the map, not an accident of this code.
    with np.errstate(all="ignore"):
        phi = first_map(draws, pairs.left)
        source = choose_source(phi, pairs, independent_features)
        task = Task(source, draws, terms, clock)
        task.require_resolved()
        least = f"the {counted(source.n_features, 'feature')} of one draw"
        terms.require_features(source.n_features, least, "allow at least one draw")
        if variance is None and bounds is None:
            variance = declared_variance(phi, source)
        certain = None
        try:
            if variance is not None:
                relative = pairs.values_of(variance, "variance") / pairs.unit**2
                if relative.min() < -1e-9:  # exact zeros may be rounded below 0
                    least = f"{(relative * pairs.unit**2).min():.6g}"
                    raise ValueError(f"variance(X, Y) reaches {least}: variances are not negative")
                measurement = measure_known_variance(task, np.maximum(relative, 0.0))
            elif bounds is not None:
                measurement = measure_bounded(task, bounds)
            else:
                measurement = measure_undeclared(task)
        except Finding as finding:
            certain, measurement = finding, cut_short(task, finding)
        claim = f"E<phi(x), phi(y)> = k(x, y) at {counted(pairs.n, 'pair')}"
        verdict = conclude(task, measurement, claim, certain=certain, with_table=True)
        verdict = inform(verdict, kernel, pairs)
        if clock.over or certain or (verdict.holds and measurement.n_draws == 1):
            return verdict
        cause = ignored_seed(draws, pairs.left, measurement.n_draws)
        if not (verdict.holds and cause):
            return replace(verdict, cause=cause)
        remark = f"But {cause}, so that these draws count as one, and the rates do not hold."
        return replace(verdict, reason=f"{verdict.reason} {remark}".lstrip())


# Factors on the scale of rows; undetected ones above _SAID are reported, above _MOST inconclusive.
_FACTORS = (1.05, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, *(10.0 * 1.5**k for k in range(1, 29)))
_SAID, _MOST = 2.0, 10.0
# Powers of ten: a kernel whose values at rows of all these lengths agree to _SAME has no scale.
_LENGTHS, _SAME = (-30, -20, -5, 0, 5, 20, 30), 1e-7


def least_factors(kernel: Kernel, pairs: RowPairs, resolution: float) -> tuple[float, float]:
    """Return the smallest factors on the rows' scale, up and down, that the resolution detects.

    Infinite if none is, of the larger one up to `_MOST`; 1 for kernels without a scale.
    """

    def gap(factor: float) -> float:
        try:
            x, y = (factor * side.values for side in (pairs.left, pairs.right))
            value = pairs.pick(kernel_values(kernel, x, x if pairs.same else y)) / pairs.unit
        except Exception:  # rows where a function that is not ours has no value show nothing
            return 0.0
        return float(np.nanmax(np.abs(value - pairs.claim), initial=0.0))

    up = down = np.inf
    for factor in _FACTORS:
        up = factor if up == np.inf and gap(factor) >= resolution else up
        down = factor if down == np.inf and gap(1.0 / factor) >= resolution else down
        least = min(up, down)
        if least <= _SAID or (least < np.inf and factor >= _MOST):
            break
    return (up, down) if min(up, down) < np.inf or _has_scale(kernel, pairs) else (1.0, 1.0)


def _has_scale(kernel: Kernel, pairs: RowPairs) -> bool:
    """Whether k(x, x/2) changes with the length of x, over lengths far beyond those of the rows."""
    unit = pairs.left.values / (np.abs(pairs.left.values).max() or 1.0)
    values = []
    for power in _LENGTHS:
        with suppress(Exception):
            values.append(kernel_values(kernel, 10.0**power * unit, 10.0**power * unit / 2.0))
    far = np.abs(np.diff(values, axis=0)) if values else np.zeros(1)
    return bool(np.nanmax(far, initial=0.0) > _SAME * float(pairs.unit.max()))


def inform(verdict: Verdict, kernel: Kernel, pairs: RowPairs) -> Verdict:
    """Report undetectable scales of the rows for a claim that holds, if they are large."""
    # From a factor of 10 on it is inconclusive, but for a bare function, which may have no scale.
    if not verdict.holds:
        return verdict
    with np.errstate(all="ignore"):
        up, down = least_factors(kernel, pairs, verdict.resolution)
    factor = min(up, down)
    if factor <= _SAID:
        return verdict
    text = f"off by less than {factor:.3g}" if np.isfinite(factor) else "off by any factor"
    text = f"A bandwidth {text} would not show at these rows"
    if factor <= _MOST:
        way = "wide" if down == np.inf else "narrow"
        text += f", nor one too {way} by {_MOST:g}" * (max(up, down) == np.inf)
        return replace(verdict, reason=f"{verdict.reason} {text}.".lstrip())
    text += ": scale the columns, so that k(x, y) is neither about 0 nor about k(x, x) everywhere."
    owner = kernel.__self__ if inspect.ismethod(kernel) else None
    is_named = isinstance(kernel, NamedKernel) or is_feature_map(owner)
    status: Status = "inconclusive" if is_named else "holds"
    return replace(verdict, status=status, reason=f"{verdict.reason} {text}".lstrip())
