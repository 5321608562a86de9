"""Arguments of another kind are refused by name, before anything is drawn or paid."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import kernels, verify
from mehler.verify import intervals

X = np.eye(2)
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
    "n_draws": (lambda: verify.diagnose(never, linear, X, n_draws=10**30), ValueError),
    "time_limit": (lambda: verify.diagnose(never, linear, X, time_limit="1"), TypeError),
    "resize": (lambda: verify.diagnose(never, linear, X, resize={}), TypeError),
    "cdf": (lambda: verify.check_distribution(never, "normal", X), TypeError),
    "max_features": (lambda: verify.check_kernel(never, linear, X, max_features="1"), TypeError),
    "only": (lambda: verify.check_structure(never, X, only=["speed"]), ValueError),
    "redraw": (lambda: verify.check_structure(never, X, only="libraries"), ValueError),
    "kernel": (lambda: verify.check_structure(never, X, only=["calls", "sizes"]), ValueError),
    "elsewhere": (lambda: verify.check_structure(never, X, only="fresh process"), ValueError),
    "where": (lambda: verify.check_mean(SAMPLES[:, 0], 0.0, where=3, resolution=1.0), TypeError),
    "seeds": (lambda: verify.check_mean(SAMPLES, X, seeds=[1], resolution=0.1), TypeError),
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


@pytest.mark.parametrize(
    ("call", "options"),
    [
        (lambda **o: verify.check_kernel(never, linear, X, **o), "n_jobs, seed"),
        (lambda **o: verify.assert_kernel(never, linear, X, **o), "structure, .*n_jobs, seed"),
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
