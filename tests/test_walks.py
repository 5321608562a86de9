"""How far a call goes: files of ours, calls, and frames below the public function nearest to it."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest

import mehler
from mehler import bounds, exact, learn, verify

HOME = str(Path(mehler.__file__).parent)
X = np.random.default_rng(0).standard_normal((10, 3))
FOURIER = mehler.FourierFeatures.draw(3, 100, seed=0)
MAXOUT = mehler.MaxoutFeatures.draw(3, 100, 4, seed=0)
SIZES = {"n_features": 100, "n_samples": 1000, "pool_size": 4}
KERNEL = {"draw": lambda seed: mehler.MaxoutFeatures.draw(3, 100, 4, seed=seed)}
KERNEL |= {"kernel": MAXOUT.kernel, "X": X, "resolution": 0.3}
PUBLIC = {
    inspect.unwrap(value).__code__
    for names in (vars(exact), vars(learn), vars(verify), vars(mehler.features.FeatureMap))
    for name, value in names.items()
    if inspect.isfunction(value) and (name in ("__call__", "__init__") or name[0] != "_")
}
# A call, and the most files, calls and frames; each only falls, and no walk has 13 frames.
WALKS = {
    "features": (lambda: FOURIER(X), 5, 36, 8),
    "kernel": (lambda: MAXOUT.kernel(X), 8, 54, 8),
    "exact": (lambda: exact.maxout_kernel(0.5, 4), 7, 14, 8),
    "bound": (
        lambda: bounds.maxout.excess_risk(**SIZES, scale=1.0, lipschitz=0.5, delta=0.05),
        *(4, 36, 4),
    ),
    # 31 draws; 35 files and 9,836 calls at 4dd2270e. One file is the plugin, which hears of it.
    "check": (lambda: verify.check_kernel(**KERNEL), 24, 6650, 12),
    "ridge": (lambda: learn.ridge(FOURIER, X, X[:, :1], lambdas=1e-3), 11, 110, 8),
}


def walk(run):
    """Files, calls, and the deepest frame, without comprehensions, of a warm call."""
    files, calls, depths, deepest = set(), 0, [0], 0

    def profile(frame, event, argument):
        nonlocal calls, deepest
        code = frame.f_code
        if not code.co_filename.startswith(HOME) or code.co_name.startswith("<"):
            return
        if event == "call":
            files.add(code.co_filename)
            calls += 1
            depths.append(1 if code in PUBLIC else depths[-1] + 1)
            deepest = max(deepest, depths[-1])
        elif event == "return" and len(depths) > 1:
            depths.pop()

    run()
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return len(files), calls, deepest


@pytest.mark.parametrize("name", WALKS)
def test_a_call_is_followed_in_a_minute(name):
    run, *most = WALKS[name]
    assert all(n <= limit for n, limit in zip(walk(run), most, strict=True)), walk(run)
