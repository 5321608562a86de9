"""The part of the result model that says what changed since an earlier report."""

from __future__ import annotations

from dataclasses import dataclass


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
