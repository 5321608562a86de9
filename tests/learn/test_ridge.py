"""Ridge regression against a direct solution and rows that are really left out."""

import tracemalloc

import numpy as np
import pytest

import mehler
from mehler import _arrays, learn
from tests.learn.ridge_audit import (
    LAMBDAS,
    Table,
    audit,
    by_least_squares,
    factorising,
    left_out,
    problem,
)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "m"), [(60, 7), (25, 24)])
def test_path_and_errors_by_other_routes(n, m, intercept):
    z, y = problem(1, n, m)
    audit(z, y, intercept=intercept)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("repeated", [False, True])
def test_fewer_rows_than_features(intercept, repeated):
    z, y = problem(2, 12, 30, t=1)
    if repeated:
        z[6:] = z[:6]  # inner products of rank 6
    lambdas = (1e-3, 1e-1)
    fit = learn.ridge(Table(), z, y[:, 0], lambdas=lambdas, intercept=intercept)
    expected = [np.mean(left_out(z, y, 12 * lam, intercept) ** 2) for lam in lambdas]
    np.testing.assert_allclose(fit.errors, expected, rtol=1e-8)
    w, b = by_least_squares(z, y, 12 * fit.lam, intercept)
    np.testing.assert_allclose(fit.weights, w, atol=1e-8)
    np.testing.assert_allclose(fit.predict(z), (z @ w + b)[:, 0], atol=1e-9)
    (same,) = learn.RidgeSums(Table()).add(z, y[:, 0]).solve(fit.lam, intercept=intercept)
    np.testing.assert_allclose(fit.weights, same.weights, atol=1e-8)


def test_mistakes_of_rows_left_out():
    z, y = problem(6, 40, 5)
    for codes in (np.where(y > 0, 1.0, -1.0), np.where(y[:, :1] > 0, 1.0, -1.0)):
        fit = learn.ridge(Table(), z, codes, lambdas=LAMBDAS, scoring="error_rate")
        for lam, error in zip(LAMBDAS, fit.errors, strict=True):
            values = codes - left_out(z, codes, 40 * lam)
            if codes.shape[1] == 1:
                wrong = (values >= 0) != (codes >= 0)
            else:
                wrong = values.argmax(axis=1) != codes.argmax(axis=1)
            assert error == wrong.mean()


def test_parts_add_up_to_the_whole():
    z, y = problem(7, 900, 8, offset=100.0)
    z[:300] += 40.0  # parts with different means
    whole = learn.RidgeSums(Table()).add(z, y)
    parts = [learn.RidgeSums(Table()).add(z[i::3], y[i::3]) for i in range(3)]
    for sums in (parts[0] + parts[1] + parts[2], parts[2] + (parts[1] + parts[0])):
        assert sums.n_rows == 900
        np.testing.assert_allclose(sums.gram, whole.gram, rtol=1e-12, atol=1e-9)
        (of_sums,), (of_whole,) = sums.solve(1e-3), whole.solve(1e-3)
        np.testing.assert_allclose(of_sums.predict(z), of_whole.predict(z), atol=1e-9)
    assert parts[0].n_rows == 300  # what is added is not changed
    centred = z - z.mean(axis=0)
    np.testing.assert_allclose(whole.gram, centred.T @ centred, rtol=1e-12, atol=1e-9)
    nothing = learn.RidgeSums(Table())
    np.testing.assert_array_equal((nothing + whole).gram, whole.gram)
    np.testing.assert_array_equal((whole + nothing).gram, whole.gram)


def test_solving_leaves_the_sums_as_they_were():
    z, y = problem(8, 50, 6)
    sums = learn.RidgeSums(Table()).add(z[:30], y[:30])
    for lambdas in (LAMBDAS, 0.1):
        for intercept in (True, False):
            sums.solve(lambdas, intercept=intercept)
    (last,) = sums.add(z[30:], y[30:]).solve(0.1)
    w, _ = by_least_squares(z, y, 50 * 0.1)
    np.testing.assert_allclose(last.weights, w, atol=1e-10)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_one_lambda_is_one_factorisation_unless_that_fails(offset):
    z, y = problem(8, 50, 6, offset=offset)
    sums = learn.RidgeSums(Table()).add(z, y)

    def weights(lambdas):
        return sums.solve(lambdas)[0].weights

    with factorising():
        alone = weights(1e-3)
    np.testing.assert_array_equal(weights(1e-3), alone)
    assert (weights((1e-3, 1e-2)) != alone).any()  # which can be told apart
    flat = learn.RidgeSums(Table()).add(flat_rows(z), y)  # of rank 1
    with factorising(), pytest.raises(ValueError, match="singular"):
        flat.solve(1e-30)
    (fit,) = flat.solve(1e-30)
    w, b = by_least_squares(z[:, :1], y, 0.0)
    np.testing.assert_allclose(fit.predict(flat_rows(z)), z[:, :1] @ w + b, rtol=1e-6)


def test_one_lambda_below_the_rounding_of_float32_is_decomposed():
    # Columns of rank 5 in 60: products of float32 blocks leave eigenvalues of about -1e-3.
    rng = np.random.default_rng(3)
    low = rng.standard_normal((3000, 5)) @ rng.standard_normal((5, 60))
    y = low[:, :1] + 0.1 * rng.standard_normal((3000, 1))
    narrow = low.astype(np.float32)
    sums = learn.RidgeSums(Table()).add(narrow, y.astype(np.float32))
    assert np.linalg.eigvalsh(sums.gram)[0] < -3000e-9
    with factorising(), pytest.raises(ValueError, match="singular"):
        sums.solve(1e-9)
    (fit,) = sums.solve(1e-9)
    w, b = by_least_squares(low, y, 0.0)
    residual = np.std(low @ w + b - y)
    np.testing.assert_allclose(np.std(fit.predict(narrow) - y), residual, rtol=1e-2)


def flat_rows(z):
    return np.repeat(z[:, :1], 3, axis=1)


def test_a_large_common_mean_costs_no_digits():
    z, y = problem(9, 3000, 5, offset=1e6)
    (fit,) = learn.RidgeSums(Table()).add(z, y).solve(1e-4)
    w, _ = by_least_squares(z - z.mean(axis=0), y - y.mean(axis=0), 0.3, intercept=False)
    np.testing.assert_allclose(fit.weights, w, rtol=1e-7)


def test_float32_keeps_its_stated_error():
    """Entries of the Gram within (b + 8) 2^-24 of their size, b the rows of a block."""
    z, y = problem(10, 20_000, 20)
    narrow = z.astype(np.float32)
    sums = learn.RidgeSums(Table()).add(narrow, y.astype(np.float32))
    wide = narrow.astype(np.float64)
    centred = wide - wide.mean(axis=0)
    exact = centred.T @ centred
    size = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    relative = np.abs(sums.gram - exact) / size
    assert relative.max() <= (1024 + 8) * 2.0**-24
    assert relative.max() <= (1024 + 8) * 2.0**-24 / 100  # what was seen, as the notes say
    (fit,) = sums.solve(1e-4)
    assert fit.weights.dtype == np.float32
    w, b = by_least_squares(wide, y, 2.0)
    assert np.abs(fit.predict(narrow) - wide @ w - b).max() <= 1e-4 * np.std(wide @ w)


def test_extra_memory_does_not_grow_with_the_rows():
    phi = mehler.FourierFeatures.draw(8, 80, seed=0)

    def peak(n):
        x = np.random.default_rng(0).standard_normal((n, 8))
        y = x[:, 0]
        learn.ridge(phi, x[:50], y[:50], lambdas=[1e-3])  # imports, weights
        tracemalloc.start()
        learn.ridge(phi, x, y, lambdas=[1e-3, 1e-2])
        error = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return error

    small, large = peak(3000), peak(12_000)
    assert large <= 1.02 * small
    assert large < 12_000 * 80 * 8  # less than the features


def test_one_vs_all():
    labels = np.array(["b", "a", "c", "a"])
    codes, classes = learn.one_vs_all(labels)
    assert classes.tolist() == ["a", "b", "c"]
    assert codes.sum(axis=1).tolist() == [-1.0] * 4
    assert (classes[codes.argmax(axis=1)] == labels).all()
    ordered, order = learn.one_vs_all(labels, classes=["c", "b", "a", "d"])
    assert ordered.shape == (4, 4)
    assert (order[ordered.argmax(axis=1)] == labels).all()


@pytest.mark.parametrize("itemsize", [4, 8])
def test_blocks_of_rows_fit(itemsize):
    assert _arrays.block_rows_for_gram(10, itemsize) == 1024
    for m in (1, 1024, 1025, 5000, 30_000, 10**6):
        rows = _arrays.block_rows_for_gram(m, itemsize)
        assert rows * m * itemsize <= 32 << 20 or rows == 64
        assert rows <= 2048
