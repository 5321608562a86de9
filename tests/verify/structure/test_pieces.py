"""The parts of the rules: what they compute, and the error rates that they promise."""

import numpy as np

from mehler.verify.checks.structure._candidate import sign_test
from mehler.verify.checks.structure._draws import _agree, _apart, _columns, _nearest
from tests.verify.toys import most_misses


def test_a_test_wants_as_many_as_the_rate_says():
    assert not sign_test([1] * 9, 2.0**-10)
    assert sign_test([1] * 10, 2.0**-10)
    assert sign_test([1] * 5 + [0] * 4 + [1] * 5, 2.0**-10)
    assert not sign_test([1] * 5 + [0] * 5 + [1] * 5, 2.0**-10)
    assert not sign_test([1] * 9 + [-1] + [1] * 20, 2.0**-10)


def test_fair_comparisons_are_rarely_won_throughout():
    rng = np.random.default_rng(0)
    alarms = sum(sign_test(rng.choice([-1, 1], size=40), 2.0**-4) for _ in range(4000))
    assert alarms <= most_misses(4000, 2.0**-4)


def test_columns_are_alike_up_to_sign_and_factor():
    rng = np.random.default_rng(5)
    z = rng.standard_normal((12, 6))
    z[:, 3], z[:, 4] = z[:, 0], -2.0 * z[:, 1]
    units = z / np.linalg.norm(z, axis=0)
    partner = _nearest(units)
    distance = _apart(units, units[:, partner])
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
