"""All maps and ridge regression on a CUDA device, as shares of what the device itself does.

The device's own rates come first: a large square product, and a copy. Then, for each map, the time
between CUDA events beside the bare product of the same operations and the naive version in three
lines; the shares of the product's rate and of the copy's; and the distance from the same map in
float64 on the host. CuPy and PyTorch on the same device, in float32 and with products in TF32, each
in a process of its own, since that choice is made when a library is loaded.

    python benchmarks/gpu.py          everything that this machine has; writes the table
    python benchmarks/gpu.py --dry    the same calls on the host, small: shows that they run
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys

import _devices
import _harness
import numpy as np

import mehler
from mehler import _arrays, learn
from mehler.features import groups

ROUNDS = 7
CHECKED_ROWS = 64
# Largest error over the largest value. A product in TF32 rounds its inputs to 11 bits.
TOLERANCE = {"float32": 1e-4, "TF32": 2e-2}
# Digits, units that follow one, derivatives at kinks, and counts below thresholds jump where two
# numbers tie to within rounding: the largest share of entries that may.
JUMPS = {"float32": 0.005, "TF32": 0.05}
# label: rows, d, m, q
SIZES = {"d=784 m=5000 q=4": (16_384, 784, 5000, 4), "d=40 m=2000 q=16": (65_536, 40, 2000, 16)}
DRY_SIZES = {"d=24 m=40 q=3": (2100, 24, 40, 3)}
NO_DEVICE = (
    "no CUDA device: neither CuPy nor PyTorch sees one here. Install mehler[cupy12] or [cupy13], "
    "or a PyTorch with CUDA, on a machine that has a device; `--dry` runs the same calls on the "
    "host, without meaning."
)


def maps(d, m, q):
    """Every kind of map, and how many projections a row takes where that is one product."""
    group = groups.CyclicShifts(d).drawn(min(16, d), seed=0)
    draw = {
        "MaxoutFeatures": mehler.MaxoutFeatures.draw(d, m, q, seed=0),
        "MaxoutFeatures, shared": mehler.MaxoutFeatures.draw(d, m, q, seed=0, n_projections=m),
        "MaxoutFeatures, hadamard": mehler.MaxoutFeatures.draw(
            d, m, q, seed=0, projections="hadamard"
        ),
        "DecoupledMaxoutFeatures": mehler.DecoupledMaxoutFeatures.draw(d, m, q, seed=0),
        "MaxoutCodes": mehler.MaxoutCodes.draw(d, m, q, seed=0),
        "FourierFeatures, pairs": mehler.FourierFeatures.draw(d, m, gamma=0.5 / d, seed=0),
        "FourierFeatures, offset": mehler.FourierFeatures.draw(
            d, m, gamma=0.5 / d, form="offset", seed=0
        ),
        "KitchenSinks": mehler.KitchenSinks.draw(d, m, activation="relu", seed=0),
        "DeepFeatures": mehler.DeepFeatures.draw(d, (m, m), activation="relu", seed=0),
        "GroupInvariantFeatures": mehler.GroupInvariantFeatures.draw(
            d, group=group, n_templates=max(1, m // 20), n_bins=5, seed=0
        ),
    }
    products = {name: m for name in draw}
    for name in ("MaxoutFeatures", "DecoupledMaxoutFeatures", "MaxoutCodes"):
        products[name] = m * q
    products["FourierFeatures, pairs"] = m // 2
    products["GroupInvariantFeatures"] = max(1, m // 20) * group.order
    # Their operations are not those of one product.
    del products["MaxoutFeatures, hadamard"], products["DeepFeatures"]
    return draw, products


def rates(device, dry):
    """Operations a second of a square product, bytes a second of a copy: the best of the rounds."""
    n, numbers = (256, 1 << 18) if dry else (8192, 1 << 28)
    a = device.asarray(np.random.default_rng(0).standard_normal((n, n)).astype(np.float32))
    out = device.asarray(np.zeros((n, n), np.float32))
    source = device.asarray(np.ones(numbers, np.float32))
    target = device.asarray(np.zeros(numbers, np.float32))
    found = device.ratios(
        {"product": lambda: device.product(a, a, out), "copy": lambda: device.copy(source, target)},
        ROUNDS,
    )
    return 2 * n**3 / min(found["product"]), 8 * numbers / min(found["copy"])


def error(name, values, exact, precision):
    """How far from float64: the largest error, or the share of entries that jumped; and if it is
    within what is allowed.
    """
    gaps = np.abs(values.astype(np.float64) - exact) / np.abs(exact).max()
    if any(kind in name for kind in ("Decoupled", "Codes", "Tangent", "GroupInvariant")):
        share = float(np.mean(gaps > TOLERANCE[precision]))
        return share, share <= JUMPS[precision]
    return float(gaps.max()), gaps.max() <= TOLERANCE[precision]


def transform(device, label, sizes, own):
    """Rows of the table for every map in one setting."""
    n, d, m, q = sizes
    host = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    x = device.asarray(host)
    drawn, products = maps(d, m, q)
    for name, phi in drawn.items():
        here, width = phi.to(x), products.get(name)
        found = device.ratios(contenders(device, name, here, x, width, sizes), ROUNDS)
        seconds = statistics.median(found[name])
        exact = phi(host[:CHECKED_ROWS].astype(np.float64))
        values = _arrays.to_host(here(x[:CHECKED_ROWS, :]))
        off, good = error(name, values, exact, device.precision)
        moved = 4 * n * d + n * phi.n_features * values.itemsize
        yield {
            "setting": label,
            "what": name,
            "seconds": found[name],
            "over_product": over(found, name, "bare product"),
            "over_naive": over(found, name, "naive"),
            "share_of_product_rate": width and 2 * n * d * width / seconds / own[0],
            "share_of_copy_rate": moved / seconds / own[1],
            "error": off,
            "good": bool(good),
        }


def contenders(device, name, phi, x, width, sizes):
    """The map; the bare product of its operations, if it is one; the naive version of maxout."""
    n, d, m, q = sizes
    runs = {name: lambda: phi(x)}
    if not width:
        return runs
    flat = device.asarray(np.ones((d, width), np.float32))
    out = device.asarray(np.zeros((n, width), np.float32))
    runs["bare product"] = lambda: device.product(x, flat, out)
    if name == "MaxoutFeatures":
        xp = _arrays.array_namespace(x)
        runs["naive"] = lambda: xp.max(xp.reshape(xp.matmul(x, flat), (n, m, q)), axis=2)
    return runs


def over(found, one, other):
    """Median of the rounds' ratios; None where the other was not measured."""
    if other not in found:
        return None
    return statistics.median(a / b for a, b in zip(found[one], found[other], strict=True))


def blocks(device, label, sizes):
    """How many rows at a time suit the device: the maxout map in blocks of several sizes."""
    n, d, m, q = sizes
    x = device.asarray(np.ones((n, d), np.float32))
    phi = mehler.MaxoutFeatures.draw(d, m, q, seed=0, like=x)
    block, weights = phi._transform, phi._weights("float32")

    def run(rows):
        return _arrays.map_rows(
            lambda xp, some: block(xp, some, *weights), x, m, x.dtype, block=rows
        )

    runs = {f"{rows}": lambda rows=rows: run(rows) for rows in (1024, 4096, 16_384)}
    for rows, seconds in device.ratios(runs, ROUNDS).items():
        what = f"MaxoutFeatures, blocks of {rows} rows"
        yield {"setting": label, "what": what, "seconds": seconds}


def ridge(device, label, sizes, own):
    """Sums of a stream, and predictions beside those of float64 on the host."""
    n, d, m, q = sizes
    host = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    targets = np.stack([np.sin(host[:, 0]), np.tanh(host[:, 1])], axis=1)
    x, y = device.asarray(host), device.asarray(targets)
    here = mehler.MaxoutFeatures.draw(d, m, q, seed=0, like=x)
    runs = {"sums": lambda: learn.RidgeSums(here).add(x, y)}
    seconds = device.ratios(runs, ROUNDS)["sums"]
    work = 2 * n * m * (d * q + m)
    few = slice(0, min(n, 4096))
    small = mehler.MaxoutFeatures.draw(d, min(m, 256), q, seed=0)
    (fit,) = learn.RidgeSums(small.to(x)).add(x[few, :], y[few, :]).solve(1e-3)
    wide = host[few].astype(np.float64)
    (same,) = learn.RidgeSums(small).add(wide, targets[few]).solve(1e-3)
    expected = same.predict(wide[:CHECKED_ROWS])
    found = _arrays.to_host(fit.predict(x[:CHECKED_ROWS, :]))
    gap = float(np.abs(found - expected).max() / expected.std())
    yield {
        "setting": label,
        "what": "RidgeSums.add",
        "seconds": seconds,
        "share_of_product_rate": work / statistics.median(seconds) / own[0],
        "error": gap,
        "good": bool(gap <= 10 * TOLERANCE[device.precision]),
    }


def measure(kind, precision):
    """All rows of one library and precision."""
    dry = kind == "dry"
    device = _devices.KINDS[kind](precision)
    sizes = DRY_SIZES if dry else SIZES
    own = rates(device, dry)
    rows = []
    for label, of in sizes.items():
        rows += transform(device, label, of, own)
        rows += ridge(device, label, of, own)
        rows += blocks(device, label, of)
    rates_row = {"product_per_second": own[0], "copy_bytes_per_second": own[1]}
    return {
        "library": device.name,
        "precision": precision,
        "device": device.label(),
        **rates_row,
        "rows": rows,
    }


def in_a_child(kind, precision):
    environment = os.environ | {"CUPY_TF32": "1" if precision == "TF32" else "0"}
    done = subprocess.run(
        [sys.executable, __file__, "--child", kind, precision],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{kind}, {precision}:\n{done.stderr}")
    return json.loads(done.stdout)


def table(found):
    """Cells of every row; a share of a rate that was not measured is left empty."""

    def cell(value, form):
        return "" if value is None else format(value, form)

    for one in found:
        where = f"{one['library']}, {one['precision']}"
        yield [
            where,
            "",
            f"the device: {one['product_per_second'] / 1e12:.3g} Tflop/s, "
            f"{one['copy_bytes_per_second'] / 1e9:.3g} GB/s",
            *[""] * 6,
        ]
        for row in one["rows"]:
            good = {True: "", False: " **too far**", None: ""}[row.get("good")]
            yield [
                where,
                row["setting"],
                row["what"],
                f"{1e3 * statistics.median(row['seconds']):.3g}",
                cell(row.get("over_product"), ".2f"),
                cell(row.get("over_naive"), ".2f"),
                cell(row.get("share_of_product_rate"), ".0%"),
                cell(row.get("share_of_copy_rate"), ".0%"),
                cell(row.get("error"), ".1e") + good,
            ]


HEADER = [
    *("library", "setting", "what", "ms", "over the bare product", "over the naive version"),
    *("share of the product's rate", "share of the copy's rate", "off float64"),
]


def main(arguments):
    if arguments[:1] == ["--child"]:
        print(json.dumps(measure(*arguments[1:])))
        return
    dry = arguments == ["--dry"]
    kinds = ["dry"] if dry else _devices.libraries()
    if not kinds:
        raise SystemExit(NO_DEVICE)
    precisions = ["float32"] if dry else ["float32", "TF32"]
    found = [in_a_child(kind, precision) for kind in kinds for precision in precisions]
    cells = list(table(found))
    if dry:
        print("dry run on the host: these figures mean nothing", *cells, sep="\n")
    else:
        devices = "; ".join(sorted({one["device"] for one in found}))
        _harness.save("gpu", f"On a device: {devices}", HEADER, cells, found)
    if any(row.get("good") is False for one in found for row in one["rows"]):
        raise SystemExit("values are too far from float64: see the last column")


if __name__ == "__main__":
    main(sys.argv[1:])
