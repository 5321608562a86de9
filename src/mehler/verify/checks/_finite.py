"""check_finite: are features finite for extreme but finite inputs?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import Array, from_host, place_of
from mehler._validate import require_integer, require_positive
from mehler.verify._arguments import pay, require_options, root_seed
from mehler.verify._budget import Ledger, passed_to_ledger
from mehler.verify._verdict import Verdict
from mehler.verify._zero_failures import trials_for, zero_failures_verdict
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, rows_without_claim
from mehler.verify.sampling._sources import call


@passed_to_ledger
def check_finite(
    draw: Callable[[int], Any],
    X: Array,
    *,
    largest: float | None = None,
    false_alarm: float = 1e-9,
    resolution: float = 0.1,
    max_draws: int | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    miss: float = 1e-6,
    name: str | None = None,
) -> Verdict:
    """Check that features are finite for zero rows, denormals, huge norms and single rows.

    Parameters
    ----------
    draw : callable
        seed -> map.
    X : array, shape (n, d)
        Ordinary rows, which give dtype and shape of the extreme ones.
    largest : float, optional
        Largest norm to try; default the fourth root of the dtype's largest number (3e77 in
        float64, 4e9 in float32), at which <phi(x), phi(x)> of any map of degree 2 is finite.
    resolution : float
        Largest fraction of draws that may fail undetected.
    max_draws : int, optional
        Largest number of draws.
    false_alarm, seed, ledger, miss, name
        As for `check_kernel`.

    Returns
    -------
    Verdict
        ``observed`` is the fraction of draws with non-finite features; one such draw refutes.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls.

    See Also
    --------
    check_structure : Other properties that need no claim.
    check_precision : Weights that were rounded to float32.

    Notes
    -----
    Correct maps never fail, so a false alarm is impossible; the interval is that of Clopper and
    Pearson. A map that raises an error for finite rows fails, too.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 20))
    ...     return lambda X: X @ w / np.sqrt(20)
    >>> check_finite(draw, np.eye(3)).status
    'holds'
    >>> def normalised(seed):
    ...     return lambda X: draw(seed)(X / np.linalg.norm(X, axis=1, keepdims=True))
    >>> check_finite(normalised, np.eye(3)).where["row"]
    'zero'
    """
    seed = root_seed(seed)
    asked = require_options("finite", name, false_alarm, resolution, miss)
    asked.require_below(1.0, "a share lies in [0, 1]")
    pay(ledger, asked.name, asked.false_alarm)
    draws, rows = Draws(draw, seed), rows_without_claim(X)
    kind = rows.host.dtype if rows.host.dtype.kind == "f" else np.dtype(np.float64)
    info = np.finfo(kind)
    top = float(info.max) ** 0.25 if largest is None else require_positive("largest", largest)
    if top > float(info.max):
        raise ValueError(
            f"largest={largest!r} is not representable in {kind}: give at most {info.max}"
        )
    hostile = _hostile(rows, kind, top)
    trials = trials_for(asked)
    if max_draws is not None:
        trials = min(trials, require_integer("max_draws", max_draws))
    happened, done, reason = 0, 0, ""
    where: dict[str, Any] = {}
    n_features = 0
    while done < trials and not happened:
        phi = draws[done]
        done += 1
        for label, block in hostile.items():
            with np.errstate(all="ignore"):
                try:
                    z = call(phi, block)
                except (ArithmeticError, ValueError) as error:
                    happened, reason = 1, f"The map raised {type(error).__name__}: {error}"
                    where = {"row": label, "seed": draws.seed(done - 1)}
                    break
            n_features = z.shape[1]
            if not np.isfinite(z).all():
                happened, reason = 1, f"Features of the {label} row are not finite."
                where = {"row": label, "seed": draws.seed(done - 1)}
                break
    return zero_failures_verdict(
        asked,
        happened,
        done,
        claim=f"features are finite for {len(hostile)} kinds of hostile finite rows",
        method="binomial (share of draws that fail)",
        n_features=done * n_features,
        n_draws=done,
        assumptions=("draws from different seeds are independent",),
        where=where,
        seeds={"seed": seed},
        reason=reason,
    )


@np.errstate(under="ignore")
def _hostile(rows: EvaluatedRows, kind: Any, top: float) -> dict[str, EvaluatedRows]:
    """Return named blocks of extreme rows, each on the device of the caller's rows."""
    host = rows.host.astype(kind)
    d = host.shape[1]
    info = np.finfo(kind)
    norms = np.linalg.norm(host.astype(np.float64), axis=1, keepdims=True)
    unit = (host / np.where(norms > 0.0, norms, 1.0)).astype(kind)
    mixed = np.resize(np.array([top / np.sqrt(d), float(info.tiny)]), d)
    blocks = {
        "ordinary": host,
        "zero": np.zeros((1, d)),
        "negative zero": -np.zeros((1, d)),
        "zero among ordinary": np.vstack([host[:1], np.zeros((1, d))]),
        "denormal": np.full((1, d), float(info.smallest_subnormal)),
        "tiny": unit * float(info.tiny),
        "huge": unit * top,
        "huge and tiny": mixed[None, :],
        "constant": np.ones((1, d)),
        "axis": np.eye(1, d),
    }
    place = place_of(rows.given)
    made = {}
    for label, block in blocks.items():
        block = np.asarray(block, dtype=kind)
        made[label] = EvaluatedRows(from_host(block, place), block, np.ones(block.shape[0]))
    return made
