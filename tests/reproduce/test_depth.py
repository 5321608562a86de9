"""The experiment on depth: its cells, its split, and what the page may say."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler.reproduce import depth as machines
from mehler.reproduce._experiment import Cell
from mehler.reproduce._rows import Problem

X = np.random.default_rng(0).standard_normal((12, 5))


def test_the_pool_of_two_is_relu():
    """K_2 = 2 A_1: ReLU at twice both variances, up to a factor of two."""
    relu = mehler.DeepKernel("relu", 3, weight_variance=2.0, bias_variance=2 * machines.BIAS)
    assert 2 * machines.deep(2, 3).nngp(X) == pytest.approx(relu.nngp(X), rel=1e-12)


def test_kernels_of_the_same_rows_by_halves_are_the_same():
    kernel = machines.of_network(machines.deep(4, 2), "ntk")
    assert kernel(X, X) == pytest.approx(kernel(X, X.copy()), rel=1e-12)


def test_all_maps_have_as_many_columns_and_products_like_their_kernels():
    """Networks and tangent maps have one more, of the bias, than maps without."""
    maps = machines.features(X, 0.1, 0) | machines.more_features(5, 0)
    drawn = {name: phi for name, phi in maps.items() if "Nystroem" not in name}
    assert {np.asarray(phi(X)).shape[1] - machines.COLUMNS for phi in drawn.values()} == {0, 1}
    others = machines.others(X)
    kernels = {f"networks, {name}": others[name][0] for name in others if "arc" in name}
    for q, depth in machines._DRAWN:
        for which, kind in (("nngp", "networks"), ("ntk", "tangent features")):
            kernel = machines.of_network(machines.deep(q, depth), which)
            kernels[f"{kind}, {machines.named(q, depth)}"] = kernel
    for name, kernel in kernels.items():
        assert np.array_equal(maps[name].kernel(X), kernel(X, X)), name


def test_parts_are_disjoint_and_scaled_by_the_first():
    rows = np.arange(300.0).reshape(100, 3)
    problem = Problem(rows, rows[:, :1], classes=False)
    (X, learnt), (_, targets) = machines.split(problem, 60, 40, 3)
    assert np.allclose(X.mean(axis=0), 0)
    assert np.allclose(X.std(axis=0), 1)
    assert len(np.unique(np.concatenate([learnt, targets]))) == 100
    # The mean of the tested part explains nothing of it.
    mean = np.full_like(targets, targets.mean())
    assert machines.error(mean, targets, classes=False) == pytest.approx(100)


def test_both_kinds_of_cells_see_the_same_split():
    cells, name = machines.cells("quick"), machines.EXPERIMENT.name
    assert len(cells) == 3 * 10
    assert len({cell.seed(0, name, "machines") for cell in cells}) == 10


def made_up(rng, **more):
    grid = machines._grid("quick")
    others = {key for pair in machines._pairs("quick") for key in pair}
    keys = [*grid, *sorted(others - {*grid, machines.BEST, machines.RELU})]
    found = {key: float(rng.normal(10, 0.1)) for key in keys}
    left = {f"{key}, left out": value for key, value in found.items()}
    return {**found, **left, "seconds": 1.0, **more}


def test_a_page_of_kernels_and_its_differences():
    rng = np.random.default_rng(0)
    found = [(Cell({"data": "a", "draw": k}), made_up(rng)) for k in range(6)]
    for _, one in found:
        one["NTK, q = 4, depth 3"] += 3.0
    page = machines.page("quick", found)
    said = [line for line in page.verdicts if "NTK, q = 4, depth 3 against" in line]
    assert "larger error" in said[0]
    assert "6 draws" in said[0]
    assert [row[0] for row in page.tables[0].rows] == [
        f"{k}, q = {q}" for k in ("NNGP", "NTK") for q in (2, 4)
    ]


def test_rows_left_out_choose():
    one = made_up(np.random.default_rng(1))
    best = min((k for k in machines._grid("quick") if "q = 4" in k), key=lambda k: one[k])
    assert machines.chosen(one, "quick")[machines.BEST] == one[best]
