"""Lower bounds below exact values, and upper bounds above them, without slack for rounding."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.kernel.energy_quotient import (
    largest_energy,
    least_energy,
)
from mehler.proofs_checks.maxout.growth.remark_1_codes import agree_at_least, agree_at_most
from scipy import stats

from mehler import exact
from mehler.bounds import kernel_error, lower


def quantile(m: int, kappa: float, delta: float) -> Fraction:
    """The largest |k/m - kappa| that is reached with probability at least delta, in fractions."""
    p = Fraction(kappa)
    chances = [comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(m + 1)]
    distances = [abs(Fraction(k, m) - p) for k in range(m + 1)]
    reached = [
        d
        for d in set(distances)
        if sum(c for c, e in zip(chances, distances, strict=True) if e >= d) >= Fraction(delta)
    ]
    return max(reached, default=Fraction(0))


@pytest.mark.parametrize(
    ("m", "kappa", "delta", "value"),
    [(3, 0.5, 0.2, 0.5), (7, 0.5, 0.2, 1.5 / 7), (40, 0.02, 0.05, 0.03)],
)
def test_codes_have_the_atom_itself(m, kappa, delta, value):
    bound = lower.one_pair(m, collision=kappa, delta=delta).value
    assert bound <= value
    assert bound == pytest.approx(value, rel=1e-15)


def test_codes_are_never_above_the_exact_quantile():
    rng = np.random.default_rng(1)
    for _ in range(300):
        m, kappa = int(rng.integers(1, 40)), float(rng.uniform(0.01, 0.99))
        delta = float(np.exp(rng.uniform(np.log(1e-4), np.log(0.9))))
        true = quantile(m, kappa, delta)
        below = lower.one_pair(m, collision=kappa, delta=delta).value
        above = kernel_error.one_pair(m, collision=kappa, delta=delta).value
        assert Fraction(below) <= true
        assert below == pytest.approx(float(true), rel=1e-14, abs=1e-300)
        # Strictly larger errors than the upper bound have probability at most delta.
        assert true <= Fraction(above) * (1 + Fraction(1, 10**12)) or delta > 0.5


def test_collisions_are_between_their_bounds():
    for q, rho in itertools.product([2, 5, 30, 1000, 10**5], np.linspace(-1, 1, 61).tolist()):
        true = exact.collision_probability(rho, q)
        assert agree_at_least(rho, pool_size=q).value <= true + 1e-13
        assert agree_at_most(rho, pool_size=q).value >= true - 1e-13


def test_energies_of_sign_changes_are_between_their_bounds():
    """Two rows of the line: the orbits {x, -x} and {z, -z} have the energy 2 D - |x| - |z|."""
    rng = np.random.default_rng(2)
    for x, z in rng.uniform(0.01, 5.0, size=(300, 2)).tolist():
        distance = abs(x - z)
        energy = abs(x - z) + abs(x + z) - x - z
        below = least_energy(distance, share=0.5).value
        assert below <= energy * (1 + 1e-14)
        middle = (x + z) / 2
        above = largest_energy(distance, moves=[0.0, 2 * middle]).value
        assert above >= energy * (1 - 1e-14)


def test_a_rare_draw_has_the_chance_that_it_is_said_to_have():
    for m, p in itertools.product([1, 3, 50], [1e-6, 0.01, 0.5, 1.0]):
        seen = 1 - (1 - p) ** m
        at = {"ridge": 1.0, "own": 100.0 * m, "mean": 1.0, "chance": p}
        assert lower.gram_error_rare(m, delta=min(seen * (1 - 1e-9), 0.999), **at).value > 0
        if seen * (1 + 1e-9) < 1:
            assert lower.gram_error_rare(m, delta=seen * (1 + 1e-9), **at).value == 0


def test_squared_lengths_of_linear_units_are_between_their_bounds():
    """One unit in a pool, equal rows: m times the mean is chi squared with m degrees of freedom."""
    for m, delta in itertools.product([10, 100, 1000, 10**5], [0.5, 0.1, 1e-2, 1e-4]):
        law = stats.chi2(m)
        below = lower.one_pair(m, pool_size=1, delta=delta).value
        above = kernel_error.one_pair(m, pool_size=1, rho=1.0, delta=delta).value
        chance = lambda t, law=law, m=m: law.sf(m * (1 + t)) + law.cdf(m * (1 - t))  # noqa: E731
        assert chance(below) >= delta
        assert chance(above) <= delta
