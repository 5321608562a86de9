"""assert_kernel: fail a test unless a feature map is well built and has the claimed kernel."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

from mehler._arrays import Array
from mehler._validate import require_flag
from mehler.verify._arguments import DrawOptions, accepts, in_decimals, require_options
from mehler.verify._diagnosis import with_cause
from mehler.verify._maps import Kernel
from mehler.verify._verdict import Verdict, is_failure, require
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks.structure import check_structure

__tracebackhide__, __unittest = is_failure, True


@accepts(reports=False)
def assert_kernel(
    draw: Callable[[int], Any],
    kernel: Kernel,
    X: Array,
    Y: Array | None = None,
    *,
    structure: bool = True,
    resolution: float = 0.02,
    variance: Kernel | None = None,
    bounds: tuple[float, float] | None = None,
    independent_features: bool = False,
    **options: Unpack[DrawOptions],
) -> Verdict:
    """Assert that a map has a sound structure and the kernel it claims, by two checks.

    Parameters
    ----------
    draw, kernel, X, Y, resolution, variance, bounds, independent_features, **options
        As for `check_kernel`: seed -> map, the claim, rows, the deviation that must not be missed.
    structure : bool
        Whether `check_structure` comes first, at a tenth of `false_alarm`: is each row's feature
        vector a function of the seed and of that row alone?

    Returns
    -------
    Verdict
        The verdict on the kernel, which holds, with the remarks of `check_structure`.

    Raises
    ------
    AssertionError
        If the verdict is refuted or inconclusive: with the likely cause, by `diagnose` in at most
        3 seconds, and the worst pairs. A defect of structure is named before the kernel is checked.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 500))
    ...     return lambda X: X @ signs / np.sqrt(500)
    >>> assert_kernel(draw, lambda X, Y: X @ Y.T, np.eye(3), resolution=0.1).holds
    True
    """
    require_flag("structure", structure)
    terms, remarks = require_options("kernel", options, resolution), ""
    if structure:
        built = check_structure(
            draw,
            X,
            kernel=kernel,
            independent_features=independent_features,
            false_alarm=in_decimals(operator.mul, 0.1, terms.false_alarm),
            seed=terms.seed,
            ledger=terms.ledger,
            name=f"{terms.name}: structure",
        )
        remarks = require(built).reason
        options["false_alarm"] = in_decimals(operator.mul, 0.9, terms.false_alarm)
    declarations: dict[str, Any] = {"variance": variance, "bounds": bounds}
    declarations["independent_features"] = independent_features
    verdict = check_kernel(draw, kernel, X, Y, resolution=resolution, **declarations, **options)
    verdict = with_cause(verdict, draw, kernel, X, Y)
    return require(replace(verdict, reason=f"{verdict.reason} {remarks}".strip()))
