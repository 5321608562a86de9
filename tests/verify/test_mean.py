"""check_mean on each of its routes: right claims hold, wrong ones are refuted, the rest is said."""

import json
import math
import re

import numpy as np
import pytest

from mehler.verify import check_mean
from tests.verify.toys import require_rate


def normal(n, seed=1):
    return np.random.default_rng(seed).standard_normal(n)


def coin(n, p, seed=1):
    return np.random.default_rng(seed).random(n) < p


ROUTES = {
    "known variance (Catoni)": ({"variance": 0.21}, 50_000),
    "bounded (betting)": ({"bounds": (0, 1)}, 50_000),
    "binomial (Clopper-Pearson)": ({"binary": True}, 50_000),
    "bounded kurtosis (self-normalised)": ({}, 50_000),
}


@pytest.mark.parametrize("method", ROUTES)
@pytest.mark.parametrize("seed", range(3))
def test_right_claim_holds_and_a_wrong_one_is_refuted(method, seed):
    options, n = ROUTES[method]
    x = coin(n, 0.3, seed)
    # Half widths at n = 50,000 and 1e-9 are at most 0.016 (Hoeffding): 0.04 is wider than two.
    right = check_mean(x, 0.3, resolution=0.04, miss=1e-9, **options)
    assert right.status == "holds", str(right)
    assert right.method == method
    assert right.holds
    assert right.interval[0] <= 0.3 <= right.interval[1]
    wrong = check_mean(x, 0.3 + right.detectable, resolution=0.04, **options)
    assert wrong.status == "refuted", str(wrong)
    assert not wrong.holds


def test_a_wide_interval_is_inconclusive_and_says_what_would_decide():
    verdict = check_mean(normal(100), 0.0, variance=1.0, resolution=0.1)
    assert verdict.status == "inconclusive"
    assert not verdict.holds
    assert "samples would decide it" in str(verdict)


@pytest.mark.parametrize(
    ("shape", "exact", "options"),
    [
        ((), 0.0, {}), ((), 0.5, {}), ((), 0.0, {"variance": 1.0}), ((3,), np.zeros(3), {}),
        ((3,), np.eye(3), {}), ((3,), np.eye(3), {"mean": np.zeros(3)}),
    ],
)  # fmt: skip
def test_as_many_samples_as_would_decide_do(shape, exact, options):
    rng, options = np.random.default_rng(2), options | {"resolution": 0.2}
    first = check_mean(rng.standard_normal((90, *shape)), exact, **options)
    assert first.status == "inconclusive"
    n = int(re.search(r"About (\d+) samples would decide", first.reason)[1])
    assert check_mean(rng.standard_normal((n, *shape)), exact, **options).status != "inconclusive"


def test_heavy_tails_promise_no_number_of_samples():
    """Of a Cauchy law no number decides."""
    x = np.random.default_rng(0).standard_cauchy(20_000)
    verdicts = [check_mean(scale * x, 0.0, resolution=0.2 * scale) for scale in (1.0, 1e50)]
    verdicts.append(check_mean(np.stack([x, x[::-1]], axis=1), 1e9 * np.eye(2), resolution=0.1))
    for verdict in verdicts:
        assert verdict.status == "inconclusive"
        assert "would decide" not in verdict.reason
        assert "few large samples decide" in verdict.reason.lower()


def test_verdict_is_one_paragraph_and_json():
    verdict = check_mean(normal(60), 0.0, variance=1.0, resolution=5.0)
    text = str(verdict)
    assert "\n" not in text
    for part in ("mean: holds", "false alarm 1e-09", "Assumes:"):
        assert part in text
    assert math.isinf(verdict.detectable)  # 60 samples promise nothing at 1e-9
    content = json.loads(json.dumps(verdict.to_dict(), allow_nan=False))
    assert content["detectable"] is None
    assert content["interval"] == list(verdict.interval)
    assert content["status"] == "holds"


# Laws of mean 1.
TAILS = {
    "exponential": lambda rng, n: rng.exponential(size=n),
    "lognormal": lambda rng, n: np.exp(rng.standard_normal(n) - 0.5),
    "Student, 3 degrees": lambda rng, n: 1.0 + rng.standard_t(3, n),
    "Pareto, index 2.5": lambda rng, n: 1.5 / 2.5 * (1.0 + rng.pareto(2.5, n)),
    "chi square over 10": lambda rng, n: rng.chisquare(0.1, n) / 0.1,
    "one in fifty": lambda rng, n: 50.0 * (rng.random(n) < 0.02),
    "normal": lambda rng, n: 1.0 + rng.standard_normal(n),
}


@pytest.mark.slow
@pytest.mark.parametrize("law", TAILS)
@pytest.mark.parametrize("n", [300, 1_000, 3_000])
@pytest.mark.sampled(7)
def test_no_tail_is_refuted_too_often_by_few_samples(law, n):
    """200 repetitions at 5 %, where 250 samples bound the kurtosis by 20."""

    def check(seed):
        x = TAILS[law](np.random.default_rng([7, seed]), n)
        return check_mean(x, 1.0, resolution=0.1, false_alarm=0.05)

    require_rate(check, 200, 0.05)


@pytest.mark.parametrize("power", [-1000, 1000])
def test_samples_whose_powers_are_no_floats_are_refused(power):
    with pytest.raises(ValueError, match="scale them"):
        check_mean(2.0**power * np.arange(1.0, 9.0), 0.0, resolution=1.0)


@pytest.mark.parametrize("power", [-150, 150])
def test_the_unit_of_samples_changes_nothing(power):
    """Powers of two scale without rounding."""
    x = np.random.default_rng(0).standard_normal(20_000)
    unit = 2.0**power
    for claim in (0.0, 0.2):
        verdict = check_mean(x, claim, resolution=0.2)
        far = check_mean(unit * x, unit * claim, resolution=unit * 0.2)
        assert far.status == verdict.status == ("refuted" if claim else "holds")
        assert np.allclose(np.divide(far.interval, unit), verdict.interval, rtol=1e-9)


# -- check_mean of rows: every coordinate by the interval that its declarations allow --------------


MEAN = np.array([0.0, 1.0, -2.0, 0.5])
REACH = np.array([5.0, 5.0, 10.0, 2.5])
OF_ROWS = {
    "known variance (Catoni)": {"variance": [1.0, 1.0, 4.0, 0.25]},
    "bounded (betting)": {"bounds": (MEAN - REACH, MEAN + REACH)},
    "bounded kurtosis (self-normalised)": {},
}


def rows(n, seed=0):
    """Uniform, of standard deviations 1, 1, 2, 1/2; the last two depend on each other."""
    u = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 4)) * np.sqrt(3.0)
    u[:, 3] = -u[:, 2]
    return MEAN + u * [1.0, 1.0, 2.0, 0.5]


@pytest.mark.parametrize("route", OF_ROWS)
def test_the_mean_holds_and_a_wrong_coordinate_is_named(route):
    x, options = rows(40_000), {"resolution": 0.25, **OF_ROWS[route]}
    verdict = check_mean(x, MEAN, **options)
    assert verdict.holds, str(verdict)
    assert verdict.method == route
    assert verdict.n_intervals == 4
    assert verdict.false_alarm == 1e-9
    for wrong in range(4):
        claim = MEAN + 0.2 * (np.arange(4) == wrong)
        refuted = check_mean(x, claim, **options)
        assert refuted.status == "refuted", str(refuted)
        assert refuted.where["coordinate"] == wrong


def test_the_rate_is_shared():
    """At a tenth for all 20 coordinates, each at 1/200, far fewer than a tenth of each err."""
    options = {"variance": 1.0, "resolution": 1.0, "false_alarm": 0.1, "miss": 0.1}

    def check(seed):
        x = np.random.default_rng(seed).standard_normal((200, 20))
        return check_mean(x, np.zeros(20), **options)

    require_rate(check, 200, 0.1)


# -- check_mean of products: too large needs no assumption, too small a bounded kurtosis -----------


ROOT = np.array([[1.0, 0.0, 0.0], [0.5, 0.8, 0.0], [-0.3, 2.0, 0.4]])
C = ROOT @ ROOT.T
# The resolution of tests that are not about it.
R = {"resolution": 0.1}
MEANS = {"known": [3.0, -1.0, 0.0], "unknown": None}


def normal_rows(n, seed=0, law="standard_normal"):
    z = getattr(np.random.default_rng(seed), law)(size=(n, 3))
    if law == "exponential":
        z = z - 1.0
    return np.array([3.0, -1.0, 0.0]) + z @ ROOT.T


# Squares of normal samples have kurtosis 15, of exponential ones 185.
@pytest.mark.parametrize(("law", "resolution"), [("standard_normal", 0.1), ("exponential", 0.2)])
@pytest.mark.parametrize("mean", MEANS)
def test_the_covariance_holds(mean, law, resolution):
    x = normal_rows(150_000, law=law)
    verdict = check_mean(x, C, mean=MEANS[mean], resolution=resolution)
    assert verdict.holds, str(verdict)
    assert "kurtosis" in verdict.method
    assert ("groups" in verdict.method) == (mean == "unknown")
    assert verdict.where["relative_to"] > 0.0


def changed(i, j, by):
    c = C.copy()
    c[i, j] += by * np.sqrt(C[i, i] * C[j, j])
    c[j, i] = c[i, j]
    return c


WRONG = {
    "a covariance too large": (changed(0, 1, -0.15), "squared lengths"),
    "a covariance too small": (changed(0, 1, 0.15), "squared lengths"),
    "a sign": (changed(0, 2, 2 * 0.3 / np.sqrt(C[2, 2])), "squared lengths"),
    "variances too large": (0.8 * C, "squared lengths"),
    "variances too small": (1.25 * C, "bounded kurtosis"),
    "dependence left out": (np.diag(np.diag(C)), "squared lengths"),
}


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.sampled(4)
def test_a_wrong_covariance_is_refuted(name, mean):
    claim, method = WRONG[name]
    verdict = check_mean(normal_rows(60_000), claim, mean=MEANS[mean], **R)
    assert verdict.status == "refuted", str(verdict)
    assert method in verdict.method
    assert any("nothing else" in line for line in verdict.assumptions) == (method[0] == "s")


@pytest.mark.parametrize("mean", [None, [0.0, 0.0]])
@pytest.mark.parametrize("n", [10_000, 20_000])
def test_variances_three_tenths_too_small_are_seen(mean, n):
    """No squared length is too large: 1,250 groups of kurtosis 5 bound it five times over."""
    x = np.random.default_rng(4).standard_normal((n, 2))
    assert check_mean(x, 1.3 * np.eye(2), mean=mean, **R).status == "refuted"
    assert check_mean(x, np.eye(2), mean=mean, **R).status != "refuted"


def test_heavy_tails_are_open_unless_they_are_too_large():
    """Student's t with 2.5 degrees has variance 5 and no fourth moment."""
    x = np.random.default_rng(2).standard_t(2.5, (50_000, 2))
    claim = 5.0 * np.eye(2)
    verdict = check_mean(x, claim, mean=[0, 0], **R)
    assert verdict.status == "inconclusive", str(verdict)
    assert "more samples" in verdict.reason
    assert check_mean(x, 20.0 * np.eye(2), mean=[0, 0], **R).status == "inconclusive"
    assert check_mean(x, 2.0 * np.eye(2), mean=[0, 0], **R).status == "refuted"
