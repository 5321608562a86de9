"""check_mean of rows: every coordinate by the interval that its declarations allow."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.verify import check_mean
from tests.verify.toys import require_rate

MEAN = np.array([0.0, 1.0, -2.0, 0.5])
REACH = np.array([5.0, 5.0, 10.0, 2.5])
ROUTES = {
    "known variance (Catoni)": {"variance": [1.0, 1.0, 4.0, 0.25]},
    "bounded (betting)": {"bounds": (MEAN - REACH, MEAN + REACH)},
    "bounded kurtosis (self-normalised)": {},
}


def samples(n, seed=0):
    """Uniform, of standard deviations 1, 1, 2, 1/2; the last two depend on each other."""
    u = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, 4)) * np.sqrt(3.0)
    u[:, 3] = -u[:, 2]
    return MEAN + u * [1.0, 1.0, 2.0, 0.5]


@pytest.mark.parametrize("route", ROUTES)
def test_the_mean_holds_and_a_wrong_coordinate_is_named(route):
    x, options = samples(40_000), {"resolution": 0.25, **ROUTES[route]}
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
