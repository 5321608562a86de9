"""Inequalities for means of r of n numbers, against all hypergeometric tails in fractions.

The page on sampled elements compares ours with recalled ones and with one that forgets a factor;
here no population of zeros and ones of up to `MOST` numbers contradicts ours.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from mehler.bounds import group_invariant as bounds
from mehler.bounds.group_invariant import distinct_factors
from mehler.exact.orbits import TemplateLaw

MOST = 20


def bardenet(r, n):
    return 1 - Fraction(r - 1, n) if 2 * r <= n else (1 - Fraction(r, n)) * (1 + Fraction(1, r))


def samples():
    """Yield n, r, the number of ones and the law of those drawn, as numbers of subsets."""
    for n in range(2, MOST + 1):
        for r in range(1, n):
            for ones in range(1, n):
                numbers = range(max(0, r - n + ones), min(r, ones) + 1)
                law = {k: math.comb(ones, k) * math.comb(n - ones, r - k) for k in numbers}
                yield n, r, ones, law


def test_no_tail_is_above_what_is_promised():
    """The exponent promised over that of the tail is about 0.81: digits do not decide."""
    for n, r, ones, law in samples():
        factor, tail = distinct_factors(r, n)[1], 0
        for k in range(max(law), r * ones // n, -1):
            tail += law[k]
            promised = 2 * r * (k / r - ones / n) ** 2 / factor
            assert promised < math.log(Fraction(math.comb(n, r), tail))


def kappa(r, n):
    if 2 * r <= n:
        return 4 / 3 + (math.sqrt(r / n / (n / (r - 1) - 1)) if r > 1 else 0.0)
    return 4 / 3 + math.sqrt((n / (r + 1) - 1) * (1 - r / n))


def claimed_bound(deviation, factor, r, n, delta):
    rare = math.log(1 / delta) / r
    return deviation * math.sqrt(2 * bardenet(r, n) * rare) + factor * rare


@pytest.mark.parametrize("delta", [0.3, 0.1, 1e-2, 1e-6])
def test_the_recalled_bernstein_forms_are_not_contradicted(delta):
    for n, r, ones, law in samples():
        size = math.sqrt(ones * (n - ones)) / n
        setting = empirical = 0
        for k, ways in law.items():
            off, sample = k / r - ones / n, math.sqrt(k * (r - k)) / r
            setting += ways * (off > claimed_bound(size, kappa(r, n), r, n, delta))
            empirical += ways * (off > claimed_bound(sample, 7 / 3 + 3 / math.sqrt(2), r, n, delta))
        # Both are loose here: the page says that at most 0.4 % of the mass allowed is seen.
        assert setting <= 0.004 * 2 * delta * math.comb(n, r)
        assert empirical <= 0.004 * 5 * delta * math.comb(n, r)


def products(order: int) -> list[np.ndarray]:
    """Maxima over pairs of turns of the plane, at given templates, for equal and other rows."""
    turns = np.exp(2j * np.pi * np.arange(order) / order)
    angles = np.random.default_rng(order).uniform(0, 2 * np.pi, size=7)
    result = []
    for templates in ([1.0], np.exp(1j * angles[:1]), np.exp(1j * angles)):
        images = np.multiply.outer(turns, np.asarray(templates))
        for x, z in ((1.0, 1.0), (1.0, -1.0), (1.0, 0.6 + 0.8j)):
            a, right = ((images * np.conj(row)).real for row in (x, z))
            result.append(np.maximum(a[:, None], right[None]).mean(axis=2))
    return result


def largest_share(order: int, term) -> float:
    """Compare each subset's error with the term at the probability of errors so large."""
    worst = 0.0
    for maxima in products(order):
        for r in range(1, order):
            subsets = [list(entry) for entry in itertools.combinations(range(order), r)]
            errors = (
                np.array([maxima[np.ix_(entry, entry)].mean() for entry in subsets]) - maxima.mean()
            )
            errors = np.sort(np.abs(errors))[::-1]
            for place, error in enumerate(errors):
                failure = (place + 1) / len(errors)
                # One pair: half of delta is for the elements.
                if failure < 0.5 and error > 1e-12:
                    worst = max(worst, error / term(r, order, 2 * failure))
    return worst


def proved(r, order, delta):
    setting = {"n_bins": 1, "n_rows": 1, "window": 1.0}
    return bounds.kernel_error(1, n_elements=r, group_order=order, delta=delta, **setting)[
        "elements"
    ]


@pytest.mark.parametrize("order", [2, 3, 4, 6, 8])
def test_no_subset_errs_more_than_promised(order):
    assert largest_share(order, proved) < 1


ORDERS = (2, 3, 5, 8, 10)


def orbits(order: int):
    """Yield orbits of mean 0 under turns by a cyclic group, as complex rows, and their length."""
    rng = np.random.default_rng(order)
    turns = np.arange(order)[:, None]
    for _ in range(6):
        kinds = rng.integers(1, order, size=rng.integers(1, 4))
        weights = rng.random(len(kinds)) + 1e-3
        yield np.exp(2j * np.pi * turns * kinds / order) * weights, np.linalg.norm(weights)


def tails(values):
    """Each value, and the probability of one so large."""
    falling = np.sort(values)[::-1]
    return zip(falling, np.arange(1, len(falling) + 1) / len(falling), strict=True)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_every_subset_of_long_rows_keeps_the_bound(order):
    """Rows of which the most part stays: the range is of no use, the spread is."""
    slope = TemplateLaw("sphere", 4).slope
    for vectors, _ in orbits(order):
        gaps = np.linalg.norm(vectors[:, None] - vectors[None], axis=2)
        setting = {"n_inputs": 4, "radius": 100.0, "spread": float(gaps.mean())}
        for r in range(1, order):
            subsets = [list(entry) for entry in itertools.combinations(range(order), r)]
            errors = [abs(slope * (gaps[np.ix_(a, a)].mean() - gaps.mean())) for a in subsets]
            for error, chance in tails(errors):
                if chance < 1:
                    arguments = bounds.kernel_change_elements(
                        r, delta=float(chance), group_order=order, **setting
                    )
                    assert error <= arguments.value * (1 + 1e-12)
