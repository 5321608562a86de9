"""check_structure: is a map a function of its seed and of each row alone, at every size?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, TypeAlias, Unpack, get_args

import numpy as np

from mehler._arrays import Array, global_states, set_global_states
from mehler._validate import require_flag, require_iterable
from mehler.verify._arguments import DrawOptions, relative_resolution, require_options
from mehler.verify._budget import accepts
from mehler.verify._verdict import Status, Verdict
from mehler.verify.checks.structure._calls import check_calls, check_layouts
from mehler.verify.checks.structure._columns import check_columns, check_one_number, check_unused
from mehler.verify.checks.structure._on_request import (
    DECLARATIONS,
    check_finite,
    check_libraries,
    check_weights,
)
from mehler.verify.checks.structure._seeds import (
    Elsewhere,
    check_elsewhere,
    check_global_state,
    check_other_seeds,
    check_same_seed,
    check_seeds,
)
from mehler.verify.checks.structure._sizes import (
    check_inputs,
    check_lengths,
    check_other_rows,
    check_precision,
    check_sizes,
)
from mehler.verify.checks.structure._subject import (
    Finding,
    Redraw,
    StructureVerdict,
    Subject,
    with_mixtures,
)
from mehler.verify.sampling._clock import Clock
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
# Rows that run on request alone, since a map need not promise them, or since they take long.
_ON_REQUEST: dict[str, _Look] = {
    "seeds": check_seeds,
    "finite": check_finite,
    "weights": check_weights,
    "libraries": check_libraries,
    **DECLARATIONS,
}
_Calls: TypeAlias = Literal["calls", "global random state", "same seed", "fresh process", "layouts"]
_Random: TypeAlias = Literal["other seeds", "unused columns", "columns", "independent columns"]
_Claimed: TypeAlias = Literal["precision", "inputs", "sizes", "lengths", "other rows"]
_Usual: TypeAlias = Literal[_Calls, _Random, _Claimed]
_OnRequest: TypeAlias = Literal["seeds", "finite", "weights", "libraries"]
_OfKernels: TypeAlias = Literal["parts", "dtypes", "gram", "declared kernel", "declared variance"]
_OfObjects: TypeAlias = Literal["bad rows", "recipe", "pickle"]
StructureRow: TypeAlias = Literal[_Usual, _OnRequest, _OfKernels, _OfObjects]
STRUCTURE_ROWS: tuple[StructureRow, ...] = get_args(StructureRow)
# Rows that share the error rate.
_BY_CHANCE = {
    *(name for name, _ in (*_RANDOM, *_CLAIMED)),
    "seeds",
    "finite",
    "weights",
    "libraries",
}


@accepts("time_limit", "seed", lacks=("miss",))
def check_structure(
    draw: Callable[[int], Any],
    X: Array,
    *,
    kernel: Kernel | None = None,
    redraw: Redraw | None = None,
    random: bool = True,
    elsewhere: Elsewhere | None = None,
    only: StructureRow | Collection[StructureRow] | None = None,
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
        Whether other seeds give independent maps. If not, a single map is tested.
    elsewhere : callable, optional
        (seed, rows) -> features, computed in a fresh process.
    only : str or collection of str, optional
        Rows of ``docs/structure.md`` to run alone, of `STRUCTURE_ROWS`. Default the usual ones. On
        request: "seeds", sign tests of their independence; "finite", extreme rows; "weights", that
        were rounded to float32; "libraries", by `redraw`; and declarations: "parts",
        "dtypes", "gram", "declared kernel", "declared variance", "bad rows", "recipe", "pickle".
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
        nothing was found; ``assumptions`` lists the skipped tests. *inconclusive*: a row on
        request was skipped, whole or in part. The causes are in ``causes``.

    Raises
    ------
    ValueError, TypeError
        For bad input; exceptions of the map on X itself propagate.

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
    >>> print(check_structure(draw, X, only="bad rows").reason)
    accepts NaN: raise ValueError before any work.
    """
    require_flag("random", random)
    settings = require_options("structure", options, relative_resolution(resolution))
    for label, value in (("draw", draw), ("kernel", kernel), ("redraw", redraw)):
        if value is not None and not callable(value):
            raise TypeError(f"{label}={value!r} must be callable")
    needed: dict[str, Any] = {name: ("kernel", kernel) for name, _ in _CLAIMED}
    needed |= {"libraries": ("redraw", redraw), "fresh process": ("elsewhere", elsewhere)}
    chosen = _chosen(only, needed)
    rows = rows_without_claim(X)
    subject = Subject(
        draw=draw,
        redraw=redraw,
        X=rows.given,
        rows=with_mixtures(rows.host, settings.seed),
        kernel=kernel if random else None,
        seed=settings.seed,
        rate=settings.false_alarm / max(1, len(_BY_CHANCE.intersection(chosen))),
        resolution=settings.resolution,
        clock=Clock(20.0 if settings.time_limit is None else settings.time_limit),
    )
    if random:
        settings.pay()
    before = global_states()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Warnings of the map are shown when its kernel is checked.
            warnings.simplefilter("ignore")
            findings = _findings(subject, random, elsewhere, chosen)
    finally:
        # Advancing the global states is a finding; restore them for everybody else.
        set_global_states(before)
    claim = _CLAIM if only is None else f"rows of the structure of the map: {', '.join(chosen)}"
    return _verdict(
        subject, findings, settings.name, claim, settings.false_alarm if random else 0.0
    )


def _chosen(
    only: StructureRow | Collection[StructureRow] | None, needed: Mapping[str, tuple[str, Any]]
) -> tuple[StructureRow, ...]:
    """Return the rows to run, in their order; `needed` has the option that a row needs."""
    if only is None:
        return get_args(_Usual)
    names = (only,) if isinstance(only, str) else tuple(require_iterable("only", only))
    if not names or not all(name in STRUCTURE_ROWS for name in names):
        raise ValueError(f"only={only!r} must name some of {', '.join(STRUCTURE_ROWS)}")
    for name in names:
        if name in needed and needed[name][1] is None:
            raise ValueError(f"only={name!r} needs {needed[name][0]}=")
    return tuple(name for name in STRUCTURE_ROWS if name in names)


def _findings(
    subject: Subject, random: bool, elsewhere: Elsewhere | None, chosen: Collection[str]
) -> list[Finding]:
    """Run the chosen rows, and put what any call showed first."""
    subject.rows = _accepted(subject)
    early = subject.features(subject.first)
    findings = _in_turn(subject, random, elsewhere, chosen)
    if not findings and "same seed" in chosen:
        late = subject.attempt("the first seed, drawn last", subject.features, subject.first)
        if late is not None and subject.apart(late, early).size:
            cause = (
                "a draw depends on how many were made before: the first seed, drawn last, differs"
            )
            findings = [Finding(cause=cause, check="same seed", where={"seed": subject.first})]
    return [*subject.observed.values(), *sorted(findings, key=lambda each: each.late)]


def _in_turn(
    subject: Subject, random: bool, elsewhere: Elsewhere | None, chosen: Collection[str]
) -> list[Finding]:
    """Run rows, or stop at the first finding that makes the others meaningless."""
    findings = check_calls(subject) if "calls" in chosen else []
    if any(each.last for each in findings):
        return findings  # nothing that follows could be compared
    seeded = check_global_state(subject) if "global random state" in chosen else []
    if "same seed" in chosen and not seeded:
        seeded = check_same_seed(subject)
    findings += seeded
    if elsewhere is not None and "fresh process" in chosen and not seeded:
        findings += check_elsewhere(subject, elsewhere)
    if "layouts" in chosen:
        findings += check_layouts(subject)
    rows = (_RANDOM if random else ()) + (_CLAIMED if random and subject.kernel else ())
    for name, row in rows:
        if name not in chosen:
            continue
        if any(each.check in _NOT_INDEPENDENT for each in findings):
            break  # what follows takes draws for independent
        findings += subject.in_time(name, row, subject) or []
    before = subject.notes.n_skipped
    for name, row in _ON_REQUEST.items():
        findings += row(subject) if name in chosen else []
    subject.undecided = subject.notes.n_skipped > before
    return findings


def _accepted(subject: Subject) -> Any:
    """Return the rows with mixtures if the map accepts them, else the caller's alone."""
    rows, own = subject.rows, min(subject.X.shape[0], subject.rows.shape[0])
    subject.features(subject.first, rows[:own])
    # Mixtures may lie where the map is not defined.
    mixed = subject.attempt("mixtures of the rows", subject.features, subject.first)
    return rows[:own] if mixed is None else rows


def _verdict(
    subject: Subject, findings: list[Finding], title: str, claim: str, false_alarm: float
) -> StructureVerdict:
    status: Status = "refuted" if findings else "holds"
    reason = ""
    if subject.undecided and not findings:
        # What was settings for was not done, so that nothing holds.
        status, reason = "inconclusive", "; ".join(subject.notes.lines()) + "."
    if findings:
        rest = [each.cause for each in findings[1:]]
        reason = findings[0].cause + "." + (f" Also: {'; '.join(rest)}." if rest else "")
    assumes = [line for each in findings for line in each.assumes]
    return StructureVerdict(
        status=status,
        check=title,
        claim=claim,
        observed=float(len(findings)),
        exact=0.0,
        interval=(float(len(findings)),) * 2,
        n_features=subject.n_features,
        n_draws=subject.n_draws,
        n_intervals=max(1, subject.n_tests),
        false_alarm=false_alarm,
        resolution=subject.resolution,
        detectable=float("inf"),
        miss=0.0,
        method=_METHOD,
        assumptions=(*dict.fromkeys(assumes), *subject.notes.lines()),
        where={"check": findings[0].check, **findings[0].where} if findings else {},
        seeds={"seed": subject.seed},
        reason=reason,
        cause=findings[0].cause if findings else "",
        causes=tuple(each.cause for each in findings),
    )
