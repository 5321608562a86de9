"""Maximise a mean over the simplex near the uniform distribution, by sorting."""

from __future__ import annotations

from typing import Any

import numpy as np


def largest_mean(v: Any, rho: float) -> Any:
    r"""Maximise <q, v> over the simplex with n |q - 1/n|^2 <= rho; returns q (n,).

    .. math:: q_i = \Big[\frac1k + \gamma_k(v_i - \bar v_k)\Big]_+, \qquad
              \gamma_k^2 = \Big(\frac{\rho + 1}n - \frac1k\Big)\Big/\sum_{i\le k}(v_i - \bar v_k)^2

    over the k largest; k is the size at which the k-th is positive and the next is not. Exact,
    in n log n operations.
    """
    n = v.size
    order = np.argsort(-v, kind="stable")
    # Subtract the largest, so that ties with it are exact zeros; the scale does not matter.
    down = v[order] - v[order[0]]
    ties = int(np.sum(down == 0.0))
    q = np.zeros(n)
    if ties == n or rho >= n / ties - 1:
        q[order[:ties]] = 1.0 / ties
        return q
    down = down / -down[-1]
    sizes = np.arange(1, n + 1)
    means = np.cumsum(down) / sizes
    # Sums of squares about the mean by non-negative updates, without cancellation.
    steps = np.zeros(n)
    steps[1:] = (down[1:] - means[:-1]) * (down[1:] - means[1:])
    squares = np.cumsum(steps)
    room = (rho + 1.0) / n - 1.0 / sizes
    able = (room >= 0) & (squares > 0)
    gamma = np.sqrt(np.where(able, room, 0.0) / np.where(able, squares, 1.0))
    inside = able & (1.0 / sizes + gamma * (down - means) > 0)
    # The largest support whose last member is positive: a smaller one would omit a member that
    # increases the mean.
    k = int(np.flatnonzero(inside)[-1]) + 1
    kept = 1.0 / k + gamma[k - 1] * (down[:k] - means[k - 1])
    q[order[:k]] = kept / kept.sum()
    return q
