"""Check the bound of how far functions of the kernel's space are from the span of m features.

On N rows, with features Phi (N, m) and K = E Phi Phi^T, the worst function of norm B has the mean
square distance B^2 |(1 - P) K (1 - P)|/N, where P is the projection on the range of Phi. The bound
is one of its mean over draws. It uses the leverage of a unit with values z, max z^T (K + N
ridge)^-1 z, or its kurtosis, the largest E<v, z>^4/(E<v, z>^2)^2 over v.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler import FourierFeatures, MaxoutFeatures
from mehler.bounds import spectral
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from .._comparisons import Bounding, Instance, compare_instances, compare_ratios
from ._gram_draws import Draw, grams


def one_row(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of one row of kernel 1, and a feature of 1/sqrt(p) with chance p, else of 0.

    If all features are 0 the distance is the norm, else it is 0. The kurtosis is 1/p.
    """
    p, ridge = 1e-3, 1e-9
    for m in (200, 2000):
        distance = float(np.exp(m * np.log1p(-p))) * 4.0
        setting = {"norm": 2.0, "eigenvalues": np.ones(1)}
        value = bound(m, leverage=1 / (p * (1 + ridge)), ridge=ridge, **setting)
        yield Instance(f"one row, leverage, {m} features", (distance, distance), value.total)
        value = bound(m, kurtosis=1 / p, **setting)
        yield Instance(f"one row, kurtosis, {m} features", (distance, distance), value.total)


_N, _D = 24, 6  # rows and inputs


@check("features.nearest", form="printed", name="extremal instances")
def tight(context: Context, *, bound: Bounding = spectral.approximation) -> Evidence:
    """Compare the bound with computed distances, where it is nearly an equality."""
    return compare_instances("mean square distance of the nearest", *one_row(bound))


@check("features.nearest", form="printed", name="the worst function of each draw", pays=True)
def over_draws(context: Context, *, bound: Bounding = spectral.approximation) -> Evidence:
    """Compare mean distances in draws with the bound: linear units, maxout, cosines and sines."""
    # Lengths of the coordinates fall by half, and so do eigenvalues by four.
    rows = context.rng("rows").standard_normal((_N, _D)) * 0.5 ** np.arange(_D)
    cases, n_draws = list(_settings(rows)), 500 if context.quick else 20_000
    ratios = []
    for name, draw, m, moments in cases:
        kernel = draw(2, seed=0).kernel(rows)
        limit = bound(m, norm=1.0, gram=kernel, **moments).value
        blocks = grams(context, draw, f"{name}/{m}", rows, n_features=m, n_draws=n_draws)
        distances = np.concatenate([_missed(block, kernel) for block in blocks])
        most = float(np.linalg.eigvalsh(kernel)[-1]) / _N
        low, high = intervals.betting(distances, 0.0, most, context.false_alarm / len(cases))
        ratios.append((low / limit, float(distances.mean()) / limit, high / limit, m * n_draws))
    claim = "mean square distance over its bound"
    method = f"empirical Bernstein interval of {n_draws} draws"
    return compare_ratios(claim, ratios, context.false_alarm, method=method)


def _missed(grams_: Any, kernel: Any) -> Any:
    """Return the largest square distance from a function of norm 1, for each draw."""
    values, vectors = np.linalg.eigh(grams_)
    # Directions outside the span, up to rounding: one too many only adds distance.
    lost = values < 1e-11 * values[:, -1:]
    directions = vectors * lost[:, None, :]
    inner = np.swapaxes(directions, 1, 2) @ kernel @ directions
    return np.linalg.eigvalsh(inner)[:, -1] / len(kernel)


def _settings(rows: Any) -> Iterator[tuple[str, Draw, int, dict[str, Any]]]:
    """Yield name, map, number of features m, and what the bound knows of a unit."""

    def linear(m: int, **options: Any) -> Any:
        return MaxoutFeatures.draw(_D, m, 1, **options)

    def maxout(m: int, **options: Any) -> Any:
        return MaxoutFeatures.draw(_D, m, 4, **options)

    def fourier(m: int, **options: Any) -> Any:
        return FourierFeatures.draw(_D, m, gamma=0.5, **options)

    for m in (1, 3):
        yield "linear", linear, m, {"kurtosis": 3.0}
    yield "maxout", maxout, 12, {"lipschitz": float(np.linalg.norm(rows, 2))}
    yield "pairs", fourier, 12, {"sup": 1.0, "block": 2}
