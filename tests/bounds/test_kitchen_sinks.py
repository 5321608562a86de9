"""The bounds for weighted sums of random features, each against a second route to its constants."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mehler.bounds import kitchen_sinks

DELTAS = (0.4, 0.05, 1e-9)


def mcdiarmid(changes: list[mpmath.mpf], delta: float) -> float:
    """The t at which exp(-2 t^2 / sum of squared changes) is delta."""
    total = mpmath.fsum(one**2 for one in changes)
    return float(mpmath.sqrt(total * mpmath.log(1 / mpmath.mpf(delta)) / 2))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("k", "scale"), [(1, 1.0), (50, 0.3), (4000, 7.0)])
def test_lemma_1_is_a_mean_and_bounded_differences(k, scale, delta):
    bound = kitchen_sinks.lemma_1(k, scale=scale, delta=delta)
    # One feature moves the average by its diameter over K.
    assert bound["confidence"] == pytest.approx(mcdiarmid([2 * mpmath.mpf(scale) / k] * k, delta))
    assert bound["mean"] == pytest.approx(scale / math.sqrt(k), rel=1e-14)
    assert bound.probability == 1 - delta


def test_lemma_1_with_known_moments_is_the_exact_mean_square():
    """Two orthonormal features, each drawn with probability 1/2, f* = (phi_1 + phi_2) / 2."""
    k = 10
    # K times the average counts phi_1: the error is sqrt(2) |count/K - 1/2|, count binomial.
    mean_square = sum(math.comb(k, j) / 2**k * 2 * (j / k - 0.5) ** 2 for j in range(k + 1))
    bound = kitchen_sinks.lemma_1(k, scale=1.0, delta=0.1, mean_square=1.0, norm=math.sqrt(0.5))
    assert bound["mean"] == pytest.approx(math.sqrt(mean_square), rel=1e-13)
    assert bound["mean"] < kitchen_sinks.lemma_1(k, scale=1.0, delta=0.1)["mean"]
    assert bound.trivial == math.sqrt(0.5)


def test_a_scale_of_the_features_multiplies_c():
    one = kitchen_sinks.lemma_1(9, scale=3.0, delta=0.1)
    assert kitchen_sinks.lemma_1(9, scale=1.5, feature_scale=2.0, delta=0.1).value == one.value
    for bound in (kitchen_sinks.risk_lemma, kitchen_sinks.estimation_lemma):
        assert bound(9, scale=1.5, lipschitz=2.0, feature_scale=2.0, delta=0.1).value == (
            bound(9, scale=3.0, lipschitz=2.0, delta=0.1).value
        )


def test_features_that_are_too_large_make_it_vacuous():
    good = {"scale": 1.0, "delta": 0.05}
    assert not kitchen_sinks.lemma_1(50, **good, largest_feature=1.0).vacuous
    assert kitchen_sinks.lemma_1(50, **good, largest_feature=1.01).vacuous
    assert not kitchen_sinks.lemma_1(50, **good, largest_feature=9.0, form="printed").vacuous
    risk = {**good, "lipschitz": 1.0, "largest_feature": 1.01}
    assert kitchen_sinks.risk_lemma(50, **risk).unmet
    assert kitchen_sinks.estimation_lemma(50, **risk).unmet
    assert kitchen_sinks.theorem(50, 50, **risk).unmet
    assert kitchen_sinks.greedy(50, total_weight=1.0, largest_feature=1.01).unmet


def test_nothing_is_promised_where_the_zero_function_does_as_well():
    assert kitchen_sinks.lemma_1(10, scale=1.0, delta=0.05).vacuous
    assert not kitchen_sinks.lemma_1(12, scale=1.0, delta=0.05).vacuous
    assert kitchen_sinks.theorem(10**6, 10**6, scale=1.0, lipschitz=1.0, delta=0.5).vacuous


@pytest.mark.parametrize("delta", DELTAS)
def test_risk_lemma_is_the_lipschitz_constant_times_lemma_1(delta):
    found = kitchen_sinks.risk_lemma(70, scale=2.0, lipschitz=0.25, delta=delta)
    near = kitchen_sinks.lemma_1(70, scale=2.0, delta=delta)
    assert found.value == pytest.approx(0.25 * near.value, rel=1e-14)


@pytest.mark.parametrize("delta", DELTAS)
def test_estimation_lemma_is_a_mean_and_bounded_differences(delta):
    n, lipschitz, scale = 300, 0.5, 2.0
    sizes = {"scale": scale, "lipschitz": lipschitz, "delta": delta}
    one = kitchen_sinks.estimation_lemma(n, **sizes, two_sided=False)
    # c(f(x) y) moves by at most 2LC.
    change = [mpmath.mpf(2 * lipschitz * scale) / n] * n
    assert one["confidence"] == pytest.approx(mcdiarmid(change, delta))
    both = kitchen_sinks.estimation_lemma(n, **sizes)
    assert both["confidence"] == pytest.approx(mcdiarmid(change, delta / 2))
    assert one["statistical"] == both["statistical"] == 2 / math.sqrt(n)


def test_estimation_lemma_as_recalled():
    found = kitchen_sinks.estimation_lemma(
        100,
        scale=2.0,
        lipschitz=0.5,
        delta=math.exp(-8),
        loss_at_zero=0.3,
        form="printed",
    )
    assert [term.value for term in found.terms] == pytest.approx([0.4, 0.06, 0.2])


@pytest.mark.parametrize("constraint", ["box", "ball"])
@pytest.mark.parametrize("delta", DELTAS)
def test_theorem_is_twice_the_estimation_and_the_risk_lemma(delta, constraint):
    k, n, lipschitz, scale = 40, 300, 0.5, 2.0
    sizes = {"scale": scale, "lipschitz": lipschitz, "delta": delta}
    found = kitchen_sinks.theorem(k, n, **sizes, constraint=constraint)
    # c(f(x) y) - c(g(x) y) lies within 2LC: one sample moves it by 4LC.
    change = [mpmath.mpf(4 * lipschitz * scale) / n] * n
    assert found["confidence"] == pytest.approx(mcdiarmid(change, delta))
    assert found["statistical"] == 2 / math.sqrt(n)
    assert found["approximation"] == kitchen_sinks.risk_lemma(k, **sizes).value
    assert found.probability == 1 - 2 * delta


@given(
    st.integers(1, 10**9),
    st.integers(1, 10**9),
    st.floats(1e-12, 0.49999),
)
def test_the_proved_theorem_implies_the_printed_rate(k, n, delta):
    sizes = {"scale": 1.0, "lipschitz": 1.0, "delta": delta}
    proved = kitchen_sinks.theorem(k, n, **sizes)
    printed = kitchen_sinks.theorem(k, n, **sizes, form="printed", c=5.24)
    assert proved.value <= printed.value
    assert printed.probability == proved.probability


@given(st.floats(1e-3, 2.0), st.floats(1e-6, 0.9), st.floats(0.1, 20.0))
def test_lemma_1_features_is_a_true_inverse(eps, delta, scale):
    k = kitchen_sinks.lemma_1_features(eps, scale=scale, delta=delta)
    assert kitchen_sinks.lemma_1(k, scale=scale, delta=delta).value <= eps
    assert k == 1 or kitchen_sinks.lemma_1(k - 1, scale=scale, delta=delta).value > eps


@given(st.floats(1.001, 10.0), st.floats(1e-6, 0.49), st.integers(10, 10**7))
def test_theorem_features_is_a_true_inverse(times, delta, n):
    sizes = {"scale": 1.5, "lipschitz": 0.5, "delta": delta}
    at_infinity = kitchen_sinks.theorem(1, n, **sizes)
    eps = times * (at_infinity["statistical"] + at_infinity["confidence"])
    k = kitchen_sinks.theorem_features(eps, n, **sizes)
    assert kitchen_sinks.theorem(k, n, **sizes).value <= eps
    assert k == 1 or kitchen_sinks.theorem(k - 1, n, **sizes).value > eps


def test_too_few_samples_are_told_how_many_it_takes():
    sizes = {"scale": 1.0, "lipschitz": 1.0, "delta": 0.05}
    with pytest.raises(ValueError, match=r"more than (\d+) samples") as caught:
        kitchen_sinks.theorem_features(0.1, 1000, **sizes)
    fewest = int(str(caught.value).rpartition("more than ")[2].split()[0])
    assert kitchen_sinks.theorem_features(0.1, fewest + 1, **sizes) > 10**6
    with pytest.raises(ValueError, match="more than"):
        kitchen_sinks.theorem_features(0.1, fewest - 1, **sizes)


def test_greedy_on_equal_weights():
    """n orthonormal features of weight 1/n: K steps leave (1/K)(1 - K/n), by hand."""
    n, k = 100, 10
    bound = kitchen_sinks.greedy(k, total_weight=1.0, norm=n**-0.5)
    # The error with K equal weights: K (1/K - 1/n)^2 + (n - K)/n^2.
    assert math.sqrt(k * (1 / k - 1 / n) ** 2 + (n - k) / n**2) < bound.value
    assert bound.value**2 == pytest.approx((1 - 1 / n) / k, rel=1e-13)
    printed = kitchen_sinks.greedy(k, total_weight=2.0, form="printed", c=3.0)
    assert printed.value == pytest.approx(6 / math.sqrt(10))


def test_mean_lengths_in_closed_form():
    scale = kitchen_sinks.maxout_feature_scale
    # |g|; the longer of two of them; a normal vector in the plane and in space.
    assert scale(1, 1, radius=1.0) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-13)
    assert scale(1, 2, radius=1.0, by="longest") == pytest.approx(2 / math.sqrt(math.pi), rel=1e-12)
    for by in ("frobenius", "longest"):
        assert scale(2, 1, radius=3.0, by=by) == pytest.approx(
            3 * math.sqrt(math.pi / 2), rel=1e-12
        )
        assert scale(3, 1, radius=1.0, by=by) == pytest.approx(math.sqrt(8 / math.pi), rel=1e-12)
    # The longest of q plane vectors: squared lengths are exponential with mean 2,
    # E max = sum over j of (-1)^(j+1) C(q, j) sqrt(pi / (2 j)).
    q = 7
    exact = mpmath.fsum(
        (-1) ** (j + 1) * mpmath.binomial(q, j) * mpmath.sqrt(mpmath.pi / (2 * j))
        for j in range(1, q + 1)
    )
    assert scale(2, q, radius=1.0, by="longest") == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("d", [1, 3, 80, 784, 10**6])
@pytest.mark.parametrize("q", [1, 4, 1000, 10**6])
def test_mean_lengths_keep_their_bounds(d, q):
    scale = kitchen_sinks.maxout_feature_scale
    assert scale(d, q, radius=1.0) <= math.sqrt(d * q)
    longest = scale(d, q, radius=1.0, by="longest")
    assert scale(d, 1, radius=1.0) * (1 - 1e-12) <= longest
    assert longest <= math.sqrt(d) + math.sqrt(2 * math.log(q))


OK = {"scale": 1.0, "delta": 0.05}
RISK = {**OK, "lipschitz": 1.0}


@pytest.mark.parametrize(
    ("name", "arguments", "options", "message"),
    [
        ("lemma_1", (0,), OK, "n_features=0"),
        ("lemma_1", (2.5,), OK, "n_features=2.5"),
        ("lemma_1", (True,), OK, "n_features=True"),
        ("lemma_1", (5,), {**OK, "scale": 0.0}, "scale=0.0"),
        ("lemma_1", (5,), {**OK, "scale": math.nan}, "scale=nan"),
        ("lemma_1", (5,), {**OK, "delta": 1.0}, "delta=1.0"),
        ("lemma_1", (5,), {**OK, "form": "guessed"}, "form='guessed'"),
        ("lemma_1", (5,), {**OK, "norm": 1.5}, "norm=1.5 is not a number from 0 to 1"),
        ("lemma_1", (5,), {**OK, "norm": math.nan}, "norm=nan"),
        ("lemma_1", (5,), {**OK, "mean_square": 1.1}, "exceeds C"),
        ("lemma_1", (5,), {**OK, "mean_square": 0.2, "norm": 0.5}, "below the square"),
        ("lemma_1", (5,), {**OK, "largest_feature": -1.0}, "largest_feature=-1.0"),
        ("lemma_1", (5,), {**OK, "form": "printed", "feature_scale": 2.0}, "feature_scale"),
        ("lemma_1_features", (0.0,), OK, "eps=0.0"),
        ("lemma_1_features", (1e-200,), OK, "too small"),
        ("risk_lemma", (5,), {**RISK, "lipschitz": -1}, "lipschitz=-1"),
        ("risk_lemma", (5,), {**RISK, "form": "printed", "feature_scale": 2.0}, "feature_scale"),
        ("estimation_lemma", (5,), {**RISK, "form": "printed"}, "needs"),
        ("estimation_lemma", (5,), {**RISK, "form": "printed", "loss_at_zero": -1}, "at least 0"),
        ("estimation_lemma", (5,), {**RISK, "loss_at_zero": 1.0}, "leave it out"),
        (
            "estimation_lemma",
            (5,),
            {**RISK, "form": "printed", "loss_at_zero": 1.0, "feature_scale": 2.0},
            "feature_scale",
        ),
        ("theorem", (5, 0), RISK, "n_samples=0"),
        ("theorem", (5, 5), {**RISK, "form": "printed"}, "leaves c unnamed"),
        ("theorem", (5, 5), {**RISK, "form": "printed", "c": 0}, "c=0"),
        ("theorem", (5, 5), {**RISK, "c": 1.0}, "its own"),
        ("theorem", (5, 5), {**RISK, "constraint": "simplex"}, "neither 'box' nor 'ball'"),
        (
            "theorem",
            (5, 5),
            {**RISK, "form": "printed", "c": 1.0, "feature_scale": 2.0},
            "feature_scale",
        ),
        ("greedy", (5,), {"total_weight": -1.0}, "total_weight=-1.0"),
        ("greedy", (5,), {"total_weight": 1.0, "norm": 1.5}, "norm=1.5"),
        ("greedy", (5,), {"total_weight": 1.0, "c": 1.0}, "its own"),
        ("greedy", (5,), {"total_weight": 1.0, "form": "printed"}, "leaves c unnamed"),
        ("maxout_feature_scale", (5, 0), {"radius": 1.0}, "pool_size=0"),
        ("maxout_feature_scale", (5, 2), {"radius": math.inf}, "radius=inf"),
        ("maxout_feature_scale", (5, 2), {"radius": 1.0, "by": "rows"}, "by='rows'"),
    ],
)
def test_bad_arguments_are_refused(name, arguments, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        getattr(kitchen_sinks, name)(*arguments, **options)
