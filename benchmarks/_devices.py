"""Devices as the GPU benchmark sees them: arrays, a clock, a product, a copy.

A clock is a pair of CUDA events around the calls. `Dry` is PyTorch on the host by wall time: it
shows that the benchmark runs, and measures nothing worth telling.
"""

from __future__ import annotations

import importlib.util
import os
import time
from typing import Any

import numpy as np

# Shorter calls are repeated between two events, so that launching does not hide in the clock.
LEAST_SECONDS = 0.02


class Device:
    """What all of them can do."""

    name: str
    precision: str

    def asarray(self, values) -> Any:
        raise NotImplementedError

    def label(self) -> str:
        raise NotImplementedError

    def clock(self, run, times: int) -> float:
        """Seconds of so many calls."""
        raise NotImplementedError

    def product(self, a, b, out) -> None:
        raise NotImplementedError

    def copy(self, a, out) -> None:
        out[...] = a

    def ratios(self, contenders, rounds: int) -> dict[str, list[float]]:
        """Seconds of one call of each contender, in turn, round by round, after a warm-up."""
        times = {}
        for name, run in contenders.items():
            run()
            times[name] = max(1, round(LEAST_SECONDS / max(1e-9, self.clock(run, 1))))
        found: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, run in contenders.items():
                found[name].append(self.clock(run, times[name]) / times[name])
        return found


class OnTorch(Device):
    """PyTorch on a CUDA device."""

    name = "torch"
    place = "cuda"

    def __init__(self, precision: str = "float32") -> None:
        import torch

        self.torch, self.precision = torch, precision
        torch.set_float32_matmul_precision("high" if precision == "TF32" else "highest")

    def asarray(self, values):
        return self.torch.asarray(np.array(values), device=self.place)

    def label(self):
        return f"{self.torch.cuda.get_device_name()}, PyTorch {self.torch.__version__}"

    def clock(self, run, times):
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(times):
            run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1e3

    def product(self, a, b, out):
        self.torch.matmul(a, b, out=out)


class Dry(OnTorch):
    """PyTorch on the host, by wall time."""

    place = "cpu"

    def label(self):
        return f"no device: the host, PyTorch {self.torch.__version__}"

    def clock(self, run, times):
        start = time.perf_counter()
        for _ in range(times):
            run()
        return time.perf_counter() - start


class OnCuPy(Device):
    """CuPy. For TF32 the environment says CUPY_TF32=1 before the process begins."""

    name = "cupy"

    def __init__(self, precision: str = "float32") -> None:
        assert (os.environ.get("CUPY_TF32") == "1") == (precision == "TF32")
        import cupy

        self.cupy, self.precision = cupy, precision

    def asarray(self, values):
        return self.cupy.asarray(values)

    def label(self):
        device = self.cupy.cuda.runtime.getDeviceProperties(self.cupy.cuda.Device().id)
        return f"{device['name'].decode()}, CuPy {self.cupy.__version__}"

    def clock(self, run, times):
        start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        start.record()
        for _ in range(times):
            run()
        end.record()
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, end) / 1e3

    def product(self, a, b, out):
        self.cupy.matmul(a, b, out=out)


KINDS = {"cupy": OnCuPy, "torch": OnTorch, "dry": Dry}


def libraries() -> list[str]:
    """Libraries of this installation that see a CUDA device."""
    found = []
    if importlib.util.find_spec("cupy") is not None:
        import cupy

        try:
            if cupy.cuda.runtime.getDeviceCount():
                found.append("cupy")
        except cupy.cuda.runtime.CUDARuntimeError:  # no driver, or one that is too old
            pass
    if importlib.util.find_spec("torch") is not None:
        import torch

        if torch.cuda.is_available():
            found.append("torch")
    return found
