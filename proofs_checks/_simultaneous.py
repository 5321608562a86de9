"""Combine simultaneous intervals and claimed values into one piece of evidence."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.statements import Evidence, Plot

from ._measured_products import Measured


def hold_against(
    measured: Measured,
    claimed: Any,
    *,
    resolution: Any,
    error: Any = 0.0,
    form: Any,
    claim: str,
    plots: tuple[Plot, ...] = (),
) -> Evidence:
    """Compare claimed values (n,) with intervals that contain the truth simultaneously.

    Refuted if one interval, widened by `error`, excludes its claim; reported at the farthest point.
    Inconclusive if one is wider than `resolution`; else it holds, at the claim nearest to an end.
    """
    value = np.asarray(claimed, dtype=float)
    low, high = np.asarray(measured.low) - error, np.asarray(measured.high) + error
    wanted = np.broadcast_to(np.asarray(resolution, dtype=float), value.shape)
    width = high - low
    # 1 at the ends of an interval, 0 in its middle.
    distance = np.abs(value - (low + high) / 2) / (width / 2)
    status, reason = "holds", ""
    worst = int(np.argmax(distance))
    if np.any((value < low) | (value > high)):
        status = "refuted"
    elif np.any(width > wanted):
        worst = int(np.argmax(width / wanted))
        status = "inconclusive"
        reason = f"the interval is {width[worst]:.3g} wide, more than {wanted[worst]:.3g}"
    return Evidence(
        form=form,
        status=status,  # type: ignore[arg-type]  # one of the literals, as str
        claim=f"{claim}; {value.size} points together",
        where={"q": measured.pool_size[worst], "rho": measured.rho[worst]},
        reason=reason,
        observed=measured.mean[worst],
        exact=float(value[worst]),
        interval=(low[worst], high[worst]),
        n_features=measured.n_units[worst],
        false_alarm=measured.false_alarm,
        resolution=float(wanted[worst]),
        detectable=measured.detectable[worst],
        method=measured.method,
        assumptions=("units of a draw are independent", "their exact variance is finite and known"),
        plots=plots,
    )
