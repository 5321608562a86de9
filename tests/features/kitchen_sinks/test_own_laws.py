"""Any phi and any pi: stumps with exact moments, and functions with a law of their own."""

import itertools

import numpy as np
import pytest

import mehler
from mehler import exact, verify
from mehler.features import RandomFunctions

RNG = np.random.default_rng(0)
X = RNG.standard_normal((5, 3))
SIGN = exact.Activation("sign", lambda xp, t: xp.sign(t), degree=0)


def stumps(seed=0, m=200, activation=SIGN, bias=2.0, **options):
    return mehler.KitchenSinks.draw(
        3, m, activation=activation, law="stumps", bias=bias, seed=seed, **options
    )


# -- stumps -------------------------------------------------------------------------------------


def by_grid(value, x, z, a=2.0, n=200_000):
    """Mean and variance of a product over coordinates and a fine grid of thresholds."""
    t = a * (2 * (np.arange(n) + 0.5) / n - 1)
    products = np.concatenate([value(x[j] - t) * value(z[j] - t) for j in range(len(x))])
    return products.mean(), products.var()


@pytest.mark.parametrize("activation", ["step", SIGN], ids=["step", "sign"])
def test_moments_of_stumps_are_integrals(activation):
    value = np.sign if activation is SIGN else (lambda t: (t > 0).astype(float))
    phi = stumps(activation=activation)
    for i, j in itertools.product(range(3), range(3)):
        mean, variance = by_grid(value, X[i], X[j])
        assert phi.kernel(X)[i, j] == pytest.approx(mean, abs=2e-5)  # a cell of the grid
        assert phi.variance(X)[i, j] == pytest.approx(variance, abs=4e-5)
    assert phi.kernel_source == "closed form"
    assert np.all(phi.kernel_error(X) < 1e-13)


def test_the_kernel_of_signs_is_the_sum_norm_within_the_thresholds():
    near = X / 2
    expected = 1 - np.abs(near[:, None] - near[None]).sum(axis=2) / (3 * 2.0)
    np.testing.assert_allclose(stumps().kernel(near), expected, atol=1e-14)


def test_stumps_hold():
    phi = stumps()
    options = {"variance": phi.variance, "resolution": 0.1}
    assert verify.check_kernel(stumps, phi.kernel, X[:3], **options).status == "holds"


# -- any function ------------------------------------------------------------------------------


def bump(rows, centres):
    return np.exp(-((rows[:, :, None] - centres) ** 2).sum(axis=1))


def tree(rows, column, threshold):
    """A stump whose parameters are an integer and a number."""
    return np.where(rows[:, column] > threshold, 1.0, -1.0)


def splits(rng, d, m):
    return rng.integers(d, size=m), rng.uniform(-2, 2, m)


def functions(m=70, seed=0, function=bump, law=lambda rng, d, m: rng.uniform(-1, 1, (d, m)), **k):
    return RandomFunctions.draw(3, m, function=function, law=law, seed=seed, **k)


def test_any_function_of_any_parameters():
    phi = functions()
    (centres,) = phi._weights("float64")
    np.testing.assert_allclose(phi(X), bump(X, centres) / np.sqrt(70))
    np.testing.assert_allclose(functions(m=200)(X)[:, :70] * (200 / 70) ** 0.5, phi(X))
    np.testing.assert_array_equal(functions(stored=False)(X), phi(X))
    assert phi(X.astype("float32")).dtype == np.float32


def test_two_ways_to_write_stumps_have_one_kernel():
    phi = functions(function=tree, law=splits, kernel=stumps().kernel, variance=stumps().variance)
    np.testing.assert_array_equal(phi.kernel(X), stumps().kernel(X))

    def draw(seed):
        return functions(m=200, seed=seed, function=tree, law=splits)

    verdict = verify.check_kernel(
        draw, phi.kernel, X[:3], variance=stumps().variance, resolution=0.1
    )
    assert verdict.status == "holds"
