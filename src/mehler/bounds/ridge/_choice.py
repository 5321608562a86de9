"""Choices by the excess risk of ridge regression: the least number of features, and the ridge."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _validate
from mehler.bounds._bound import require_positive, square_of
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.ridge._bias import largest, power
from mehler.bounds.ridge._excess import excess_risk, noise_of, smoothness_of
from mehler.bounds.spectral._known import eigenvalues_of


@elementwise
def excess_risk_features(eps: float, *, block: int = 1, **known: Any) -> int:
    """Return the least number of features at which :func:`excess_risk` is at most `eps`.

    Parameters
    ----------
    eps : float or array
        Target excess risk.
    block : int
        Columns that share a draw.
    **known
        `ridge`, `norm`, `noise` and what else :func:`excess_risk` is told.

    Returns
    -------
    int
        The least m, a multiple of `block`: with one block fewer the bound exceeds `eps`.

    Raises
    ------
    TypeError, ValueError
        As :func:`excess_risk`; or if `eps` is below what the exact kernel has at this ridge.

    See Also
    --------
    excess_risk : The bound at a given m.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import ridge
    >>> decay = 500 * 0.5 ** np.arange(1, 501)
    >>> known = {"ridge": 0.03, "norm": 1.0, "noise": 0.5, "eigenvalues": decay, "sup": 1.0}
    >>> ridge.excess_risk_features(0.08, **known)
    170
    """
    require_positive(eps=eps)
    # The eigenvalues once, not for each m.
    mu = eigenvalues_of(known.pop("gram", None), known.pop("eigenvalues", None))
    options = {"eigenvalues": mu, "block": block, **known}
    exact = excess_risk(block, **options)
    if exact["bias"] + exact["variance"] >= eps:
        raise ValueError(
            f"eps={eps!r} is not above {exact['bias'] + exact['variance']:.6g}, the bound of the "
            "exact kernel at this ridge: make it larger, or see ridge_choice"
        )
    return block * least_features(lambda m: excess_risk(m * block, **options).value, eps)


def ridge_choice(
    *,
    norm: float,
    noise: float,
    gram: Any = None,
    eigenvalues: Any = None,
    smoothness: float = 0.5,
) -> float:
    r"""Return the ridge at which the exact kernel's bound is smallest.

    .. math:: \arg\min_\lambda s_rR^2\lambda^{2r} + \frac{\sigma^2d(\lambda)}N,
              \qquad s_{1/2} = \frac14

    Parameters
    ----------
    norm, noise, gram, eigenvalues, smoothness
        As in :func:`excess_risk`.

    Returns
    -------
    float
        lambda, on a grid of steps of 2 %; 1e-12 of the largest eigenvalue over N without noise.

    See Also
    --------
    excess_risk : The bound.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import ridge
    >>> decay = 500 * 0.5 ** np.arange(1, 501)
    >>> round(ridge.ridge_choice(norm=1.0, noise=0.5, eigenvalues=decay), 4)
    0.0028
    """
    squared, varied = square_of("norm", _validate.require_positive("norm", norm)), noise_of(noise)
    r = smoothness_of(smoothness)
    mu = eigenvalues_of(gram, eigenvalues)
    n = mu.size
    with np.errstate(over="ignore"):  # of eigenvalues near the end of the floats
        grid = mu[0] / n * 1.02 ** np.arange(-1400, 300)
        grid = grid[np.isfinite(grid)]
        values = [
            largest(r) * power(lam, 2 * r) * squared + varied * float(np.mean(mu / (mu + n * lam)))
            for lam in grid
        ]
    return float(grid[int(np.argmin(values))])
