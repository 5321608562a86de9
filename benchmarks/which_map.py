"""Which map for which data: accuracy and CPU seconds, compared with models without mehler.

Scikit-learn's five bundled tables, raw and standardised by the training part, by cross-validation
in five folds: once on the digits, in three shuffles on the others. Every random map has 500
columns, the linear model none. mehler's maps are followed by `RandomFeatureRidgeClassifier` (on
diabetes by `RandomFeatureRidge`), scikit-learn's by its own ridge; both choose among the same
penalties by leaving rows out. All else is at its default. Scores are accuracies, on diabetes R^2,
with standard errors over folds; CPU seconds those of a fit with its predictions, in the median.

    python benchmarks/which_map.py [raw] [standardised]
"""

from __future__ import annotations

import sys
import time
import warnings

import _harness
import numpy as np
from sklearn import datasets
from sklearn.base import is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV, RidgeCV
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from mehler.sklearn import (
    DecoupledMaxoutSampler,
    FourierSampler,
    KitchenSinkSampler,
    LeverageSampler,
    MaxoutSampler,
    RandomFeatureRidge,
    RandomFeatureRidgeClassifier,
)

M = 500
LAMBDAS = 10.0 ** np.arange(-8, 1)
DATA = {
    "digits": (datasets.load_digits, 1),
    "breast cancer": (datasets.load_breast_cancer, 3),
    "wine": (datasets.load_wine, 3),
    "iris": (datasets.load_iris, 3),
    "diabetes": (datasets.load_diabetes, 3),
}
MAPS = {
    "`FourierSampler()`": FourierSampler,
    "`FourierSampler(kernel='laplacian')`": lambda **o: FourierSampler(kernel="laplacian", **o),
    "`MaxoutSampler()`": MaxoutSampler,
    "`DecoupledMaxoutSampler()`": DecoupledMaxoutSampler,
    "`KitchenSinkSampler()`, relu": KitchenSinkSampler,
    "`KitchenSinkSampler(bias=1)`": lambda **o: KitchenSinkSampler(bias=1.0, **o),
    "`LeverageSampler()`": LeverageSampler,
}


def contenders(labels: bool, n_rows: int, gamma: float):
    """Estimators by name, for labels or numbers, and rows of that `gamma='scale'`."""
    ridge = RandomFeatureRidgeClassifier if labels else RandomFeatureRidge
    theirs = (RidgeClassifierCV if labels else RidgeCV)(alphas=LAMBDAS * n_rows)
    linear = LogisticRegression(max_iter=1000) if labels else RidgeCV(alphas=LAMBDAS * n_rows)
    found = {
        "linear model": linear,
        "`RBFSampler(gamma='scale')`": make_pipeline(
            RBFSampler(gamma="scale", n_components=M), theirs
        ),
        "`Nystroem`, the same gamma": make_pipeline(
            Nystroem(gamma=gamma, n_components=min(M, n_rows)), theirs
        ),
        "`SVC()`, `SVR()`": SVC() if labels else SVR(),
        "gradient boosting": (
            HistGradientBoostingClassifier() if labels else HistGradientBoostingRegressor()
        ),
    }
    for name, sampler in MAPS.items():
        found[name] = ridge(features=sampler(n_components=M), lambdas=LAMBDAS)
    return found


def seeded(estimator, seed: int):
    """Give all that draws the same seed."""
    names = (n for n in estimator.get_params() if n.split("__")[-1] == "random_state")
    return estimator.set_params(**dict.fromkeys(names, seed))


def measured(X, y, n_shuffles: int, standardised: bool):
    """Scores and seconds of each fold, by contender."""
    found: dict[str, list[tuple[float, float]]] = {}
    labels = y.dtype.kind == "i"
    for seed in range(n_shuffles):
        kind = StratifiedKFold if labels else KFold
        for train, test in kind(5, shuffle=True, random_state=seed).split(X, y):
            rows = StandardScaler().fit(X[train]).transform(X) if standardised else X
            gamma = 1.0 / (X.shape[1] * rows[train].var())
            for name, estimator in contenders(labels, len(train), gamma).items():
                start = time.process_time()
                model = seeded(estimator, seed).fit(rows[train], y[train])
                predicted = model.predict(rows[test])
                seconds = time.process_time() - start
                if is_classifier(model) or labels:
                    score = float(np.mean(predicted == y[test]))
                else:
                    rest = ((predicted - y[test]) ** 2).sum()
                    score = 1.0 - rest / ((y[test] - y[test].mean()) ** 2).sum()
                found.setdefault(name, []).append((score, seconds))
    return found


def main() -> None:
    """Measure all, and write a table for each scaling."""
    warnings.simplefilter("ignore")  # logistic regression on raw rows does not converge
    for scaling in sys.argv[1:] or ("raw", "standardised"):
        raw: list[dict[str, object]] = []
        cells: dict[str, list[str]] = {}
        for data, (load, n_shuffles) in DATA.items():
            X, y = load(return_X_y=True)
            results = {
                name: np.array(scores)
                for name, scores in measured(X, y, n_shuffles, scaling != "raw").items()
            }
            best = max(one[:, 0].mean() for one in results.values())
            for name, one in results.items():
                mean, seconds = one[:, 0].mean(), float(np.median(one[:, 1]))
                error = one[:, 0].std(ddof=1) / len(one) ** 0.5
                text = f"{mean:.3f} ± {error:.3f}"
                text = f"**{text}**" if mean == best else text
                cells.setdefault(name, []).append(f"{text}, {seconds:.2g} s")
                raw.append(
                    {"rows": scaling, "data": data, "map": name}
                    | {"score": mean, "error": error, "seconds": seconds}
                )
        rows = [[name, *row] for name, row in cells.items()]
        _harness.save(f"which_map_{scaling}", scaling, [f"{scaling} rows", *DATA], rows, raw)


if __name__ == "__main__":
    main()
