"""Plan rows on the Gram matrix as a whole: its spectral error, and the nearest function."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler import MaxoutFeatures
from mehler.bounds import maxout, solve, spectral
from mehler.bounds._inverse import MOST_FEATURES, least_features
from mehler.planning._plan import Row

# Rows whose exact kernel is decomposed, which costs the cube.
_MOST_ROWS = 6000
# Ridges of the proof of the nearest function, in units of the largest error.
_RIDGES = np.geomspace(1e-3, 1.0, 9)


def spectral_rows(
    rows: Any,
    *,
    pool_size: int,
    eps: float,
    delta: float,
    ridge: float,
    norm: float,
    seed: int,
) -> tuple[list[Row], list[str]]:
    """Return the rows for a ridge, and notes: effective dimension, and rows left out."""
    notes = []
    if len(rows) > _MOST_ROWS:
        rng = np.random.Generator(np.random.Philox(seed))
        kept = np.sort(rng.choice(len(rows), size=_MOST_ROWS, replace=False))
        notes.append(
            f"The spectral error is that of {_MOST_ROWS} of the {len(rows)} rows, chosen at random."
        )
        rows = rows[kept]
    n, d = rows.shape
    phi = MaxoutFeatures.draw(d, 1, pool_size, seed=0)
    mu = np.maximum(np.linalg.eigvalsh(np.asarray(phi.kernel(rows))), 0.0)
    variance = np.asarray(phi.variance(rows))
    # The largest singular value, from the smaller of two Gram matrices.
    stretch = math.sqrt(np.linalg.eigvalsh(rows.T @ rows if d < n else rows @ rows.T)[-1])
    shift = n * ridge
    freedom = float(np.sum(mu / (mu + shift)))
    notes.append(f"At lambda = {ridge:.4g} the {n} rows have d(lambda) = {freedom:.1f}.")
    found = [
        *_spectral(mu, variance, stretch, eps=eps, delta=delta, ridge=ridge),
        *_nearest(mu, stretch, eps=eps, norm=norm, pool_size=pool_size),
    ]
    return found, notes


def _spectral(
    mu: Any, variance: Any, stretch: float, *, eps: float, delta: float, ridge: float
) -> list[Row]:
    n = mu.size
    told: dict[str, Any] = {"ridge": n * ridge, "delta": delta, "eigenvalues": mu}
    shared: dict[str, Any] = {
        "quantity": f"spectral error of the Gram matrix of {n} rows, relative to K + N lambda",
        "kind": "proved",
        "probability": 1 - delta,
    }
    total, error = math.fsum(np.maximum(variance, 0.0).flat), n * ridge * eps
    if not 1e-100 <= error <= 1e100:
        raise ValueError(f"ridge={ridge!r} is beyond the floats: N ridge eps = {error:.3g}")
    chebyshev = max(1, math.ceil(total / delta / error**2))
    by_length = solve(spectral.gram_error, at_most=eps, n_features=None, lipschitz=stretch, **told)
    return [
        Row(
            name=name,
            features=features,
            statement=bound.statement,
            assumptions=tuple(one.text for one in bound.assumptions),
            **shared,
        )
        for name, features, bound in (
            (
                "Lipschitz units, largest singular value of the rows",
                by_length,
                spectral.gram_error(by_length, lipschitz=stretch, **told),
            ),
            (
                "Chebyshev, exact variance",
                chebyshev,
                spectral.gram_error(chebyshev, variance=variance, **told),
            ),
        )
    ]


def _nearest(mu: Any, stretch: float, *, eps: float, norm: float, pool_size: int) -> list[Row]:
    """Plan a mean square of eps: for all functions of a ball at once, and for one of the class."""
    known: dict[str, Any] = {"norm": norm, "eigenvalues": mu, "lipschitz": stretch}
    ball = _of_ball(eps, known)
    box: dict[str, Any] = {"pool_size": pool_size, "scale": norm}
    one = least_features(lambda m: maxout.approximation(n_features=m, **box).value ** 2, eps)
    quantity = f"mean square distance to functions of norm {norm:g}, {mu.size} rows"
    at_ball = spectral.approximation(ball, **known)
    at_one = maxout.approximation(n_features=one, **box)
    return [
        Row(
            quantity=quantity,
            name=name,
            kind="proved",
            features=features,
            statement=bound.statement,
            probability=1.0,
            vacuous=eps >= trivial,
            assumptions=tuple(one.text for one in bound.assumptions),
            note=f"{note}; in the mean over features",
        )
        for name, features, bound, trivial, note in (
            (
                "nearest function, worst of the ball",
                ball,
                at_ball,
                at_ball.trivial,
                "weights free, one draw for all",
            ),
            (
                "Lemma 3, one function of the class",
                one,
                at_one,
                at_one.trivial**2,
                "weights of at most C/m",
            ),
        )
    ]


def _of_ball(eps: float, known: dict[str, Any]) -> int:
    """Return enough features by the best of some ridges of the proof.

    The bound takes the best of many ridges for each m; here each has one search, which is over
    where it needs more than those before.
    """
    mu, enough = known["eigenvalues"], MOST_FEATURES
    for ridge in mu.max() / mu.size * _RIDGES:

        def value(m: int, ridge: float = ridge) -> float:
            return float(spectral.approximation(m, ridge=ridge, **known).value)

        if value(enough) <= eps:
            enough = least_features(value, eps, most=enough)
    return enough
