"""Each experiment at level quick, and what its page may say."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from mehler import data, learn, reproduce
from mehler.reproduce._experiment import Cell
from mehler.reproduce._rows import Split
from mehler.reproduce.maxout import figure_2, table_1


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """An experiment at level quick, run once when a test asks for it."""
    folder = tmp_path_factory.mktemp("reproduced")
    return functools.cache(lambda name: reproduce.run(name, out=folder / name))


@pytest.mark.parametrize("name", sorted(reproduce.experiments()))
@pytest.mark.full
def test_cells_are_json_and_the_page_has_something(quick, name) -> None:
    outcome = quick(name)
    assert [cell for cell, _ in outcome.cells] == outcome.experiment.cells("quick")
    json.dumps([measured for _, measured in outcome.cells], allow_nan=False)
    assert outcome.page.verdicts
    assert outcome.page.tables
    assert outcome.page.plots


def test_table_1_on_small_digits_is_direct_least_squares() -> None:
    # Second route: normal equations in float64 on the features held whole.
    rows = table_1.prepare("quick", None)
    cell = Cell({"q": 4, "m": 100, "draw": 0})
    measured = table_1.measure("quick", rows, cell, 0)
    phi = table_1.MaxoutFeatures.draw(
        64, 100, 4, seed=cell.seed(0, table_1.EXPERIMENT.name), like=rows.fit[0]
    )
    Z, test = (phi(part[0]).astype(np.float64) for part in (rows.fit, rows.test))
    held = phi(rows.choose[0]).astype(np.float64)
    codes, classes = learn.one_vs_all(rows.fit[1])
    errors = []
    for lam in table_1.LAMBDAS:
        W = np.linalg.solve(Z.T @ Z + len(Z) * lam * np.eye(100), Z.T @ codes)
        errors.append(100 * np.mean(classes[(held @ W).argmax(axis=1)] != rows.choose[1]))
    np.testing.assert_allclose(measured["held_out"], errors, atol=100 * 2 / len(held))
    lam = measured["lambda"]
    both = np.concatenate([Z, held])
    labels = np.concatenate([rows.fit[1], rows.choose[1]])
    codes, _ = learn.one_vs_all(labels)
    W = np.linalg.solve(both.T @ both + len(both) * lam * np.eye(100), both.T @ codes)
    error = 100 * np.mean(classes[(test @ W).argmax(axis=1)] != rows.test[1])
    assert measured["error"] == pytest.approx(error, abs=100 * 2 / len(test))


def test_table_1_leaves_out_lambdas_that_rounding_does_not_resolve() -> None:
    """More linear units than inputs, too many for eigenvalues: the small lambdas are refused."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2600, 20)).astype(np.float32)
    y = np.argmax(X[:, :3], axis=1)
    cuts = [slice(0, 2300), slice(2300, 2450), slice(2450, 2600)]
    split = Split(*((X[part], y[part]) for part in cuts))
    phi = table_1.MaxoutFeatures.draw(20, 2100, 1, seed=0, like=X)
    found = table_1.fitted(split, phi)
    held = found["held_out"]
    refused = held.count(None)
    assert len(held) == len(table_1.LAMBDAS)
    assert 0 < refused < len(held)
    assert None not in held[refused:]
    # Second route: the lambda of least error, and the solution in the inputs, which the linear
    # units span: with features W x the penalty on weights is that of W W^T.
    best = table_1.LAMBDAS[refused + int(np.argmin(held[refused:]))]
    assert found["lambda"] == best
    w = np.linalg.lstsq(X[:50].astype(float), phi(X[:50]).astype(float), rcond=None)[0]
    rows = X[:2450].astype(float)
    codes = np.where(y[:2450, None] == np.arange(3), 1.0, -1.0)
    inverse = np.linalg.inv(w @ w.T)
    beta = np.linalg.solve(rows.T @ rows + 2450 * best * inverse, rows.T @ codes)
    error = 100 * np.mean((X[2450:] @ beta).argmax(axis=1) != y[2450:])
    assert found["error"] == pytest.approx(error, abs=1.01 * 100 / 150)


def test_table_1_holds_out_the_last_sixth_of_mnist_and_no_test_row(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    images = rng.integers(1, 256, (16, 28, 28)).astype(np.uint8)
    made = data.Dataset("mnist", images[:12], np.arange(12), images[12:], np.arange(12, 16))
    monkeypatch.setattr(data, "mnist", lambda folder: made)
    parts = table_1.prepare("full", Path("folder"))
    assert [y.tolist() for _, y in (parts.fit, parts.choose, parts.test)] == [
        list(range(10)),
        [10, 11],
        [12, 13, 14, 15],
    ]
    rows = np.concatenate([parts.fit[0], parts.choose[0], parts.test[0]])
    assert rows.dtype == np.float32
    whole = images.reshape(16, -1).astype(np.float64)
    lengths = np.sqrt((whole**2).sum(axis=1))
    np.testing.assert_allclose(rows * lengths[:, None], whole, atol=1e-3)


def test_rows_of_pixels_have_the_same_weights_and_other_lengths() -> None:
    units = table_1.prepare("quick", None)
    pixels = table_1.PIXELS.prepare("quick", None)
    for one, other in ((units.fit, pixels.fit), (units.test, pixels.test)):
        assert np.array_equal(one[1], other[1])
        lengths = np.linalg.norm(other[0], axis=1)
        np.testing.assert_allclose(one[0] * lengths[:, None], other[0], atol=1e-6)
        assert np.ptp(lengths) > 0.1
    assert pixels.fit[0].max() == 1.0
    known = table_1.PIXELS
    assert [c.key for c in known.cells("full")] == [
        c.key for c in table_1.cells("full") if c.options["m"] <= 1000
    ]


def test_printed_cells_count_as_near_only_within_three_standard_errors() -> None:
    values = np.array([2.16, 2.30, 2.20, 2.26, 2.23])
    assert table_1.near(values, 4, 10_000)
    # sd .05 and printed .07 over five draws: three standard errors are .12.
    assert not table_1.near(values + 0.2, 4, 10_000)
    # Fewer draws have a wider error: 0.07 over five printed, and 0.07 here over two.
    two = np.array([2.23 - 0.05, 2.23 + 0.05])
    wide = 3 * np.sqrt(0.07**2 / 5 + 0.05**2)
    assert table_1.near(two + 0.99 * wide, 4, 10_000)
    assert not table_1.near(two + 1.01 * wide, 4, 10_000)


def test_table_1_names_the_cells_that_are_far() -> None:
    rng = np.random.default_rng(0)
    found = []
    for cell in table_1.cells("full"):
        q, m = cell.options["q"], cell.options["m"]
        mean, _ = table_1.PRINTED[q][table_1._SIZES.index(m)]
        off = 5.0 if (q, m) == (16, 500) else 0.0
        found.append((cell, {"error": mean + off + 0.01 * rng.standard_normal()}))
    page = table_1.page("full", found)
    assert page.verdicts[0].startswith("At m = 10000 the pools")
    assert "the least first: q = 4, q = 8, q = 2, q = 16, q = 1." in page.verdicts[0]
    assert page.verdicts[1].startswith("24 of 25 cells lie within three standard errors of the")
    assert page.verdicts[1].endswith("Farther off: q = 16, m = 500.")
    assert "(8.19 ± 0.21)" in page.tables[0].rows[4][2]


ANGLE = np.linspace(0, 2 * np.pi, 120, endpoint=False)


def test_circular_correlation_ignores_origin_and_sense() -> None:
    for other in (ANGLE + 1.0, -ANGLE, (7 - ANGLE) % (2 * np.pi)):
        correlation = figure_2.circular_rank_correlation(ANGLE, other % (2 * np.pi))
        assert correlation == pytest.approx(1.0)
    rng = np.random.default_rng(0)
    shuffled = [figure_2.circular_rank_correlation(ANGLE, rng.permutation(120)) for _ in range(200)]
    # The larger of two shares of mean about 1/n each.
    assert np.mean(shuffled) < 3 / 120


def test_a_collapsed_or_doubled_embedding_has_no_order() -> None:
    # Ties must not take the order of the rows; components that turn twice as fast lose it.
    assert figure_2.circular_rank_correlation(0 * ANGLE, ANGLE) == pytest.approx(0, abs=1e-12)
    for closed in (True, False):
        assert figure_2.agreement(np.zeros((120, 2)), ANGLE, closed) < 1e-12
    noise = 1e-3 * np.random.default_rng(0).standard_normal((120, 2))
    once, twice = (np.stack([np.cos(k * ANGLE), np.sin(k * ANGLE)], axis=1) + noise for k in (1, 2))
    assert figure_2.agreement(twice, ANGLE, True) < 0.1
    assert figure_2.agreement(once, ANGLE, True) > 0.99


@pytest.mark.parametrize("k", [1, 2, 3, -2])
def test_windings_are_counted_in_either_sense(k) -> None:
    angle = 360 * np.arange(60) / 60
    at = np.deg2rad(k * angle + 20)
    points = np.stack([3 * np.cos(at), np.sin(at)], axis=1) + np.array([5.0, -2.0])
    assert figure_2.windings(points, angle) == abs(k)


@pytest.mark.parametrize(
    ("gain", "said"),
    [
        (0.2, "agrees better with the angle than"),
        (-0.2, "agrees less with the angle than"),
        (0.0, "is not told apart from"),
    ],
)
def test_verdict_of_figure_2_follows_the_pairs(gain, said) -> None:
    rng = np.random.default_rng(0)
    pixels = rng.uniform(0.2, 0.7, 10)
    noise = 0.01 * rng.standard_normal(10)
    agreed = {"maxout": pixels + gain + noise, "pixels": pixels, "lle": np.full(10, 0.95)}
    verdict = figure_2.verdict("Turn", agreed)
    assert f"the maxout embedding {said} PCA of pixels (difference " in verdict
    assert "LLE of scikit-learn on 10 (mean 0.95)" in verdict
    # Second route: the interval that SciPy's paired test gives.
    interval = ttest_rel(agreed["maxout"], pixels).confidence_interval(0.99)
    assert f"{interval.low:+.3f} to {interval.high:+.3f}: 99 %" in verdict


def test_a_difference_of_means_that_one_digit_makes_is_no_verdict() -> None:
    agreed = {k: np.full(10, 0.3) for k in ("maxout", "pixels", "lle")}
    agreed["maxout"][4] = 0.99
    assert "is not told apart from" in figure_2.verdict("Turn", agreed)


def test_pictures_that_are_turned_have_unit_norm_and_angle() -> None:
    pictures, faces = figure_2.prepare("quick", None)
    assert len(pictures) == 10
    assert faces is None
    found = figure_2.measure(
        "quick", (pictures, faces), Cell({"digit": 4, "sweep": "sixth", "m": 50}), 0
    )
    assert found["angle"][:2] == pytest.approx([0, 60 / 32])
    assert len(found["maxout_x"]) == 33
    assert np.array_equal(pictures[0], data.digits().X[0])
