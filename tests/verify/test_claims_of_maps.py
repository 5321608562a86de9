"""What a map may declare, what stands in its place, and what rows say about a kernel."""

import numpy as np
import pytest

import mehler
from mehler import kernels
from mehler.verify import check_kernel, check_variance
from mehler.verify._maps import Draws, make_pairs
from mehler.verify.checks._kernel import least_factors
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


class Learned(Offset):
    def __getattr__(self, name):  # as a module of PyTorch finds its parameters
        if name == "variance":
            return 1.0
        raise AttributeError(name)


class Fitted(Offset):
    def __init__(self, seed):
        super().__init__(seed)
        self.variance = np.ones((4, 4))


class Unready(Amplitude):
    @property
    def feature_cdf(self):
        raise RuntimeError("not fitted")


class Ours(mehler.FourierFeatures):
    variance = None
    gram_variance = 1.0

    def __init__(self, seed):
        super().__init__(3, 200, gamma=0.5, seed=seed)


class Scale(Offset):
    product_kurtosis = 1.0


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, "variance") for kind in (Amplitude, Posterior, Counted, Learned, Fitted, Unready)]
    + [(Ours, "gram_variance"), (Scale, "product_kurtosis")],
)
def test_attributes_that_happen_to_have_a_name_are_no_declarations(kind, name):
    ignored = f"{name} of the class {kind.__name__} declared nothing and was ignored"
    verdict = check_kernel(kind, RBF, X, max_features=20_000, **COARSE)
    assert verdict.status == "inconclusive"
    assert verdict.assumptions[-1] == ignored
    ones = lambda x, y: np.ones((len(x), len(y)))  # noqa: E731
    verdict = check_variance(kind, ones, X, max_features=20_000)
    assert ignored in verdict.assumptions
    if name != "product_kurtosis":
        with pytest.raises(ValueError, match=f"declares none .{ignored}"):
            check_variance(kind, None, X)


@pytest.mark.slow
def test_a_map_whose_attribute_is_no_variance_holds():
    assert check_kernel(Amplitude, RBF, X, **COARSE).holds


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


@pytest.mark.slow
@pytest.mark.parametrize("rows", [FAR, NEAR])
def test_rows_without_information_on_the_scale_say_so(rows):
    verdict = check_kernel(WRONG if rows is FAR else Offset, RBF, rows, **COARSE)
    assert verdict.status == "inconclusive"
    assert "would not show at these rows: scale the columns" in verdict.reason
    bare = check_kernel(Offset, lambda x, y: RBF(x, y), rows, **COARSE)
    assert bare.holds
    assert "scale the columns" in bare.reason


@pytest.mark.parametrize("rows", [1e-12 * X, 1e-200 * X, 1e15 * X, X[:1], 0.0 * X + 1.0])
def test_rows_of_any_size_say_so(rows):
    """Values that agree to the last bit at these rows belong to a kernel with a scale."""
    verdict = check_kernel(Offset, RBF, rows, bounds=(-2, 2), independent_features=True, **COARSE)
    assert verdict.status == "inconclusive"
    assert "off by any factor would not show" in verdict.reason


def angular(x, y):
    lengths = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(y, axis=1)
    return 1.0 - 2.0 / np.pi * np.arccos(np.clip(x @ y.T / lengths, -1.0, 1.0))


@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e9])
def test_kernels_without_a_scale_are_exempt(factor):
    assert least_factors(angular, make_pairs(angular, factor * X, None), 0.1) == (1.0, 1.0)
    order_0 = kernels.make("arc-cosine", order=0)
    assert least_factors(order_0, make_pairs(order_0, factor * X, None), 0.1) == (1.0, 1.0)


@pytest.mark.parametrize("distance", [0.1, 0.4, 1.0, 2.5, 5.0])
def test_factors_either_way_follow_from_the_kernel(distance):
    """At distance r a factor f moves k by |exp(-f^2 r^2 / 2) - exp(-r^2 / 2)|, for f and 1 / f."""
    pairs = make_pairs(RBF, distance * np.eye(1, 3), np.zeros((1, 3)))
    factors = np.array([1.05, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0])
    ways = []
    for sign in (2.0, -2.0):
        moves = abs(np.exp(-(factors**sign) * distance**2 / 2.0) - np.exp(-(distance**2) / 2.0))
        ways.append(min(factors[moves >= 0.1], default=np.inf))
    up, down = least_factors(RBF, pairs, 0.1)
    assert min(up, down) == min(ways)
    if min(ways) > 2.0:
        assert (up, down) == tuple(ways)
        verdict = check_kernel(Offset, RBF, distance * np.eye(1, 3), np.zeros((1, 3)), **COARSE)
        assert ("nor one too" in verdict.reason) == (max(ways) == np.inf)


# -- Rows whose claimed kernel is 0 have features of 0 in every draw, whatever is known of a map ---


ROWS = np.array([[0.0, 0.0, 0.0], [0.6, 0.0, 0.8], [0.0, 1.0, 0.0]])
M = 200


def linear(left, right):
    return left @ right.T


def draw_with(at_zero):
    """<w, x> with standard normal w, whose kernel is <x, y>; at_zero(signs) in a row of zeros."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        weights = rng.standard_normal((3, M))
        constant = at_zero(rng.choice([-1.0, 1.0], M))

        def phi(rows):
            features = rows @ weights
            return np.where(rows.any(axis=1)[:, None], features, constant) / np.sqrt(M)

        return phi

    return draw


@pytest.mark.parametrize(
    "at_zero",
    [
        pytest.param(lambda signs: 0.5 * signs, id="of random sign"),  # k(0, 0) = 0.25, k(0, y) = 0
        pytest.param(lambda signs: 0.5 + 0.0 * signs, id="constant"),
    ],
)
def test_other_features_are_refuted(at_zero):
    """Nothing is known of the tails: bets on |u + v|^2, whose claim is |v|^2 alone, decide."""
    assert check_kernel(draw_with(at_zero), linear, ROWS, resolution=0.2).status == "refuted"


@pytest.mark.parametrize("rounded", [5.6e-33, -1e-18])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.sampled(2)
def test_a_claim_that_is_0_but_for_rounding_is_0(rounded, dtype):
    """Features of a null space are rounding too: in units of the claim they would be anything."""
    rng = np.random.default_rng(3)
    noise = 1e-8 * rng.standard_normal(M) if dtype == "float32" else 1e-17 * np.ones(M)

    def claimed(left, right):
        value = linear(left, right)
        zero = ~left.any(axis=1)[:, None] & ~right.any(axis=1)[None, :]
        return np.where(zero, rounded, value)

    draw = draw_with(lambda signs: signs * noise)
    assert check_kernel(draw, claimed, ROWS, resolution=0.2).status == "holds"


@pytest.mark.slow
def test_a_long_check_says_so_once():
    slow = lambda seed: lambda x: (np.linalg.svd(np.eye(200)), Offset(seed)(x))[1]  # noqa: E731
    with pytest.warns(RuntimeWarning, match="resolution=0.001 takes about .* fits into a minute"):
        verdict = check_kernel(slow, RBF, X, resolution=1e-3, max_features=200 * 2000)
    assert verdict.status == "inconclusive"
