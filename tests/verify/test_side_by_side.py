"""Threads that draw: the same bits for every number of them, or a refusal, and no traces."""

from __future__ import annotations

import threading
import time
import warnings

import numpy as np
import pytest

import mehler
from mehler import verify
from mehler.verify.sampling._draws import Draws, in_order

X = np.random.default_rng(0).standard_normal((4, 3))
M = 50


def linear(A, B):
    return A @ B.T


def signs_of(rng):
    weights = rng.choice([-1.0, 1.0], size=(3, M)) / np.sqrt(M)
    return lambda rows: rows @ weights


def signs(seed):
    return signs_of(np.random.default_rng(seed))


def late_first(seed):
    """Draw maps in other than their order: waiting times fall within every four."""
    time.sleep(0.002 * (seed % 4))
    return signs(seed)


def units(seed):
    return mehler.MaxoutFeatures.draw(3, M, 2, seed=seed)


BOUNDS = {"bounds": (-100.0, 100.0)}
VARIANCE = {"variance": lambda A, B: 4.0 * np.ones((len(A), len(B))) * M}
WAYS = {
    "declared": (units, units(0).kernel, {}),
    "variance": (late_first, linear, {"max_features": 60 * M, **VARIANCE}),
    "bounds": (late_first, linear, {"max_features": 60 * M, **BOUNDS}),
    "nothing": (late_first, linear, {"max_features": 60 * M}),
    "refuted": (signs, lambda A, B: 3 * linear(A, B), VARIANCE),
    "out of bounds": (signs, linear, {"bounds": (-1.0, 1.0)}),
}


def check(draw, kernel=linear, **options):
    return verify.check_kernel(draw, kernel, X, **{"resolution": 0.2, "seed": 5} | options)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.sampled(2)
def test_the_verdict_has_the_same_bits_for_every_number_of_threads(way):
    draw, kernel, options = WAYS[way]
    alone = repr(check(draw, kernel, **options))
    for n in (2, 5, -1):
        assert repr(check(draw, kernel, n_jobs=n, **options)) == alone
    assert not named()


def named():
    return [one for one in threading.enumerate() if one.name.startswith("mehler-draws")]


def test_results_come_in_the_order_of_draws():
    draws = Draws(lambda seed: (time.sleep(0.001 * (seed % 7)), seed)[1], 3)
    found = list(in_order(draws, lambda phi: phi, 0, 70, n_jobs=4))
    assert found == [draws.seed(k) for k in range(70)]


def test_draws_run_at_the_same_time():
    # In threads each of the first two waits for the other.
    started, together = threading.Barrier(2, timeout=20), set()
    first = [Draws(signs, 0).seed(k) for k in (0, 1)]

    def draw(seed):
        if seed in first and threading.current_thread() is not threading.main_thread():
            together.add(started.wait())
        return seed

    draws = Draws(draw, 0)
    assert len(list(in_order(draws, lambda phi: phi, 0, 8, n_jobs=2))) == 8
    assert together == {0, 1}


class Racing:
    """A function of the seed as long as nobody else draws meanwhile."""

    def __call__(self, seed):
        self.rng = np.random.default_rng(seed)
        time.sleep(0.002)
        return signs_of(self.rng)


class Sharing:
    """Maps that share one array of weights: right if each is used before the next is drawn."""

    def __init__(self):
        self.weights = np.empty((3, M))

    def __call__(self, seed):
        self.weights[:] = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, M)) / np.sqrt(M)
        return lambda rows: rows @ self.weights


def seeding(seed):
    """Draw as code of old does."""
    np.random.seed(seed)  # noqa: NPY002  # as others do
    time.sleep(0.001)
    weights = np.random.choice([-1.0, 1.0], size=(3, M)) / np.sqrt(M)  # noqa: NPY002  # as above
    return lambda rows: rows @ weights


def unseeded(seed):
    """Draw whatever comes."""
    weights = np.random.choice([-1.0, 1.0], size=(3, M)) / np.sqrt(M)  # noqa: NPY002  # as above
    return lambda rows: rows @ weights


@pytest.mark.parametrize("race", [Racing, lambda: unseeded])
def test_draws_that_depend_on_their_order_are_refused(race):
    with pytest.raises(ValueError, match=r"n_jobs.*same seed.*pass n_jobs=1"):
        check(race(), n_jobs=4, max_features=100 * M)
    assert not named()


@pytest.mark.parametrize("draw", [Sharing(), seeding])
def test_draws_that_share_something_are_made_one_by_one(draw):
    state = np.random.get_state()  # noqa: NPY002
    try:
        found = [check(draw, n_jobs=n, max_features=60 * M, **VARIANCE) for n in (1, 4)]
    finally:
        np.random.set_state(state)  # noqa: NPY002
    assert found[0] == found[1] == check(signs_alike(draw), max_features=60 * M, **VARIANCE)


def signs_alike(draw):
    """Return the maps that `draw` means, which share nothing."""
    if draw is seeding:
        return lambda seed: signs_of(np.random.RandomState(seed))
    return signs


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_what_a_draw_raises_is_raised_at_its_turn(error, n_jobs):
    wanted = [Draws(signs, 5).seed(k) for k in (12, 14)]

    def draw(seed):
        if seed in wanted:
            raise error(f"draw {wanted.index(seed)}")
        return late_first(seed)

    with pytest.raises(error, match="draw 0"):
        check(draw, n_jobs=n_jobs, max_features=60 * M, **VARIANCE)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_warnings_of_draws_are_seen(n_jobs):
    def draw(seed):
        warnings.warn("old", UserWarning, stacklevel=1)
        return signs(seed)

    with pytest.raises(UserWarning, match="old"):
        check(draw, n_jobs=n_jobs)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        check(draw, n_jobs=n_jobs, max_features=20 * M)
    assert [str(one.message) for one in seen] == ["old"]


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_floating_point_errors_are_handled_as_by_one_thread(n_jobs):
    def draw(seed):
        np.seterr(all="raise")  # undone
        phi = signs(seed)
        return lambda rows: (np.exp(1e4 * np.ones(M)), phi(rows))[1]  # overflows

    with np.errstate(all="raise"):
        before = np.geterr()
        check(draw, n_jobs=n_jobs, max_features=60 * M, **VARIANCE)
        assert np.geterr() == before


def test_a_check_that_ends_early_leaves_no_thread_behind():
    assert (
        check(late_first, lambda A, B: 5 * linear(A, B), n_jobs=3, **VARIANCE).status == "refuted"
    )
    slow = check(late_first, n_jobs=3, time_limit=0.02, resolution=0.01, **VARIANCE)
    assert slow.status == "inconclusive"
    assert "time limit" in slow.reason
    assert not named()


@pytest.mark.parametrize(
    ("n_jobs", "error"), [(0, ValueError), (-2, ValueError), (1.5, TypeError), (True, TypeError)]
)
@pytest.mark.parametrize("function", [verify.check_kernel, verify.assert_kernel])
def test_other_numbers_are_refused_before_any_draw(function, n_jobs, error):
    with pytest.raises(error, match="n_jobs"):
        function(lambda seed: pytest.fail("drawn"), linear, X, n_jobs=n_jobs)
