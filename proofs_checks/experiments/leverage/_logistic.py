"""Logistic regression, and the choice among machines by folds of a few labelled rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._rows import Split
from ._methods import Errors

# Of rows and signs, the values at other rows.
Machine = Callable[[Any, Any], Callable[[Any], Any]]


def fitted(
    parts: Split, folds: Any, machines: Sequence[Machine], phi: Callable[[Any], Any]
) -> Errors:
    """Return mistakes over folds, and test error in percent, of the best machine."""
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
    """Return logistic regression with one ridge, of the mean loss and lambda |w|^2."""
    from sklearn.linear_model import LogisticRegression

    def fit(z: Any, y: Any) -> Callable[[Any], Any]:
        machine = LogisticRegression(C=1 / (2 * lam * len(z)), tol=1e-8, max_iter=1000)
        return machine.fit(z, y).decision_function

    return fit
