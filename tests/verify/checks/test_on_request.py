"""Rows of check_structure on request: other libraries, extreme rows, rounded weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

import mehler
from mehler.verify import check_structure
from mehler.verify.checks.structure._on_request import coincidence_probability
from tests.verify.toys import Maxout, points

X = points(3, 4)
KINDS = [mehler.MaxoutFeatures, mehler.DecoupledMaxoutFeatures, mehler.MaxoutCodes]


def maxout(seed, like=None, dtype=None):
    return mehler.MaxoutFeatures.draw(4, 60, 3, seed=seed, like=like, dtype=dtype)


def libraries(draw):
    return check_structure(
        lambda seed: draw(seed, None), X, redraw=lambda s, x, m: draw(s, x), only="libraries"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_our_maps_are_the_same_on_every_library(kind):
    verdict = libraries(lambda s, like: kind.draw(4, 60, 3, seed=s, like=like))
    assert verdict.holds, str(verdict)
    assert any("strict" in line for line in verdict.assumptions)


def is_numpy(like):
    return like is None or isinstance(like, np.ndarray)


DEFECTS = {
    "other weights": lambda s, like: maxout(s + (not is_numpy(like)), like),
    # float64 rows computed in float32 there: relative errors of 1e-8 to 1e-7.
    "float32": lambda s, like: maxout(s, like, None if is_numpy(like) else "float32"),
    "refused": lambda s, like: maxout(s),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_other_features_on_another_library_are_refuted(defect):
    verdict = libraries(DEFECTS[defect])
    assert verdict.status == "refuted"
    assert verdict.where["place"] in verdict.cause
    if defect == "float32":
        assert verdict.where["dtype"] == "float64"
    assert ("TypeError" in verdict.cause) == (defect == "refused")


def finite(draw, rows=X, **options):
    return check_structure(draw, rows, only="finite", **options)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "kind",
    [
        lambda s: mehler.MaxoutFeatures.draw(4, 20, 3, seed=s),
        lambda s: mehler.MaxoutFeatures.draw(4, 20, 3, seed=s, centred=True),
        lambda s: mehler.DecoupledMaxoutFeatures.draw(4, 20, 3, seed=s),
        lambda s: mehler.MaxoutCodes.draw(4, 20, 3, seed=s),
    ],
)
@pytest.mark.sampled(3)
def test_our_maps_are_finite_on_hostile_rows(kind, dtype):
    assert finite(kind, X.astype(dtype)).holds


def project(x, seed):
    return x @ np.random.default_rng(seed).standard_normal((4, 20))


BAD = {
    "zero": lambda s: lambda x: project(x / np.linalg.norm(x, axis=1, keepdims=True), s),
    "huge": lambda s: lambda x: project(x**8, s),
    "denormal": lambda s: lambda x: project(x / (x**2).max(axis=1, keepdims=True), s),
    "ordinary": lambda s: lambda x: np.sqrt(project(x, s)),
    "negative zero": lambda s: (
        lambda x: np.where(np.signbit(x).all(axis=1, keepdims=True), np.nan, x)
    ),
}


@pytest.mark.parametrize("row", BAD)
def test_rows_that_overflow_or_divide_by_zero_are_named(row):
    verdict = finite(BAD[row], np.abs(X))
    assert verdict.status == "refuted"
    # A zero row divides 0 by 0 before a denormal one can overflow.
    assert verdict.where["row"] in ({"zero", row} if row == "denormal" else {row})


def test_a_guarded_twin_holds():
    def guarded(seed):
        def phi(x):
            largest = np.abs(x).max(axis=1, keepdims=True)
            x = x / np.where(largest > 0.0, largest, 1.0)
            norm = np.linalg.norm(x, axis=1, keepdims=True)
            return project(x / np.where(norm > 0.0, norm, 1.0), seed)

        return phi

    assert finite(guarded).holds


def test_a_map_that_raises_is_a_finding():
    def strict(seed):
        def phi(x):
            if not np.abs(x).max():
                raise ValueError("a zero row")
            return project(x, seed)

        return phi

    verdict = finite(strict)
    assert verdict.status == "refuted"
    assert "a zero row" in verdict.cause


def test_one_draw_in_forty_is_found():
    def seldom(seed):
        return lambda x: project(x, seed) / (seed % 40 != 0)

    assert finite(seldom).status == "refuted"
    assert "extreme rows" in str(finite(maxout, time_limit=1e-9))


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
