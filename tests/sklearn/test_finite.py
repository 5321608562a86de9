"""Rows are looked at once: by scikit-learn, unless it assumes that they are finite."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from scipy import sparse

from mehler import _arrays
from mehler.sklearn import FourierSampler, MaxoutSampler

X = np.random.default_rng(0).standard_normal((5, 3))


@pytest.fixture
def looks(monkeypatch):
    seen = []
    whole = _arrays._validate.require_finite
    monkeypatch.setattr(
        _arrays._validate, "require_finite", lambda x, **kw: seen.append(x) or whole(x, **kw)
    )
    return seen


@pytest.mark.parametrize("rows", [X, sparse.csr_matrix(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("sampler", [FourierSampler, MaxoutSampler])
def test_maps_do_not_look_again(sampler, rows, looks):
    fitted = sampler(n_components=10, random_state=0).fit(rows)
    assert fitted.transform(rows) == pytest.approx(fitted.map_(X))
    assert len(looks) == 1  # that of the map itself, called above
    fitted.expected_kernel(rows)
    assert len(looks) == 1


def test_what_is_assumed_finite_is_not_looked_at():
    sampler = MaxoutSampler(n_components=10, random_state=0).fit(X)
    bad = np.where(np.arange(5)[:, None] == 2, np.nan, X)
    with pytest.raises(ValueError, match="NaN"):
        sampler.transform(bad)
    with sklearn.config_context(assume_finite=True):
        found = sampler.transform(bad)
    good = np.arange(5) != 2
    assert np.array_equal(found[good], sampler.transform(X)[good])
