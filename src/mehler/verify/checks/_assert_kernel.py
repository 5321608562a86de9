"""assert_kernel: the check of a kernel for test suites."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler._arrays import Array
from mehler._validate import require_flag, require_probability, require_text
from mehler.verify._arguments import root_seed, threads
from mehler.verify._budget import Ledger
from mehler.verify._failure import is_failure, require
from mehler.verify._verdict import Verdict
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks.structure import check_structure
from mehler.verify.sampling._pairs import Kernel

__tracebackhide__, __unittest = is_failure, True


def assert_kernel(
    draw: Callable[[int], Any],
    kernel: Kernel,
    X: Array,
    Y: Array | None = None,
    *,
    structure: bool = True,
    false_alarm: float = 1e-9,
    resolution: float = 0.02,
    max_features: int | None = None,
    variance: Kernel | None = None,
    bounds: tuple[float, float] | None = None,
    independent_features: bool = False,
    seed: int | None = None,
    ledger: Ledger | None = None,
    miss: float = 1e-6,
    time_limit: float | None = None,
    n_jobs: int = 1,
    name: str | None = None,
) -> Verdict:
    """Assert that a map has a sound structure and the kernel it claims.

    Run `check_structure`, then `check_kernel`, and raise AssertionError unless both hold.

    Parameters
    ----------
    draw, kernel, X, Y, resolution, max_features, variance, bounds, independent_features
        As for `check_kernel`.
    structure : bool
        Whether to check the map's structure first, at a tenth of `false_alarm`.
    false_alarm : float
        Probability that a correct map fails.
    seed : int, optional
        Determines the seeds of all draws. Default 0; in a run of pytest with
        ``--mehler-fresh-seeds`` or ``--mehler-seed`` a seed of the test's own.
    ledger, miss, time_limit, n_jobs, name
        As for `check_kernel`.

    Returns
    -------
    Verdict
        The verdict on the kernel, which holds.

    Raises
    ------
    AssertionError
        With the worst pairs in a table, if the verdict is refuted or inconclusive; a defect of
        structure is named first. pytest and unittest show the caller's line alone.

    See Also
    --------
    check_kernel : Returns the verdict instead.
    check_structure : The structural part.

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
    name = require_text("name", name, default="kernel")
    n_jobs = threads(n_jobs)
    false_alarm, seed = require_probability("false_alarm", false_alarm), root_seed(seed)
    if structure:
        built = check_structure(
            draw,
            X,
            kernel=kernel,
            resolution=resolution,
            false_alarm=0.1 * false_alarm,
            seed=seed,
            ledger=ledger,
            name=f"{name}: structure",
        )
        require(built)
        false_alarm *= 0.9
    verdict = check_kernel(
        draw,
        kernel,
        X,
        Y,
        false_alarm=false_alarm,
        resolution=resolution,
        max_features=max_features,
        variance=variance,
        bounds=bounds,
        independent_features=independent_features,
        seed=seed,
        ledger=ledger,
        miss=miss,
        time_limit=time_limit,
        n_jobs=n_jobs,
        name=name,
    )
    return require(verdict)
