"""Classes enter themselves where recipes find them, those of users too."""

from __future__ import annotations

import importlib
import pickle

import numpy as np
import pytest

import mehler
from mehler.features import groups
from mehler.features._recipes import GROUPS
from mehler.features.groups._actions import moves


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


@pytest.mark.parametrize("of", [groups.Group, mehler.features.FeatureMap])
def test_names_of_ours_are_taken(of):
    ours = "CyclicShifts" if of is groups.Group else "MaxoutFeatures"
    with pytest.raises(TypeError, match=f"already named {ours}: take another name"):
        type(ours, (of,), {})


@pytest.mark.parametrize("recipe", [None, "MaxoutCodes", [("map", "MaxoutCodes")], 3])
def test_what_is_no_dict_is_no_recipe(recipe):
    for make in (mehler.from_recipe, groups.from_recipe):
        with pytest.raises(TypeError, match="must be a dict"):
            make(recipe)


@pytest.mark.parametrize(
    ("version", "said"),
    [("99.0.0", "update mehler"), ("99.0", "update"), ("new", "no version"), (1, "no version")],
)
def test_recipes_of_later_versions_are_refused(version, said):
    recipe = mehler.MaxoutFeatures.draw(2, 3, 2, seed=0).recipe()
    assert mehler.from_recipe({**recipe, "mehler": "0.1.0"}).recipe() == recipe
    with pytest.raises(ValueError, match=said):
        mehler.from_recipe({**recipe, "mehler": version})


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
