"""One numerical rank: tiny penalties give the answer of the distinct columns, on any processor."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mehler import _arrays, learn
from mehler._arrays import _linear_algebra
from tests.learn import low_rank
from tests.learn.ridge_audit import Table, factorising
from tests.places import CPU

ROOT = Path(__file__).resolve().parents[2]
# Kernels of OpenBLAS, from SSE3 to AVX2: each sums in its own order. Other libraries ignore it.
CORES = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen")
EAGER = [p for p in CPU if not p.jit]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.sampled(2)
def test_every_processor_gives_the_same_answer(core):
    environment = {**os.environ, "OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.learn.low_rank"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("shape", low_rank.SHAPES)
@pytest.mark.parametrize("intercept", [True, False])
def test_tiny_penalties_see_the_distinct_columns(shape, intercept):
    assert low_rank.furthest("float64", shape, intercept=intercept, offset=3.0) <= 1e-6


def too_wide_a_rule(monkeypatch):
    """Cut at the root of rounding, as for the features themselves and not their products."""
    monkeypatch.setattr(_linear_algebra, "_SAFETY", 2.0**26)


def smallest_kept(dtype):
    """The smallest singular value, of 1, that still has its weight in an unpenalised solution."""
    rng = np.random.default_rng(0)
    left = np.linalg.qr(rng.standard_normal((80, 3)))[0]
    fits = []
    for size in 2.0 ** -np.arange(1.0, 26.0):
        z = left * np.array([1.0, 1.0, size])
        y = left[:, 2:]
        sums = learn.RidgeSums(Table()).add(z.astype(dtype), y.astype(dtype))
        fit, _ = sums.solve((1e-30, 1e-29), intercept=False)
        if abs(float(fit.weights[2, 0]) * size - 1.0) <= 0.1:
            fits.append(size)
    return min(fits)


@pytest.mark.parametrize(("dtype", "least"), [("float64", 2.0**-22), ("float32", 2.0**-9)])
def test_what_is_not_rounding_is_kept(dtype, least, monkeypatch):
    """Singular values above the root of 4 (sqrt 2 + sqrt 3) eps: 2^-24 and, in float32, 2^-9.7."""
    assert smallest_kept(dtype) <= least
    too_wide_a_rule(monkeypatch)
    assert smallest_kept("float64") > 2.0**-22


@pytest.mark.parametrize("place", EAGER, ids=lambda place: place.name)
def test_every_library(place):
    z, base, y = low_rank.repeated(1, 50, 3, 1)
    expected = low_rank.by_distinct_columns(base, y, True)
    x, targets = place.asarray(z), place.asarray(y[:, None])
    sums = learn.RidgeSums(Table()).add(x, targets)
    for fit in (sums.solve(1e-30)[0], learn.ridge(Table(), x, targets, lambdas=[1e-30, 1e-20])):
        values = _arrays.to_host(fit.predict(x))[:, 0]
        assert np.abs(values - expected).max() <= (1e-8 if place.has_float64 else 1e-3)
    with factorising(), pytest.raises(ValueError, match="singular to within rounding"):
        sums.solve(1e-30)
