"""400,000 maxout features whose weights are never stored, learned by stochastic gradients.

Spoken digits (20 frames of 13 cepstra, 2000 recordings to learn from, 1000 to test on), as in
`mehler reproduce maxout-table-3`. Each learner runs in a process of its own, whose peak resident
memory and CPU time are measured beside its test error; as many steps with few units tell what is
due to the steps. Before that, what drawing anew costs: the weights by blocks beside one stream of
as many numbers, and a pass over rows with and without stored weights.

    python benchmarks/unstored.py
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

import _harness
import numpy as np

import mehler
from mehler import learn
from mehler.reproduce.maxout import table_3

POOL, LAM, UNITS = 4, 1e-6, 128
MANY, FEW, MOST_EXACT = 400_000, 13_333, 10_000


def descent(m, passes=1):
    def fit(x, codes):
        phi = maps(x, m, stored=False)
        return learn.doubly_stochastic(
            phi,
            x,
            codes,
            lam=LAM,
            seed=0,
            rows_per_step=len(x),
            units_per_step=UNITS,
            n_steps=passes * (m // UNITS),
        )

    return fit


def exact(m):
    def fit(x, codes):
        lambdas = 10.0 ** np.arange(-8, 0)
        return learn.ridge(maps(x, m), x, codes, lambdas=lambdas, scoring="error_rate")

    return fit


def maps(x, m, **options):
    return mehler.MaxoutFeatures.draw(x.shape[1], m, POOL, centred=True, seed=0, like=x, **options)


LEARNERS = {
    f"exact ridge, m = {MOST_EXACT:,}, stored": exact(MOST_EXACT),
    f"stochastic, m = {FEW:,}, one pass": descent(FEW),
    f"stochastic, m = {FEW:,}, {MANY // FEW} passes": descent(FEW, MANY // FEW),
    f"stochastic, m = {MANY:,}, one pass": descent(MANY),
}


def child(name):
    """Learn and test, once; what the process took goes to standard output."""
    world = table_3.prepare("full", None)
    order = np.random.default_rng(0).permutation(len(world.y))
    train, test = order[: world.n_train], order[world.n_train :]
    codes, classes = learn.one_vs_all(world.y)
    before = _peak()
    start = time.process_time()
    fit = LEARNERS[name](world.X[train], codes[train])
    fitted = time.process_time() - start
    found = classes[fit.predict(world.X[test]).argmax(axis=1)]
    print(
        json.dumps(
            {
                "learner": name,
                "error": 100 * float(np.mean(found != world.y[test])),
                "fit_seconds": fitted,
                "predict_seconds": time.process_time() - start - fitted,
                "peak_mib": _peak(),
                "before_mib": before,
            }
        )
    )


def _peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def drawing_anew(d=260, m=1920):
    """Ratios of CPU time: weights by blocks over one stream, passes over those with weights."""
    phi = mehler.MaxoutFeatures.draw(d, m, POOL, seed=0, stored=False)

    def by_blocks():
        for block in phi.unit_blocks():
            block.transform("float32")

    def one_stream():
        rng = np.random.Generator(np.random.Philox(0))
        for block in phi.unit_blocks():
            n = POOL * d * (block.stop - block.start)
            rng.standard_normal(n).astype(np.float32)

    found = {"weights by blocks / one stream": (one_stream, by_blocks)}
    for n in (2000, 8000):
        x = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
        stored = mehler.MaxoutFeatures.draw(d, m, POOL, seed=0, like=x)
        found[f"a pass over {n:,} rows, drawn anew / stored"] = (
            lambda stored=stored, x=x: with_weights(stored, x),
            lambda x=x: drawn_anew(phi, x),
        )
    rows, raw = [], []
    for name, (base, ours) in found.items():
        values = _harness.ratios({"base": base, "ours": ours}, rounds=5)["ours"]
        rows.append([name, _harness.spread(values)])
        raw.append({"what": name, "ratios": values})
        print(rows[-1], flush=True)
    return rows, raw


def drawn_anew(phi, x):
    """A pass that keeps no features: units outermost, rows inner."""
    return sum(
        float(block(x[start : start + 1024]).sum())
        for block in phi.unit_blocks()
        for start in range(0, len(x), 1024)
    )


def with_weights(phi, x):
    """The same by the map that holds its weights."""
    return sum(float(phi(x[start : start + 1024]).sum()) for start in range(0, len(x), 1024))


def main():
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2])
        return
    ratios, raw_ratios = drawing_anew()
    rows, raw = [], []
    for name in LEARNERS:
        done = subprocess.run(
            [sys.executable, __file__, "child", name], capture_output=True, text=True, check=True
        )
        one = json.loads(done.stdout)
        raw.append(one)
        rows.append(
            [
                name,
                f"{one['error']:.1f}",
                f"{one['peak_mib']:.0f}",
                f"{one['fit_seconds']:.0f} + {one['predict_seconds']:.0f}",
            ]
        )
        print(rows[-1], flush=True)
    weights = MANY * POOL * 260 * 4 / 2**20
    text = (
        f"Measured {time.strftime('%Y-%m-%d')} by `python benchmarks/unstored.py` "
        f"({_harness.machine()}): spoken digits, 2000 rows of 260 to learn from, 1000 to test on, "
        f"10 classes, centred maxout, q = {POOL}, float32. The weights of {MANY:,} units alone "
        f"would be {weights:.0f} MiB, and their features of the rows {2000 * MANY * 4 / 2**20:.0f} "
        "MiB.\n\n"
        + table(
            ["learner", "test error, percent", "peak MiB of its process", "CPU s, fit + predict"],
            rows,
        )
        + "\n"
        + table(["drawing anew, d = 260, q = 4", "CPU time ratio, median"], ratios)
    )
    _harness.save_text("unstored", text, {"learners": raw, "ratios": raw_ratios})
    print(text)


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    main()
