"""Other maps beside Table 1: what is chosen by which rows, votes, and the tables."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments._results import Results
from mehler.proofs_checks.experiments._rows import Split
from mehler.proofs_checks.experiments.maxout import maps, table_1
from sklearn.neighbors import KNeighborsClassifier


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


def test_ties_of_votes_go_to_the_class_of_the_nearest() -> None:
    X = np.array([[1.0], [2.0], [3.0], [9.0], [9.5], [9.6], [9.7]])
    labels = np.array([7, 3, 5, 0, 0, 0, 0])
    # Of the three nearest to 0 each has a vote: the first is 7's.
    errors = maps.votes(lambda rows: rows, (X, labels), (np.zeros((1, 1)), np.array([7])))
    assert errors[:2] == [0.0, 0.0]
    # Four of seven are zeros, however far.
    assert errors[3] == 100.0


def test_maps_take_as_many_columns_and_projections_as_they_say(rows) -> None:
    X, m = rows.fit[0], 40
    for name, (_, takes) in maps.MAPS.items():
        phi = maps.drawn(name, X, m, 1.0, 0)
        if name.startswith("fourier"):
            weights = phi.n_features // 2 if name == "fourier-m" else phi.n_features
        else:
            weights = {"shared": m, "decoupled": 4 * (m + 1)}.get(name, 4 * m)
        assert phi(X[:2]).shape[1] == (160 if name == "fourier-p" else m)
        assert takes(m) == weights


def test_bandwidths_and_votes_are_not_chosen_by_test_rows(rows, monkeypatch) -> None:
    # Planted leak: wrong test labels may change errors, but nothing that is chosen.
    wrong = Split(rows.fit, rows.choose, (rows.test[0], (rows.test[1] + 1) % 10))
    for options in maps.cells("quick"):
        if options["map"] not in ("fourier-m", "neighbours") or options["draw"]:
            continue
        cell = maps.EXPERIMENT.cell(options, 0)
        one, two = (maps.measure("quick", part, cell) for part in (rows, wrong))
        chosen = ("gamma", "lambda", "neighbours", "held_out")
        assert {k: one.get(k) for k in chosen} == {k: two.get(k) for k in chosen}
        assert one["error"] < 50 < two["error"]


def test_tables_compare_with_random_maxout_and_the_print() -> None:
    rng = np.random.default_rng(0)
    shift = {"decoupled": 2.0, "fourier-p": -2.0}
    results = Results(
        (options, {"error": 5.0 + shift.get(options["map"], 0.0) + 0.1 * rng.standard_normal()})
        for options in maps.cells("full")
    )
    errors, gains = maps.table("full", results).values()
    means = {row["map"]: float(row["mean"]) for row in gains}
    assert means["decoupled maxout"] == pytest.approx(2, abs=0.3)
    assert means["Fourier, as many projections"] == pytest.approx(-2, abs=0.3)
    assert len(errors) == len(maps.MAPS) + 3
    (printed,) = [row["map"] for row in errors if "(3.09)" in row["error"]]
    assert printed == "nearest neighbours by pixels"


def test_bandwidths_are_chosen_where_the_least_lambda_is_refused(rows, monkeypatch) -> None:
    # As on 10,000 rows of MNIST, where sums of 4,000 cosines are singular to within rounding.
    path = table_1._path
    monkeypatch.setattr(table_1, "_path", lambda sums: (path(sums)[0][1:], 1))
    options = next(options for options in maps.cells("quick") if options["map"] == "fourier-m")
    measured = maps.measure("quick", rows, maps.EXPERIMENT.cell(options, 0))
    assert measured["held_out"][0] is None
    assert measured["lambda"] > table_1.LAMBDAS[0]
