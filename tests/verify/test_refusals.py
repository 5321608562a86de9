"""Bad arguments are refused by name, with value and remedy, before anything is drawn or paid."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import kernels, verify
from mehler.verify import intervals
from tests.verify.toys import Maxout, maxout2_kernel, points

X = np.eye(2)
ROWS = points(3, 6)
SAMPLES = np.random.default_rng(0).standard_normal((4000, 2))


def never(seed):
    raise AssertionError("a map was drawn")


def linear(a, b):
    return a @ b.T


CALLS = {
    "ledger": (lambda: verify.check_kernel(never, linear, X, ledger={}), TypeError),
    "variance": (lambda: verify.check_kernel(never, linear, X, variance=1.0), TypeError),
    "resolution": (lambda: verify.check_kernel(never, linear, X, resolution=1e-320), ValueError),
    "false_alarm": (lambda: verify.check_kernel(never, linear, X, false_alarm=1e-320), ValueError),
    "time_limit": (lambda: verify.diagnose(never, linear, X, time_limit="1"), TypeError),
    "cdf": (lambda: verify.check_distribution(never, "normal", X), TypeError),
    "max_features": (lambda: verify.check_kernel(never, linear, X, max_features="1"), TypeError),
    "only": (lambda: verify.check_structure(never, X, only=["speed"]), ValueError),
    "domain": (lambda: verify.check_structure(never, X, domain="sphere"), TypeError),
    "bounds": (
        lambda: verify.check_mean(SAMPLES, [0, 0], bounds=[], resolution=1.0),
        ValueError,
    ),
    "exact": (lambda: verify.check_mean(SAMPLES[:, 0], "0", resolution=1.0), TypeError),
    "X": (lambda: kernels.make("rbf", gamma=1.0)(SAMPLES[:2], np.eye(3)), ValueError),
}


@pytest.mark.parametrize("argument", CALLS)
def test_arguments_are_refused_by_name(argument):
    call, error = CALLS[argument]
    with pytest.raises(error, match=rf"\b{argument}\b"):
        call()


KERNEL_INPUT = [
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
    ({"X": ROWS[0]}, ValueError, "reshape"),
    (
        {"X": np.where(ROWS == ROWS[1, 1], np.nan, ROWS)},
        ValueError,
        "NaN or infinity, first in row 1",
    ),
    ({"X": ROWS + 1j}, (TypeError, ValueError), "complex"),
    ({"X": 0 * ROWS, "kernel": linear}, ValueError, "nor 0 at all rows"),
    ({"kernel": lambda x, y: linear(x, y) - 1.5}, ValueError, "must not be negative"),
    ({"Y": ROWS[:, :5]}, ValueError, "6 columns but Y has 5"),
    ({"kernel": "rbf"}, TypeError, "kernel='rbf'"),
    ({"kernel": ROWS.tolist()}, TypeError, "kernel=a list must be callable"),
    ({"kernel": lambda x, y: x.numpy()}, TypeError, "takes two float64 NumPy arrays"),
    ({"kernel": lambda x, y: Maxout}, TypeError, "no matrix of numbers, but holds a type"),
    ({"draw": Maxout(0, m=50)}, TypeError, "draw is a map X -> Z of one seed"),
    ({"draw": lambda seed, X: X}, TypeError, r"draw\(seed, X\) must take seed alone"),
    ({"draw": lambda seed: Maxout}, TypeError, "returned the class Maxout"),
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


@pytest.mark.parametrize(("change", "error", "message"), KERNEL_INPUT)
def test_bad_input_of_check_kernel_is_refused_by_name(change, error, message):
    arguments = {
        "draw": lambda seed: Maxout(seed, m=50),
        "kernel": maxout2_kernel,
        "X": ROWS,
        "resolution": 0.5,
        **change,
    }
    with pytest.raises(error, match=message):
        verify.check_kernel(**arguments)


@pytest.mark.parametrize(
    ("call", "options"),
    [
        (lambda **o: verify.check_kernel(never, linear, X, **o), "time_limit, seed"),
        (lambda **o: verify.assert_kernel(never, linear, X, **o), "structure, .*time_limit, seed"),
        (lambda **o: verify.check_mean(SAMPLES, [0, 0], resolution=1.0, **o), "ledger, name"),
        (lambda **o: verify.check_structure(never, X, **o), "ledger, name, time_limit, seed"),
    ],
)
@pytest.mark.parametrize("option", ["resolutoin", "max_draws"])
def test_an_unused_option_is_refused_with_those_there_are(call, options, option):
    with pytest.raises(TypeError, match=rf"no option {option}: its options are .*{options}"):
        call(**{option: 1})


def test_a_type_checker_sees_a_misspelt_option(tmp_path):
    api = pytest.importorskip("mypy.api")
    good = "from mehler import verify\nverify.check_mean([0.0], 0.0, resolution=1.0, miss=0.1)\n"
    (tmp_path / "call.py").write_text(good + good.replace("miss", "mis"), encoding="utf-8")
    out, _, _ = api.run([str(tmp_path / "call.py"), "--cache-dir", str(tmp_path / "cache")])
    assert 'call.py:4: error: Unexpected keyword argument "mis"' in out
    assert "Found 1 error" in out


def test_a_refused_look_is_not_paid():
    ledger = verify.Ledger(1e-6)
    with pytest.raises(TypeError, match="variance"):
        verify.check_kernel(never, linear, X, variance=1.0, ledger=ledger)
    assert ledger.looks == 0


def test_verdicts_do_not_depend_on_how_the_caller_handles_underflow():
    x = SAMPLES[:, 0] ** 2
    ends = intervals.self_normalised(x, 1e-3)
    with np.errstate(all="raise"):
        assert intervals.self_normalised(x, 1e-3) == ends


def test_a_map_that_changes_the_handling_of_errors_changes_no_check():
    before = np.geterr()

    def draw(seed):
        np.seterr(all="raise")
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(2, 500))
        return lambda rows: rows @ signs / np.sqrt(500)

    assert verify.check_kernel(draw, linear, X, resolution=0.1).holds
    assert np.geterr() == before
