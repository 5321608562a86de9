"""Lemma 2: supremum of a maxout unit over the set of inputs."""

from __future__ import annotations

import math
from typing import Any

from mehler.bounds._bound import (
    Assumption,
    Bound,
    Form,
    Term,
    require_count,
    require_form,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.maxout._arguments import (
    InputSet,
    Shape,
    given,
    refuse,
    require_constants,
    require_not_negative,
    require_shape,
    root_log,
)

STATEMENT = "maxout.lemma-2"


@elementwise
def lemma_2(
    *,
    pool_size: int,
    delta: float,
    n_features: int = 1,
    n_inputs: int | None = None,
    dimension: float | None = None,
    diameter: float | None = None,
    radius: float = 1.0,
    mean_sup: float | None = None,
    form: Form = "proved",
    shape: Shape = "paper",
    c1: float | None = None,
    c: float | None = None,
) -> Bound:
    r"""Bound the supremum of |phi(x, W)| over the inputs, for all units at once.

    .. math::

        \max_{\ell \le m}\,\sup_{x \in \mathcal M} |\phi(x, W^\ell)| \le
        4 R \sqrt{k \log^+\frac{2 D \sqrt d}{R} + \log\frac{2 m q}{\delta}}

    With ``shape="dimension-free"`` it is
    :math:`E \sup_x |\phi(x, W)| + R \sqrt{2 \log(m/\delta)}`, and with ``form="printed"``, for
    one unit, :math:`C_1 \sqrt{k \log(D \sqrt d/\delta) + \log(q + 1)}`.

    Parameters
    ----------
    pool_size : int or array
        Pool size q.
    delta : float or array
        Failure probability; printed, ``delta + 2 exp(-c d / 4)``.
    n_features : int or array
        Number m of units for which it holds simultaneously; the print is about one.
    n_inputs, dimension, diameter : int, float, float
        d, the doubling dimension k (Definition 2) and the diameter D of the set of inputs. Not
        for ``shape="dimension-free"``.
    radius : float
        R, the largest norm of an input; the print is about R = 1.
    mean_sup : float, optional
        :math:`E \sup_x |\phi(x, W)|` or an upper bound of it; only for
        ``shape="dimension-free"``. It is at most :math:`w + R\sqrt{2 \log q}`, with
        :math:`w = E \sup_x |\langle w_1, x \rangle|`; for n inputs, at most
        :math:`R \sqrt{2 \log(2 n q)}`.
    form : {"proved", "printed"}
        The bound proved here, or the paper's formula.
    shape : {"paper", "dimension-free"}
        By a covering of the inputs, or by the mean supremum.
    c1, c : float, optional
        The printed constants :math:`C_1` and c.

    Returns
    -------
    Bound

    Raises
    ------
    TypeError, ValueError
        A number out of range, or one that the form needs and that is missing.

    See Also
    --------
    lemma_3 : A bound that depends on this one in the paper's shape.
    mehler.doubling.doubling_dimension : The dimension k.

    Notes
    -----
    Microseconds. A printed form whose root is of a negative number has the value NaN.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 2; proof of what holds in :doc:`/theorems/lemma-2`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> circle = dict(n_inputs=10, dimension=3, diameter=2.0)
    >>> round(maxout.lemma_2(pool_size=4, delta=0.01, **circle).value, 3)
    15.125
    >>> round(maxout.lemma_2(pool_size=4, delta=0.01, shape="dimension-free",
    ...                      mean_sup=2.1).value, 3)
    5.135
    """
    require_form(form)
    require_shape(shape)
    pool_size, n_features = require_count(pool_size=pool_size, n_features=n_features)
    require_probability(delta=delta)
    require_positive(radius=radius)
    if form == "printed":
        inputs = InputSet.of(n_inputs, dimension, diameter, radius)
        refuse("the print has none", given(mean_sup=mean_sup))
        return _printed(inputs, pool_size, delta, n_features, c1, c)
    refuse("only the printed form has it", given(c1=c1, c=c))
    if shape == "dimension-free":
        refuse(
            "shape='dimension-free' has none",
            given(n_inputs=n_inputs, dimension=dimension, diameter=diameter),
        )
        return _concentrated(mean_sup, pool_size, delta, n_features, radius)
    refuse("only shape='dimension-free' has it", given(mean_sup=mean_sup))
    inputs = InputSet.of(n_inputs, dimension, diameter, radius)
    return _bound(
        "proved",
        n_features,
        [
            Term(
                "supremum",
                supremum(inputs, pool_size, n_features, delta),
                r"4R\sqrt{k\log^+(2D\sqrt d/R) + \log(2mq/\delta)}",
            )
        ],
        1 - delta,
        inputs.assumptions,
    )


def supremum(inputs: InputSet, pool_size: int, n_features: int, delta: float) -> float:
    """Compute M_delta, the proved bound in the paper's shape."""
    inside = inputs.log_covering + math.log(2 * n_features * pool_size / delta)
    return 4 * inputs.radius * math.sqrt(inside)


def _concentrated(
    mean_sup: Any, pool_size: int, delta: float, n_features: int, radius: float
) -> Bound:
    if mean_sup is None:
        raise ValueError(
            "shape='dimension-free' needs mean_sup, the expected supremum or an upper bound of "
            "it: for n inputs of norm R give R * sqrt(2 * log(2 * n * pool_size))"
        )
    require_not_negative(mean_sup=mean_sup)
    return _bound(
        "proved",
        n_features,
        [
            Term("mean", mean_sup, r"E\sup_x|\phi(x, W)|"),
            Term("confidence", radius * root_log(delta / n_features), r"R\sqrt{2\log(m/\delta)}"),
        ],
        1 - delta,
        (
            Assumption(f"inputs have norm at most {radius:g}"),
            Assumption("mean_sup is the expected supremum or larger", None, f"{mean_sup:g}"),
        ),
    )


def _printed(
    inputs: InputSet, pool_size: int, delta: float, n_features: int, c1: Any, c: Any
) -> Bound:
    require_constants(c1=c1, c=c)
    complexity = inputs.printed_complexity(pool_size, delta)
    return _bound(
        "printed",
        n_features,
        [
            Term(
                "supremum",
                float(c1) * math.sqrt(complexity) if complexity >= 0 else math.nan,
                r"C_1\sqrt{k\log(D\sqrt d/\delta) + \log(q+1)}",
            )
        ],
        1 - delta - 2 * math.exp(-float(c) * inputs.n_inputs / 4),
        (
            *inputs.assumptions,
            *printed_limits(inputs, complexity),
            Assumption("one unit", n_features == 1, f"{n_features} units"),
        ),
    )


def printed_limits(inputs: InputSet, complexity: float) -> tuple[Assumption, ...]:
    """Return the conditions under which the printed formulas are numbers, and their sphere."""
    return (
        Assumption("inputs have length 1", inputs.radius == 1, f"radius {inputs.radius:g}"),
        Assumption("the printed root is of a number", complexity >= 0, f"{complexity:g}"),
    )


def _bound(
    form: Form,
    n_features: int,
    terms: list[Term],
    probability: float,
    assumptions: tuple[Assumption, ...],
) -> Bound:
    units = "one unit" if n_features == 1 else f"{n_features} units"
    return Bound(
        statement=STATEMENT,
        form=form,
        quantity=f"largest |phi(x, W)| over the inputs, {units}",
        terms=tuple(terms),
        probability=probability,
        assumptions=(*assumptions, Assumption("weights are independent standard normal")),
    )
