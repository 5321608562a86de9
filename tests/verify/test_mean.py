"""check_mean on each of its routes: right claims hold, wrong ones are refuted, the rest is said."""

from __future__ import annotations

import json
import math

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
        one = check_mean(x, claim, resolution=0.2)
        far = check_mean(unit * x, unit * claim, resolution=unit * 0.2)
        assert far.status == one.status == ("refuted" if claim else "holds")
        assert np.allclose(np.divide(far.interval, unit), one.interval, rtol=1e-9)
