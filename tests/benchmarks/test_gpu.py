"""The GPU benchmark on the host: its calls run, its checks can fail, and it refuses in words.

What it measures there means nothing; a device is needed for that.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from tests.places import CPU

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(params=[p for p in CPU if p.name == "torch:cpu"], ids=lambda place: place.name)
def gpu(monkeypatch, request):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # as the harness sets them, but not for other tests
    found = importlib.import_module("gpu")
    monkeypatch.setattr(found, "ROUNDS", 1)
    monkeypatch.setattr(found, "DRY_SIZES", {"small": (1500, 12, 20, 3)})
    monkeypatch.setattr(found._devices, "LEAST_SECONDS", 1e-9)
    return found


def test_all_maps_and_ridge_run(gpu):
    found = gpu.measure("dry", "float32")
    rows = {row["what"]: row for row in found["rows"]}
    assert set(gpu.maps(12, 20, 3)[0]) < set(rows)
    assert "RidgeSums.add" in rows
    for row in rows.values():
        assert all(seconds > 0 for seconds in row["seconds"])
        assert row.get("good") is not False, row
    assert rows["MaxoutFeatures"]["over_naive"] > 0
    cells = list(gpu.table([found]))
    assert len(cells) == 1 + len(found["rows"])
    assert all(len(row) == len(gpu.HEADER) for row in cells)


def test_every_exported_map_is_measured(gpu):
    import mehler

    kinds = {type(phi).__name__ for phi in gpu.maps(12, 20, 3)[0].values()}
    exported = {name for name in mehler.__all__ if hasattr(getattr(mehler, name), "draw")}
    assert kinds == exported


@pytest.mark.parametrize("precision", ["float32", "TF32"])
def test_errors_beyond_rounding_are_told(gpu, precision):
    exact = np.random.default_rng(0).standard_normal((64, 20))
    for name in gpu.maps(12, 20, 3)[0]:
        assert gpu.error(name, exact.astype(np.float32), exact, precision)[1]
        assert not gpu.error(name, 1.1 * exact, exact, precision)[1]


def test_planted_device_that_changes_values(gpu):
    class Off(gpu._devices.Dry):
        def asarray(self, values):
            return super().asarray(values + np.float32(0.05))

    sizes = (1500, 12, 20, 3)
    rows = [*gpu.transform(Off(), "", sizes, (1.0, 1.0)), *gpu.ridge(Off(), "", sizes, (1.0, 1.0))]
    assert len(rows) == len(gpu.maps(12, 20, 3)[0]) + 1
    assert [row["what"] for row in rows if row["good"]] == []


def test_one_that_is_too_far_fails_the_run(gpu, monkeypatch, capsys):
    bad = {"what": "MaxoutFeatures", "setting": "", "seconds": [1.0], "error": 1.0, "good": False}
    found = {"library": "torch", "precision": "float32", "device": "", "rows": [bad]}
    found |= {"product_per_second": 1.0, "copy_bytes_per_second": 1.0}
    monkeypatch.setattr(gpu, "in_a_child", lambda kind, precision: found)
    with pytest.raises(SystemExit, match="too far from float64"):
        gpu.main(["--dry"])
    assert "too far" in capsys.readouterr().out


def test_refuses_without_a_device(gpu, monkeypatch):
    monkeypatch.setattr(gpu._devices, "libraries", lambda: [])
    with pytest.raises(SystemExit, match=r"no CUDA device.*cupy12.*--dry"):
        gpu.main([])
