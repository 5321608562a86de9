"""Draws from other processes: the verdict is the same, whatever becomes of the processes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mehler.audit import verify_map
from mehler.audit._processes import Jobs, Request, _Drawn
from mehler.audit._target import read_target
from mehler.verify.sampling._draws import Draws
from tests.report import drawn_elsewhere

MAPS = str(Path(drawn_elsewhere.__file__))
ROWS = np.random.default_rng(0).standard_normal((5, 3))


def found(name, n_jobs, **options):
    return verify_map(
        f"{MAPS}:{name}",
        "linear",
        law="signs",
        resolution=0.1,
        false_alarm=1e-6,
        inputs=3,
        n_jobs=n_jobs,
        picture=False,
        time_limit=None,
        **options,
    )


@pytest.mark.parametrize(("name", "status"), [("signs", "holds"), ("wrong", "refuted")])
@pytest.mark.sampled(1)
def test_the_verdict_does_not_depend_on_processes(name, status):
    alone, shared = (found(name, n) for n in (1, 2))
    assert alone.status == status
    assert alone.evidence == shared.evidence


@pytest.mark.full
def test_processes_that_die_are_done_without():
    assert found("dying", 2).evidence == found("signs", 1).evidence


def test_what_a_map_raises_is_raised():
    with pytest.raises(RuntimeError, match="seed of an even draw"):
        found("raising", 2)


def test_features_come_from_elsewhere_and_other_rows_from_here():
    target = read_target("signs", drawn_elsewhere.signs, ROWS, n_features=40, arguments={})
    seeds = Draws(target.draw, 3)
    with Jobs(2, Request(f"{MAPS}:signs", ROWS, 40, {})) as jobs:
        ahead = jobs.ahead(target.draw, 3)
        made = [ahead(seeds.seed(k)) for k in range(64)]
        # The first 16 may be drawn here while processes start.
        assert all(isinstance(one, _Drawn) for one in made[16:])
        for k in (0, 20, 63):
            np.testing.assert_array_equal(made[k](ROWS), target.draw(seeds.seed(k))(ROWS))
            np.testing.assert_array_equal(made[k](2 * ROWS), target.draw(seeds.seed(k))(2 * ROWS))
        assert not isinstance(ahead(12345), _Drawn)


def test_maps_that_declare_something_are_drawn_here():
    def draw(seed):
        return drawn_elsewhere.Declared()

    with Jobs(2, Request(f"{MAPS}:Declared", ROWS, None, {})) as jobs:
        assert jobs.ahead(draw, 0) is draw


@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.full
def test_maps_that_declare_something_are_drawn_by_threads(n_jobs):
    def verified(n_jobs):
        return verify_map(
            "mehler:MaxoutFeatures",
            "maxout",
            parameters={"q": 2},
            arguments={"pool_size": 2},
            resolution=0.2,
            n_jobs=n_jobs,
            picture=False,
        )

    alone = verified(1)
    assert alone.status == "holds"
    assert verified(n_jobs).evidence == alone.evidence


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, True])
def test_other_numbers_are_refused(n_jobs):
    with pytest.raises(ValueError, match="must be 1 or more, or -1"):
        found("signs", n_jobs)
