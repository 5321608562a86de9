"""Classes enter themselves where recipes find them; autocast, chunks and long seeds."""

import importlib
import pickle

import numpy as np
import pytest

import mehler
from mehler import learn
from mehler.features import groups, leverage
from mehler.features._recipes import GROUPS
from mehler.features.groups._actions import moves
from tests.golden._maps import N_FEATURES
from tests.verify.map_kinds import DRAWS


class Mirror(groups.Group):
    """A group of a user's: the identity, and all coordinates the other way around."""

    def __init__(self, n_inputs):
        there = np.arange(n_inputs)

        def places(elements):
            return np.where(elements == 0, there, there[::-1]), np.ones(1)

        parameters = {"n_inputs": n_inputs}
        super().__init__(n_inputs, 2, moves(places), lambda k: k[:, None], parameters)


def test_a_group_from_outside_has_recipes_and_pickles():
    mirror = Mirror(3)
    assert groups.from_recipe(mirror.recipe()) == mirror == pickle.loads(pickle.dumps(mirror))
    both = groups.DirectProduct(mirror, groups.SignFlips(3))
    assert groups.from_recipe(both.recipe()) == both
    x = np.array([[0.3, -0.5, 0.8]])
    phi = mehler.GroupInvariantFeatures.draw(3, 48, group=mirror, seed=0)
    assert np.array_equal(mehler.from_recipe(phi.recipe())(x), phi(x))
    assert phi(x) == pytest.approx(phi(x[:, ::-1].copy()), abs=1e-15)


def test_recipes_of_earlier_versions_are_read():
    recipe = mehler.MaxoutFeatures.draw(2, 3, 2, seed=0).recipe()
    assert mehler.from_recipe({**recipe, "mehler": "0.1.0"}).recipe() == recipe


OTHERS = """
from tests.features.test_recipes import Mirror as Ours
class Mirror(Ours):
    def elements(self):
        return super().elements()[::-1].copy()
"""


def test_a_pickle_names_its_class_and_a_recipe_wants_one_class(tmp_path, monkeypatch):
    """Another module has a class of the same name: the last one would be taken in silence."""
    (tmp_path / "of_others.py").write_text(OTHERS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(GROUPS, "classes", dict(GROUPS.classes))
    monkeypatch.setattr(GROUPS, "ambiguous", set())
    theirs = importlib.import_module("of_others").Mirror(3)
    ours = Mirror(3)
    assert type(pickle.loads(pickle.dumps(ours))) is Mirror
    assert type(pickle.loads(pickle.dumps(theirs))) is type(theirs)
    with pytest.raises(ValueError, match="two classes are called"):
        groups.from_recipe(ours.recipe())


X = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32)


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.sampled(20)
def test_autocast_changes_no_digit(kind, dtype):
    torch = pytest.importorskip("torch")
    rows = torch.from_numpy(X)
    phi = DRAWS[kind](n_features=N_FEATURES.get(kind, 12), seed=0, like=rows)
    values, gram = phi(rows), phi.gram(rows)
    with torch.autocast("cpu", dtype=getattr(torch, dtype)):
        assert torch.equal(phi(rows), values)
        assert torch.equal(phi.gram(rows), gram)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_autocast_changes_no_digit_of_what_is_learnt(dtype):
    torch = pytest.importorskip("torch")
    rows = torch.from_numpy(np.random.default_rng(0).standard_normal((100, 3)).astype(np.float32))
    y = torch.sin(rows[:, 0])
    phi = mehler.MaxoutFeatures.draw(3, 20, 3, seed=0, like=rows)
    codes = mehler.MaxoutCodes.draw(3, 1000, 3, seed=0, like=rows)
    box = learn.box_erm(learn.units(phi, rows), torch.sign(y), scale=1.0)
    runs = (
        lambda: learn.ridge(phi, rows, y, lambdas=1e-4).predict(rows),
        lambda: torch.from_numpy(learn.ridge(phi, rows, y, lambdas=[1e-4, 1e-2]).errors),
        lambda: learn.RidgeSums(phi).add(rows, y).gram,
        lambda: box.decision(learn.units(phi, rows)),
        lambda: codes.gram(rows),
        lambda: phi.local_coefficients(rows, torch.ones(20)),
        lambda: leverage.ridge_leverage_scores(phi(rows), 1e-3).scores,
        lambda: mehler.DeepKernel("relu", 2).ntk(rows),
    )
    for run in runs:
        expected = run()
        with torch.autocast("cpu", dtype=getattr(torch, dtype)):
            assert torch.equal(run(), expected)


def test_seeds_can_be_printed_and_recipes_have_a_limit():
    with pytest.raises(ValueError, match="not a number of about 5000 digits"):
        mehler.MaxoutFeatures(3, 8, 2, seed=10**5000)
    recipe = {**mehler.FourierFeatures(3, 8, seed=0).recipe(), "n_features": 10**10}
    with pytest.raises(ValueError, match=r"GiB of weights; .* max_bytes=120000000000"):
        mehler.from_recipe(recipe)
    small = {**recipe, "n_features": 100}
    with pytest.raises(ValueError, match="max_bytes=1200"):
        mehler.from_recipe(small, max_bytes=1000)
    assert mehler.from_recipe(small, max_bytes=1200).n_features == 100
