"""plan: numbers of features from data or from numbers."""

from __future__ import annotations

from typing import Any

from mehler._random import require_seed
from mehler._validate import require_flag
from mehler.bounds._bound import require_count, require_positive, require_probability
from mehler.exact import require_pool
from mehler.planning._data import look_at
from mehler.planning._element_rows import element_rows
from mehler.planning._kernel_rows import kernel_rows
from mehler.planning._plan import Plan
from mehler.planning._risk_rows import risk_rows
from mehler.planning._spectral_rows import spectral_rows


def plan(
    data: Any = None,
    *,
    n_inputs: int | None = None,
    n_samples: int | None = None,
    dimension: float | None = None,
    diameter: float | None = None,
    pool_size: int = 4,
    eps: float = 0.1,
    delta: float = 0.01,
    lipschitz: float = 1.0,
    scale: float = 1.0,
    loss_bound: float = 1.0,
    ridge: float | None = None,
    group_order: int | None = None,
    c_prime: float | None = None,
    c: float | None = None,
    seed: int = 0,
    max_rows: int = 128,
    max_points: int = 200,
    measure: bool = True,
    normalise: bool = True,
) -> Plan:
    """Plan the number of maxout features for an accuracy, by measurement, CLT and proved bounds.

    Parameters
    ----------
    data : array, shape (n, d), optional
        Rows, in any library and on any device; without them pass the numbers below.
    n_inputs, n_samples : int, optional
        d and N; default the shape of the data.
    dimension, diameter : float, optional
        An upper bound on the doubling dimension of the set of unit rows, and its diameter; default
        computed from the data.
    pool_size : int
        Projections per unit, q.
    eps : float
        Target error of kernel values at unit vectors, and of the risk.
    delta : float
        Failure probability, per table row.
    lipschitz, scale, loss_bound : float
        L, C and B of the risk theorems: an L-Lipschitz loss in [0, B], weights of at most C/m.
    ridge : float, optional
        lambda of :func:`mehler.learn.ridge`; with it, and with data, the spectral error of the Gram
        matrix relative to K + N lambda is planned too, and the mean square distance from the
        features to all functions of norm C.
    group_order : int, optional
        Order of a finite group of orthogonal maps; with it, and with d and N, the elements that
        group-invariant features sample are planned too.
    c_prime, c : float, optional
        Constants printed without a value, C' in the condition of Theorem 2 and that of Rahimi and
        Recht's theorem; with them the printed forms are planned too.
    seed : int
        Seed of all random numbers.
    max_rows : int
        Largest number of rows to measure on, chosen at random.
    max_points : int
        Largest number of distinct rows for which covers are computed to bound the doubling
        dimension; for more, the bound is the logarithm of their number.
    measure : bool
        Whether to draw features and measure.
    normalise : bool
        Divide rows by their norms; otherwise they must have norm 1.

    Returns
    -------
    Plan
        Prints as a table; `to_dict` returns it as data. Rows on the same quantity are together:
        measured, asymptotic, proved by increasing number, printed.

    Raises
    ------
    TypeError, ValueError
        If the data are not such a matrix or have a row of zeros, if neither data nor numbers are
        given, or if a number is out of range.

    See Also
    --------
    ridge_cost : Cost of ridge regression on a cluster.
    mehler.verify.features_needed : Features that decide a check.

    Notes
    -----
    At delta = 0.01 a measurement takes 689 draws of 512 features of `max_rows` rows.

    References
    ----------
    :doc:`/planning` explains the rows, the pages of :doc:`/theorems/index` prove them.

    Examples
    --------
    >>> from mehler.planning import plan
    >>> made = plan(n_inputs=784, n_samples=60_000, eps=0.1, measure=False)
    >>> for row in made.groups["error of the kernel, one pair of rows"]:
    ...     print(row.features, row.kind, row.name)
    1981 asymptotic central limit, exact variance
    3309 proved exact law of two units
    17759 proved sub-gamma constants
    29848 proved Chebyshev, exact variance
    """
    require_flag("normalise", normalise)
    require_flag("measure", measure)
    q = require_pool(pool_size)
    require_positive(eps=eps, lipschitz=lipschitz, scale=scale, loss_bound=loss_bound)
    require_probability(delta=delta)
    eps, delta = float(eps), float(delta)
    lipschitz, scale, loss_bound = float(lipschitz), float(scale), float(loss_bound)
    max_rows, max_points = require_count(max_rows=max_rows, max_points=max_points)
    seed = require_seed(seed)
    if n_inputs is not None:
        (n_inputs,) = require_count(n_inputs=n_inputs)
    if n_samples is not None:
        (n_samples,) = require_count(n_samples=n_samples)
    optional = {"dimension": dimension, "diameter": diameter, "c_prime": c_prime, "c": c}
    optional["ridge"] = ridge
    require_positive(**{name: value for name, value in optional.items() if value is not None})
    diameter, c_prime, c = (one if one is None else float(one) for one in (diameter, c_prime, c))
    if diameter is not None and diameter > 2:
        raise ValueError(f"diameter={diameter!r} exceeds 2, that of the unit sphere")
    if data is None and n_inputs is None and n_samples is None and dimension is None:
        raise ValueError(
            "there is nothing to plan for: give data, or some of n_inputs, n_samples, dimension"
        )
    if group_order is not None:
        (group_order,) = require_count(group_order=group_order)
        if data is None and (n_inputs is None or n_samples is None):
            raise ValueError(f"group_order={group_order} needs data, or n_inputs and n_samples")
    if ridge is not None and data is None:
        raise ValueError(f"ridge={ridge!r} needs data: the spectrum is that of your rows")
    known = look_at(
        data,
        n_inputs=n_inputs,
        n_samples=n_samples,
        dimension=dimension,
        diameter=diameter,
        normalise=normalise,
        max_points=max_points,
    )
    asked: dict[str, Any] = {"pool_size": q, "eps": eps, "delta": delta}
    loss: dict[str, Any] = {"lipschitz": lipschitz, "scale": scale, "loss_bound": loss_bound}
    rows, notes = kernel_rows(known, seed=seed, max_rows=max_rows, measure=measure, **asked)
    rows += risk_rows(known, **loss, c_prime=c_prime, c=c, **asked)
    if ridge is not None:
        found, more = spectral_rows(known.rows, ridge=float(ridge), norm=scale, seed=seed, **asked)
        rows, notes = rows + found, notes + more
    if group_order is not None:
        asked.pop("pool_size")
        rows += element_rows(known, group_order=group_order, **asked)
    setting = {
        "eps": eps,
        "delta": delta,
        "pool_size": q,
        "n_inputs": known.n_inputs,
        "n_samples": known.n_samples,
        "dimension": known.dimension,
        "diameter": known.diameter,
        **{name: float(value) for name, value in loss.items()},
        "seed": seed,
        **({} if ridge is None else {"ridge": float(ridge)}),
        **({} if group_order is None else {"group_order": group_order}),
    }
    return Plan(setting=setting, rows=tuple(rows), notes=(*known.notes, *notes))
