"""Named kernels with parameters, as ``mehler verify --kernel`` takes them.

Kernels map float64 NumPy arrays to float64 matrices. `make` builds one from its name.
"""

from __future__ import annotations

from mehler.kernels._builders import BUILDERS
from mehler.kernels._named import NamedKernel, build

__all__ = ["NAMES", "NamedKernel", "make"]

NAMES = tuple(BUILDERS)


def make(name: str, **parameters: float) -> NamedKernel:
    """Build a kernel from its name and parameters.

    - ``rbf``: exp(-gamma d^2), d the Euclidean distance; gamma = 1
    - ``exp``: exp(gamma <x, y>), of softmax attention with gamma = 1/sqrt(d); gamma = 1
    - ``laplacian``: exp(-gamma d), d the sum of absolute differences; gamma = 1
    - ``matern``: Matern of smoothness nu at distance over length_scale; nu = 1.5, length_scale = 1
    - ``linear``: the inner product
    - ``polynomial``: (gamma <x, y> + coef0)^degree; degree = 2, gamma = 1, coef0 = 0
    - ``arc-cosine``: Cho and Saul's, of order 0, 1 or 2; order = 1
    - ``maxout``: lengths times K_q(rho), of maxout units; q = 2
    - ``collision``: kappa_q(rho), of codes; q = 2
    - ``skewed-chi2``: prod 2 sqrt(u v)/(u + v), u = x + skew; skew = 1
    - ``additive-chi2``: sum 2 x y/(x + y)

    Parameters
    ----------
    name : str
        One of the names above.
    **parameters : float
        Parameters of the kernel; defaults are listed above.

    Returns
    -------
    NamedKernel
        A callable (X, Y) -> (n, k).

    Raises
    ------
    ValueError
        If the name or a parameter is unknown, or a value is out of range.

    See Also
    --------
    mehler.verify.check_kernel : Checks a map against a kernel.

    Notes
    -----
    Distances come from differences of rows and angles from 2 atan2(|u - v|, |u + v|), so equal and
    nearly equal rows lose no digits.

    References
    ----------
    Y. Cho and L. K. Saul (2009), equations 3 to 7 (arc-cosine, here with the factor 1/pi); C. E.
    Rasmussen and C. K. I. Williams (2006), equation 4.14 (Matern).

    Examples
    --------
    >>> str(make("matern", nu=2.5))
    'matern(nu=2.5, length_scale=1)'
    >>> make("linear", gamma=2.0)
    Traceback (most recent call last):
        ...
    ValueError: kernel linear has no parameter 'gamma': it takes none
    """
    if not isinstance(name, str) or name not in BUILDERS:
        raise ValueError(
            f"kernel={name!r} is not known: one of {', '.join(NAMES)}, or MODULE:FUNCTION"
        )
    return build(name, BUILDERS[name], parameters)
