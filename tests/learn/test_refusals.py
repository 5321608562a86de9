"""Bad input is refused before any work, by a message that names argument, value and remedy."""

from fractions import Fraction

import array_api_strict
import dask.array as da
import numpy as np
import pytest
from scipy import sparse

import mehler
from mehler import learn, planning
from tests.learn.ridge_audit import Table, factorising

X = np.asarray([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]])
Y = np.asarray([1.0, -1.0, 1.0])
K = X @ X.T
PHI = Table()
SUMS = learn.RidgeSums(PHI).add(X, Y)
TWO = [0.1, 1.0]
HUGE = Fraction(10**400)
MAPS = [mehler.MaxoutFeatures.draw(2, 4, 3, seed=seed) for seed in (0, 1)]
HERE, THERE = (array_api_strict.Device(name) for name in ("CPU_DEVICE", "device1"))


def with_entry(values, bad):
    values = values.copy()
    values.flat[1] = bad
    return values


def strict(values, device=HERE):
    return array_api_strict.asarray(values, device=device)


def ridge(phi=PHI, X=X, Y=Y, lambdas=(0.1,), **options):
    return learn.ridge(phi, X, Y, lambdas=lambdas, **options)


def box(Z=X, y=Y, scale=1.0, **options):
    return learn.box_erm(Z, y, scale=scale, **options)


def add(X=X, Y=Y, weights=None):
    return learn.RidgeSums(PHI).add(X, Y, weights)


REFUSALS = [
    # ridge
    (ridge, {"phi": X}, TypeError, "phi is ndarray, which cannot be called"),
    (ridge, {"Y": with_entry(Y, np.inf)}, ValueError, "Y holds NaN or infinity"),
    (ridge, {"Y": Y[:2]}, ValueError, "Y has 2 rows but X has 3"),
    (ridge, {"Y": np.ones((3, 1, 1))}, ValueError, "Y must have shape"),
    (ridge, {"Y": Y > 0}, TypeError, "Y has dtype bool; .*one_vs_all"),
    (ridge, {"Y": strict(Y)}, TypeError, "but Y of array_api_strict"),
    (ridge, {"lambdas": []}, ValueError, "lambdas is empty"),
    (ridge, {"lambdas": 0.0}, ValueError, "lambdas=0.0 must be positive and finite"),
    (ridge, {"lambdas": [1.0, -1.0]}, ValueError, r"lambdas\[1\]=-1.0 must be positive"),
    (ridge, {"lambdas": [True]}, TypeError, r"lambdas\[0\]=True must be a real"),
    (ridge, {"lambdas": HUGE}, ValueError, "lambdas=a .* must be a number that fits into a float"),
    (ridge, {"scoring": "loss"}, ValueError, "scoring='loss'"),
    (ridge, {"X": X[:1], "Y": Y[:1], "lambdas": TWO}, ValueError, "1 row, which cannot be left"),
    (ridge, {"phi": lambda x: x[:2]}, ValueError, r"phi\(X\) has shape"),
    (ridge, {"phi": lambda x: x.astype(int)}, TypeError, "codes, it seems"),
    (ridge, {"phi": lambda x: x * np.nan}, ValueError, r"phi\(X\) holds NaN"),
    (ridge, {"folds": [0, 1]}, ValueError, "folds must be 3 integers"),
    (ridge, {"folds": [0, 1, -2]}, ValueError, "or -1 for rows that are never held out"),
    (ridge, {"folds": [0, 0, 0]}, ValueError, "and leave some to fit"),
    (ridge, {"folds": [-1, -1, -1]}, ValueError, "must hold out some rows"),
    (ridge, {"X": da.from_array(X), "Y": da.from_array(Y), "folds": [0, 1, 1]}, TypeError,
     "RidgeSums of its own"),
    (ridge().predict, {"X": np.ones((1, 3))}, ValueError, "3 columns but the weights are 2"),
    # sums
    (add, {"weights": -Y}, ValueError, "weights must be one number of at least 0"),
    (add, {"weights": Y > 0}, TypeError, "weights has dtype bool"),
    (add, {"X": strict(X), "Y": strict(Y, THERE)}, ValueError, "X lives on .*CPU.* but Y on"),
    (learn.RidgeSums(PHI).solve, {"lambdas": 0.1}, ValueError, "no rows yet"),
    (SUMS.add, {"X": X, "Y": np.ones((3, 2))}, ValueError, r"Y must have shape \(rows,\)"),
    (SUMS.add, {"X": strict(X), "Y": strict(Y)}, TypeError, "one library and device"),
    (SUMS.add, {"X": np.ones((2, 3)), "Y": Y[:2]}, ValueError, "columns but had 2 before"),
    (lambda: SUMS + add(np.ones((2, 3)), Y[:2]), {}, ValueError, "2 and 3 features"),
    (lambda: SUMS + 1, {}, TypeError, "unsupported operand"),
    (lambda: learn.RidgeSums(MAPS[0]).add(X, Y) + learn.RidgeSums(MAPS[1]).add(X, Y), {},
     ValueError, "different recipes"),
    # labels
    (learn.one_vs_all, {"labels": np.ones((2, 1))}, ValueError, "give one per row"),
    (learn.one_vs_all, {"labels": np.ones(0)}, ValueError, "labels are empty"),
    (learn.one_vs_all, {"labels": Y, "classes": [1]}, ValueError, "labels hold -1.0, which is not"),
    (learn.one_vs_all, {"labels": Y, "classes": [1, -1, 1]}, ValueError, "without repeats"),
    # the box
    (box, {"Z": with_entry(X, -np.inf)}, ValueError, "Z holds NaN or infinity, first in row 0"),
    (box, {"Z": da.from_array(X)}, TypeError, r"Z is lazy.*Z.compute\(\)"),
    (box, {"y": da.from_array(Y)}, TypeError, "Z is an array of numpy but y of dask"),
    (box, {"y": Y.tolist()}, TypeError, "y must be an array"),
    (box, {"y": Y[:2]}, ValueError, r"one label per row of Z, shape \(3,\), but has \(2,\)"),
    (box, {"y": (Y + 1) / 2}, ValueError, r"y holds 0, 1; .*use 2 \* y - 1"),
    (box, {"y": np.asarray([1.0, np.nan, -1.0])}, ValueError, "nan"),
    (box, {"y": Y > 0}, TypeError, "dtype bool, which cannot hold the labels -1"),
    (box, {"y": np.ones(3, np.uint8)}, TypeError, "uint8, which cannot hold the labels -1"),
    (box, {"Z": strict(X), "y": strict(Y, THERE)}, ValueError, "Z lives on .*CPU.* but y on"),
    (box, {"scale": 0}, ValueError, "scale=0 must be positive and finite"),
    (box, {"loss": "square"}, ValueError, "'hinge', 'ramp' or an object"),
    (box, {"gap": 1e-18}, ValueError, "within the rounding of a certificate for these rows"),
    (box, {"max_iterations": 0}, ValueError, "max_iterations=0 must be at least 1"),
    (box, {"Z": 1e300 * X, "scale": 1e100}, ValueError, "outputs of size inf on row 0"),
    (box, {"Z": 1e12 * X}, ValueError, r"size 1.5e\+12 on row 0 of Z, too large"),
    (box, {"Z": (1e7 * X).astype(np.float32)}, ValueError, "in float32; make Z or scale smaller"),
    (box().decision, {"Z": np.ones((1, 3))}, ValueError, "Z has 3 columns but the weights are 2"),
    (box(strict(X), strict(Y)).decision, {"Z": strict(X, THERE)}, ValueError, "alpha lives on"),
    (learn.units, {"phi": X, "X": X}, TypeError, "pass a map, or the transform of"),
    (learn.units, {"phi": mehler.MaxoutCodes.draw(2, 5, 3, seed=0), "X": X}, TypeError,
     "uint8: codes, it seems"),
    (learn.units, {"phi": lambda x: x.tolist(), "X": X}, TypeError, r"phi\(X\) must be an array"),
    (learn.losses.Hinge, {"bound": HUGE}, ValueError, "bound=a .* must be a number that fits into"),
    (learn.losses.Hinge, {"bound": 0}, ValueError, r"not a number above 0; use math\.inf"),
    # matrices
    (learn.spectral_error, {"K_hat": K, "K": K, "lam": 0.0}, ValueError, "lam"),
    (learn.spectral_error, {"K_hat": K[:2, :2], "K": K, "lam": 1.0}, ValueError, "make them equal"),
    (learn.spectral_error, {"K_hat": K, "K": -K, "lam": 1.0}, ValueError, "not positive semidef"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "change", "error", "words"), REFUSALS)
def test_arguments(call, change, error, words):
    with pytest.raises(error, match=words):
        call(**change)


# Wherever arrays come in: a good one, and the call that takes it.
ENTRIES = {
    "X": (X, lambda x: ridge(X=x)),
    "Y": (Y, lambda y: ridge(Y=y)),
    "weights": (abs(Y), lambda w: ridge(weights=w)),
    "folds": (np.arange(3.0), lambda f: ridge(lambdas=TWO, folds=f)),
    "X of sums": (X, lambda x: add(x)),
    "X to predict": (X, lambda x: ridge().predict(x)),
    "labels": (Y, learn.one_vs_all),
    "Z": (X, lambda z: box(z)),
    "y": (Y, lambda y: box(y=y)),
    "Z to decide": (X, lambda z: box().decision(z)),
    "K_hat": (K, lambda k: learn.spectral_error(k, K, 1.0)),
    "X of units": (X, lambda x: learn.units(MAPS[0], x)),
    "margins": (Y, learn.losses.Hinge()),
    "data": (X, lambda x: planning.plan(x, measure=False)),
    "data of a map": (X, lambda x: planning.plan(x, map=MAPS[0])),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_masked_and_sparse_arrays_are_refused_by_name(name):
    values, call = ENTRIES[name]
    argument = name.partition(" ")[0]
    for masked in (np.ma.masked_array(values), np.ma.masked_greater(values, 0.5)):
        with pytest.raises(TypeError, match=f"^{argument} is a masked array: drop or impute"):
            call(masked)
    with pytest.raises(TypeError, match=f"^{argument} must (be an array|hold real numbers)"):
        call(sparse.csr_array(np.atleast_2d(values)))


def test_a_gram_that_is_singular_says_so():
    sums = add(np.repeat(X[:, :1], 3, axis=1))
    with factorising(), pytest.raises(ValueError, match="take larger lambdas"):
        sums.solve(1e-30)


@pytest.mark.filterwarnings("ignore:(overflow|invalid value) encountered:RuntimeWarning")
@pytest.mark.parametrize("m", [12, 200])  # rows are more, or fewer
@pytest.mark.parametrize(
    ("dtype", "rows", "targets"),
    [("float64", 1e200, 1.0), ("float64", 1.0, 1e200), ("float32", 1e25, 1.0)],
)
def test_squares_that_overflow(m, dtype, rows, targets):
    """They would silently make every weight 0."""
    x = np.random.default_rng(0).standard_normal((50, 3))
    y = targets * x[:, 0]
    x = (rows * x).astype(dtype)
    phi = mehler.MaxoutFeatures.draw(3, m, 3, seed=0, like=x)
    if (m, dtype) != (200, "float32"):  # few rows have float64 squares
        with pytest.raises(ValueError, match="overflow; scale the rows, the targets, or the wei"):
            learn.ridge(phi, x, y, lambdas=TWO)
    for lambdas in (1.0, TWO):
        with pytest.raises(ValueError, match="overflow"):
            learn.RidgeSums(phi).add(x, y).solve(lambdas)


def test_strides_and_tiny_numbers_are_fine():
    y = Y.copy()
    y.flags.writeable = False
    for z in (X[::-1, ::-1], np.asfortranarray(X), np.broadcast_to(X[:1], X.shape)):
        strided, dense = (box(rows, y, 2.0) for rows in (z, np.ascontiguousarray(z)))
        assert abs(strided.surrogate_risk - dense.surrogate_risk) <= 1e-4
    for fit in (box(X * 5e-324), box((X * 1e-30).astype(np.float32), scale=1e-30)):
        assert (fit.status, fit.surrogate_risk) == ("solved", 1.0)
