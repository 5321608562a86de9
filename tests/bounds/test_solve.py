"""An inverse is a size at which the bound promises something, at random settings and targets."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.bounds import solve
from mehler.bounds._function import REGISTRY
from tests.bounds.test_formulas import ROWS

FALLING = [(name, falling) for name, function in REGISTRY.items() for falling in function.falls_in]
# Those that take a second each, by quadratures and eigenvalues.
SLOW = ("kernel_error.uniform", "ridge.", "spectral.", "lower.")


@pytest.mark.parametrize(("name", "falling"), FALLING)
def test_a_size_is_promised_or_the_error_says_why_not(name, falling, request):
    """Two thousand settings with ``-m``, a tenth of them by default."""
    function, row = REGISTRY[name], ROWS[name]
    rng = np.random.default_rng(len(name) + len(falling))
    cases = 6 if name.startswith(SLOW) else 60
    for case in range(cases if request.config.option.markexpr else max(1, cases // 10)):
        arguments = {**row.draw(rng), **row.branches[case % len(row.branches)]}
        if arguments.get(falling) is None:
            continue
        target = float(function(**arguments).total) * float(np.exp(rng.normal(0, 1)))
        others = {key: value for key, value in arguments.items() if key != falling}
        if not 0 < target < np.inf:
            continue
        try:
            size = solve(function, at_most=target, for_=falling, **others)
        except ValueError as error:
            if "out of reach" not in str(error):
                raise
            continue
        made = function(**others, **{falling: size})
        assert made.value <= target
        assert not made.vacuous
        step = arguments.get("block", 1) if falling == "n_features" else 1
        if size > step:
            before = function(**others, **{falling: size - step})
            assert before.value > target or before.vacuous
