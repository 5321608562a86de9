"""Excess risk of ridge regression on random features, squared loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler import FourierFeatures, KitchenSinks, MaxoutFeatures
from mehler.bounds import Bound
from mehler.bounds import ridge as bounds
from mehler.statements import Context, Evidence, check
from mehler.verify import intervals

from .._worlds import hold_worlds
from ._gram_draws import Draw, grams
from .worlds import _ridge as worlds
from .worlds import _source as source

Bounding = Callable[..., Bound]
_N, _D, _NORM, _NOISE = 24, 3, 1.0, 0.5


def _rows(context: Context) -> Any:
    rows = context.rng("rows").standard_normal((_N, _D))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _fourier(m: int, **options: Any) -> Any:
    return FourierFeatures.draw(_D, m, gamma=2.0, **options)


def _maxout(m: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(_D, m, 4, **options)


def _centred(m: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(_D, m, 4, centred=True, **options)


def _relu(m: int, **options: Any) -> Any:
    return KitchenSinks.draw(_D, m, activation="relu", **options)


def risks(blocks: Iterator[Any], target: Any, ridge: float) -> Any:
    """Return excess risks at the rows, in the mean over noise, for Gram matrices of features."""
    n, found = target.size, []
    for grams_ in blocks:
        away = n * ridge * np.linalg.inv(grams_ + n * ridge * np.eye(n))
        bias = np.mean((away @ target) ** 2, axis=1)
        found.append(bias + _NOISE**2 * np.sum((np.eye(n) - away) ** 2, axis=(1, 2)) / n)
    return np.concatenate(found)


def known_before(delta: float, *, bias: float, variance: float, n: int) -> float:
    """Return the bound of Avron and others at a spectral error, as recalled."""
    return (bias + variance) / (1 - delta) + delta / (1 + delta) * _NOISE**2 * min(1.0, n)


@check("features.ridge", form="printed", name="the known inequality")
def printed(
    context: Context, *, bound: Callable[..., float] = known_before, m: int = 600
) -> Evidence:
    """Hold the known inequality in every draw whose spectral error is below 1."""
    rows, ridge = _rows(context), 0.02
    kernel = _fourier(2, seed=0).kernel(rows)
    shift = _N * ridge * np.eye(_N)
    target = _target(kernel)
    inverse = np.linalg.inv(kernel + shift)
    exact = {
        "bias": ridge * float(target @ inverse @ target),
        "variance": _NOISE**2 * float(np.trace(kernel @ inverse)) / _N,
        "n": _N,
    }
    root = np.linalg.cholesky(inverse)
    worst, n_draws = 0.0, 100 if context.quick else 2000
    for block in grams(context, _fourier, "known", rows, n_features=m, n_draws=n_draws):
        errors = np.abs(np.linalg.eigvalsh(root.T @ (block - kernel) @ root)).max(axis=1)
        for error, risk in zip(errors, risks(iter([block]), target, ridge), strict=True):
            if error < 1:
                worst = max(worst, float(risk) / bound(float(error), **exact))
    return Evidence.bound_comparison(
        form="printed",
        claim="risk over its bound by the spectral error of the same draw, at most 1",
        observed=worst,
        interval=(worst * (1 - 1e-9), worst * (1 + 1e-9)),
        upper=1.0,
        method=f"computed for each of {n_draws} draws",
    )


def _target(kernel: Any, smoothness: float = 0.5) -> Any:
    """Return a target of norm 1 whose weights lie where the bias of the exact kernel is large."""
    mu, vectors = np.linalg.eigh(kernel)
    share = np.maximum(mu[-3:] / _N, 0) ** smoothness * math.sqrt(_N / 3)
    return vectors[:, -3:] @ share * _NORM


@check("features.ridge", form="proved", name="bounded and unbounded features", pays=True)
def drawn(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Hold the mean risk over draws against the bound: four maps, and three smoothnesses."""
    rows, cases = _rows(context), list(_settings(context))
    n_draws = 1000 if context.quick else 20_000
    share = context.false_alarm / len(cases)
    worst: tuple[float, ...] = (-math.inf, 0.0, 0.0, 0.0)
    for name, draw, ridge, m, smoothness in cases:
        kernel = draw(2, seed=0).kernel(rows)
        target = _target(kernel, smoothness)
        # A maximum, centred or not, and ReLU are 1-Lipschitz in each projection.
        known: dict[str, Any] = {"lipschitz": float(np.linalg.norm(rows, 2))}
        if name == "pairs":
            known = {"sup": 1.0, "block": 2}
        told = {"ridge": ridge, "norm": _NORM, "noise": _NOISE, "smoothness": smoothness}
        limit = bound(m, gram=kernel, **told, **known).value
        label = f"{name}/{ridge}/{smoothness:g}"
        blocks = grams(context, draw, label, rows, n_features=m, n_draws=n_draws)
        found = risks(blocks, target, ridge)
        first = float(np.linalg.eigvalsh(kernel)[-1]) / _N
        most = first ** (2 * smoothness) * _NORM**2 + _NOISE**2
        low, high = intervals.bounded(found, 0.0, most, share)
        worst = max(worst, (low / limit, float(found.mean()) / limit, high / limit, m))
    return Evidence.bound_comparison(
        form="proved",
        claim=f"mean risk over its bound, at most 1 (largest of {len(cases)} settings)",
        observed=worst[1],
        interval=(worst[0], worst[2]),
        upper=1.0,
        false_alarm=context.false_alarm,
        n_features=int(worst[3]) * n_draws,
        method=f"empirical Bernstein interval of {n_draws} draws",
        assumptions=("draws are independent",),
    )


def _settings(context: Context) -> Iterator[tuple[str, Draw, float, int, float]]:
    sizes = ((0.05, 400),) if context.quick else ((0.2, 20), (0.05, 400), (0.005, 100))
    maps = {"pairs": _fourier, "maxout": _maxout, "centred": _centred, "relu": _relu}
    for name, draw in maps.items():
        for ridge, m in sizes:
            yield name, draw, ridge, m, 0.5
    for name in ("pairs", "relu"):
        for smoothness in (0.25, 1.0):
            yield name, maps[name], 0.05, 100, smoothness


@check("features.ridge", form="proved", name="worlds where it is tight")
def tight(context: Context, *, bound: Bounding = bounds.excess_risk) -> Evidence:
    """Hold each term where it is nearly equal to the risk."""
    return hold_worlds(
        [
            *(one for part in (worlds.one_row, worlds.left_out) for one in part(bound)),
            *(one for part in _SOURCE for one in part(bound)),
        ],
        form="proved",
        claim="mean excess risk",
    )


_SOURCE = (source.alike, source.rare, source.arrow, source.square)
