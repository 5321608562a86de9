"""One-parameter fits to the mean estimates of all pairs, with standard error and residual."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

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
# Largest relative error of a fit that may be named.
_SHARP = 0.05
# Largest factor of the bandwidth.
_REACH = 32.0
# Largest kurtosis over draws (normal: 3) at which standard errors are trusted.
_TAILS = 8.0


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

    def at(self, which: Any) -> Means:
        """Return the means at some of the pairs."""
        return Means(self.mean[which], self.error[which], self.groups[:, which])

    def agrees(self, model: Any) -> bool:
        """Whether every pair is within 5 standard errors of a model."""
        return bool((np.abs(self.mean - model) <= 5.0 * self.error).all())

    def squares(self, model: Any) -> float:
        """Mean squared deviation from a model, in standard errors."""
        return float(np.mean(((self.mean - model) / self.error) ** 2))


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A suggested cause of a wrong kernel; it never changes a verdict.

    Parameters
    ----------
    kind : str
        "factor", "bandwidth", "phase", "offset", "law", "seed", "size", "axes", "lean" or "points".
    text : str
        The suggestion in a sentence, plain text.
    value, error : float
        The fitted number and its standard error: the factor, the bandwidth's factor, the offset in
        units of sqrt(k(x,x) k(y,y)); for the other kinds the number that the text names.
    explained : float
        Fraction of the squared deviation from the claim that the suggestion explains.
    rest : float
        Root mean square residual in standard errors, near 1 for a perfect fit.

    See Also
    --------
    diagnose : Returns the causes, best fit first.
    """

    kind: str
    text: str
    value: float
    error: float = 0.0
    explained: float = 0.0
    rest: float = 0.0


def factor(means: Means, claim: Any, n_features: int) -> Cause:
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
    return _fit(means, claim, value * claim, "factor", text, value, error)


def offset(means: Means, claim: Any) -> Cause:
    """Fit b in k + b, in units of sqrt(k(x,x) k(y,y))."""
    weight = 1.0 / means.error**2
    value, error = _spread(means, lambda mean: float(weight @ (mean - claim) / weight.sum()))
    text = (
        f"estimate - exact is {value:.3g} at every pair, in units of sqrt(k(x,x) k(y,y)): an offset"
    )
    return _fit(means, claim, claim + value, "offset", text, value, error)


def mirror(means: Means, pairs: Any, kernel: Any) -> Cause | None:
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
    return _fit(means, pairs.claim, model, "phase", text, value, error)


def bandwidth(means: Means, pairs: Any, kernel: Any) -> Cause:
    """Fit the factor on the bandwidth of k."""
    name = kernel.bandwidth
    claimed = kernel.parameters[name]

    def model(log: float) -> Any:
        other = kernel.replace(**{name: claimed * math.exp(log)})
        return pairs.pick(other(pairs.left.values, pairs.right.values)) / pairs.unit

    reach = math.log(_REACH)
    grid = np.linspace(-reach, reach, 57)
    models = np.stack([model(float(log)) for log in grid])

    def best(mean: Any) -> float:
        from scipy.optimize import minimize_scalar

        def loss(log: float) -> float:
            return float(np.mean(((mean - model(log)) / means.error) ** 2))

        at = int(np.argmin(np.mean(((mean - models) / means.error) ** 2, axis=1)))
        low, high = grid[max(0, at - 1)], grid[min(grid.size - 1, at + 1)]
        found = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-5})
        return math.exp(float(found.x))

    value, error = _spread(means, best)
    name_of = _name(value, error, _NAMES)
    ratio = f"{value:.3g}" if name_of is None else name_of
    relation = f"{ratio} {name}"
    if ratio.startswith("1/"):
        relation = f"{name} / {ratio[2:]}"
    text = f"fits {name}' = {relation} ({name}' / {name} = {value:.3f} ± {error:.3f})"
    return _fit(means, pairs.claim, model(math.log(value)), "bandwidth", text, value, error)


def _fit(
    means: Means, claim: Any, model: Any, kind: str, text: str, value: float, error: float
) -> Cause:
    rest = means.squares(model)
    return Cause(
        kind=kind,
        text=text,
        value=value,
        error=error,
        explained=1.0 - rest / means.squares(claim),
        rest=math.sqrt(rest),
    )


def _spread(means: Means, estimator: Callable[[Any], float]) -> tuple[float, float]:
    """Return the fit to the mean, and its standard error from the fits to groups of draws."""
    each = np.array([estimator(group) for group in means.groups])
    return estimator(means.mean), float(each.std(ddof=1) / math.sqrt(each.size))


def _name(value: float, error: float, names: dict[str, float]) -> str | None:
    if error > _SHARP * abs(value):
        return None
    # Rounding level, for fits that do not vary at all.
    slack = max(4.0 * error, 1e-5 * abs(value))
    near = [name for name, number in names.items() if abs(value - number) <= slack]
    return min(near, key=lambda name: abs(names[name] - value)) if near else None
