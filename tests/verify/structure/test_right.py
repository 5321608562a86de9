"""Maps that look suspicious and are right hold: nothing that a rule tries is a fault's alone."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.cli._checks import random_rows
from mehler.verify import check_structure
from tests.verify.structure.right_maps import RIGHT, rbf

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


@pytest.mark.full
@pytest.mark.parametrize("resizable", [True, False])
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_map_holds_from_any_seed(name, resizable):
    for seed in range(2, 22):
        verdict = verdict_of(name, seed, resizable=resizable)
        assert verdict.holds, f"seed {seed}: {verdict}"


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
