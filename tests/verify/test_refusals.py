"""Bad arguments are refused by name, with value and remedy, before anything is drawn or paid."""

import inspect
import math

import numpy as np
import pytest
import scipy.sparse
from scipy.special import ndtr
from sklearn.kernel_approximation import RBFSampler

import mehler
from mehler import kernels, verify
from mehler.verify import intervals
from tests.verify.toys import Maxout, maxout2_kernel, points

ROWS = points(3, 6)
RNG = np.random.default_rng(0)
SAMPLES, VECTORS = RNG.standard_normal(100), RNG.standard_normal((100, 3))
COIN = [0.0, 1.0] * 50
PHI = mehler.FourierFeatures.draw(6, 10, gamma=1.0, seed=0)
FITTED = RBFSampler().fit(ROWS)


def never(seed, n_features=None):
    raise AssertionError("a map was drawn")


def linear(a, b):
    return a @ b.T


def signs(seed, n_features=50):
    w = np.random.default_rng(seed).choice([-1.0, 1.0], (6, n_features))
    return lambda Z: Z @ w / math.sqrt(n_features)


def coin(probability, **options):
    raise AssertionError("a look was made")


def ones(x, y):
    return np.ones((3, 3))


def masked(Z):
    return np.ma.masked_greater(Z, 1.0)


KERNEL = {"draw": lambda seed: Maxout(seed, m=50), "kernel": maxout2_kernel, "X": ROWS}
NORMAL = {"draw": never, "cdf": lambda x, t: ndtr(np.zeros(3)[:, None] + t), "X": ROWS}
# A function, what is right, and wrong arguments with words of the message.
REFUSED = [
    (verify.check_kernel, KERNEL | {"resolution": 0.5}, [
        ({"resolution": 0.0}, "resolution=0.0"), ({"resolution": 2.0}, "vacuous"),
        ({"resolution": 1e-15}, "finer than the rounding"), ({"resolution": 1e-320}, "resolution"),
        ({"false_alarm": 0.0}, "false_alarm=0.0"), ({"false_alarm": 1e-320}, "false_alarm"),
        ({"miss": 0}, "miss=0"), ({"max_features": 0}, "max_features=0"),
        ({"max_features": 10}, "allow at least one draw"),
        ({"max_features": 1e6}, "max_features=1000000.0"), ({"seed": -1}, "seed=-1"),
        ({"seed": 0.5}, "seed=0.5"), ({"ledger": {}}, "ledger"),
        ({"X": 0 * ROWS, "kernel": linear}, "nor 0 at all rows"),
        ({"Y": ROWS[:, :5]}, "6 columns but Y has 5"),
        ({"kernel": lambda x, y: linear(x, y) - 1.5}, "must not be negative"),
        ({"variance": 1.0}, "variance"), ({"variance": lambda x, y: -linear(x, x)}, "not negative"),
        ({"variance": lambda x, y: 1.0}, r"variance\(X, Y\) has shape"),
        ({"variance": linear, "bounds": (-1, 1)}, "exclude each other"),
        ({"bounds": (1, -1)}, "low < high"), ({"bounds": 3}, "bounds=3"),
        ({"draw": lambda seed: lambda x: np.ones((len(x), 1 + seed % 2))}, "have the same size"),
        ({"resolutoin": 1}, "no argument resolutoin: it takes .*time_limit, seed; resolution is"),
    ]),
    (verify.check_structure, {"draw": never, "X": ROWS}, [
        ({"redraw": "no"}, "redraw='no' must be a function"),
        ({"only": "speed"}, "only='speed' must name some of finite, repeatable"),
        ({"only": ["speed"]}, "only"), ({"domain": "sphere"}, "domain='sphere' must be a function"),
        ({"time_limit": 0.0}, "time_limit=0.0"),
        ({"max_draws": 1}, "no argument max_draws"),
    ]),
    (verify.diagnose, {"draw": never, "kernel": linear, "X": ROWS}, [
        ({"n_draws": 10**30}, "n_draws"), ({"time_limit": "1"}, "time_limit"),
    ]),
    (verify.check_variance, {"draw": lambda s: Maxout(s, m=50), "variance": ones, "X": ROWS},
     [({"resolution": 1.0}, "vacuous"), ({"kurtosis": 0.5}, "below 1"),
        ({"variance": lambda x, y: 0.0 * linear(x, y)}, "0 at every pair"),
        ({"variance": lambda x, y: -np.ones((3, 3))}, "not negative"),
    ]),
    (verify.check_distribution, NORMAL, [
        ({"resolution": 1.0}, "vacuous"), ({"scale": -1.0}, "scale=-1.0"),
        ({"cdf": "normal"}, "cdf"),
    ]),
    (verify.check_invariance, {"draw": signs, "act": lambda x: np.roll(x, 1, axis=1), "X": ROWS}, [
        ({"resolution": 1.0}, "vacuous"), ({"act": lambda x: x}, "show nothing"),
        ({"act": lambda x: x[:1]}, "shape"), ({"act": []}, "must be a callable"),
    ]),
    (verify.check_convergence, {"draw": signs, "X": ROWS}, [
        ({"resolution": 3.0}, "vacuous"), ({"sizes": (64, 64)}, "two numbers of features"),
        ({"sizes": 64}, "two numbers"), ({"max_features": 1}, "max_features=1"),
        ({"draw": lambda s, m: signs(s, 10)}, "has 10 features"),
    ]),
    (verify.check_same, {"draw_a": signs, "draw_b": lambda s: signs(s + 1), "X": ROWS}, [
        ({"draw_b": lambda s: lambda x: signs(s)(x)[1:]}, "draw_b: .*shape"),
        ({"draw_b": lambda s: signs(s, 100 + s % 2)}, "draw_b: .*same size"),
        ({"draw_a": lambda s: 3}, "draw_a: .*not callable"),
        ({"resolution": 2.0}, "vacuous"), ({"max_features": 10}, "max_features=10"),
        ({"X": 0 * ROWS}, "0 at row 0"), ({"Y": np.ones((2, 7))}, "columns"),
    ]),
    (verify.check_mean, {"samples": COIN, "exact": 0.5, "resolution": 0.1}, [
        ({"resolution": 0.0}, "resolution=0.0"), ({"resolution": math.inf}, "resolution=inf"),
        ({"resolution": 1.0, "bounds": (0, 1)}, "vacuous"), ({"miss": 1.0}, "miss=1.0"),
        ({"variance": math.inf}, "variance=inf"),
        ({"variance": 1.0, "bounds": (0, 1)}, "exclude each other"),
        ({"bounds": (0, math.inf)}, "finite with low < high"),
        ({"binary": True, "samples": [0.5] * 50}, "other than 0 and 1"),
        ({"exact": math.nan}, "exact=nan"), ({"exact": "0"}, "exact"), ({"samples": []}, "empty"),
        ({"samples": [[1.0]]}, r"exact has shape \(\)"), ({"samples": [1j]}, "complex"),
        ({"samples": masked(SAMPLES)}, "^samples is a masked array"),
    ]),
    # Coordinates, and products of two.
    (verify.check_mean, {"samples": VECTORS, "exact": np.zeros(3), "resolution": 0.1}, [
        ({"exact": np.zeros(4)}, "exact has shape"), ({"exact": ["a"] * 3}, "real numbers"),
        ({"exact": [0, np.nan, 0]}, "exact holds NaN"), ({"mean": [0] * 3}, "is for products"),
        ({"samples": np.full((5, 3), np.inf)}, "NaN or infinity"), ({"bounds": []}, "bounds"),
        ({"variance": [1.0, 2.0]}, "variance has shape"), ({"scale": 2.0}, "no argument scale"),
    ]),
    (verify.check_mean, {"samples": VECTORS, "exact": np.eye(3), "resolution": 0.1}, [
        ({"exact": np.eye(2)}, "exact has shape"), ({"exact": np.tri(3)}, "not symmetric"),
        ({"exact": np.diag([1, 0, 1])}, "must be positive"), ({"resolution": 2.0}, "vacuous"),
        ({"exact": np.ones((3, 3)) + 0.5 * (1 - np.eye(3))}, "beyond 1"),
        ({"mean": [0, 0]}, "mean has shape"), ({"variance": 1.0}, "not of their products"),
        ({"samples": np.zeros((7, 3))}, "groups of 8"),
    ]),
    (verify.features_needed, {"variance": 1.0, "resolution": 0.1}, [
        ({"variance": 0.0}, "variance=0.0"), ({"resolution": 0.0}, "resolution=0.0"),
        ({"variance": "1"}, "variance='1'"), ({"resolution": 1e-9}, "coarser"),
    ]),
    (verify.Ledger, {"budget": 0.1}, [
        ({"budget": 0.0}, "budget=0.0"), ({"budget": 1.0}, "budget=1.0"), ({"budget": "x"}, "='x'"),
    ]),
    (lambda **look: verify.Ledger().spend("look", **look), {"false_alarm": 1e-9}, [
        ({"false_alarm": 0.0}, "false_alarm=0.0"), ({"looks": 0}, "looks=0"),
        ({"looks": 1.5}, "looks=1.5"),
    ]),
    (intervals.known_variance, {"samples": [1.0] * 9, "variance": 1.0, "false_alarm": 0.1}, [
        ({"samples": []}, "samples is empty"), ({"samples": [1.0, np.nan]}, "NaN"),
        ({"samples": ["a"]}, "dtype"), ({"variance": -1.0}, "variance=-1.0"),
        ({"false_alarm": 1e-9}, "draw more"),
    ]),
    (intervals.betting, {"samples": [0.5], "low": 0, "high": 1, "false_alarm": 0.1}, [
        ({"samples": [2.0]}, "outside the declared range"), ({"low": 2}, "low < high"),
    ]),
    (intervals.dkw, {"n": 5, "false_alarm": 0.1}, [
        ({"n": 0}, "n=0"), ({"n": 10**400}, "n=a number of"),
    ]),
    (lambda k: intervals.binomial(k, 4, 0.1), {"k": 2}, [({"k": 5}, "exceeds n=4")]),
    (lambda p: intervals.quantile([1.0], p, 0.1), {"p": 0.5}, [({"p": 1.0}, "probability=1.0")]),
    (kernels.make, {"name": "rbf"}, [
        ({"gamma": 0.0}, "gamma=0.0 must be positive"), ({"sigma": 1.0}, "no parameter 'sigma'"),
        ({"name": "matern", "nu": 60.0}, "name that"), ({"gamma": math.nan}, "must be a number"),
        ({"name": "polynomial", "degree": 1.5}, "whole number"),
        ({"name": "polynomial", "coef0": -1.0}, "must be at least 0"),
        ({"name": "arc-cosine", "order": 3}, "not one of 0, 1, 2"),
        ({"name": "maxout", "q": 0}, "whole number"),
    ]),
    (lambda name: kernels.make(name).declarations("cosine"), {"name": "rbf"}, [
        ({"name": "exp"}, "one of positive, positive-pairs"), ({"name": "maxout"}, "none is known"),
    ]),
    (kernels.make("rbf"), {"X": ROWS, "Y": ROWS}, [({"Y": np.eye(3)}, r"\bX\b")]),
    (kernels.make("skewed-chi2"), {"X": ROWS, "Y": ROWS}, [({}, "must not be negative")]),
]  # fmt: skip


def unfitted(seed):
    return RBFSampler(random_state=seed)


# What stands in the place of an argument, and words of the one sentence that refuses it.
SEEDS = "pass a function seed -> map"
DRAWS = [
    *((draw, SEEDS) for draw in (PHI, PHI.__call__, FITTED, FITTED.transform, RBFSampler)),
    (unfitted(0), SEEDS), (3, "=3 must be callable"), (np.eye(6), "=a ndarray must be callable"),
    (lambda: 0, r"\(\) must take seed"),
]  # fmt: skip
MAPS = [
    (Maxout, "returned the class Maxout"), (np.eye(6), "returned ndarray, which is not callable"),
    (FITTED.__class__(), "not fitted"), (masked, "is a masked array"),
    (lambda x: x[:2], r"shape \(2, 6\) for X of shape"), (lambda x: x[:, 0], "a map returns"),
    (lambda x: 1j * x, "real numbers"), (lambda x: (x, 1), "is a tuple"),
    (lambda x: x.astype(str), "real numbers"), (lambda x: [[1], [2, 3], [4]], "real numbers"),
    (lambda x, y: x, r"cannot be called as map\(X\)"), (lambda x: None, "of NoneType has shape"),
    (type("Net", (), {"state_dict": 0, "__call__": lambda _, x: x.float()})(), "a PyTorch module"),
]  # fmt: skip
KERNELS = [
    ("rbf", "='rbf'"), (linear(ROWS, ROWS), "matrix of shape|=a ndarray"), (1.0, "=1.0 must be"),
    (ROWS.tolist(), "=a list must be"), (scipy.sparse.eye(3).tocsr(), "=a csr_matrix must be"),
    (lambda x, y: x.numpy(), "takes two float64 NumPy arrays"), (lambda x: x @ x.T, "2 were given"),
    (lambda x, y: float(x @ y), r"raised ValueError: .* \(n, d\) and \(k, d\)"),
    (lambda x, y: np.ones(3), r"\(X, Y\) has shape \(3,\)"), (lambda x, y: 1.0, r"shape \(\)"),
    (lambda x, y: 1j * linear(x, y), "complex128"), (lambda x, y: "a", "hold real numbers"),
    (lambda x, y: np.nan * linear(x, y), "not finite"), (lambda x, y: None, "not None"),
    (lambda x, y: scipy.sparse.csr_matrix(linear(x, y)), r"\(X, Y\) is a sparse matrix"),
    (lambda x, y: np.ma.masked_greater(linear(x, y), 0), r"\(X, Y\) is a masked array"),
    (lambda x, y: [[1], [2, 3]], "must hold real numbers"),
]  # fmt: skip
POINTS = [
    (scipy.sparse.csr_matrix(ROWS), r"^{0} is a sparse matrix: pass {0}.toarray\(\)"),
    (scipy.sparse.coo_array(ROWS), "^{0} is a sparse matrix"), (masked(ROWS), "^{0} is a masked"),
    (ROWS[0], r"^{0} must have shape .*reshape"), (ROWS[None], "^{0} must have shape"),
    (np.empty((0, 6)), "^{0} is empty"), (np.empty((3, 0)), "^{0} is empty"),
    (np.where(ROWS == ROWS[1, 1], np.nan, ROWS), "^{0} holds NaN or infinity, first in row 1"),
    (ROWS + 1j, "^{0} is complex"), (ROWS.astype(str), "^{0} has dtype"),
    ([[1.0, 2.0], [3.0]], "^{0} must hold real numbers"), ("rbf", "^{0} must hold real numbers"),
]  # fmt: skip
ONES = {"kernel": lambda x, y: np.ones((len(x), len(y)))}
CHECKS = {
    verify.check_kernel: KERNEL, verify.diagnose: KERNEL,
    # It looks at the structure first, before the kernel.
    verify.assert_kernel: KERNEL | {"draw": lambda seed: Maxout(seed, m=5)},
    verify.check_variance: {"draw": signs, "variance": ONES["kernel"], "X": ROWS},
    verify.check_invariance: {"draw": signs, "act": np.negative, "X": ROWS},
    verify.check_same: {"draw_a": signs, "draw_b": lambda s: signs(s + 1), "X": ROWS},
    verify.check_convergence: {"draw": signs, "X": ROWS, "sizes": (50, 100)},
    verify.check_distribution: NORMAL | {"draw": signs},
    verify.check_structure: {"draw": signs, "X": ROWS},
}  # fmt: skip


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_mistake_is_one_sentence_of_every_check(check):
    right = CHECKS[check]
    takes = "seed, n_features" if check is verify.check_convergence else "seed"
    for name in right:
        cases = {"draw": DRAWS, "kernel": KERNELS, "variance": KERNELS, "X": POINTS}
        cases = cases.get(name[:4] if name.startswith("draw") else name, [])
        for wrong, words in cases:
            with pytest.raises((TypeError, ValueError), match=words.replace("{0}", name)):
                check(**right | {name: wrong})
        for phi, words in MAPS if name.startswith("draw") else ():
            draw = eval(f"lambda {takes}: phi", {"phi": phi})
            with pytest.raises((TypeError, ValueError), match=words):
                check(**right | {name: draw})


def test_columns_that_depend_on_the_number_of_rows_are_named():
    def draw(seed):
        return lambda Z: signs(seed)(Z)[:, : 40 + len(Z)]

    words = "45 features of 5 rows but the first had 43: .* whatever the number of rows"
    for check, right in CHECKS.items():
        if "kernel" in right and check is not verify.assert_kernel:
            with pytest.raises(ValueError, match=words):
                check(draw, linear, ROWS, points(5, 6))
    verdict = verify.check_structure(draw, ROWS)
    assert verdict.status == "refuted"
    assert "number of columns depends on the batch" in verdict.cause


@pytest.mark.parametrize(("function", "right", "cases"), REFUSED)
def test_what_is_wrong_is_refused_by_name(function, right, cases):
    for wrong, words in cases:
        with pytest.raises((TypeError, ValueError), match=words):
            function(**right | wrong)


def test_a_refused_look_is_not_paid():
    ledger = verify.Ledger(1e-6)
    with pytest.raises(TypeError, match="variance"):
        verify.check_kernel(never, linear, ROWS, variance=1.0, ledger=ledger)
    assert ledger.looks == 0


@pytest.mark.slow
def test_a_type_checker_sees_a_misspelt_option(tmp_path):
    api = pytest.importorskip("mypy.api")
    good = "from mehler import verify\nverify.check_mean([0.0], 0.0, resolution=1.0, miss=0.1)\n"
    (tmp_path / "call.py").write_text(good + good.replace("miss", "mis"), encoding="utf-8")
    out, _, _ = api.run([str(tmp_path / "call.py"), "--cache-dir", str(tmp_path / "cache")])
    assert 'call.py:4: error: Unexpected keyword argument "mis"' in out
    assert "Found 1 error" in out


def test_a_map_that_changes_the_handling_of_errors_changes_no_check():
    before = np.geterr()

    def draw(seed):
        np.seterr(all="raise")
        return signs(seed, 500)

    assert verify.check_kernel(draw, linear, ROWS, resolution=0.1).holds
    assert np.geterr() == before


@pytest.mark.parametrize("name", ["check_kernel", "check_variance", "check_mean", "check_same"])
def test_help_shows_options_with_their_defaults(name):
    parameters = inspect.signature(getattr(verify, name)).parameters
    assert "options" not in parameters
    assert parameters["false_alarm"].default == 1e-9
    assert ("time_limit" in parameters) == (name != "check_mean")
