"""check_mean on each of its routes: right claims hold, wrong ones are refuted, the rest is said."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from mehler.verify import Verdict, check_mean
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


def test_samples_that_contradict_their_variance_are_pointed_out():
    verdict = check_mean(1e4 * np.exp(3 * normal(400)), 1.0, variance=1.0, resolution=1.0)
    assert verdict.status == "refuted"
    assert "larger than declared" in str(verdict)


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


def test_verdict_refuses_an_unknown_status():
    fields = check_mean(normal(60), 0.0, variance=1.0, resolution=5.0)
    values = {name: getattr(fields, name) for name in Verdict.__dataclass_fields__}
    with pytest.raises(ValueError, match="status='passed'"):
        Verdict(**{**values, "status": "passed"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resolution": 0.0}, "resolution=0.0"),
        ({"resolution": math.inf}, "resolution=inf"),
        ({"resolution": 1.0, "bounds": (0, 1)}, "vacuous"),
        ({"resolution": 1.0, "binary": True}, "vacuous"),
        ({"resolution": 0.1, "false_alarm": 0.0}, "false_alarm=0.0"),
        ({"resolution": 0.1, "miss": 1.0}, "miss=1.0"),
        ({"resolution": 0.1, "variance": math.inf}, "variance=inf"),
        ({"resolution": 0.1, "variance": 1.0, "bounds": (0, 1)}, "exclude each other"),
        ({"resolution": 0.1, "bounds": (0, math.inf)}, "finite with low < high"),
        ({"resolution": 0.1, "binary": True, "samples": [0.5] * 50}, "other than 0 and 1"),
        ({"resolution": 0.1, "exact": math.nan}, "exact=nan"),
        ({"resolution": 0.1, "samples": []}, "samples is empty"),
        ({"resolution": 0.1, "samples": [[1.0]]}, r"exact has shape \(\)"),
        ({"resolution": 0.1, "samples": [1j]}, "complex"),
    ],
)
def test_vacuous_calls_are_refused_by_name(options, message):
    arguments = {"samples": [0.0, 1.0] * 50, "exact": 0.5, **options}
    with pytest.raises(ValueError, match=message):
        check_mean(**arguments)


@pytest.mark.parametrize("n", [400, 500, 900, 2_000, 3_999, 4_001, 20_000])
@pytest.mark.parametrize("errors", [14.0, 30.0, 100.0])
def test_a_mean_of_many_standard_errors_is_refuted_at_any_size(n, errors):
    """Normal samples of kurtosis 3 are 100 effective ones from some 300 on.

    A stake of half the best one or more reaches L + log 29 within 9/8 of the best distance,
    sqrt(2 (22.1 + 3.4)) = 7.1 deviations: 8, and 14 leave room for the noise of a mean.
    """
    verdict = check_mean(normal(n), errors / np.sqrt(n), resolution=0.1)
    assert verdict.status == "refuted", str(verdict)
    assert check_mean(normal(n), 0.0, resolution=1.0).status != "refuted"


def test_few_effective_samples_refute_nothing():
    verdict = check_mean(normal(100), 100.0, resolution=0.1)
    assert verdict.status == "inconclusive"
    assert "few large samples decide it" in verdict.reason
    assert check_mean(normal(5_000) ** 5, 10.0, resolution=0.1).status == "inconclusive"


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


def test_an_exact_variance_is_a_float():
    x = normal(1000)
    one, other = (check_mean(x, 0.0, variance=v, resolution=0.5) for v in (1.5, Fraction(3, 2)))
    assert one == other
