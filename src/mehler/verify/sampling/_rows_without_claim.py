"""Rows and pairs for checks without a claimed kernel; all units are 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import Array, check_matrix, is_array, to_host
from mehler._words import counted
from mehler.verify.sampling._pairs import EvaluatedRows, Pairs


def rows_without_claim(x: Array, name: str = "X") -> EvaluatedRows:
    """Return validated rows, on the caller's device and on the host."""
    given = x if is_array(x) else np.asarray(x)
    check_matrix(given, name=name)
    host = to_host(given)
    check_matrix(host, name=name)  # of a lazy array only now are the values known
    return EvaluatedRows(given, host, np.ones(host.shape[0]))


def pairs_without_claim(x: Array, y: Array | None) -> Pairs:
    """Pair all rows of X with all of Y, or each unordered pair of X once; the claim is 1."""
    left = rows_without_claim(x)
    right = left if y is None else rows_without_claim(y, "Y")
    if left.host.shape[1] != right.host.shape[1]:
        raise ValueError(
            f"X has {counted(left.host.shape[1], 'column')} but Y has {right.host.shape[1]}: "
            "both are inputs of one map"
        )
    if y is None:
        first, second = np.triu_indices(left.host.shape[0])
    else:
        grid = np.indices((left.host.shape[0], right.host.shape[0]))
        first, second = (index.ravel() for index in grid)
    return Pairs(left, right, first, second, np.ones(first.size))


def take(pairs: Pairs, kept: Any) -> Pairs:
    """Return the pairs at index `kept`."""
    return Pairs(pairs.left, pairs.right, pairs.first[kept], pairs.second[kept], pairs.claim[kept])
