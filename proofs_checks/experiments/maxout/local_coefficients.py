"""Local coefficients of maxout maps on digits: weights of pixels that explain a prediction.

A plain unit is the largest of q projections on random weights; a decoupled one projects on other
weights, at the place of the largest. Near a row a model on m units is linear: its coefficients,
equation (5) of Mroueh, Rennie, Goel (2015), are compared with those of the kernel, equation (4).
"""

from pathlib import Path
from typing import Any

import numpy as np

from mehler import DecoupledMaxoutFeatures, MaxoutFeatures, learn
from mehler.statements import Plot

from .. import data
from .._harness import Cell, Level, declared
from .._results import Record, Results, Tables, by_row, curves, differences, draws, spread
from .._rows import Part, deal, unit_rows
from . import _local
from ._local import LAMBDAS, POOL

UNITS = {"quick": (100, 400), "full": (100, 400, 1600)}  # numbers m of maxout units
ROWS = {"quick": (300, 100), "full": (600, 100)}  # to fit on and to explain
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


def measure(level: Level, examples: Part, cell: Cell) -> Record:
    """Return distances of local coefficients from the kernel's, and changes by erasing pixels.

    By pair, over the numbers of units: ``all``, median over rows of the distance relative to the
    kernel's coefficients; ``along``, the same of the inner products with the row, which are
    predictions. ``turned``: changed predictions by order of erasing, in percent.
    """
    seed, units = cell.seed(), UNITS[level]
    (X, labels), (rows, _) = deal(examples, seed, *ROWS[level])
    codes, _ = learn.one_vs_all(labels)
    record: Record = {kind: {name: [] for name in PAIRS} for kind in KINDS}
    lambdas = {name: _local.best_lambda(X, codes, name) for name in MAPS}
    for name, kind in MAPS.items():
        beta, targets = _local.kernel_coefficients(X, codes, rows, lambdas[name], name)
        for m in units:
            phi = kind.draw(X.shape[1], m, POOL, seed=seed, like=X)
            # The kernel's own function, its products estimated by the features: equation (5).
            local = phi.local_coefficients(rows, phi(X).T @ beta)
            for pair, target in targets.items():
                for key, distances in zip(KINDS, _local.relative_distances(local, target, rows)):
                    record[key][pair].append(float(np.median(distances)))
    phi = DecoupledMaxoutFeatures.draw(X.shape[1], units[-1], POOL, seed=seed, like=X)
    model = learn.ridge(phi, X, codes, lambdas=lambdas["decoupled"], intercept=False)
    record["turned"] = _by_erasing((X, codes), rows, model, seed)
    return record


def _by_erasing(fit: tuple[Any, Any], rows: Any, model: Any, seed: int) -> dict[str, float]:
    """Return the percentage of predictions that change as a tenth of the inked pixels is erased."""
    local = model.phi.local_coefficients(rows, model.weights)
    first = model.predict(rows).argmax(axis=1)
    linear = learn.ridge(lambda a: a, *fit, lambdas=LAMBDAS, intercept=False)
    whole = np.broadcast_to(linear.weights[None], (len(rows), *linear.weights.shape))
    scores = {
        "local": _local.contributions(local, rows, first),
        "linear": _local.contributions(whole, rows, first),
        "bright": rows,
        "random": np.random.default_rng(seed + 1).uniform(size=rows.shape),
    }
    turned = {}
    for name, score in scores.items():
        classes = model.predict(_local.without_largest(rows, score)).argmax(axis=1)
        turned[name] = float(100 * np.mean(classes != first))
    return turned


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


EXPERIMENT = declared(
    __name__,  # with the functions prepare, measure, table and figure of this module
    name="maxout-local-coefficients",
    title="Local coefficients",
    source="Mroueh, Rennie, Goel (2015), equations (4) and (5)",
    cells=lambda level: draws(),
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "5000 digits of MNIST"},
)
