"""Write the short tables and the pictures of the pages on performance and on learning.

``python docs/_performance.py`` reads ``benchmarks/results/*.json`` and writes tables to
``docs/performance`` and pictures to ``docs/_static``. No figure of a table is typed by hand.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np
from _style import BLUE, COLOURS, GREEN, GREY, ORANGE, style
from mehler.proofs_checks.experiments.invariant.permutations import BEST, LEAST_SQUARES

from mehler.report.render._svg import logarithmic, plot_on
from mehler.statements import Plot, Series

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results"

Rows = list[dict[str, Any]]


def read(name: str) -> dict[str, Any]:
    """Read one result."""
    result: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return result


def median(rows: Rows, setting: str, contender: str) -> str:
    """Median ratio to two digits; empty where it was not measured."""
    for row in rows:
        if (row["setting"], row["contender"]) == (setting, contender):
            return f"{statistics.median(row['ratios']):.2f}"
    return ""


def table(heads: list[str], rows: list[list[str]], name: str, command: str = "") -> str:
    """Markdown of a table, with the command that measures it."""
    lines = [heads, ["---"] * len(heads), *rows]
    text = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    result = read(name)
    source = (
        f"*`python benchmarks/{command or name + '.py'}`, {result['date']}; {result['machine']}.*"
    )
    return f"{text}\n\n{source}\n"


def pivot(name: str, settings: dict[str, str], contenders: dict[str, str], corner: str) -> str:
    """A table of medians: a row a contender, a column a setting."""
    rows = read(name)["rows"]
    body = [
        [label, *(median(rows, setting, contender) for setting in settings)]
        for contender, label in contenders.items()
    ]
    return table([corner, *settings.values()], body, name)


def maxout() -> str:
    settings = {
        "d=784 m=1000 q=4": "d = 784, m = 1000, q = 4",
        "d=784 m=5000 q=4": "d = 784, m = 5000, q = 4",
        "d=40 m=2000 q=16": "d = 40, m = 2000, q = 16",
    }
    contenders = {
        "MaxoutFeatures": "`MaxoutFeatures`",
        "naive, NumPy": "naive version, NumPy",
        "MaxoutFeatures, shared, P = m": "`MaxoutFeatures`, m shared projections",
        "MaxoutCodes": "`MaxoutCodes`",
        "DecoupledMaxoutFeatures": "`DecoupledMaxoutFeatures`",
        "bare products in blocks, torch": "bare products in blocks, PyTorch",
        "MaxoutFeatures on torch": "`MaxoutFeatures` on PyTorch",
        "DecoupledMaxoutFeatures on torch": "`DecoupledMaxoutFeatures` on PyTorch",
        "MaxoutCodes on torch": "`MaxoutCodes` on PyTorch",
        "naive, torch": "naive version, PyTorch",
    }
    return pivot("transform", settings, contenders, "CPU time over the bare product")


def fourier() -> str:
    settings = {
        "d=784 m=4000": "d = 784, m = 4000",
        "d=784 m=4000, float64": "the same, float64",
        "d=40 m=2000": "d = 40, m = 2000",
        "d=40 m=2000, float64": "the same, float64",
    }
    contenders = {
        "FourierFeatures, pairs": "`FourierFeatures`, pairs",
        "FourierFeatures, offset": "`FourierFeatures`, offset",
        "RBFSampler": "scikit-learn's `RBFSampler`",
        "naive, NumPy": "naive version, NumPy",
        "FourierFeatures, pairs on torch": "`FourierFeatures`, pairs, on PyTorch",
        "naive, torch": "naive version, PyTorch",
    }
    return pivot("transform", settings, contenders, "CPU time over the bare product")


def jax() -> str:
    result = read("compiled")
    maps = dict.fromkeys(row["setting"] for row in result["rows"])
    contenders = ["JAX, bare products in blocks", "JAX", "JAX, jit"]
    body = [[one, *(median(result["rows"], one, name) for name in contenders)] for one in maps]
    heads = ["CPU time over NumPy", "bare products in blocks, JAX", "JAX", "JAX under `jit`"]
    return table(heads, body, "compiled")


def exact() -> str:
    result = read("exact")
    values = {row["what"]: row["value"] for row in result["rows"]}
    body = [
        [size, *(values[f"{other} over ours, a value, q = {size}"] for other in others)]
        for others in [["dblquad", "mpmath", "Monte Carlo to 1e-04"]]
        for size in ("4", "64", "1024")
    ]
    heads = ["q", "SciPy's `dblquad`", "mpmath, 20 digits", "Monte Carlo to 1e-4"]
    return table(heads, body, "exact")


def invariants() -> str:
    result = read("invariants")
    found = {row["setting"]: row for row in result["rows"] if "Invariant" in row["contender"]}
    body = [
        [
            setting,
            median(result["rows"], setting, "GroupInvariantFeatures"),
            median(result["rows"], setting, "broadcast comparisons"),
            f"{row['extra_mib']:.0f}",
        ]
        for setting, row in found.items()
        if row.get("ratios")
    ]
    heads = [
        "CPU time over the bare product",
        "`GroupInvariantFeatures`",
        "broadcast comparisons",
        "MiB beyond the output",
    ]
    return table(heads, body, "invariants")


def agreements() -> str:
    settings = {
        "3072 x 3072 codes, m = 512, q = 4": "m = 512, q = 4",
        "3072 x 3072 codes, m = 256, q = 16": "m = 256, q = 16",
    }
    ways = {
        "PackedCodes.agreements": (
            "`PackedCodes.agreements`",
            ", among themselves",
            " with others",
        ),
        "similarity": ("`MaxoutCodes.similarity`", ", rows among themselves", " with other rows"),
        "similarity, torch": ("the same on PyTorch", ", among themselves", ", with others"),
    }
    contenders = {}
    for name, (label, own, other) in ways.items():
        contenders |= {name + own: f"{label}, one set of rows", name + other: f"{label}, two sets"}
    return pivot("codes", settings, contenders, "CPU time over the one-hot product")


def spread(rows: Rows, setting: str, contender: str) -> tuple[float, float, float] | None:
    """Least, median and largest ratio."""
    for row in rows:
        if (row["setting"], row["contender"]) == (setting, contender):
            return min(row["ratios"]), statistics.median(row["ratios"]), max(row["ratios"])
    return None


def structured() -> Any:
    """Dense and structured projections against the number of inputs."""
    rows = read("projections")["rows"]
    sizes = [2**k for k in range(6, 14)]
    lines = {
        "hadamard, product alone": ("structured product alone", GREY, "-", "^"),
        "MaxoutFeatures, q = 4, gaussian": ("maxout, q = 4, dense", BLUE, "--", "o"),
        "MaxoutFeatures, q = 4, hadamard": ("maxout, q = 4, structured", BLUE, "-", "o"),
        "FourierFeatures, gaussian": ("Fourier, dense", ORANGE, "--", "s"),
        "FourierFeatures, hadamard": ("Fourier, structured", ORANGE, "-", "s"),
    }
    figure, axis = plt.subplots(figsize=(6.6, 4))
    for contender, (label, colour, dash, marker) in lines.items():
        found = [(size, spread(rows, f"d={size}", contender)) for size in sizes]
        x = [size for size, one in found if one]
        low, middle, high = zip(*(one for _, one in found if one), strict=True)
        axis.plot(x, middle, dash, marker=marker, ms=4, lw=1.5, color=colour, label=label)
        axis.fill_between(x, low, high, color=colour, alpha=0.15, lw=0)
    axis.axhline(1, color="black", lw=0.8)
    axis.annotate("bare dense product", (64, 1), (0, -12), textcoords="offset points", fontsize=9)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.set_yticks([0.1, 0.2, 0.5, 1, 2, 5, 10], ["0.1", "0.2", "0.5", "1", "2", "5", "10"])
    axis.minorticks_off()
    axis.set(
        xlabel="inputs d = maxout units = Fourier frequencies",
        ylabel="CPU time over the bare product",
    )
    axis.legend(fontsize=9, loc="lower left")
    return figure


def looseness() -> Any:
    """Proved bounds over the measured quantile, against the number of units."""
    rows = read("bounds")["rows"]
    names = {
        "Lemma 2": ("Lemma 2", GREEN, "^"),
        "Lemma 3, Monte Carlo": ("Lemma 3", ORANGE, "s"),
        "Theorem 2": ("Theorem 2", BLUE, "o"),
    }
    figure, axis = plt.subplots(figsize=(6.6, 4))
    for statement, (label, colour, marker) in names.items():
        for shape, fill, kind in (
            ("dimension-free", colour, "dimension-free"),
            ("paper", "none", "paper's shape"),
        ):
            points = [
                (row["m"], row["looseness"])
                for row in rows
                if (row["statement"], row["shape"]) == (statement, shape)
            ]
            axis.plot(
                *zip(*points, strict=True),
                marker,
                ms=5.5,
                markeredgecolor=colour,
                markerfacecolor=fill,
                label=f"{label}, {kind}",
            )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    axis.set_yticks(ticks, [str(tick) for tick in ticks])
    axis.minorticks_off()
    axis.set(xlabel="units m", ylabel="bound over the measured quantile", ylim=(1, 600))
    axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 1.2), ncols=3)
    return figure


def picks() -> Any:
    """Wrong classes against CPU seconds, a panel a data set, a line a learner."""
    rows = [row for row in read("learners")["rows"] if row["found"]]
    titles = {
        "mnist": "MNIST, 4000 rows",
        "adult": "Adult, 32,561 rows",
        "flights": "flights, 267,346 rows",
    }
    styles = {
        "RandomFeatureRidge, Fourier": (BLUE, "o"),
        "RandomFeatureRidge, maxout": (BLUE, "s"),
        "Nystroem + Ridge": (ORANGE, "o"),
        "Nystroem + LinearSVC": (ORANGE, "s"),
        "Nystroem + SGD": (ORANGE, "^"),
        "SVC": (GREY, "D"),
        "HistGradientBoosting": (GREEN, "*"),
    }
    figure, axes = plt.subplots(1, len(titles), figsize=(9.5, 3.9))
    for axis, (name, title) in zip(axes, titles.items(), strict=True):
        for contender, (colour, marker) in styles.items():
            points = [
                (row["found"]["seconds"], 100 * row["found"]["error"])
                for row in rows
                if (row["setting"], row["contender"]) == (name, contender)
            ]
            if points:
                marks = {"color": colour, "marker": marker, "ms": 5, "lw": 1, "label": contender}
                axis.plot(*zip(*points, strict=True), **marks)
        logarithmic(axis, "x")
        axis.set(title=title, xlabel="CPU seconds, fit and predict")
    axes[0].set_ylabel("wrong classes, %")
    shown: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        shown |= dict(zip(labels, handles, strict=True))
    figure.legend(shown.values(), shown.keys(), fontsize=8, loc="outside lower center", ncols=4)
    figure.set_layout_engine("constrained")
    return figure


def permutations() -> Any:
    """Accuracy on permuted sequences over templates, permutations and training sequences."""
    kept = read("permutations")
    cuts = {f"{2 * int(n) + 1} thresholds": rows for n, rows in kept["templates"]["n"].items()}
    panels = (
        ("templates m", kept["templates"]["m"], cuts),
        ("permutations r, n = m = 25", kept["elements"]["r"], kept["elements"]["drawn"]),
        (
            "training sequences a class",
            kept["training"]["per_class"],
            kept["training"]["features"],
        ),
    )
    figure, axes = plt.subplots(1, len(panels), figsize=(9.5, 4.6), sharey=True)
    references = (
        (LEAST_SQUARES, ":", "least squares on counts"),
        (BEST, "--", "best rule on counts"),
    )
    for exact, dash, label in references:
        axes[0].axhline(exact, color=GREY, lw=1, ls=dash, label=label)
    for axis, (x_label, x, draws) in zip(axes, panels):
        series = []
        for label, rows in draws.items():
            mean, deviation = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
            low, high = mean - deviation, mean + deviation
            series.append(Series(label=label, x=x, y=mean, y_low=low, y_high=high, kind="points"))
        plot = Plot(title="", x_label=x_label, x_log=True, y_label="", series=series)
        plot_on(axis, plot, COLOURS)
        if max(x) > 1000:
            axis.set_xticks(x)  # those of the report would touch in a third of its width
        axis.legend(
            fontsize=8,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            borderaxespad=4.5,
            ncols=2,
            columnspacing=1,
            handlelength=1.6,
        )
    axes[0].set(ylabel="test accuracy", ylim=(0.55, 1.01))
    return figure


TABLES: dict[str, Callable[[], str]] = {
    "maxout": maxout,
    "fourier": fourier,
    "jax": jax,
    "exact": exact,
    "invariants": invariants,
    "agreements": agreements,
}
FIGURES: dict[str, Callable[[], Any]] = {
    "performance-projections": structured,
    "learning-bounds": looseness,
    "learning-contenders": picks,
    "permutations": permutations,
}


def draw(name: str, folder: Path = DOCS / "_static") -> Path:
    """Draw one picture to ``folder / name.svg``."""
    with mpl.rc_context(style(name)):
        figure = FIGURES[name]()
        if figure.get_layout_engine() is None:
            figure.tight_layout()
        target = folder / f"{name}.svg"
        figure.savefig(target, metadata={"Date": None})
        plt.close(figure)
    return target


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit("python docs/_performance.py takes no arguments")
    for chosen, make in TABLES.items():
        target = DOCS / "performance" / f"{chosen}.md"
        target.parent.mkdir(exist_ok=True)
        target.write_text(make(), encoding="utf-8")
        print(target)
    for chosen in FIGURES:
        print(draw(chosen))
