"""Faults of maps that take more than one look at a kernel; those that do not are in the corpus.

They are planted in the maps themselves, below their declarations, so that kernel and variance
still claim what the theory says. All checks run at their default false alarm, 1e-9.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import mehler
from mehler import exact, verify
from tests.verify.corpus.mehler_cases import (
    ROWS,
    D,
    M,
    Q,
    drawer,
    one_piece_short,
    smallest,
)


def kernel_verdict(draw):
    return verify.check_kernel(draw, draw(0).kernel, ROWS, resolution=0.1)


def test_wrong_indices_of_shared_projections_are_refuted():
    def draw(seed):
        return one_piece_short(mehler.MaxoutFeatures)(D, 100, Q, seed=seed, n_projections=2000)

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
