"""What may be wrong with a map whose kernel is refuted: suggestions, each with how well it fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler.verify import _fits
from mehler.verify._arguments import count
from mehler.verify._choice import choose_source
from mehler.verify._draws import Draws
from mehler.verify._pairs import Kernel, make_pairs
from mehler.verify._probes import axes_and_diagonals, shrinkage
from mehler.verify._sources import estimate

# Below this share of the deviation a suggestion would mislead more often than help.
_LEAST_EXPLAINED = 0.9
# Rivals that leave up to so many times the best one's rest are named as well.
_RIVAL = 2.0
# Draws are split into so many groups: the spread of a fit over them is its error.
GROUPS = 8
_STREAM = 7


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One suggestion; it never changes a verdict.

    Parameters
    ----------
    kind : {"factor", "bandwidth", "offset", "seed", "size", "axes"}
    text : str
        The suggestion in a sentence, plain text.
    value, error : float
        What was fitted, and its standard error: the factor, the bandwidth's factor, the offset in
        units of sqrt(k(x,x) k(y,y)); for the other kinds what the text says.
    explained : float
        Share of the squared deviation from the claim that goes away, 1 for all.
    rest : float
        Root mean square of what is left, in standard errors: near 1 when nothing is.
    """

    kind: str
    text: str
    value: float
    error: float
    explained: float
    rest: float


def diagnose(
    draw: Callable[[int], Any],
    kernel: Kernel,
    X: Array,
    *,
    resize: Callable[[int, int], Any] | None = None,
    n_draws: int = 64,
    seed: int = 0,
) -> tuple[Cause, ...]:
    r"""Look for a simple reason why the mean of <phi(x), phi(y)> is not k(x, y).

    Fits c k, k with another bandwidth, and k + b to the mean over fresh draws by least squares,
    weighted by the draws' own spread, and names those that explain the deviation; says whether
    every draw is the same, whether the error falls with the number of features, and whether the
    map is right along axes and wrong off them.

    Parameters
    ----------
    draw, kernel, X
        As for `check_kernel`. A `kernels.NamedKernel` with a bandwidth is needed for that fit.
    resize : callable, optional
        (seed, n_features) -> map; without it nothing is said about how the error falls.
    n_draws : int
        At least 16; more make fits sharper.
    seed : int
        Draws are other ones than those of a check with the same seed.

    Returns
    -------
    tuple of Cause
        The best fit first; empty when nothing simple fits.

    Notes
    -----
    Suggestions, not tests: they carry no error rate and leave the verdict alone.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 500))
    ...     return lambda X: X @ signs / np.sqrt(250)
    >>> X = np.random.default_rng(0).standard_normal((4, 3))
    >>> likely = diagnose(draw, lambda X, Y: X @ Y.T, X)[0]
    >>> likely.kind, round(likely.value, 1)
    ('factor', 2.0)
    """
    n_draws = count("n_draws", n_draws, least=2 * GROUPS)
    pairs = make_pairs(kernel, X, None)
    draws = Draws(draw, seed, stream=_STREAM)
    with np.errstate(all="ignore"):
        source = choose_source(draws[0], pairs, False)
        m = source.n_features
        grams = _grams(draws, pairs, m, n_draws)
        found: list[Cause] = []
        if np.isfinite(grams).all():
            found += _of_the_mean(_fits.Means.of(grams, GROUPS, source.eps), pairs, kernel, m)
            if (np.ptp(grams, axis=0) <= 64.0 * source.eps).all() and n_draws > 1:
                found.append(_same_draws(n_draws))
            elif resize is not None:
                found += _of_size(shrinkage(resize, pairs, n_draws, seed))
            found += _of_axes(axes_and_diagonals(draws, kernel, pairs, n_draws))
    return tuple(found)


def observe(
    draw: Callable[[int], Any], kernel: Kernel, X: Array, *, n_draws: int, seed: int = 0
) -> tuple[Any, Any, Any]:
    """Return claim, mean estimate and standard error at all pairs, for a picture.

    In units of sqrt(k(x,x) k(y,y)), from the draws that `diagnose` takes; one draw has error 0.
    """
    pairs = make_pairs(kernel, X, None)
    draws = Draws(draw, seed, stream=_STREAM)
    with np.errstate(all="ignore"):
        m = choose_source(draws[0], pairs, False).n_features
        grams = _grams(draws, pairs, m, n_draws)
        error = grams.std(axis=0, ddof=1) / n_draws**0.5 if n_draws > 1 else 0.0 * grams[0]
    return pairs.claim, grams.mean(axis=0), error


def _grams(draws: Draws, pairs: Any, m: int, n_draws: int) -> Any:
    return np.stack([pairs.pick(estimate(draws[k], pairs, m)) / pairs.unit for k in range(n_draws)])


def _of_the_mean(means: _fits.Means, pairs: Any, kernel: Any, m: int) -> list[Cause]:
    """Fit the simple families; keep those that explain the deviation, the best first."""
    if means.agrees(pairs.claim):
        return []
    fits = [_fits.factor(means, pairs.claim, m), _fits.offset(means, pairs.claim)]
    if getattr(kernel, "bandwidth", ""):
        fits.append(_fits.bandwidth(means, pairs, kernel))
    good = sorted((f for f in fits if f.explained >= _LEAST_EXPLAINED), key=lambda f: f.rest)
    return [
        Cause(
            kind=f.kind,
            text=f.text,
            value=f.value,
            error=f.error,
            explained=f.explained,
            rest=f.rest,
        )
        for f in good
        if f.rest <= _RIVAL * good[0].rest
    ]


def _same_draws(n_draws: int) -> Cause:
    text = f"all of {n_draws} draws from different seeds are the same: the seed is not used"
    return Cause(kind="seed", text=text, value=float(n_draws), error=0.0, explained=0.0, rest=0.0)


def _of_size(found: tuple[float, int, int] | None) -> list[Cause]:
    """Half of the fall that independent features give is more than chance takes away."""
    if found is None:
        return []
    fall, small, large = found
    independent = large / small
    if fall >= 0.4 * independent:
        return []
    text = (
        f"the error does not fall with m as it should: from {small} to {large} features its "
        f"variance falls {fall:.2f} times, where independent features give {independent:.2f} times"
    )
    return [Cause(kind="size", text=text, value=fall, error=0.0, explained=0.0, rest=0.0)]


def _of_axes(found: tuple[float, float, float, float] | None) -> list[Cause]:
    """Right along axes: no deviation beyond noise; wrong off them: far beyond it."""
    if found is None:
        return []
    on, on_errors, off, off_errors = found
    if not (on_errors <= 5.0 and off_errors >= 10.0 and off >= 4.0 * on):
        return []
    text = (
        "right for inputs along one axis, wrong on diagonals: the largest deviation is "
        f"{on:.2g} on axes ({on_errors:.1f} standard errors) and {off:.2g} on diagonals "
        f"({off_errors:.0f}), in units of sqrt(k(x,x) k(y,y))"
    )
    return [Cause(kind="axes", text=text, value=off, error=0.0, explained=0.0, rest=0.0)]
