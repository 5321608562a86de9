"""check_backends and check_finite: what never happens, and what one instance of it says."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler.verify import check_backends, check_finite
from tests.verify.toys import points

X = points(3, 4)


def maxout(seed, like=None):
    return mehler.MaxoutFeatures.draw(4, 60, 3, seed=seed, like=like)


@pytest.mark.parametrize(
    "kind", [mehler.MaxoutFeatures, mehler.DecoupledMaxoutFeatures, mehler.MaxoutCodes]
)
def test_our_maps_are_the_same_on_every_library(kind):
    verdict = check_backends(lambda s, like: kind.draw(4, 60, 3, seed=s, like=like), X)
    assert verdict.holds
    assert "strict" in verdict.claim


def test_weights_of_its_own_on_another_library_are_refuted():
    verdict = check_backends(lambda s, like: maxout(s + (like is not None), like), X)
    assert verdict.status == "refuted"
    assert verdict.where["place"]


def test_lost_precision_is_refuted_and_named():
    """float64 rows computed in float32 there: relative errors of 1e-8 to 1e-7."""

    def draw(seed, like):
        dtype = None if like is None else "float32"
        return mehler.MaxoutFeatures.draw(4, 60, 3, seed=seed, like=like, dtype=dtype)

    verdict = check_backends(draw, X)
    assert verdict.status == "refuted"
    assert verdict.where["dtype"] == "float64"


def test_a_library_that_is_refused_is_a_finding():
    def numpy_only(seed, like):
        return mehler.MaxoutFeatures.draw(4, 60, 3, seed=seed)

    verdict = check_backends(numpy_only, X)
    assert verdict.status == "refuted"
    assert "raised TypeError" in verdict.reason


def test_a_named_place_is_enough():
    import array_api_strict

    verdict = check_backends(maxout, X, places={"strict": array_api_strict})
    assert verdict.holds
    with pytest.raises(ValueError, match="places is empty"):
        check_backends(maxout, X, places={})


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
    assert check_finite(kind, X.astype(dtype)).holds


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
    verdict = check_finite(BAD[row], np.abs(X))
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

    assert check_finite(guarded, X).holds


def test_a_map_that_raises_is_a_finding():
    def strict(seed):
        def phi(x):
            if not np.abs(x).max():
                raise ValueError("a zero row")
            return project(x, seed)

        return phi

    verdict = check_finite(strict, X)
    assert verdict.status == "refuted"
    assert "a zero row" in verdict.reason


def test_one_draw_in_forty_is_found_and_ten_draws_are_too_few():
    def seldom(seed):
        return lambda x: project(x, seed) / (seed % 40 != 0)

    assert check_finite(seldom, X).status == "refuted"
    assert check_finite(maxout, X, max_draws=10).status == "inconclusive"


@pytest.mark.parametrize(
    ("options", "message"),
    [({"resolution": 1.0}, "vacuous"), ({"largest": np.inf}, "largest=inf"), ({"X": []}, "X")],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        check_finite(**({"draw": maxout, "X": X} | options))
