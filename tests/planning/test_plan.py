"""Plans: their rows are the bounds' own numbers, in order, and what is measured lies below."""

import json
import math
import time
import tracemalloc

import numpy as np
import pytest

from mehler import FourierFeatures, MaxoutFeatures, exact
from mehler.bounds import kernel_error, maxout, solve
from mehler.features import SoftmaxFeatures
from mehler.planning import Plan, plan
from mehler.sklearn import FourierSampler, MaxoutSampler
from tests.places import CPU

ROWS = np.random.default_rng(4).standard_normal((40, 6))
ROWS[:10] += 4.0
FOURIER = FourierFeatures.draw(6, 4, seed=0)
SOFTMAX = SoftmaxFeatures.draw(6, 8, seed=0)
MAXOUT = MaxoutFeatures.draw(6, 8, 3, seed=0)
ONE = "error of the kernel, one pair of rows"


@pytest.fixture(scope="module")
def result():
    return plan(ROWS, max_rows=12, delta=0.05)


def assert_measured_is_below(result: Plan) -> None:
    for rows in result.groups.values():
        measurements = [row.features for row in rows if row.kind == "measured"]
        proved = [row.features for row in rows if row.kind == "proved" and row.features]
        assert all(number < bound for number in measurements for bound in proved)


def test_measured_lies_below_everything_proved(result):
    measurements = [row for row in result.rows if row.kind == "measured"]
    assert len(measurements) == 1
    assert all(row.features for row in measurements)
    assert_measured_is_below(result)


@pytest.mark.parametrize(
    ("pool_size", "eps", "delta"), [(1, 0.1, 0.1), (2, 0.01, 0.05), (16, 1.0, 0.3), (64, 0.1, 0.1)]
)
@pytest.mark.sampled(2)
def test_measured_lies_below_everything_proved_elsewhere(pool_size, eps, delta):
    assert_measured_is_below(plan(ROWS, pool_size=pool_size, eps=eps, delta=delta, max_rows=12))


def test_groups_are_in_order(result):
    for quantity, rows in result.groups.items():
        kinds = [row.kind for row in rows]
        assert kinds == sorted(kinds, key=["measured", "asymptotic", "proved"].index)
        proved = [row.features or math.inf for row in rows if row.kind == "proved"]
        assert proved == sorted(proved)
        assert {row.quantity for row in rows} == {quantity}
    kinds = [row.kind for row in result.groups[ONE]]
    assert kinds == ["asymptotic", "proved", "proved", "proved"]
    assert list(result.groups) == [
        ONE,
        "largest error of the kernel, all pairs of 12 rows",
        "largest error of the kernel, all pairs of 40 rows",
        "excess risk, the part that more features reduce",
        "excess risk over the best function of the class, 40 samples",
    ]


def features(result: Plan, quantity: str, name: str) -> int | None:
    (row,) = [r for r in result.rows if r.quantity == quantity and r.name == name]
    return row.features


def test_few_rows_have_pairs_with_themselves():
    """Three rows have six pairs, the diagonal among them."""
    result = plan(n_inputs=20, n_samples=3, eps=0.2, delta=0.06, measure=False)
    quantity = "largest error of the kernel, all pairs of 3 rows"
    options = {"at_most": 0.2, "n_features": None, "pool_size": 4, "delta": 0.06, "n_pairs": 6}
    number = features(result, quantity, "central limit, exact variance, union over pairs")
    assert number == solve(kernel_error.normal_quantile, **options)


def test_rows_are_the_numbers_of_the_bounds():
    result = plan(n_inputs=20, n_samples=10**7, dimension=5, eps=0.2, delta=0.06, measure=False)
    all_pairs = "largest error of the kernel, all pairs of 10000000 rows"
    arguments = {"at_most": 0.2, "n_features": None, "pool_size": 4, "delta": 0.06}
    shape = {"dimension": 5, "diameter": 2.0, "n_inputs": 20}
    assert features(result, ONE, "sub-gamma constants") == solve(
        kernel_error.one_pair, method="sub-gamma", **arguments
    )
    assert features(result, all_pairs, "exact law of two units") == (
        solve(kernel_error.all_pairs, n_rows=10**7, **arguments)
    )
    assert features(result, all_pairs, "doubling dimension") == (
        solve(kernel_error.uniform, dimension=5, diameter=2.0, **arguments)
    )
    assert features(result, all_pairs, "central limit, exact variance, union over pairs") == (
        solve(kernel_error.normal_quantile, n_pairs=10**7 * (10**7 + 1) // 2, **arguments)
    )
    # The theorems fail with three and four times their own delta.
    risk = "excess risk over the best function of the class, 10000000 samples"
    loss = {"scale": 1.0, "lipschitz": 1.0}
    for name, delta, bound, numbers in (
        ("Theorem 2, dimension-free", 0.02, maxout.excess_risk, {}),
        ("Theorem 2, doubling dimension", 0.015, maxout.excess_risk, shape),
    ):
        m = features(result, risk, name)
        options = {"n_samples": 10**7, "pool_size": 4, "delta": delta, **loss, **numbers}
        assert m == solve(bound, at_most=0.2, n_features=None, **options)
        assert bound(n_features=m, **options).probability == pytest.approx(0.94)


def test_out_of_reach_says_so():
    result = plan(n_samples=10, measure=False)
    plain, centred = [row for row in result.rows if "10 samples" in row.quantity]
    for row in (plain, centred):
        assert row.features is None
        assert row.vacuous
        assert "eps=0.1" in row.note
    assert "none" in str(result)


def test_centred_units_need_fewer():
    result = plan(n_inputs=4, eps=0.2, delta=0.05, scale=2.0, measure=False)
    part = "excess risk, the part that more features reduce"
    spread = math.sqrt(exact.sigma2(4) - exact.max_moment(1, 4) ** 2)
    by_hand = (2.0 / 0.2 * (spread + math.sqrt(2 * math.log(1 / 0.05)))) ** 2
    centred = features(result, part, "Theorem 2, centred units")
    assert centred == math.ceil(by_hand)
    assert centred < features(result, part, "Theorem 2, dimension-free")


def test_eps_that_any_function_keeps_is_vacuous():
    result = plan(n_samples=10**4, eps=1.0, measure=False)
    assert all(row.vacuous for row in result.rows if "risk" in row.quantity)
    assert not any(row.vacuous for row in result.rows if "risk" not in row.quantity)


def test_what_is_not_known_is_left_out():
    quantities = set(plan(dimension=3, measure=False).groups)
    assert quantities == {
        ONE,
        "largest error of the kernel, all pairs of the set",
        "excess risk, the part that more features reduce",
    }
    only = plan(n_inputs=5, measure=False)
    assert set(only.groups) == {ONE, "excess risk, the part that more features reduce"}
    assert "doubling" not in str(only)


def test_all_rows_that_fit_are_measured_in_one_group():
    result = plan(ROWS[:9], delta=0.1)
    assert "all pairs of 9 rows" in "".join(result.groups)
    group = result.groups["largest error of the kernel, all pairs of 9 rows"]
    assert {"measured", "asymptotic", "proved"} == {row.kind for row in group}
    assert any("doubling" in row.name for row in group)


def test_rows_are_put_on_the_sphere_and_it_says_so(result):
    lengths = np.exp2(np.random.default_rng(1).integers(-30, 30, 40))
    again = plan(ROWS * lengths[:, None], max_rows=12, delta=0.05)
    # Powers of two change no bit of a direction.
    assert again.to_dict() == result.to_dict()
    assert "Rows were divided by their norms." in result.notes
    assert any("doubling dimension" in note for note in result.notes)


def test_same_seed_same_plan_other_seed_another(result):
    assert plan(ROWS, max_rows=12, delta=0.05) == result
    reseeded = plan(ROWS, max_rows=12, delta=0.05, seed=1)
    assert [row.features for row in reseeded.rows] != [row.features for row in result.rows]


@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda p: p.name)
@pytest.mark.sampled(3)
def test_rows_of_any_library(place):
    result = plan(place.asarray(ROWS), measure=False)
    here = plan(
        np.asarray(ROWS, dtype="float64" if place.has_float64 else "float32"), measure=False
    )
    assert [row.features for row in result.rows] == [row.features for row in here.rows]


def test_becomes_json_and_a_table(result):
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(content) == {"setting", "notes", "rows"}
    assert [row["features"] for row in content["rows"]] == [row.features for row in result.rows]
    text = str(result)
    for row in result.rows:
        assert row.name in text
        assert row.quantity in text
    assert text.splitlines()[0] == "features for eps = 0.1 at confidence 95 %, pool size 4"


def test_an_accuracy_out_of_reach_leaves_the_other_rows():
    """By the limit, too, 10^18 features are not enough."""
    result = plan(n_samples=9, eps=1e-12, measure=False)
    assert {row.features for row in result.rows} == {None}
    assert all(row.note.startswith("eps=1e-12 is out of reach") for row in result.rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to plan for"),
        ({"data": np.zeros((0, 3))}, "empty|at least"),
        ({"data": [[1.0, math.nan]]}, "NaN|finite|nan"),
        ({"data": [[0.0, 0.0], [0.0, 0.0]]}, "rows of length 0 alone"),
        ({"data": ROWS, "n_inputs": 7}, "n_inputs=7 contradicts data, which has 6"),
        ({"n_inputs": 0}, "n_inputs=0"),
        ({"n_samples": 2.5}, "n_samples=2.5"),
        ({"n_inputs": 2, "pool_size": 0}, "pool_size=0 must be at least 1"),
        ({"n_inputs": 2, "eps": 0.0}, "eps=0.0"),
        ({"n_inputs": 2, "delta": 1.0}, "delta=1.0"),
        ({"n_samples": 9, "delta": 1e-299}, "delta at least 1e-280"),
        ({"n_inputs": 2, "lipschitz": -1.0}, "lipschitz=-1.0"),
        ({"n_inputs": 2, "seed": -1}, "seed"),
        ({"n_inputs": 2, "max_rows": 0}, "max_rows=0"),
        ({"n_inputs": 2, "dimension": -3}, "dimension=-3"),
        *(
            ({"data": ROWS, "map": FOURIER, **change}, words)
            for change, words in (
                ({"eps": 0.0}, "eps"),
                ({"delta": 1.0}, "delta"),
                ({"delta": 1e-279, "n_samples": 10**12}, "delta=1e-279 is too small"),
                ({"delta": 1e-300}, "delta at least 1e-280"),
                ({"n_samples": 0}, "n_samples"),
                ({"data": 0 * ROWS, "map": MAXOUT}, "rows of length 0 alone"),
                ({"map": FourierFeatures}, "FourierFeatures.* a map that was drawn"),
                ({"map": FourierSampler()}, "FourierSampler.* or a fitted sampler"),
                ({"map": SOFTMAX}, r"eps=0\.1 needs over 10.14 features"),
                ({"data": "rows.npy"}, "is a path: pass mehler.report.load_rows"),
            )
        ),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        plan(**{"measure": False, **options})


def test_rows_of_zeros_are_left_out_and_counted():
    """Counts have them; their features are 0 without error."""
    with_zeros = np.concatenate([ROWS[:20], np.zeros((3, 6)), ROWS[20:]])
    ours, plain = plan(with_zeros, delta=0.05, max_rows=12), plan(ROWS, delta=0.05, max_rows=12)
    assert ours.rows == plain.rows
    assert any(note.startswith("3 of the 43 rows have length 0") for note in ours.notes)


@pytest.mark.slow
def test_large_pools_are_planned_in_seconds_and_little_memory():
    start = time.process_time()
    tracemalloc.start()
    result = plan(n_inputs=5, n_samples=100, pool_size=3000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - start < 20
    assert peak < 256 << 20
    assert features(result, ONE, "exact law of two units")
    (measurement,) = [row for row in plan(ROWS, pool_size=3000).rows if row.kind == "measured"]
    assert measurement.features is None
    assert "would take minutes" in measurement.note


def test_a_map_or_a_fitted_sampler_is_planned_on_its_rows():
    sampler = FourierSampler(random_state=0).fit(ROWS)
    for phi in (sampler, sampler.map_):
        assert plan(ROWS, map=phi, eps=0.2) == plan(ROWS, map=sampler.map_, eps=0.2)
    maxout = MaxoutSampler(random_state=0).fit(ROWS)
    zeros = np.concatenate([np.zeros((2, 6)), ROWS])
    ours, plain = (plan(rows, map=maxout, n_samples=40) for rows in (zeros, ROWS))
    assert ours.rows == plain.rows
    assert ours.notes[0].startswith("2 of the 42 rows have length 0")


@pytest.mark.parametrize("kind", ["softmax", "copies", "column"])
def test_rows_of_many_scales_are_planned(kind):
    rng = np.random.default_rng(0)
    logits = rng.normal(0.0, 60.0, size=(60, 5))
    rows = {
        "softmax": np.exp(logits - logits.max(axis=1, keepdims=True)),
        "copies": np.repeat(np.eye(4), 20, axis=0) + 1e-30 * rng.standard_normal((80, 4)),
        "column": rng.standard_normal((80, 4)) * [1e24, 1.0, 1.0, 1.0],
    }[kind]
    start = time.process_time()
    assert plan(rows, measure=False).setting["dimension"] >= 0
    assert time.process_time() - start < 20
