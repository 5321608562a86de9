"""check_structure: is a map built as a map is: from its seed, row by row, at every size?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import Array, global_states, set_global_states
from mehler._validate import integer, positive, probability
from mehler.verify._arguments import relative_resolution
from mehler.verify._verdict import Status, Verdict
from mehler.verify.budget._ledger import Ledger
from mehler.verify.checks.structure._domain import looked_at
from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._subject import Redraw, Subject
from mehler.verify.checks.structure._verdict import StructureVerdict
from mehler.verify.checks.structure.claim import (
    check_inputs,
    check_lengths,
    check_other_rows,
    check_precision,
    check_sizes,
    check_unused,
)
from mehler.verify.checks.structure.draws import check_columns, check_one_number, check_other_seeds
from mehler.verify.checks.structure.one_map import (
    Elsewhere,
    check_calls,
    check_elsewhere,
    check_global_state,
    check_layouts,
    check_same_seed,
)
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._pairs import Kernel
from mehler.verify.sampling._rows_without_claim import plain_rows

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
# Families of looks that share the error rate.
_FAMILIES = len(_RANDOM) + len(_CLAIMED)


def check_structure(
    draw: Callable[[int], Any],
    X: Array,
    *,
    kernel: Kernel | None = None,
    redraw: Redraw | None = None,
    random: bool = True,
    elsewhere: Elsewhere | None = None,
    false_alarm: float = 1e-9,
    resolution: float = 0.02,
    time_limit: float = 20.0,
    seed: int = 0,
    ledger: Ledger | None = None,
    name: str | None = None,
) -> Verdict:
    r"""Check how a map is built: milliseconds each, before anything statistical.

    A map is :math:`\phi_s(x)`, a function of its seed and of one row. It is called twice, on rows
    in other orders, parts, companies, memory layouts and precisions; drawn again, from nearby
    seeds, from other global random states; its columns are compared, and those of X changed one by
    one. With `kernel` the claim is also looked at for other numbers of columns and features, and
    at other lengths of rows, as far as maps can be drawn for them.

    Parameters
    ----------
    draw : callable
        seed -> map.
    X : array, shape (n, d)
        Rows in the map's own namespace; at most 20 are looked at, with mixtures of them.
    kernel : callable, optional
        (X, Y) -> (n, k), the claim on the mean over draws; takes any number of columns.
    redraw : callable, optional
        (seed, X, n_features) -> map, for rows like X, of so many features, or for None of as many
        as `draw` gives. Without it other widths are asked of the maps that `draw` returns.
    random : bool
        Whether other seeds give independent maps. If not, only what one map does is looked at.
    elsewhere : callable, optional
        (seed, rows) -> features, from a fresh process.
    false_alarm : float
        Chance that a correct map is refuted, shared by all looks at chance by a union bound.
    resolution : float
        Deviations from the claim below a quarter of it are no defect.
    time_limit : float
        Seconds after which no further look is begun; what is left out the verdict says.
    seed : int
        Determines the seeds of all draws.
    ledger : Ledger, optional
        Pays `false_alarm` before the looks; nothing for maps that are not random.
    name : str, optional
        For the verdict and the ledger.

    Returns
    -------
    Verdict
        *refuted*: ``reason`` begins with the cause that explains most, others follow. *holds*:
        nothing was found; ``assumptions`` lists what could not be looked at.

    Raises
    ------
    ValueError, TypeError
        For bad input; whatever the map raises on X itself comes out as it is.
    BudgetExceeded
        If the ledger cannot pay.

    Notes
    -----
    Comparisons of one map allow for the rounding of single precision, and for the jumps it causes.
    What involves chance rests on coins that are fair for correct maps, and on bets on squared
    lengths of features, which need no bound on their tails. Defects that are smaller, or that show
    at sizes or seeds that were not drawn, are not seen: ``docs/structure.md`` lists them.

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
    false_alarm = probability("false_alarm", false_alarm)
    resolution = relative_resolution(resolution)
    time_limit = positive("time_limit", time_limit)
    seed = integer("seed", seed, least=0)
    for label, value in (("draw", draw), ("kernel", kernel), ("redraw", redraw)):
        if value is not None and not callable(value):
            raise TypeError(f"{label}={value!r} must be callable")
    rows = plain_rows(X)
    subject = Subject(
        draw=draw,
        redraw=redraw,
        given=rows.given,
        rows=looked_at(rows.host, seed),
        kernel=kernel if random else None,
        seed=seed,
        rate=false_alarm / _FAMILIES,
        resolution=resolution,
        clock=Clock(time_limit),
    )
    title = name or "structure"
    if ledger is not None and random:
        ledger.spend(title, false_alarm)
    before = global_states()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # What a map warns of is said when its kernel is looked at.
            warnings.simplefilter("ignore")
            found = _look(subject, random, elsewhere)
    finally:
        # A map that moves them on is a finding, and no reason to move them on for others.
        set_global_states(before)
    return _verdict(subject, found, title, false_alarm if random else 0.0)


def _look(subject: Subject, random: bool, elsewhere: Elsewhere | None) -> list[Finding]:
    """Run all checks, until nothing can be said any more."""
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
    looks = (_RANDOM if random else ()) + (_CLAIMED if random and subject.kernel else ())
    for name, look in looks:
        if any(one.check in _NOT_INDEPENDENT for one in found):
            break  # what follows takes draws for independent
        if subject.clock.over:
            subject.notes.skip(name, "time")
            continue
        try:
            found += look(subject)
        except Exception as error:  # whatever a third party raises at other rows and seeds
            subject.notes.skip(name, reason_of(error))
    return sorted(found, key=lambda one: one.late)


def _accepted(subject: Subject) -> Any:
    """Return the rows with mixtures if the map takes them, else the caller's alone."""
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
        n_looks=max(1, subject.looks),
        false_alarm=false_alarm,
        resolution=subject.resolution,
        detectable=float("inf"),
        miss=0.0,
        method=_METHOD,
        assumptions=(*dict.fromkeys(assumes), *subject.notes.lines()),
        where={"check": found[0].check, **found[0].where} if found else {},
        seeds={"seed": subject.seed},
        reason=reason,
        causes=tuple(one.cause for one in found),
    )
