"""Rows of check_structure on request: other libraries, and extreme rows."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler.verify import check_structure
from tests.verify.toys import points

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
