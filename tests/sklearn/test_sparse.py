"""Estimators on sparse rows: equal to those on dense rows, and made dense a block at a time."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from mehler.learn import _features
from mehler.sklearn import FourierSampler, MaxoutSampler, RandomFeatureRidge
from tests.sklearn._estimators import RIDGES, SAMPLERS, UNUSUAL, name_of

RNG = np.random.default_rng(0)
DENSE = np.where(RNG.uniform(size=(60, 6)) < 0.4, RNG.standard_normal((60, 6)) + 2.0, 0.0)
DENSE[7] = 0.0
Y = (DENSE.sum(axis=1) > 4).astype(int)
KINDS = [sparse.csr_array, sparse.csc_array, sparse.coo_matrix, sparse.csr_matrix]


@pytest.fixture(autouse=True, params=[1 << 24, 8 * 6 * 7], ids=["one block", "blocks of 7 rows"])
def _blocks(request, monkeypatch):
    monkeypatch.setattr(_features, "_DENSE", request.param)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", SAMPLERS + UNUSUAL, ids=name_of)
def test_samplers_take_sparse_rows(estimator, kind):
    from_sparse = clone(estimator).set_params(random_state=0).fit(kind(DENSE), Y)
    from_dense = clone(estimator).set_params(random_state=0).fit(DENSE, Y)
    np.testing.assert_allclose(
        from_sparse.transform(kind(DENSE)), from_dense.transform(DENSE), atol=1e-12
    )
    np.testing.assert_allclose(
        from_sparse.expected_kernel(
            kind(DENSE)[:5] if kind is not sparse.coo_matrix else DENSE[:5]
        ),
        from_dense.expected_kernel(DENSE[:5]),
        atol=1e-12,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", RIDGES, ids=name_of)
def test_ridges_take_sparse_rows(estimator, kind):
    from_sparse = clone(estimator).set_params(random_state=0).fit(kind(DENSE), Y)
    from_dense = clone(estimator).set_params(random_state=0).fit(DENSE, Y)
    assert from_sparse.lambda_ == from_dense.lambda_
    np.testing.assert_allclose(from_sparse.coef_, from_dense.coef_, rtol=1e-6, atol=1e-8)
    # Blocks of other sizes are rounded otherwise.
    np.testing.assert_allclose(
        from_sparse.predict(kind(DENSE)), from_sparse.predict(DENSE), rtol=1e-12
    )


def test_stored_zeros_are_zeros():
    rows = sparse.csr_array(DENSE)
    rows.data[::3] = 0.0
    from_sparse = FourierSampler(random_state=0).fit(rows)
    from_dense = FourierSampler(random_state=0).fit(rows.toarray())
    assert from_sparse.map_.spectrum.gamma == pytest.approx(
        from_dense.map_.spectrum.gamma, rel=1e-12
    )


@pytest.mark.sampled(1)
def test_sparse_rows_are_never_dense_as_a_whole(monkeypatch):
    monkeypatch.setattr(_features, "_DENSE", 1 << 20)
    rows = sparse.random_array((4000, 5000), density=1e-3, rng=np.random.default_rng(0)).tocsr()
    model = RandomFeatureRidge(features=MaxoutSampler(n_components=5, pool_size=2), random_state=0)
    tracemalloc.start()
    model.fit(rows, np.arange(4000.0)).predict(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 5000 * 8 / 8
