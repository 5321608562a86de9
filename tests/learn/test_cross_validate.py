"""Cross-validated errors beside scikit-learn's on features held whole."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import PredefinedSplit, cross_val_score

import mehler
from mehler import learn
from mehler.learn import _sums
from tests.learn.ridge_audit import Table, problem, rounding

LAMBDAS = (1e-4, 1e-2, 1.0)
RNG = np.random.default_rng(7)
X = RNG.standard_normal((301, 3)) + 1.0
Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1)
FOLDS = np.random.default_rng(0).permutation(np.arange(301) % 4)
PHI = mehler.MaxoutFeatures.draw(3, 30, 3, seed=0)
# 5e-10: the rows that are fitted are fewer by a fold, which the norm and n both follow.
DIGITS = rounding(PHI(X), LAMBDAS[0])


def test_of_equal_errors_the_largest_lambda_is_taken():
    zero = learn.ridge(PHI, X, np.zeros(301), folds=FOLDS, lambdas=LAMBDAS)
    assert zero.lam == max(LAMBDAS)


def test_a_row_of_weight_two_is_two_rows_left_out_in_turn():
    twice = np.r_[np.arange(301), np.arange(40)]
    weights = np.where(np.arange(301) < 40, 2.0, 1.0)
    heavy = learn.ridge(PHI, X, Y, lambdas=LAMBDAS, weights=weights)
    np.testing.assert_allclose(
        heavy.errors, learn.ridge(PHI, X[twice], Y[twice], lambdas=LAMBDAS).errors, rtol=1e-9
    )


def by_scikit_learn(phi, x, y, folds, *, intercept=True, classes=False):
    """Errors of each fold, alpha = (rows fitted to) lambda; one call a fold, as those differ."""
    z, errors = phi(x), []
    kind = RidgeClassifier if classes else Ridge
    for fold in np.unique(folds[folds >= 0]):
        n = np.sum(folds != fold)
        splitter = PredefinedSplit(np.where(folds == fold, 0, -1))
        scores = [
            cross_val_score(
                kind(n * lam, fit_intercept=intercept),
                z,
                y,
                cv=splitter,
                scoring="accuracy" if classes else "neg_mean_squared_error",
            )[0]
            for lam in LAMBDAS
        ]
        errors.append([1.0 - s if classes else -s for s in scores])
    return np.array(errors)


def audit(folds=FOLDS, phi=PHI, digits=DIGITS, **options):
    """Hold all there is against scikit-learn."""
    for y in (Y, Y[:, 0]):
        intercept = options.get("intercept", True)
        expected = by_scikit_learn(phi, X, y, folds, intercept=intercept)
        fit = learn.ridge(phi, X, y, folds=folds, lambdas=LAMBDAS, **options)
        np.testing.assert_allclose(fit.errors, expected.mean(axis=0), rtol=digits)
        assert fit.lambdas == LAMBDAS
        assert fit.lam == LAMBDAS[int(np.argmin(expected.mean(axis=0)))]
        plain = Ridge(301 * fit.lam, fit_intercept=intercept).fit(phi(X), y)
        np.testing.assert_allclose(fit.predict(X), plain.predict(phi(X)), atol=digits)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("most", [0, 2048], ids=["factorised", "decomposed"])
def test_errors_are_scikit_learns(intercept, most, monkeypatch):
    monkeypatch.setattr(_sums, "MAX_EIGEN_FEATURES", most)
    audit(intercept=intercept)


def test_folds_of_any_size_and_number():
    audit(np.array([7] * 200 + [3] * 100 + [5]))


def test_one_fold_is_a_hold_out():
    audit(np.where(FOLDS == 0, 0, -1))


def test_each_row_a_fold_is_leaving_one_out_with_its_own_penalty():
    """N - 1 rows are fitted, so that (N - 1) lambda here is N lambda there."""
    z, y = problem(1, 20, 5)
    left = learn.ridge(Table(), z, y, lambdas=LAMBDAS)
    larger = [20 / 19 * lam for lam in LAMBDAS]
    fit = learn.ridge(Table(), z, y, folds=np.arange(20), lambdas=larger)
    # Sums of 20 terms instead of hundreds: a fifth of the roundings.
    np.testing.assert_allclose(fit.errors, left.errors, rtol=rounding(z, LAMBDAS[0], terms=20))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_mistakes_are_scikit_learns(n_classes):
    labels = np.digitize(Y[:, 0], [0.6, 0.9][: n_classes - 1])
    codes, _ = learn.one_vs_all(labels)
    for targets in [codes] + [codes[:, 1]] * (n_classes == 2):
        fit = learn.ridge(PHI, X, targets, folds=FOLDS, lambdas=LAMBDAS, scoring="error_rate")
        expected = by_scikit_learn(PHI, X, labels, FOLDS, classes=True).mean(axis=0)
        # Shares of at most 301 rows differ by 1/301 or by the rounding of a few divisions.
        np.testing.assert_allclose(fit.errors, expected, atol=2.0**-50)
        assert fit.errors.max() > 0.05
        # Of equal means the largest.
        assert fit.lam == max(np.array(LAMBDAS)[fit.errors == fit.errors.min()])


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.sampled(1)
def test_fewer_rows_than_features(intercept):
    # About 226 rows are decomposed here, and 400 features factorised there, either of them exactly
    # for a matrix that is off by its size times 2^-53; squares double it.
    phi = mehler.MaxoutFeatures.draw(3, 400, 3, seed=0)
    digits = rounding(phi(X), LAMBDAS[0], terms=2 * (226 + 400))
    audit(phi=phi, digits=digits, intercept=intercept)
