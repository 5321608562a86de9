"""Rows are looked at unless scikit-learn is told to assume that they are finite."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn

from mehler.sklearn import MaxoutSampler

X = np.random.default_rng(0).standard_normal((5, 3))


def test_what_is_assumed_finite_is_not_looked_at():
    sampler = MaxoutSampler(n_components=10, random_state=0).fit(X)
    bad = np.where(np.arange(5)[:, None] == 2, np.nan, X)
    with pytest.raises(ValueError, match="NaN"):
        sampler.transform(bad)
    with sklearn.config_context(assume_finite=True):
        found = sampler.transform(bad)
    good = np.arange(5) != 2
    assert np.array_equal(found[good], sampler.transform(X)[good])
