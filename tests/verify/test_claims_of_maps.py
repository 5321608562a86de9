"""What a map may declare, what stands in its place, and what rows say about a kernel."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn.kernel_approximation import RBFSampler

import mehler
from mehler import kernels
from mehler.verify import check_kernel, check_mean, intervals
from mehler.verify.sampling._draws import Draws
from tests.verify.toys import points

X = points(4, 3)
RBF = kernels.make("rbf", gamma=0.5)
COARSE = {"resolution": 0.1}


class Offset:
    def __init__(self, seed, gamma=0.5, m=200):
        rng = np.random.default_rng(seed)
        self.w = np.sqrt(2.0 * gamma) * rng.standard_normal((3, m))
        self.b = rng.uniform(0.0, 2.0 * np.pi, m)

    def __call__(self, x):
        return np.sqrt(2.0 / self.b.size) * np.cos(x @ self.w + self.b)


class Amplitude(Offset):
    variance = 1.0


class Posterior(Offset):
    def variance(self, x, y):
        return np.full((len(x), len(y)), 1e-6)


class Counted(Amplitude):
    independent_units = True


@pytest.mark.parametrize("kind", [Amplitude, Posterior, Counted])
def test_attributes_that_happen_to_have_a_name_are_no_declarations(kind):
    verdict = check_kernel(kind, RBF, X, **COARSE)
    assert verdict.holds, str(verdict)
    assert "variance of the class" in verdict.assumptions[-1]
    assert "ignored" in verdict.assumptions[-1]


FIRST = Draws(Offset, 0).seed(0)


class LongLater:
    """Cosines and sines, 1.5 times too long in all draws but the first; products are right."""

    independent_units = True

    def __init__(self, seed):
        self.w = np.random.default_rng(seed).standard_normal((3, 50))
        self.factor = 1.0 if seed == FIRST else 1.5

    def __call__(self, x):
        p = x @ self.w
        return self.factor * np.hstack([np.cos(p), np.sin(p)]) / np.sqrt(50)

    def products(self, x, y):
        return np.cos((x - y) @ self.w)


@pytest.mark.parametrize("options", [{}, {"variance": lambda x, y: np.ones((len(x), len(y)))}])
def test_products_are_compared_with_features_in_every_draw(options):
    verdict = check_kernel(LongLater, RBF, X, **COARSE, **options)
    assert verdict.status == "refuted"
    assert "2.25" in verdict.reason


FAR, NEAR = 1000.0 * X, 1e-4 * X
WRONG = lambda seed: Offset(seed, gamma=50.0)  # noqa: E731


@pytest.mark.parametrize("rows", [FAR, NEAR])
def test_rows_without_information_on_the_scale_say_so(rows):
    verdict = check_kernel(WRONG if rows is FAR else Offset, RBF, rows, **COARSE)
    assert verdict.status == "inconclusive"
    assert "would not show at these rows: scale the columns" in verdict.reason
    bare = check_kernel(Offset, lambda x, y: RBF(x, y), rows, **COARSE)
    assert bare.holds
    assert "scale the columns" in bare.reason


@pytest.mark.parametrize(
    ("draw", "kernel"),
    [
        (lambda s: mehler.MaxoutCodes.draw(3, 64, 3, seed=s), kernels.make("collision", q=3)),
        (lambda s: mehler.MaxoutFeatures.draw(3, 64, 2, seed=s), kernels.make("maxout", q=2)),
    ],
)
def test_kernels_without_a_scale_are_exempt(draw, kernel):
    assert check_kernel(draw, kernel, FAR, **COARSE).holds


def test_a_bandwidth_wrong_everywhere_is_not_open_elsewhere():
    verdict = check_kernel(lambda s: Offset(s, gamma=1.0), RBF, points(6, 3))
    assert verdict.status == "refuted"
    assert "inconclusive" not in "".join(verdict.table.lines())
    for _, exact, _, interval, _, status in verdict.table.rows:
        low, high = map(float, interval.strip("[]").split(","))
        assert status != "refuted" or not low <= float(exact) <= high


PHI = mehler.FourierFeatures.draw(3, 20, seed=0)
FITTED = RBFSampler(random_state=0).fit(X)


@pytest.mark.parametrize("draw", [PHI, PHI.__call__, FITTED, FITTED.transform, RBFSampler])
def test_a_map_in_the_place_of_draw_is_named(draw):
    with pytest.raises(TypeError, match=r"^draw is .*pass a function seed -> map"):
        check_kernel(draw, RBF, X)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernel": RBF(X, X)}, r"^kernel=a matrix of shape \(4, 4\) must be callable"),
        ({"X": scipy.sparse.csr_matrix(X)}, r"^X is a sparse matrix: pass X.toarray\(\)"),
        ({"X": np.ma.masked_greater(X, 1.0)}, "^X is a masked array"),
        ({"draw": lambda s: lambda x: np.ma.masked_greater(x, 1.0)}, "is a masked array"),
    ],
)
def test_other_things_in_the_place_of_arrays_are_named(change, message):
    with pytest.raises(TypeError, match=message):
        check_kernel(**({"draw": Offset, "kernel": RBF, "X": X} | change))
    with pytest.raises(TypeError, match=r"^samples is a masked array"):
        check_mean(np.ma.masked_greater(X[:, 0], 1.0), 0.0, resolution=0.1)


def test_a_map_does_not_change_the_callers_rows():
    def doubling(seed):
        phi = Offset(seed)

        def on(x):
            x *= 2.0
            return phi(x)

        return on

    rows = X.copy()
    assert check_kernel(doubling, RBF, rows, **COARSE).status == "refuted"
    assert np.array_equal(rows, X)


def test_an_interval_at_many_trials_contains_the_fraction_or_is_refused():
    low, high = intervals.binomial(1, 2**58, 1e-3)
    assert low < 2.0**-58 < high
    with pytest.raises(ValueError, match="too many for floats"):
        intervals.binomial(2**53, 2**60, 1e-12)


def test_help_shows_options_with_their_defaults():
    import inspect

    shown = inspect.signature(check_kernel).parameters
    assert "options" not in shown
    assert shown["false_alarm"].default == 1e-9
    assert shown["time_limit"].default == 60.0


def test_a_time_limit_says_what_to_do():
    verdict = check_kernel(Offset, RBF, X, resolution=1e-3, time_limit=0.5)
    assert verdict.status == "inconclusive"
    assert "The time limit of 0.5 s was over. To decide it, take resolution=" in verdict.reason
