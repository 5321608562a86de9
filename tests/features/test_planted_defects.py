"""Faults of maps that take more than one look at a kernel; those that do not are in the corpus.

They are planted in the maps themselves, below their declarations, so that kernel and variance
still claim what the theory says. All checks run at their default false alarm, 1e-9.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import mehler
from mehler import exact, verify
from mehler.features.maxout import _maxout
from tests.corpus.mehler_cases import (
    ROWS,
    D,
    M,
    Q,
    drawer,
    one_piece_short,
    smallest,
)
from tests.corpus.registry import moved_weights


def kernel_verdict(draw):
    return verify.check_kernel(draw, draw(0).kernel, ROWS, resolution=0.1)


@moved_weights
def same_index_twice(phi, pool, members):
    """Shared projections of which each unit takes one twice."""
    members[1] = members[0]
    return pool, members


@pytest.mark.parametrize("defect", [same_index_twice, one_piece_short])
def test_wrong_indices_of_shared_projections_are_refuted(defect):
    def draw(seed):
        return defect(mehler.MaxoutFeatures)(D, 100, Q, seed=seed, n_projections=2000)

    assert kernel_verdict(draw).status == "refuted"


def projections_taken(kind, defect, seed, x):
    """The units of a row, or the projections that its codes, whatever their law, point at."""
    z = drawer(kind, defect)(seed)(x)[0]
    if kind == "maxout":
        return z * math.sqrt(M)
    weights = drawer(kind)(seed)._weights("float64")[0]
    return np.einsum("d,dm->m", x[0], weights[z, :, np.arange(M)].T)


@pytest.mark.parametrize(("defect", "status"), [(None, "holds"), (smallest, "refuted")])
@pytest.mark.parametrize("kind", ["maxout", "codes"])
def test_smallest_for_largest_is_refuted_where_it_shows(kind, defect, status):
    """The mean of the largest projection is h_1(q)|x|; of the smallest one it is -h_1(q)|x|."""
    x = np.array([[0.6, 0.0, -0.8, 0.0, 0.0]])
    mean = exact.max_moment(1, Q)
    verdict = verify.check_mean(
        np.concatenate([projections_taken(kind, defect, seed, x) for seed in range(40)]),
        mean,
        variance=exact.sigma2(Q) - mean**2,
        false_alarm=1e-9,
        resolution=0.1,
    )
    assert verdict.status == status, str(verdict)


def test_decoupled_units_choose_by_the_largest_projection():
    """Decoupled features of the same seed: chosen by argmin they are other features."""
    for kind in ("decoupled-next", "decoupled-fresh"):
        ours = drawer(kind)(0)(ROWS)
        assert np.mean(ours != drawer(kind, smallest)(0)(ROWS)) > 0.5


def test_the_wrong_reduction_in_the_source(monkeypatch):
    """The same defect planted in the block itself, as a slip of the pen would."""

    def minimum(xp, pieces):
        return functools.reduce(xp.minimum, pieces)

    monkeypatch.setattr(_maxout, "largest", minimum)
    assert kernel_verdict(drawer("centred")).status == "refuted"
