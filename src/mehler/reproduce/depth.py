"""Kernels of deep maxout networks on real data, beside ReLU, arc-cosine and Gaussian ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler import DeepFeatures, DeepKernel, FourierFeatures, data, learn
from mehler.features.deep import critical_weight_variance
from mehler.proofs_checks.experiments.depth import TangentFeatures
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce._learners import Kernel, gaussian, kernel_ridge, nystroem
from mehler.reproduce._results import Results, curves, difference, table
from mehler.reproduce._rows import Part, Problem, deal, gammas_of, scaled, standardised

_Which = Literal["nngp", "ntk"]
_WHICH: tuple[_Which, ...] = ("nngp", "ntk")

BIAS = 0.05
# Columns of the maps and of Nystroem's method.
COLUMNS = 200
# Beside them: one kernel of the grid, and the shallowest network.
_SHOWN, _SHALLOW = (4, 3), (2, 1)
# Pool and depth of the maps that are drawn.
_DRAWN = (_SHALLOW, (2, 3), (4, 1), _SHOWN)
# Unit and bias variance of the arc-cosine kernels; that of order 1 is the pool of two.
_ORDERS: dict[int, tuple[Literal["step", "relu2"], float]] = {0: ("step", BIAS), 2: ("relu2", 0.0)}
# Rows to learn from and to test on.
_ROWS = {"quick": (120, 200), "full": (300, 500)}
_POOLS = {"quick": (2, 4), "full": (2, 4, 16)}
_DEPTHS = {"quick": (1, 3), "full": (1, 2, 3, 4, 5, 6)}
_SETS: dict[Level, dict[str, Callable[[], Any]]] = {
    "quick": {"digits": data.digits},
    "full": {
        "digits": data.digits,
        "letter": data.letter,
        "magic": data.magic,
        "diamonds": data.diamonds,
        "MNIST": data.mnist_5k,
    },
}
_LAMBDAS = tuple(10.0**k for k in range(-8, 1))
_KINDS = ("NNGP", "NTK")
BEST, RELU = "best maxout kernel", "best ReLU kernel"


def deep(q: int, depth: int) -> DeepKernel:
    """Return a maxout network at its critical weight variance; q = 2 is ReLU at variance 2."""
    w = critical_weight_variance(q)
    return DeepKernel("maxout", depth, pool_size=q, weight_variance=w, bias_variance=BIAS)


def of_network(network: DeepKernel, which: _Which) -> Kernel:
    """Return one of its two kernels, by halves where both arguments are the same rows."""
    compute = getattr(network, which)
    return lambda a, b: compute(a) if a is b else compute(a, b)


def others(X: NDArray[np.float64]) -> dict[str, list[Kernel]]:
    """Return the kernels that are not in the grid; of several, errors of rows left out choose."""
    step, bend = (DeepKernel(unit, 1, bias_variance=bias) for unit, bias in _ORDERS.values())
    return {
        "RBF": [partial(gaussian, gamma=gamma) for gamma in gammas_of(X)],
        "arc-cosine, order 0": [of_network(step, "nngp")],
        "arc-cosine, order 2": [of_network(bend, "nngp")],
        "linear": [lambda a, b: a @ b.T / a.shape[1]],
    }


def features(X: Any, gamma: float, seed: int) -> dict[str, Callable[[Any], Any]]:
    """Return maps of `COLUMNS` columns, by name; `gamma` is what the RBF kernel has chosen."""
    d = X.shape[1]
    fourier = FourierFeatures.draw(d, COLUMNS, gamma=gamma, seed=seed, dtype="float64")
    bases: dict[str, Kernel] = {
        "RBF": partial(gaussian, gamma=gamma),
        f"NNGP, {named(*_SHALLOW)}": of_network(deep(*_SHALLOW), "nngp"),
        f"NNGP, {named(*_SHOWN)}": of_network(deep(*_SHOWN), "nngp"),
        f"NTK, {named(*_SHOWN)}": of_network(deep(*_SHOWN), "ntk"),
    }
    columns = min(COLUMNS, len(X))
    return {
        **_drawn("networks", DeepFeatures, d, COLUMNS, seed),
        "Fourier features": fourier,
        **{f"Nystroem, {name}": nystroem(k, X, columns, seed) for name, k in bases.items()},
    }


def more_features(d: int, seed: int) -> dict[str, Callable[[Any], Any]]:
    """Return maps of `COLUMNS` columns for tangent kernels and for other arc-cosine kernels.

    A tangent map of half the width has as many columns as a network.
    """
    maps = _drawn("tangent features", TangentFeatures, d, COLUMNS // 2, seed)
    for order, (unit, bias) in _ORDERS.items():
        maps[f"networks, arc-cosine, order {order}"] = DeepFeatures.draw(
            d, (COLUMNS,), activation=unit, bias_variance=bias, seed=seed
        )
    return maps


def _drawn(label: str, family: type[DeepFeatures], d: int, width: int, seed: int) -> dict[str, Any]:
    """Draw maps of some of the maxout networks of `deep`."""
    return {
        f"{label}, {named(q, depth)}": family.draw(
            d,
            (width,) * depth,
            activation="maxout",
            pool_size=q,
            weight_variance=critical_weight_variance(q),
            bias_variance=BIAS,
            seed=seed,
        )
        for q, depth in _DRAWN
    }


def named(q: int, depth: int) -> str:
    """Name a network; the pool of two is ReLU."""
    return f"q = {q}, depth {depth}"


def prepare(level: Level, folder: Path | None) -> dict[str, Problem]:
    """Load the 8 x 8 digits; at level full letters, air showers, diamonds and MNIST's digits too.

    Targets are the codes of classes, or one column.
    """
    problems = {}
    for name, load in _SETS[level].items():
        examples = load()
        rows, classes = examples.X.reshape(len(examples.X), -1), bool(examples.classes)
        y = learn.one_vs_all(examples.y)[0] if classes else scaled(np.log(examples.y))[:, None]
        problems[name] = Problem(rows.astype(np.float64), y, classes, examples.X.ndim == 3)
    return problems


def cells(level: Level) -> list[Cell]:
    """Return draws, exact kernels first; the seed does not see which of both."""
    return [
        Cell({"data": name, "draw": draw, "machines": kind})
        for draw in range(10)
        for kind in ("kernels", "features", "more features")
        for name in _SETS[level]
    ]


def split(problem: Problem, n_train: int, n_test: int, seed: int) -> tuple[Part, Part]:
    """Draw both parts, centred and scaled by the first: columns of tables, images as a whole.

    The mean square entry is about 1.
    """
    (X, y), (new, targets) = deal((problem.X, problem.y), seed, n_train, n_test)
    if problem.image:
        mean = X.mean(axis=0)
        deviation = np.sqrt(np.mean((X - mean) ** 2))
        X, new = ((part - mean) / deviation for part in (X, new))
    else:
        X, new = standardised(X, new)
    return (X, y), (new, targets)


def error(values: NDArray[np.float64], targets: NDArray[np.float64], *, classes: bool) -> float:
    """Return mistakes, or the share of the variance that is not explained, in percent."""
    if classes:
        return float(100 * np.mean(values.argmax(axis=1) != targets.argmax(axis=1)))
    return float(100 * np.mean((values - targets) ** 2) / np.var(targets))


def measure(level: Level, problems: dict[str, Problem], cell: Cell, seed: int) -> Measured:
    """Return test and leave-one-out errors of kernels, or of features, on one split."""
    own, kind = cell.seed(seed, _NAME, "machines"), cell.options["machines"]
    problem = problems[cell.options["data"]]
    (X, codes), (new, targets) = split(problem, *_ROWS[level], own)

    def best_of(kernels: list[Kernel]) -> tuple[int, Any]:
        fits = [kernel_ridge(kernel, X, codes, _LAMBDAS) for kernel in kernels]
        best = int(np.argmin([fit.errors.min() for fit in fits]))
        return best, fits[best]

    if kind == "kernels":
        candidates = {
            f"{which.upper()}, {named(q, depth)}": [of_network(deep(q, depth), which)]
            for q in _POOLS[level]
            for depth in _DEPTHS[level]
            for which in _WHICH
        }
        fits = {name: best_of(k)[1] for name, k in {**candidates, **others(X)}.items()}
    else:
        if kind == "features":
            maps = features(X, gammas_of(X)[best_of(others(X)["RBF"])[0]], own)
        else:
            maps = more_features(X.shape[1], own)
        fits = {name: learn.ridge(phi, X, codes, lambdas=_LAMBDAS) for name, phi in maps.items()}
    measured: Measured = {}
    for name, fit in fits.items():
        measured[name] = error(fit.predict(new), targets, classes=problem.classes)
        measured[f"{name}, left out"] = float(fit.errors.min())
    return measured


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return errors over depth and pool, those of other machines, and paired differences."""
    pools, depths, grid, pairs = _POOLS[level], _DEPTHS[level], _grid(level), _pairs(level)
    joined: dict[tuple[str, int], Measured] = {}
    for cell, measured in cells:
        joined.setdefault((cell.options["data"], cell.options["draw"]), {}).update(measured)
    results = Results(
        (Cell({"data": name, "draw": draw}), {**measured, **chosen(measured, level)})
        for (name, draw), measured in joined.items()
    )
    tables, plots, verdicts = [], [], []
    names = results.options("data")
    for name in names:
        some = results.where(data=name)
        _, first = some.cells[0]
        machines = [key for key in first if key != "seconds" and not key.endswith("left out")]
        errors = {key: some.values(key) for key in machines}
        over = {
            f"{kind}, q = {q}": [errors[f"{kind}, {named(q, n)}"] for n in depths]
            for kind in _KINDS
            for q in pools
        }
        tables += [
            table(
                f"{name}: test error in percent, mean ± standard deviation over draws",
                ("kernel; q = 2 is ReLU", *(f"depth {n}" for n in depths)),
                over,
            ),
            table(
                f"{name}: other machines, and what errors of rows left out choose of the grid",
                ("machine", "test error, percent"),
                {key: [values] for key, values in errors.items() if key not in grid},
            ),
        ]
        shown = [f"{kind}, q = {q}" for kind in _KINDS for q in (pools[0], pools[-1])]
        plots.append(
            curves(
                f"{name}: error over depth",
                "hidden layers",
                depths,
                "test error, percent",
                {label: np.transpose(over[label]) for label in shown},
                x_log=False,
            )
        )
        verdicts += [
            difference(
                f"{name}, {left} against {right}",
                errors[left],
                errors[right],
                less="smaller error",
                more="larger error",
                unit="",
                looks=len(pairs) * len(names),
            )
            for left, right in pairs
        ]
    return Page(verdicts=verdicts, tables=tables, plots=plots)


def _grid(level: Level) -> list[str]:
    networks = itertools.product(_KINDS, _POOLS[level], _DEPTHS[level])
    return [f"{kind}, {named(q, depth)}" for kind, q, depth in networks]


def chosen(measured: Measured, level: Level) -> Measured:
    """Return the test errors of the kernels of least leave-one-out error, maxout's and ReLU's."""
    errors = {}
    for label, relu in ((BEST, False), (RELU, True)):
        keys = [key for key in _grid(level) if ("q = 2," in key) == relu]
        errors[label] = measured[min(keys, key=lambda key: measured[f"{key}, left out"])]
    return errors


def _pairs(level: Level) -> list[tuple[str, str]]:
    """Return the machines that are compared."""
    shown, alike = named(*_SHOWN), named(2, _SHOWN[1])
    deepest, one = named(_SHOWN[0], _DEPTHS[level][-1]), named(_SHOWN[0], 1)
    return [
        (BEST, "RBF"),
        (BEST, RELU),
        (BEST, "arc-cosine, order 2"),
        (f"NTK, {shown}", f"NNGP, {shown}"),
        (f"NNGP, {shown}", f"NNGP, {alike}"),
        (f"NNGP, {deepest}", f"NNGP, {one}"),
        (f"networks, {shown}", f"NNGP, {shown}"),
        (f"Nystroem, NNGP, {shown}", f"networks, {shown}"),
        (f"networks, {named(*_SHALLOW)}", "Fourier features"),
        (f"tangent features, {shown}", f"NTK, {shown}"),
        (f"Nystroem, NTK, {shown}", f"tangent features, {shown}"),
        (f"tangent features, {shown}", f"networks, {shown}"),
    ]


_NAME = "depth"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Kernels of deep maxout networks",
    source="Ours; kernels of Lee and others (2018), Jacot and others (2018)",
    printed=(
        "No paper's experiment. Kernel ridge regression with the covariance and the tangent kernel "
        "of maxout networks at their critical weight variance, beside arc-cosine and Gaussian "
        "kernels, random features and Nystroem's method. Errors of rows left out choose ridges and "
        "bandwidths."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={"quick": "the 8 x 8 digits", "full": "digits, letter, magic, diamonds and MNIST"},
)
