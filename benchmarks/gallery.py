"""Third-party maps at `mehler verify`: one process per line, with its output and time.

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
MATERN = "--kernel matern --param nu=1.5 --inputs 4 --features 200"
PLANE = "--kernel rbf --param gamma=0.5 --inputs 2 --features 200"
ARC = "--kernel arc-cosine --param order=1 --inputs 4 --resolution 0.05"
TRANSFORMERS, FAST = "pytorch-fast-transformers", "fast_transformers_maps.py"
EXP = "--kernel exp --param gamma=0.5 --inputs 4 --features 64"


@dataclass(frozen=True)
class Line:
    """A command after `mehler verify`, the package it looks at, and what must come out."""

    package: str
    command: str
    verdict: str = "holds"
    cause: str = ""


LINES = [
    Line("scikit-learn", f"{APPROXIMATION}RBFSampler --kernel rbf --law cos-offset"),
    Line("scikit-learn", f"{APPROXIMATION}SkewedChi2Sampler --kernel skewed-chi2 --law cos-offset"),
    Line("scikit-learn", f"{APPROXIMATION}PolynomialCountSketch --kernel polynomial --law sketch"),
    Line(
        "scikit-learn",
        f"{APPROXIMATION}PolynomialCountSketch --arg degree=3 --arg coef0=1 --features 1000 "
        "--kernel polynomial --param degree=3 --param coef0=1 --law sketch",
    ),
    Line(
        "scikit-learn",
        f"{APPROXIMATION}AdditiveChi2Sampler --kernel additive-chi2",
        "refuted",
        "integer rows",
    ),
    Line(
        "scikit-learn",
        "chi2_floats.py:Floats --arg sample_steps=3 --kernel additive-chi2 --resolution 0.1",
    ),
    Line("scikit-learn", "chi2_floats.py:Floats --kernel additive-chi2", "refuted"),
    Line("scikit-learn", f"{PROJECTION}GaussianRandomProjection --kernel linear --law gaussian"),
    Line("scikit-learn", f"{PROJECTION}SparseRandomProjection --kernel linear"),
    Line("scikit-learn-extra", "sklearn_extra.kernel_approximation:Fastfood --kernel rbf"),
    Line("snapboost", "snapboost.rff_learner:LaplacianSampler --kernel laplacian"),
    Line("pyrff", f"pyrff_samples.py:rbf {RBF} --law cos-offset --resolution 0.05"),
    Line("pyrff", f"pyrff_samples.py:matern {MATERN}", "refuted", "global random state"),
    Line("pyrff", f"pyrff_samples.py:matern_seeded {MATERN}", "refuted", "does not have"),
    Line("pyrff", f"pyrff_samples.py:matern_multivariate {MATERN} --law cos-offset"),
    Line(
        "srf-attention",
        f"srf_simplex.py:simplex {EXP} --law positive-orthogonal",
        "refuted",
        "does not have the kernel",
    ),
    Line(
        "srf-attention",
        f"srf_simplex.py:with_lengths {EXP} --law positive-orthogonal --resolution 0.05",
    ),
    Line("gpytorch", f"gpytorch_rff.py:draw {RBF}"),
    Line("gpytorch", f"gpytorch_rff.py:draw {RBF} --law cos-sin"),
    Line(TRANSFORMERS, f"{FAST}:fourier {RBF}", "refuted", "gamma' = gamma / 2"),
    Line(
        TRANSFORMERS,
        f"{FAST}:smoothed --kernel rbf --param gamma=0.5 --inputs 4 --features 20",
        "refuted",
        "estimate / exact is 0.95",
    ),
    Line(TRANSFORMERS, f"{FAST}:orthogonal {PLANE}", "refuted"),
    Line(TRANSFORMERS, f"{FAST}:orthogonal_other_norms {PLANE}"),
    Line("torch-geometric", f"torch_geometric_performer.py:relu {ARC}", "refuted"),
    Line("botorch", f"botorch_features.py:rbf {RBF}"),
    Line("botorch", f"botorch_features.py:matern {MATERN}"),
    Line("gpjax", f"gpjax_rff.py:rbf {RBF}"),
    Line("gpjax", f"gpjax_rff.py:matern {MATERN}"),
    Line("rfflearn", f"rfflearn_maps.py:random {RBF}"),
    Line("rfflearn", f"rfflearn_maps.py:orthogonal {RBF}", "refuted"),
    Line("rfflearn", f"rfflearn_maps.py:orthogonal_transposed {RBF}"),
    Line(
        "rfflearn",
        "rfflearn_maps.py:quasi --kernel rbf --param gamma=0.5 --inputs 2 --features 200",
        "refuted",
    ),
    Line("performer-pytorch", f"performer_softmax.py:orthogonal {EXP}", "refuted"),
    Line(
        "performer-pytorch",
        "performer_softmax.py:orthogonal --kernel exp --param gamma=0.125 --inputs 64 "
        "--features 256 --law positive-orthogonal",
        "refuted",
    ),
    Line(
        "performer-pytorch",
        f"performer_softmax.py:with_signs {EXP} --law positive-orthogonal --time-limit 300",
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
class Result:
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


def run(line: Line) -> Result:
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
    return Result(
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


def kept() -> dict[str, Result]:
    """Lines of earlier runs, by their command."""
    path = _harness.RESULTS / "gallery.json"
    if not path.exists():
        return {}
    return {row["command"]: Result(**row) for row in json.loads(path.read_text())["rows"]}


def save(results: dict[str, Result]) -> None:
    rows = [results[line.command] for line in LINES if line.command in results]
    _harness.table(
        "gallery",
        "Tested libraries",
        ["package", "after `mehler verify`", "verdict", "features", "seconds", "stderr"],
        [
            [
                f"{row.package} {row.version}",
                f"`{row.command}`",
                row.verdict,
                row.features,
                f"{row.seconds:.1f} ({row.cpu_seconds:.1f} of CPU)",
                f"{row.errors} lines" if row.errors != 1 else "1 line",
            ]
            for row in rows
        ],
        [asdict(row) for row in rows],
    )


def main() -> None:
    # Lines of earlier runs are kept, so that the table does not name the part.
    part = sys.argv.pop() if len(sys.argv) > 1 else ""
    results, wrong = kept() if part else {}, []
    for line in LINES:
        if part in line.command:
            result = run(line)
            print(
                f"{result.verdict:13} {result.seconds:6.1f} s  {result.command}\n    "
                f"{result.headline}",
                flush=True,
            )
            if result.verdict == line.verdict and line.cause in result.headline:
                results[line.command] = result
                save(results)
            else:
                wrong.append(line.command)
    if wrong:
        sys.exit(f"not as stated, and left out: {'; '.join(wrong)}")


if __name__ == "__main__":
    main()
