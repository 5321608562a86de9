"""Counts of what ridge regression costs, against sums that are made and sent."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mehler
from mehler import learn
from mehler.planning import ridge_cost

USUAL = {
    "n_rows": 1050,
    "n_inputs": 3,
    "n_features": 90,
    "n_targets": 2,
    "n_projections": 270,
    "chunk_rows": 100,
    "n_workers": 4,
}


def test_bytes_of_sums_are_those_that_are_sent():
    cost = ridge_cost(**USUAL)
    x = np.random.default_rng(0).standard_normal((100, 3)).astype(np.float32)
    phi = mehler.MaxoutFeatures.draw(3, 90, 3, seed=0)
    sums = learn.RidgeSums(phi).add(x, x[:, :2])
    assert 0 <= len(pickle.dumps(sums)) - cost.sums_bytes < 2000  # names, and the map's recipe
    assert cost.chunk_bytes == x.nbytes


def test_counts_are_of_all_chunks():
    cost = ridge_cost(**USUAL)
    assert (cost.n_chunks, cost.n_workers) == (11, 4)
    assert cost.least_moved == 3 * cost.sums_bytes
    assert cost.most_moved == 10 * cost.sums_bytes
    # By hand: 100 rows of 270 products of length 3, half of a 90 x 90 product, 90 x 2.
    assert cost.operations == 100 * (2 * 3 * 270 + 90 * 90 + 2 * 90 * 2)
    alone = ridge_cost(**USUAL | {"n_workers": 1})
    assert alone.least_moved == 0
    one = ridge_cost(**USUAL | {"chunk_rows": 5000})
    assert (one.n_chunks, one.least_moved, one.most_moved) == (1, 0, 0)
    assert one.operations == 10.5 * cost.operations


def test_projections_are_the_features_by_default():
    given = ridge_cost(**USUAL | {"n_projections": 90})
    assert ridge_cost(**{k: v for k, v in USUAL.items() if k != "n_projections"}) == given


def test_seconds_are_work_overhead_and_bytes():
    cost = ridge_cost(**USUAL)
    found = cost.seconds(operations_per_second=1e6, bytes_per_second=1e5, overhead=0.5)
    # Three chunks for the busiest of four workers.
    expected = 3 * (cost.operations / 1e6 + 0.5) + cost.most_moved / 4 / 1e5
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", [*USUAL, "itemsize"])
@pytest.mark.parametrize("value", [0, -1, 2.5, True, "3"])
def test_what_is_no_count_is_refused(name, value):
    integer = isinstance(value, int) and not isinstance(value, bool)
    with pytest.raises(ValueError if integer else TypeError, match=f"{name}={value!r} must be"):
        ridge_cost(**USUAL | {name: value})


@pytest.mark.parametrize("name", ["operations_per_second", "bytes_per_second", "overhead"])
def test_rates_are_numbers_above_0(name):
    rates = {"operations_per_second": 1.0, "bytes_per_second": 1.0} | {name: 0.0}
    with pytest.raises(ValueError, match=f"{name}=0.0 must be positive"):
        ridge_cost(**USUAL).seconds(**rates)
