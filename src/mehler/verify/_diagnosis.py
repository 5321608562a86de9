"""diagnose: suggest a simple cause of a refuted kernel, by fits of models to means over draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_positive
from mehler.kernels import NamedKernel, make
from mehler.verify._maps import Clock, Draws, EvaluatedRows, Kernel, RowPairs, make_pairs
from mehler.verify._sources import choose_source, estimate
from mehler.verify._verdict import Verdict

# Groups of draws, which give a fit its error; draws, doubled up to the most while the worst pair
# is fewer than _CLEAR standard errors off.
_GROUPS, _DRAWS, _MOST_DRAWS, _CLEAR = 8, 64, 4096, 16.0
_STREAM = 7
# Rows that an assertion diagnoses at most, and seconds that it takes for it.
_MOST_ROWS, _SECONDS = 64, 3.0
# Standard errors that are no deviation; largest kurtosis of an estimate whose error is trusted.
_CALM, _TAILS = 5.0, 8.0
# A model fits if it explains _EXPLAINED of the squared deviation and leaves at most _REST standard
# errors. Models within _RIVAL of the least rest are rivals: if they are farther apart than _ALIKE,
# none is named. Where a bandwidth leaves more than _WELL, other kernels are rivals too.
_EXPLAINED, _REST, _RIVAL, _ALIKE, _WELL = 0.9, 2.0, 1.6, 0.3, 1.25
# Factors that common mistakes produce; a fit within 4 standard errors of one is named after it.
_ROOT = math.sqrt(2.0)
_NUMBERS = {"2": 2.0, "3": 3.0, "4": 4.0, "8": 8.0, "sqrt(2)": _ROOT, "pi": math.pi}
_NAMES = _NUMBERS | {f"1/{name}": 1.0 / number for name, number in _NUMBERS.items()}
_NAMES |= {"-1": -1.0, "2 pi": 2.0 * math.pi, "1/(2 pi)": 0.5 / math.pi}
# Largest relative error of a fit that may be named, and distance from the number of that name.
_SHARP, _NEAR = 0.05, 0.03
# Error of a mean at which kernels with a free scale can be distinguished, and kinds that need it.
_FINE, _FREE = 0.002, ("bandwidth", "kernel", "columns")
_GRID = np.arange(-4.5, 4.51, 0.125)  # logarithms of the factors on lengths
# E cos 2b of phases b that are uniform on an interval.
_WIDTHS = {"[0, 2)": math.sin(4) / 4, "[0, pi/4)": 2 / math.pi, "[0, 1)": 0.5 * math.sin(2)}
# Columns whose factors are fitted, and pairs for each of them.
_MOST_COLUMNS, _PAIRS_A_COLUMN = 12, 5


@dataclass(frozen=True)
class Cause:
    """A suggested cause of a wrong kernel; it never changes a verdict.

    Parameters
    ----------
    kind, text : str
        "factor", "offset", "phase", "bandwidth", "kernel", "columns" or "seed", and a sentence.
    value, error, explained, rest : float
        The fitted number, its standard error; explained part of the squared deviation, and what is
        left, in standard errors.
    """

    kind: str
    text: str
    value: float = 0.0
    error: float = 0.0
    explained: float = 0.0
    rest: float = 0.0


def diagnose(
    draw: Callable[[int], Any],
    kernel: Kernel,
    X: Array,
    Y: Array | None = None,
    *,
    seed: int = 0,
    time_limit: float | None = None,
) -> tuple[Cause, ...]:
    """Search for a simple reason why the mean of <phi(x), phi(y)> is not k(x, y).

    Fit models of this mean to 64 to 4096 fresh draws, and name the simplest that explains the
    deviation: c k; k + b; k(x, y) + c k(x, -y), as of phases that are not uniform; a bandwidth,
    k(c x, c y); another kernel, by its name or the law of its weights; a factor on each column of
    X. A seed that changes nothing is named before any fit.

    Parameters
    ----------
    draw, kernel, X, Y
        As for `check_kernel`. Of a `kernels.NamedKernel` the bandwidth is fitted by its name.
    seed : int
        Determines the draws, which differ from those of a check.
    time_limit : float, optional
        CPU seconds after which no more than 16 draws are made, and no model is tried.

    Returns
    -------
    tuple of Cause
        Empty when nothing simple fits, or models that differ fit alike. A cause has no error rate.

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
    clock = Clock(None if time_limit is None else require_positive("time_limit", time_limit))
    pairs, draws = make_pairs(kernel, X, Y), Draws(draw, seed, stream=_STREAM)
    with np.errstate(all="ignore"):
        source = choose_source(draws[0], pairs, False)
        grams, target = list[Any](), _DRAWS
        while True:
            while len(grams) < target and not (len(grams) >= 2 * _GROUPS and clock.over):
                gram = estimate(draws[len(grams)], pairs, source.n_features)
                grams.append(pairs.pick(gram) / pairs.unit)
            values = np.stack(grams)
            if not np.isfinite(values).all():
                return ()
            if (np.ptp(values, axis=0) <= 64.0 * source.eps).all():
                text = f"all of {counted(len(values), 'draw')} from different seeds are the same"
                return (Cause(kind="seed", text=f"{text}: the seed is not used"),)
            means = Means(values, source.eps)
            done = target >= _MOST_DRAWS or clock.over
            if done or means.farthest(pairs.claim) >= _CLEAR:
                causes = _causes(means, pairs, kernel, source.n_features, clock)
                coarse = float(np.median(means.error)) / _FINE
                if causes is None:
                    return ()
                if causes and (causes[0].kind not in _FREE or coarse <= 1.0):
                    return causes
                if done:
                    fine = len(grams) >= _MOST_DRAWS or coarse <= 2.0
                    return causes if causes and (fine or causes[0].kind == "bandwidth") else ()
                if causes:
                    target = max(target, int(target * min(coarse**2, _MOST_DRAWS)) // 2)
            target = min(2 * target, _MOST_DRAWS)


def _causes(
    means: Means, pairs: RowPairs, kernel: Kernel, m: int, clock: Clock
) -> tuple[Cause, ...] | None:
    """Return the cause of the simplest kind: () if several fit equally well, None if none fits."""
    if means.farthest(pairs.claim) <= _CALM:
        return None
    # A function of x - y alone, by its values at shifted rows.
    rows = pairs.left.values
    shift = np.abs(rows).max() * np.random.default_rng(0).standard_normal(rows.shape[1])
    there = _values(kernel, pairs, lambda x: x + shift)
    stationary = there is not None and np.allclose(there, pairs.claim, rtol=1e-6, atol=1e-9)
    changes = [*_edit(means, pairs, kernel, m, stationary)]
    rivals = _kernels(means, pairs, kernel, stationary)
    for fits in (changes, rivals, _columns(means, pairs, kernel)):  # the last two are generators
        causes = None if clock.over else _simplest(means, pairs.claim, fits)
        if causes and causes[0].kind == "bandwidth" and causes[0].rest > _WELL and not clock.over:
            causes = _simplest(means, pairs.claim, [*changes, *rivals])
        if causes is not None:
            return causes
    return None


def with_cause(
    verdict: Verdict, draw: Callable[[int], Any], kernel: Kernel, X: Array, Y: Array | None
) -> Verdict:
    """Return a refuted verdict with its likely cause, sought for at most 3 seconds."""
    if verdict.status != "refuted" or verdict.cause or not math.isfinite(verdict.observed):
        return verdict
    pairs = make_pairs(kernel, X, Y)

    def part(side: int, rows: EvaluatedRows) -> Array:  # all, or the worst pairs' and some between
        n, worst = len(rows.host), [] if verdict.table is None else verdict.table.pairs
        index = [*(pair[side] for pair in worst), *np.linspace(0, n - 1, 24).astype(int)]
        return rows.array if n <= _MOST_ROWS else rows.gather(np.unique(index))

    left, right = part(0, pairs.left), None if pairs.same else part(1, pairs.right)
    seed = int(verdict.seeds.get("seed", 0))
    try:
        causes = diagnose(draw, kernel, left, right, seed=seed, time_limit=_SECONDS)
    except (TypeError, ValueError):
        causes = ()  # a draw that cannot be compared with others
    if causes:
        return replace(verdict, cause=causes[0].text)
    return replace(verdict, reason=f"{verdict.reason} No simple cause fits.".lstrip())


class Means:
    """Mean and standard error of estimates, shape (draws, pairs), and means of groups of draws."""

    def __init__(self, grams: Array, eps: float) -> None:
        self.mean, spread = grams.mean(axis=0), grams.std(axis=0, ddof=1)
        # The floor keeps pairs of constant estimates from outweighing all others.
        self.error = np.maximum(spread / math.sqrt(len(grams)), max(1e-6, 64.0 * eps))
        # Where few large samples decide a mean its standard error is not reliable.
        fourth = ((grams - self.mean) ** 4).mean(axis=0)
        self.error[fourth > _TAILS * spread**4] = math.inf
        self.groups = np.stack([part.mean(axis=0) for part in np.array_split(grams, _GROUPS)])

    def farthest(self, model: Array) -> float:
        return float(np.max(np.abs(self.mean - model) / self.error, initial=0.0))

    def distance(self, a: Array, b: Array) -> float:
        return float(np.sqrt(np.mean(((a - b) / self.error) ** 2)))

    def fit(self, estimator: Callable[[Any], float]) -> tuple[float, float]:
        """Return the fit to the mean, and its standard error from groups of draws."""
        fits = np.array([estimator(group) for group in self.groups])
        return estimator(self.mean), float(fits.std(ddof=1) / math.sqrt(fits.size))

    def along(self, direction: Array, base: Array) -> tuple[float, float]:
        """Fit c in base + c direction, with its standard error."""
        weight = direction / self.error**2
        total = float(weight @ direction) or math.inf  # where all errors are infinite
        return self.fit(lambda mean: float(weight @ (mean - base)) / total)


Fit = tuple[Cause, Any]  # a cause, and the values at the pairs of the kernel that it stands for


def _simplest(means: Means, claim: Array, fits: Iterable[Fit]) -> tuple[Cause, ...] | None:
    """Return the first cause that fits: () if one of other values fits too, None if none fits."""
    good: list[Fit] = []
    before = means.distance(means.mean, claim) ** 2
    for cause, model in fits:
        after = means.distance(means.mean, model) ** 2
        noise = min(1.0, after)
        part = 1.0 - (after - noise) / max(before - noise, 1e-300)
        if part >= _EXPLAINED and after <= _REST**2:
            good.append((replace(cause, explained=part, rest=math.sqrt(after)), model))
    if not good:
        return None
    best = max(1.0, min(cause.rest for cause, _ in good))
    rivals = [(cause, model) for cause, model in good if cause.rest <= _RIVAL * best]
    alike = all(means.distance(rivals[0][1], model) <= _ALIKE for _, model in rivals)
    return (rivals[0][0],) if alike else ()


def _edit(means: Means, pairs: RowPairs, kernel: Kernel, m: int, stationary: bool) -> Iterator[Fit]:
    """Yield fits of the claimed kernel k with one change: c k, k + c, phases, a bandwidth."""
    value, error = means.along(pairs.claim, np.zeros_like(pairs.claim))
    digits = f"{value:.2f}" if 0.1 <= abs(value) < 1000.0 else f"{value:.3g}"
    text = f"estimate / exact is {digits} at every pair"
    sizes = {"n_features": float(m), "sqrt(n_features)": math.sqrt(m)}
    sizes |= {f"1/{name}": 1.0 / size for name, size in sizes.items()}
    name = _name(value, error, {**_NAMES, **sizes} if m > 10 else _NAMES)
    if name is not None and not name.isdecimal():
        text += f" ({name}{f', with {m} features' if 'n_features' in name else ''})"
    yield Cause("factor", text, value, error), value * pairs.claim
    value, error = means.along(np.ones_like(pairs.claim), pairs.claim)
    text = f"estimate - exact is {value:.3g} at every pair, in units of sqrt(k(x,x) k(y,y))"
    yield Cause("offset", f"{text}: an offset", value, error), pairs.claim + value
    if stationary:
        yield from _phases(means, pairs, kernel)
    yield from _bandwidth(means, pairs, kernel)


def _name(value: float, error: float, names: dict[str, float]) -> str | None:
    if error > _SHARP * abs(value):
        return None
    slack = min(max(4.0 * error, 1e-5 * abs(value)), _NEAR * abs(value))  # 1e-5: rounding
    near = [name for name, number in names.items() if abs(value - number) <= slack]
    return near[0] if len(near) == 1 else None


def _values(kernel: Any, pairs: RowPairs, left: Callable[[Any], Any], right: Any = None) -> Any:
    """Return a kernel at the pairs of changed rows, in their units; None where it has no value."""
    x, y = left(pairs.left.values), (right or left)(pairs.right.values)
    try:
        model = pairs.pick(np.asarray(kernel(x, y), dtype=np.float64)) / pairs.unit
    except Exception:  # changed rows may lie beyond the domain of anybody's function
        return None
    return model if np.isfinite(model).all() else None


def _phases(means: Means, pairs: RowPairs, kernel: Kernel) -> Iterator[Fit]:
    """Fit c in k(x, y) + c k(x, -y), the mean of 2 cos(w.x + b) cos(w.y + b) if E cos 2b = c."""
    opposite = _values(kernel, pairs, np.positive, np.negative)
    if opposite is None or not opposite.any():
        return
    value, error = means.along(opposite, pairs.claim)
    near = [width for width, c in _WIDTHS.items() if abs(c - value) <= 4.0 * error]
    law = f"uniform on {near[0]}" if len(near) == 1 else "left out or not uniform"
    if abs(1.0 - value) <= max(4.0 * error, 1e-3):
        law = "left out"
    text = f"estimate is k(x, y) {'-' if value < 0 else '+'} {abs(value):.2f} k(x, -y), as if "
    text += f"phases b were {law}: E cos 2b = {value:.2f}, not 0"
    if abs(value) <= 1.0 + 4.0 * error:
        yield Cause("phase", text, value, error), pairs.claim + value * opposite


def _scale(means: Means, pairs: RowPairs, kernel: Kernel) -> tuple[float, float, Any] | None:
    """Fit k(e^s x, e^s y): return s, its error and that kernel; None at an end of the grid."""
    from scipy.optimize import minimize_scalar

    def model(log: float) -> Any:
        return _values(kernel, pairs, lambda rows: math.exp(log) * rows)

    values = {log: value for log in _GRID.tolist() if (value := model(log)) is not None}
    if not values:
        return None
    grid, models = np.array(list(values)), np.stack(list(values.values()))

    def best(mean: Array) -> float:
        def loss(log: float) -> float:
            value = model(log)
            return math.inf if value is None else means.distance(mean, value) ** 2

        at = int(np.argmin(np.mean(((mean - models) / means.error) ** 2, axis=1)))
        ends = grid[max(0, at - 1)], grid[min(grid.size - 1, at + 1)]
        fit = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-5})
        return float(fit.x)

    value, error = means.fit(best)
    fitted = model(value) if grid[1] < value < grid[-2] else None
    return None if fitted is None else (value, error, fitted)


def _bandwidth(means: Means, pairs: RowPairs, kernel: Kernel) -> Iterator[Fit]:
    """Fit c in k(c x, c y), a bandwidth; state it as the kernel's own parameter if it has one."""
    name, fit = getattr(kernel, "bandwidth", ""), _scale(means, pairs, kernel)
    if fit is None:
        return
    log, spread, model = fit
    # gamma is that of |x - y|^2 or of <x, y>; gamma of the laplacian and length scales are not.
    power = {"laplacian": 1.0, "matern": -1.0}.get(getattr(kernel, "name", ""), 2.0)
    value = math.exp(power * log)
    error = value * abs(power) * spread
    if name and 3.0 * error > value:  # a kernel as good as constant, or as 0: no value, but a limit
        low, text = value * math.exp(-3.0 * error / value), ""
        if value < 1.0:
            text = f"below {value + 3.0 * error:.1g}: rows are scaled to almost nothing"
        elif low > 1.0:
            text = f"above {low:.2g}: rows are scaled to lie far apart"
        if power > 0.0 and text:
            yield Cause("bandwidth", f"fits {name}' / {name} {text}", value, error), model
        return
    number, sign = _name(value, error, _NAMES), name or "gamma"
    ratio = f"{value:.3g}" if number is None else number
    relation = f"{sign} / {ratio[2:]}" if ratio.startswith("1/") else f"{ratio} {sign}"
    text = f"fits {sign}' = {relation} ({sign}' / {sign} = {value:.3f} ± {error:.3f})"
    if not name:
        text = f"fits k(c x, c y) with c^2 = {value:.3f} ± {error:.3f}, like a Gaussian kernel "
        text += f"with {sign}' = {relation}"
    yield Cause("bandwidth", text, value, error), model


def _without_root(nu: float, x: Array, y: Array) -> Any:
    """Mean over s = 2 nu/chi^2_{2 nu} of exp(-|x - y|^2 s^2/2); a Matern kernel has s, not s^2."""
    from scipy.stats import chi2

    s = 2.0 * nu / chi2(2.0 * nu).ppf((np.arange(100) + 0.5) / 100)
    squares = ((x[:, None] - y[None]) ** 2).sum(axis=2)
    return np.exp(-0.5 * squares[..., None] * s**2).mean(axis=2)


def _by_columns(kernel: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the product over columns of a kernel of one column, as of independent weights."""
    return lambda x, y: np.prod([kernel(a[:, None], b[:, None]) for a, b in zip(x.T, y.T)], axis=0)


# Kernels of weights drawn from another law than the claimed kernel's, before a scale is fitted.
_SPECTRA: dict[str, Callable[[Any, Any], Any]] = {
    **{
        f"Student weights of {2 * nu:g} degrees in each column": _by_columns(make("matern", nu=nu))
        for nu in (1.0, 1.5, 2.5)
    },
    "uniform weights": _by_columns(lambda a, b: np.sinc(math.sqrt(3.0) / math.pi * (a - b.T))),
    "weights of random signs": _by_columns(lambda a, b: np.cos(a - b.T)),
    **{
        f"Matern weights (nu = {nu:g}) without the root of chi^2": partial(_without_root, nu)
        for nu in (0.5, 1.5, 2.5, 3.5)
    },
}


def _rivals(stationary: bool) -> list[tuple[str, Any, float]]:
    """Return (text, kernel, power): the text states scale^power; power 0 means no scale to fit."""
    rbf = "rbf(gamma={:.3g})", make("rbf", gamma=1.0), 2.0
    if not stationary:
        bare = [make("linear"), *(make("arc-cosine", order=n) for n in (0, 1, 2))]
        bare += [make(name, q=q) for name in ("maxout", "collision") for q in (2, 3, 4)]
        bare_kernels = [(str(kernel), kernel, 0.0) for kernel in bare]
        return [("exp(gamma={:.3g})", make("exp"), 2.0), rbf, *bare_kernels]
    matern = [
        (f"matern(nu={nu:g}, length_scale={{:.3g}})", make("matern", nu=nu, length_scale=1.0), -1.0)
        for nu in (0.5, 1.0, 1.5, 2.5, 3.5)
    ]
    laplacian = "laplacian(gamma={:.3g})", make("laplacian", gamma=1.0), 1.0
    cauchy = f"joint Cauchy weights: {matern[0][0]}", *matern[0][1:]
    laws = [(f"{text}, times {{:.3g}}", law, 1.0) for text, law in _SPECTRA.items()]
    return [rbf, laplacian, cauchy, *matern[1:], *laws]


def _kernels(means: Means, pairs: RowPairs, kernel: Kernel, stationary: bool) -> Iterator[Fit]:
    """Fit other named kernels, and kernels of other laws of weights, each with a scale of rows."""
    for text, rival, power in _rivals(stationary):
        if isinstance(kernel, NamedKernel) and isinstance(rival, NamedKernel):
            shape, rival_shape = ({**k.parameters, k.bandwidth: 0.0} for k in (kernel, rival))
            if (kernel.name, shape) == (rival.name, rival_shape):
                continue  # of another bandwidth, which was tried
        unscaled = 0.0, 0.0, _values(rival, pairs, np.positive)
        fit = _scale(means, pairs, rival) if power else unscaled
        if fit is not None and fit[2] is not None:
            words = f"fits {text.format(math.exp(power * fit[0]))}, not the claimed kernel"
            yield Cause("kernel", words, math.exp(fit[0]), fit[1]), fit[2]


def _columns(means: Means, pairs: RowPairs, kernel: Kernel) -> Iterator[Fit]:
    """Fit a factor to each column of the rows, for maps that scale rows by wrong statistics."""
    from scipy.optimize import least_squares

    d = pairs.left.values.shape[1]
    if not 2 <= d <= _MOST_COLUMNS or pairs.n < _PAIRS_A_COLUMN * d:
        return

    def residuals(logs: Array, mean: Array) -> Any:
        model = _values(kernel, pairs, lambda x: x * np.exp(logs))
        return np.full(pairs.n, 1e6) if model is None else (mean - model) / means.error

    def best(mean: Array) -> Any:
        return least_squares(partial(residuals, mean=mean), np.zeros(d), max_nfev=60).x

    logs = best(means.mean)
    model = _values(kernel, pairs, lambda x: x * np.exp(logs))
    errors = np.std([best(group) for group in means.groups], axis=0, ddof=1) / math.sqrt(_GROUPS)
    # One factor for all is a bandwidth, which did not fit.
    if model is None or np.ptp(logs) < 8.0 * errors.max() or errors.max() > 0.25:
        return
    text = ", ".join(f"{scale:.2g}" for scale in np.exp(logs))
    text = f"fits the kernel of rows whose columns are multiplied by {text}, as if they were "
    text += "divided by the deviations of other rows"
    yield Cause("columns", text, float(np.exp(np.ptp(logs))), 0.0), model
