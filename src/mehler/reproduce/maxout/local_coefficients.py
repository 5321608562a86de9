"""Equations (4) and (5) of the maxout paper on digits: what local coefficients are and explain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import DecoupledMaxoutFeatures, MaxoutFeatures, data, exact, learn
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce._learners import kernel_ridge
from mehler.reproduce._results import Results, by_row, capital, curves, difference, table
from mehler.reproduce._rows import Part, deal, unit_rows

_POOL = 4
_UNITS = {"quick": (100, 400), "full": (100, 400, 1600)}
# Rows to fit on and to explain.
_ROWS = {"quick": (300, 100), "full": (600, 100)}
_LAMBDAS = tuple(10.0 ** np.arange(-7.0, -1.0))
# Of the pixels that are not blank, the share that is erased.
_ERASED = 0.1
_MAPS: dict[str, Any] = {"decoupled": DecoupledMaxoutFeatures, "plain": MaxoutFeatures}
_PAIRS = {
    "decoupled": "decoupled map, against equation (4)",
    "plain": "plain map, against equation (4)",
    "gradient": "plain map, against the gradient of its kernel's function",
}
_KINDS = {"all": "in all directions", "along": "along the row, the prediction"}
_ORDERS = {
    "local": "largest share of the prediction, local coefficients",
    "linear": "largest share, coefficients of a linear model",
    "bright": "brightest",
    "random": "random",
}


def prepare(level: Level, folder: Path | None) -> Part:
    """Load 5000 digits of MNIST, or the 8 x 8 digits at the quick level; rows of length 1."""
    digits = data.digits() if level == "quick" else data.mnist_5k()
    return unit_rows(digits.X, np.float64), digits.y


def measure(level: Level, examples: Part, cell: Cell, seed: int) -> Measured:
    """Return distances of local coefficients from the kernel's, and predictions that erasing turns.

    By pair, over the numbers of units: ``all``, median over rows of the distance relative to the
    kernel's coefficients; ``along``, the same of the inner products with the row, which are
    predictions. ``turned``: by order of erasing, in percent.
    """
    own, units = cell.seed(seed, _NAME), _UNITS[level]
    (X, labels), (rows, _) = deal(examples, own, *_ROWS[level])
    codes, _ = learn.one_vs_all(labels)
    measured: Measured = {kind: {name: [] for name in _PAIRS} for kind in _KINDS}
    lams = {name: chosen(X, codes, name) for name in _MAPS}
    for name, kind in _MAPS.items():
        beta, targets = kernel_coefficients(X, codes, rows, lams[name], name)
        for m in units:
            phi = kind.draw(X.shape[1], m, _POOL, seed=own, like=X)
            # The kernel's own function, its products estimated by the features: equation (5).
            local = phi.local_coefficients(rows, phi(X).T @ beta)
            for pair, target in targets.items():
                for key, distances in zip(_KINDS, apart(local, target, rows)):
                    measured[key][pair].append(float(np.median(distances)))
    phi = _MAPS["decoupled"].draw(X.shape[1], units[-1], _POOL, seed=own, like=X)
    model = learn.ridge(phi, X, codes, lambdas=lams["decoupled"], intercept=False)
    measured["turned"] = _turned((X, codes), rows, model, own)
    return measured


def kernel_of(rho: NDArray[np.float64], name: str) -> Any:
    """Return the kernel of one of `_MAPS` at correlations rho, on rows of length 1."""
    if name == "decoupled":
        return exact.locally_linear_kernel(rho, _POOL)
    return exact.maxout_kernel(rho, _POOL)


def chosen(X: Any, codes: Any, name: str) -> float:
    """Return the lambda of least leave-one-out error by the exact kernel."""

    def kernel(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
        return kernel_of(np.clip(a @ b.T, -1, 1), name)

    return kernel_ridge(kernel, X, codes, _LAMBDAS, by_class=True, intercept=False).lam


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
    kappa = exact.collision_probability(rho, _POOL)
    sums = np.einsum("ri,ic,id->rdc", kappa, beta, X, optimize=True)
    equation = exact.sigma2(_POOL) * sums
    if name == "decoupled":
        return beta, {"decoupled": equation}
    rest = (kernel_of(rho, name) - rho * kappa) @ beta
    return beta, {"plain": equation, "gradient": sums + rows[:, :, None] * rest[:, None, :]}


def apart(
    local: NDArray[np.float64], target: NDArray[np.float64], rows: NDArray[np.float64]
) -> tuple[Any, Any]:
    """Return relative distances of coefficients, and of their products with the row, (rows,)."""
    away = np.sum((local - target) ** 2, axis=(1, 2)) / np.sum(target**2, axis=(1, 2))
    here, there = (np.einsum("rd,rdc->rc", rows, one) for one in (local, target))
    along = np.sum((here - there) ** 2, axis=1) / np.sum(there**2, axis=1)
    return np.sqrt(away), np.sqrt(along)


def _turned(fit: tuple[Any, Any], rows: Any, model: Any, seed: int) -> dict[str, float]:
    """Return the percentage of predictions that change as a tenth of the inked pixels is erased."""
    local = model.phi.local_coefficients(rows, model.weights)
    values = model.predict(rows)
    first = values.argmax(axis=1)
    linear = learn.ridge(lambda a: a, *fit, lambdas=_LAMBDAS, intercept=False)
    whole = np.broadcast_to(linear.weights[None], (len(rows), *linear.weights.shape))
    rng = np.random.default_rng(seed + 1)
    scores = {
        "local": shares(local, rows, first),
        "linear": shares(whole, rows, first),
        "bright": rows,
        "random": rng.uniform(size=rows.shape),
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
    return np.where(rank < np.ceil(_ERASED * ink.sum(axis=1, keepdims=True)), 0.0, rows)


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return distances over the units, and what erasing turns."""
    units, results = _UNITS[level], Results(cells)
    distances = {
        (label, word): results.values(kind, name)
        for kind, word in _KINDS.items()
        for name, label in _PAIRS.items()
    }
    turns = {label: results.values("turned", name) for name, label in _ORDERS.items()}
    what = "8 x 8 digits" if level == "quick" else "5000 digits of MNIST"
    verdicts = []
    for label in _PAIRS.values():
        away, along = (distances[label, word] for word in _KINDS.values())
        verdicts.append(
            f"{capital(label)}: at m = {units[-1]} off by {away[:, -1].mean():.2f} of the "
            f"coefficients in all directions (as m to the power {_slope(units, away):.2f}), by "
            f"{along[:, -1].mean():.2f} along the row ({_slope(units, along):.2f})."
        )
    verdicts += [
        difference(
            f"erasing by {label} instead of at random",
            share,
            turns["random"],
            less="fewer predictions turn",
            more="more predictions turn",
            unit="",
        )
        for label, share in turns.items()
        if label != "random"
    ]
    tables = (
        table(
            f"Distance of local coefficients from those of the exact kernel, relative, median "
            f"over rows, mean ± standard deviation over draws ({what}, q = {_POOL})",
            ("coefficients", "", *(f"m = {m}" for m in units)),
            {names: values.T for names, values in distances.items()},
            digits=3,
        ),
        table(
            "Predictions of the decoupled map that change as a tenth of the inked pixels is "
            f"erased, percent, m = {units[-1]}",
            ("pixels that are erased", "turned"),
            {label: [share] for label, share in turns.items()},
        ),
    )
    plots = (
        curves(
            "Distance of local coefficients from the kernel's",
            "number of units m",
            units,
            "relative distance",
            {", ".join(names): values for names, values in distances.items()},
            "Mean over draws of the median over rows, with its standard error.",
            y_log=True,
        ),
        by_row(
            "Predictions that erasing a tenth of the ink turns",
            "percent",
            turns,
            x_label="order of the table",
        ),
    )
    return Page(verdicts=verdicts, tables=tables, plots=plots)


def _slope(units: tuple[int, ...], values: Any) -> float:
    """Return the exponent of m by which the mean distance changes from the first to the last."""
    means = values.mean(axis=0)
    return float(np.log(means[-1] / means[0]) / np.log(units[-1] / units[0]))


_NAME = "maxout-local-coefficients"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Local coefficients",
    source="Mroueh, Rennie, Goel (2015), equations (4) and (5)",
    printed=(
        "The function of the kernel is linear with coefficients that change from point to point, "
        "equation (4), and a linear model of features estimates it, (5). The paper shows no "
        "picture of them."
    ),
    prepare=prepare,
    measure=measure,
    page=page,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "5000 digits of MNIST"},
)
