"""Plan the ridge and the number of features for ridge regression on given rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, eigsh

from mehler import FourierFeatures, KitchenSinks, MaxoutFeatures
from mehler._random import require_seed
from mehler._validate import (
    require_choice,
    require_flag,
    require_integer,
    require_iterable,
    require_positive,
)
from mehler.bounds import ridge
from mehler.planning import _table
from mehler.planning._features import MOST_ROWS, largest_singular_value, on_sphere, sample
from mehler.planning._plan import Plan, Row

Map = Literal["maxout", "centred-maxout", "fourier", "relu"]
# Text of a map, how to draw it, and how large its features are on the rows.
Named = tuple[str, Callable[..., Any], dict[str, Any]]
# Features that are measured cost the cube.
_MOST_MEASURED = 2048
_DRAWS = 3
# Fewer rows are decomposed as a whole.
_FEW = 50


def plan_ridge(
    data: Any,
    *,
    noise: float = 0.1,
    norm: float = 1.0,
    eps: float = 0.1,
    pool_size: int = 4,
    gamma: float = 1.0,
    maps: Iterable[Map] = ("maxout", "fourier"),
    seed: int = 0,
    measure: bool = True,
) -> Plan:
    r"""Plan the ridge, and the features at which the risk is nearly that of the exact kernel.

    .. math:: \lambda = \arg\min \frac{\lambda B^2}4 + \frac{\sigma^2d(\lambda)}N, \qquad
              m = \min\big\{m : \text{excess risk} \le (1 + \epsilon)\big(\tfrac{\lambda B^2}4 +
              \tfrac{\sigma^2d(\lambda)}N\big)\big\}

    with d(lambda) computed from the exact kernel on the rows.

    Parameters
    ----------
    data : array, shape (N, d)
        Rows, in any library, divided by their norms; of more than 6000, as many are chosen at
        random.
    noise : float
        sigma, the standard deviation of the targets about their regression function.
    norm : float
        B, the norm of this function in the kernel's space.
    eps : float
        By which part the risk may exceed the exact kernel's bound.
    pool_size : int
        Projections per maxout unit.
    gamma : float
        Of the Gaussian kernel exp(-gamma |x - y|^2).
    maps : sequence of {"maxout", "centred-maxout", "fourier", "relu"}
        Maps to plan for: maxout units of `pool_size`, the same less their mean, pairs of cosine and
        sine, ReLU of Gaussian projections.
    seed : int
        Seed of all random numbers.
    measure : bool
        Whether to draw features and measure: the first power of two, at most 2048, at which the
        mean of 3 draws is small enough.

    Returns
    -------
    Plan
        For each map a group: the features that were measured to be enough for the worst target of
        norm B, and those that are proved to be for any one target.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.planning import plan_ridge
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> for row in plan_ridge(X, noise=0.5, eps=0.5).rows:
    ...     print(row.kind, row.features, row.quantity.partition(",")[0])
    measured 64 risk with maxout features of 4
    proved 5737 risk with maxout features of 4
    measured 64 risk with cosines and sines
    proved 652 risk with cosines and sines
    """
    require_flag("measure", measure)
    q = require_integer("pool_size", pool_size)
    names = [require_choice("maps", name, get_args(Map)) for name in require_iterable("maps", maps)]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"maps={names}: name at least one of {get_args(Map)}, each once")
    noise, norm = require_positive("noise", noise), require_positive("norm", norm)
    eps, gamma = require_positive("eps", eps), require_positive("gamma", gamma)
    seed = require_seed(seed)
    notes: list[str] = []
    data = on_sphere(data, notes)
    rows = sample(data, MOST_ROWS, seed)
    if len(rows) < len(data):
        notes.append(f"Planned for {len(rows)} of the {len(data)} rows, chosen at random.")
    n, d = rows.shape
    setting: dict[str, Any] = {"task": "ridge", "eps": eps, "noise": noise, "norm": norm}
    setting |= {"n_samples": n, "n_inputs": d, "seed": seed}
    maps_of = _maps(d, q, gamma, largest_singular_value(rows))
    table: list[Row] = []
    for name, draw, size in (maps_of[name] for name in names):
        kernel = np.asarray(draw(2, seed=0).kernel(rows))
        mu = np.maximum(np.linalg.eigvalsh(kernel), 0.0)
        facts: dict[str, Any] = {"norm": norm, "noise": noise, "eigenvalues": mu}
        lam = ridge.best_ridge(**facts)
        freedom = float(np.sum(mu / (mu + n * lam)))
        limit = norm**2 * lam / 4 + noise**2 * float(np.mean(mu / (mu + n * lam)))
        quantity = (
            f"risk with {name}, at lambda = {lam:.4g}: d(lambda) = {freedom:.1f}, exact kernel at "
            f"most {limit:.4g}"
        )
        setting[name] = {"ridge": lam, "degrees_of_freedom": freedom, "exact": limit}
        facts |= {"quantity": quantity, "eps": (1 + eps) * limit, "ridge": lam}
        table += _table.rows_of([replace(_table.RIDGE, options=size)], facts)
        if measure:
            draws = (partial(draw, seed=seed + i) for i in range(_DRAWS))
            table.append(_measured(tuple(draws), rows, kernel, facts))
    notes.append("lambda is that of mehler.learn.ridge: N lambda for sums of squares.")
    return Plan(setting=setting, rows=tuple(table), notes=tuple(notes))


def _maps(d: int, q: int, gamma: float, stretch: float) -> dict[Map, Named]:
    """Return the maps; maxima and ReLU are 1-Lipschitz in each projection, means not random."""
    maxout, unit = partial(MaxoutFeatures.draw, d, pool_size=q), {"lipschitz": stretch}
    steep = math.sqrt(2) * math.sqrt(gamma) * stretch
    waves = {"sup": 1.0, "block": 2, "lipschitz": steep}
    fourier = partial(FourierFeatures.draw, d, gamma=gamma)
    relu = partial(KitchenSinks.draw, d, activation="relu")
    return {
        "maxout": (f"maxout features of {q}", maxout, unit),
        "centred-maxout": (f"centred maxout features of {q}", partial(maxout, centred=True), unit),
        "fourier": (f"cosines and sines, gamma = {gamma:g}", fourier, waves),
        "relu": ("ReLU features", relu, unit),
    }


def _measured(
    draws: tuple[Any, ...],
    rows: NDArray[np.float64],
    kernel: NDArray[np.float64],
    facts: dict[str, Any],
) -> Row:
    """Return the first power of two at which the mean risk of the worst target is enough."""
    lam, noise, norm, enough = (facts[name] for name in ("ridge", "noise", "norm", "eps"))
    m, risk = 32, math.inf
    while risk > enough and m < _MOST_MEASURED:
        m *= 2
        total = 0.0
        for draw in draws:
            total += worst_risk(draw(m)(rows), kernel, lam, noise, norm)
            # No further draw can bring the mean below enough.
            if total > len(draws) * enough and m < _MOST_MEASURED:
                break
        risk = total / len(draws)
    return Row(
        quantity=facts["quantity"],
        name="worst target of norm B",
        kind="measured",
        features=m if risk <= enough else None,
        probability=1.0,
        note=f"mean of {len(draws)} draws {risk:.4g} with {m} features",
    )


def worst_risk(
    Z: NDArray[np.float64], kernel: NDArray[np.float64], lam: float, noise: float, norm: float
) -> float:
    r"""Return the risk of the worst target: |N lam A^-1 K A^-1 N lam| B^2/N, and the variance.

    A = Z Z' + N lam; the norm of many rows by Lanczos' method, to 0.1 %, from below.
    """
    n = kernel.shape[0]
    shift = n * lam
    # Only Z Z' matters, and N columns are enough for it.
    Z = np.asarray(np.linalg.qr(Z.T, mode="r")).T if Z.shape[1] > n else Z
    inner = Z.T @ Z
    inner[np.diag_indices_from(inner)] += shift
    # W' W is Z Z' A^(-1), by a Cholesky factor: eigenvectors take ten times as long.
    W = linalg.solve_triangular(np.linalg.cholesky(inner), Z.T, lower=True)

    def rest(v: NDArray[np.float64]) -> Any:
        return v - W.T @ (W @ v)

    if n < _FEW:
        size = float(np.linalg.norm(rest(rest(kernel).T), 2))
    else:
        biased = LinearOperator((n, n), matvec=lambda v: rest(kernel @ rest(v)), dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n)
        size = float(eigsh(biased, k=1, ncv=12, tol=1e-3, v0=start, return_eigenvectors=False)[0])
    variance = float(np.sum(np.square(W @ W.T))) / n
    return norm**2 * size / n + noise**2 * variance
