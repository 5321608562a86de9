"""The row of weights tells rounded weights from true ones, and a coincidence is as rare as said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from mehler.verify import check_structure
from mehler.verify.checks.structure._on_request import coincidence_probability
from tests.verify.toys import Maxout


def weights(draw):
    return check_structure(draw, np.eye(6), only="weights")


@pytest.mark.parametrize("q", [1, 2, 5])
@pytest.mark.parametrize("m", [100, 101, 1000])
@pytest.mark.parametrize(("dtype", "status"), [("float64", "holds"), ("float32", "refuted")])
def test_rounded_weights_are_refuted_and_true_ones_hold(q, m, dtype, status):
    verdict = weights(lambda s: Maxout(s, m=m, q=q, dtype=np.dtype(dtype)))
    assert verdict.status == status, str(verdict)
    # 8 ulps cover all roundings between a weight and feature * scale, so every entry is a hit.
    if status == "refuted":
        assert verdict.where["hits"] >= 1000


def test_half_rounded_weights_are_seen():
    def draw(seed):
        def phi(x):
            true, rounded = Maxout(seed, m=500), Maxout(seed, m=500, dtype=np.float32)
            return np.hstack([true(x), rounded(x)]) / math.sqrt(2)

        return phi

    verdict = weights(draw)
    assert verdict.status == "refuted"
    assert "rounded to float32" in verdict.cause


def test_another_scale_sees_nothing():
    """The stated limit: features are to be weights over sqrt(n_features)."""
    assert weights(lambda seed: Maxout(seed, factor=math.pi, dtype=np.float32)).holds


def test_repeated_entries_count_once():
    """A constant column is a float32 number: one coincidence, however often it is repeated."""

    def draw(seed):
        weights = Maxout(seed, m=400)

        def phi(x):
            z = math.sqrt(400) * weights(x)
            return np.hstack([z, np.ones((len(x), 400))]) / math.sqrt(800)

        return phi

    verdict = weights(draw)
    assert verdict.holds, str(verdict)


def test_coincidences_are_as_rare_as_stated():
    """The share of float64 Gaussians that lie within w ulps of a float32 number is (2w+1)/2^29.

    Checked at a window 2^14 times wider, where the rate is measurable, by the same arithmetic.
    """
    n, wide = 400_000, 8 << 14
    x = np.random.default_rng(6).standard_normal(n)
    near = np.abs(x - x.astype(np.float32)) <= wide * np.spacing(np.abs(x))
    bound = coincidence_probability() * (2 * wide + 1) / 17
    assert near.sum() <= binom.isf(1e-9, n, bound)
    # Half the bound is the exact share: the factor 2 is for the density, and not needed here.
    assert near.sum() <= binom.isf(1e-9, n, bound / 2)
    assert near.sum() >= binom.isf(1 - 1e-9, n, bound / 2)


@pytest.mark.parametrize(
    ("draw", "note"),
    [
        (lambda s: lambda x: x.astype(np.float32), "features are float32"),
        (lambda s: lambda x: 0 * x, "0 distinct values"),
    ],
)
def test_features_that_say_nothing_are_noted(draw, note):
    verdict = weights(draw)
    assert verdict.status == "inconclusive"
    assert note in verdict.reason
