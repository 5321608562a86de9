"""Test errors of kernels of deep maxout networks, against ReLU, arc-cosine and Gaussian kernels.

A maxout unit is the largest of q projections, its pool; two make a ReLU. A network's kernel is the
covariance (NNGP) or the tangent kernel (NTK) of infinitely many units per layer. It learns by ridge
regression: exactly, or approximately by columns of random networks or of Nystroem's method.
"""

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler import DeepFeatures, DeepKernel, FourierFeatures, learn
from mehler.features.deep import critical_weight_variance
from mehler.statements import Plot

from .. import data
from .._harness import Cell, Level, declared
from .._learners import Kernel, gaussian, kernel_ridge, nystroem
from .._results import Options, Record, Results, Tables, curves, differences, spread
from .._rows import Part, Problem, deal, gammas_of, scaled, standardised
from ._tangents import TangentFeatures

BIAS = 0.05  # variance of the biases
COLUMNS = 200  # of the maps and of Nystroem's method
# (q, depth), pool size and hidden layers, of networks that are compared, and drawn as features.
SHOWN, SHALLOW = (4, 3), (2, 1)
DRAWN = (SHALLOW, (2, 3), (4, 1), SHOWN)
# Unit and bias variance of the arc-cosine kernels; that of order 1 is the pool of two.
ORDERS: dict[int, tuple[Literal["step", "relu2"], float]] = {0: ("step", BIAS), 2: ("relu2", 0.0)}
ROWS = {"quick": (120, 200), "full": (300, 500)}  # to learn from and to test on
POOLS = {"quick": (2, 4), "full": (2, 4, 16)}
DEPTHS = {"quick": (1, 3), "full": (1, 2, 3, 4, 5, 6)}
SETS = {"quick": ("digits",), "full": ("digits", "letter", "magic", "diamonds", "mnist_5k")}
TITLES = {"mnist_5k": "MNIST"}
LAMBDAS = tuple(10.0**k for k in range(-8, 1))
KINDS = ("NNGP", "NTK")
BEST, RELU = "best maxout kernel", "best ReLU kernel"


def deep(q: int, depth: int) -> DeepKernel:
    """Return a maxout network at its critical weight variance; q = 2 is ReLU at variance 2."""
    w = critical_weight_variance(q)
    return DeepKernel("maxout", depth, pool_size=q, weight_variance=w, bias_variance=BIAS)


def of_network(network: DeepKernel, kind: str) -> Kernel:
    """Return the kernel "NNGP" or "NTK" of a network; of equal rows only half is computed."""
    compute = getattr(network, kind.lower())
    return lambda a, b: compute(a) if a is b else compute(a, b)


def others(X: NDArray[np.float64]) -> dict[str, list[Kernel]]:
    """Return the other kernels by name; of several, leave-one-out errors choose."""
    step, bend = (DeepKernel(unit, 1, bias_variance=bias) for unit, bias in ORDERS.values())
    return {
        "RBF": [partial(gaussian, gamma=gamma) for gamma in gammas_of(X)],
        "arc-cosine, order 0": [of_network(step, "NNGP")],
        "arc-cosine, order 2": [of_network(bend, "NNGP")],
        "linear": [lambda a, b: a @ b.T / a.shape[1]],
    }


def features(X: Any, gamma: float, seed: int) -> dict[str, Callable[[Any], Any]]:
    """Return maps of `COLUMNS` columns, by name; `gamma` is what the RBF kernel has chosen."""
    bases: dict[str, Kernel] = {"RBF": partial(gaussian, gamma=gamma)}
    for kind, net in (("NNGP", SHALLOW), ("NNGP", SHOWN), ("NTK", SHOWN)):
        bases[f"{kind}, {name_of(*net)}"] = of_network(deep(*net), kind)
    fourier = FourierFeatures.draw(X.shape[1], COLUMNS, gamma=gamma, seed=seed, dtype="float64")
    columns = min(COLUMNS, len(X))
    return {
        **draws("networks", DeepFeatures, X.shape[1], COLUMNS, seed),
        "Fourier features": fourier,
        **{f"Nystroem, {name}": nystroem(k, X, columns, seed) for name, k in bases.items()},
    }


def more_features(d: int, seed: int) -> dict[str, Callable[[Any], Any]]:
    """Return maps of tangent kernels, of half the width, and of other arc-cosine kernels."""
    maps = draws("tangent features", TangentFeatures, d, COLUMNS // 2, seed)
    for order, (unit, bias) in ORDERS.items():
        options: Any = {"activation": unit, "bias_variance": bias, "seed": seed}
        maps[f"networks, arc-cosine, order {order}"] = DeepFeatures.draw(d, (COLUMNS,), **options)
    return maps


def draws(label: str, family: type[DeepFeatures], d: int, width: int, seed: int) -> dict[str, Any]:
    """Draw feature maps of the networks `DRAWN`, by name, with layers of one width."""
    maps = {}
    for q, depth in DRAWN:
        options: Any = {"activation": "maxout", "pool_size": q, "bias_variance": BIAS, "seed": seed}
        options["weight_variance"] = critical_weight_variance(q)
        maps[f"{label}, {name_of(q, depth)}"] = family.draw(d, (width,) * depth, **options)
    return maps


def name_of(q: int, depth: int) -> str:
    return f"q = {q}, depth {depth}"


def prepare(level: Level, folder: Path | None) -> dict[str, Problem]:
    """Load the sets; targets are the codes of classes, or one column."""
    problems = {}
    for name in SETS[level]:
        examples = getattr(data, name)()
        rows, classes = examples.X.reshape(len(examples.X), -1), bool(examples.classes)
        y = learn.one_vs_all(examples.y)[0] if classes else scaled(np.log(examples.y))[:, None]
        image = examples.X.ndim == 3
        problems[TITLES.get(name, name)] = Problem(rows.astype(np.float64), y, classes, image)
    return problems


def cells(level: Level) -> list[Options]:
    """Return cells, one measurement each; kernels and features of one draw share their seed."""
    kinds = ("kernels", "features", "more features")
    runs = itertools.product(range(10), kinds, (TITLES.get(name, name) for name in SETS[level]))
    return [{"data": name, "draw": draw, "machines": kind} for draw, kind, name in runs]


def split(problem: Problem, n_train: int, n_test: int, seed: int) -> tuple[Part, Part]:
    """Draw both parts, centred and scaled by the first: columns of tables, images as a whole."""
    (X, y), (new, targets) = deal((problem.X, problem.y), seed, n_train, n_test)
    if problem.image:
        mean = X.mean(axis=0)
        deviation = np.sqrt(np.mean((X - mean) ** 2))
        X, new = ((part - mean) / deviation for part in (X, new))
    else:
        X, new = standardised(X, new)
    return (X, y), (new, targets)


def error(values: NDArray[np.float64], targets: NDArray[np.float64], *, classes: bool) -> float:
    """Return mistakes, or the unexplained part of the variance, in percent."""
    if classes:
        return float(100 * np.mean(values.argmax(axis=1) != targets.argmax(axis=1)))
    return float(100 * np.mean((values - targets) ** 2) / np.var(targets))


def measure(level: Level, problems: dict[str, Problem], cell: Cell) -> Record:
    """Return test and leave-one-out errors of kernels, or of features, on one split."""
    seed, problem = cell.seed("machines"), problems[cell["data"]]
    (X, codes), (new, targets) = split(problem, *ROWS[level], seed)

    def best_of(kernels: list[Kernel]) -> tuple[int, Any]:
        fits = [kernel_ridge(kernel, X, codes, LAMBDAS) for kernel in kernels]
        best = int(np.argmin([fit.errors.min() for fit in fits]))
        return best, fits[best]

    if cell["machines"] == "kernels":
        nets = itertools.product(POOLS[level], DEPTHS[level], KINDS)
        machines = {f"{k}, {name_of(q, n)}": [of_network(deep(q, n), k)] for q, n, k in nets}
        fits = {name: best_of(k)[1] for name, k in {**machines, **others(X)}.items()}
    else:
        if cell["machines"] == "features":
            maps = features(X, gammas_of(X)[best_of(others(X)["RBF"])[0]], seed)
        else:
            maps = more_features(X.shape[1], seed)
        fits = {name: learn.ridge(phi, X, codes, lambdas=LAMBDAS) for name, phi in maps.items()}
    record: Record = {}
    for name, fit in fits.items():
        record[name] = error(fit.predict(new), targets, classes=problem.classes)
        record[f"{name}, left out"] = float(fit.errors.min())
    return record


def grid(level: Level) -> list[str]:
    networks = itertools.product(KINDS, POOLS[level], DEPTHS[level])
    return [f"{kind}, {name_of(q, depth)}" for kind, q, depth in networks]


def machines_by_draw(level: Level, results: Results) -> Results:
    """Merge the cells of each draw, and add the kernels of least leave-one-out error."""
    by_draw: dict[tuple[str, int], Record] = {}
    for cell, record in results.cells:
        by_draw.setdefault((cell["data"], cell["draw"]), {}).update(record)
    return Results(
        ({"data": name, "draw": draw}, {**record, **best_kernels(record, level)})
        for (name, draw), record in by_draw.items()
    )


def best_kernels(record: Record, level: Level) -> Record:
    """Return the test errors of the kernels of least leave-one-out error, maxout's and ReLU's."""
    errors = {}
    for label, relu in ((BEST, False), (RELU, True)):
        keys = [key for key in grid(level) if ("q = 2," in key) == relu]
        errors[label] = record[min(keys, key=lambda key: record[f"{key}, left out"])]
    return errors


def pairs_of_machines(level: Level) -> list[tuple[str, str]]:
    """Return pairs of names: the error of the first is compared with that of the second."""
    network, alike = name_of(*SHOWN), name_of(2, SHOWN[1])
    deepest, shallow = name_of(SHOWN[0], DEPTHS[level][-1]), name_of(SHOWN[0], 1)
    return [
        (BEST, "RBF"),
        (BEST, RELU),
        (BEST, "arc-cosine, order 2"),
        (f"NTK, {network}", f"NNGP, {network}"),
        (f"NNGP, {network}", f"NNGP, {alike}"),
        (f"NNGP, {deepest}", f"NNGP, {shallow}"),
        (f"networks, {network}", f"NNGP, {network}"),
        (f"Nystroem, NNGP, {network}", f"networks, {network}"),
        (f"networks, {name_of(*SHALLOW)}", "Fourier features"),
        (f"tangent features, {network}", f"NTK, {network}"),
        (f"Nystroem, NTK, {network}", f"tangent features, {network}"),
        (f"tangent features, {network}", f"networks, {network}"),
    ]


def table(level: Level, results: Results) -> Tables:
    """Return errors over depth and pool, those of other machines, and paired differences."""
    every, tables, pairs = machines_by_draw(level, results), dict[str, Any](), dict[str, Any]()
    for name in every.options("data"):
        part = every.where(data=name)
        machines = [key for key in part.cells[0][1] if key not in grid(level) and key != "seconds"]
        tables[f"{name}: test error in percent, mean ± standard deviation over draws"] = [
            {"kernel; q = 2 is ReLU": f"{kind}, q = {q}"}
            | {f"depth {n}": spread(part.values(f"{kind}, {name_of(q, n)}")) for n in DEPTHS[level]}
            for kind, q in itertools.product(KINDS, POOLS[level])
        ]
        tables[f"{name}: other machines, and the grid settings chosen by held-out errors"] = [
            {"machine": key, "test error, percent": spread(part.values(key))}
            for key in machines
            if not key.endswith("left out")
        ]
        for left, right in pairs_of_machines(level):
            pairs[f"{name}: {left}, less {right}"] = part.values(left), part.values(right)
    rows = differences(pairs, "machines", tests=len(pairs))
    return {**tables, "Test error in percent, less that of another machine": rows}


def figure(level: Level, results: Results) -> list[Plot]:
    every, depths, plots = machines_by_draw(level, results), DEPTHS[level], []
    for name in every.options("data"):
        errors, values = every.where(data=name), {}
        for kind, q in itertools.product(KINDS, (POOLS[level][0], POOLS[level][-1])):
            columns = [errors.values(f"{kind}, {name_of(q, n)}") for n in depths]
            values[f"{kind}, q = {q}"] = np.stack(columns, axis=1)
        axes = "hidden layers", depths, "test error, percent"
        plots.append(curves(f"{name}: error over depth", *axes, values, x_log=False))
    return plots


EXPERIMENT = declared(
    __name__,  # with the functions prepare, cells, measure, table and figure of this module
    name="depth",
    title="Kernels of deep maxout networks",
    source="Ours; kernels of Lee and others (2018), Jacot and others (2018)",
    data={"quick": "the 8 x 8 digits", "full": "digits, letter, magic, diamonds and MNIST"},
)
