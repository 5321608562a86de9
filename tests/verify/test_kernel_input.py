"""What check_kernel refuses, and that the message names argument, value and remedy."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.verify import check_kernel
from tests.verify.toys import Maxout, maxout2_kernel, points

X = points(3, 6)


def linear(x, y):
    return x @ y.T


CASES = [
    ({"resolution": 0.0}, ValueError, "resolution=0.0"),
    ({"resolution": 2.0}, ValueError, "vacuous"),
    ({"resolution": np.inf}, ValueError, "resolution=inf"),
    ({"resolution": 1e-15}, ValueError, "finer than the rounding"),
    ({"false_alarm": 0.0}, ValueError, "false_alarm=0.0"),
    ({"false_alarm": 1.0}, ValueError, "false_alarm=1.0"),
    ({"miss": 0}, ValueError, "miss=0"),
    ({"max_features": 0}, ValueError, "max_features=0"),
    ({"max_features": 10}, ValueError, "allow at least one draw"),
    ({"max_features": 1e6}, TypeError, "max_features=1000000.0"),
    ({"seed": -1}, ValueError, "seed=-1"),
    ({"seed": 0.5}, TypeError, "seed=0.5"),
    ({"X": np.empty((0, 6))}, ValueError, "X is empty"),
    ({"X": X[0]}, ValueError, "reshape"),
    ({"X": np.where(X == X[1, 1], np.nan, X)}, ValueError, "NaN or infinity, first in row 1"),
    ({"X": X + 1j}, (TypeError, ValueError), "complex"),
    ({"X": 0 * X, "kernel": linear}, ValueError, "nor 0 at all rows"),
    ({"kernel": lambda x, y: linear(x, y) - 1.5}, ValueError, "must not be negative"),
    ({"Y": X[:, :5]}, ValueError, "6 columns but Y has 5"),
    ({"kernel": "rbf"}, TypeError, "kernel='rbf'"),
    ({"kernel": lambda x, y: np.ones(3)}, ValueError, r"kernel\(X, Y\) has shape \(3,\)"),
    ({"kernel": lambda x, y: 1j * linear(x, y)}, ValueError, "complex"),
    ({"kernel": lambda x, y: np.nan * linear(x, y)}, ValueError, "not finite"),
    ({"variance": lambda x, y: -linear(x, x)}, ValueError, "not negative"),
    ({"variance": lambda x, y: 1.0}, ValueError, r"variance\(X, Y\) has shape"),
    ({"variance": linear, "bounds": (-1, 1)}, ValueError, "exclude each other"),
    ({"bounds": (1, -1)}, ValueError, "low < high"),
    ({"bounds": 3}, TypeError, "bounds=3"),
    ({"draw": 3}, TypeError, "draw=3"),
    ({"draw": lambda seed: 3}, TypeError, "its bound method transform"),
    ({"draw": lambda seed: lambda x: x[:2]}, ValueError, r"shape \(2, 6\) for X of shape"),
    ({"draw": lambda seed: lambda x: x[:, 0]}, ValueError, "a map returns"),
    ({"draw": lambda seed: lambda x: 1j * x}, ValueError, "real numbers"),
    (
        {"draw": lambda seed: lambda x: np.ones((len(x), 1 + seed % 2))},
        ValueError,
        "every draw must have the same size",
    ),
]


@pytest.mark.parametrize(("change", "error", "message"), CASES)
def test_bad_input_is_refused_by_name(change, error, message):
    arguments = {
        "draw": lambda seed: Maxout(seed, m=50),
        "kernel": maxout2_kernel,
        "X": X,
        "resolution": 0.5,
        **change,
    }
    with pytest.raises(error, match=message):
        check_kernel(
            arguments.pop("draw"), arguments.pop("kernel"), arguments.pop("X"), **arguments
        )
