"""check_precision tells rounded weights from true ones, and says how rare a coincidence is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from mehler.verify import check_precision
from mehler.verify.checks._precision import _threshold, _visible_share, coincidence_probability
from tests.verify.toys import Maxout


@pytest.mark.parametrize("q", [1, 2, 5])
@pytest.mark.parametrize("m", [100, 101, 1000])
@pytest.mark.parametrize(("dtype", "status"), [("float64", "holds"), ("float32", "refuted")])
def test_rounded_weights_are_refuted_and_true_ones_hold(q, m, dtype, status):
    verdict = check_precision(lambda s: Maxout(s, m=m, q=q, dtype=np.dtype(dtype)), 6)
    assert verdict.status == status, str(verdict)
    # 8 ulps cover all roundings between a weight and feature * scale, so every entry is a hit.
    assert verdict.observed == (1.0 if status == "refuted" else 0.0)


def test_half_rounded_weights_are_seen():
    def draw(seed):
        def phi(x):
            true, rounded = Maxout(seed, m=500), Maxout(seed, m=500, dtype=np.float32)
            return np.hstack([true(x), rounded(x)]) / math.sqrt(2)

        return phi

    verdict = check_precision(draw, 6)
    assert verdict.status == "refuted"
    assert verdict.observed == pytest.approx(0.5)


def test_scale_is_the_callers_where_features_are_scaled():
    def draw(seed):
        return Maxout(seed, factor=math.pi, dtype=np.float32)

    scale = math.sqrt(1000) / math.pi
    assert check_precision(draw, 6, scale=scale).status == "refuted"
    assert check_precision(draw, 6, scale=np.full(1000, scale)).status == "refuted"
    assert (
        check_precision(draw, 6).status == "holds"
    )  # the stated limit: a wrong scale sees nothing


def test_repeated_entries_count_once():
    """A constant column is a float32 number: one coincidence, however often it is repeated."""

    def draw(seed):
        weights = Maxout(seed, m=400)

        def phi(x):
            z = math.sqrt(400) * weights(x)
            return np.hstack([z, np.ones((len(x), 400))]) / math.sqrt(800)

        return phi

    verdict = check_precision(draw, 6)
    assert verdict.status == "holds", str(verdict)
    assert verdict.where["hits"] == 1


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


@pytest.mark.parametrize("n", [10, 1000, 10**6])
def test_threshold_and_share_are_the_binomial_tails(n):
    p = coincidence_probability()
    alarm = _threshold(n, p, 1e-9)
    assert binom.sf(alarm - 1, n, p) <= 1e-9
    assert alarm == 1 or binom.sf(alarm - 2, n, p) > 1e-9
    share = _visible_share(n, alarm, 1e-6)
    assert binom.cdf(alarm - 1, n, share) == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"draw": lambda s: lambda x: x.astype(np.float32)}, ValueError, "features are float32"),
        ({"draw": lambda s: lambda x: 0 * x}, ValueError, "every feature is 0"),
        ({"draw": lambda s: lambda x: x[0]}, ValueError, "a map returns"),
        ({"draw": None}, TypeError, "draw=None"),
        ({"n_inputs": 0}, ValueError, "n_inputs=0"),
        ({"resolution": 1.0}, ValueError, "vacuous"),
        ({"false_alarm": 2.0}, ValueError, "false_alarm=2.0"),
    ],
)
def test_bad_input_is_refused_by_name(change, error, message):
    arguments = {"draw": lambda s: Maxout(s), "n_inputs": 6, **change}
    with pytest.raises(error, match=message):
        check_precision(arguments.pop("draw"), arguments.pop("n_inputs"), **arguments)
