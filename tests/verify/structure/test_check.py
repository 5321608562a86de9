"""check_structure and assert_kernel: what they take, refuse, pay and say."""

import math

import numpy as np
import pytest

from mehler._arrays import global_states
from mehler.verify import Ledger, assert_kernel, check_structure
from tests.places import CPU
from tests.verify.structure.right_maps import RIGHT, rbf
from tests.verify.structure.test_correct import beside_a_thread
from tests.verify.structure.wrong_maps import PLAIN, WRONG

X = np.random.default_rng(3).standard_normal((6, 3))
# Where JAX compiles anew for every shape a bundle takes a minute.
PLACES = [place for place in CPU if not place.jit and place.name != "jax"]


def draw(seed):
    return PLAIN(seed, X, None)


def broken(name):
    return lambda seed: WRONG[name][0](seed, X, None)


def test_what_the_map_raises_on_its_rows_comes_out():
    with pytest.raises(ZeroDivisionError):
        check_structure(lambda seed: 1 / 0, X)
    with pytest.raises(ValueError, match="has shape"):
        check_structure(lambda seed: lambda Z: Z[0], X)


def test_what_it_raises_elsewhere_is_said():
    def picky(seed):
        def phi(Z):
            if len(Z) == 1:
                raise RuntimeError("two rows at least")
            return draw(seed)(Z)

        if seed == 0:
            raise OverflowError("seeds are positive")
        return phi

    verdict = check_structure(picky, X)
    assert verdict.holds
    # On a busy machine the map is slow, and many rows are not tried either.
    assert [line for line in verdict.assumptions if "the map is slow" not in line] == [
        "not tried: seed 0 (OverflowError: seeds are positive)",
        "not tried: one row, inner rows that change, one row at a time (RuntimeError: two rows at "
        "least)",
    ]


def test_all_causes_are_listed():
    verdict = check_structure(broken("one_entry_written"), X)
    assert verdict.causes[0].startswith("X is changed in place")

    def both(seed):
        phi = broken("tiled")(seed)
        return lambda Z: phi(Z - Z.mean(axis=0))

    causes = check_structure(both, X).causes
    assert [("batch" in entry, "equal up to" in entry) for entry in causes] == [
        (True, False),
        (False, True),
    ]


def test_global_states_are_left_alone():
    before = global_states()
    check_structure(draw, X)
    assert global_states() == before
    seeded = RIGHT["seeded globally"][0]
    verdict = check_structure(lambda seed: seeded(seed, X, None), X)
    assert (verdict.status, verdict.remarks) == (
        "holds",
        ("drawing seeds the global generator of numpy.random",),
    )


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.0, 0.0005, 0.003])
def test_other_threads_may_draw_and_keep_their_streams(pause):
    """Their numbers are those of one stream, none twice; a fault beside them is not told."""
    values = []
    np.random.seed(5)  # noqa: NPY002  # the stream of another thread
    with beside_a_thread(lambda: values.append(np.random.standard_normal()), pause):  # noqa: NPY002
        verdict = check_structure(draw, X)
        moving = check_structure(broken("moves_global_state"), X, only="global state")
    assert verdict.holds
    n = len(values) if pause else 0
    assert len(set(values[:n])) == n
    left_out = "whether the global random state of numpy.random is left alone"
    lines = [line for line in moving.assumptions if line.startswith("not tried: ")]
    assert pause > 0.001 or any(left_out in line for line in lines)


def test_a_ledger_pays_once():
    ledger = Ledger()
    check_structure(draw, X, false_alarm=1e-8, ledger=ledger)
    assert [(entry.label, entry.false_alarm) for entry in ledger.entries] == [("structure", 1e-8)]
    check_structure(draw, X, random=False, ledger=ledger)
    assert len(ledger.entries) == 1


def test_a_map_that_is_not_random_may_ignore_seeds():
    fixed = draw(0)
    assert check_structure(lambda seed: fixed, X, random=False).holds
    assert check_structure(lambda seed: fixed, X).causes[0].startswith("ignores its seed")
    centred = lambda Z: fixed(Z - Z.mean(axis=0))  # noqa: E731
    assert not check_structure(lambda seed: centred, X, random=False).holds


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
@pytest.mark.sampled(1)
def test_rows_of_other_libraries(place):
    rows = place.asarray(X, "float64" if place.has_float64 else "float32")

    def there(seed):
        import mehler

        return mehler.FourierFeatures.draw(3, 64, gamma=0.5, seed=seed, like=rows)

    kernel = lambda x, y: rbf(x, y, 0.5)  # noqa: E731
    assert check_structure(there, rows, kernel=kernel).holds

    def centred(seed):
        phi = there(seed)
        return lambda Z: phi(Z - Z[:1, :])

    causes = check_structure(centred, rows).causes
    assert "features depend on" in causes[0]

    def writing(seed):
        phi = there(seed)
        return lambda Z: phi(Z.add_(1.0))

    if place.name.startswith("torch"):
        assert check_structure(writing, rows).causes[0].startswith("X is changed in place")


def test_assert_kernel_looks_at_structure_first():
    with pytest.raises(AssertionError, match=r"^call 2 on the same rows has other features"):
        assert_kernel(broken("noisy"), rbf, X, resolution=0.2)
    with pytest.raises(AssertionError, match=r"^ignores its seed"):
        assert_kernel(lambda seed: draw(0), rbf, X, resolution=0.2)


def test_assert_kernel_spends_its_rate_and_no_more():
    ledger = Ledger()
    verdict = assert_kernel(draw, rbf, X, resolution=0.2, false_alarm=1e-7, ledger=ledger)
    assert verdict.holds
    assert math.isclose(ledger.spent, 1e-7)
    assert [entry.label for entry in ledger.entries] == ["kernel: structure", "kernel"]


def test_assert_kernel_passes_on_what_structure_remarks():
    seeded = RIGHT["seeded globally"][0]
    verdict = assert_kernel(lambda seed: seeded(seed, X, None), rbf, X, resolution=0.2)
    assert "seeds the global generator of numpy.random" in verdict.reason
