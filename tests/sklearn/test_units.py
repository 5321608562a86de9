"""Rows in any unit: the same features as in another one, or a refusal, with weights or without."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from mehler.sklearn import (
    DecoupledMaxoutSampler,
    FourierSampler,
    InvariantSampler,
    KitchenSinkSampler,
    LeverageSampler,
    MaxoutHasher,
    MaxoutSampler,
    RandomFeatureRidge,
)
from tests.sklearn._estimators import name_of

X = np.random.default_rng(3).standard_normal((40, 4)) + 0.25
OF_SCALE = [
    FourierSampler(n_components=12),
    FourierSampler(n_components=12, kernel="laplacian"),
    FourierSampler(n_components=12, kernel="matern"),
    InvariantSampler(n_components=3, n_bins=3),
    LeverageSampler(n_components=8),
]
HOMOGENEOUS = [
    MaxoutSampler(n_components=12),
    DecoupledMaxoutSampler(n_components=12),
    KitchenSinkSampler(n_components=12),
    MaxoutHasher(n_components=12),
]
FLOATS = {"float32": (-130, -77, -60, 60, 100, 124), "float64": (-1040, -540, 510, 1000)}
UNITS = [(name, power) for name, powers in FLOATS.items() for power in powers]


def features(sampler, rows, weights=None):
    """Features over their largest entry, after a fit with weights where there are some."""
    sampler.set_params(random_state=0)
    if weights is None:
        z = sampler.fit(rows).transform(rows)
    else:
        model = RandomFeatureRidge(features=sampler, lambdas=1e-3)
        targets = np.asarray(X[:, 0], dtype=rows.dtype)
        z = model.fit(rows, targets, sample_weight=weights).features_.transform(rows)
    assert np.isfinite(z).all()
    return z / np.abs(z).max()


def in_unit(dtype, power):
    """Rows times a power of two; those among the subnormal numbers have lost digits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.ldexp(X.astype(dtype), power)


@pytest.mark.filterwarnings("ignore:invalid value encountered in reduce:RuntimeWarning")
@pytest.mark.parametrize(("dtype", "power"), UNITS)
@pytest.mark.parametrize("sampler", OF_SCALE + HOMOGENEOUS, ids=name_of)
def test_the_unit_of_rows_is_no_matter_or_refused(sampler, dtype, power):
    rows = in_unit(dtype, power)
    expected = features(sampler, X.astype(dtype))
    try:
        units = features(sampler, rows)
    except ValueError as error:
        refusal = str(error)
    else:
        np.testing.assert_allclose(units, expected, atol={"float32": 1e-5, "float64": 1e-9}[dtype])
        return
    assert "scale the rows" in refusal
    assert power not in (-77, -60, 60)


@pytest.mark.parametrize("power", [-77, 0, 60])
@pytest.mark.parametrize("sampler", OF_SCALE[:4], ids=name_of)
def test_weights_of_one_are_no_weights(sampler, power):
    rows = in_unit("float32", power)
    plain = features(sampler, rows)
    np.testing.assert_allclose(features(sampler, rows, np.ones(len(X))), plain, atol=1e-5)


@pytest.mark.parametrize("sampler", OF_SCALE[:4], ids=name_of)
def test_rows_of_weight_zero_have_no_say_in_the_scale(sampler):
    weights = np.where(np.arange(len(X)) < 30, 1.0, 0.0)
    rows = np.where(weights[:, None] > 0, X, 100.0 * X)
    model = RandomFeatureRidge(features=sampler.set_params(random_state=0), lambdas=1e-3)
    weighted = model.fit(rows, X[:, 0], sample_weight=weights).features_.map_.recipe()
    alone = model.fit(rows[:30], X[:30, 0]).features_.map_.recipe()
    assert weighted.keys() == alone.keys()
    for name, value in alone.items():
        assert weighted[name] == (pytest.approx(value) if isinstance(value, float) else value)


@pytest.mark.parametrize("power", [-540, 0, 510])
@pytest.mark.parametrize("sampler", OF_SCALE[1:4], ids=name_of)
def test_sparse_rows_have_the_scale_of_dense_ones(sampler, power):
    rows = np.where(np.abs(X) > 0.7, np.ldexp(X, power), 0.0)
    dense = features(sampler, rows)
    np.testing.assert_allclose(features(sampler, sparse.csr_array(rows)), dense, atol=1e-12)


@pytest.mark.parametrize(
    ("sampler", "size"), [(MaxoutHasher(), 10**307.5), (KitchenSinkSampler(), 1e308)], ids=repr
)
def test_rows_whose_projections_overflow_are_refused(sampler, size):
    fitted = sampler.set_params(random_state=0).fit(X)
    with pytest.raises(ValueError, match="scale the rows"):
        fitted.transform(size * np.sign(X))


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "matern"])
@pytest.mark.parametrize("projections", ["gaussian", "orthogonal", "hadamard"])
def test_weights_are_where_users_of_rbf_sampler_look(kernel, projections):
    if kernel == "laplacian" and projections != "gaussian":
        return
    options = {"n_components": 8, "kernel": kernel, "projections": projections, "random_state": 0}
    sampler = FourierSampler(form="offset", **options).fit(X)
    angles = X @ sampler.random_weights_ + sampler.random_offset_
    np.testing.assert_allclose(sampler.transform(X), np.cos(angles) * 0.5, atol=1e-12)
    sampler = FourierSampler(form="pairs", **options).fit(X)
    angles = X @ sampler.random_weights_
    z = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) * 0.5
    np.testing.assert_allclose(sampler.transform(X), z, atol=1e-12)
    assert not hasattr(sampler, "random_offset_")
    assert not hasattr(FourierSampler(), "random_weights_")
