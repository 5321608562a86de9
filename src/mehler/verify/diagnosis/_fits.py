"""Models with at most one parameter, fitted to the mean estimates of all pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify.sampling._pairs import Kernel, Pairs

# Factors that common defects produce; a fit within 4 standard errors of one is named after it.
_NAMES = {
    "2": 2.0,
    "1/2": 0.5,
    "3": 3.0,
    "1/3": 1.0 / 3.0,
    "4": 4.0,
    "1/4": 0.25,
    "8": 8.0,
    "1/8": 0.125,
    "sqrt(2)": math.sqrt(2.0),
    "1/sqrt(2)": math.sqrt(0.5),
    "pi": math.pi,
    "1/pi": 1.0 / math.pi,
    "2 pi": 2.0 * math.pi,
    "1/(2 pi)": 0.5 / math.pi,
    "-1": -1.0,
}
# Largest relative error of a fit that may be named, and distance from the number of that name.
_SHARP, _NEAR = 0.05, 0.03
# Largest factor of the bandwidth: of a kernel of unknown form, which may overflow, and by name.
_REACH, _REACH_BY_NAME = 32.0, 1e4
# Largest kurtosis over draws (normal: 3) at which standard errors are trusted.
_TAILS = 8.0

# A model fits if it explains this fraction of the squared deviation beyond noise, and leaves at
# most so many standard errors: a suggestion that fits less well misleads.
_EXPLAINED, _REST = 0.9, 2.0
# Rivals whose residual is up to this many times the best one's are named as well. A model without
# a parameter is one of many, and must be so many times better than one with a parameter.
_RIVAL, _BETTER = 2.0, 1.5
# In standard errors: below the first no deviation, beyond the second a significant one.
CALM, FAR = 5.0, 8.0


@dataclass(frozen=True)
class Means:
    """Mean and standard error of the estimate at every pair, with the means of groups of draws."""

    mean: Any
    error: Any
    groups: Any

    @classmethod
    def of(cls, grams: Any, n_groups: int, eps: float) -> Means:
        """Summarise estimates of shape (draws, pairs)."""
        n = grams.shape[0]
        # The floor keeps pairs of constant estimates from outweighing all others.
        floor = max(1e-6, 64.0 * eps)
        spread = grams.std(axis=0, ddof=1)
        error = np.maximum(spread / math.sqrt(n), floor)
        # Where few large samples decide a mean its standard error is not reliable.
        fourth = ((grams - grams.mean(axis=0)) ** 4).mean(axis=0)
        error[fourth > _TAILS * spread**4] = math.inf
        groups = np.stack([part.mean(axis=0) for part in np.array_split(grams, n_groups)])
        return cls(grams.mean(axis=0), error, groups)

    def at(self, which: NDArray[np.bool_]) -> Means:
        """Return the means at some of the pairs."""
        return Means(self.mean[which], self.error[which], self.groups[:, which])

    def farthest(self, model: Array) -> float:
        """Return the largest deviation from a model, in standard errors."""
        return float(np.max(np.abs(self.mean - model) / self.error, initial=0.0))

    def agrees(self, model: Array) -> bool:
        """Whether every pair is within 5 standard errors of a model."""
        return self.farthest(model) <= CALM

    def squares(self, model: Array) -> float:
        """Mean squared deviation from a model, in standard errors."""
        return float(np.mean(((self.mean - model) / self.error) ** 2))


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A suggested cause of a wrong kernel; it never changes a verdict.

    Parameters
    ----------
    kind : str
        "factor", "bandwidth", "phase", "offset", "row", "diagonal", "sign", "rows", "law", "seed",
        "size", "axes", "lean", "points", "features" or "digits".
    text : str
        The suggestion in a sentence, plain text.
    value, error : float
        The fitted number and its standard error: the factor, the bandwidth's factor, the offset in
        units of sqrt(k(x,x) k(y,y)); for the other kinds the number that the text names.
    explained : float
        Fraction of the squared deviation from the claim, noise apart, that the suggestion explains.
    rest : float
        Root mean square residual in standard errors, near 1 for a perfect fit.
    """

    kind: str
    text: str
    value: float = 0.0
    error: float = 0.0
    explained: float = 0.0
    rest: float = 0.0

    @property
    def fits(self) -> bool:
        """Whether the model explains the deviation and leaves noise."""
        return self.explained >= _EXPLAINED and self.rest <= _REST


def of_the_mean(means: Means, pairs: Pairs, kernel: Callable[..., Any], m: int) -> list[Cause]:
    """Return the models that explain the deviation, best first: simple ones before others."""
    if means.agrees(pairs.claim):
        return []
    named = bool(getattr(kernel, "bandwidth", ""))
    scale = factor(means, pairs.claim, m)
    fits: list[Cause | None] = [scale, offset(means, pairs.claim)]
    if named or not scale.fits:  # of homogeneous kernels other rows are another factor
        fits.append(bandwidth(means, pairs, kernel))
    if named:
        fits.append(mirror(means, pairs, kernel))
    good = sorted((fit for fit in fits if fit and fit.fits), key=lambda fit: fit.rest)
    others: list[Cause | None] = [_of_one_row(means, pairs), _of_the_diagonal(means, pairs)]
    others += [signs(means, pairs), *_of_changed_rows(means, pairs, kernel)]
    rivals = [fit for fit in others if fit and fit.fits]
    rival = min(rivals, key=lambda fit: fit.rest, default=None)
    if rival and not (good and good[0].rest <= _BETTER * max(rival.rest, 0.8)):
        return [rival]
    if good:
        return [fit for fit in good if fit.rest <= _RIVAL * good[0].rest]
    scales = _of_scaled_columns(means, pairs, kernel)
    return [scales] if scales and scales.fits else []


def factor(means: Means, claim: Array, n_features: int) -> Cause:
    """Fit c in c k: a constant factor."""
    weight = claim / means.error**2
    total = float(weight @ claim)
    value, error = _spread(means, lambda mean: float(weight @ mean) / total)
    text = f"estimate / exact is {value:.2f} at every pair"
    if not 0.1 <= abs(value) < 1000.0:
        text = f"estimate / exact is {value:.3g} at every pair"
    sizes = {
        "n_features": float(n_features),
        "1/n_features": 1.0 / n_features,
        "sqrt(n_features)": math.sqrt(n_features),
        "1/sqrt(n_features)": 1.0 / math.sqrt(n_features),
    }
    name = _name(value, error, {**_NAMES, **sizes} if n_features > 10 else _NAMES)
    if name is not None and not name.isdecimal():
        text += f" ({name}{f', with {n_features} features' if 'n_features' in name else ''})"
    return fit_of(means, claim, value * claim, "factor", text, value, error)


def offset(means: Means, claim: Array) -> Cause:
    """Fit b in k + b, in units of sqrt(k(x,x) k(y,y))."""
    weight = 1.0 / means.error**2
    value, error = _spread(means, lambda mean: float(weight @ (mean - claim) / weight.sum()))
    text = (
        f"estimate - exact is {value:.3g} at every pair, in units of sqrt(k(x,x) k(y,y)): an offset"
    )
    return fit_of(means, claim, claim + value, "offset", text, value, error)


def mirror(means: Means, pairs: Pairs, kernel: Callable[..., Any]) -> Cause | None:
    """Fit c in k(x, y) + c k(x, -y), the kernel of phases b with E cos 2b = c.

    None for rows of one sign. 2 cos(t + b) cos(u + b) = cos(t - u) + cos(t + u + 2b), and
    E sin(t + u) = 0.
    """
    x, y = pairs.left.values, pairs.right.values
    if not ((x < 0.0).any() and (x > 0.0).any()):
        return None  # the kernel may not be defined for rows of the other sign
    opposite = pairs.pick(kernel(x, -y)) / pairs.unit
    weight = opposite / means.error**2
    total = float(weight @ opposite)
    if not (np.isfinite(opposite).all() and total > 0.0):
        return None
    value, error = _spread(means, lambda mean: float(weight @ (mean - pairs.claim)) / total)
    text = (
        f"estimate is k(x, y) {'-' if value < 0 else '+'} {abs(value):.2f} k(x, -y), as where "
        f"phases b are left out or not uniform: E cos 2b = {value:.2f}, not 0"
    )
    model = pairs.claim + value * opposite
    return fit_of(means, pairs.claim, model, "phase", text, value, error)


def bandwidth(means: Means, pairs: Pairs, kernel: Any) -> Cause | None:
    """Fit the factor on the bandwidth of k; of a kernel without a name, c^2 in k(c x, c y).

    None where the best factor is out of reach.
    """
    name = getattr(kernel, "bandwidth", "")

    def model(log: float) -> Any:
        if name:
            other = kernel.replace(**{name: kernel.parameters[name] * math.exp(log)})
            return kernel_at(other, pairs, lambda rows: rows)
        return kernel_at(kernel, pairs, lambda rows: math.exp(0.5 * log) * rows)

    reach = math.log(_REACH_BY_NAME if name else _REACH)
    grid = np.arange(-reach, reach, 0.125)
    values = [model(float(log)) for log in grid]
    if any(value is None for value in values):
        return None
    models = np.stack(values)

    def best(mean: Array) -> float:
        from scipy.optimize import minimize_scalar

        def loss(log: float) -> float:
            return float(np.mean(((mean - model(log)) / means.error) ** 2))

        at = int(np.argmin(np.mean(((mean - models) / means.error) ** 2, axis=1)))
        low, high = grid[max(0, at - 1)], grid[min(grid.size - 1, at + 1)]
        least = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-5})
        return math.exp(float(least.x))

    value, error = _spread(means, best)
    if name and value < 2.0 * error:
        # A kernel as good as constant: its bandwidth has a limit and no value.
        value += 3.0 * error
        text = f"fits {name}' / {name} below {value:.1g}: rows are scaled to almost nothing"
        return fit_of(means, pairs.claim, model(math.log(value)), "bandwidth", text, value, error)
    if abs(math.log(value)) > reach - 0.1:
        return None
    name_of = _name(value, error, _NAMES)
    ratio = f"{value:.3g}" if name_of is None else name_of
    sign = name or "gamma"
    relation = f"{sign} / {ratio[2:]}" if ratio.startswith("1/") else f"{ratio} {sign}"
    text = f"fits {sign}' = {relation} ({sign}' / {sign} = {value:.3f} ± {error:.3f})"
    if not name:
        text = (
            f"fits k(c x, c y) with c^2 = {value:.3f} ± {error:.3f}, as where a Gaussian kernel "
            f"has {sign}' = {relation}"
        )
    return fit_of(means, pairs.claim, model(math.log(value)), "bandwidth", text, value, error)


def signs(means: Means, pairs: Pairs) -> Cause | None:
    """Fit s_i s_j k(x_i, x_j) with signs s of the rows."""
    if not pairs.same:
        return None
    sign = row_signs(means.mean, pairs)
    other = np.flatnonzero(sign != np.sign(sign.sum() or sign[0]))
    if not other.size:
        return None
    model = pairs.claim * sign[pairs.first] * sign[pairs.second]
    text = (
        f"{rows_text(other)} {'has' if other.size == 1 else 'have'} the other sign: estimate is "
        "k(x, y) or -k(x, y), as where the sign of features depends on the row"
    )
    return fit_of(means, pairs.claim, model, "sign", text, float(other.size))


def row_signs(estimates: Array, pairs: Pairs) -> Any:
    """Return the signs of rows with which estimates agree best with the claim, shape (n,)."""
    n = len(pairs.left.unit)
    agreement = np.zeros((n, n))
    agreement[pairs.first, pairs.second] = estimates * pairs.claim
    agreement = agreement + agreement.T - np.diag(np.diag(agreement))
    return np.where(np.linalg.eigh(agreement)[1][:, -1] < 0.0, -1.0, 1.0)


def signs_of_draws(
    grams: Array, means: Means, pairs: Pairs, n_groups: int, eps: float
) -> list[Cause]:
    """Return signs that change from draw to draw, if the claim holds but for them."""
    if not pairs.same:
        return []
    sign = np.stack([row_signs(gram, pairs) for gram in grams])
    if np.abs((sign * sign[:, :1]).mean(axis=0)).min() > 0.9:
        return []  # of `signs`, if of anything
    signed = Means.of(grams * sign[:, pairs.first] * sign[:, pairs.second], n_groups, eps)
    text = (
        "the sign of a row's features changes from draw to draw: <phi(x), phi(y)> is k(x, y) or "
        "-k(x, y)"
    )
    cause = fit_of(signed, means.mean, pairs.claim, "sign", text)
    return [cause] if cause.fits and signed.agrees(pairs.claim) else []


def _of_one_row(means: Means, pairs: Pairs) -> Cause | None:
    """Return the row without which all pairs agree with the claim."""
    n = len(pairs.left.unit)
    if not pairs.same or n < 4:
        return None
    deviation = np.abs(means.mean - pairs.claim) / means.error
    for i in range(n):
        own = (pairs.first == i) | (pairs.second == i)
        if deviation[~own].max() <= CALM and deviation[own].max() >= FAR:
            text = f"pairs with row {i} alone are off, and all others agree with the claim"
            model = np.where(own, means.mean, pairs.claim)
            return fit_of(means, pairs.claim, model, "row", text, float(i))
    return None


def _of_the_diagonal(means: Means, pairs: Pairs) -> Cause | None:
    """Return lengths as the cause if products of different rows agree with the claim."""
    own = pairs.first == pairs.second
    if not pairs.same or own.all() or not means.at(~own).agrees(pairs.claim[~own]):
        return None
    if (np.abs(means.mean - pairs.claim) < CALM * means.error)[own].any():
        return None
    model = np.where(own, means.mean, pairs.claim)
    value = float(np.mean((means.mean - pairs.claim)[own]))
    text = (
        f"|phi(x)|^2 alone is off, by {value:+.3g} k(x, x) on average, and products of different "
        "rows agree with the claim, as where noise of its own is added to every row"
    )
    return fit_of(means, pairs.claim, model, "diagonal", text, value)


def _of_changed_rows(means: Means, pairs: Pairs, kernel: Kernel) -> Iterator[Cause]:
    """Yield the changes of the rows after which the kernel fits, without a parameter."""
    for text, change in _changes(pairs.left.values.shape[1]):
        model = kernel_at(kernel, pairs, change)
        if model is not None:
            cause = fit_of(means, pairs.claim, model, "rows", f"fits the kernel of {text}")
            if cause.fits:
                yield cause


Change = Callable[[Any], Any]


def _changes(d: int) -> list[tuple[str, Change]]:
    """Return what code does to rows by mistake: text, and rows (n, d) to rows."""

    def standardised(x: Array) -> Any:
        spread = x.std(axis=0)
        return (x - x.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)

    def to_unit_range(x: Array) -> Any:
        span = np.ptp(x, axis=0)
        return (x - x.min(axis=0)) / np.where(span > 0.0, span, 1.0)

    def of_length_one(x: Array) -> Any:
        length = np.linalg.norm(x, axis=1, keepdims=True)
        return x / np.where(length > 0.0, length, 1.0)

    changes: list[tuple[str, Change]] = [
        ("rows centred and scaled by the deviations of the columns of these rows", standardised),
        ("rows minus their mean row", lambda x: x - x.mean(axis=0)),
        ("rows over the deviations of the columns of these rows", lambda x: x / x.std(axis=0)),
        ("columns scaled to [0, 1] by these rows", to_unit_range),
        ("rows scaled to length 1", of_length_one),
        ("rows minus the mean of their entries", lambda x: x - x.mean(axis=1, keepdims=True)),
        ("rows with sorted entries", lambda x: np.sort(x, axis=1)),
        ("columns sorted each by itself", lambda x: np.sort(x, axis=0)),
        ("rows in ascending order, as unique returns them", lambda x: x[np.lexsort(x.T[::-1])]),
        ("rows in descending order", lambda x: x[np.lexsort(x.T[::-1])[::-1]]),
        ("rows in reversed order", lambda x: x[::-1]),
        ("the row above in place of each", lambda x: np.roll(x, 1, axis=0)),
        ("the row below in place of each", lambda x: np.roll(x, -1, axis=0)),
        ("absolute values of entries", np.abs),
        ("rows without their negative entries", lambda x: np.maximum(x, 0.0)),
        ("squared entries", np.square),
        ("signs of entries", np.sign),
        ("entries clipped to [-1, 1]", lambda x: np.clip(x, -1.0, 1.0)),
        ("entries clipped to [0, 1]", lambda x: np.clip(x, 0.0, 1.0)),
        ("entries rounded to integers", np.round),
        ("entries cut to integers", np.trunc),
    ]
    if d > 1:
        changes += [(f"rows without column {j}", _without(j)) for j in range(d)]
        changes += [
            (f"their first {counted(j, 'column')} alone", _first(j)) for j in range(1, d - 1)
        ]
        changes += [
            (f"rows with columns {i} and {j} added up, as where both have one weight", _added(i, j))
            for i in range(min(d, 12))
            for j in range(i + 1, min(d, 12))
        ]
    return changes


# Columns whose scales are fitted, and pairs for each of them.
_MOST_COLUMNS, _PAIRS_A_COLUMN = 12, 5


def _of_scaled_columns(means: Means, pairs: Pairs, kernel: Kernel) -> Cause | None:
    """Fit a factor to each column of the rows, as where statistics of other rows scale them."""
    from scipy.optimize import least_squares

    d = pairs.left.values.shape[1]
    if not 2 <= d <= _MOST_COLUMNS or pairs.n < _PAIRS_A_COLUMN * d:
        return None

    def residuals(logs: Array) -> Any:
        model = kernel_at(kernel, pairs, lambda x: x * np.exp(logs))
        return 1e6 * np.ones(pairs.n) if model is None else (means.mean - model) / means.error

    best = least_squares(residuals, np.zeros(d), max_nfev=60)
    scales = np.exp(best.x)
    model = kernel_at(kernel, pairs, lambda x: x * scales)
    if model is None:
        return None
    listed = ", ".join(f"{scale:.2g}" for scale in scales)
    text = (
        f"fits the kernel of rows whose columns are multiplied by {listed}, as where they are "
        "divided by the deviations of the rows of a fit"
    )
    return fit_of(means, pairs.claim, model, "rows", text)


def _without(j: int) -> Change:
    return lambda x: np.delete(x, j, axis=1)


def _first(j: int) -> Change:
    return lambda x: x[:, :j]


def _added(i: int, j: int) -> Change:
    """Return the change that adds column j to column i and leaves 0 there."""

    def added(x: Array) -> Any:
        x = x.copy()
        x[:, i] += x[:, j]
        x[:, j] = 0.0
        return x

    return added


def kernel_at(kernel: Kernel, pairs: Pairs, change: Change) -> Any:
    """Return the kernel at changed rows, in the units of the pairs; None where it has no value."""
    left = change(pairs.left.values)
    right = left if pairs.same else change(pairs.right.values)
    try:
        value = np.asarray(kernel(left, right), dtype=np.float64)
    except ValueError:  # changed rows may lie beyond the kernel's domain
        return None
    if value.shape != (len(pairs.left.unit), len(pairs.right.unit)):
        return None
    model = pairs.pick(value) / pairs.unit
    return model if np.isfinite(model).all() else None


def rows_text(index: NDArray[np.int64]) -> str:
    """Return the numbers of rows, at most six of them."""
    shown = ", ".join(str(int(k)) for k in index[:6])
    more = f" and {index.size - 6} more" if index.size > 6 else ""
    return f"row{'' if index.size == 1 else 's'} {shown}{more}"


def fit_of(
    means: Means,
    claim: Array,
    model: Array,
    kind: str,
    text: str,
    value: float = 0.0,
    error: float = 0.0,
) -> Cause:
    """Return a model as a cause, with what it explains beyond noise and what it leaves."""
    before, after = means.squares(claim), means.squares(model)
    noise = min(1.0, after)
    return Cause(
        kind=kind,
        text=text,
        value=value,
        error=error,
        explained=1.0 - (after - noise) / max(before - noise, 1e-300),
        rest=math.sqrt(after),
    )


def _spread(means: Means, estimator: Callable[[Any], float]) -> tuple[float, float]:
    """Return the fit to the mean, and its standard error from the fits to groups of draws."""
    each = np.array([estimator(group) for group in means.groups])
    return estimator(means.mean), float(each.std(ddof=1) / math.sqrt(each.size))


def _name(value: float, error: float, names: dict[str, float]) -> str | None:
    if error > _SHARP * abs(value):
        return None
    # Rounding level, for fits that do not vary at all.
    slack = min(max(4.0 * error, 1e-5 * abs(value)), _NEAR * abs(value))
    near = [name for name, number in names.items() if abs(value - number) <= slack]
    return min(near, key=lambda name: abs(names[name] - value)) if near else None
