"""The claimed kernel at other numbers of inputs and of features."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mehler.verify.checks.structure._finding import Finding
from mehler.verify.checks.structure._subject import Subject
from mehler.verify.checks.structure.claim._bandwidths import jumps
from mehler.verify.checks.structure.claim._judge import SPAN, judge, pilots
from mehler.verify.checks.structure.claim._names import isolated, name_inputs, name_sizes
from mehler.verify.checks.structure.claim._trial import MIDDLE, base_of, trial_at, trial_like

INPUTS = (1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 130, 200)
# Both parities at every order of magnitude; failures beyond all right sizes follow no rule.
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 63, 64, 65, 100, 127, 128, 129, 254, 255, 1000, 1001)
_STREAM = 100


def check_inputs(subject: Subject) -> list[Finding]:
    """Test the claim at other numbers of columns of X, odd and even, below and beyond 64."""
    d0, norm = subject.domain.n_inputs, subject.domain.norm
    size = MIDDLE if subject.resizable else None
    if subject.domain.discrete:
        subject.notes.skip("other numbers of columns of X", "the rows hold whole numbers")
        return []
    values = sorted({*INPUTS, max(1, d0 // 2), d0, d0 + 1, 2 * d0})
    trials = pilots(
        subject,
        values,
        lambda d, k: trial_at(subject, d, norm, size, _STREAM + k),
        "maps of columns of X, d",
    )
    others = [d for d in trials if d > 1 and d != d0]
    if not others:
        # If besides only rows of one column are accepted, they are broadcast.
        trials.pop(1, None)

    def told(wrong: Sequence[int], right: Sequence[int]) -> bool:
        if d0 in wrong:
            # The kernel is refuted anyway; only a failure beyond some width explains that.
            return min(wrong) > max(right)
        return isolated(wrong, right) and jumps(trials, wrong, right, d0)

    return judge(subject, "inputs", trials, name_inputs, told, math.inf)


def check_sizes(subject: Subject) -> list[Finding]:
    """Test the claim at other numbers of features."""
    if not subject.resizable:
        return []
    base = base_of(subject)
    trials = pilots(
        subject,
        sorted({*SIZES, MIDDLE}),
        lambda m, k: trial_like(base, m, _STREAM + 200 + k),
        "maps of features, m",
    )

    def told(wrong: Sequence[int], right: Sequence[int]) -> bool:
        return MIDDLE in right and isolated(wrong, right)

    return judge(subject, "sizes", trials, name_sizes, told, SPAN)
