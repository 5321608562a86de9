"""All maps and ridge regression on a CUDA device, as shares of what the device itself does.

The device's own rates come first: a large square product, and a copy. Then, for each map, the time
between CUDA events beside the bare product of the same operations; the shares of both rates; and
the distance from the same map in float64 on the host. CuPy and PyTorch, in float32 and with
products in TF32, each in a process of its own, since libraries choose when they are loaded.

    python benchmarks/gpu.py          everything that this machine has; writes the table
    python benchmarks/gpu.py --dry    the same calls on the host, small: shows that they run
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time

import _harness
import numpy as np

import mehler
from mehler import _arrays, learn
from mehler.features import groups

ROUNDS, CHECKED_ROWS = 7, 64
# Shorter calls are repeated between two events, so that launching does not hide in the clock.
LEAST_SECONDS = 0.02
# Largest error over the largest value. A product in TF32 rounds its inputs to 11 bits.
TOLERANCE = {"float32": 1e-4, "TF32": 2e-2}
# Digits, units that follow one, and counts below thresholds jump where two numbers tie to within
# rounding: the largest share of entries that may.
JUMPS = {"float32": 0.005, "TF32": 0.05}
# label: rows, d, m, q
SIZES = {"d=784 m=5000 q=4": (16_384, 784, 5000, 4), "d=40 m=2000 q=16": (65_536, 40, 2000, 16)}
DRY_SIZES = {"d=24 m=40 q=3": (2100, 24, 40, 3)}
HEADER = [
    *("library", "setting", "what", "ms", "over the bare product"),
    *("share of the product's rate", "share of the copy's rate", "off float64"),
]
NO_DEVICE = (
    "no CUDA device: neither CuPy nor PyTorch sees one here. Install mehler[cupy12] or [cupy13], "
    "or a PyTorch with CUDA, on a machine that has a device; `--dry` runs the same calls on the "
    "host, without meaning."
)


class Device:
    """Arrays, a clock and a product; `dry` is PyTorch on the host, by wall time."""

    def __init__(self, kind, precision="float32"):
        self.kind, self.precision = kind, precision
        if kind == "cupy":  # For TF32 the environment says so before the process begins.
            assert (os.environ.get("CUPY_TF32") == "1") == (precision == "TF32")
        self.library = importlib.import_module("cupy" if kind == "cupy" else "torch")
        if kind != "cupy":
            self.library.set_float32_matmul_precision("high" if precision == "TF32" else "highest")

    def asarray(self, values):
        if self.kind == "cupy":
            return self.library.asarray(values)
        place = "cpu" if self.kind == "dry" else "cuda"
        return self.library.asarray(np.array(values), device=place)

    def label(self):
        if self.kind == "dry":
            return "no device: the host"
        if self.kind == "torch":
            return self.library.cuda.get_device_name()
        return self.library.cuda.runtime.getDeviceProperties(0)["name"].decode()

    def clock(self, run, times):
        """Seconds of so many calls."""
        if self.kind == "dry":
            start = time.perf_counter()
            for _ in range(times):
                run()
            return time.perf_counter() - start
        options = {"enable_timing": True} if self.kind == "torch" else {}
        start, end = (self.library.cuda.Event(**options) for _ in range(2))
        start.record()
        for _ in range(times):
            run()
        end.record()
        end.synchronize()
        if self.kind == "torch":
            return start.elapsed_time(end) / 1e3
        return self.library.cuda.get_elapsed_time(start, end) / 1e3

    def seconds(self, contenders):
        """Seconds of a call of each contender, in turn, round by round, after a warm-up."""
        times = {}
        for name, run in contenders.items():
            run()
            times[name] = max(1, round(LEAST_SECONDS / max(1e-9, self.clock(run, 1))))
        rounds = {name: [] for name in contenders}
        for _ in range(ROUNDS):
            for name, run in contenders.items():
                rounds[name].append(self.clock(run, times[name]) / times[name])
        return rounds


def libraries():
    """Libraries of this installation that see a CUDA device."""
    kinds = []
    for kind in ("cupy", "torch"):
        if importlib.util.find_spec(kind) is not None:
            cuda = importlib.import_module(kind).cuda
            kinds += [kind] if cuda.is_available() else []
    return kinds


def maps(d, m, q):
    """Every kind of map, and how many projections a row takes where that is one product."""
    group = groups.CyclicShifts(d).drawn(min(16, d), seed=0)
    templates, gamma = max(1, m // 20), 0.5 / d
    waves = mehler.FourierFeatures.draw
    pools = mehler.MaxoutFeatures.draw
    return {
        "MaxoutFeatures": (pools(d, m, q, seed=0), m * q),
        "MaxoutFeatures, shared": (pools(d, m, q, seed=0, n_projections=m), m),
        "MaxoutFeatures, hadamard": (pools(d, m, q, seed=0, projections="hadamard"), None),
        "DecoupledMaxoutFeatures": (mehler.DecoupledMaxoutFeatures.draw(d, m, q, seed=0), m * q),
        "MaxoutCodes": (mehler.MaxoutCodes.draw(d, m, q, seed=0), m * q),
        "FourierFeatures, pairs": (waves(d, m, gamma=gamma, seed=0), m // 2),
        "FourierFeatures, offset": (waves(d, m, gamma=gamma, form="offset", seed=0), m),
        "KitchenSinks": (mehler.KitchenSinks.draw(d, m, activation="relu", seed=0), m),
        "DeepFeatures": (mehler.DeepFeatures.draw(d, (m, m), activation="relu", seed=0), None),
        "GroupInvariantFeatures": (
            mehler.GroupInvariantFeatures.draw(
                d, group=group, n_templates=templates, n_bins=5, seed=0
            ),
            templates * group.order,
        ),
    }


def rates(device):
    """Operations a second of a square product, bytes a second of a copy: the best of the rounds."""
    n, numbers = (256, 1 << 18) if device.kind == "dry" else (8192, 1 << 28)
    a = device.asarray(np.random.default_rng(0).standard_normal((n, n)).astype(np.float32))
    source, target = (device.asarray(np.ones(numbers, np.float32)) for _ in range(2))

    def copy():
        target[...] = source

    rounds = device.seconds({"product": lambda: device.library.matmul(a, a), "copy": copy})
    return 2 * n**3 / min(rounds["product"]), 8 * numbers / min(rounds["copy"])


def error(name, values, exact, precision):
    """Return the largest error, or the share of entries that jumped, and whether it is allowed."""
    gaps = np.abs(values.astype(np.float64) - exact) / np.abs(exact).max()
    if any(kind in name for kind in ("Decoupled", "Codes", "GroupInvariant")):
        share = float(np.mean(gaps > TOLERANCE[precision]))
        return share, share <= JUMPS[precision]
    return float(gaps.max()), bool(gaps.max() <= TOLERANCE[precision])


def transform(device, label, sizes, rate):
    """Rows of the table for every map in one setting."""
    n, d, m, q = sizes
    host = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    x = device.asarray(host)
    for name, (phi, width) in maps(d, m, q).items():
        here = phi.to(x)
        runs = {name: lambda here=here: here(x)}
        if width:
            flat = device.asarray(np.ones((d, width), np.float32))
            runs["bare product"] = lambda flat=flat: device.library.matmul(x, flat)
        rounds = device.seconds(runs)
        ms = statistics.median(rounds[name])
        exact = phi(host[:CHECKED_ROWS].astype(np.float64))
        values = _arrays.to_host(here(x[:CHECKED_ROWS, :]))
        off, good = error(name, values, exact, device.precision)
        moved = 4 * n * d + n * phi.n_features * values.itemsize
        over = [a / b for a, b in zip(rounds[name], rounds.get("bare product", ()), strict=False)]
        yield {
            "setting": label,
            "what": name,
            "seconds": rounds[name],
            "over_product": statistics.median(over) if over else None,
            "share_of_product_rate": width and 2 * n * d * width / ms / rate[0],
            "share_of_copy_rate": moved / ms / rate[1],
            "error": off,
            "good": good,
        }


def ridge(device, label, sizes, rate):
    """Sums of a stream, and predictions compared with those of float64 on the host."""
    n, d, m, q = sizes
    host = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    targets = np.stack([np.sin(host[:, 0]), np.tanh(host[:, 1])], axis=1)
    x, y = device.asarray(host), device.asarray(targets)
    here = mehler.MaxoutFeatures.draw(d, m, q, seed=0, like=x)
    seconds = device.seconds({"sums": lambda: learn.RidgeSums(here).add(x, y)})["sums"]
    few = slice(0, min(n, 4096))
    small = mehler.MaxoutFeatures.draw(d, min(m, 256), q, seed=0)
    (fit,) = learn.RidgeSums(small.to(x)).add(x[few, :], y[few, :]).solve(1e-3)
    wide = host[few].astype(np.float64)
    (same,) = learn.RidgeSums(small).add(wide, targets[few]).solve(1e-3)
    exact = same.predict(wide[:CHECKED_ROWS])
    gap = np.abs(_arrays.to_host(fit.predict(x[:CHECKED_ROWS, :])) - exact).max() / exact.std()
    yield {
        "setting": label,
        "what": "RidgeSums.add",
        "seconds": seconds,
        "share_of_product_rate": 2 * n * m * (d * q + m) / statistics.median(seconds) / rate[0],
        "error": float(gap),
        "good": bool(gap <= 10 * TOLERANCE[device.precision]),
    }


def measure(kind, precision):
    """All rows of one library and precision."""
    device = Device(kind, precision)
    rate, rows = rates(device), []
    for label, sizes in (DRY_SIZES if kind == "dry" else SIZES).items():
        rows += [*transform(device, label, sizes, rate), *ridge(device, label, sizes, rate)]
    names = ("library", "precision", "device", "product_per_second", "copy_bytes_per_second")
    return {**dict(zip(names, (kind, precision, device.label(), *rate), strict=True)), "rows": rows}


def in_a_child(kind, precision):
    environment = os.environ | {"CUPY_TF32": "1" if precision == "TF32" else "0"}
    command = [sys.executable, __file__, "--child", kind, precision]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{kind}, {precision}:\n{done.stderr}")
    return json.loads(done.stdout)


def table(runs):
    """Cells of every row; a share that was not measured is left empty."""
    form = {"over_product": ".2f", "share_of_product_rate": ".0%", "share_of_copy_rate": ".0%"}
    for run in runs:
        where = f"{run['library']}, {run['precision']}"
        tera, giga = run["product_per_second"] / 1e12, run["copy_bytes_per_second"] / 1e9
        yield [where, "", f"the device: {tera:.3g} Tflop/s, {giga:.3g} GB/s", *[""] * 5]
        for row in run["rows"]:
            yield [
                *(where, row["setting"], row["what"]),
                f"{1e3 * statistics.median(row['seconds']):.3g}",
                *("" if row.get(k) is None else format(row[k], f) for k, f in form.items()),
                f"{row['error']:.1e}" + ("" if row["good"] else " **too far**"),
            ]


def main(arguments):
    if arguments[:1] == ["--child"]:
        print(json.dumps(measure(*arguments[1:])))
        return
    dry = arguments == ["--dry"]
    kinds = ["dry"] if dry else libraries()
    if not kinds:
        raise SystemExit(NO_DEVICE)
    precisions = ["float32"] if dry else ["float32", "TF32"]
    runs = [in_a_child(kind, precision) for kind in kinds for precision in precisions]
    cells = list(table(runs))
    if dry:
        print("dry run on the host: these figures mean nothing", *cells, sep="\n")
    else:
        devices = "; ".join(sorted({run["device"] for run in runs}))
        _harness.save("gpu", f"On a device: {devices}", HEADER, cells, runs)
    if not all(row["good"] for run in runs for row in run["rows"]):
        raise SystemExit("values are too far from float64: see the last column")


if __name__ == "__main__":
    main(sys.argv[1:])
