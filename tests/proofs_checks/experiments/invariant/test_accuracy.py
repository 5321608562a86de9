"""Invariant features of digits and voices: maps, parts, learners, what is learnt from what."""

import numpy as np
import pytest
from mehler.proofs_checks.experiments.invariant import accuracy, panels

from mehler import learn

EXAMPLES = accuracy.load_digits("quick", None)


def test_training_rows_are_nested_the_same_for_all_features_and_differ_by_draw(monkeypatch) -> None:
    sizes = []
    ridge = learn.ridge

    def watched(phi, X, codes, **options):
        sizes.append((X, codes))
        return ridge(phi, X, codes, **options)

    monkeypatch.setattr(learn, "ridge", watched)
    maps = {"pixels": lambda rows: rows, "twice": lambda rows: 2 * rows}
    train, test = EXAMPLES.parts(0)
    for seed in (0, 1):
        accuracy.accuracies(maps, train, test, (50, 200), seed)
    first, second = sizes[:4], sizes[4:]
    for (few, few_codes), (many, many_codes) in (first[:2], second[:2]):
        assert (len(few), len(many)) == (50, 200)
        assert np.array_equal(few, many[:50])
        assert np.array_equal(few_codes, many_codes[:50])
        # No row twice, and all of them training rows with their labels.
        assert len(np.unique(many, axis=0)) == 200
        equal = (many[:, None] == train[0][None]).all(axis=2)
        assert equal.any(axis=1).all()
        assert np.array_equal(EXAMPLES.y[equal.argmax(axis=1)], many_codes.argmax(axis=1))
    assert np.array_equal(first[2][0], 2 * first[0][0])
    assert not np.array_equal(first[0][0], second[0][0])


def test_accuracies_are_those_of_a_direct_solution() -> None:
    # Second route: least squares with intercept on pixels, by the lambda that leaving out chooses.
    train, test = ((rows.astype(float), labels) for rows, labels in EXAMPLES.parts(0))
    results = accuracy.accuracies({"pixels": lambda rows: rows}, train, test, (400,), 3)
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
    assert results["pixels"] == [pytest.approx(min(off)[2], abs=1.5 / len(test[0]))]


def test_no_test_row_is_learnt_from() -> None:
    for examples in (EXAMPLES, accuracy.load_recordings("quick", None)):
        train, test = panels.sample("quick", examples, 0)
        assert not set(train.tolist()) & set(test.tolist())
        assert len(set(train.tolist())) == panels.SIZES["quick"][-1]
        if examples.n_train is not None:
            assert train.max() < examples.n_train <= test.min()


def test_both_learners_are_those_of_a_second_route() -> None:
    # The nearest row by all distances; least squares with the lambda that leaves out best.
    rng = np.random.default_rng(0)
    z, z_test = rng.standard_normal((40, 3)), rng.standard_normal((30, 3))
    labels, truth = (np.sign(rows[:, 0] + 0.2).astype(int) for rows in (z, z_test))
    accuracy = panels.both(z, labels, z_test, truth)
    apart = ((z_test[:, None] - z) ** 2).sum(axis=2)
    assert accuracy["nearest"] == np.mean(labels[apart.argmin(axis=1)] == truth)
    assert accuracy["ridge"] > 0.8


VOWELS = panels.load_vowels("quick", None)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_voice_is_both_learnt_and_tested(seed: int) -> None:
    results = panels.splits(VOWELS, seed)
    learnt, tested = (set(VOWELS.speakers[part].tolist()) for part in results["speakers"])
    assert (len(learnt), len(tested)) == (8, 7)
    assert not learnt & tested
    mixed = [set(VOWELS.speakers[part].tolist()) for part in results["mixed"]]
    assert mixed[0] == mixed[1] == set(range(15))
    for split in results.values():
        assert [len(part) for part in split] == [8 * 66, 7 * 66]
        assert sorted(np.concatenate(split).tolist()) == list(range(990))
