"""diagnose: suggest simple causes of a refuted kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_function, require_integer, require_positive
from mehler.verify.diagnosis import _causes as causes
from mehler.verify.diagnosis._causes import Lines, OnLines, falls
from mehler.verify.diagnosis._fits import Cause, Means
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import Kernel, Pairs, make_pairs
from mehler.verify.sampling._sources import choose_source, estimate

# Groups of draws; the spread of a fit over them estimates its error.
GROUPS = 8
# Sizes between which the error should fall.
_SIZES = (64, 256)
_STREAM, _SIZE_STREAM = 7, 8


@dataclass(frozen=True)
class Seen:
    """Claim, mean estimate and standard error at all pairs, in units of sqrt(k(x,x) k(y,y))."""

    claim: Any
    mean: Any
    error: Any
    n_draws: int


def diagnose(
    draw: Callable[[int], Any],
    kernel: Kernel,
    X: Array,
    *,
    resize: Callable[[int, int], Any] | None = None,
    n_draws: int = 64,
    seed: int = 0,
    time_limit: float | None = None,
) -> tuple[Cause, ...]:
    """Search for a simple reason why the mean of <phi(x), phi(y)> is not k(x, y).

    Fit c k, k with another bandwidth, k + b, and k(x, y) + c k(x, -y) to the mean over fresh draws
    by weighted least squares, and name those that explain the deviation. Further suggestions:

    - all draws are the same;
    - the error does not fall with the number of features, or only along axes;
    - the map is right along axes and wrong off them;
    - the map is right for x and -x together and wrong for each.

    Parameters
    ----------
    draw, kernel, X
        As for `check_kernel`. The bandwidth fit needs a `kernels.NamedKernel` with a bandwidth,
        suggestions about directions any `kernels.NamedKernel`.
    resize : callable, optional
        (seed, n_features) -> map; needed for suggestions about the number of features.
    n_draws : int
        Number of draws, at least 16; more make fits sharper.
    seed : int
        Determines the draws, which differ from those of a check with the same seed.
    time_limit : float, optional
        Seconds after which no more than the required 16 draws are made.

    Returns
    -------
    tuple of Cause
        The best fit first; empty when nothing simple fits.

    See Also
    --------
    check_kernel : The check whose refutation this explains.
    Cause : One suggestion.

    Notes
    -----
    Suggestions have no error rate and leave the verdict alone.

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
    n_draws = require_integer("n_draws", n_draws, least=2 * GROUPS, most=10**7)
    until = None if time_limit is None else monotonic() + require_positive("time_limit", time_limit)
    require_function("resize", resize, optional=True)
    pairs = make_pairs(kernel, X, None)
    draws = Draws(draw, seed, stream=_STREAM)
    with np.errstate(all="ignore"):
        source = choose_source(draws[0], pairs, False)
        m = source.n_features
        lines = Lines.of(kernel, pairs, draws.root)
        grams, on_lines = _looks(draws, pairs, lines, m, n_draws, until)
        if not np.isfinite(grams).all():
            return ()
        means = Means.of(grams, GROUPS, source.eps)
        found = causes.of_the_mean(means, pairs, kernel, m)
        if lines is not None and np.isfinite(on_lines).all():
            seen = OnLines.of(lines, on_lines)
            # A cause that depends on the direction is more specific than a fit that ignores it.
            found = causes.of_lean(seen) + found + causes.of_axes(seen)
        found = found or causes.of_law(means, pairs, kernel)
        if (np.ptp(grams, axis=0) <= 64.0 * source.eps).all():
            found.append(causes.same_draws(len(grams)))
        elif resize is not None and (until is None or monotonic() < until):
            found += _of_sizes(resize, pairs, lines, n_draws, seed, until)
    return tuple(found)


def observe(
    draw: Callable[[int], Any],
    kernel: Kernel,
    X: Array,
    *,
    n_draws: int,
    seed: int = 0,
    time_limit: float | None = None,
) -> Seen:
    """Return the estimates of the draws that `diagnose` makes; a single draw has error 0."""
    until = None if time_limit is None else monotonic() + require_positive("time_limit", time_limit)
    pairs = make_pairs(kernel, X, None)
    draws = Draws(draw, seed, stream=_STREAM)
    with np.errstate(all="ignore"):
        m = choose_source(draws[0], pairs, False).n_features
        grams, _ = _looks(draws, pairs, None, m, n_draws, until)
        n = len(grams)
        error = grams.std(axis=0, ddof=1) / n**0.5 if n > 1 else 0.0 * grams[0]
    return Seen(pairs.claim, grams.mean(axis=0), error, n)


def _looks(
    draws: Draws, pairs: Pairs, lines: Lines | None, m: int, n_draws: int, until: float | None
) -> tuple[Any, Any]:
    """Return the estimates of draws at the pairs, and on lines if given."""
    grams: list[Any] = []
    on_lines: list[Any] = []
    while len(grams) < n_draws:
        if until is not None and len(grams) >= 2 * GROUPS and monotonic() > until:
            break
        phi = draws[len(grams)]
        grams.append(pairs.pick(estimate(phi, pairs, m)) / pairs.unit)
        if lines is not None:
            on_lines.append(lines.look(phi, m))
    return np.stack(grams), np.stack(on_lines) if on_lines else None


def _of_sizes(
    resize: Callable[[int, int], Any],
    pairs: Pairs,
    lines: Lines | None,
    n_draws: int,
    seed: int,
    until: float | None,
) -> list[Cause]:
    """Draw maps of two sizes and return causes where the error does not fall between them."""
    sizes, looks = [], []
    for n_features in _SIZES:
        # mypy infers no type for a lambda that binds a loop variable.
        draws = Draws(lambda s, n=n_features: resize(s, n), seed, stream=_SIZE_STREAM)  # type: ignore[misc]
        m = choose_source(draws[0], pairs, False).n_features
        sizes.append(m)
        looks.append(_looks(draws, pairs, lines, m, n_draws, until))
    if lines is not None:
        there = (look[1][:, :, 0][:, :, lines.apart] for look in looks)
        found = causes.of_points(falls(*there), lines.n_axes, *sizes)
        if found:
            return found
    return causes.of_size(falls(looks[0][0], looks[1][0]), *sizes)
