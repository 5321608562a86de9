"""Lemma 2: supremum of a maxout unit over the set of inputs."""

from __future__ import annotations

from mehler._validate import require_not_negative
from mehler.bounds._function import Formula, bound
from mehler.bounds.maxout._inputs import NORMAL, covered, of_inputs, root_log

_SUPREMUM = "largest |phi(x, W)| over the inputs, all of {n_features} units"


@bound(
    "maxout.lemma-2",
    _SUPREMUM,
    assumes=(
        "inputs have norm at most {radius:g}",
        "mean_sup={mean_sup:g} is the expected supremum or larger",
        NORMAL,
    ),
    domains={"mean_sup": require_not_negative},
)
def supremum(
    *,
    pool_size: int,
    delta: float,
    mean_sup: float,
    n_features: int = 1,
    radius: float = 1.0,
) -> Formula:
    r"""Bound the supremum of a unit over the inputs, for all units at once, by its mean.

    .. math::

        \max_{\ell \le m}\,\sup_{x \in \mathcal M} |\phi(x, W^\ell)| \le
        E \sup_x |\phi(x, W)| + R \sqrt{2 \log(m/\delta)}

    with probability at least 1 - delta.

    Parameters
    ----------
    pool_size, delta, n_features, radius
        As :mod:`mehler.bounds.maxout` says; `radius` is the largest norm of an input.
    mean_sup : float
        :math:`E \sup_x |\phi(x, W)|` or an upper bound of it. It is at most
        :math:`w + R\sqrt{2 \log q}` with :math:`w = E \sup_x |\langle w_1, x \rangle|`; for n
        inputs, at most :math:`R \sqrt{2 \log(2 n q)}`.

    Returns
    -------
    Bound
        With the terms "mean" and "confidence".

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 2; proof in :doc:`/theorems/lemma-2`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.supremum(pool_size=4, delta=0.01, mean_sup=2.1).value, 3)
    5.135
    """
    deviation = radius * root_log(delta / n_features)
    return Formula(
        {
            "mean": (mean_sup, r"E\sup_x|\phi(x, W)|"),
            "confidence": (deviation, r"R\sqrt{2\log(m/\delta)}"),
        },
        probability=1 - delta,
    )


@bound("maxout.lemma-2", _SUPREMUM, assumes=(NORMAL,))
def supremum_by_dimension(
    *,
    pool_size: int,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    n_features: int = 1,
    radius: float = 1.0,
) -> Formula:
    r"""Bound the supremum of a unit over the inputs, for all units at once, by a covering.

    .. math::

        \max_{\ell \le m}\,\sup_{x \in \mathcal M} |\phi(x, W^\ell)| \le M_\delta =
        4 R \sqrt{k \log^+\frac{2 D \sqrt d}{R} + \log\frac{2 m q}{\delta}}

    with probability at least 1 - delta.

    Parameters
    ----------
    pool_size, delta, n_inputs, dimension, diameter, n_features, radius
        As :mod:`mehler.bounds.maxout` says.

    Returns
    -------
    Bound
        With the term "supremum".

    See Also
    --------
    mehler.doubling.doubling_dimension : The dimension k.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 2; proof in :doc:`/theorems/lemma-2`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> circle = dict(n_inputs=10, dimension=3, diameter=2.0)
    >>> round(maxout.supremum_by_dimension(pool_size=4, delta=0.01, **circle).value, 3)
    15.125
    """
    largest = covered(n_features, pool_size, delta, n_inputs, dimension, diameter, radius)
    return Formula(
        {"supremum": (largest, r"4R\sqrt{k\log^+(2D\sqrt d/R) + \log(2mq/\delta)}")},
        probability=1 - delta,
        assumptions=of_inputs(radius, dimension, diameter),
    )
