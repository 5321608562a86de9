"""Compare the excess risk of clipped ridge regression at a fresh row with its bound.

Weights w are fitted to N rows of features z_i by min sum (<w, z_i> - y_i)^2 + N ridge |w|^2, where
|y_i| <= b, and predictions are clipped to [-b, b]; b is `clip`. At row N + 1 the mean squared error
exceeds that of any w by at most N ridge |w|^2/(2 (N + 1)) + 4 b^2 (2 d - d^2/(N + 1))/(N + 1).
Here d is the mean of sum mu/(mu + N ridge), by eigenvalues mu of the Gram matrix of N + 1 rows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler import MaxoutFeatures, _arrays
from mehler.bounds import ridge as bounds
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from .._comparisons import Bounding, Instance, compare_instances, compare_ratios
from ._gram_draws import Draw

_ROUNDING = 1e-12  # relative, of sums of a few numbers


def opposite(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of pairs of equal rows with opposite labels, compared with the weights 0.

    One row is left out: a fit to the other of its pair is wrong by twice the label.
    """
    for pairs, clip in ((1, 1.0), (1, 0.5), (20, 3.0)):
        penalty, n = 1e-9, 2 * pairs
        setting = {"ridge": penalty / (n - 1), "norm": 0.0, "clip": clip}
        limit = bound(n - 1, degrees_of_freedom=pairs * 2 / (2 + penalty), **setting)
        risk = (clip + clip / (1 + penalty)) ** 2 - clip**2
        name = f"{pairs} pairs of opposite labels"
        yield Instance(name, (risk * (1 - _ROUNDING), risk), limit.total)


def shrunk(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of equal rows of one label, compared with twice the weight that fits all."""
    n = 10**8
    for share in (1.0, 30.0, 1000.0):
        penalty = share * n
        factor = 2 / (1 + share)
        limit = bound(
            n - 1,
            ridge=penalty / (n - 1),
            norm=factor,
            clip=1.0,
            degrees_of_freedom=n / (n + penalty),
        )
        risk = (penalty / (n - 1 + penalty)) ** 2 - (1 - factor) ** 2
        name = f"equal rows, penalty {share:g} N"
        yield Instance(name, (risk - _ROUNDING * abs(risk), risk), limit.total)


def left_out(z: np.ndarray, y: np.ndarray, penalty: float, clip: float) -> np.ndarray:
    """Return the squared error of the clipped prediction at each row by a fit to the others."""
    risks = np.empty(len(z))
    for i in range(len(z)):
        rest = np.arange(len(z)) != i
        gram = z[rest].T @ z[rest] + penalty * np.eye(z.shape[1])
        w = np.linalg.solve(gram, z[rest].T @ y[rest])
        risks[i] = (np.clip(z[i] @ w, -clip, clip) - y[i]) ** 2
    return risks


@check("features.clipped-ridge", form="printed", name="extremal instances")
def tight(context: Context, *, bound: Bounding = bounds.excess_risk_clipped) -> Evidence:
    """Compare the bound with computed risks, where one of its two terms is nearly the risk."""
    return compare_instances(
        "mean excess risk at a row that is left out", *opposite(bound), *shrunk(bound)
    )


@check("features.clipped-ridge", form="printed", name="labels that no weights explain", pays=True)
def over_draws(
    context: Context,
    *,
    bound: Bounding = bounds.excess_risk_clipped,
    draw: Draw = MaxoutFeatures.draw,
) -> Evidence:
    """Compare the mean excess risk with its bound, at rows drawn from 40 with random labels."""
    n_draws = 1000 if context.quick else 20_000
    rng = context.rng("rows")
    rows = rng.standard_normal((40, 3)) * rng.exponential(size=(40, 1))
    labels = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    settings = ((2, 8, 1e-6), (5, 10, 1e-3), (5, 60, 1e-3))
    share = context.false_alarm / len(settings)
    ratios = []
    for m, n, ridge in settings:
        phi = draw(3, m, 4, seed=context.seed_for(f"{m}/{n}"), like=context.like())
        z = np.asarray(_arrays.to_host(phi(context.asarray(rows))), dtype=np.float64)
        best = np.linalg.lstsq(z, labels, rcond=None)[0]
        limit = bound(
            n, ridge=ridge, norm=float(np.linalg.norm(best)), clip=1.0, degrees_of_freedom=m
        ).value
        least = float(np.mean((z @ best - labels) ** 2))
        risks = _risks(rng, z, labels, n, ridge, n_draws) - least
        low, high = intervals.betting(risks, -least, 4 - least, share)
        ratios.append((low / limit, float(risks.mean()) / limit, high / limit, m))
    claim = "mean excess risk over its bound"
    method = f"empirical Bernstein interval of {n_draws} draws of rows"
    return compare_ratios(claim, ratios, context.false_alarm, method=method)


def _risks(
    rng: np.random.Generator, z: Any, labels: Any, n: int, ridge: float, n_draws: int
) -> Any:
    """Return the clipped risks over all rows of weights fitted to n of them, drawn anew."""
    risks = np.empty(n_draws)
    for k in range(n_draws):
        i = rng.integers(len(z), size=n)
        gram = z[i].T @ z[i] + n * ridge * np.eye(z.shape[1])
        values = np.clip(z @ np.linalg.solve(gram, z[i].T @ labels[i]), -1, 1)
        risks[k] = np.mean((values - labels) ** 2)
    return risks
