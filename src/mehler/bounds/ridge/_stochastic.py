"""How far the doubly stochastic gradient is from its limit after some steps."""

from __future__ import annotations

import math

from mehler._validate import require_integer, require_not_negative, require_positive
from mehler.bounds._bound import Assumption, Bound, Term, require_count
from mehler.bounds._elementwise import elementwise

STATEMENT = "features.doubly-stochastic"
_MOST_STEPS = 10**7


@elementwise
def doubly_stochastic(
    n_steps: int,
    *,
    ridge: float,
    step: float,
    units_per_step: int,
    rows_per_step: int,
    n_samples: int,
    sup: float,
    variance: float,
    gradient: float,
    norm: float,
    slope: float = 2.0,
) -> Bound:
    r"""Bound the deviation of the doubly stochastic gradient from the function it tends to.

    .. math:: \big(E\,|f_s(x) - f_*(x)|^2\big)^{1/2} \le \sqrt{d_s} + \sqrt{\kappa a_s}

    at each row that `sup` and `variance` hold for, by s steps of a recursion from d = 0 and
    a = B^2, with nu = 2 lambda, gamma the size of the step and r = gamma kappa L/2:

    .. math:: d \leftarrow (1-\nu\gamma)^2d + \gamma^2\frac{v}{|U|}
                  \big(\sigma + L(\sqrt d + \sqrt{\kappa a})\big)^2,

    .. math:: a \leftarrow (1-2\nu\gamma)a + \tfrac12\gamma Ld + \frac1{1-r}
                  \Big(\sqrt{\tfrac12\gamma Lrd} + \gamma\Big(\nu^2a
                  + \frac{\kappa\sigma^2}{n}\frac{N-n}{N-1}\Big)^{1/2}\Big)^2

    Parameters
    ----------
    n_steps : int
        s, at most 10^7; each is computed, about a microsecond.
    ridge : float
        lambda of :func:`mehler.learn.doubly_stochastic`.
    step : float
        gamma_1, chosen without a look at the units; below 2/(kappa L) and 1/(2 lambda).
    units_per_step, rows_per_step : int
        abs(U) and n.
    n_samples : int or array
        N.
    sup : float
        kappa, at least kernel(x, x) at the rows and at x.
    variance : float
        v, at least the variance of one unit's product at a row and x.
    gradient : float
        sigma, the root of the mean square of the loss's gradients at f_* over the rows.
    norm : float
        B, at least the norm of f_* in the kernel's space.
    slope : float, optional
        L, Lipschitz constant of the gradient: 2 for squares, 1/2 for the logistic loss.

    Returns
    -------
    Bound
        Of the root of the mean square, with the terms "units" and "rows".

    See Also
    --------
    mehler.learn.doubly_stochastic : The learner.
    excess_risk : Ridge regression on stored features.

    Notes
    -----
    About a microsecond a step. Infinite from where the recursion overflows.

    References
    ----------
    Proof: :doc:`/theorems/features-doubly-stochastic`.

    Examples
    --------
    >>> from mehler.bounds import ridge
    >>> bound = ridge.doubly_stochastic(10_000, ridge=0.5, step=0.3, units_per_step=256,
    ...     rows_per_step=32, n_samples=1000, sup=1.0, variance=0.5, gradient=1.0, norm=1.0)
    >>> round(bound["units"], 4), round(bound["rows"], 4)
    (0.0007, 0.0027)
    """
    n_steps, units, rows, total = require_count(
        n_steps=n_steps,
        units_per_step=units_per_step,
        rows_per_step=rows_per_step,
        n_samples=n_samples,
    )
    require_integer("n_steps", n_steps, most=_MOST_STEPS)
    require_integer("rows_per_step", rows_per_step, most=total)
    for name, value in (("ridge", ridge), ("step", step), ("sup", sup), ("slope", slope)):
        require_positive(name, value)
    variance = require_not_negative("variance", variance)
    gradient = require_not_negative("gradient", gradient)
    norm = require_not_negative("norm", norm)
    nu, left = 2 * ridge, (total - rows) / max(total - 1, 1)
    good = step * sup * slope < 2 and step * nu < 1
    # Products of floats, which overflow to infinity; powers raise.
    d, a = 0.0, norm * norm
    for s in range(n_steps if good else 0):
        gamma = step / (1 + 0.5 * ridge * step * s)
        r = gamma * sup * slope / 2
        moved = gradient + slope * (math.sqrt(d) + math.sqrt(sup * a))
        noise = math.sqrt(nu * nu * a + sup * gradient * gradient / rows * left)
        spill = gamma * slope * d / 2
        d, a = (
            (1 - nu * gamma) ** 2 * d + gamma * gamma * variance / units * moved * moved,
            (1 - 2 * nu * gamma) * a
            + spill
            + (math.sqrt(spill * r) + gamma * noise) ** 2 / (1 - r),
        )
        if not d + a < 1e300:
            d = a = math.inf
            break
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="root mean square deviation from the minimiser",
        terms=(
            Term("units", math.sqrt(d), r"\sqrt{d_s}"),
            Term("rows", math.sqrt(sup * a), r"\sqrt{\kappa a_s}"),
        ),
        probability=1.0,
        assumptions=(
            Assumption(
                "the first step is below 2/(kappa L) and 1/(2 lambda)", good, f"step {step:g}"
            ),
            Assumption("units of each step are independent of the past and of the step's size"),
        ),
    )
