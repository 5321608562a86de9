"""What maps, fits and checks ask of a device, counted on a stand-in: none has run on a GPU yet.

Kernel launches, waits of the host and bytes each way of a second call, when weights are there. The
stand-in of CuPy (`tests/devices/standin.py`) computes on the host and counts what a device would
do. Nothing here is a time. Goals are held by `tests/devices/test_goals.py`.

    python benchmarks/devices.py          writes results/devices.md
    python benchmarks/devices.py --dry    few rows, and writes nothing
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np

import mehler
from mehler import learn, verify
from tests.devices import goals, names, standin
from tests.verify.map_kinds import DRAWS

N_ROWS, DRY_ROWS = 20_000, 200
RESULTS = Path(__file__).parent / "results"


def maps(cupy, n_rows):
    """One line a kind of map."""
    for kind in DRAWS:
        found = goals.call(cupy, kind, n_rows)
        yield {
            "what": kind,
            "blocks": found.blocks,
            "launches_per_block": round(found.launches_per_block, 1),
            "goal": found.allowed,
            "launches": found.launches,
            "waits": found.waits,
            "bytes_in": found.bytes_in,
            "bytes_out": found.bytes_out,
        }


def work(cupy, n_rows):
    """One line for what maps are used for."""
    rng = np.random.default_rng(0)
    host = rng.standard_normal((n_rows, 3))
    x, y = cupy.asarray(host), cupy.asarray(np.sin(host[:, :1]))
    phi = mehler.MaxoutFeatures.draw(3, 100, 4, seed=0, like=x)
    far = mehler.MaxoutFeatures.draw(3, 5000, 4, seed=0, like=x, stored=False)

    def draw(seed):
        return mehler.MaxoutFeatures.draw(3, 1000, 4, seed=seed, like=x)

    fit = learn.ridge(phi, x, y, lambdas=[1e-4, 1e-2])
    jobs = {
        "`phi.kernel(X)`, 100 rows": lambda: phi.kernel(x[:100]),
        "`phi.gram(X)`, 100 rows": lambda: phi.gram(x[:100]),
        "`phi(X)`, weights not stored": lambda: far(x[:1000]),
        "`learn.ridge`, 2 lambdas": lambda: learn.ridge(phi, x, y, lambdas=[1e-4, 1e-2]),
        "`fit.predict(X)`": lambda: fit.predict(x),
        "`learn.box_erm`, 500 rows": lambda: learn.box_erm(
            10 * phi(x[:500]), cupy.asarray(np.where(host[:500, 0] > 0, 1, -1)), scale=3.0
        ),
        "`verify.check_kernel`, 4 rows": lambda: verify.check_kernel(
            draw, phi.kernel, x[:4], resolution=0.2
        ),
    }
    for what, job in jobs.items():
        with standin.counted() as found:
            job()
        yield {"what": what, **vars(found)}


def text(measured, version):
    """The tables for the documentation."""
    n_rows = measured["n_rows"]
    lines = [
        "Never run on a device: counted by `python benchmarks/devices.py` on a stand-in with the "
        f"names of CuPy {version}.",
        "",
        f"A second call on {n_rows:,} rows of 3 columns, {goals.N_FEATURES} features, float32. The "
        f"goal is {goals.LAUNCHES} launches a block, and {goals.WAITS} wait a call; the first two "
        "launches look for NaN and infinity.",
        "",
        "| map | blocks | launches a block | waits | bytes in | bytes out |",
        "|---|---|---|---|---|---|",
    ]
    for one in measured["maps"]:
        above = f" (goal {goals.LAUNCHES} missed)" if one["goal"] > goals.LAUNCHES else ""
        lines.append(
            f"| {one['what']} | {one['blocks']} | {one['launches_per_block']:g}{above} | "
            f"{one['waits']} | {one['bytes_in']:,} | {one['bytes_out']:,} |"
        )
    lines += ["", "Goals that are missed:", ""]
    lines += [f"- {kind}: {why}." for kind, (_, why) in goals.ABOVE.items()]
    lines += ["", f"With {n_rows:,} rows unless it is said, 100 features, float64:", ""]
    lines += ["| call | launches | waits | bytes in | bytes out |", "|---|---|---|---|---|"]
    lines += [
        f"| {one['what']} | {one['launches']:,} | {one['waits']:,} | {one['bytes_in']:,} | "
        f"{one['bytes_out']:,} |"
        for one in measured["work"]
    ]
    return "\n".join(lines) + "\n"


def main():
    dry = "--dry" in sys.argv[1:]
    n_rows = DRY_ROWS if dry else N_ROWS
    with standin.installed() as cupy:
        measured = {
            "n_rows": n_rows,
            "maps": list(maps(cupy, n_rows)),
            "work": list(work(cupy, max(n_rows, 1000))),
        }
    version = names.kept()["version"]
    print(text(measured, version))
    if not dry:
        (RESULTS / "devices.md").write_text(text(measured, version))
        (RESULTS / "devices.json").write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()
