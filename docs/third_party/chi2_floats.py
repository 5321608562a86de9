"""The additive chi-squared features of scikit-learn, of rows in floating point.

Up to 1.9.1 `AdditiveChi2Sampler` fills arrays of the type of its rows: features of whole numbers
are cut to whole numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.kernel_approximation import AdditiveChi2Sampler


class Floats(AdditiveChi2Sampler):
    """The sampler, after its rows were converted."""

    def transform(self, X: Any) -> Any:
        return super().transform(np.asarray(X, dtype=float))
