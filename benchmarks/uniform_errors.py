"""Uniform errors of cosines over two sets, by several spectra: our bound, known ones, draws, below.

    python benchmarks/uniform_errors.py

A circle of radius 1 in the plane (doubling dimension 3) and a segment of length 3 in ten dimensions
(1), pairs of cosine and sine, confidence 99 %: the bound of
`mehler.bounds.kernel_error.uniform_by_slope`; Claim 1 of Rahimi and Recht with the constant 66 of
Sutherland and Schneider; Theorem 1 of Sriperumbudur and Szabo, as recalled; the quantile of 2000
draws over a grid of the set, which has at most the set's error; and what no bound can be under, by
one pair of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from mehler.proofs_checks.features.uniform import known_before

import mehler
from mehler.bounds import kernel_error, lower

DELTA, DRAWS, AT_ONCE = 0.01, 2000, 50
SPECTRA: dict[str, dict[str, Any]] = {
    "Gaussian, 1/2": {"gamma": 0.5},
    "Gaussian, 8": {"gamma": 8.0},
    "Matern, 3/2": {"nu": 1.5},
}


def sets() -> Iterator[tuple[str, Any, dict[str, float]]]:
    """Yield a name, a grid of the set, and what is known of it."""
    angles = np.arange(48) * (math.pi / 24)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    yield "circle", circle, {"dimension": 3, "diameter": 2.0}
    segment = np.linspace(0, 3, 49)[:, None] * np.full((1, 10), 10**-0.5)
    yield "segment", segment, {"dimension": 1, "diameter": 3.0}


def sriperumbudur_szabo(m: int, d: int, diameter: float, second: float) -> float:
    """Return their bound; `second` is E |w|^2."""
    h = 32 * math.sqrt(2 * d * math.log(diameter + 1))
    h += 32 * math.sqrt(2 * d * math.log(math.sqrt(second) + 1))
    h += 16 * math.sqrt(2 * d / math.log(diameter + 1))
    return (h + math.sqrt(2 * math.log(1 / DELTA))) / math.sqrt(m)


def drawn(rows: Any, m: int, spectrum: dict[str, Any]) -> float:
    """Return the quantile of the largest error over the grid."""
    named = {"kernel": "matern"} if "nu" in spectrum else {}
    n, found = len(rows), []
    for seed in range(DRAWS // AT_ONCE):
        count = 2 * m * AT_ONCE
        phi = mehler.FourierFeatures.draw(rows.shape[1], count, seed=seed, **named, **spectrum)
        # Cosines and sines lie apart by half.
        parts = phi(rows).reshape(n, 2, AT_ONCE, m).transpose(2, 0, 1, 3).reshape(AT_ONCE, n, -1)
        errors = AT_ONCE * parts @ parts.transpose(0, 2, 1) - phi.kernel(rows)
        found.append(np.abs(errors).max(axis=(1, 2)))
    return float(np.quantile(np.concatenate(found), 1 - DELTA))


def below(rows: Any, m: int, spectrum: dict[str, Any]) -> float:
    """Return the best lower bound by a pair of the grid with the first row."""
    named = {"kernel": "matern"} if "nu" in spectrum else {}
    phi = mehler.FourierFeatures.draw(rows.shape[1], 2, seed=0, **named, **spectrum)
    # A cosine is within 2 of its mean.
    spreads = np.asarray(phi.variance(rows[:1], rows)).ravel() / 2
    known = [(float(one), 2 / math.sqrt(one)) for one in spreads if one > 0.01]
    return max(
        float(lower.one_pair(m, delta=DELTA, variance=variance, third=third).value)
        for variance, third in known
    )


def main() -> None:
    """Print the table."""
    print("| set | spectrum | m | ours | Claim 1 | Theorem 1 | drawn, 99 % | at least |")
    print("|---|---|---|---|---|---|---|---|")
    for name, rows, known in sets():
        d = rows.shape[1]
        for spectrum, law in SPECTRA.items():
            told = kernel_error.slope_fourier(d, **law)
            for m in (1000, 10**5, 10**7):
                ours = kernel_error.uniform_by_slope(m, delta=DELTA, **known, **told).value
                second = told["slope"][1]
                claim = known_before(
                    m, delta=DELTA, n_inputs=d, diameter=known["diameter"], second=second
                ).value
                theirs = sriperumbudur_szabo(m, d, known["diameter"], second)
                seen = f"{drawn(rows, m, law):.4f}" if m == 1000 else ""
                print(
                    f"| {name} | {spectrum} | $10^{{{round(math.log10(m))}}}$ | {ours:.4f} | "
                    f"{claim:.4f} | {theirs:.4f} | {seen} | {below(rows, m, law):.4f} |"
                )


if __name__ == "__main__":
    main()
