"""Bad input is refused before any work, by a message that names argument, value and remedy."""

from __future__ import annotations

import array_api_strict
import dask.array
import numpy as np
import pytest

import mehler
from mehler import learn
from tests.learn.ridge_audit import Table, factorising

X = np.asarray([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]])
Y = np.asarray([1.0, -1.0, 1.0])


def with_entry(values, bad):
    values = values.copy()
    values.flat[1] = bad
    return values


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"phi": X}, TypeError, "phi is ndarray, which cannot be called"),
        ({"X": with_entry(X, np.nan)}, ValueError, "X holds NaN or infinity, first in row 0"),
        ({"X": np.ones((0, 2)), "Y": np.ones(0)}, ValueError, "X is empty"),
        ({"X": np.ones(3)}, ValueError, r"reshape\(1, -1\)"),
        ({"X": X.tolist()}, TypeError, r"numpy.asarray\(X\)"),
        ({"X": np.ma.masked_greater(X, 2.5)}, TypeError, "X is a masked array"),
        ({"X": X * 1j}, TypeError, "complex"),
        ({"Y": with_entry(Y, np.inf)}, ValueError, "Y holds NaN or infinity"),
        ({"Y": Y[:2]}, ValueError, "Y has 2 rows but X has 3"),
        ({"Y": np.ones((3, 0))}, ValueError, "Y is empty"),
        ({"Y": np.ones((3, 1, 1))}, ValueError, "Y must have shape"),
        ({"Y": Y > 0}, TypeError, "Y has dtype bool; .*one_vs_all"),
        ({"Y": np.asarray(["a", "b", "a"])}, TypeError, "one_vs_all"),
        ({"Y": array_api_strict.asarray(Y)}, TypeError, "but Y of array_api_strict"),
        ({"Y": dask.array.from_array(Y)}, TypeError, "but Y of dask"),
        ({"lambdas": []}, ValueError, "lambdas is empty"),
        ({"lambdas": 0.0}, ValueError, "lambdas=0.0 must be positive and finite"),
        ({"lambdas": [1.0, -1.0]}, ValueError, r"lambdas\[1\]=-1.0 must be positive"),
        ({"lambdas": [np.nan]}, ValueError, r"lambdas\[0\]=nan must be"),
        ({"lambdas": "1"}, TypeError, "lambdas='1' must be several"),
        ({"lambdas": [True]}, TypeError, r"lambdas\[0\]=True must be a real"),
        ({"scoring": "loss"}, ValueError, "scoring='loss'"),
        (
            {"X": X[:1], "Y": Y[:1], "lambdas": [0.1, 1.0]},
            ValueError,
            "1 row, which cannot be left out",
        ),
        ({"phi": lambda x: x[:2]}, ValueError, r"phi\(X\) has shape"),
        ({"phi": lambda x: x.astype(int)}, TypeError, "codes, it seems"),
        ({"phi": lambda x: x * np.nan}, ValueError, r"phi\(X\) holds NaN"),
        ({"phi": lambda x: x.tolist()}, TypeError, r"phi\(X\) must be an array"),
    ],
)
def test_arguments(change, error, words):
    arguments = {"phi": Table(), "X": X, "Y": Y, "lambdas": [0.1]} | change
    with pytest.raises(error, match=words):
        learn.ridge(arguments.pop("phi"), arguments.pop("X"), arguments.pop("Y"), **arguments)


def test_two_devices():
    here, there = (array_api_strict.Device(name) for name in ("CPU_DEVICE", "device1"))
    with pytest.raises(ValueError, match=r"X lives on .*CPU.* but Y on .*device1"):
        learn.RidgeSums(Table()).add(
            array_api_strict.asarray(X, device=here), array_api_strict.asarray(Y, device=there)
        )


def test_sums_that_do_not_fit():
    sums = learn.RidgeSums(Table())
    with pytest.raises(ValueError, match="no rows yet"):
        sums.solve(0.1)
    with pytest.raises(ValueError, match="no rows yet"):
        _ = sums.gram
    sums.add(X, Y)
    with pytest.raises(ValueError, match=r"Y must have shape \(rows,\)"):
        sums.add(X, np.ones((3, 2)))
    with pytest.raises(TypeError, match="one library and device"):
        sums.add(array_api_strict.asarray(X), array_api_strict.asarray(Y))
    with pytest.raises(ValueError, match="2 and 3 features"):
        _ = sums + learn.RidgeSums(Table()).add(np.ones((2, 3)), Y[:2])
    with pytest.raises(ValueError, match="columns but had 2 before"):
        sums.add(np.ones((2, 3)), Y[:2])
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = sums + 1
    one, other = (mehler.MaxoutFeatures.draw(2, 4, 3, seed=seed) for seed in (0, 1))
    with pytest.raises(ValueError, match="different recipes"):
        _ = learn.RidgeSums(one).add(X, Y) + learn.RidgeSums(other).add(X, Y)


def test_a_gram_that_is_singular_says_so():
    z = np.repeat(X[:, :1], 3, axis=1)
    sums = learn.RidgeSums(Table()).add(z, Y)
    with factorising(), pytest.raises(ValueError, match="take larger lambdas"):
        sums.solve(1e-30)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")
@pytest.mark.parametrize(
    ("m", "dtype", "rows", "targets"),
    [
        (12, "float64", 1e200, 1.0),
        (12, "float64", 1.0, 1e200),
        (12, "float32", 1e25, 1.0),
        (200, "float64", 1e200, 1.0),  # rows are fewer
        (200, "float64", 1.0, 1e200),
    ],
)
def test_squares_that_overflow(m, dtype, rows, targets):
    """They would make every weight 0, which no one asked for."""
    x = np.random.default_rng(0).standard_normal((50, 3))
    y = targets * x[:, 0]
    x = (rows * x).astype(dtype)
    phi = mehler.MaxoutFeatures.draw(3, m, 3, seed=0, like=x)
    with pytest.raises(ValueError, match="overflow; scale the rows, or the targets, down"):
        learn.ridge(phi, x, y, lambdas=[1e-2, 1.0])
    for lambdas in (1.0, [1e-2, 1.0]):
        with pytest.raises(ValueError, match="overflow"):
            learn.RidgeSums(phi).add(x, y).solve(lambdas)


@pytest.mark.parametrize(
    ("labels", "options", "error", "words"),
    [
        (np.ones((2, 1)), {}, ValueError, r"shape \(rows,\)"),
        (np.ones(0), {}, ValueError, "labels are empty"),
        (np.array([1.0, np.nan]), {}, ValueError, "NaN"),
        ([1, 2], {}, TypeError, r"numpy.asarray\(labels\)"),
        (np.array([1, 2]), {"classes": [1]}, ValueError, "labels hold 2, which is not among"),
        (np.array([1, 2]), {"classes": [1, 2, 2]}, ValueError, "without repeats"),
    ],
)
def test_labels(labels, options, error, words):
    with pytest.raises(error, match=words):
        learn.one_vs_all(labels, **options)


def test_predicting_elsewhere():
    fit = learn.ridge(Table(), X, Y, lambdas=0.1)
    with pytest.raises(ValueError, match="3 columns but the weights are 2"):
        fit.predict(np.ones((1, 3)))
    with pytest.raises(ValueError, match="NaN"):
        fit.predict(with_entry(X, np.nan))
