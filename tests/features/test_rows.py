"""What are no rows, and rows near the ends of the floats, for every map, sampler, learner."""

import contextlib

import array_api_strict
import numpy as np
import pandas as pd
import pyarrow
import pytest
import scipy.sparse
from sklearn.base import clone

import mehler
from mehler import _arrays, learn
from mehler.features import leverage
from tests.sklearn._estimators import RIDGES, SAMPLERS, name_of
from tests.verify.map_kinds import DRAWS, OPTIONS

X = np.random.default_rng(3).standard_normal((6, 3))
Y = np.arange(6.0) % 2
BAD = np.where(np.arange(6)[:, None] == 4, np.nan, X)
TEXT = [["a", "b", "c"]] * 6
POOL = mehler.FourierFeatures.draw(3, 12, seed=0, form="offset")


def methods(phi):
    """Whatever takes rows of a map."""
    calls = {name: getattr(phi, name) for name in ("kernel", "variance", "gram_variance", "gram")}
    calls |= {"call": phi, "products": lambda x: phi.products(x, x)}
    with contextlib.suppress(ValueError):  # units that are drawn together
        calls["block"] = next(phi.unit_blocks())
    return calls


def learners():
    phi = mehler.MaxoutFeatures.draw(3, 12, 2, seed=0)
    deep = [mehler.DeepKernel(name, 2) for name in ("relu", "tanh")]
    deep.append(mehler.DeepKernel("maxout", 2, pool_size=4))
    return {
        "ridge": lambda x: learn.ridge(phi, x, Y, lambdas=0.1),
        "sums": lambda x: learn.RidgeSums(phi).add(x, Y),
        "predict": learn.ridge(phi, X, Y, lambdas=0.1).predict,
        "units": lambda x: learn.units(phi, x),
        "box": lambda x: learn.box_erm(x, 2 * Y - 1, scale=1.0),
        "scores": lambda x: leverage.ridge_leverage_scores(x, lam=0.1),
        "sampling": leverage.LeverageSampling(POOL, 4, lam=0.1, seed=0).fit,
        "plain": leverage.PlainSampling(POOL, 4).fit,
        "top": leverage.TopLeverage(POOL, 4, lam=0.1).fit,
        **{f"nngp {i}": kernel.nngp for i, kernel in enumerate(deep)},
        **{f"ntk {i}": kernel.ntk for i, kernel in enumerate(deep)},
    }


# What everybody refuses, and the words; in brackets those of a whole matrix alone.
VALUES = [
    (BAD, "holds NaN or infinity, first in row 4"),
    (np.where(np.isnan(BAD), np.inf, X), "holds NaN or infinity, first in row 4"),
    (X[:0], "is empty"),
    (np.empty((6, 0)), "is empty"),
    (np.ones(()), "must have shape"),
]
WIDTHS = [(X[:, :2], "2 columns"), (np.hstack([X, X]), "6 columns")]
TYPES = [
    (np.ma.masked_greater(X, 1.0), "is a masked array: drop or impute"),
    (np.ma.array(X), "is a masked array: drop or impute"),
    (X + 1j, "is complex .*: pass its real part"),
    (X.astype(object), "has dtype object; .* convert it"),
    (np.array(TEXT), "has dtype str.*; .* convert it"),
    (X.astype(np.float16), "has dtype float16; .* convert it"),
    (X.astype("M8[s]"), "has dtype datetime64.*; .* convert it"),
    (np.zeros((6, 3), [("a", "f8")]), "has dtype void64; .* convert it"),
    (X.tolist(), r"is list; convert it first, for instance with numpy.asarray\("),
    (None, "is NoneType$"),
    (scipy.sparse.csr_array(X), r"is csr_array; convert it first, .*\.toarray\(\)"),
    (pd.DataFrame(TEXT), "is a DataFrame whose columns together|is DataFrame; convert it first"),
    (pyarrow.table({"a": TEXT[0]}), "is a Table whose columns together|is Table; convert it first"),
]


def answer(call, rows, words):
    """What a call returns, or None where it is refused in some of the words."""
    try:
        return call(rows)
    except ValueError as error:
        if not any(word in str(error) for word in words):
            raise
        return None


def refuse(call, cases, error):
    for rows, words in cases:
        with pytest.raises(error, match=words):
            _arrays.to_host(call(rows))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", DRAWS)
def test_maps_refuse_what_are_no_rows(name):
    phi = DRAWS[name](OPTIONS.get(name, {}).get("n_features", 72), seed=3)
    for call in methods(phi).values():
        refuse(call, VALUES + WIDTHS, ValueError)
        refuse(call, TYPES, TypeError)
    strict = array_api_strict.asarray(X)
    refuse(phi, [(strict, r"phi.to\(X\), or draw with like=X")], TypeError)
    refuse(lambda y: phi.kernel(X, y), [(strict, "X is an array of numpy but Y of")], TypeError)
    refuse(lambda y: phi.kernel(X, y), [(BAD, "Y holds NaN"), (X[:, :2], "Y has 2")], ValueError)


@pytest.mark.parametrize("name", learners())
def test_learners_refuse_what_are_no_rows(name):
    call = learners()[name]
    refuse(call, VALUES, ValueError)
    refuse(call, TYPES, TypeError)


# scikit-learn says the words that its checks ask for; the remedy is a note of ours.
SAMPLED = [
    (BAD, ValueError, "X contains NaN|X holds NaN"),
    (np.ma.array(X), ValueError, "X is a masked array: leave"),
    (X + 1j, ValueError, "(?s)Complex data.*\nX must hold real"),
    (np.array(TEXT), ValueError, "'a'.*\nX must hold real, finite numbers: encode text"),
    (pd.DataFrame(TEXT), ValueError, "'a'.*\nX must hold real, finite numbers: encode text"),
    (pyarrow.table({"a": TEXT[0]}), ValueError, "'a'.*\nX must hold real, finite numbers"),
    (X.astype("M8[s]"), TypeError, "X holds datetime64.*encode it first"),
    (X[0], ValueError, "Expected 2D array"),
    (X[:0], ValueError, "0 sample"),
]


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("estimator", SAMPLERS + RIDGES, ids=name_of)
def test_estimators_refuse_what_are_no_rows(estimator):
    fitted = clone(estimator).set_params(random_state=0).fit(X, Y)
    later = [fitted.predict] if hasattr(fitted, "predict") else [fitted.transform]
    later += [fitted.expected_kernel] if hasattr(fitted, "expected_kernel") else []
    for call in (lambda rows: clone(estimator).fit(rows, Y[: np.shape(rows)[0]]), *later):
        for rows, error, words in SAMPLED:
            with pytest.raises(error, match=words):
                call(rows)


# Variances of dithered features take seconds.
SLOW = pytest.param("invariant-dither", marks=pytest.mark.slow)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", [*sorted(DRAWS.keys() - {*SLOW.values}), SLOW, "deep kernels"])
def test_chunks_are_checked_as_rows_are(name):
    array = pytest.importorskip("dask.array")
    if name in DRAWS:
        phi = DRAWS[name](OPTIONS.get(name, {}).get("n_features", 72), seed=3)
        calls = methods(phi)
    else:
        calls = {key: call for key, call in learners().items() if key[:3] in ("nng", "ntk")}
    good, bad, huge = (array.from_array(x, chunks=(2, 3)) for x in (X, BAD, 10**307.5 * X))
    for key, call in calls.items():
        with pytest.raises(ValueError, match="X holds NaN or infinity, first in row 0"):
            call(bad).compute()
        values = answer(lambda x, call=call: call(x).compute(), huge, ("X", "rows"))
        assert values is None or np.isfinite(values).all(), key
        unknown = good[array.from_array(np.ones(6, bool), chunks=2)]
        values = answer(lambda x, call=call: call(x).compute(), unknown, ("compute_chunk_sizes()",))
        if values is not None:
            np.testing.assert_array_equal(values, call(good).compute())


SIZES = {"float32": (1e-40, 1e-23, 1e19, 1e30, 1e38), "float64": (1e-310, 1e-162, 1e150, 1e200)}
FAR = [(dtype, size) for dtype, sizes in SIZES.items() for size in sizes] + [("float64", 1e308)]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", [*DRAWS, "learners"])
def test_rows_of_any_size_have_an_answer_or_a_sentence(name):
    if name in DRAWS:
        calls = methods(DRAWS[name](OPTIONS.get(name, {}).get("n_features", 72), seed=3))
    else:
        calls = learners()
    unit = X / np.abs(X).max()
    for (dtype, size), (key, call) in ((far, item) for far in FAR for item in calls.items()):
        result = answer(call, (unit * size).astype(dtype), ("X", "Z", "rows"))
        if isinstance(result, np.ndarray):
            assert np.isfinite(result).all(), (key, dtype, size)


@pytest.mark.parametrize("size", [2.0**-540, 2.0**-100, 2.0**100, 2.0**500])
@pytest.mark.parametrize("estimator", SAMPLERS + RIDGES, ids=name_of)
def test_what_scales_itself_is_the_same_in_any_unit(estimator, size):
    """A power of two changes no digit of a row, and none of what is divided by a scale of rows."""
    if "scale" not in map(str, estimator.get_params(deep=True).values()):
        return
    near, far = (clone(estimator).set_params(random_state=0) for _ in range(2))
    near.fit(X, Y)
    if answer(lambda x: far.fit(x, Y), X * size, ("scale the rows",)) is None:
        return
    run = "predict" if hasattr(near, "predict") else "transform"
    a, b = getattr(near, run)(X), getattr(far, run)(X * size)
    if a.max() != b.max():  # bins as wide as rows are long
        a, b = a > 0, b > 0
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_weights_that_overflow_are_refused_and_large_rows_are_fitted():
    x = np.random.default_rng(0).standard_normal((50, 3))
    y = x[:, 0]
    for m in (12, 200):  # rows are more, or fewer
        phi = mehler.MaxoutFeatures.draw(3, m, 3, seed=0)
        near = learn.ridge(phi, x, y, lambdas=[1e-9, 1e-3]).predict(x)
        for lambdas in ([1e291, 1e297], 1e297):
            fit = learn.ridge(phi, 1e150 * x, y, lambdas=lambdas)
        assert np.var(y - fit.predict(1e150 * x)) < 2.0 * np.var(y - near) + 0.2
        with pytest.raises(ValueError, match="or the weights, down"):
            learn.ridge(phi, 1e150 * x, y, lambdas=1.0, weights=np.full(50, 1e20))


@pytest.mark.parametrize(
    "name", ["maxout", "centred", "next", "codes", "pairs", "laplacian", "matern", "localised"]
)
def test_blocks_of_pairs_do_not_show(name):
    phi, x = DRAWS[name](12, seed=0), np.random.default_rng(0).standard_normal((300, 3))
    x[280] = x[3]
    whole = phi.kernel(x)
    assert np.array_equal(whole, whole.T)
    assert whole[3, 280] == whole[3, 3]
    # Products of other heights may sum in another order.
    few = phi.kernel(x[:5], x)
    np.testing.assert_allclose(whole[:5], few, rtol=1e-11, atol=1e-13 * np.abs(few).max())
