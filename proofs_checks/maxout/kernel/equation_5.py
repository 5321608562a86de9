"""Check the function that a linear model on maxout features estimates in the mean.

Equations (4) and (5) of the maxout paper (Mroueh, Rennie, Goel 2015) say it for weights alpha =
sum beta_i Phi(x_i): the mean of <alpha, Phi(x)> is sum beta_i K(x_i, x). It is measured, and
compared with this sum for two kernels K: the published one, and the one that is proved.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import MaxoutFeatures, _arrays, exact, verify
from mehler.statements import Context, Evidence, check

from ..._measured_products import Draw

Kernel = Callable[[Any, int], Any]

_POOL, _BETA = 4, np.array([0.4, 0.3, -0.2, 0.1])  # pool size q, weights beta of training rows
# Correlations of the training rows with the row at which the function is estimated.
_RHO = np.array([0.0, 0.3, -0.5, 0.8])


def _estimate(context: Context, draw: Draw, kernel: Kernel, form: str) -> Evidence:
    """Compare the measured mean of <alpha, Phi(x)> with sum beta_i K(x_i, x)."""
    n_units = 60_000 if context.quick else 1_000_000
    training = np.eye(5)[1:] * np.sqrt(1 - _RHO**2)[:, None]
    training[:, 0] = _RHO
    phi = draw(5, n_units, _POOL, seed=context.seed_for(form), like=context.like())
    rows = context.asarray(np.concatenate([np.eye(5)[:1], training]))
    units = _arrays.to_host(phi(rows)).astype(float) * n_units**0.5
    verdict = verify.check_mean(
        units[0] * (_BETA @ units[1:]),
        float(_BETA @ kernel(_RHO, _POOL)),
        # By Cauchy and Schwarz, and Minkowski, since the absolute values of beta sum to 1.
        variance=exact.max_moment(4, _POOL),
        resolution=0.2 if context.quick else 0.05,
        false_alarm=context.false_alarm,
        ledger=context.ledger,
        name=f"{context.statement}: {form}",
    )
    claim = rf"$E\langle\alpha, \Phi(x)\rangle$ is the {form} function, four rows, $q = {_POOL}$"
    return Evidence.from_verdict(verdict, claim=claim)


@check("maxout.equation-5", form="printed", name="the function of the printed kernel")
def printed(
    context: Context,
    *,
    draw: Draw = MaxoutFeatures.draw,
    kernel: Kernel = exact.locally_linear_kernel,
) -> Evidence:
    """Compare the mean prediction with equation (4), by the published kernel."""
    return _estimate(context, draw, kernel, "printed")


@check("maxout.equation-5", form="proved", name="the function of the proved kernel")
def proved(
    context: Context, *, draw: Draw = MaxoutFeatures.draw, kernel: Kernel = exact.maxout_kernel
) -> Evidence:
    """Compare the mean prediction with the function of the proved kernel."""
    return _estimate(context, draw, kernel, "proved")
