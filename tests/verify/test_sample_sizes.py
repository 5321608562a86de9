"""The table of sample sizes in benchmarks/results says what the design says today."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from mehler.verify import features_needed

TABLE = Path(__file__).parents[2] / "benchmarks" / "results" / "sample_sizes.json"
ROWS = {row["k"]: row for row in json.loads(TABLE.read_text(encoding="utf-8"))["rows"]}


@pytest.mark.parametrize("k", ROWS)
def test_fourier_columns(k):
    variance = (1 - k * k) ** 2 / 2
    for name, each in (("pairs", variance), ("cosines", variance + 0.5)):
        assert ROWS[k][name] == features_needed(each, 0.02, 1e-9, 1e-9)
        assert ROWS[k][name] < ROWS[k][f"{name}_hoeffding"]


def test_near_one_a_hundredth_of_hoeffding_does():
    row = ROWS[0.956]
    # A pair is two features.
    assert 2 * row["pairs"] < 5000
    # Half width 0.01 for samples in [-1, 1]: 2^2 log(2e9) / (2 * 0.01^2).
    assert row["pairs_hoeffding"] == math.ceil(4 * math.log(2e9) / (2 * 0.01**2))
