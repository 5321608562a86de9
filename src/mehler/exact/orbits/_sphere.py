"""The wedge integral of points uniform on a sphere, in closed form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def wedge(h: Any, theta: Any, n_inputs: int) -> Any:
    r"""Evaluate the integral of P(radius > h / cos) over an arc, over 2 pi; both arrays alike.

    .. math:: T(h, \theta) = \frac1{2\pi}\int_0^\theta \Big(1 - \frac{h^2}{\cos^2\phi}
              \Big)_+^{(d-2)/2} d\phi, \qquad h \ge 0, |\theta| \le \pi/2

    A finite sum of d/2 terms, absolute error below 1e-14.
    """
    inside = h < 1.0
    h = np.where(inside, h, 0.5)
    arc = np.minimum(np.abs(theta), np.arccos(h))
    for integral in powers(h, arc, n_inputs):  # noqa: B007  # the last one
        pass
    return np.where(inside, np.sign(theta) * integral / (2.0 * np.pi), 0.0)


def powers(h: Any, arc: Any, n_inputs: int) -> Iterator[Any]:
    r"""Yield J_p for p = (d - 2)/2 and its predecessors, ascending from 0 or -1/2.

    .. math:: J_p = \int_0^a (1 - h^2\sec^2\phi)^p d\phi
              = J_{p-1} - h (1 - h^2)^{p-1/2} \int_0^z (1 - w^2)^{p-1} dw

    with z = h tan(a) / sqrt(1 - h^2), for h < 1 and a <= arccos(h): one factor 1 - h^2 sec^2 is
    split off, and w = h tan / sqrt(1 - h^2) substituted.
    """
    sine, cosine = np.sin(arc), np.cos(arc)
    short = (1.0 - h) * (1.0 + h)
    # Both arcs below share one root: where it is small their errors cancel.
    root = np.sqrt(np.maximum((cosine - h) * (cosine + h), 0.0))
    scale = cosine * np.sqrt(short)
    z = np.minimum(h * sine / scale, 1.0)
    left = np.minimum((root / scale) ** 2, 1.0)  # 1 - z^2
    if n_inputs % 2 == 0:
        p, total, inner, power = 1.0, arc, z, np.sqrt(short)
        side = z * left
    else:
        p, inner, power = 0.5, np.arctan2(h * sine, root), np.ones_like(h)
        total = np.arctan2(sine, root)
        side = z * np.sqrt(left)
    yield total
    for _ in range((n_inputs - 1) // 2):
        total = total - h * power * inner
        yield total
        inner = (2.0 * p * inner + side) / (2.0 * p + 1.0)
        side *= left
        power = power * short
        p += 1.0
    return total
