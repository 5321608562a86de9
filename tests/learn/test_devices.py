"""Fits on the stand-in: a handful of waits, and a singular Gram is seen."""

import numpy as np
import pytest

import mehler
from mehler import learn, verify
from tests.learn.ridge_audit import factorising
from tests.standin import counted

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3000, 3))
Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1)


def maxout(like=None):
    return mehler.MaxoutFeatures.draw(3, 40, 3, seed=0, like=like)


def ridge(phi, x, y):
    return learn.ridge(phi, x, y, lambdas=[1e-3, 1e-1])


def test_ridge_waits_once_for_the_scores_of_a_block(cupy):
    """And otherwise as often for many rows as for few: sums stay on the device."""
    counts = []
    for n in (100, 3000):
        x, y = cupy.asarray(X[:n]), cupy.asarray(Y[:n])
        with counted() as found:
            ridge(maxout(x), x, y)
        counts.append(found)
    assert counts[1].waits == counts[0].waits + 2 <= 13  # three blocks of 1,024 rows
    assert counts[1].bytes_out < 100
    with counted() as found:
        ridge(maxout(x), x, y).predict(x)
    assert found.waits == counts[1].waits + 1


def test_a_singular_gram_is_refused(cupy):
    """A factorisation that fails raises nothing on a device: its NaN has to be seen."""
    x = cupy.asarray(np.repeat(X[:40, :2], 2, axis=1))
    sums = learn.RidgeSums(lambda rows: rows).add(x, x[:, 0])
    with factorising(), pytest.raises(ValueError, match="singular to within rounding"):
        sums.solve(1e-300)


@pytest.mark.parametrize(("scale", "status"), [(1.0, "holds"), (1.3, "refuted")])
def test_check_kernel_on_rows_of_the_device(cupy, scale, status):
    x = cupy.asarray(X[:4])

    def draw(seed):
        return mehler.FourierFeatures.draw(3, 2000, gamma=0.3 * scale, seed=seed, like=x)

    claim = mehler.FourierFeatures.draw(3, 2, gamma=0.3, seed=0).kernel
    assert verify.check_kernel(draw, claim, x, resolution=0.1).status == status
