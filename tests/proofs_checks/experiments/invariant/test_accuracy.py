"""Invariant features of digits and spoken digits: maps, parts, and what a page may say."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments import Results, data
from mehler.proofs_checks.experiments.invariant import accuracy
from scipy.stats import binomtest

from mehler import learn
from mehler.features import groups

COMPARISON = accuracy.DIGITS
SPEEDS = accuracy.warps(20, accuracy.SPEEDS)
DEVIATIONS = np.linspace(0.5, 3.0, 13)


@pytest.fixture(scope="module")
def examples():
    return accuracy.load_digits("quick", None)


@pytest.mark.parametrize(
    ("comparison", "load", "first", "columns"),
    [
        (accuracy.DIGITS, accuracy.load_digits, 64, 40 * 16),
        (accuracy.RECORDINGS, accuracy.load_recordings, 260, 30 * 16),
    ],
)
def test_all_features_but_the_rows_have_as_many_columns(comparison, load, first, columns) -> None:
    examples = load("quick", None)
    found = comparison.maps("quick", examples, 0)
    assert list(found) == list(comparison.labels)
    widths = [phi(examples.X[:3]).shape[1] for phi in found.values()]
    assert widths == [first, *[columns] * (len(found) - 1)]


def test_groups_are_lists_of_the_stated_sizes(examples) -> None:
    found = COMPARISON.maps("quick", examples, 0)
    orders = {k: found[k].group.order for k in ("none", "shifts", "turns", "both")}
    # Shifts by at most one pixel: 9; five angles; every second of them, then each shift.
    assert orders == {"none": 1, "shifts": 9, "turns": 5, "both": 27}


def test_features_of_shifted_digits_stay_nearer_than_those_without_maps(examples) -> None:
    # The point of the experiment: a shift moves invariant features less.
    images = examples.X[:50].reshape(-1, 8, 8)
    moved = np.zeros_like(images)
    moved[:, :, 1:] = images[:, :, :-1]
    found = COMPARISON.maps("quick", examples, 0)
    far = {
        name: np.linalg.norm(
            found[name](examples.X[:50]) - found[name](moved.reshape(50, -1)), axis=1
        )
        for name in ("none", "shifts")
    }
    assert (far["shifts"] < far["none"]).all()


def test_training_rows_are_nested_the_same_for_all_features_and_differ_by_draw(
    examples, monkeypatch
) -> None:
    seen = []
    ridge = learn.ridge

    def watched(phi, X, codes, **options):
        seen.append((X, codes))
        return ridge(phi, X, codes, **options)

    monkeypatch.setattr(learn, "ridge", watched)
    maps = {"pixels": lambda rows: rows, "twice": lambda rows: 2 * rows}
    train, test = examples.parts(0)
    for seed in (0, 1):
        accuracy.accuracies(maps, train, test, (50, 200), seed)
    first, second = seen[:4], seen[4:]
    for (few, few_codes), (many, many_codes) in (first[:2], second[:2]):
        assert (len(few), len(many)) == (50, 200)
        assert np.array_equal(few, many[:50])
        assert np.array_equal(few_codes, many_codes[:50])
        # No row twice, and all of them training rows with their labels.
        assert len(np.unique(many, axis=0)) == 200
        known = (many[:, None] == train[0][None]).all(axis=2)
        assert known.any(axis=1).all()
        assert np.array_equal(examples.y[known.argmax(axis=1)], many_codes.argmax(axis=1))
    assert np.array_equal(first[2][0], 2 * first[0][0])
    assert not np.array_equal(first[0][0], second[0][0])


def test_accuracies_are_those_of_a_direct_solution(examples) -> None:
    # Second route: least squares with intercept on pixels, by the lambda that leaving out chooses.
    train, test = ((rows.astype(float), labels) for rows, labels in examples.parts(0))
    found = accuracy.accuracies({"pixels": lambda rows: rows}, train, test, (400,), 3)
    rows = np.random.default_rng(3).permutation(len(train[1]))[:400]
    Z = np.column_stack([train[0][rows], np.ones(400)])
    codes = np.where(train[1][rows][:, None] == np.arange(10), 1.0, -1.0)
    off = []
    for lam in 10.0 ** np.arange(-8.0, 0.0):
        inverse = np.linalg.inv(Z.T @ Z + 400 * lam * np.diag([1.0] * 64 + [0.0]))
        W, hat = inverse @ Z.T @ codes, np.sum((Z @ inverse) * Z, axis=1)
        left_out = codes - (codes - Z @ W) / (1 - hat)[:, None]
        T = np.column_stack([test[0], np.ones(len(test[0]))])
        right = np.mean((T @ W).argmax(axis=1) == test[1])
        off.append((np.mean(left_out.argmax(axis=1) != codes.argmax(axis=1)), -lam, right))
    assert found["pixels"] == [pytest.approx(min(off)[2], abs=1.5 / len(test[0]))]


def shares_of(**shares) -> Results:
    """Draws of shares at one training size, all others 0."""
    found = [{name: [values[k]] * 2 for name, values in shares.items()} for k in range(10)]
    return Results(({"draw": k}, {"pixels": [0.0, 0.0], **one}) for k, one in enumerate(found))


def against_controls(results: Results) -> list[dict[str, str]]:
    tables = COMPARISON.table("quick", results)
    return next(rows for caption, rows in tables.items() if "less that of a control" in caption)


@pytest.mark.parametrize("gain", [0.05, -0.05, 0.0])
def test_rows_follow_the_difference(gain) -> None:
    rng = np.random.default_rng(0)
    base = 0.8 + 0.001 * rng.standard_normal(10)
    noise = 0.001 * rng.standard_normal(10)
    shares = {name: base + gain + noise for name in ("shifts", "turns", "both")}
    row = against_controls(shares_of(**shares, none=base, fourier=base))[1]
    assert row["features"] == "N = 50: small shifts, less Fourier features, as many columns"
    low, high = map(float, row["99 % for 3 at once"].split(" to "))
    assert (low > 0, high < 0) == (gain > 0, gain < 0)
    assert float(row["mean"]) == pytest.approx(gain, abs=1e-3)


def test_the_best_of_three_needs_a_wider_interval() -> None:
    # Without an effect the best of three wrongly beats its control about as often as it says, at
    # most; with the interval of one comparison it does so 38 times in 2000 instead of 10.
    rng = np.random.default_rng(0)
    names, wrong = ("none", "fourier", "shifts", "turns", "both"), 0
    for _ in range(2000):
        results = shares_of(**{name: rng.standard_normal(10) for name in names})
        wrong += against_controls(results)[0]["99 % for 3 at once"].startswith("+")
    assert binomtest(wrong, 2000, 0.005, alternative="greater").pvalue > 0.001


def test_matrices_of_pitch_move_a_smooth_spectrum_by_channels() -> None:
    # Second route: a spectrum that 13 cosines describe well, moved as a function.
    from scipy.fft import dct

    channels = np.arange(26.0)

    def spectrum(at):
        return np.exp(-0.5 * ((at - 13.0) / 4.0) ** 2)

    found = accuracy.pitches(DEVIATIONS)
    for matrix, shift in zip(found, (-2.0, -1.0, 0.0, 1.0, 2.0)):
        before = dct(spectrum(channels), norm="ortho")[:13] / DEVIATIONS
        after = dct(spectrum(channels - shift), norm="ortho")[:13] / DEVIATIONS
        # What is left out of the first 13 cosines is below 1e-3 of such a spectrum.
        np.testing.assert_allclose(matrix @ before, after, atol=5e-3 * np.abs(after).max())
    np.testing.assert_allclose(found[2], np.eye(13), atol=1e-12)


def test_matrices_of_speed_read_the_frames_at_other_times() -> None:
    slow, fast = SPEEDS[[0, 4]]
    ramp = np.arange(20.0)
    np.testing.assert_allclose(slow @ ramp, 9.5 + 0.5 * (ramp - 9.5))
    inside = np.abs(ramp - 9.5) <= 4.75
    np.testing.assert_allclose((fast @ ramp)[inside], (9.5 + 2.0 * (ramp - 9.5))[inside])
    assert not (fast @ ramp)[np.abs(ramp - 9.5) > 5.3].any()


def test_elements_act_on_frames_and_cepstra_of_a_row() -> None:
    # Planted defect: the factors the other way round would act on wrong axes.
    examples = accuracy.load_recordings("quick", None)
    orders = {name: group.order for name, group in examples.moves.items()}
    assert orders == {"none": 1, "speeds": 5, "pitches": 5, "both": 25}
    of_frames, of_cepstra = SPEEDS, accuracy.pitches(DEVIATIONS)
    group = groups.LinearMaps(accuracy.elements(DEVIATIONS)["both"])
    moved = group.apply(examples.X[:1].astype(np.float64))[:, 0]
    word = examples.X[0].astype(np.float64).reshape(20, 13)
    direct = [(a @ word @ b.T).ravel() for a in of_frames for b in of_cepstra]
    np.testing.assert_allclose(moved, direct, atol=1e-12)


def test_real_recordings_are_split_without_overlap(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 20, 13)).astype(np.float32), np.arange(60) % 10
    monkeypatch.setattr(data, "spoken_digits", lambda n: data.Dataset("spoken_digits", X, y))
    examples = accuracy.load_recordings("full", None)
    # Rows of 260 entries are float32: each entry rounds by 6e-8 of itself.
    np.testing.assert_allclose(np.linalg.norm(examples.X, axis=1), 1.0, atol=1e-6)
    seen = {}

    def watched(phis, train, test, sizes, seed):
        seen.update(train=train, test=test, sizes=sizes)
        return {}

    monkeypatch.setattr(accuracy, "accuracies", watched)
    monkeypatch.setattr(accuracy.Comparison, "maps", lambda *options: {})
    accuracy.SPEECH.measure("full", examples, accuracy.SPEECH.cell({"draw": 0}, 0))
    assert (len(seen["train"][0]), len(seen["test"][0])) == (40, 20)
    together = np.concatenate([seen["train"][0], seen["test"][0]])
    assert len(np.unique(together, axis=0)) == 60
    assert seen["sizes"] == (100, 300, 1000, 2000)


def test_missing_recordings_say_what_brings_them(monkeypatch) -> None:
    def missing(n):
        raise data.MissingDataError("spoken_digits: pip install ...")

    monkeypatch.setattr(data, "spoken_digits", missing)
    with pytest.raises(data.MissingDataError, match="pip install"):
        accuracy.load_recordings("full", None)
