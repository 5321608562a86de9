"""The GPU benchmark on the host: its calls run, its checks can fail, and it refuses in words."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import mehler

pytest.importorskip("torch")
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # as the harness sets them, but not for other tests
    module = importlib.import_module("gpu")
    small = {"ROUNDS": 1, "DRY_SIZES": {"small": (1500, 12, 20, 3)}, "LEAST_SECONDS": 1e-9}
    for name, value in small.items():
        monkeypatch.setattr(module, name, value)
    return module


@pytest.mark.slow
def test_all_maps_and_ridge_run(gpu):
    run = gpu.measure("dry", "float32")
    rows = {row["what"]: row for row in run["rows"]}
    assert {*gpu.maps(12, 20, 3), "RidgeSums.add"} == set(rows)
    assert all(row["good"] and min(row["seconds"]) > 0 for row in rows.values())
    cells = list(gpu.table([run]))
    assert len(cells) == 1 + len(rows)
    assert {len(row) for row in cells} == {len(gpu.HEADER)}
    kinds = {type(phi).__name__ for phi, _ in gpu.maps(12, 20, 3).values()}
    assert kinds == {name for name in mehler.__all__ if hasattr(getattr(mehler, name), "draw")}


def test_a_device_that_changes_values_fails_the_run(gpu, monkeypatch, capsys):
    class Off(gpu.Device):
        def asarray(self, values):
            return super().asarray(values + np.float32(0.05))

    monkeypatch.setattr(gpu, "Device", Off)
    monkeypatch.setattr(gpu, "in_a_child", gpu.measure)
    with pytest.raises(SystemExit, match="too far from float64"):
        gpu.main(["--dry"])
    assert capsys.readouterr().out.count("too far") == 1 + len(gpu.maps(12, 20, 3))


def test_refuses_without_a_device(gpu, monkeypatch):
    monkeypatch.setattr(gpu, "libraries", list)
    with pytest.raises(SystemExit, match=r"no CUDA device.*cupy12.*--dry"):
        gpu.main([])
