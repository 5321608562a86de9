"""The experiment on depth: its cells, its split, and what the page may say."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments import Results
from mehler.proofs_checks.experiments._rows import Problem
from mehler.proofs_checks.experiments.depth import kernels as machines

import mehler

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
    for q, depth in machines.DRAWN:
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
    cells = [machines.EXPERIMENT.cell(options, 0) for options in machines.cells("quick")]
    assert len(cells) == 3 * 10
    assert len({cell.seed("machines") for cell in cells}) == 10


def made_up(rng, **more):
    grid = machines.grid("quick")
    others = {key for pair in machines.compared("quick") for key in pair}
    keys = [*grid, *sorted(others - {*grid, machines.BEST, machines.RELU})]
    found = {key: float(rng.normal(10, 0.1)) for key in keys}
    left = {f"{key}, left out": value for key, value in found.items()}
    return {**found, **left, "seconds": 1.0, **more}


def test_tables_of_kernels_and_their_differences():
    rng = np.random.default_rng(0)
    found = [({"data": "a", "draw": k}, made_up(rng)) for k in range(6)]
    for _, one in found:
        one["NTK, q = 4, depth 3"] += 3.0
    tables = machines.table("quick", Results(found))
    rows = tables["Test error in percent, less that of another machine"]
    [row] = [r for r in rows if r["machines"].startswith("a: NTK, q = 4, depth 3, less")]
    assert row["99 % for 12 at once"].startswith("+")
    assert row["draws"] == "6"
    networks = next(rows for caption, rows in tables.items() if "test error" in caption)
    assert [row["kernel; q = 2 is ReLU"] for row in networks] == [
        f"{k}, q = {q}" for k in ("NNGP", "NTK") for q in (2, 4)
    ]


def test_rows_left_out_choose():
    one = made_up(np.random.default_rng(1))
    best = min((k for k in machines.grid("quick") if "q = 4" in k), key=lambda k: one[k])
    assert machines.chosen(one, "quick")[machines.BEST] == one[best]
