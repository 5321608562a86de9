r"""Bounds on the excess risk of ridge regression on random features, for the squared loss.

Targets are :math:`y_i = f(x_i) + \epsilon_i` with independent noise of mean 0. The excess risk is
the mean of :math:`(\hat f - f)^2`: the bound has the bias and variance of regression with the exact
kernel K, and what m features add. :math:`\mu_1 \ge \mu_2 \ge \dots` are the eigenvalues of K on the
N rows, and :math:`d(\lambda) = \sum\mu_i/(\mu_i + N\lambda)` its degrees of freedom. Proofs are in
:doc:`/theorems/features-ridge` and, for a fast rate with clipped values, in
:doc:`/theorems/features-clipped-ridge`. Functions take the same arguments:

n_features, n_samples : int or array
    Columns m, and rows N that are fitted.
ridge : float
    lambda, as in :func:`mehler.learn.ridge`: the penalty of mean squared errors.
norm : float
    R: for smoothness 1/2 the norm of the target in the kernel's space.
noise : float
    sigma, the largest standard deviation of the targets.
gram : array, shape (N, N)
    The exact kernel of the rows, as ``phi.kernel(X)``; or `eigenvalues`.
eigenvalues : array, shape (N,)
    All N of K, zeros included.
smoothness : float
    r, in (0, 1], of the source condition :math:`f = (K/N)^rg` at the rows with
    :math:`|g|^2 \le NR^2`. A larger one gains nothing, as ridge regression saturates.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from mehler._validate import require_choice, require_positive
from mehler.bounds._arguments import counts, not_negatives, positives, squares
from mehler.bounds._bound import Assumption, Bound, Counts, Floats, Reals, Term, bound
from mehler.bounds._spectra import Size, blocks, eigenvalues_of, size_of, tail

__all__ = ["best_ridge", "excess_risk", "excess_risk_clipped"]


# Relative errors t of the Gram matrix at which integrals are summed, dense towards 0 and 1.
_STEPS = np.unique(
    np.concatenate([np.geomspace(1e-7, 0.5, 300), 1 - np.geomspace(0.5, 1e-12, 500)])
)
# Values tried of theta and u, free parameters of the bounds q of `second_moment`.
_MEANS = np.linspace(0.0, 1.0, 21)
_HOELDER = np.geomspace(1e-4, 1e4, 81)


@bound("features.ridge", "mean excess risk", "n_features")
def excess_risk(
    n_features: Counts,
    *,
    ridge: float,
    norm: float,
    noise: float,
    gram: Floats | None = None,
    eigenvalues: Floats | list[float] | None = None,
    sup: float | None = None,
    leverage: float | None = None,
    lipschitz: float | None = None,
    block: Counts = 1,
    smoothness: float = 0.5,
    design: Literal["rows", "left-out"] = "rows",
) -> Bound:
    r"""Bound the mean excess risk of ridge regression on m features.

    .. math:: E\,\frac1N\sum_{i \le N}(\hat f - f)^2(x_i) \le c^2R^2b_r + c\,\frac{\sigma^2
              d(\lambda)}N + c^2R^2\min(F', F''), \qquad b_r \le s_r\lambda^{2r} =
              r^{2r}(1-r)^{2-2r}\lambda^{2r}

    for the minimiser of :math:`\frac1N\sum(y_i - \hat f(x_i))^2 + \lambda|w|^2`, in the mean over
    noise and features, for each target of the source condition, with the rows as they are. b_r is
    the largest bias of the exact kernel over R^2. Features add at most F' for the worst target of
    each draw, and F'', smaller for many features, for one target. With p(t) the chance, by
    :func:`mehler.bounds.spectral.gram_error`, that :math:`\hat K_m + N\lambda` is below 1 - t times
    :math:`K + N\lambda`, and h(t) the largest bias over R^2 where it is not,

    .. math:: F' = h(0) - b_r + \int_0^1h'(t)\,p(t)\,dt, \qquad F'' = \min_\tau\Big[
              \frac{\lambda^{2r}J_r}{(1-\tau)M} + \Big(\frac{b_r\lambda^{2r}J_r}M\Big)^{1/2}
              \Big(\frac{2\sqrt{J_0/M}}{1-\tau} + 2\sqrt{p(\tau)}\Big) + h(\tau)p(\tau)
              + \int_\tau^1h'(t)p(t)\,dt\Big]

    h(t) is lambda^(2r) s_r/(1-t)^2 for t up to r and (lambda t/(1-t))^(2r) from there, for r up to
    1/2; beyond, that of 1/2 times (mu_1/N)^(2r-1); at most (mu_1/N)^(2r). The second moment J_r of
    a block is at most :math:`\frac{\kappa^2}\lambda d(\lambda)^{2r-1}` for r of at least 1/2, J_0
    at most :math:`\frac{\kappa^2}{4\lambda}`. Terms: "bias", "variance" and "features". Proof, with
    all forms: :doc:`/theorems/features-ridge`; arguments: :mod:`mehler.bounds.ridge`. A. Rudi, L.
    Rosasco (2017), Theorems 1 to 3; H. Avron and others (2017), Lemma 2.

    Parameters
    ----------
    sup, leverage, lipschitz, block
        How large one block's features are, as in :func:`mehler.bounds.spectral.gram_error`, with
        N ridge for its ridge: kappa is `sup`, and M = m/block.
    design : {"rows", "left-out"}
        The error at the rows that are fitted, c = 1; or at a row that is left out while the other
        N - 1 are fitted with the same N lambda, in the mean over that row: for independent rows the
        risk at a fresh one. There :math:`c = 1 + \kappa^2/(N\lambda)`, which needs `sup`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.bounds import ridge
    >>> X = np.random.default_rng(0).standard_normal((500, 2))
    >>> K = mehler.FourierFeatures.draw(2, 2, gamma=0.5, seed=0).kernel(X)
    >>> target = {"ridge": 0.03, "norm": 1.0, "noise": 0.5, "gram": K, "sup": 1.0, "block": 2}
    >>> {t.name: round(t.value, 4) for t in ridge.excess_risk(2000, **target).terms}
    {'bias': 0.0075, 'variance': 0.004, 'features': 0.0031}
    """
    mu, lam = eigenvalues_of(gram, eigenvalues), require_positive("ridge", ridge)
    left_out = require_choice("design", design, ("rows", "left-out")) == "left-out"
    r, square = require_smoothness(smoothness), float(squares(norm=positives(norm=norm)))
    noise_square = float(squares(noise=not_negatives(noise=noise)))
    n, m = mu.size, blocks(n_features, block)
    spectrum = size_of(mu, ridge=n * lam, sup=sup, leverage=leverage, lipschitz=lipschitz)
    c, first = 1.0, float(mu[0]) / n
    if left_out:
        if sup is None:
            raise ValueError("design='left-out' needs sup, a bound of the features")
        c += sup * sup / (n * lam)
        if math.isinf(c * c * square):
            raise ValueError(f"ridge={ridge!r} is too small for design='left-out': make it larger")
    factor = c * c * square
    bias = factor * worst_bias(first, lam, r)
    variance = c * noise_square * math.fsum(spectrum.beta) / n
    features = factor * np.vectorize(
        lambda k: added_bias(spectrum, mu, k, ridge=lam, smoothness=r, sup=sup), otypes=[float]
    )(m)
    target = "the target has at most this norm in the kernel's space"
    if r != 0.5:
        target = f"the target is (K/N)^{r:g} g at the rows, the mean square of g at most norm^2"
    assumptions = [
        *spectrum.assumptions,
        Assumption("noise is independent, of mean 0 and at most this deviation"),
        Assumption(target),
    ]
    if left_out:
        of_zero = square * power(first, 2 * r)
        text = "the bound is below the mean square of the target, the risk of predicting 0"
        below = bias + variance + features < of_zero
        assumptions.append(Assumption(text, below, f"{of_zero:.6g}"))
    return Bound(
        terms=(Term("bias", bias), Term("variance", variance), Term("features", features)),
        assumptions=tuple(assumptions),
        # Without any features the error is the target itself.
        trivial=math.inf if left_out else factor * power(first, 2 * r) + noise_square,
        quantity=f"mean excess risk at {'a row that is left out' if left_out else 'the rows'}",
    )


@bound("features.clipped-ridge", "mean excess risk of the clipped function at a fresh row")
def excess_risk_clipped(
    n_samples: Counts, *, ridge: Reals, norm: Reals, clip: Reals, degrees_of_freedom: Reals
) -> Bound:
    r"""Bound the mean excess risk of clipped ridge regression at a fresh row.

    .. math:: E\,(\bar f(x) - y)^2 - E\,(\langle w, \phi(x)\rangle - y)^2 \le
              \frac{\Lambda|w|^2}{2(N+1)} + \frac{4b^2}{N+1}\Big(2d - \frac{d^2}{N+1}\Big)

    for every w of norm at most R, :math:`|y| \le b`, and :math:`\bar f` the minimiser of
    :math:`\sum_{i\le N}(\langle w, \phi(x_i)\rangle - y_i)^2 + \Lambda|w|^2` with its values
    clipped to [-b, b]; :math:`\Lambda = N\lambda`. Here :math:`d = E\sum_{i\le N+1}\mu_i/(\mu_i +
    \Lambda)`, of the eigenvalues of N + 1 rows' Gram matrix, which is at most the number of columns
    and of rows; there is no intercept. Terms: "bias" and "variance". Proof:
    :doc:`/theorems/features-clipped-ridge`; arguments: :mod:`mehler.bounds.ridge`. J.
    Forster, M. K. Warmuth (2002); J. Mourtada, T. Vaskevicius, N. Zhivotovskiy (2022).

    Parameters
    ----------
    norm : float
        R, the norm of the weights that it is compared with.
    clip : float
        b, at least the absolute value of all targets.
    degrees_of_freedom : float
        d, or more: the number of columns, or that of the kernel at lambda N/(N + 1).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import ridge
    >>> n, setting = np.array([10**4, 10**5, 10**6]), {"clip": 1.0, "degrees_of_freedom": 100}
    >>> ridge.excess_risk_clipped(n, ridge=1 / n, norm=3.0, **setting).value.round(5)
    array([0.08004, 0.00804, 0.0008 ])
    """
    n, (lam, most) = counts(n_samples=n_samples), positives(ridge=ridge, clip=clip)
    length, d = not_negatives(norm=norm, degrees_of_freedom=degrees_of_freedom)
    size, range_ = squares(norm=length), squares(clip=most)
    # The rows have at most one degree each.
    per_row = np.minimum(d / (n + 1), 1.0)
    bias = Term("bias", lam * n / (n + 1) * size / 2)
    terms = (bias, Term("variance", 4 * range_ * per_row * (2 - per_row)))
    assumptions = (
        Assumption("rows are independent and of one law, or exchangeable"),
        Assumption("targets are at most clip in absolute value"),
        Assumption("features are chosen without these rows"),
    )
    return Bound(terms=terms, assumptions=assumptions, trivial=4 * range_)


def best_ridge(
    *, norm: float, noise: float, gram: Any = None, eigenvalues: Any = None, smoothness: float = 0.5
) -> float:
    r"""Return the ridge at which the exact kernel's bound is smallest.

    .. math:: \arg\min_\lambda s_rR^2\lambda^{2r} + \frac{\sigma^2d(\lambda)}N, \quad s_{1/2} = 1/4

    Arguments: :mod:`mehler.bounds.ridge`.

    Returns
    -------
    float
        lambda, on a grid of steps of 2 %; 1e-12 of the largest eigenvalue over N without noise.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import ridge
    >>> decay = 500 * 0.5 ** np.arange(1, 501)
    >>> round(ridge.best_ridge(norm=1.0, noise=0.5, eigenvalues=decay), 4)
    0.0028
    """
    size = squares(norm=positives(norm=norm))
    noise_variance = squares(noise=not_negatives(noise=noise))
    r = require_smoothness(smoothness)
    mu = eigenvalues_of(gram, eigenvalues)
    n = mu.size
    with np.errstate(over="ignore"):  # for eigenvalues near the largest float
        grid = mu[0] / n * 1.02 ** np.arange(-1400, 300)
        grid = grid[np.isfinite(grid)]
        values = [
            largest(r) * power(lam, 2 * r) * size
            + noise_variance * float(np.mean(mu / (mu + n * lam)))
            for lam in grid
        ]
    return float(grid[int(np.argmin(values))])


def require_smoothness(smoothness: float) -> float:
    """Return the smoothness r, in (0, 1]."""
    if require_positive("smoothness", smoothness) > 1:
        raise ValueError(f"smoothness={smoothness!r} must be at most 1: ridge regression saturates")
    return float(smoothness)


def largest(smoothness: float) -> float:
    """Return s_r, the supremum of x^(2r)/(1 + x)^2 over x >= 0, which is at x = r/(1 - r)."""
    r = float(smoothness)
    return r ** (2 * r) * (1 - r) ** (2 - 2 * r)


def worst_bias(first: float, ridge: float, r: float) -> float:
    """Return b_r, the largest bias of the exact kernel over R^2, for mu_1/N = `first`."""
    if first * (1 - r) >= ridge * r:
        return largest(r) * power(ridge, 2 * r)
    root = power(first, r) * (ridge / (ridge + first))
    return root * root


def power(base: float, exponent: float) -> float:
    """Return a power of a positive float, infinite where it overflows."""
    with np.errstate(over="ignore"):
        return float(np.float64(base) ** exponent)


def added_bias(
    spectrum: Size, mu: Floats, m: float, *, ridge: float, smoothness: float, sup: float | None
) -> float:
    """Return min(F', F'') of :func:`excess_risk` for `m` blocks of features."""
    first = float(mu[0]) / mu.size
    bias = worst_bias(first, ridge, smoothness)
    cap = power(first, 2 * smoothness)
    if math.isinf(cap):
        return math.inf
    # h at 0, at each step and at 1; NaN, of 0 times infinity, is no bound.
    edges = np.fmin(_draw_by_draw(first, ridge, smoothness), cap)
    starts = np.concatenate([[0.0], _STEPS])
    chances = np.zeros(starts.size)
    chances[0] = 1.0
    # The chance p(t) is 0 from the largest eigenvalue mu_1/(mu_1 + N lambda) on.
    inside = (starts > 0) & (starts < float(spectrum.beta[0]))
    below = tail(spectrum, m, -1).log_probability(starts[inside])
    chances[inside] = np.exp(np.minimum(0.0, below))
    rises = np.diff(edges) * chances
    beyond = edges[:-1] * chances + np.cumsum(rises[::-1])[::-1]
    shift = mu.size * ridge
    remaining = np.maximum(1 - starts, shift / (float(mu[0]) + shift))
    one_target = _one_target(spectrum, mu, m, ridge, smoothness, sup, remaining, chances)
    every_draw = float(edges[0]) - bias + math.fsum(rises)
    return max(0.0, min(every_draw, float(np.min(one_target + beyond))))


def _draw_by_draw(first: float, ridge: float, r: float) -> Any:
    """Return h of :func:`excess_risk`, not capped, at 0 and at each step; then infinity."""
    low = min(r, 0.5)
    with np.errstate(over="ignore", invalid="ignore"):
        shape = np.where(
            _STEPS <= low, largest(low) / (1 - _STEPS) ** 2, (_STEPS / (1 - _STEPS)) ** (2 * low)
        )
        shape = np.concatenate([[largest(low)], shape])
        factors = power(ridge, 2 * low) * power(first, 2 * (r - low)) * shape
    return np.concatenate([factors, [np.inf]])


@np.errstate(all="ignore")
def _one_target(
    spectrum: Size,
    mu: Floats,
    m: float,
    ridge: float,
    r: float,
    sup: float | None,
    remaining: Floats,
    chances: Floats,
) -> Any:
    """Return the first two summands of F'' for each tau: 1 - tau in `remaining`, p in `chances`."""
    size = power(ridge, 2 * r)
    spread = second_moment(spectrum, mu, ridge, r, sup) / m
    error = 2 * math.sqrt(second_moment(spectrum, mu, ridge, 0.0, sup) / m)
    bias = worst_bias(float(mu[0]) / mu.size, ridge, r)
    cross = np.sqrt(bias * size * spread) * (error / remaining + 2 * np.sqrt(chances))
    total = size * spread / remaining + cross
    return np.where(np.isnan(total), np.inf, total)


@np.errstate(all="ignore")
def second_moment(spectrum: Size, mu: Floats, ridge: float, r: float, sup: float | None) -> float:
    """Return J_r, the largest x^(2r) q(x)/(1 + x)^2 over x = mu_i/(N ridge), for the best q.

    N ridge q(K/(N ridge)) is a bound of E[s G], for a block's leverage s and Gram matrix G.
    """
    shift = mu.size * ridge
    beta, rest = spectrum.beta, shift / (mu + shift)
    d = spectrum.mean
    bounds = [math.inf]
    if math.isfinite(spectrum.most):
        # Geometric means of most x, by the leverage, and of N sup^2 d/shift, by the length.
        length = 0.0 if sup is None else sup / math.sqrt(shift)
        constant = mu.size * length * length * d
        for weight in _MEANS if constant > 0 else [1.0]:
            q = spectrum.most**weight * constant ** (1 - weight)
            bounds.append(q * np.max(beta ** (2 * r + weight) * rest ** (2 - 2 * r - weight)))
    if spectrum.lipschitz:
        # Products of floats overflow to infinity; powers raise.
        square = 2 * spectrum.lipschitz * spectrum.lipschitz
        linear = beta ** (2 * r + 1) * rest ** (1 - 2 * r)
        offset = beta ** (2 * r) * rest ** (2 - 2 * r)
        for u in _HOELDER:
            bounds.append((d + u * square) * np.max(linear + offset * (square / u)))
    return float(min(value for value in bounds if not math.isnan(value)))
