"""The least mean logistic loss over a box: an interior point, and a bound from below to hold it.

Neither knows the other: what is returned was reached by a point of the box, and no point of the
box is below the dual value. A solver that stops early cannot pass for the minimum.
"""

from __future__ import annotations

import numpy as np
from scipy.special import entr, expit

# Of the reached value over the dual one: a tenth of what a fit is judged by.
AGREE = 1e-7


def least_logistic(z, y, half_width):
    """The least mean of log(1 + exp(-y <z, alpha>)) over |alpha_j| <= half_width."""
    signed = y[:, None] * z
    alpha = _interior(signed, half_width)
    reached = np.logaddexp(0.0, -(signed @ alpha)).mean()
    below = dual_value(signed, half_width, expit(-(signed @ alpha)))
    assert below <= reached + 1e-12
    assert reached - below <= AGREE, f"the references disagree: {reached} reached, {below} below"
    return reached


def dual_value(signed, half_width, p):
    r"""A value that no point of the box is below, for any p in [0, 1]^n.

    log(1 + exp(-t)) = max_p -p t + H(p), so the mean of losses is at least
    mean H(p_i) - <p, S alpha>/n, whose least value over the box is a sum of absolute values.
    """
    n = len(p)
    return (entr(p) + entr(1.0 - p)).mean() - half_width * np.abs(p @ signed).sum() / n


def _interior(signed, c):
    """Newton's method on the losses less mu sum log(c^2 - alpha_j^2), for mu down to rounding."""
    n, m = signed.shape
    alpha = np.zeros(m)

    def total(at, mu):
        return np.logaddexp(0.0, -(signed @ at)).mean() - mu * np.log((c - at) * (c + at)).sum()

    for mu in 10.0 ** -np.arange(1.0, 10.0) / m:
        for _ in range(200):
            p = expit(-(signed @ alpha))
            slope = -(p @ signed) / n + mu * (1.0 / (c - alpha) - 1.0 / (c + alpha))
            curve = signed.T @ ((p * (1.0 - p))[:, None] * signed) / n
            curve += np.diag(mu * (1.0 / (c - alpha) ** 2 + 1.0 / (c + alpha) ** 2))
            step = -np.linalg.solve(curve, slope)
            fall = -slope @ step
            room = np.where(step > 0, c - alpha, c + alpha) / np.maximum(np.abs(step), 1e-300)
            size = min(1.0, 0.99 * room.min())
            before = total(alpha, mu)
            while size > 1e-6 and total(alpha + size * step, mu) > before:
                size /= 2
            alpha = alpha + size * step
            # Below rounding of the total: one more step was taken, which squares what is left.
            if fall <= 1e-14 or size <= 1e-6:
                break
    return alpha
