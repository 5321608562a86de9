"""diagnose: suggest simple causes of a refuted kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_function, require_integer, require_positive
from mehler.verify._verdict import Verdict
from mehler.verify.diagnosis._directions import (
    Lines,
    OnLines,
    falls,
    of_axes,
    of_law,
    of_lean,
    of_points,
    of_size,
    same_draws,
)
from mehler.verify.diagnosis._features import Columns, of_lost_digits, of_unused_inputs
from mehler.verify.diagnosis._fits import Cause, Means, factor, of_the_mean, signs_of_draws
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, Kernel, Pairs, call, make_pairs
from mehler.verify.sampling._sources import Source, both, choose_source, estimate

# Groups of draws; the spread of a fit over them estimates its error.
GROUPS = 8
# Draws, doubled up to the most while the worst pair is fewer standard errors off.
_DRAWS, _MOST_DRAWS, _CLEAR = 64, 1024, 12.0
# Sizes between which the error should fall.
_SIZES = (64, 256)
_STREAM, _SIZE_STREAM = 7, 8
# Rows that an assertion diagnoses at most, and seconds that it takes for it.
_MOST_ROWS, SECONDS = 64, 3.0


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
    Y: Array | None = None,
    *,
    resize: Callable[[int, int], Any] | None = None,
    n_draws: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> tuple[Cause, ...]:
    """Search for a simple reason why the mean of <phi(x), phi(y)> is not k(x, y).

    Fit models with at most one parameter to the mean over fresh draws, and name those that explain
    the deviation up to noise:

    - c k, k with another bandwidth, k + b, k(x, y) + c k(x, -y);
    - k but for one row, for the diagonal, or for signs of rows;
    - k of changed rows: scaled by their own statistics, sorted, rounded, without a column.

    Further suggestions come from the features of the draws:

    - columns that are always 0, or without which the estimate is right; weights that are 0;
    - features that are sorted, equal for different rows, or other after rounding of the rows;
    - all draws are the same; the error does not fall with the number of features;
    - the map is right along axes and wrong off them, or for x and -x together and not for each.

    Parameters
    ----------
    draw, kernel, X, Y
        As for `check_kernel`. Of a `kernels.NamedKernel` the bandwidth is fitted by its name, of
        another function c in k(c x, c y); suggestions about directions need a name.
    resize : callable, optional
        (seed, n_features) -> map; needed for suggestions about the number of features.
    n_draws : int, optional
        Number of draws, at least 16; default 64, doubled until the worst pair is 12 standard errors
        off, or to 1024.
    seed : int
        Determines the draws, which differ from those of a check with the same seed.
    time_limit : float, optional
        Seconds after which no more than the required 16 draws are made, and nothing else is tried.

    Returns
    -------
    tuple of Cause
        The best fit first; empty when nothing simple fits.

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
    least, most = _DRAWS, _MOST_DRAWS
    if n_draws is not None:
        least = most = require_integer("n_draws", n_draws, least=2 * GROUPS, most=10**7)
    until = None if time_limit is None else monotonic() + require_positive("time_limit", time_limit)
    require_function("resize", resize, optional=True)
    pairs = make_pairs(kernel, X, Y)
    draws = Draws(draw, seed, stream=_STREAM)
    with np.errstate(all="ignore"):
        source = choose_source(draws[0], pairs, False)
        lines = Lines.of(kernel, pairs, draws.root) if pairs.same else None
        sample = _sample(draws, pairs, lines, source.n_features, least, until, most)
        if not np.isfinite(sample.grams).all():
            return ()
        causes = _causes(sample, draws, pairs, kernel, source, until)
        if (np.ptp(sample.grams, axis=0) <= 64.0 * source.eps).all():
            causes.append(same_draws(len(sample.grams)))
        elif resize is not None and not _over(until):
            causes += _of_sizes(resize, pairs, lines, least, seed, until)
    return tuple(causes)


def _causes(
    sample: Sample, draws: Draws, pairs: Pairs, kernel: Kernel, source: Source, until: float | None
) -> list[Cause]:
    """Return causes of a wrong mean: exact observations, then fits, then what is left."""
    means = Means.of(sample.grams, GROUPS, source.eps)
    on_lines = None
    if sample.lines is not None and np.isfinite(sample.on_lines).all():
        on_lines = OnLines.of(sample.lines, sample.on_lines)
    lean = [] if on_lines is None else of_lean(on_lines)
    axes = [] if on_lines is None else of_axes(on_lines)
    if means.agrees(pairs.claim):
        return lean + axes
    columns, m = sample.columns, source.n_features

    def of_columns(choose: Callable[[Columns], list[Cause]]) -> Callable[[], list[Cause]]:
        return lambda: [] if columns is None else choose(columns)

    # Observations that depend on no model first; what depends on the direction before other fits.
    attempts: tuple[Callable[[], list[Cause]], ...] = (
        of_columns(lambda c: c.causes(factor(means, pairs.claim, m))),
        of_columns(lambda c: of_unused_inputs(draws, means, pairs, kernel)),
        of_columns(lambda c: of_lost_digits(draws, pairs, kernel, draws.root)),
        lambda: signs_of_draws(sample.grams, means, pairs, GROUPS, source.eps),
        lambda: lean + of_the_mean(means, pairs, kernel, m) + axes,
        lambda: of_law(means, pairs, kernel),
    )
    causes: list[Cause] = []
    for attempt in attempts:
        if not causes and not _over(until):
            causes = attempt()
    if columns is not None and all(cause.kind == "factor" for cause in causes):
        # A factor of some columns is one of the mean of all.
        causes = columns.of_some(means) or causes
    return causes


def explained(
    verdict: Verdict, draw: Callable[[int], Any], kernel: Kernel, X: Array, Y: Array | None
) -> Verdict:
    """Return a refuted verdict with its likely cause, sought for at most `SECONDS`."""
    if verdict.status != "refuted" or verdict.cause or not math.isfinite(verdict.observed):
        return verdict
    pairs = make_pairs(kernel, X, Y)
    left, right = (_rows_of(verdict, k, rows) for k, rows in enumerate((pairs.left, pairs.right)))
    try:
        causes = diagnose(
            draw,
            kernel,
            left,
            None if pairs.same else right,
            seed=int(verdict.seeds.get("seed", 0)),
            time_limit=SECONDS,
        )
    except (TypeError, ValueError):
        causes = ()  # a draw that cannot be compared with others
    if causes:
        return replace(verdict, cause=causes[0].text)
    return replace(verdict, reason=f"{verdict.reason} No simple cause fits.".lstrip())


def _rows_of(verdict: Verdict, side: int, rows: EvaluatedRows) -> Array:
    """Return all rows, or of many those of the worst pairs and some between."""
    n = rows.host.shape[0]
    if n <= _MOST_ROWS:
        return rows.given
    worst = [] if verdict.table is None else [row.pair[side] for row in verdict.table.rows]
    return rows.gather(np.unique([*worst, *np.linspace(0, n - 1, 24).astype(int)]))


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
        grams = _sample(draws, pairs, None, m, n_draws, until).grams
        n = len(grams)
        error = grams.std(axis=0, ddof=1) / n**0.5 if n > 1 else 0.0 * grams[0]
    return Seen(pairs.claim, grams.mean(axis=0), error, n)


@dataclass
class Sample:
    """Estimates of draws at the pairs, (draws, pairs), and on lines; their columns in common."""

    grams: Any
    lines: Lines | None
    on_lines: Any
    columns: Columns | None


def _over(until: float | None) -> bool:
    return until is not None and monotonic() > until


def _sample(
    draws: Draws,
    pairs: Pairs,
    lines: Lines | None,
    m: int,
    n_draws: int,
    until: float | None,
    most: int = 0,
) -> Sample:
    """Return draws at the pairs, on lines if given; up to `most` until a deviation is clear.

    The columns of features are kept if `most` is given.
    """
    grams: list[Any] = []
    on_lines: list[Any] = []
    coded = not np.issubdtype(call(draws[0], pairs.left).dtype, np.floating)
    columns = Columns(pairs) if most and not coded else None
    target = n_draws
    while len(grams) < target:
        if len(grams) >= 2 * GROUPS and _over(until):
            break
        phi = draws[len(grams)]
        if columns is None:
            gram = estimate(phi, pairs, m)
        else:
            left, right = both(phi, pairs, m)
            gram = left @ right.T
            columns.add(left, right, len(grams) % 2)
        grams.append(pairs.pick(gram) / pairs.unit)
        if lines is not None:
            on_lines.append(lines.look(phi, m))
        if len(grams) == target < most:
            off = Means.of(np.stack(grams), GROUPS, 0.0).farthest(pairs.claim)
            target *= 2 if off < _CLEAR else 1
    looks = np.stack(on_lines) if on_lines else None
    return Sample(np.stack(grams), lines, looks, columns)


def _of_sizes(
    resize: Callable[[int, int], Any],
    pairs: Pairs,
    lines: Lines | None,
    n_draws: int,
    seed: int,
    until: float | None,
) -> list[Cause]:
    """Draw maps of two sizes and return causes where the error does not fall between them."""
    sizes, samples = [], []
    for n_features in _SIZES:
        # mypy infers no type for a lambda that binds a loop variable.
        draws = Draws(lambda s, n=n_features: resize(s, n), seed, stream=_SIZE_STREAM)  # type: ignore[misc]
        m = choose_source(draws[0], pairs, False).n_features
        sizes.append(m)
        samples.append(_sample(draws, pairs, lines, m, n_draws, until))
    if lines is not None:
        there = (sample.on_lines[:, :, 0][:, :, lines.apart] for sample in samples)
        points = of_points(falls(*there), lines.n_axes, *sizes)
        if points:
            return points
    return of_size(falls(samples[0].grams, samples[1].grams), *sizes)
