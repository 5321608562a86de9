"""Principal components of features, against scikit-learn's PCA and NumPy's SVD."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

import mehler
from mehler import _arrays, learn
from mehler._arrays import to_host
from tests.places import CPU


def rows(n=40, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def phi(m=12, d=3, **options):
    given = {"dtype": "float64", **options} if "like" not in options else options
    return mehler.MaxoutFeatures.draw(d, m, 3, seed=1, **given)


# Both routes: more rows than features, and fewer.
SIZES = [(40, 12), (12, 12), (9, 30)]


@pytest.mark.parametrize(("n", "m"), SIZES)
def test_coordinates_are_those_of_scikit_learn(n, m) -> None:
    X = rows(n)
    ours = learn.principal_components(phi(m), X, 3)
    # Second route: PCA of the whole matrix of features.
    theirs = PCA(3).fit(phi(m)(X))
    coordinates = theirs.transform(phi(m)(X))
    signs = np.sign((theirs.components_ * ours.directions.T).sum(axis=1))
    np.testing.assert_allclose(ours.transform(X), coordinates * signs, atol=1e-10)
    np.testing.assert_allclose(ours.variances, theirs.explained_variance_ * (n - 1) / n, rtol=1e-10)
    share = ours.variances.sum() / ours.total
    assert share == pytest.approx(theirs.explained_variance_ratio_.sum(), rel=1e-10)


@pytest.mark.parametrize(("n", "m"), SIZES)
@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda p: p.name)
def test_every_place_gives_the_same(place, n, m) -> None:
    X = rows(n).astype(np.float32)
    expected = learn.principal_components(phi(m), X.astype(np.float64), 2).transform(X)
    there = place.asarray(X)
    fit = learn.principal_components(phi(m, like=there), there, 2)
    found = fit.transform(there)
    assert _arrays.array_namespace(found) is _arrays.array_namespace(there)
    assert _arrays.dtype_name(found.dtype) == "float32"
    np.testing.assert_allclose(to_host(found), expected, atol=2e-5)


def test_directions_are_orthonormal_and_signed() -> None:
    fit = learn.principal_components(phi(30), rows(9), 4)
    np.testing.assert_allclose(fit.directions.T @ fit.directions, np.eye(4), atol=1e-12)
    largest = np.abs(fit.directions).argmax(axis=0)
    assert (fit.directions[largest, range(4)] > 0).all()


def test_what_has_no_variance_has_no_direction() -> None:
    X = np.repeat(rows(1), 5, axis=0)
    fit = learn.principal_components(phi(30), X, 2)
    assert not fit.directions.any()
    assert fit.transform(X).tolist() == [[0.0, 0.0]] * 5


def test_with_many_equal_rows_directions_stay_orthonormal() -> None:
    X = np.repeat(rows(1), 40, axis=0)
    fit = learn.principal_components(phi(12), X, 2)
    np.testing.assert_allclose(fit.directions.T @ fit.directions, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(fit.variances, 0, atol=1e-12)
    np.testing.assert_allclose(fit.transform(X), 0, atol=1e-12)


def test_a_common_mean_is_taken_off() -> None:
    # The planted defect: without centring the first direction is that of the mean.
    def lifted(X):
        return 1e3 + phi(12)(X)

    X = rows(40)
    base, moved = (learn.principal_components(f, X, 2) for f in (phi(12), lifted))
    np.testing.assert_allclose(moved.variances, base.variances, rtol=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components=0 must be at least 1"),
        ({"n_components": 2.0}, "n_components=2.0 must be an integer"),
        ({"n_components": 41}, "X has 40 rows, too few for 41 components"),
        ({"n_components": 13}, "phi has 12 features, too few for 13 components"),
    ],
)
def test_impossible_numbers_are_refused(options, message) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        learn.principal_components(phi(12), rows(40), **options)


def test_bad_rows_are_refused() -> None:
    X = rows(40)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        learn.principal_components(phi(12), X)
    with pytest.raises(TypeError, match="phi is NoneType, which cannot be called"):
        learn.principal_components(None, rows())
    with pytest.raises(TypeError, match="dtype int64: codes, it seems"):
        learn.principal_components(lambda rows: rows, rows().astype(np.int64))
    with pytest.raises(ValueError, match=r"phi\(X\) holds NaN"):
        learn.principal_components(lambda rows: rows * np.nan, rows())
