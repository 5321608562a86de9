"""Maps that look suspicious and are right hold: nothing that a rule tries is a fault's alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from mehler.cli._checks import random_rows
from mehler.verify import check_structure
from tests.verify.structure.right_maps import RIGHT, lazily, rbf

PATIENT = 600.0
# Columns of X; a few maps take some numbers only.
WIDTHS = (5, 1, 2, 3, 4, 8, 40)
ONLY = {"scaled by width": (5,), "fixed width": (5,), "rotated signs": (4, 8, 16)}


def verdict_of(name, seed, *, resizable=True, **options):
    redraw, kernel = RIGHT[name]
    widths = ONLY.get(name, WIDTHS)
    X = random_rows(widths[seed % len(widths)], kernel, np.random.default_rng(seed))
    return check_structure(
        lambda s: redraw(s, X, None),
        X,
        kernel=kernel,
        redraw=redraw if resizable else None,
        seed=seed,
        time_limit=PATIENT,
        **options,
    )


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.sampled(3)
def test_a_right_map_holds(name):
    verdict = verdict_of(name, 0)
    assert verdict.holds, verdict


@pytest.mark.parametrize("name", list(RIGHT)[::2])
@pytest.mark.sampled(4)
def test_a_right_map_of_one_size_holds(name):
    assert verdict_of(name, 1, resizable=False).holds


@pytest.mark.full
@pytest.mark.parametrize("resizable", [True, False])
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_map_holds_from_any_seed(name, resizable):
    for seed in range(2, 22):
        verdict = verdict_of(name, seed, resizable=resizable)
        assert verdict.holds, f"seed {seed}: {verdict}"


@pytest.mark.full
def test_the_error_rate_is_kept():
    """At a rate of 0.3, which looks at chance may spend, over all maps."""
    seeds = range(100, 104)
    refuted = sum(
        verdict_of(n, s, false_alarm=0.3).status == "refuted" for n in RIGHT for s in seeds
    )
    assert refuted <= binom.isf(1e-6, len(RIGHT) * len(seeds), 0.3)


def test_what_is_fitted_on_rows_may_leave_parts_out():
    """Nystroem's features: of the rows that they are fitted on, and short on others."""

    def redraw(seed, X, n_features):
        chosen = np.random.default_rng(seed).permutation(len(X))[: n_features or 12]
        basis = X[chosen]
        values, vectors = np.linalg.eigh(rbf(basis, basis))
        half = vectors / np.sqrt(np.maximum(values, 1e-12))
        return lambda Z: rbf(Z, basis) @ half

    X = random_rows(5, rbf, np.random.default_rng(0))
    draw = lambda seed: redraw(seed, X, None)  # noqa: E731
    assert check_structure(draw, X, kernel=rbf, redraw=redraw, time_limit=PATIENT).holds


def test_rows_on_a_sphere_stay_there():
    """A kernel of angles that is claimed for unit rows only."""

    def on_sphere(x, y):
        assert np.allclose((x**2).sum(axis=1), 1.0)
        return np.exp(x @ y.T - 1.0)

    def redraw(seed, X, n_features):
        m = n_features or 100
        rng = np.random.default_rng(seed)
        w, b = rng.standard_normal((X.shape[1], m)), rng.uniform(0.0, 2.0 * np.pi, m)
        return lambda Z: np.sqrt(2.0 / m) * np.cos(Z @ w + b)

    X = random_rows(4, rbf, np.random.default_rng(0))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    draw = lambda seed: redraw(seed, X, None)  # noqa: E731
    verdict = check_structure(draw, X, kernel=on_sphere, redraw=redraw, time_limit=PATIENT)
    assert verdict.holds


def test_the_first_call_decides_for_a_lazy_map():
    """It has drawn its weights for 5 columns, and refuses others; a new draw takes any."""
    phi = lazily(0, None)
    phi(np.ones((2, 5)))
    with pytest.raises(ValueError, match="matmul"):
        phi(np.ones((2, 4)))
    assert verdict_of("lazy", 0, resizable=False).holds
