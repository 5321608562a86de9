"""Run statements, and the checks on the data, into one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from time import perf_counter
from typing import Any

from mehler._arrays import one_blas_thread
from mehler.report._compare import compare as compared_with
from mehler.report._compare import read_report
from mehler.report.inputs._data import load_rows
from mehler.report.inputs._matrix import DataMatrix
from mehler.report.model._data_result import DataResult
from mehler.report.model._provenance import provenance, replay_line
from mehler.report.model._report import Report, StatementResult
from mehler.statements import Check, Context, Evidence, Level, Statement, verdict_of
from mehler.verify import Ledger

Progress = Callable[[str, int, int], None]

# Tests that the budget of a run covers, several times those of all statements. The false-alarm
# probability of a run is at most this many times that of one test.
LOOKS = 1000


def run(
    statements: Sequence[Statement],
    *,
    data: str | PathLike[str] | Any | None = None,
    level: Level = "quick",
    seed: int = 0,
    backend: str = "numpy",
    false_alarm: float = 1e-9,
    progress: Progress | None = None,
    with_data: bool = True,
    command: Sequence[str] | None = None,
    compare: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> Report:
    """Check statements, and the maps on rows of data, and return a report.

    Parameters
    ----------
    statements : sequence of Statement
        The statements to check, for example those found by `mehler.statements.discover`.
    data : path, array (n, d), data frame, DataMatrix or callable, optional
        The user's rows, as `load_rows` takes or returns them, or a function that returns them,
        called once the other arguments are valid. Without it, scikit-learn's 8x8 digits.
    level : {"quick", "full"}
        Effort of the checks.
    seed : int
        Seed of all random numbers.
    backend : {"numpy", "torch", "jax", "dask", "cupy"}
        Array library on which the maps are drawn and applied.
    false_alarm : float
        Probability of refuting a true claim, per test; the budget covers 1000 tests.
    progress : callable, optional
        ``progress(label, done, total)``, called before each piece of work and at the end.
    with_data : bool
        Whether to include the section on the data.
    command : sequence of str, optional
        The command line's arguments, for the record.
    compare : path or mapping, optional
        The ``report.json`` of an earlier run, or what `read_report` made of it; the report then
        says what changed since.

    Returns
    -------
    Report
        A check that raises is recorded as evidence of status ``"error"``.

    Raises
    ------
    ValueError
        Before any work, if there are no statements, level or backend are unknown, the backend is
        not installed or has no device, seed or false alarm are bad, data are unreadable, or
        `compare` is no report.

    See Also
    --------
    write : Render the report to files.
    mehler.statements.discover : Find the installed statements.
    """
    chosen = tuple(statements)
    if not chosen:
        raise ValueError("statements is empty: give at least one, as from statements.discover()")
    context = Context(
        ledger=Ledger(budget=min(0.5, LOOKS * false_alarm)) if 0 < false_alarm < 1 else Ledger(),
        level=level,
        seed=seed,
        backend=backend,
        false_alarm=false_alarm,
    )
    context.like()  # fail now, not after minutes, if the backend is missing
    old = read_report(compare) if isinstance(compare, str | PathLike) else compare
    rows = load_rows(data() if callable(data) else data) if with_data else None

    total = len(chosen) + (rows is not None)
    report = progress or (lambda label, done, total: None)
    measured = None
    if rows is not None:
        report(f"data: {rows.name}", 0, total)
        measured = _run_data(rows, context)
    results = []
    for done, statement in enumerate(chosen, start=total - len(chosen)):
        report(statement.id, done, total)
        results.append(_run_statement(statement, context.for_statement(statement.id)))
    report("done", total, total)
    found = Report(
        provenance=provenance(context, None if command is None else tuple(command)),
        ledger=context.ledger.to_dict(),
        statements=tuple(results),
        data=measured,
    )
    return found if old is None else replace(found, compared=compared_with(found, old))


def _run_statement(statement: Statement, context: Context) -> StatementResult:
    start = perf_counter()
    evidence = tuple(_run_check(check, context) for check in statement.checks)
    said: dict[str, Any] = {
        one.name: getattr(statement, one.name, None) for one in fields(StatementResult)
    }
    found: dict[str, Any] = {
        "evidence": evidence,
        "verdict": verdict_of(evidence),
    }
    return StatementResult(**{**said, **found, "seconds": perf_counter() - start})


def _run_check(check: Check, context: Context) -> Evidence:
    try:
        found = check(context)
    except Exception as error:  # a check that fails is reported, never hidden
        found = Evidence(
            form=check.form,
            check=check.name,
            status="error",
            claim=f"could not be checked: {type(error).__name__}: {error}",
            method="none: the check raised",
        )
    return _stamp(found, context)


def _run_data(rows: DataMatrix, context: Context) -> DataResult:
    from mehler.report.on_data._section import measure

    with one_blas_thread():
        result = measure(rows, context)
    replay = replay_line(context, data=rows.path, options=rows.options)
    stamped = tuple(
        _stamp(replace(one, replay=one.replay or replay), context) for one in result.evidence
    )
    return replace(result, evidence=stamped)


def _stamp(evidence: Evidence, context: Context) -> Evidence:
    return replace(
        evidence,
        seed=context.seed if evidence.seed is None else evidence.seed,
        replay=evidence.replay or replay_line(context),
    )
