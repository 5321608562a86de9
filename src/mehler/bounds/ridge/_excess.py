"""Excess risk of ridge regression on random features, squared loss."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._validate import choice, not_negative, positive
from mehler.bounds._bound import Assumption, Bound, Term, require_positive, square_of
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.spectral._known import blocks, eigenvalues_of, know
from mehler.bounds.spectral._tails import Tail, tail

STATEMENT = "features.ridge"
DESIGNS = ("rows", "left-out")
# Relative errors at which the bias is summed: both ends of (0, 1) count.
_STEPS = np.unique(
    np.concatenate([np.geomspace(1e-7, 0.5, 300), 1 - np.geomspace(0.5, 1e-12, 500)])
)


@elementwise
def excess_risk(
    n_features: int,
    *,
    ridge: float,
    norm: float,
    noise: float,
    gram: Any = None,
    eigenvalues: Any = None,
    sup: float | None = None,
    leverage: float | None = None,
    lipschitz: float | None = None,
    block: int = 1,
    design: str = "rows",
) -> Bound:
    r"""Bound the mean excess risk of ridge regression on m features, squared loss.

    .. math:: E\,\frac1N\sum_{i \le N}(\hat f - f)^2(x_i) \le c^2\,\frac{\lambda B^2}4
              + c\,\frac{\sigma^2d(\lambda)}N + c^2\lambda B^2\int_0^{\Delta_1}g'(t)\,p_m(t)\,dt

    for :math:`y_i = f(x_i) + \epsilon_i` with independent noise of mean 0 and variance at most
    :math:`\sigma^2`, :math:`\|f\|_H \le B`, the minimiser of
    :math:`\frac1N\sum(y_i - \hat f(x_i))^2 + \lambda|w|^2`, :math:`d(\lambda) = \sum\mu_i/(\mu_i +
    N\lambda)`, :math:`g(t) = \frac14(1-t)^{-2}` up to 1/2 and t/(1-t) from there,
    :math:`\lambda g(\Delta_1) = \mu_1/N`. p_m(t) is the chance, by the inequality of
    :func:`mehler.bounds.spectral.gram_error`, that :math:`\hat K_m + N\lambda` is below 1 - t times
    :math:`K + N\lambda`. The mean is over noise and features, with the rows as they are.

    Parameters
    ----------
    n_features : int or array
        Columns m.
    ridge : float
        lambda, as in :func:`mehler.learn.ridge`: the penalty of mean squared errors.
    norm : float
        B, the norm of the target in the kernel's space.
    noise : float
        sigma, the largest standard deviation of the targets.
    gram : array, shape (N, N)
        The exact kernel of the rows, as ``phi.kernel(X)``; or `eigenvalues`.
    eigenvalues : array, shape (N,)
        All N of K, zeros included.
    sup, leverage, lipschitz, block
        How large one block's features are, as in :func:`mehler.bounds.spectral.gram_error`, with
        N ridge for its ridge.
    design : {"rows", "left-out"}
        The error at the rows that are fitted, c = 1; or at a row that is left out while the other
        N - 1 are fitted with the same N lambda, in the mean over which: for independent rows the
        risk at a fresh one. There :math:`c = 1 + \kappa^2/(N\lambda)`, which needs `sup`.

    Returns
    -------
    Bound
        Terms "bias" and "variance", those of the exact kernel's regression, and "features", which
        more features reduce. It bounds a mean: its probability is 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, K is not positive semidefinite, or none of `sup`,
        `leverage` and `lipschitz` is given.

    See Also
    --------
    excess_risk_features : The least m for a target.
    clipped_risk : At a fresh row, for any law of rows, with clipped values.
    ridge_choice : The ridge at which the bound is smallest.
    mehler.learn.ridge : The learner.
    mehler.planning.plan_ridge : Both on your rows.

    References
    ----------
    Proof: :doc:`/theorems/features-ridge`. A. Rudi, L. Rosasco (2017), Theorem 1; H. Avron and
    others (2017), Lemma 2.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.bounds import ridge
    >>> X = np.random.default_rng(0).standard_normal((500, 2))
    >>> K = mehler.FourierFeatures.draw(2, 2, gamma=0.5, seed=0).kernel(X)
    >>> bound = ridge.excess_risk(2000, ridge=0.03, norm=1.0, noise=0.5, gram=K, sup=1.0, block=2)
    >>> {term.name: round(term.value, 4) for term in bound.terms}
    {'bias': 0.0075, 'variance': 0.004, 'features': 0.0114}
    """
    choice("design", design, DESIGNS)
    m = blocks(n_features, block)
    positive("ridge", ridge)
    size, varied = square_of("norm", positive("norm", norm)), _noise(noise)
    mu = eigenvalues_of(gram, eigenvalues)
    n = mu.size
    known = know(mu, ridge=n * float(ridge), sup=sup, leverage=leverage, lipschitz=lipschitz)
    c = 1.0
    if design == "left-out":
        if sup is None:
            raise ValueError("design='left-out' needs sup, a bound of the features")
        c += sup**2 / (n * ridge)
    squared = c**2 * size
    # Without any features the error is the target itself.
    cap = float(mu[0]) / n
    bias = min(ridge / 4, cap)
    below = tail(known.beta, known.level, m, -1)
    features = ridge * _expected(below, float(known.beta[0]), cap / ridge)
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity=(
            "mean excess risk at the rows"
            if design == "rows"
            else "mean excess risk at a row that is left out"
        ),
        terms=(
            Term("bias", squared * bias, r"c^2\lambda B^2/4"),
            Term("variance", c * varied * math.fsum(known.beta) / n, r"c\,\sigma^2d(\lambda)/N"),
            Term("features", squared * features, r"c^2\lambda B^2\int g'(t)p_m(t)\,dt"),
        ),
        probability=1.0,
        assumptions=(
            *known.assumptions,
            Assumption("noise is independent, of mean 0 and at most this deviation", None),
            Assumption("the target has at most this norm in the kernel's space", None),
        ),
        trivial=math.inf if design == "left-out" else squared * cap + varied,
    )


def _noise(noise: float) -> float:
    return square_of("noise", not_negative("noise", noise))


def _expected(below: Tail, largest: float, cap: float) -> float:
    """Bound E min(g(Delta), cap) - min(g(0), cap), by steps at which p_m is not smaller.

    No Delta exceeds the largest eigenvalue of the mean.
    """
    g = np.where(_STEPS <= 0.5, 0.25 / (1 - _STEPS) ** 2, _STEPS / (1 - _STEPS))
    starts = np.concatenate([[0.0], _STEPS])
    edges = np.minimum(np.concatenate([[0.25], g, [np.inf]]), cap)
    rises, chances = np.diff(edges), np.zeros(starts.size)
    chances[0] = 1.0
    seen = (rises > 0) & (starts > 0) & (starts < largest)
    chances[seen] = np.exp(np.minimum(0.0, below.log_probability(starts[seen])))
    return math.fsum(rises * chances)


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
    197
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


def ridge_choice(*, norm: float, noise: float, gram: Any = None, eigenvalues: Any = None) -> float:
    r"""Return the ridge at which the exact kernel's bound is smallest.

    .. math:: \arg\min_\lambda \frac{\lambda B^2}4 + \frac{\sigma^2d(\lambda)}N

    Parameters
    ----------
    norm, noise, gram, eigenvalues
        As in :func:`excess_risk`.

    Returns
    -------
    float
        lambda, on a grid of steps of 2 %; 1e-12 of the largest eigenvalue over N without noise.

    Raises
    ------
    TypeError, ValueError
        As :func:`excess_risk`.

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
    squared, varied = square_of("norm", positive("norm", norm)), _noise(noise)
    mu = eigenvalues_of(gram, eigenvalues)
    n = mu.size
    with np.errstate(over="ignore"):  # of eigenvalues near the end of the floats
        grid = mu[0] / n * 1.02 ** np.arange(-1400, 300)
        grid = grid[np.isfinite(grid)]
        values = [lam * squared / 4 + varied * float(np.mean(mu / (mu + n * lam))) for lam in grid]
    return float(grid[int(np.argmin(values))])
