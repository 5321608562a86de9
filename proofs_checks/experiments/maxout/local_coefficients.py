"""Equations (4) and (5) of the maxout paper on digits: what local coefficients are and explain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import DecoupledMaxoutFeatures, MaxoutFeatures, exact, learn
from mehler.statements import Plot

from .. import data
from .._harness import Cell, Experiment, Level
from .._learners import kernel_ridge
from .._results import Measured, Results, Tables, by_row, curves, differences, draws, spread
from .._rows import Part, deal, unit_rows

POOL, LAMBDAS = 4, tuple(10.0 ** np.arange(-7.0, -1.0))
UNITS = {"quick": (100, 400), "full": (100, 400, 1600)}
# Rows to fit on and to explain.
ROWS = {"quick": (300, 100), "full": (600, 100)}
# Of the pixels that are not blank, the fraction that is erased.
ERASED = 0.1
MAPS: dict[str, Any] = {"decoupled": DecoupledMaxoutFeatures, "plain": MaxoutFeatures}
PAIRS = {
    "decoupled": "decoupled map, against equation (4)",
    "plain": "plain map, against equation (4)",
    "gradient": "plain map, against the gradient of its kernel's function",
}
KINDS = {"all": "in all directions", "along": "along the row, the prediction"}
ORDERS = {
    "local": "largest share of the prediction, local coefficients",
    "linear": "largest share, coefficients of a linear model",
    "bright": "brightest",
    "random": "random",
}


def prepare(level: Level, folder: Path | None) -> Part:
    """Load 5000 digits of MNIST, or the 8 x 8 digits at the quick level; rows of length 1."""
    digits = data.digits() if level == "quick" else data.mnist_5k()
    return unit_rows(digits.X, np.float64), digits.y


def measure(level: Level, examples: Part, cell: Cell) -> Measured:
    """Return distances of local coefficients from the kernel's, and predictions that erasing turns.

    By pair, over the numbers of units: ``all``, median over rows of the distance relative to the
    kernel's coefficients; ``along``, the same of the inner products with the row, which are
    predictions. ``turned``: by order of erasing, in percent.
    """
    seed, units = cell.seed(), UNITS[level]
    (X, labels), (rows, _) = deal(examples, seed, *ROWS[level])
    codes, _ = learn.one_vs_all(labels)
    measured: Measured = {kind: {name: [] for name in PAIRS} for kind in KINDS}
    lambdas = {name: chosen(X, codes, name) for name in MAPS}
    for name, kind in MAPS.items():
        beta, targets = kernel_coefficients(X, codes, rows, lambdas[name], name)
        for m in units:
            phi = kind.draw(X.shape[1], m, POOL, seed=seed, like=X)
            # The kernel's own function, its products estimated by the features: equation (5).
            local = phi.local_coefficients(rows, phi(X).T @ beta)
            for pair, target in targets.items():
                for key, distances in zip(KINDS, apart(local, target, rows)):
                    measured[key][pair].append(float(np.median(distances)))
    phi = MAPS["decoupled"].draw(X.shape[1], units[-1], POOL, seed=seed, like=X)
    model = learn.ridge(phi, X, codes, lambdas=lambdas["decoupled"], intercept=False)
    measured["turned"] = _turned((X, codes), rows, model, seed)
    return measured


def kernel_of(rho: NDArray[np.float64], name: str) -> Any:
    """Return the kernel of one of `MAPS` at correlations rho, on rows of length 1."""
    kernel = exact.locally_linear_kernel if name == "decoupled" else exact.maxout_kernel
    return kernel(rho, POOL)


def chosen(X: Any, codes: Any, name: str) -> float:
    """Return the lambda of least leave-one-out error by the exact kernel."""

    def kernel(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
        return kernel_of(np.clip(a @ b.T, -1, 1), name)

    return kernel_ridge(kernel, X, codes, LAMBDAS, by_class=True, intercept=False).lam


def kernel_coefficients(
    X: NDArray[np.float64], codes: NDArray[np.float64], rows: Any, lam: float, name: str
) -> tuple[Any, dict[str, Any]]:
    """Return beta, and the coefficients of the kernel's function, (rows, d, classes), by pair.

    Equation (4) is sum_i beta_i sigma^2 kappa(x, x_i) x_i. The derivative of the plain kernel K by
    rho is kappa, so that the gradient is sum_i beta_i (kappa x_i + (K - rho kappa) x).
    """
    kernel = kernel_of(np.clip(X @ X.T, -1, 1), name)
    beta = np.linalg.solve(kernel + len(X) * lam * np.eye(len(X)), codes)
    rho = np.clip(rows @ X.T, -1, 1)
    kappa = exact.collision_probability(rho, POOL)
    sums = np.einsum("ri,ic,id->rdc", kappa, beta, X, optimize=True)
    equation = exact.sigma2(POOL) * sums
    if name == "decoupled":
        return beta, {"decoupled": equation}
    rest = (kernel_of(rho, name) - rho * kappa) @ beta
    return beta, {"plain": equation, "gradient": sums + rows[:, :, None] * rest[:, None, :]}


def apart(
    local: NDArray[np.float64], target: NDArray[np.float64], rows: NDArray[np.float64]
) -> tuple[Any, Any]:
    """Return relative distances of coefficients, and of their products with the row, (rows,)."""
    away = np.sum((local - target) ** 2, axis=(1, 2)) / np.sum(target**2, axis=(1, 2))
    ours, exacts = (np.einsum("rd,rdc->rc", rows, part) for part in (local, target))
    along = np.sum((ours - exacts) ** 2, axis=1) / np.sum(exacts**2, axis=1)
    return np.sqrt(away), np.sqrt(along)


def _turned(fit: tuple[Any, Any], rows: Any, model: Any, seed: int) -> dict[str, float]:
    """Return the percentage of predictions that change as a tenth of the inked pixels is erased."""
    local = model.phi.local_coefficients(rows, model.weights)
    first = model.predict(rows).argmax(axis=1)
    linear = learn.ridge(lambda a: a, *fit, lambdas=LAMBDAS, intercept=False)
    whole = np.broadcast_to(linear.weights[None], (len(rows), *linear.weights.shape))
    scores = {
        "local": shares(local, rows, first),
        "linear": shares(whole, rows, first),
        "bright": rows,
        "random": np.random.default_rng(seed + 1).uniform(size=rows.shape),
    }
    return {
        name: float(100 * np.mean(model.predict(erased(rows, score)).argmax(axis=1) != first))
        for name, score in scores.items()
    }


def shares(
    coefficients: NDArray[np.float64], rows: NDArray[np.float64], classes: NDArray[np.int64]
) -> Any:
    """Return what each pixel adds to the class over the mean of all classes, (rows, d)."""
    of_class = coefficients[np.arange(len(rows)), :, classes]
    return (of_class - coefficients.mean(axis=2)) * rows


def erased(rows: NDArray[np.float64], scores: NDArray[np.float64]) -> Any:
    """Return rows without the tenth of their inked pixels whose scores are largest."""
    ink = rows > 0
    rank = np.argsort(np.argsort(-np.where(ink, scores, -np.inf), axis=1), axis=1)
    return np.where(rank < np.ceil(ERASED * ink.sum(axis=1, keepdims=True)), 0.0, rows)


def table(level: Level, results: Results) -> Tables:
    """Return distances over the units with their exponents, and what erasing turns."""
    units, rows = UNITS[level], []
    for kind, word in KINDS.items():
        for name, label in PAIRS.items():
            values = results.values(kind, name)
            means = values.mean(axis=0)
            slope = np.log(means[-1] / means[0]) / np.log(units[-1] / units[0])
            columns = {f"m = {m}": spread(column, 3) for m, column in zip(units, values.T)}
            row = {"coefficients": label, "": word} | columns
            rows.append(row | {"as m to the power": f"{slope:.2f}"})
    turns = {label: results.values("turned", name) for name, label in ORDERS.items()}
    pairs = {label: (turns[label], turns["random"]) for label in list(turns)[:-1]}
    what = "8 x 8 digits" if level == "quick" else "5000 digits of MNIST"
    return {
        "Distance of local coefficients from those of the exact kernel, relative, median over "
        f"rows, mean ± standard deviation over draws ({what}, q = {POOL})": rows,
        "Predictions of the decoupled map that change as a tenth of the inked pixels is erased, "
        f"percent, m = {units[-1]}": [
            {"pixels that are erased": label, "turned": spread(part)}
            for label, part in turns.items()
        ],
        "The same less that of random pixels": differences(pairs, "pixels that are erased"),
    }


def figure(level: Level, results: Results) -> list[Plot]:
    """Draw distances over the units, and what erasing turns."""
    distances = {
        f"{label}, {word}": results.values(kind, name)
        for kind, word in KINDS.items()
        for name, label in PAIRS.items()
    }
    caption = "Mean over draws of the median over rows, with its standard error."
    title, x_label = "Distance of local coefficients from the kernel's", "number of units m"
    turns = {label: results.values("turned", name) for name, label in ORDERS.items()}
    erasing = "Predictions that erasing a tenth of the ink turns"
    return [
        curves(title, x_label, UNITS[level], "relative distance", distances, caption, y_log=True),
        by_row(erasing, "percent", turns, x_label="order of the table"),
    ]


EXPERIMENT = Experiment(
    name="maxout-local-coefficients",
    title="Local coefficients",
    source="Mroueh, Rennie, Goel (2015), equations (4) and (5)",
    page=Path(__file__).with_suffix(".md"),
    prepare=prepare,
    cells=lambda level: draws(),
    measure=measure,
    table=table,
    figure=figure,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "5000 digits of MNIST"},
)
