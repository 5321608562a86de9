"""Excess risk of ridge regression on random features, squared loss."""

from __future__ import annotations

import math
from typing import Any

from mehler._validate import require_choice, require_not_negative, require_positive
from mehler.bounds._bound import Assumption, Bound, Term, square_of
from mehler.bounds._elementwise import elementwise
from mehler.bounds.ridge._bias import by_features, exact, power
from mehler.bounds.spectral._known import blocks, eigenvalues_of, know

STATEMENT = "features.ridge"
DESIGNS = ("rows", "left-out")


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
    smoothness: float = 0.5,
    design: str = "rows",
) -> Bound:
    r"""Bound the mean excess risk of ridge regression on m features, squared loss.

    .. math:: E\,\frac1N\sum_{i \le N}(\hat f - f)^2(x_i) \le c^2s_rR^2\lambda^{2r}
              + c\,\frac{\sigma^2d(\lambda)}N + c^2R^2\min(F'_m, F''_m),
              \qquad s_r = r^{2r}(1-r)^{2-2r}

    for :math:`y_i = f(x_i) + \epsilon_i` with independent noise of mean 0 and variance at most
    :math:`\sigma^2`, the minimiser of :math:`\frac1N\sum(y_i - \hat f(x_i))^2 + \lambda|w|^2`,
    :math:`d(\lambda) = \sum\mu_i/(\mu_i + N\lambda)`, and the source condition :math:`f =
    (K/N)^rg` at the rows with :math:`|g|^2 \le NR^2`, for r = 1/2 a norm of at most R in the
    kernel's space. The mean is over noise and features, for each such f, with the rows as they
    are. With p(t) the chance, by the inequality of :func:`mehler.bounds.spectral.gram_error`, that
    :math:`\hat K_m + N\lambda` is below 1 - t times :math:`K + N\lambda`,

    .. math:: F'_m = h(0) - s_r\lambda^{2r} + \int_0^1h'(t)\,p(t)\,dt, \qquad F''_m = \min_\tau\Big[
              \frac{\lambda^{2r}J_r}{(1-\tau)M} + \Big(\frac{s_r\lambda^{4r}J_r}M\Big)^{1/2}
              \Big(\frac{2\sqrt{J_0/M}}{1-\tau} + 2\sqrt{p(\tau)}\Big) + h(\tau)p(\tau)
              + \int_\tau^1h'(t)p(t)\,dt\Big]

    h(t) is lambda^(2r) s_r/(1-t)^2 for t up to r and (lambda t/(1-t))^(2r) from there, for r up to
    1/2; beyond, that of 1/2 times (mu_1/N)^(2r-1); at most (mu_1/N)^(2r). J_r is at most
    :math:`\frac{\kappa^2}\lambda d(\lambda)^{2r-1}` for r of at least 1/2, and J_0 at most
    :math:`\frac{\kappa^2}{4\lambda}`; all forms are in the proof.

    Parameters
    ----------
    n_features : int or array
        Columns m.
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
    sup, leverage, lipschitz, block
        How large one block's features are, as in :func:`mehler.bounds.spectral.gram_error`, with
        N ridge for its ridge.
    smoothness : float, optional
        r, in (0, 1]; 1/2 by default. A larger one gains nothing, as ridge regression saturates.
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

    References
    ----------
    Proof: :doc:`/theorems/features-ridge`. A. Rudi, L. Rosasco (2017), Theorems 1 to 3; H. Avron
    and others (2017), Lemma 2.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.bounds import ridge
    >>> X = np.random.default_rng(0).standard_normal((500, 2))
    >>> K = mehler.FourierFeatures.draw(2, 2, gamma=0.5, seed=0).kernel(X)
    >>> bound = ridge.excess_risk(2000, ridge=0.03, norm=1.0, noise=0.5, gram=K, sup=1.0, block=2)
    >>> {term.name: round(term.value, 4) for term in bound.terms}
    {'bias': 0.0075, 'variance': 0.004, 'features': 0.0031}

    A smoother target:

    >>> ridge.excess_risk(2000, ridge=0.03, norm=1.0, noise=0.5, gram=K, sup=1.0, block=2,
    ...     smoothness=1.0).value < bound.value
    True
    """
    require_choice("design", design, DESIGNS)
    m = blocks(n_features, block)
    require_positive("ridge", ridge)
    size, varied = square_of("norm", require_positive("norm", norm)), noise_of(noise)
    r = smoothness_of(smoothness)
    mu = eigenvalues_of(gram, eigenvalues)
    n = mu.size
    known = know(mu, ridge=n * float(ridge), sup=sup, leverage=leverage, lipschitz=lipschitz)
    c = 1.0
    if design == "left-out":
        if sup is None:
            raise ValueError("design='left-out' needs sup, a bound of the features")
        c += float(sup) * float(sup) / (n * ridge)
        if math.isinf(c * c * size):
            raise ValueError(f"ridge={ridge!r} is too small for design='left-out': make it larger")
    squared, first = c * c * size, float(mu[0]) / n
    bias = exact(first, ridge, r)
    features = by_features(known, mu, m, ridge=ridge, smoothness=r, sup=sup)
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity=(
            "mean excess risk at the rows"
            if design == "rows"
            else "mean excess risk at a row that is left out"
        ),
        terms=(
            Term("bias", squared * bias, r"c^2s_rR^2\lambda^{2r}"),
            Term("variance", c * varied * math.fsum(known.beta) / n, r"c\,\sigma^2d(\lambda)/N"),
            Term("features", squared * features, r"c^2R^2F_m"),
        ),
        probability=1.0,
        assumptions=(
            *known.assumptions,
            Assumption("noise is independent, of mean 0 and at most this deviation", None),
            Assumption(_target(r), None),
        ),
        # Without any features the error is the target itself.
        trivial=math.inf if design == "left-out" else squared * power(first, 2 * r) + varied,
    )


def noise_of(noise: float) -> float:
    """Return the square of the noise, checked."""
    return square_of("noise", require_not_negative("noise", noise))


def _target(r: float) -> str:
    if r == 0.5:
        return "the target has at most this norm in the kernel's space"
    return f"the target is (K/N)^{r:g} g at the rows, with a mean square of g of at most norm^2"


def smoothness_of(smoothness: float) -> float:
    """Return r, checked."""
    if require_positive("smoothness", smoothness) > 1:
        raise ValueError(f"smoothness={smoothness!r} must be at most 1: ridge regression saturates")
    return float(smoothness)
