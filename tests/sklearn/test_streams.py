"""`partial_fit`: chunks are one fit of all rows, whatever came when; what is refused on the way."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from itertools import pairwise

import array_api_strict
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, PredefinedSplit

from mehler import _arrays, learn
from mehler.sklearn import (
    FourierSampler,
    LeverageSampler,
    MaxoutSampler,
    RandomFeatureRidge,
    RandomFeatureRidgeClassifier,
)
from mehler.sklearn import _splits as stream_module

RNG = np.random.default_rng(3)
# Chunks have different means, and labels come sorted.
X = RNG.standard_normal((90, 4)) + np.linspace(0, 4, 90)[:, None]
Y = np.sin(X[:, 0]) + np.linspace(0, 5, 90)
LABELS = np.repeat(["north", "east", "south"], 30)
TARGETS = [Y, np.stack([Y, X[:, 1] ** 2], axis=1), LABELS, LABELS == "south", np.arange(90) % 3]
NAMES = ["one", "two", "words", "booleans", "numbers"]
NEW = RNG.standard_normal((9, 4)) + 2.0
FEATURES = MaxoutSampler(n_components=15, pool_size=3, random_state=5)
LAMBDAS = (1e-4, 1e-3, 1e-2, 1e-1)
CUTS = [[0, 90], [0, 1, 2, 60, 61, 90], list(range(91))]


def is_numbers(y):
    return y.dtype.kind == "f"


def estimator(y, **parameters):
    kind = RandomFeatureRidge if is_numbers(y) else RandomFeatureRidgeClassifier
    return kind(**{"features": FEATURES, "lambdas": LAMBDAS} | parameters)


def streamed(y, chunks, **parameters):
    model = estimator(y, **parameters)
    more = {} if is_numbers(y) else {"classes": np.unique(y)}
    for rows in chunks:
        model.partial_fit(X[rows], y[rows], **more)
        more = {}
    return model


def in_chunks(cuts):
    return [np.arange(a, b) for a, b in pairwise(cuts)]


def same(ours, wanted, y, digits=1e-8):
    size = np.abs(wanted.coef_).max()
    assert ours.coef_.shape == wanted.coef_.shape
    assert np.allclose(ours.coef_, wanted.coef_, rtol=0, atol=digits * size)
    assert np.allclose(ours.intercept_, wanted.intercept_, rtol=digits, atol=digits * size)
    assert ours.lambda_ == wanted.lambda_
    if is_numbers(y):
        assert np.allclose(ours.predict(NEW), wanted.predict(NEW), rtol=digits, atol=digits)
    else:
        assert np.array_equal(ours.predict(NEW), wanted.predict(NEW))
        assert np.array_equal(ours.classes_, wanted.classes_)
        assert ours.classes_.dtype == wanted.classes_.dtype


def audit(y, cuts):
    """Chunks against one fit of all rows: one lambda, then a choice by folds."""
    for intercept in (True, False):
        one = {"lambdas": 1e-3, "fit_intercept": intercept}
        wanted = estimator(y, **one).fit(X, y)
        same(streamed(y, in_chunks(cuts), **one), wanted, y)
        # In any order of chunks.
        same(streamed(y, in_chunks(cuts)[::-1], **one), wanted, y)
        for folds in (None, 4):
            turns = PredefinedSplit(np.arange(90) % (folds or 5))
            more = {} if is_numbers(y) else {"scoring": "mse"}
            all_at_once = estimator(y, cv=turns, fit_intercept=intercept, **more).fit(X, y)
            ours = streamed(y, in_chunks(cuts), cv=folds, fit_intercept=intercept)
            same(ours, all_at_once, y)
            assert np.allclose(ours.errors_, all_at_once.errors_, rtol=1e-8)


@pytest.mark.parametrize("y", TARGETS, ids=NAMES)
@pytest.mark.sampled(2)
def test_chunks_are_one_fit_of_all_rows(y):
    for cuts in CUTS:
        audit(y, cuts)


# -- planted defects ----------------------------------------------------------------------


def blocks_at_their_own_means(monkeypatch):
    honest = _arrays.centred
    monkeypatch.setattr(_arrays, "centred", lambda xp, z, mean, last: honest(xp, z, mean, 0 * last))


def targets_mean_of_the_last_chunk(monkeypatch):
    honest = learn.RidgeSums._add_block

    def wrong(self, z, y, weights=None):
        honest(self, z, y)
        self._target_mean = y.mean(axis=0)

    monkeypatch.setattr(learn.RidgeSums, "_add_block", wrong)


def last_chunk_only(monkeypatch):
    honest = stream_module.Stream.add

    def wrong(self, x, y):
        self.parts = [learn.RidgeSums(part.phi) for part in self.parts]
        honest(self, x, y)

    monkeypatch.setattr(stream_module.Stream, "add", wrong)


def turns_begin_again(monkeypatch):
    """Each chunk's first row goes to fold 0."""
    honest = stream_module.Stream.add

    def wrong(self, x, y):
        self.n_rows = 0
        honest(self, x, y)

    monkeypatch.setattr(stream_module.Stream, "add", wrong)


@pytest.mark.parametrize(
    "defect",
    [
        blocks_at_their_own_means,
        targets_mean_of_the_last_chunk,
        last_chunk_only,
        turns_begin_again,
    ],
    ids=lambda one: one.__name__,
)
def test_planted_defect_is_caught(defect, monkeypatch):
    defect(monkeypatch)
    with pytest.raises((AssertionError, ValueError)):
        audit(Y, CUTS[1])


def test_classes_of_a_chunk_alone_would_be_seen(monkeypatch):
    """Planted: columns are the classes that came so far."""
    honest = learn.one_vs_all
    monkeypatch.setattr(learn, "one_vs_all", lambda labels, classes=None: honest(labels))
    with pytest.raises((AssertionError, ValueError)):
        audit(LABELS, CUTS[1])


# -- classes ------------------------------------------------------------------------------


def test_a_class_may_come_late_or_never():
    model = RandomFeatureRidgeClassifier(features=FEATURES, lambdas=1e-3)
    model.partial_fit(X[:60], LABELS[:60], classes=["west", "north", "east", "south"])
    assert model.classes_.tolist() == ["east", "north", "south", "west"]
    assert set(model.predict(X)) == {"north", "east"}
    model.partial_fit(X[60:], LABELS[60:], classes=["south", "west", "north", "east"])
    assert set(model.predict(X)) == {"north", "east", "south"}
    assert model.decision_function(X).shape == (90, 4)
    # The class that never came is -1 on all rows, and a constant is fitted exactly.
    assert np.allclose(model.decision_function(X)[:, 3], -1.0, atol=1e-12)
    assert model.score(X, LABELS) > 0.8


def test_a_chunk_may_have_as_many_classes_as_rows():
    """scikit-learn would take it for numbers, and warn."""
    model = RandomFeatureRidgeClassifier(features=FEATURES, lambdas=1e-3)
    for _ in range(2):
        model.partial_fit(X[:45], np.arange(45), classes=np.arange(100))
    assert model.decision_function(NEW).shape == (9, 100)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ((LABELS, None), None, "classes must be given with the first chunk"),
        ((LABELS, ["north"]), None, "fewer than 2"),
        ((LABELS, ["north", "east"]), None, "labels hold 'south', which is not among"),
        ((np.arange(90) % 3, ["0", "1", "2"]), None, "labels hold 0, which is not among"),
        ((np.array(list("012") * 30), [0, 1, 2]), None, "labels hold '0', which is not among"),
        ((Y, [0.0, 1.0]), None, r"labels hold -0\.\d+, which is not among"),
        ((np.stack([LABELS, LABELS], axis=1), np.unique(LABELS)), None, "should be a 1d array"),
        ((LABELS, np.unique(LABELS)), (LABELS, ["north", "east"]), "not those of the first chunk"),
        ((LABELS, np.unique(LABELS)), (np.full(90, "up"), None), "labels hold 'up'"),
    ],
)
def test_labels_that_do_not_fit(first, second, words):
    model = RandomFeatureRidgeClassifier(features=FEATURES, lambdas=1e-3)
    if second is None:
        with pytest.raises(ValueError, match=words):
            model.partial_fit(X, first[0], first[1])
        with pytest.raises(NotFittedError):
            model.predict(X)
        return
    model.partial_fit(X, first[0], first[1])
    before = model.predict(NEW)
    with pytest.raises(ValueError, match=words):
        model.partial_fit(X, second[0], second[1])
    assert np.array_equal(model.predict(NEW), before)


# -- when it is solved, and what is kept --------------------------------------------------


def test_it_is_solved_when_it_is_asked(monkeypatch):
    honest, solved = stream_module.Stream.solve, []
    monkeypatch.setattr(
        stream_module.Stream, "solve", lambda self: solved.append(1) or honest(self)
    )
    model = streamed(Y, in_chunks(CUTS[1]))
    assert not solved
    for ask in [lambda: model.coef_, lambda: model.predict(NEW), lambda: model.lambda_]:
        ask()
        assert len(solved) == 1
    model.partial_fit(X[:5], Y[:5])
    model.partial_fit(X[5:10], Y[5:10])
    assert len(solved) == 1
    assert model.errors_ is not None
    model.predict(NEW)
    assert len(solved) == 2
    # What was solved before the last chunks is not kept.
    same(model, streamed(Y, [np.arange(90), np.arange(10)]), Y)
    with pytest.raises(AttributeError, match="no attribute 'coefs_'"):
        _ = model.coefs_


def test_memory_does_not_grow_with_the_stream():
    def peak(n):
        model = clone(estimator(Y)).set_params(features__n_components=100)
        rng = np.random.default_rng(0)
        model.partial_fit(X[:20], Y[:20])
        tracemalloc.start()
        for _ in range(n):
            x = rng.standard_normal((500, 4))
            model.partial_fit(x, x[:, 0])
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    # Not 8 times: 1.6 MB of features for each 4 chunks.
    assert peak(32) < 1.1 * peak(4)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("y", [Y, LABELS], ids=["numbers", "words"])
def test_a_stream_goes_on_after_a_pickle(copied, y):
    model = streamed(y, [np.arange(50)])
    again = copied(model)
    for one in (model, again):
        one.partial_fit(X[50:], y[50:])
    same(again, model, y, digits=1e-12)
    same(again, streamed(y, [np.arange(90)]), y)


def test_a_stream_on_a_device_goes_on_after_a_pickle(monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    device = array_api_strict.Device("device1")
    x, y, new = (array_api_strict.asarray(part, device=device) for part in (X, Y, NEW))
    wanted = streamed(Y, in_chunks([0, 50, 90]))
    with config_context(array_api_dispatch=True):
        model = estimator(Y).partial_fit(x[:50, :], y[:50])
        again = pickle.loads(pickle.dumps(model)).partial_fit(x[50:, :], y[50:])
        found = again.predict(new)
        assert found.device == device
        with pytest.raises(ValueError, match=r"partial_fit\(\) must use the same namespace"):
            model.partial_fit(X, Y)
    assert np.allclose(_arrays.to_host(found), wanted.predict(NEW), rtol=1e-8)


def test_fit_begins_again_and_keeps_no_sums():
    model = streamed(Y, in_chunks(CUTS[1]))
    # Half a Gram for each of 5 folds.
    assert len(pickle.dumps(model)) > 5 * 8 * 15 * 16 / 2
    model.fit(X[:40], Y[:40])
    wanted = estimator(Y).fit(X[:40], Y[:40])
    same(model, wanted, Y, digits=1e-12)
    assert model.errors_ == wanted.errors_
    assert len(pickle.dumps(model)) < 3000
    with pytest.warns(UserWarning, match="keeps no sums"):
        model.partial_fit(X[40:], Y[40:])
    same(model, streamed(Y, [np.arange(40, 90)]), Y, digits=1e-12)
    classifier = estimator(LABELS).fit(X, LABELS)
    with pytest.warns(UserWarning, match="keeps no sums"):
        classifier.partial_fit(X[:40], LABELS[:40])  # classes are known
    assert len(classifier.classes_) == 3


def test_other_lambdas_may_be_tried_on_the_way():
    model = streamed(Y, [np.arange(50)])
    model.set_params(lambdas=(1.0, 10.0), fit_intercept=False)
    assert model.lambda_ in LAMBDAS
    model.partial_fit(X[50:], Y[50:])
    assert model.lambda_ in (1.0, 10.0)
    assert np.all(model.intercept_ == 0.0)
    for parameters in ({"lambdas": 1.0}, {"cv": 3}):
        other = streamed(Y, [np.arange(50)]).set_params(**parameters)
        with pytest.raises(ValueError, match="rows so far were dealt to 5 folds"):
            other.partial_fit(X, Y)


# -- rows and features --------------------------------------------------------------------


def test_features_see_the_first_chunk():
    pool = FourierSampler(n_components=60, form="offset", gamma=0.3)
    features = LeverageSampler(pool=pool, n_components=10, random_state=1)
    model = RandomFeatureRidge(features=features, lambdas=1e-3)
    model.partial_fit(X[:40], Y[:40]).partial_fit(X[40:], Y[40:])
    assert model.features_.map_.columns == clone(features).fit(X[:40]).map_.columns


def test_float32():
    x, y, new = (part.astype(np.float32) for part in (X, Y, NEW))
    model = estimator(Y)
    for rows in in_chunks(CUTS[1]):
        model.partial_fit(x[rows], y[rows])
    assert model.predict(new).dtype == model.coef_.dtype == np.float32
    wanted = streamed(Y, in_chunks(CUTS[1]))
    assert np.allclose(model.errors_, wanted.errors_, rtol=1e-2)
    assert np.allclose(model.predict(new), wanted.predict(NEW), atol=1e-2)


def test_one_row_so_far():
    model = estimator(Y, lambdas=1e-3).partial_fit(X[:1], Y[:1])
    assert np.allclose(model.predict(NEW), Y[0])
    model = estimator(Y).partial_fit(X[:1], Y[:1])
    with pytest.raises(ValueError, match="1 row came so far"):
        model.predict(NEW)
    model.partial_fit(X[1:2], Y[1:2])
    assert np.isfinite(model.predict(NEW)).all()


def test_constant_features_and_targets():
    x = np.ones((12, 4))
    model = estimator(Y).partial_fit(x, np.full(12, 3.0)).partial_fit(x, np.full(12, 3.0))
    assert np.allclose(model.predict(x), 3.0)
    assert model.errors_ == (0.0,) * 4
    assert model.lambda_ == max(LAMBDAS)  # of equals the largest


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (X[:, :3], Y, "X has 3 features"),
        (X * np.nan, Y, "contains NaN"),
        (X, Y[:5], "inconsistent numbers of samples"),
        (X, np.stack([Y, Y], axis=1), "y has 2 axes, but had 1"),
        (X[:0], Y[:0], "0 sample"),
    ],
)
def test_chunks_that_do_not_fit(x, y, words):
    model = estimator(Y).partial_fit(X, Y)
    before = model.predict(NEW)
    with pytest.raises(ValueError, match=words):
        model.partial_fit(x, y)
    assert np.array_equal(model.predict(NEW), before)
    assert np.array_equal(model.partial_fit(X, Y).predict(NEW).shape, before.shape)


def test_two_targets_then_three():
    model = estimator(Y).partial_fit(X, X[:, :2])
    with pytest.raises(ValueError, match=r"Y must have shape \(rows, 2\)"):
        model.partial_fit(X, X[:, :3])


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"cv": KFold(3)}, TypeError, "cv must be an integer or None; a splitter needs all rows"),
        ({"cv": 1}, ValueError, "cv=.* must be at least 2"),
        ({"lambdas": ()}, ValueError, "lambdas is empty"),
        ({"features": "maxout"}, TypeError, "features must be a sampler"),
    ],
)
def test_bad_parameters(parameters, error, words):
    model = estimator(Y, **parameters)
    with pytest.raises(error, match=words):
        model.partial_fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(NEW)
    with pytest.raises(ValueError, match="scoring='accuracy' is not one of"):
        estimator(LABELS, scoring="accuracy").partial_fit(X, LABELS, np.unique(LABELS))


def test_frames_keep_their_columns():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = estimator(Y).partial_fit(frame[:40], Y[:40]).partial_fit(frame[40:], Y[40:])
    assert list(model.feature_names_in_) == list("abcd")
    assert np.array_equal(model.predict(frame), streamed(Y, in_chunks([0, 40, 90])).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame[list("dcba")], Y)
