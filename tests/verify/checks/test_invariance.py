"""check_invariance: group maps that are, and ones that are nearly."""

import numpy as np
import pytest

import mehler
from mehler.verify import check_invariance
from tests.verify.toys import points

X = points(3, 4)


def roll(x):
    return np.roll(x, 1, axis=1)


def averaged(seed, *, orbit=range(4), m=50, dtype=np.float64):
    """Rectified projections averaged over cyclic shifts."""
    w = np.random.default_rng(seed).standard_normal((4, m)).astype(dtype)
    return lambda x: sum(
        np.maximum(np.roll(x.astype(dtype), k, axis=1) @ w, 0) / np.sqrt(m) for k in orbit
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_averages_over_a_group_are_invariant(dtype):
    verdict = check_invariance(
        lambda s: averaged(s, dtype=dtype), [roll, lambda x: roll(roll(x))], X
    )
    assert verdict.holds
    assert verdict.interval[1] <= 0.02


@pytest.mark.slow
def test_columns_of_one_unit_are_one_sample():
    """Cosines under x -> -x: trials are frequencies, not columns, with twice as many draws."""

    def draw(seed):
        return mehler.FourierFeatures.draw(4, 64, gamma=0.05, seed=seed)

    def act(x):
        return -x

    pairs, columns = (
        check_invariance(lambda s, n=n: Cosines(draw(s), n), act, X) for n in (32, 64)
    )
    assert pairs.holds
    assert pairs.n_draws >= 2 * columns.n_draws - 1 > 1


class Cosines:
    """The cosines of a map of pairs, each twice."""

    independent_units = True

    def __init__(self, phi, n_units):
        self.phi, self.n_units = phi, n_units

    def __call__(self, x):
        return np.tile(self.phi(x)[:, :32], 2)


def stepped(seed):
    """Whether w times the sum of a row, in the order of its entries, is above a threshold.

    It is that of the first row, so that the same terms in another order round past it.
    """
    w = np.random.default_rng(seed).standard_normal(60).astype(np.float32)

    def in_order(x):
        total = np.zeros((len(x), w.size), dtype=np.float32)
        for column in x.astype(np.float32).T:
            total += column[:, None] * w
        return total

    return lambda x: (in_order(x) >= in_order(X[:1])).astype(np.float32)


def test_rounding_at_a_jump_refutes_nothing():
    x, phi = X.astype(np.float32), stepped(0)
    assert not np.array_equal(phi(x), phi(roll(x)))
    assert check_invariance(stepped, roll, x).holds


@pytest.mark.parametrize("orbit", [range(3), range(1), [0, 1, 2, 2]])
def test_an_incomplete_orbit_is_refuted(orbit):
    verdict = check_invariance(lambda s: averaged(s, orbit=orbit), roll, X)
    assert verdict.status == "refuted"
    assert "moves by" in verdict.reason


def test_a_defect_in_one_draw_of_a_hundred_is_found():
    def seldom(seed):
        return averaged(seed, orbit=range(4 if seed % 97 else 3))

    assert check_invariance(seldom, roll, X).status == "refuted"
