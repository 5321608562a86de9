"""check_structure: is a map a function of its seed and of each row alone, at every size?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from mehler._arrays import Array, global_states, set_global_states
from mehler._validate import require_flag
from mehler.verify._arguments import DrawOptions, relative_resolution, require_options
from mehler.verify._budget import accepts
from mehler.verify._verdict import Status, Verdict
from mehler.verify.checks.structure._claim import (
    check_inputs,
    check_other_rows,
    check_precision,
    check_sizes,
    check_unused,
)
from mehler.verify.checks.structure._draws import check_columns, check_one_number, check_other_seeds
from mehler.verify.checks.structure._one_map import (
    Elsewhere,
    check_calls,
    check_elsewhere,
    check_global_state,
    check_layouts,
    check_same_seed,
)
from mehler.verify.checks.structure._subject import (
    Finding,
    Redraw,
    StructureVerdict,
    Subject,
    looked_at,
    reason_of,
)
from mehler.verify.checks.structure._trials import check_lengths
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._pairs import Kernel, rows_without_claim

_CLAIM = (
    "features are a function of seed and row alone, different seeds and columns give different "
    "ones, and the claimed kernel is that of every size"
)
_METHOD = "equality up to rounding, fair coins, bets"
_Look = Callable[[Subject], list[Finding]]
_RANDOM: tuple[tuple[str, _Look], ...] = (
    ("other seeds", check_other_seeds),
    ("unused columns", check_unused),
    ("columns", check_columns),
    ("independent columns", check_one_number),
)
_CLAIMED: tuple[tuple[str, _Look], ...] = (
    ("precision", check_precision),
    ("inputs", check_inputs),
    ("sizes", check_sizes),
    ("lengths", check_lengths),
    ("other rows", check_other_rows),
)
_NOT_INDEPENDENT = ("same seed", "global random state", "other seeds")
# Number of families of tests that share the error rate.
_FAMILIES = len(_RANDOM) + len(_CLAIMED)


@accepts("time_limit", "seed", lacks=("miss",))
def check_structure(
    draw: Callable[[int], Any],
    X: Array,
    *,
    kernel: Kernel | None = None,
    redraw: Redraw | None = None,
    random: bool = True,
    elsewhere: Elsewhere | None = None,
    resolution: float = 0.02,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check how a map is built, in milliseconds per test, before any statistics.

    A map is :math:`\phi_s(x)`, a function of its seed and of one row. The check calls it twice and
    on rows reordered, split, combined with others, in other memory layouts and precisions. It draws
    the map again, from nearby seeds and from other global random states. It compares the columns
    of the features and changes those of X one by one. With `kernel` it also tests the claim for
    other numbers of columns and features and other row lengths, as far as maps can be drawn.

    Parameters
    ----------
    draw : callable
        seed -> map.
    X : array, shape (n, d)
        Rows in the map's own namespace; at most 20 are used, with mixtures of them.
    kernel : callable, optional
        (X, Y) -> (n, k), the claim on the mean over draws, for any number of columns.
    redraw : callable, optional
        (seed, X, n_features) -> map for rows like X; n_features=None for the width of `draw`.
        Without it the maps that `draw` returns are tried on other widths.
    random : bool
        Whether other seeds give independent maps. If not, only a single map is tested.
    elsewhere : callable, optional
        (seed, rows) -> features, computed in a fresh process.
    resolution : float
        Deviations from the claim below a quarter of it are no defect.
    **options : DrawOptions
        false_alarm, ledger, name; time_limit, seed. No further test begins after `time_limit`, 20
        seconds by default; the verdict lists the skipped ones. The ledger is charged unless the
        map is not random.

    Returns
    -------
    Verdict
        *refuted*: ``reason`` begins with the cause that explains most, others follow. *holds*:
        nothing was found; ``assumptions`` lists the skipped tests. The causes are in ``causes``.

    Raises
    ------
    ValueError, TypeError
        For bad input; exceptions of the map on X itself propagate.

    See Also
    --------
    check_kernel : The kernel at the given size, to the full resolution.
    check_reproducible : Seeds, with an error rate of its own.

    Notes
    -----
    Comparisons of one map allow for single-precision rounding and the jumps it causes. Random
    tests use coins that are fair for correct maps, and bets on squared lengths of features, which
    need no tail bound. Smaller defects, and those at sizes or seeds that were not drawn, go
    undetected: ``docs/structure.md`` lists them.

    References
    ----------
    J. Ville, Etude critique de la notion de collectif (1939), for the bets.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     rng = np.random.default_rng(seed)
    ...     weights = rng.standard_normal((3, 50))
    ...     return lambda X: X @ weights / np.sqrt(50)
    >>> X = np.random.default_rng(0).standard_normal((6, 3))
    >>> linear = lambda X, Y: X @ Y.T
    >>> check_structure(draw, X, kernel=linear).status
    'holds'
    >>> def centred(seed):
    ...     return lambda X: draw(seed)(X - X.mean(axis=0))
    >>> print(check_structure(centred, X, kernel=linear).reason)  # doctest: +ELLIPSIS
    features depend on the other rows of the batch: ...
    """
    require_flag("random", random)
    asked = require_options("structure", options, relative_resolution(resolution))
    for label, value in (("draw", draw), ("kernel", kernel), ("redraw", redraw)):
        if value is not None and not callable(value):
            raise TypeError(f"{label}={value!r} must be callable")
    rows = rows_without_claim(X)
    subject = Subject(
        draw=draw,
        redraw=redraw,
        given=rows.given,
        rows=looked_at(rows.host, asked.seed),
        kernel=kernel if random else None,
        seed=asked.seed,
        rate=asked.false_alarm / _FAMILIES,
        resolution=asked.resolution,
        clock=Clock(20.0 if asked.time_limit is None else asked.time_limit),
    )
    if random:
        asked.pay()
    before = global_states()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Warnings of the map are shown when its kernel is checked.
            warnings.simplefilter("ignore")
            found = _look(subject, random, elsewhere)
    finally:
        # Advancing the global states is a finding; restore them for everybody else.
        set_global_states(before)
    return _verdict(subject, found, asked.name, asked.false_alarm if random else 0.0)


def _look(subject: Subject, random: bool, elsewhere: Elsewhere | None) -> list[Finding]:
    """Run all checks, or stop at the first finding that makes the others meaningless."""
    subject.rows = _accepted(subject)
    found = check_calls(subject)
    if any(one.last for one in found):
        return found  # nothing that follows could be compared
    seeded = [*check_global_state(subject)]
    seeded += [] if seeded else check_same_seed(subject)
    found += seeded
    if elsewhere is not None and not seeded:
        found += check_elsewhere(subject, elsewhere)
    found += check_layouts(subject)
    checks = (_RANDOM if random else ()) + (_CLAIMED if random and subject.kernel else ())
    for name, check in checks:
        if any(one.check in _NOT_INDEPENDENT for one in found):
            break  # what follows takes draws for independent
        if subject.clock.over:
            subject.notes.skip(name, "time")
            continue
        try:
            found += check(subject)
        except Exception as error:  # whatever a third party raises at other rows and seeds
            subject.notes.skip(name, reason_of(error))
    return sorted(found, key=lambda one: one.late)


def _accepted(subject: Subject) -> Any:
    """Return the rows with mixtures if the map accepts them, else the caller's alone."""
    rows, own = subject.rows, min(subject.given.shape[0], subject.rows.shape[0])
    subject.features(subject.first, rows[:own])
    try:
        subject.features(subject.first)
    except Exception as error:  # mixtures may lie where the map is not defined
        subject.notes.skip("mixtures of the rows", reason_of(error))
        return rows[:own]
    return rows


def _verdict(
    subject: Subject, found: list[Finding], title: str, false_alarm: float
) -> StructureVerdict:
    status: Status = "refuted" if found else "holds"
    reason = ""
    if found:
        rest = [one.cause for one in found[1:]]
        reason = found[0].cause + "." + (f" Also: {'; '.join(rest)}." if rest else "")
    assumes = [line for one in found for line in one.assumes]
    return StructureVerdict(
        status=status,
        check=title,
        claim=_CLAIM,
        observed=float(len(found)),
        exact=0.0,
        interval=(float(len(found)),) * 2,
        n_features=subject.n_features,
        n_draws=subject.n_draws,
        n_intervals=max(1, subject.n_tests),
        false_alarm=false_alarm,
        resolution=subject.resolution,
        detectable=float("inf"),
        miss=0.0,
        method=_METHOD,
        assumptions=(*dict.fromkeys(assumes), *subject.notes.lines()),
        where={"check": found[0].check, **found[0].where} if found else {},
        seeds={"seed": subject.seed},
        reason=reason,
        cause=found[0].cause if found else "",
        causes=tuple(one.cause for one in found),
    )
