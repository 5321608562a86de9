"""The parts of the result model about the user's rows and about an earlier report."""

from __future__ import annotations

from dataclasses import dataclass

from mehler.statements import Evidence, Plot


@dataclass(frozen=True, kw_only=True)
class Column:
    """Name and range of one column, as read, before any scaling."""

    name: str
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class PlanRow:
    """Features that one map needs for one error on all pairs of the rows.

    ``n_features`` is for the inner products themselves, in the limit of many features;
    ``n_features_proved`` holds at every size, for Catoni's estimate in their place.
    """

    map: str
    error: float
    n_features: int
    n_features_proved: int


@dataclass(frozen=True, kw_only=True)
class Score:
    """Held-out score of ridge regression on the features of one map, with a 95 % interval.

    ``n_features`` is 0 for the raw columns; a map that failed has no value, and a reason.
    """

    map: str
    n_features: int
    value: float | None
    interval: tuple[float, float] | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class DataResult:
    """The results on the user's rows.

    Parameters
    ----------
    name : str
        File name, or name of the default data set.
    n_rows, n_columns : int
        Shape of the data without rows of zeros.
    n_zero_rows : int
        Rows of zeros, which have no direction and are dropped.
    digest : str
        SHA-256 of the rows that are held.
    columns : tuple of Column
        Names and ranges.
    warnings, choices, notes : tuple of str
        Doubts about columns, decisions of the reader, and what is sampled.
    n_correlations : int
        Number of pairs of rows whose correlation was computed.
    correlation_range : (float, float)
        Smallest and largest of them.
    measured : tuple of int
        The rows at whose pairs kernels were measured, as numbered in the source.
    settings : dict
        The setting of each map.
    evidence : tuple of Evidence
        One verdict per map.
    plan : tuple of PlanRow
        Features needed per map and error.
    plan_method : str
        How `plan` was computed, as a sentence.
    scores : tuple of Score
        Of each map, after those of the raw columns, if there is a target.
    score_method : str
        How `scores` were computed, as a sentence.
    target : str, optional
        Name of the target column.
    plots : tuple of Plot
        Plots of the section.
    seconds : float
        Wall time.

    See Also
    --------
    Report : The report that contains it.
    """

    name: str
    n_rows: int
    n_columns: int
    n_zero_rows: int
    digest: str
    columns: tuple[Column, ...]
    warnings: tuple[str, ...]
    choices: tuple[str, ...]
    notes: tuple[str, ...]
    n_correlations: int
    correlation_range: tuple[float, float]
    measured: tuple[int, ...]
    settings: dict[str, str]
    evidence: tuple[Evidence, ...]
    plan: tuple[PlanRow, ...]
    plan_method: str
    scores: tuple[Score, ...]
    score_method: str
    target: str | None
    plots: tuple[Plot, ...]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Change:
    """One difference between two reports: of which kind, of what, from what, to what."""

    kind: str
    what: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What changed between an earlier report and this one.

    Parameters
    ----------
    file : str
        The earlier report.
    date, headline : str
        Of the earlier report.
    changes : tuple of Change
        Of kinds "setting", "data", "statement", "check", "verdict", "text" and "number".
    notes : tuple of str
        What could not be compared.

    See Also
    --------
    run : Makes it, for its argument `compare`.
    """

    file: str
    date: str
    headline: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
