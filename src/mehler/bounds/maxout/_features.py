"""Number of features for Theorem 2: the inverse of its bound, and its printed condition."""

from __future__ import annotations

from typing import Any

from mehler.bounds._bound import require_count, require_positive, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.maxout._arguments import InputSet, Shape, require_constants
from mehler.bounds.maxout._printed_risk import printed_condition
from mehler.bounds.maxout._risk import theorem_2

# Largest number of features returned: beyond it, floats no longer count in ones.
LARGEST = 2**53


@elementwise
def theorem_2_features(
    eps: float,
    *,
    delta: float,
    n_samples: int | None = None,
    shape: Shape = "dimension-free",
    **known: Any,
) -> int:
    r"""Return the least m at which Theorem 2 promises at most eps.

    Without `n_samples`, only its approximation term must be at most eps; in the dimension-free
    shape

    .. math:: m = \left\lceil \Big(\frac{L C R}{\varepsilon}\Big)^2
                  \left(\sigma(q) + \sqrt{2 \log(1/\delta)}\right)^2 \right\rceil .

    With `n_samples`, the whole bound must be.

    Parameters
    ----------
    eps : float or array
        Target value of the bound, in units of the loss.
    delta, n_samples, shape
        As in :func:`theorem_2`.
    **known
        `pool_size`, `scale`, `lipschitz` and what else :func:`theorem_2` is told.

    Returns
    -------
    int
        m; the bound exceeds eps at m - 1.

    Raises
    ------
    TypeError, ValueError
        A number out of range, or an eps that no number of features reaches with so few samples.

    See Also
    --------
    theorem_2 : The bound at a given m.
    theorem_2_condition : The condition on m that the paper prints.

    Notes
    -----
    A few milliseconds.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 2; :doc:`/theorems/theorem-2`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> maxout.theorem_2_features(0.05, pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01)
    7329
    >>> maxout.theorem_2_features(0.05, pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01,
    ...                           n_inputs=784, dimension=10, diameter=2.0, shape="paper")
    7258800
    """
    require_probability(delta=delta)
    require_positive(eps=eps)
    if n_samples is not None:
        (n_samples,) = require_count(n_samples=n_samples)
    known |= {"delta": delta, "shape": shape}

    def value(m: int) -> float:
        bound = theorem_2(n_features=m, n_samples=n_samples or 1, form="proved", **known)
        return float(bound["approximation"] if n_samples is None else bound.value)

    if value(LARGEST) > eps:
        raise ValueError(
            f"eps={float(eps)!r} is out of reach: with 2^53 features the bound is "
            f"{value(LARGEST):.6g}; give a larger eps"
            + (", or more samples" if n_samples is not None else "")
        )
    # The paper's shape is a constant plus log m, over m: it does not increase from m = 1 to 2
    # because the constant is at least log 2, and decreases from there on.
    return least_features(value, eps, most=LARGEST)


@elementwise
def theorem_2_condition(
    epsilon: float,
    *,
    pool_size: int,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    c_prime: float,
) -> float:
    r"""Compute the right-hand side of the condition on m that Theorem 2 prints.

    .. math:: m \ge \frac{C'}{\varepsilon^2} \left(k \log\frac{D \sqrt d}{\delta}
              + \log(q + 1)\right)

    Parameters
    ----------
    epsilon : float or array
        In (0, 1).
    pool_size, delta, n_inputs, dimension, diameter
        As in :func:`theorem_2`.
    c_prime : float
        The constant C', which the paper does not give.

    Returns
    -------
    float
        May be 0 or negative, for sets of a tiny diameter: the print then asks for nothing.

    See Also
    --------
    theorem_2 : The bound; printed, it needs this condition.
    theorem_2_features : The least m by the proved bound.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 2.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> round(maxout.theorem_2_condition(0.1, pool_size=4, delta=0.01, n_inputs=784, dimension=10,
    ...                                  diameter=2.0, c_prime=16.0))
    140663
    """
    (pool_size,) = require_count(pool_size=pool_size)
    require_probability(delta=delta, epsilon=epsilon)
    require_constants(c_prime=c_prime)
    inputs = InputSet.of(n_inputs, dimension, diameter)
    return printed_condition(inputs, pool_size, delta, epsilon, c_prime)
