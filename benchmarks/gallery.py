"""Other people's maps at `mehler verify`: each line a process, with what it said and took.

The maps are other packages', so this needs an environment with all of them: docs/third-party.md.
A line states what must come out, and is left out of the table where something else did. Run:
python benchmarks/gallery.py [PART OF A LINE, to run again those that have it]
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version

import _harness

APPROXIMATION = "sklearn.kernel_approximation:"
PROJECTION = "sklearn.random_projection:"
RBF = "--kernel rbf --param gamma=0.5 --inputs 4 --features 200"


@dataclass(frozen=True)
class Line:
    """A command after `mehler verify`, the package it looks at, and what must come out."""

    package: str
    command: str
    verdict: str = "holds"
    cause: str = ""


LINES = [
    Line("scikit-learn", f"{APPROXIMATION}RBFSampler --kernel rbf"),
    Line("scikit-learn", f"{APPROXIMATION}SkewedChi2Sampler --kernel skewed-chi2"),
    Line("scikit-learn", f"{APPROXIMATION}PolynomialCountSketch --kernel polynomial"),
    Line(
        "scikit-learn",
        f"{APPROXIMATION}PolynomialCountSketch --arg degree=3 --arg coef0=1 --features 1000 "
        "--kernel polynomial --param degree=3 --param coef0=1",
    ),
    Line(
        "scikit-learn",
        f"{APPROXIMATION}Nystroem --arg gamma=1.0 --arg n_components=20 --kernel rbf "
        "--claim close --resolution 1e-6",
    ),
    Line(
        "scikit-learn",
        f"{APPROXIMATION}Nystroem --arg gamma=1.0 --arg n_components=10 --kernel rbf --claim close",
        "refuted",
    ),
    Line(
        "scikit-learn",
        f"{APPROXIMATION}AdditiveChi2Sampler --arg sample_steps=3 --kernel additive-chi2 "
        "--resolution 0.1",
    ),
    Line("scikit-learn", f"{APPROXIMATION}AdditiveChi2Sampler --kernel additive-chi2", "refuted"),
    Line("scikit-learn", f"{PROJECTION}GaussianRandomProjection --kernel linear"),
    Line("scikit-learn", f"{PROJECTION}SparseRandomProjection --kernel linear"),
    Line("scikit-learn-extra", "sklearn_extra.kernel_approximation:Fastfood --kernel rbf"),
    Line("gpytorch", f"gpytorch_rff.py:draw {RBF}"),
    Line("gpytorch", f"gpytorch_rff.py:draw {RBF} --law cos-sin"),
    Line("botorch", f"botorch_features.py:rbf {RBF}"),
    Line(
        "botorch",
        "botorch_features.py:matern --kernel matern --param nu=1.5 --inputs 4 --features 200",
    ),
    Line("gpjax", f"gpjax_rff.py:rbf {RBF}"),
    Line("gpjax", "gpjax_rff.py:matern --kernel matern --param nu=1.5 --inputs 4 --features 200"),
    Line("rfflearn", f"rfflearn_maps.py:random {RBF}"),
    Line("rfflearn", f"rfflearn_maps.py:orthogonal {RBF}", "refuted", "wrong on diagonals"),
    Line("rfflearn", f"rfflearn_maps.py:orthogonal_transposed {RBF}"),
    Line(
        "rfflearn",
        "rfflearn_maps.py:quasi --kernel rbf --param gamma=0.5 --inputs 2 --features 200",
        "refuted",
        "low-discrepancy sequence",
    ),
    Line(
        "performer-pytorch",
        "performer_softmax.py:orthogonal --kernel exp --param gamma=0.5 --inputs 4 --features 64",
        "refuted",
        "QR factorisation",
    ),
    Line(
        "performer-pytorch",
        "performer_softmax.py:orthogonal --kernel exp --param gamma=0.125 --inputs 64 "
        "--features 256 --law positive-orthogonal",
        "refuted",
        "QR factorisation",
    ),
    Line(
        "performer-pytorch",
        "performer_softmax.py:with_signs --kernel exp --param gamma=0.5 --inputs 4 --features 64 "
        "--law positive-orthogonal",
    ),
    Line(
        "geometric-kernels",
        "geometric_sphere.py:random_phases --kernel geometric_sphere.py:kernel --inputs 3 "
        "--features 1500",
        "inconclusive",
        "was not decided",
    ),
    Line(
        "geometric-kernels",
        "geometric_sphere.py:random_phases --kernel geometric_sphere.py:kernel --inputs 3 "
        "--features 1500 --time-limit 900",
    ),
]


@dataclass(frozen=True)
class Found:
    """What a line came to."""

    package: str
    version: str
    command: str
    verdict: str
    headline: str
    seconds: float
    cpu_seconds: float
    features: str
    errors: int


def run(line: Line) -> Found:
    words = [
        f"docs/third_party/{word}" if ".py:" in word else word for word in line.command.split()
    ]
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "mehler", "verify", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=_harness.RESULTS.parent.parent,
    )
    after = os.times()
    verdict = {0: "holds", 1: "refuted", 3: "inconclusive"}.get(done.returncode, "could not run")
    said = re.search(r"([\d\u202f]+) features", done.stdout)
    return Found(
        package=line.package,
        version=version(line.package),
        command=line.command,
        verdict=verdict,
        headline=(done.stdout or done.stderr).strip().splitlines()[0],
        seconds=time.perf_counter() - start,
        cpu_seconds=sum(after[2:4]) - sum(before[2:4]),
        features=said.group(1) if said else "",
        errors=len(done.stderr.splitlines()),
    )


def kept() -> dict[str, Found]:
    """Lines of earlier runs, by their command."""
    path = _harness.RESULTS / "gallery.json"
    if not path.exists():
        return {}
    return {row["command"]: Found(**row) for row in json.loads(path.read_text())["rows"]}


def save(found: dict[str, Found]) -> None:
    rows = [found[line.command] for line in LINES if line.command in found]
    _harness.table(
        "gallery",
        "Other people's maps",
        ["package", "after `mehler verify`", "verdict", "features", "seconds", "stderr"],
        [
            [
                f"{one.package} {one.version}",
                f"`{one.command}`",
                one.verdict,
                one.features,
                f"{one.seconds:.1f} ({one.cpu_seconds:.1f} of CPU)",
                f"{one.errors} lines" if one.errors != 1 else "1 line",
            ]
            for one in rows
        ],
        [asdict(one) for one in rows],
    )


def main() -> None:
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    found, wrong = kept() if part else {}, []
    for line in LINES:
        if part in line.command:
            one = run(line)
            print(
                f"{one.verdict:13} {one.seconds:6.1f} s  {one.command}\n    {one.headline}",
                flush=True,
            )
            if one.verdict == line.verdict and line.cause in one.headline:
                found[line.command] = one
                save(found)
            else:
                wrong.append(line.command)
    if wrong:
        sys.exit(f"not as stated, and left out: {'; '.join(wrong)}")


if __name__ == "__main__":
    main()
