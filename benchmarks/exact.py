"""The exact layer against scipy.integrate.dblquad at equal accuracy, and the cost of its tables.

Run: python benchmarks/exact.py
"""

from __future__ import annotations

import time

import _harness
import numpy as np
from scipy import integrate, special

from mehler import exact
from mehler.exact import _table, _wedge

POOLS = (4, 64, 1024)
RHO = 0.3
ACCURACY = 1e-12


def by_dblquad(rho: float, q: int) -> float:
    """kappa_q as a double integral: density of the winner times Phi_2^(q-1) by Owen's T."""
    s = np.sqrt(1 - rho * rho)

    def integrand(v: float, x: float) -> float:
        y = rho * x + s * v
        t = special.owens_t(x, (y - rho * x) / (x * s)) + special.owens_t(
            y, (x - rho * y) / (y * s)
        )
        phi2 = (special.ndtr(x) + special.ndtr(y)) / 2 - t - (0.5 if x * y < 0 else 0.0)
        return q * np.exp(-(x * x + v * v) / 2) / (2 * np.pi) * max(phi2, 0.0) ** (q - 1)

    # Bounds that put no node on an axis, where Owen's T divides by zero.
    return integrate.dblquad(integrand, -8.51, 8.52, -8.53, 8.54, epsabs=ACCURACY, epsrel=ACCURACY)[
        0
    ]


def main():
    rows, raw = [], []

    def row(what, value, note):
        rows.append([what, value, note])
        raw.append({"what": what, "value": value, "note": note})

    start = time.process_time()
    _wedge.wedge_grid()
    _table.pool_table(3)
    row("first table of a pool size", f"{time.process_time() - start:.2f} s", "grid included")
    for q in (*POOLS, 10**6):
        start = time.process_time()
        _table.pool_table(q)
        row(f"further table, q = {q}", f"{1e3 * (time.process_time() - start):.0f} ms", "")
    rho = np.random.default_rng(0).uniform(-1, 1, 10**6)
    for name in ("collision_probability", "maxout_kernel"):
        run = getattr(exact, name)
        each = _harness.seconds(lambda run=run: run(rho, 64)) / rho.size
        row(f"{name}, a value", f"{1e9 * each:.0f} ns", f"{1e-6 / each:.0f} million a second")
    for q in POOLS:
        start = time.process_time()
        value = by_dblquad(RHO, q)
        slow = time.process_time() - start
        fast = _harness.seconds(lambda q=q: exact.collision_probability(rho, q)) / rho.size
        gap = abs(value - exact.collision_probability(RHO, q))
        row(
            f"dblquad over ours, a value, q = {q}",
            f"{slow / fast:.1e}",
            f"dblquad {slow:.2f} s; they differ by {gap:.0e}",
        )
    _harness.save(
        "exact", "The exact layer, one core, CPU time", ["what", "figure", "note"], rows, raw
    )


if __name__ == "__main__":
    main()
