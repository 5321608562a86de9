"""Logistic regression on features, and the choice of a classifier by cross-validation."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._rows import Split
from ._methods import Errors

# A learner: of rows of features and their signs, it returns a function of other rows.
Machine = Callable[[Any, Any], Callable[[Any], Any]]


def fitted(
    parts: Split, folds: Any, machines: Sequence[Machine], phi: Callable[[Any], Any]
) -> Errors:
    """Return the best machine's mistakes over `folds`, one a row, and test error in percent."""
    z, y = phi(parts.fit[0]), parts.fit[1]
    wrong = [
        sum(
            int(np.sum(np.sign(fit(z[training], y[training])(z[~training])) != y[~training]))
            for training in (folds != fold for fold in set(folds.tolist()))
        )
        for fit in machines
    ]
    best = machines[int(np.argmin(wrong))](z, y)
    return min(wrong), 100 * parts.error(best(phi(parts.test[0])), parts.test)


def logistic(lam: float) -> Machine:
    """Return logistic regression, which minimises the mean loss and lam |w|^2 of weights w."""
    from sklearn.linear_model import LogisticRegression

    def fit(z: Any, y: Any) -> Callable[[Any], Any]:
        machine = LogisticRegression(C=1 / (2 * lam * len(z)), tol=1e-8, max_iter=1000)
        return machine.fit(z, y).decision_function

    return fit
