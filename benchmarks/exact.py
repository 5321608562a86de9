"""The exact layer against other routes to the same number, and the cost of its tables.

scipy.integrate.dblquad at equal accuracy; mpmath at 20 digits, by this library's own route; and
Monte Carlo, whose draws are timed and counted: an error of eps takes kappa (1 - kappa) / eps^2 of
them, which nobody waits for at the accuracy of the table.

    python benchmarks/exact.py
"""

from __future__ import annotations

import time

import _harness
import numpy as np
from scipy import integrate, special

from mehler import exact
from mehler.exact import pool_table, wedge_grid

POOLS = (4, 64, 1024)
RHO = 0.3
ACCURACY = 1e-12
DIGITS = 20
# Of one standard deviation: the table's 1e-13 would take 1e18 times as many draws.
MONTE_CARLO_ERROR = 1e-4
DRAWN_NUMBERS = 1 << 20


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


def monte_carlo(rho: float, q: int, draws: int) -> tuple[float, float]:
    """Seconds of one draw of two pools, and the share of equal winners."""
    rng = np.random.default_rng(0)
    start = time.process_time()
    g, h = rng.standard_normal((2, draws, q))
    other = rho * g + np.sqrt(1 - rho * rho) * h
    equal = float(np.mean(g.argmax(axis=1) == other.argmax(axis=1)))
    return (time.process_time() - start) / draws, equal


def main():
    rows, raw = [], []

    def row(what, value, note):
        rows.append([what, value, note])
        raw.append({"what": what, "value": value, "note": note})

    start = time.process_time()
    wedge_grid()
    pool_table(3)
    row("first table of a pool size", f"{time.process_time() - start:.2f} s", "grid included")
    for q in (*POOLS, 10**6):
        start = time.process_time()
        pool_table(q)
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
        start = time.process_time()
        value = exact.collision_probability(RHO, q, dps=DIGITS)
        slow = time.process_time() - start
        gap = abs(float(value) - exact.collision_probability(RHO, q))
        row(
            f"mpmath over ours, a value, q = {q}",
            f"{slow / fast:.1e}",
            f"{DIGITS} digits in {slow:.2f} s; they differ by {gap:.0e}",
        )
        kappa = float(value)
        each, share = monte_carlo(RHO, q, max(1000, DRAWN_NUMBERS // q))
        draws = kappa * (1 - kappa) / MONTE_CARLO_ERROR**2
        row(
            f"Monte Carlo to {MONTE_CARLO_ERROR:.0e} over ours, a value, q = {q}",
            f"{each * draws / fast:.1e}",
            f"{draws:.1e} draws of {1e6 * each:.2f} us for an error of {MONTE_CARLO_ERROR:.0e}",
        )
        assert abs(share - kappa) < 6 * np.sqrt(kappa / max(1000, DRAWN_NUMBERS // q))
    _harness.save(
        "exact", "The exact layer, one core, CPU time", ["what", "figure", "note"], rows, raw
    )


if __name__ == "__main__":
    main()
