"""Other maps beside Table 1: what is chosen by which rows, votes, and the tables."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments._rows import Split
from mehler.proofs_checks.experiments.maxout import maps
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
