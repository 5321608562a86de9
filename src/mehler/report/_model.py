"""The results of a report or a verification as data, from which all pages are rendered."""

from __future__ import annotations

import math
import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from mehler._arrays import LIBRARIES
from mehler._plural import counted
from mehler.statements import BoundCase, Context, Evidence, Plot, Statement, summary
from mehler.verify import KURTOSIS, Cause

_TAILS = {
    "holds": "",
    "refuted": ", and a map on the data contradicts its kernel",
    "inconclusive": ", and a check on the data decided nothing",
    "error": ", and a check on the data could not run",
}


@dataclass(frozen=True, kw_only=True)
class Score:
    """Score of a learner on held-out rows, with a 95 % interval.

    ``n_features`` is 0 without a map; a learner that failed has no value, and a reason.
    """

    map: str
    n_features: int
    value: float | None
    interval: tuple[float, float] | None
    reason: str = ""

    @property
    def rank(self) -> float:
        """The value, least for a learner that failed."""
        return -math.inf if self.value is None else self.value


@dataclass(frozen=True, kw_only=True)
class DataResult:
    """The results on the user's rows.

    Parameters
    ----------
    name, example : str, bool
        File name, or name of the example; whether these are the digits.
    n_rows, n_columns, n_zero_rows, columns : int, and tuple of dict
        Shape without rows of zeros, which have no direction, and their number; ``name`` of each
        column, ``low`` and ``high`` before any scaling.
    warnings, choices, notes : tuple of str
        Doubts about columns, decisions of the reader, and what is sampled.
    target, measure, score_method, no_score, scaling : str
        Name of the target, "R²" or "accuracy", how it is computed, why not; effect of scaling.
    scores, best, enough : tuple of Score, Score, Score
        Of all learners; the best score of a map; that of the same map with the fewest features
        that is not below the best one's interval.
    settings : dict
        Setting of each map by its label.
    measured, evidence, plots : tuple of int, of Evidence, and of Plot
        The rows at whose pairs a kernel was checked; the verdict; plots.
    """

    name: str
    example: bool
    n_rows: int
    n_columns: int
    n_zero_rows: int
    columns: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]
    choices: tuple[str, ...]
    notes: tuple[str, ...]
    target: str | None
    measure: str
    score_method: str
    scores: tuple[Score, ...]
    best: Score | None
    enough: Score | None
    no_score: str
    scaling: str
    settings: dict[str, str]
    measured: tuple[int, ...]
    evidence: tuple[Evidence, ...]
    plots: tuple[Plot, ...]

    def __repr__(self) -> str:
        return f"<DataResult: {self.headline}>"

    @property
    def headline(self) -> str:
        """The best learner and the others in one line, or why there is no score."""
        if self.best is None:
            return f"{self.name}: {self.no_score or f'no map could be scored on {self.target}'}"
        # Of equals the simplest comes first: the raw columns, boosting, a map.
        alone = [s for s in self.scores if not s.n_features and s.value is not None]
        learners = sorted([*reversed(alone), self.best], key=lambda score: -score.rank)
        parts = "; ".join(
            f"{s.map} {round(s.rank, 2) + 0.0:.2f}"
            + (f" with {s.n_features} features" if s.n_features else "")
            for s in learners
        )
        return f"{self.measure[0].upper()}{self.measure[1:]} of {self.target}: {parts}"


@dataclass(frozen=True, kw_only=True, repr=False)
class StatementResult(Statement):
    """A statement (a claim that is checked) with the evidence of its checks and the verdict.

    ``verdict`` is what `mehler.statements.verdict_of` returns.
    """

    verdict: str
    evidence: tuple[Evidence, ...]
    seconds: float

    def __post_init__(self) -> None:
        """Leave validation to the statement."""

    @property
    def claimed(self) -> str:
        """The form as which the formula in ``printed`` was checked."""
        return "restored" if self.copy == "lost" else "printed"

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the expected one."""
        return self.verdict == self.expected

    def spoken(self, form: str) -> str:
        """Return the display name of a form; our own statements are "stated", not "printed"."""
        return "stated" if form == "printed" and self.copy == "none" else form


@dataclass(frozen=True, kw_only=True)
class Report:
    """The results of a run; `mehler.report.write` renders them.

    Parameters
    ----------
    provenance, ledger : mapping
        Versions, platform, date, command line and settings; the false-alarm budget with entries.
    data : DataResult, optional
        Results on the rows of data.
    statements : tuple of StatementResult
        One result per statement.
    """

    provenance: Mapping[str, Any]
    ledger: Mapping[str, Any]
    data: DataResult | None = None
    statements: tuple[StatementResult, ...]
    schema: str = field(default="mehler-report/6")

    def __repr__(self) -> str:
        return f"<Report: {self.headline}>"

    @property
    def unexpected(self) -> tuple[StatementResult, ...]:
        """The statements whose verdict is not the expected one."""
        return tuple(s for s in self.statements if not s.as_expected)

    @property
    def data_status(self) -> str:
        """The worst status of the checks on the data; ``"holds"`` if there are none."""
        evidence = self.data.evidence if self.data else ()
        return _worst(evidence, ("error", "refuted", "inconclusive"))

    @property
    def exit_status(self) -> int:
        """0: all as expected. 1: unexpected verdict. 2: could not run. 3: inconclusive."""
        verdicts = {s.verdict for s in self.unexpected} | {self.data_status} - {"holds"}
        if "error" in verdicts:
            return 2
        return (3 if verdicts <= {"inconclusive"} else 1) if verdicts else 0

    @property
    def headline(self) -> str:
        """The result on the data, or the verdict of all statements, in one line."""
        odd, texts = self.unexpected, []
        if self.data is not None and not self.data.example:
            texts.append(self.data.headline)
        if odd:
            total, names = counted(len(self.statements), "statement"), [s.id for s in odd]
            texts.append(f"{len(odd)} of {total} did not come out as expected: {', '.join(names)}")
        elif self.statements:
            texts.append(summary((s.copy, s.verdict, s.cause) for s in self.statements))
        return "; ".join(texts) + _TAILS[self.data_status]

    def to_dict(self) -> dict[str, Any]:
        """Return the report for JSON, its fields with ``schema``, ``headline``, ``exit_status``.

        Numbers that JSON lacks become ``"inf"``, ``"-inf"`` and ``"nan"``, which ``float`` reads.
        """
        return _document(self, "schema", "headline", "exit_status")


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The verdict on one map and one kernel; `mehler.report.write` renders it.

    Parameters
    ----------
    target, assumed, kernel, latex : str
        MODULE:FACTORY, and how it was read; name of the kernel with parameters, and its formula.
    claim : {"mean", "close"}
        Whether the mean over draws is the kernel, or one fixed map is close to it.
    inputs, declared, replay : str
        Descriptions of the rows and of declarations; the command that repeats the verification.
    evidence, causes : tuple of Evidence, and of Cause
        The checks, that of the kernel first; suggested causes, which do not affect the outcome.
    provenance, ledger, seconds : mapping, mapping, float
        As in `Report`, and wall time.
    """

    target: str
    assumed: str
    kernel: str
    latex: str
    claim: str
    inputs: str
    declared: str
    evidence: tuple[Evidence, ...]
    causes: tuple[Cause, ...]
    replay: str
    provenance: Mapping[str, Any]
    ledger: Mapping[str, Any]
    seconds: float
    schema: str = field(default="mehler-verification/2")

    @property
    def status(self) -> str:
        """``"refuted"`` if any check refutes, else ``"inconclusive"`` if any is, else holds."""
        return _worst(self.evidence, ("refuted", "error", "inconclusive"))

    @property
    def exit_status(self) -> int:
        """0: all checks hold. 1: one refutes. 2: one could not run. 3: one is inconclusive."""
        return {"holds": 0, "refuted": 1, "inconclusive": 3}.get(self.status, 2)

    @property
    def headline(self) -> str:
        """The outcome in one line, with the first suggestion if there is one."""
        name, kernel = self.target.rpartition(":")[2], f"the kernel {self.kernel}"
        has, not_has = f"has {kernel}", f"does not have {kernel}"
        if self.claim == "close":
            has, not_has = f"is close to {kernel}", f"is not close to {kernel}"
        first = self.evidence[0]
        refuted = ", ".join(e.check for e in self.evidence if e.status == "refuted")
        line = f"{name}: whether it has {kernel} was not decided"
        if self.status == "holds":
            line = f"{name} {has}"
        elif self.status == "refuted" and first.check == "structure":
            # Quote the first cause only; the reason lists the others.
            line = f"{name} is refuted: {first.reason.partition('. Also: ')[0].rstrip('.')}"
        elif self.status == "refuted":
            line = f"{name}: refuted by the check {refuted}"
            line = f"{name} {not_has}" if first.status == "refuted" else line
        return line + (f": {self.causes[0].text}" if self.causes else "")

    def chance(self, spent: str) -> str:
        """Return a sentence on the error rate of the outcome, with `spent` already formatted."""
        if not self.ledger["spent"]:
            return "Computed: no chance enters."
        assumed = ", if the kurtosis of its samples is bounded: no variance or range is known"
        bounded = any(e.method.startswith(KURTOSIS) for e in self.evidence)
        return f"Chance that a correct map is refuted: at most {spent}{assumed * bounded}."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-able values; numbers as in `Report.to_dict`."""
        return _document(self, "schema", "headline", "status", "exit_status")


def _worst(evidence: Sequence[Evidence], order: Sequence[str]) -> str:
    """Return the first status of an order that a check has, or ``"holds"``."""
    statuses = {e.status for e in evidence}
    return next((status for status in order if status in statuses), "holds")


def _document(result: Report | Verification, *first: str) -> dict[str, Any]:
    """Return the values named first, and then those of all other fields."""
    names = dict.fromkeys((*first, *(x.name for x in fields(result))))
    return {name: json_value(getattr(result, name)) for name in names}


# Properties that JSON has in addition to the fields.
_COMPUTED: dict[type, list[str]] = {
    Evidence: ["margin"],
    StatementResult: ["printed", "proved", "thin", "as_expected"],
}


def json_value(value: object) -> Any:
    """Return a value made of JSON types; see `Report.to_dict`."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, BoundCase):
        return json_value(value.to_dict())
    if is_dataclass(value):
        names = [item.name for item in fields(value) if item.repr and item.name != "checks"]
        names += _COMPUTED.get(type(value), [])
        return {name: json_value(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_value(item) for item in value]
    raise TypeError(f"{value!r} of {type(value).__name__} cannot be written to a JSON report")


def provenance(context: Context, command: tuple[str, ...] | None) -> dict[str, Any]:
    """Return the data needed to replay the run; `command` is the arguments of ``mehler``."""
    line = None if command is None else shlex.join(("mehler", *command))
    return {
        "mehler": _version("mehler"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "backend": context.backend,
        "backend_version": _version(*LIBRARIES[context.backend].distributions),
        "platform": platform.platform(),
        "byte_order": sys.byteorder,
        "date": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "command": line,
        "level": context.level,
        "seed": context.seed,
        "false_alarm": context.false_alarm,
    }


def replay_line(context: Context) -> str:
    """Return the command that checks one statement again."""
    words = ["mehler", "report", "--statements", context.statement]
    words += ["--level", context.level, "--seed", str(context.seed)]
    words += ["--backend", context.backend, "--false-alarm", f"{context.false_alarm:g}"]
    return shlex.join(words)


def _version(*distributions: str) -> str | None:
    for name in distributions:
        with suppress(PackageNotFoundError):
            return version(name)
    return None
