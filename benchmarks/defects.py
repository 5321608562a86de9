"""Injected faults and their correct counterparts through the bare command.

`mehler verify FILE:NAME --kernel rbf` with FILE tests/verify/defective_maps.py or
a file of tests/verify/corpus, and nothing else said: status, the headline, and the CPU seconds of
the process and of those that it starts. Then the structural checks alone, in one process, on maps
of 784 x 1000. Run: python benchmarks/defects.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import _harness
import numpy as np

import mehler
from mehler import kernels
from mehler.verify import check_structure

ROOT = Path(__file__).resolve().parents[1]
MAPS = Path("tests", "verify", "defective_maps.py")
CORPUS = Path("tests", "verify", "corpus")
sys.path.insert(0, str(ROOT))
STATUS = {0: "holds", 1: "refuted", 2: "could not run", 3: "inconclusive"}
D, M = 784, 1000


def command(file: Path, name: str) -> dict:
    """Run the command on one map; say what came out and what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "found.json"
        line = [sys.executable, "-m", "mehler", "verify", f"{file}:{name}", "--kernel", "rbf"]
        before = os.times()
        done = subprocess.run(
            [*line, "--json", str(written)], cwd=ROOT, capture_output=True, text=True, check=False
        )
        after = os.times()
        found = json.loads(written.read_text()) if written.exists() else {}
    seconds = sum(getattr(after, k) - getattr(before, k) for k in _CHILDREN)
    headline = found.get("headline") or done.stderr.strip()
    return {"status": STATUS[done.returncode], "headline": headline, "seconds": round(seconds, 2)}


_CHILDREN = ("children_user", "children_system")


def bundle() -> list[dict]:
    """CPU seconds of the bundle alone, for three ways to draw maps of 784 x 1000."""
    from sklearn.kernel_approximation import RBFSampler

    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, D))
    gamma = 1.0 / D

    def sampler(seed, rows, m):
        drawn = RBFSampler(gamma=gamma, n_components=m or M, random_state=seed)
        return drawn.fit(rows).transform

    def ours(seed, rows, m):
        return mehler.FourierFeatures.draw(
            rows.shape[1], m or M, gamma=gamma, seed=seed, form="offset"
        )

    def closure(seed, rows, m):
        if m is not None:
            raise ValueError("one size only")
        rng = np.random.default_rng(seed)
        w = np.sqrt(2.0 * gamma) * rng.standard_normal((D, M))
        b = rng.uniform(0.0, 2.0 * np.pi, M)
        return lambda Z: np.sqrt(2.0 / M) * np.cos(Z @ w + b)

    found = []
    for name, redraw in (
        ("scikit-learn's RBFSampler", sampler),
        ("mehler.FourierFeatures", ours),
        ("a closure of one size", closure),
    ):
        start = time.process_time()
        verdict = check_structure(
            lambda seed, redraw=redraw: redraw(seed, X, None),
            X,
            kernel=kernels.make("rbf", gamma=gamma),
            redraw=redraw,
        )
        seconds = time.process_time() - start
        found.append(
            {
                "map": name,
                "status": verdict.status,
                "draws": verdict.n_draws,
                "seconds": round(seconds, 2),
            }
        )
    return found


def main() -> None:
    from tests.verify.corpus import structure_maps
    from tests.verify.defective_maps import DEFECTS, STRUCTURAL

    rows, raw = [], []
    listed = [(MAPS, name, words) for name, words in DEFECTS.items()]
    corpus = CORPUS / "structure_maps.py"
    listed += [(corpus, name, words) for name, words in structure_maps.FAULTS.items()]
    for file, name, words in listed:
        broken, twin = command(file, name), command(file, f"{name}_twin")
        kind = "statistics" if name in DEFECTS and name not in STRUCTURAL else "structure"
        named = bool(words) and words in broken["headline"]
        raw.append({"defect": name, "kind": kind, "named": named, "broken": broken, "twin": twin})
        said = broken["headline"].partition(" is refuted: ")[2] or broken["headline"]
        rows.append(
            [
                name.replace("_", " "),
                broken["status"],
                said.replace("|", "\\|"),
                f"{broken['seconds']:.1f}",
                twin["status"],
                f"{twin['seconds']:.1f}",
            ]
        )
        print(rows[-1], flush=True)
    large = bundle()
    wrong = [one["defect"] for one in raw if one["broken"]["status"] != "refuted"]
    alarms = [one["defect"] for one in raw if one["twin"]["status"] != "holds"]
    _harness.save(
        "defects",
        f"{len(raw) - len(wrong)} of {len(raw)} faults refuted, "
        f"{sum(one['named'] for one in raw)} by their cause, "
        f"{len(raw) - len(alarms)} of {len(raw)} "
        f"counterparts hold; the structural checks alone on {D} x {M}: "
        + ", ".join(f"{one['map']} {one['seconds']:.1f} s" for one in large),
        ["fault", "status", "headline", "CPU s", "counterpart", "CPU s"],
        rows,
        {"defects": raw, "bundle": large},
    )


if __name__ == "__main__":
    main()
