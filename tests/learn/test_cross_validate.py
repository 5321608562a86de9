"""Cross-validated errors beside scikit-learn's on features held whole, and from sums alone."""

from __future__ import annotations

import pickle
import tracemalloc
from dataclasses import replace

import dask
import dask.array as da
import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import PredefinedSplit, cross_val_score

import mehler
from mehler import _arrays, learn
from mehler.learn._ridge import _cross_validate, _fold_sums
from tests.learn.ridge_audit import Table, problem, rounding
from tests.places import CPU, GPU, Place

LAMBDAS = (1e-4, 1e-2, 1.0)
RNG = np.random.default_rng(7)
X = RNG.standard_normal((301, 3)) + 1.0
Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1)
FOLDS = learn.folds(301, 4, seed=0)
PHI = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0)
# 5e-10: the rows that are fitted are fewer by a fold, which the norm and n both follow.
DIGITS = rounding(PHI(X), LAMBDAS[0])


def by_scikit_learn(phi, x, y, folds, *, intercept=True, classes=False):
    """Errors of each fold, alpha = (rows fitted to) lambda; one call a fold, as those differ."""
    z, found = phi(x), []
    kind = RidgeClassifier if classes else Ridge
    for fold in np.unique(folds[folds >= 0]):
        n = np.sum(folds != fold)
        split = PredefinedSplit(np.where(folds == fold, 0, -1))
        scores = [
            cross_val_score(
                kind(n * lam, fit_intercept=intercept),
                z,
                y,
                cv=split,
                scoring="accuracy" if classes else "neg_mean_squared_error",
            )[0]
            for lam in LAMBDAS
        ]
        found.append([1.0 - s if classes else -s for s in scores])
    return np.array(found)


def audit(folds=FOLDS, **options):
    """Hold all there is against scikit-learn."""
    for y in (Y, Y[:, 0]):
        found = learn.cross_validate(PHI, X, y, folds, lambdas=LAMBDAS, **options)
        intercept = options.get("intercept", True)
        wanted = by_scikit_learn(PHI, X, y, folds, intercept=intercept)
        np.testing.assert_allclose(found.errors, wanted, rtol=DIGITS)
        np.testing.assert_allclose(found.mean, wanted.mean(axis=0), rtol=DIGITS)
        assert found.fit.lam == LAMBDAS[int(np.argmin(wanted.mean(axis=0)))]
        plain = Ridge(301 * found.fit.lam, fit_intercept=intercept).fit(PHI(X), y)
        np.testing.assert_allclose(found.fit.predict(X), plain.predict(PHI(X)), atol=DIGITS)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("solver", ["auto", "direct"])
def test_errors_are_scikit_learns(intercept, solver):
    audit(intercept=intercept, solver=solver)


def test_folds_of_any_size_and_number():
    uneven = np.array([7] * 200 + [3] * 100 + [5])
    audit(uneven)
    found = learn.cross_validate(PHI, X, Y, uneven.tolist(), lambdas=LAMBDAS)
    assert found.sizes.tolist() == [100, 1, 200]  # in the order of the numbers


def test_one_fold_is_a_hold_out():
    held = np.where(FOLDS == 0, 0, -1)
    audit(held)
    found = learn.cross_validate(PHI, X, Y, held, lambdas=LAMBDAS)
    kept = held < 0
    out = (X[~kept], Y[~kept])
    same = learn.ridge(PHI, X[kept], Y[kept], lambdas=LAMBDAS, choose="hold-out", holdout=out)
    np.testing.assert_allclose(found.mean, same.errors, rtol=DIGITS)
    assert np.isnan(found.standard_error).all()


def test_each_row_a_fold_is_leaving_one_out_with_its_own_penalty():
    """N - 1 rows are fitted, so that (N - 1) lambda here is N lambda there."""
    z, y = problem(1, 20, 5)
    left = learn.ridge(Table(), z, y, lambdas=LAMBDAS)
    scaled = [20 / 19 * lam for lam in LAMBDAS]
    found = learn.cross_validate(Table(), z, y, np.arange(20), lambdas=scaled)
    # Sums of 20 terms instead of hundreds: a fifth of the roundings.
    np.testing.assert_allclose(found.mean, left.errors, rtol=rounding(z, LAMBDAS[0], terms=20))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mistakes_are_scikit_learns(n_classes):
    labels = np.digitize(Y[:, 0], [0.6, 0.9][: n_classes - 1])
    codes, _ = learn.one_vs_all(labels)
    for targets in [codes] + [codes[:, 1]] * (n_classes == 2):
        found = learn.cross_validate(PHI, X, targets, FOLDS, lambdas=LAMBDAS, scoring="error_rate")
        wanted = by_scikit_learn(PHI, X, labels, FOLDS, classes=True)
        # Shares of at most 301 rows differ by 1/301 or by the rounding of one division.
        np.testing.assert_allclose(found.errors, wanted, atol=2.0**-52)
    assert found.errors.max() > 0.05
    # Of equal means the largest.
    least = found.mean.min()
    assert found.fit.lam == max(np.array(LAMBDAS)[found.mean == least])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("scoring", ["mse", "error_rate"])
def test_fewer_rows_than_features(intercept, scoring):
    phi = mehler.MaxoutFeatures.draw(3, 400, 3, seed=0)
    options = {"lambdas": LAMBDAS, "intercept": intercept, "scoring": scoring}
    for y in (Y, Y[:, 0]):
        found = learn.cross_validate(phi, X, y, FOLDS, **options)
        same = learn.cross_validate(phi, X, y, FOLDS, solver="direct", **options)
        # A decomposition of about 226 rows against a factorisation of 400 features: either is
        # exact for a matrix that is off by its size times 2^-53, and squares double it.
        digits = rounding(phi(X), LAMBDAS[0], terms=2 * (226 + 400))
        moved = digits * moved_by_rounding(phi(X), y, LAMBDAS[0])
        # Relative to the root of a mean square; rates count rows, of which none is that near 0.
        size = np.sqrt(same.errors.min()) if scoring == "mse" else np.inf
        np.testing.assert_allclose(found.errors, same.errors, rtol=moved / size)
        np.testing.assert_allclose(found.fit.predict(X), same.fit.predict(X), atol=moved)


def moved_by_rounding(z, y, lam):
    """How far predictions of held-out rows move if the system is off by n lam, to first order.

    (A + E)^-1 r = w - A^-1 E w moves z^T w by z^T A^-1 E w, at most |E| |w| times |z^T A^-1|, and
    that by sqrt(z^T A^-1 z / (n lam)) since A is at least n lam. Weights of either sign cancel in
    a prediction, so it can be much smaller than this.
    """
    most = 0.0
    for fold in np.unique(FOLDS):
        kept, held = z[fold != FOLDS], z[fold == FOLDS]
        ridge = len(kept) * lam
        system = kept.T @ kept + ridge * np.eye(z.shape[1])
        leverages = np.sum(held * np.linalg.solve(system, held.T).T, axis=1)
        weights = np.linalg.solve(system, kept.T @ y[fold != FOLDS].reshape(len(kept), -1))
        most = max(most, np.sqrt(leverages.max() * ridge) * np.linalg.norm(weights, axis=0).max())
    return most


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("solver", ["auto", "direct"])
def test_sums_alone_give_the_same(intercept, solver):
    options = {"lambdas": LAMBDAS, "intercept": intercept, "solver": solver}
    for y in (Y, Y[:, 0]):
        parts = [learn.RidgeSums(PHI).add(X[FOLDS == i], y[FOLDS == i]) for i in range(4)]
        before = [part.gram for part in parts]
        found = learn.cross_validate_sums(parts, **options)
        same = learn.cross_validate(PHI, X, y, FOLDS, **options)
        # The same sums solved the same way: of the six roundings only those of the errors differ.
        digits = rounding(PHI(X), LAMBDAS[0], terms=20)
        np.testing.assert_allclose(found.errors, same.errors, rtol=digits)
        np.testing.assert_allclose(found.fit.predict(X), same.fit.predict(X), atol=digits)
        assert found.sizes.tolist() == same.sizes.tolist()
        for part, gram in zip(parts, before, strict=True):
            np.testing.assert_array_equal(part.gram, gram)  # nothing was spent


def test_squares_of_sums_travel_and_add_up():
    """Blocks, chunks, `+` and pickles: the targets' own squares are kept by all of them."""
    z, y = problem(2, 2500, 4, offset=100.0)  # three blocks
    y = y + np.linspace(0, 1e4, 2500)[:, None]
    whole = learn.RidgeSums(Table()).add(z, y)
    exact = ((y - y.mean(axis=0)) ** 2).sum(axis=0)
    halves = [learn.RidgeSums(Table()).add(z[i::2], y[i::2]) for i in range(2)]
    joined = pickle.loads(pickle.dumps(halves[0])) + halves[1]
    with dask.config.set(scheduler="synchronous"):
        rows = (da.from_array(part, chunks=(400, -1)) for part in (z, y))
        chunked = learn.RidgeSums(Table()).add(*rows)
    for sums in (whole, joined, chunked, learn.RidgeSums(Table()) + whole):
        # Terms are positive: 2500 of them and their joins round by at most 3 * 2500 * 2^-53.
        np.testing.assert_allclose(sums._squares, exact, rtol=3 * 2500 * 2.0**-53)


def test_rounding_from_sums_is_relative_to_the_targets():
    """Targets that features explain to 1e-6: errors of 1e-12 beside a variance of 1."""
    rng = np.random.default_rng(1)
    z = rng.standard_normal((400, 5)) + 50.0
    noise = 1e-6 * rng.standard_normal(400)
    for dtype, digits in [("float64", 1e-13), ("float32", 1e-6)]:
        rows = z.astype(dtype)
        y = (rows.astype(np.float64) @ np.ones(5) / 5**0.5 + noise).astype(dtype)
        dealt = learn.folds(400, 4, seed=1)
        parts = [learn.RidgeSums(Table()).add(rows[dealt == i], y[dealt == i]) for i in range(4)]
        found = learn.cross_validate_sums(parts, lambdas=[1e-12])
        wide = rows.astype(np.float64), y.astype(np.float64)
        exact = learn.cross_validate(Table(), *wide, dealt, lambdas=[1e-12])
        assert np.abs(found.errors - exact.errors).max() < digits * y.var()
        assert found.errors.min() >= 0.0


@pytest.fixture(
    params=[pytest.param(place, id=place.name) for place in CPU if not place.jit]
    + [pytest.param(place, id=place.name, marks=pytest.mark.gpu) for place in GPU]
)
def here(request: pytest.FixtureRequest) -> Place:
    return request.param


@pytest.mark.parametrize("n_features", [30, 400])
@pytest.mark.sampled(5)
def test_places_agree(here: Place, n_features):
    dtype = "float64" if here.has_float64 else "float32"
    usual = mehler.MaxoutFeatures.draw(3, n_features, 3, seed=0)
    x, y = X.astype(dtype), Y.astype(dtype)
    rows, targets = here.asarray(x), here.asarray(y)
    same = learn.cross_validate(usual, x, y, FOLDS, lambdas=LAMBDAS)
    with dask.config.set(scheduler="synchronous"):
        found = learn.cross_validate(usual.to(rows), rows, targets, FOLDS, lambdas=LAMBDAS)
        values = found.fit.predict(rows)
        # Features of float32 are rounded one by one, to 24 bits, before sums in float64.
        digits = DIGITS if dtype == "float64" else min(1e-3, DIGITS / 100 * 2.0**29)
        np.testing.assert_allclose(found.errors, same.errors, rtol=digits)
        assert isinstance(found.errors, np.ndarray)
        assert _arrays.array_namespace(values) is _arrays.array_namespace(rows)
        np.testing.assert_allclose(_arrays.to_host(values), same.fit.predict(x), atol=digits)


def test_dask_chunks_of_rows_columns_and_targets():
    """Chunks cut where they like, one of them empty, whole numbers as targets."""
    y = np.rint(10 * Y[:, 0]).astype(np.int64)
    rows = da.from_array(X, chunks=((70, 0, 231), (2, 1)))
    with dask.config.set(scheduler="synchronous"):
        found = learn.cross_validate(
            PHI, rows, da.from_array(y, chunks=110), da.from_array(FOLDS), lambdas=LAMBDAS
        )
        same = learn.cross_validate(PHI, X, y, FOLDS, lambdas=LAMBDAS)
        np.testing.assert_allclose(found.errors, same.errors, rtol=DIGITS)
        some = rows[rows[:, 0] > 0]
        with pytest.raises(ValueError, match="compute_chunk_sizes"):
            learn.cross_validate(PHI, some, some[:, 0], FOLDS, lambdas=1.0)


def test_ridge_chooses_by_folds():
    options = {"lambdas": LAMBDAS, "scoring": "error_rate", "intercept": False}
    codes = np.where(Y > 0.5, 1.0, -1.0)
    fit = learn.ridge(PHI, X, codes, choose="folds", folds=FOLDS, solver="direct", **options)
    found = learn.cross_validate(PHI, X, codes, FOLDS, solver="direct", **options)
    np.testing.assert_array_equal(fit.errors, found.mean)
    assert (fit.lam, fit.lambdas) == (found.fit.lam, LAMBDAS)
    np.testing.assert_array_equal(fit.predict(X), found.fit.predict(X))


def test_features_are_never_held_whole():
    n, m = 8000, 100
    x = np.random.default_rng(1).standard_normal((n, 2))
    phi = mehler.FourierFeatures.draw(2, m, gamma=0.5, seed=0)
    folds = learn.folds(n, 3, seed=0)
    learn.cross_validate(phi, x[:200], x[:200, 0], folds[:200], lambdas=LAMBDAS)  # imports
    tracemalloc.start()
    learn.cross_validate(phi, x, x[:, 0], folds, lambdas=LAMBDAS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * m


# -- planted defects ----------------------------------------------------------------------


def own_fold_too(monkeypatch):
    """Errors of training."""
    honest = _fold_sums.solved
    monkeypatch.setattr(_fold_sums, "solved", lambda parts, how, without=None: honest(parts, how))


def next_fold_instead(monkeypatch):
    honest = _fold_sums.solved

    def wrong(parts, how, without=None):
        return honest(parts, how, None if without is None else (without + 1) % 4)

    monkeypatch.setattr(_fold_sums, "solved", wrong)


def penalty_of_all_rows(monkeypatch):
    honest = learn.RidgeSums._path

    def wrong(self, lambdas, *rest, **more):
        return honest(self, tuple(lam * 301 / self.n_rows for lam in lambdas), *rest, **more)

    monkeypatch.setattr(learn.RidgeSums, "_path", wrong)


def mean_over_rows(monkeypatch):
    """Of all rows instead of folds, which differ by a row."""

    class Wrong(learn.CrossValidation):
        @property
        def mean(self):
            return (self.errors * self.sizes[:, None]).sum(axis=0) / self.sizes.sum()

    monkeypatch.setattr(_cross_validate, "CrossValidation", Wrong)


def fitted_to_some(monkeypatch):
    """The last function forgets a fold."""
    honest = _cross_validate.without_each

    def wrong(phi, x, y, flat, numbers, n_folds, how):
        paths, _ = honest(phi, x, y, flat, numbers, n_folds, how)
        return paths, lambda lam: replace(paths[0], lambdas=(lam,))

    monkeypatch.setattr(_cross_validate, "without_each", wrong)


@pytest.mark.parametrize(
    "defect",
    [own_fold_too, next_fold_instead, penalty_of_all_rows, mean_over_rows, fitted_to_some],
    ids=lambda one: one.__name__,
)
def test_planted_defect_is_caught(defect, monkeypatch):
    defect(monkeypatch)
    with pytest.raises(AssertionError):
        audit()


# -- what is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"phi": X}, TypeError, "cannot be called"),
        ({"X": X * np.nan}, ValueError, "X holds NaN"),
        ({"Y": Y[:5]}, ValueError, "Y has 5 rows"),
        ({"folds": FOLDS[:5]}, ValueError, r"folds have shape \(5,\) but X has 301 rows"),
        ({"folds": 5}, ValueError, r"folds have shape \(\)"),
        ({"folds": FOLDS / 1.0}, TypeError, r"dtype float64; .*learn.folds"),
        ({"folds": FOLDS == 0}, TypeError, "dtype bool"),
        ({"folds": FOLDS - 2}, ValueError, "folds hold -2; .*-1 for rows that are never"),
        ({"folds": 0 * FOLDS}, ValueError, "and leave some to fit"),
        ({"folds": 0 * FOLDS - 1}, ValueError, "must hold out some rows"),
        ({"lambdas": -1.0}, ValueError, "lambdas holds -1.0"),
        ({"scoring": "loss"}, ValueError, "scoring='loss'"),
        ({"solver": "lu"}, ValueError, "solver='lu'"),
    ],
)
def test_bad_arguments(change, error, words):
    given = {"phi": PHI, "X": X, "Y": Y, "folds": FOLDS, "lambdas": LAMBDAS} | change
    with pytest.raises(error, match=words):
        learn.cross_validate(**given)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"choose": "folds"}, "folds= and choose='folds' go together"),
        ({"folds": FOLDS}, "folds= and choose='folds' go together"),
        ({"choose": "folds", "folds": FOLDS, "holdout": (X, Y)}, "say choose='hold-out'"),
    ],
)
def test_ridge_with_folds_and_without(options, words):
    with pytest.raises(ValueError, match=words):
        learn.ridge(PHI, X, Y, lambdas=LAMBDAS, **options)


def test_bad_parts():
    part = learn.RidgeSums(PHI).add(X, Y)
    for parts, error, words in [
        ([part], ValueError, "at least 2"),
        ([part, X], TypeError, r"parts\[1\] is ndarray"),
        ([part, learn.RidgeSums(PHI)], ValueError, r"parts\[1\] has no rows"),
        ([part, learn.RidgeSums(PHI).add(X, Y[:, 0])], ValueError, "Y must have shape"),
    ]:
        with pytest.raises(error, match=words):
            learn.cross_validate_sums(parts, lambdas=LAMBDAS)
    with pytest.raises(ValueError, match="lambdas is empty"):
        learn.cross_validate_sums([part, part], lambdas=[])
