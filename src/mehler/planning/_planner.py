"""From data, or from numbers, to a plan."""

from __future__ import annotations

from typing import Any

from mehler._random import check_seed
from mehler.bounds._bound import require_count, require_positive, require_probability
from mehler.exact._validate import check_pool
from mehler.planning._data import look_at
from mehler.planning._kernel_rows import kernel_rows
from mehler.planning._plan import Plan
from mehler.planning._risk_rows import risk_rows


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
    c_prime: float | None = None,
    c: float | None = None,
    seed: int = 0,
    max_rows: int = 128,
    max_points: int = 200,
    measure: bool = True,
    normalise: bool = True,
) -> Plan:
    r"""Say how many maxout features an accuracy needs: measured, in the limit, and by each bound.

    Parameters
    ----------
    data : array, shape (n, d), optional
        Rows, on any library and device; without them give what is known as numbers.
    n_inputs, n_samples : int, optional
        d, and N: the rows of the data, unless another number of them is planned for.
    dimension, diameter : float, optional
        An upper bound of the doubling dimension of the set of unit rows, and its diameter; found in
        the data if there are any.
    pool_size : int
        q.
    eps : float
        The error that is accepted: of kernel values of unit vectors, and of the risk.
    delta : float
        The chance of exceeding it that is accepted, of each row by itself.
    lipschitz, scale, loss_bound : float
        L, C and B of the risk theorems: an L-Lipschitz loss in [0, B], weights of at most C/m.
    c_prime, c : float, optional
        Constants that are printed without a value: C' of Theorem 2's condition, and that of Rahimi
        and Recht's theorem; with them the printed forms are planned too.
    seed : int
        Of all random numbers.
    max_rows : int
        At most so many rows are measured, chosen at random.
    max_points : int
        Up to so many different rows covers are looked for, to bound the doubling dimension; beyond,
        the logarithm of their number is its bound.
    measure : bool
        Whether to draw features and measure.
    normalise : bool
        Divide rows by their norms; otherwise they must have norm 1.

    Returns
    -------
    Plan
        Printed, it is a table; `to_dict` gives it for machines. Rows that bound the same quantity
        are together: measured, asymptotic, proved from small to large, printed.

    Raises
    ------
    TypeError, ValueError
        If the data are no such matrix or have a row of zeros, if neither data nor numbers are
        given, or if a number is out of range.

    Notes
    -----
    At delta = 0.01 measuring takes 689 draws of 512 features of `max_rows` rows.

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
    q = check_pool(pool_size)
    require_positive(eps=eps, lipschitz=lipschitz, scale=scale, loss_bound=loss_bound)
    require_probability(delta=delta)
    require_count(max_rows=max_rows, max_points=max_points)
    seed = check_seed(seed)
    for name, count in (("n_inputs", n_inputs), ("n_samples", n_samples)):
        if count is not None:
            require_count(**{name: count})
    optional = {"dimension": dimension, "diameter": diameter, "c_prime": c_prime, "c": c}
    require_positive(**{name: value for name, value in optional.items() if value is not None})
    if diameter is not None and diameter > 2:
        raise ValueError(f"diameter={diameter!r} exceeds 2, that of the unit sphere")
    if data is None and n_inputs is None and n_samples is None and dimension is None:
        raise ValueError(
            "there is nothing to plan for: give data, or some of n_inputs, n_samples, dimension"
        )
    known = look_at(
        data,
        n_inputs=n_inputs,
        n_samples=n_samples,
        dimension=dimension,
        diameter=diameter,
        normalise=normalise,
        max_points=max_points,
    )
    rows, notes = kernel_rows(
        known,
        pool_size=q,
        eps=eps,
        delta=delta,
        seed=seed,
        max_rows=max_rows,
        measure=measure,
    )
    rows += risk_rows(
        known,
        pool_size=q,
        eps=eps,
        delta=delta,
        lipschitz=lipschitz,
        scale=scale,
        loss_bound=loss_bound,
        c_prime=c_prime,
        c=c,
    )
    setting = {
        "eps": float(eps),
        "delta": float(delta),
        "pool_size": q,
        "n_inputs": known.n_inputs,
        "n_samples": known.n_samples,
        "dimension": known.dimension,
        "diameter": known.diameter,
        "lipschitz": float(lipschitz),
        "scale": float(scale),
        "loss_bound": float(loss_bound),
        "seed": seed,
    }
    return Plan(setting=setting, rows=tuple(rows), notes=(*known.notes, *notes))
