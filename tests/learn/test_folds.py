"""Folds: a partition, even, by classes or by groups, and the same everywhere."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import PredefinedSplit

from mehler import learn


@given(st.integers(2, 60), st.integers(2, 60), st.integers(0, 2**64))
def test_folds_differ_by_one_row(n, k, seed):
    if k > n:
        n, k = k, n
    sizes = np.bincount(learn.folds(n, k, seed=seed), minlength=k)
    assert sizes.shape == (k,)
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1


@given(st.lists(st.sampled_from("abc"), min_size=4, max_size=60), st.integers(2, 4))
def test_classes_differ_by_one_row_too(labels, k):
    dealt = learn.folds(len(labels), k, seed=0, labels=labels)
    of = np.asarray(labels)
    for some in [of == of, *(of == label for label in "abc")]:
        sizes = np.bincount(dealt[some], minlength=k)
        assert sizes.max() - sizes.min() <= 1


@given(st.lists(st.integers(0, 9), min_size=4, max_size=60), st.integers(2, 4))
def test_groups_stay_together(groups, k):
    of = np.asarray(groups)
    if len(np.unique(of)) < k:
        with pytest.raises(ValueError, match=f"too few for {k} folds"):
            learn.folds(len(of), k, seed=0, groups=of)
        return
    dealt = learn.folds(len(of), k, seed=0, groups=of)
    assert all(len(np.unique(dealt[of == group])) == 1 for group in of)
    sizes = np.bincount(dealt, minlength=k)
    # Each fold was the smallest when its last group came.
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= np.bincount(of).max()


def test_seeds_decide_and_nothing_else():
    one = learn.folds(1000, 10, seed=3)
    assert np.array_equal(one, learn.folds(1000, 10, seed=np.int64(3)))
    assert np.mean(one == learn.folds(1000, 10, seed=4)) < 0.2
    labels = np.arange(1000) % 3
    by_class = learn.folds(1000, 10, seed=3, labels=labels)
    same = learn.folds(1000, 10, seed=3, labels=array_api_strict.asarray(labels))
    assert np.array_equal(by_class, same)
    assert not np.array_equal(by_class, learn.folds(1000, 10, seed=4, labels=labels))
    groups = np.arange(1000) // 10
    by_group = learn.folds(1000, 10, seed=3, groups=groups)
    assert not np.array_equal(by_group, learn.folds(1000, 10, seed=4, groups=groups))


def test_rows_are_shuffled():
    """Planted: folds that are runs of rows, or rows by turns, do badly where rows are sorted."""
    dealt = learn.folds(1000, 2, seed=0)
    # 500 of a run's rows would be in one fold; 250 +- 11 are by chance.
    assert abs(np.sum(dealt[:500] == 0) - 250) < 80
    assert abs(np.sum(dealt[::2] == 0) - 250) < 80


def test_scikit_learn_reads_them():
    dealt = learn.folds(10, 3, seed=0)
    for fold, (train, test) in enumerate(PredefinedSplit(dealt).split()):
        assert np.array_equal(test, np.flatnonzero(dealt == fold))
        assert np.array_equal(train, np.flatnonzero(dealt != fold))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((10.0, 2), {}, TypeError, "n_rows=.* must be an integer"),
        ((1, 2), {}, ValueError, "n_rows=.* must be at least 2"),
        ((10, 1), {}, ValueError, "n_folds=.* must be at least 2"),
        ((10, 11), {}, ValueError, "n_folds=.* must be at most 10"),
        ((10, 2), {"seed": None}, TypeError, "seed must be a non-negative integer"),
        ((3, 2), {"labels": [1, 2]}, ValueError, r"labels have shape \(2,\)"),
        ((2, 2), {"labels": [1.0, np.nan]}, ValueError, "labels hold NaN"),
        ((2, 2), {"groups": [[1], [2]]}, ValueError, r"groups have shape \(2, 1\)"),
        ((2, 2), {"labels": [1, 2], "groups": [1, 2]}, ValueError, "give one of them"),
    ],
)
def test_bad_arguments(arguments, options, error, words):
    with pytest.raises(error, match=words):
        learn.folds(*arguments, **{"seed": 0} | options)
