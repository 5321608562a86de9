"""check_invariance: are features invariant under a group acting on the rows?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mehler._arrays import Array, is_array, require_matrix, to_host
from mehler.verify._arguments import at_most, pay, require_options, root_seed
from mehler.verify._verdict import Verdict
from mehler.verify.budget._ledger import Ledger, passed_to_ledger
from mehler.verify.checks.invariance._exact import exact_invariance
from mehler.verify.checks.invariance._mean_defect import Defect, mean_invariance_defect
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, rows_without_claim

Action = Callable[[Any], Array]


@passed_to_ledger
def check_invariance(
    draw: Callable[[int], Any],
    act: Action | Sequence[Action],
    X: Array,
    *,
    defect: Defect | None = None,
    false_alarm: float = 1e-9,
    resolution: float = 0.02,
    max_draws: int | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    miss: float = 1e-6,
    name: str | None = None,
) -> Verdict:
    """Check that phi(g x) = phi(x), or that E|phi(x) - phi(g x)|^2 is as claimed.

    Parameters
    ----------
    draw : callable
        seed -> map.
    act : callable or sequence of them
        One or several group actions X -> g X that preserve the shape.
    X : array, shape (n, d)
        Rows in general position: a row fixed by g is no evidence.
    defect : float or callable, optional
        X -> (n,), the claimed E|phi(x) - phi(g x)|^2, for a map of kernel k
        k(x,x) + k(gx,gx) - 2 k(x,gx); requires a single g. Default exactly 0, in every draw and
        feature.
    resolution : float
        Without `defect`, the largest fraction of draws (of units, if the map declares them
        independent) that may differ undetected. With it, the smallest deviation that must not be
        missed, as a fraction of (E|phi(x)|^2 + E|phi(g x)|^2)/2.
    max_draws : int, optional
        Largest number of draws.
    false_alarm, seed, ledger, miss, name
        As for `check_kernel`.

    Returns
    -------
    Verdict
        ``observed`` is the fraction that differs, or the mean squared difference at the worst row.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 1 or more (2 with `defect`), an action
        that moves no row.
    BudgetExceeded
        If the ledger cannot pay.

    See Also
    --------
    check_same : Two maps with the same expected kernel.
    check_structure : Dependence on other rows of the batch.

    Notes
    -----
    Exact invariance is refuted by one difference beyond rounding: 1024 eps of the row's largest
    feature (the root of eps in half precision), or a jump that rows next to both rows, their
    entries changed by 64 eps, have as well, as the features of bins and codes do. Rows of integers
    are not changed, and a row on the edge of a bin shows less than others. A claimed defect is a
    mean of unbounded samples. It holds by Catoni's interval at twice a pilot's variance; the
    verdict calls this asymptotic. If that interval excludes the claim, squared differences that
    are larger than claimed refute it without assumptions, smaller ones under bounded moments that
    the samples must not contradict. Else the verdict is *inconclusive*.

    Examples
    --------
    Even functions under x -> -x:

    >>> import numpy as np
    >>> def draw(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 20))
    ...     return lambda X: np.abs(X @ w) / np.sqrt(20)
    >>> check_invariance(draw, lambda X: -X, np.eye(3)).status
    'holds'
    >>> check_invariance(draw, lambda X: X[:, [1, 0, 2]], np.eye(3)).status
    'refuted'
    """
    seed = root_seed(seed)
    asked = require_options("invariance", name, false_alarm, resolution, miss)
    asked.require_below(
        1.0 if defect is None else 2.0, "a share lies in [0, 1] and a relative defect in [0, 4]"
    )
    max_draws = at_most("max_draws", max_draws)
    draws, rows = Draws(draw, seed), rows_without_claim(X)
    actions = list(act) if isinstance(act, Sequence) else [act]
    if not actions or not all(callable(each) for each in actions):
        raise TypeError(f"act={act!r} must be a callable X -> g X, or a sequence of them")
    moved = [_moved(each, rows) for each in actions]
    pay(ledger, asked.name, asked.false_alarm)
    if defect is None:
        return exact_invariance(asked, draws, rows, moved, max_draws)
    if len(moved) != 1:
        raise ValueError("a defect is claimed of one group element: give one action")
    with np.errstate(all="ignore"):
        return mean_invariance_defect(asked, draws, rows, moved[0], defect, max_draws)


def _moved(act: Action, rows: EvaluatedRows) -> EvaluatedRows:
    given = act(rows.given)
    given = given if is_array(given) else np.asarray(given)
    require_matrix(given, name="act(X)")
    host = to_host(given)
    if host.shape != rows.host.shape:
        raise ValueError(f"act(X) has shape {host.shape} but X {rows.host.shape}")
    if np.array_equal(host, rows.host):
        raise ValueError("act(X) equals X at every row: such rows show nothing; give others")
    return EvaluatedRows(given, host, rows.unit)
