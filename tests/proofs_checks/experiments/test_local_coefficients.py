"""The maxout paper's experiments: coefficients, maps compared with Table 1, and Table 1."""

import numpy as np
import pytest
from mehler.proofs_checks.experiments._rows import Split
from mehler.proofs_checks.experiments.maxout import _local as local
from mehler.proofs_checks.experiments.maxout import local_coefficients, maps, table_1
from sklearn.neighbors import KNeighborsClassifier

from mehler import learn

IMAGES, LABELS = local_coefficients.prepare("quick", None)
X, ROWS = IMAGES[:60], IMAGES[100:104]
CODES = learn.one_vs_all(LABELS[:60])[0]


def function(rows, beta, name):
    """The kernel's function at rows of any length: the kernel is homogeneous."""
    norms = np.linalg.norm(rows, axis=1)
    rho = np.clip(rows @ X.T / norms[:, None], -1, 1)
    return norms[:, None] * local.kernel_of(rho, name) @ beta


def test_the_gradient_of_the_plain_kernel_is_its_differences() -> None:
    # Planted defect seen red: sigma^2 kappa in the place of the derivative kappa.
    beta, gradient = local.kernel_coefficients(X, CODES, ROWS, 1e-3, "plain")
    step = 1e-5
    for j in (10, 20, 43):
        away = step * np.eye(64)[j]
        slope = (function(ROWS + away, beta, "plain") - function(ROWS - away, beta, "plain")) / (
            2 * step
        )
        scale = np.abs(gradient["gradient"]).max()
        np.testing.assert_allclose(gradient["gradient"][:, j], slope, atol=1e-6 * scale)


@pytest.fixture(scope="module")
def rows():
    return maps.EXPERIMENT.prepare("quick", None)


def test_votes_are_those_of_scikit_learn_where_none_is_tied(rows) -> None:
    X, labels = rows.fit
    Q, _ = rows.test
    errors = maps.votes(lambda rows: rows, rows.fit, rows.test)
    for k, error in zip((1, 3, 5, 7), errors):
        peer = KNeighborsClassifier(k).fit(X, labels)
        chances = np.sort(peer.predict_proba(Q), axis=1)
        tied = np.mean(chances[:, -1] == chances[:, -2])
        right = 100 * np.mean(peer.predict(Q) != rows.test[1])
        assert abs(error - right) <= 100 * tied


def test_bandwidths_and_votes_are_not_chosen_by_test_rows(rows, monkeypatch) -> None:
    # Planted leak: wrong test labels may change errors, but nothing that is chosen.
    wrong = Split(rows.fit, rows.choose, (rows.test[0], (rows.test[1] + 1) % 10))
    for options in maps.cells("quick"):
        if options["map"] not in ("fourier-m", "neighbours") or options["draw"]:
            continue
        cell = maps.EXPERIMENT.cell(options, 0)
        right, two = (maps.measure("quick", part, cell) for part in (rows, wrong))
        names = ("gamma", "lambda", "neighbours", "held_out")
        assert {k: right.get(k) for k in names} == {k: two.get(k) for k in names}
        assert right["error"] < 50 < two["error"]


def test_table_1_on_small_digits_is_direct_least_squares() -> None:
    # Second route: normal equations in float64 on the features held whole.
    rows = table_1.prepare("quick", None)
    cell = table_1.EXPERIMENT.cell({"q": 4, "m": 100, "draw": 0}, 0)
    result = table_1.measure("quick", rows, cell)
    phi = table_1.MaxoutFeatures.draw(64, 100, 4, seed=cell.seed(), like=rows.fit[0])
    Z, test = (phi(part[0]).astype(np.float64) for part in (rows.fit, rows.test))
    features = phi(rows.choose[0]).astype(np.float64)
    codes, classes = learn.one_vs_all(rows.fit[1])
    errors = []
    for lam in table_1.LAMBDAS:
        W = np.linalg.solve(Z.T @ Z + len(Z) * lam * np.eye(100), Z.T @ codes)
        errors.append(100 * np.mean(classes[(features @ W).argmax(axis=1)] != rows.choose[1]))
    np.testing.assert_allclose(result["held_out"], errors, atol=100 * 2 / len(features))
    lam = result["lambda"]
    both = np.concatenate([Z, features])
    labels = np.concatenate([rows.fit[1], rows.choose[1]])
    codes, _ = learn.one_vs_all(labels)
    W = np.linalg.solve(both.T @ both + len(both) * lam * np.eye(100), both.T @ codes)
    error = 100 * np.mean(classes[(test @ W).argmax(axis=1)] != rows.test[1])
    assert result["error"] == pytest.approx(error, abs=100 * 2 / len(test))
