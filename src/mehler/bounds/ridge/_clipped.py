"""Risk of clipped ridge regression: a fast rate for any law of rows with bounded targets."""

from __future__ import annotations

from mehler._validate import require_not_negative, require_positive
from mehler.bounds._bound import Assumption, Bound, Term, require_count, square_of
from mehler.bounds._elementwise import elementwise

STATEMENT = "features.clipped-ridge"


@elementwise
def clipped_risk(
    n_samples: int,
    *,
    ridge: float,
    norm: float,
    clip: float,
    degrees_of_freedom: float,
) -> Bound:
    r"""Bound the mean excess risk of clipped ridge regression at a fresh row, squared loss.

    .. math:: E\,(\bar f(x) - y)^2 - E\,(\langle w, \phi(x)\rangle - y)^2 \le
              \frac{\Lambda|w|^2}{2(N+1)} + \frac{4b^2}{N+1}\Big(2d - \frac{d^2}{N+1}\Big)

    for every w of norm at most B, :math:`|y| \le b`, and :math:`\bar f` the minimiser of
    :math:`\sum_{i\le N}(\langle w, \phi(x_i)\rangle - y_i)^2 + \Lambda|w|^2` with its values
    clipped to [-b, b]; :math:`\Lambda = N\lambda`. Here
    :math:`d = E\sum_{i\le N+1}\mu_i/(\mu_i + \Lambda)`, of the eigenvalues of N + 1 rows' Gram
    matrix, which is at most the number of columns. Nothing else is asked: neither bounded features,
    nor that the best function is among the linear ones, nor of the noise.

    Parameters
    ----------
    n_samples : int or array
        N, the rows that are fitted.
    ridge : float
        lambda, as in :func:`mehler.learn.ridge`: the penalty of mean squared errors. Without
        intercept.
    norm : float
        B, the norm of the weights that it is compared with.
    clip : float
        b, at least the absolute value of all targets.
    degrees_of_freedom : float
        d, or more: the number of columns, or that of the kernel at lambda N/(N + 1).

    Returns
    -------
    Bound
        Terms "bias" and "variance". It bounds a mean over rows: its probability is 1.

    See Also
    --------
    excess_risk : For targets with a mean in the kernel's space, by its spectrum.
    mehler.learn.ridge : The learner; clip what it predicts.

    References
    ----------
    Proof: :doc:`/theorems/features-clipped-ridge`. J. Forster, M. K. Warmuth (2002), for another
    learner; J. Mourtada, T. Vaskevicius, N. Zhivotovskiy (2022), for truncated least squares.

    Examples
    --------
    100 features, ten times the rows, a tenth of the bound.

    >>> from mehler.bounds import ridge
    >>> for n in (10**4, 10**5, 10**6):
    ...     bound = ridge.clipped_risk(n, ridge=1 / n, norm=3.0, clip=1.0, degrees_of_freedom=100)
    ...     print(f"{bound.value:.5f}")
    0.08004
    0.00804
    0.00080
    """
    (n_samples,) = require_count(n_samples=n_samples)
    require_positive("ridge", ridge)
    size = square_of("norm", require_not_negative("norm", norm))
    range_ = square_of("clip", require_positive("clip", clip))
    n = n_samples + 1
    # A share of the rows, which have at most one degree each.
    share = min(require_not_negative("degrees_of_freedom", degrees_of_freedom) / n, 1.0)
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="mean excess risk of the clipped function at a fresh row",
        terms=(
            Term("bias", ridge * n_samples / n * size / 2, r"\frac{\Lambda B^2}{2(N+1)}"),
            Term(
                "variance",
                4 * range_ * share * (2 - share),
                r"\frac{4b^2}{N+1}\left(2d - \frac{d^2}{N+1}\right)",
            ),
        ),
        probability=1.0,
        assumptions=(
            Assumption("rows are independent and of one law, or exchangeable"),
            Assumption("targets are at most clip in absolute value"),
            Assumption("features are chosen without these rows"),
        ),
        trivial=4 * range_,
    )
