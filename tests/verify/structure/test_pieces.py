"""The parts of the rules: what they compute, and the error rates that they promise."""

from __future__ import annotations

import numpy as np

from mehler.verify.checks.structure._candidate import all_won, differing_rows
from mehler.verify.checks.structure._columns import _nearest, mostly
from mehler.verify.checks.structure._seeds import _agree, _columns
from tests.verify.toys import most_misses


def test_all_won_wants_as_many_as_the_rate_says():
    assert not all_won([1] * 9, 2.0**-10)
    assert all_won([1] * 10, 2.0**-10)
    assert all_won([1] * 5 + [0] * 4 + [1] * 5, 2.0**-10)
    assert not all_won([1] * 5 + [0] * 5 + [1] * 5, 2.0**-10)
    assert not all_won([1] * 9 + [-1] + [1] * 20, 2.0**-10)


def test_fair_comparisons_are_rarely_won_throughout():
    rng = np.random.default_rng(0)
    won = sum(all_won(rng.choice([-1, 1], size=40), 2.0**-4) for _ in range(4000))
    assert won <= most_misses(4000, 2.0**-4)


def test_mostly_keeps_its_rate_and_gives_up_early():
    rng = np.random.default_rng(1)
    repeats, rate = 2000, 0.05
    won = sum(mostly(lambda: rng.random() < 0.5, rate, n=60) for _ in range(repeats))
    assert won <= most_misses(repeats, rate)
    assert mostly(lambda: True, 1e-12, 120)
    asked = []
    assert not mostly(lambda: asked.append(0) or False, 1e-12, 120)
    assert len(asked) < 30


def test_rounding_of_single_precision_is_no_difference():
    rng = np.random.default_rng(2)
    x, w = rng.standard_normal((20, 50)), rng.standard_normal((50, 300))
    single = (x.astype(np.float32) @ w.astype(np.float32)).astype(np.float64)
    assert not differing_rows(x @ w, single, 50).size
    moved = x @ w
    moved[7] *= 1.01
    assert differing_rows(x @ w, moved, 50).tolist() == [7]


def test_a_few_jumps_are_no_difference():
    signs = np.random.default_rng(3).choice([-1.0, 1.0], size=(20, 1000))
    other = signs.copy()
    # Of 20,000 entries 2.2 are expected within rounding of one of 16 jumps.
    other[:8, 0] *= -1.0
    assert not differing_rows(signs, other, 50).size
    other[9, :11] *= -1.0
    assert differing_rows(signs, other, 50).tolist() == [9]
    other[:, 1:3] *= -1.0
    assert differing_rows(signs, other, 50).size == 20


def test_features_that_are_not_finite_differ_from_others():
    z = np.ones((3, 4))
    broken = z.copy()
    broken[1, 2] = np.nan
    assert differing_rows(z, np.full((3, 4), np.nan), 4).size == 3
    assert not differing_rows(broken, broken, 4).size


def test_columns_are_alike_up_to_sign_and_factor():
    rng = np.random.default_rng(5)
    z = rng.standard_normal((12, 6))
    z[:, 3], z[:, 4] = z[:, 0], -2.0 * z[:, 1]
    units = z / np.linalg.norm(z, axis=0)
    distance, partner = _nearest(units, units)
    assert partner[[0, 1, 3, 4]].tolist() == [3, 4, 0, 1]
    assert distance[[0, 1, 3, 4]].max() < 1e-15
    # Twelve coordinates of random directions: far apart.
    assert distance[[2, 5]].min() > 0.1


def test_draws_agree_from_half_of_their_columns_on():
    a, b = np.random.default_rng(6).standard_normal((2, 5, 8))
    assert not _agree(_columns(a), _columns(b))
    b[:, ::2] = -2.0 * a[:, 1::2]
    assert _agree(_columns(a), _columns(b))
    assert not _agree(_columns(a), _columns(b[:, 1:]))
    # One column is compared bit for bit: all of one input are proportional.
    assert not _agree(_columns(a[:, :1]), _columns(2.0 * a[:, :1]))
    assert _agree(_columns(a[:, :1]), _columns(a[:, :1].copy()))
