"""The plan for ridge regression: the theorem's numbers on the rows, and measurements below them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mehler import FourierFeatures, KitchenSinks, MaxoutFeatures
from mehler.bounds import ridge
from mehler.planning import plan_ridge
from mehler.planning._ridge import worst_risk
from tests.cli.test_cli import call

X = np.random.default_rng(7).standard_normal((60, 3))
UNIT = X / np.linalg.norm(X, axis=1, keepdims=True)


def test_numbers_are_those_of_the_theorem_on_the_rows():
    planned = plan_ridge(X, noise=0.4, norm=2.0, eps=0.3, pool_size=3, gamma=0.7, measure=False)
    stretch = np.linalg.norm(UNIT, 2)
    maps = {
        "maxout features of 3": (MaxoutFeatures.draw(3, 2, 3, seed=0), {"lipschitz": stretch}),
        "cosines and sines, gamma = 0.7": (
            FourierFeatures.draw(3, 2, gamma=0.7, seed=0),
            {"sup": 1.0, "block": 2, "lipschitz": 1.4**0.5 * stretch},
        ),
    }
    assert len(planned.rows) == 2
    for row, (name, (phi, known)) in zip(planned.rows, maps.items(), strict=True):
        gram = phi.kernel(UNIT)
        lam = ridge.best_ridge(norm=2.0, noise=0.4, gram=gram)
        chosen = planned.setting[name]
        assert chosen["ridge"] == pytest.approx(lam)
        freedom = np.trace(gram @ np.linalg.inv(gram + 60 * lam * np.eye(60)))
        assert chosen["degrees_of_freedom"] == pytest.approx(freedom, rel=1e-9)
        target = {"ridge": lam, "norm": 2.0, "noise": 0.4, "gram": gram, **known}
        enough = 1.3 * (lam + 0.16 * freedom / 60)
        step = known.get("block", 1)
        assert ridge.excess_risk(row.features, **target).value <= enough * (1 + 1e-9)
        assert ridge.excess_risk(row.features - step, **target).value > enough
        assert row.statement == "features.ridge"


def test_other_unbounded_maps_have_the_lipschitz_constant_of_their_projections():
    """Both that of a maximum, checked on neighbouring weights."""
    options = {"noise": 0.4, "eps": 0.3, "pool_size": 3, "measure": False}
    planned = plan_ridge(X, maps=("centred-maxout", "relu"), **options)
    stretch = np.linalg.norm(UNIT, 2)
    maps = (
        MaxoutFeatures.draw(3, 2, 3, centred=True, seed=0),
        KitchenSinks.draw(3, 2, activation="relu", seed=0),
    )
    assert len(planned.rows) == 2
    for row, phi in zip(planned.rows, maps, strict=True):
        gram = phi.kernel(UNIT)
        lam = ridge.best_ridge(norm=1.0, noise=0.4, gram=gram)
        target = {"ridge": lam, "norm": 1.0, "noise": 0.4, "gram": gram, "lipschitz": stretch}
        freedom = np.trace(gram @ np.linalg.inv(gram + 60 * lam * np.eye(60)))
        enough = 1.3 * (lam / 4 + 0.16 * freedom / 60)
        assert ridge.excess_risk(row.features, **target).value <= enough * (1 + 1e-9)
        assert ridge.excess_risk(row.features - 1, **target).value > enough
    rng = np.random.default_rng(0)
    for size in (1e-3, 1.0):
        w = rng.standard_normal((3, 3))
        moved = w + size * rng.standard_normal((3, 3))
        for unit in (lambda v: (UNIT @ v).max(axis=1), lambda v: np.maximum(UNIT @ v[:, 0], 0)):
            far = np.linalg.norm(unit(w) - unit(moved))
            assert far <= stretch * np.linalg.norm(w - moved) * (1 + 1e-12)


def test_a_map_that_is_not_known_is_named():
    with pytest.raises(ValueError, match="maps='tanh' is not one of"):
        plan_ridge(X, maps=("maxout", "tanh"))


def test_what_is_measured_is_less_than_what_is_proved():
    planned = plan_ridge(X, noise=0.4, eps=0.5)
    for rows in planned.groups.values():
        measured, proved = rows
        assert (measured.kind, proved.kind) == ("measured", "proved")
        assert measured.features < proved.features


@pytest.mark.parametrize("n", [1, 20, 60])
@pytest.mark.parametrize("m", [20, 200])
def test_worst_risk_by_another_route(n, m):
    phi = FourierFeatures.draw(3, m, gamma=1.0, seed=3)
    kernel, Z = phi.kernel(UNIT[:n]), phi(UNIT[:n])
    away = n * 0.01 * np.linalg.inv(Z @ Z.T + n * 0.01 * np.eye(n))
    bias = np.linalg.norm(away @ kernel @ away, 2) / n
    variance = np.sum((np.eye(n) - away) ** 2) / n
    found = worst_risk(Z, kernel, 0.01, 0.5, 2.0)
    # Of many rows the norm is from below.
    expected = 4 * bias + 0.25 * variance
    assert 0.999 * expected <= found <= expected * (1 + 1e-9)


def test_many_rows_are_sampled_and_said(monkeypatch):
    monkeypatch.setattr("mehler.planning._ridge.MOST_ROWS", 20)
    planned = plan_ridge(X, measure=False)
    assert planned.setting["n_samples"] == 20
    assert "Planned for 20 of the 60 rows, chosen at random." in planned.notes


def test_the_command_answers_ridge_and_features(tmp_path, capsys):
    np.save(tmp_path / "rows.npy", X)
    line = ("plan", str(tmp_path / "rows.npy"), "--task", "ridge", "--no-measure", "--noise", "0.4")
    assert call(*line) == 0
    text = capsys.readouterr().out
    assert text == f"{plan_ridge(X, noise=0.4, measure=False)}\n"
    assert "lambda = " in text
    assert "d(lambda) = " in text
    assert call(*line, "--json") == 0
    assert json.loads(capsys.readouterr().out)["setting"]["task"] == "ridge"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--task", "lasso"), "--task='lasso' is not one of"),
        (("--task", "ridge"), "--task ridge needs DATA"),
    ],
)
def test_the_command_refuses(arguments, message, capsys):
    assert call("plan", *arguments) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", ["noise", "norm", "eps", "gamma"])
def test_bad_numbers_are_named(name):
    with pytest.raises(ValueError, match=f"{name}=0.0 must be positive"):
        plan_ridge(X, **{name: 0.0})
