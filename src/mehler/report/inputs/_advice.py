"""Columns that are likely not meant as they are: on other scales, or numbers of rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mehler.report.inputs._out_of_core import Look

# Ratio of scales that is worth a warning.
_APART = 1000.0
# Fewer rows are in increasing order by chance too often.
_FEW = 8
_ID_NAME = re.compile(r"(?i:(?<![a-z])(?:id|idx|index)(?![a-z]))|[a-z](?:Id|ID|Idx|Index)(?![a-z])")
_MOST = 8


def warnings_on(names: Sequence[str], seen: Look, *, standardize: bool) -> tuple[str, ...]:
    """Return sentences on the columns, by what was seen of their entries."""
    found = []
    alike = [name for j, name in enumerate(names) if _is_id(name, j, seen)]
    if alike:
        one = len(alike) == 1
        found.append(
            f"{'column' if one else 'columns'} {_listed(alike)} {'looks' if one else 'look'} like "
            f"{'an id' if one else 'ids'}, not a measurement: --drop leaves "
            f"{'it' if one else 'them'} out"
        )
    scales = np.maximum(np.abs(seen.lows), np.abs(seen.highs))
    filled = np.flatnonzero(scales > 0)
    if filled.size and not standardize:
        large = filled[np.argmax(scales[filled])]
        small = filled[np.argmin(scales[filled])]
        # By division, since products of large numbers overflow.
        if scales[small] < scales[large] / _APART:
            found.append(
                f"scales of columns differ by more than {_APART:.0f}: {names[large]!r} reaches "
                f"{scales[large]:.4g} and {names[small]!r} {scales[small]:.4g}, so the former "
                "decides alone which rows are alike: --standardize puts them on one scale"
            )
    return tuple(found)


def _is_id(name: str, j: int, seen: Look) -> bool:
    """Whether entries are distinct integers in order, or a range, or are called an id."""
    if not seen.integers[j] or not seen.n_good:
        return False
    low, high, n = float(seen.lows[j]), float(seen.highs[j]), seen.n_good
    if low == high:
        return False
    if _ID_NAME.search(name):
        return True
    # Distinct integers in a range of n have the mean and the variance of the range. Rounding of
    # sums is below n 2^-53, which is 1e-9 at 10^7 rows; few entries that repeat are below it too,
    # and such a column is an id all the same.
    full = (
        high - low + 1 == n
        and np.isclose(seen.means[j], (low + high) / 2, rtol=1e-9)
        and np.isclose(seen.squares[j], n * (n * n - 1) / 12, rtol=1e-9)
    )
    return n >= _FEW and bool(seen.increasing[j] or full)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(map(repr, names[:_MOST])) + more
