"""check_kernel catches planted defects, passes their correct twins, and says what it could see."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from mehler.verify import assert_kernel, check_kernel
from tests.verify import toys
from tests.verify.toys import Maxout, maxout2_kernel, points

D = 6
X = points(6, D)
GAMMA = 0.3


def maxout(**change):
    return lambda seed: replace(Maxout(seed, n_inputs=D), **change)


@dataclass(frozen=True)
class Undeclared:
    """The same map, declaring nothing."""

    inner: Maxout

    def __call__(self, x):
        return self.inner(x)


# Gross ones are in the corpus.
DEFECTS = {"one part in fifty too large": {"factor": 1.02}, "mean for max": {"reduce": np.mean}}


@pytest.mark.parametrize("defect", DEFECTS)
def test_planted_defect_is_refuted(defect):
    verdict = check_kernel(maxout(**DEFECTS[defect]), maxout2_kernel, X)
    assert verdict.status == "refuted", str(verdict)
    low, high = verdict.interval
    assert not low <= verdict.exact <= high


def test_a_right_map_holds():
    verdict = check_kernel(maxout(), maxout2_kernel, X)
    assert verdict.status == "holds", str(verdict)
    assert verdict.method == "known variance (Catoni), independent features"
    assert verdict.detectable <= verdict.resolution
    assert verdict.interval[1] - verdict.interval[0] <= verdict.resolution * verdict.scale
    # 6 rows: 15 pairs and the diagonal, at every look.
    assert verdict.n_intervals % 21 == 0


def test_a_defect_behind_correct_products_is_found():
    class Hidden(Maxout):
        def __call__(self, x):
            return 1.1 * super().__call__(x)

        def products(self, x, y):
            return self.m * super().__call__(x) * super().__call__(y)

    verdict = check_kernel(lambda s: Hidden(s, n_inputs=D), maxout2_kernel, X[:3], resolution=0.1)
    assert verdict.status == "refuted", str(verdict)
    assert "independent draws" in verdict.method


@pytest.mark.parametrize(("factor", "status"), [(1.0, "holds"), (1.05, "refuted")])
def test_whole_draws_with_a_variance(factor, status):
    def draw(seed):
        return Undeclared(Maxout(seed, n_inputs=D, factor=factor))

    verdict = check_kernel(draw, maxout2_kernel, X, variance=toys.maxout2_variance)
    assert verdict.status == status, str(verdict)
    assert verdict.method == "known variance (Catoni), independent draws"


@dataclass(frozen=True)
class Codes:
    """q-ary codes: features without an inner product, compared by `gram`; kappa_2 expected."""

    seed: int
    q: int = 2
    m: int = 500

    independent_units = True

    def __call__(self, x):
        w = np.random.default_rng(self.seed).standard_normal((self.m * self.q, D))
        return (x @ w.T).reshape(len(x), self.m, self.q).argmax(axis=2).astype(np.uint8)

    def gram(self, x, y):
        return (self(x)[:, None, :] == self(y)[None, :, :]).mean(axis=2)

    def products(self, x, y):
        return self(x) == self(y)

    @staticmethod
    def variance(x, y):
        return collision(x, y) * (1 - collision(x, y))


def collision(x, y):
    """kappa_2 = 1/2 + arcsin(rho)/pi."""
    return 0.5 + np.arcsin(toys.cosine(x, y)[1]) / np.pi


@pytest.mark.parametrize(("q", "status"), [(2, "holds"), (3, "refuted")])
def test_codes_go_by_their_products(q, status):
    verdict = check_kernel(lambda seed: Codes(seed, q), collision, X, X[:2])
    assert verdict.status == status, str(verdict)
    assert "independent units" in verdict.method
    assert verdict.n_intervals % 12 == 0


FOURIER = {
    "variance": {"variance": toys.paired_variance(GAMMA)},
    "bounds": {"bounds": (-1.0, 1.0), "resolution": 0.1},
    "nothing": {"resolution": 0.05},
}


@pytest.mark.parametrize("known", FOURIER)
@pytest.mark.parametrize(("factor", "status"), [(1, "holds"), (2, "refuted"), (0.5, "refuted")])
@pytest.mark.sampled(3)
def test_bandwidth_off_by_two_is_refuted(known, factor, status):
    """scikit-learn's RBFSampler of 2014, with a variance, with bounds, with nothing declared."""
    draw = toys.paired_fourier(factor * GAMMA, D)
    verdict = check_kernel(draw, toys.rbf(GAMMA), X, **FOURIER[known])
    assert verdict.status == status, str(verdict)
    if known == "nothing":
        # A wrong bandwidth makes some |u + v|^2 or |u - v|^2 too large, which needs no assumption.
        refuting = status == "refuted"
        assert ("squared lengths" if refuting else "bounded kurtosis") in verdict.method
        assert any("nothing else" in line for line in verdict.assumptions) == refuting


def test_a_map_outside_its_bounds_is_refuted():
    draw = toys.paired_fourier(GAMMA, D)
    verdict = check_kernel(draw, toys.rbf(GAMMA), X, bounds=(-0.5, 0.5), resolution=0.1)
    assert verdict.status == "refuted"
    assert "outside the declared bounds" in str(verdict)


def test_where_names_the_defective_pair():
    def kernel(x, y):
        value = maxout2_kernel(x, y).copy()
        if len(x) == len(y) == len(X):
            value[2, 4] *= 1.2
        return value

    verdict = check_kernel(maxout(), kernel, X)
    assert verdict.status == "refuted"
    assert (verdict.where["i"], verdict.where["j"]) == (2, 4)
    assert verdict.where["rho"] == pytest.approx(toys.cosine(X, X)[1][2, 4])


@pytest.mark.slow
def test_false_alarms_over_many_checks_of_a_correct_map():
    """The union bound over 6 pairs and Catoni's inequality are never tighter than stated."""
    options = {"resolution": 0.9, "false_alarm": 0.05}
    toys.require_rate(
        lambda k: check_kernel(maxout(m=200), maxout2_kernel, X[:3], seed=k, **options), 300, 0.05
    )


@pytest.mark.sampled(3)
def test_any_backend(place):
    """Rows and features stay where the caller has them; the claim is held on the host."""
    rows = place.asarray(X[:3], "float32")

    def draw(seed):
        w = np.random.default_rng(seed).standard_normal((D, 400)).astype(np.float32)
        weights = place.asarray(w)
        return lambda x: x @ weights / 20.0

    verdict = check_kernel(
        draw,
        lambda x, y: x @ y.T,
        rows,
        # Var (w.x)(w.y) = |x|^2 |y|^2 + <x, y>^2
        variance=lambda x, y: np.outer((x**2).sum(1), (y**2).sum(1)) + (x @ y.T) ** 2,
        independent_features=True,
        resolution=0.1,
    )
    assert verdict.status == "holds", str(verdict)


def test_one_map_for_all_seeds_is_said_of_a_kernel_that_holds():
    """Inner products are exact for either map, so that the verdict alone cannot tell."""
    X = np.random.default_rng(0).standard_normal((4, 3))

    def draw_of_columns(seed):
        turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))[0]
        return lambda rows: rows @ turn

    verdicts = [
        check_kernel(draw, lambda x, y: x @ y.T, X, resolution=0.2, false_alarm=1e-4)
        for draw in (lambda seed: lambda rows: rows, draw_of_columns)
    ]
    assert [verdict.holds for verdict in verdicts] == [True, True]
    said = "But draw ignores its seed"
    assert [said in verdict.reason for verdict in verdicts] == [True, False]


@pytest.mark.slow
def test_draws_of_zero_features_do_not_ignore_their_seed():
    """Whatever carries the kernel may be rare: here one draw in a hundred."""
    X = np.random.default_rng(0).standard_normal((4, 3))

    def rare(seed):
        rng = np.random.default_rng(seed)
        weights = 10.0 * (rng.random() < 0.01) * rng.standard_normal((3, 200)) / math.sqrt(200.0)
        return lambda rows: rows @ weights

    def rare_or_one(seed):
        """A kernel of 1, with another map in one draw of fifty."""
        rng = np.random.default_rng(seed)
        signs = rng.choice([-1.0, 1.0], 200) if rng.random() < 0.02 else np.ones(200)
        return lambda rows: np.ones((len(rows), 1)) * signs / math.sqrt(200.0)

    claims = ((rare, lambda x, y: x @ y.T), (rare_or_one, lambda x, y: np.ones((len(x), len(y)))))
    for draw, claim in claims:
        verdict = check_kernel(draw, claim, X, resolution=0.1)
        assert verdict.status != "refuted"
        assert "ignores its seed" not in f"{verdict.cause} {verdict.reason}"


def test_a_claim_that_writes_to_its_rows_is_refused_and_no_map_is_blamed():
    X = np.random.default_rng(0).standard_normal((4, 3))
    before = X.copy()

    def linear(x, y):
        x *= 2.0
        return x @ y.T

    def draw(seed):
        weights = np.random.default_rng(seed).standard_normal((3, 50)) / math.sqrt(50.0)
        return lambda rows: rows @ weights

    for check in (check_kernel, assert_kernel):
        with pytest.raises(TypeError, match="changes its rows in place"):
            check(draw, linear, X, resolution=0.5)
    np.testing.assert_array_equal(X, before)
