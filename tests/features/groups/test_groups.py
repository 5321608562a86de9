"""Laws that every group obeys, and each one's elements against another route to them."""

import itertools
import json
import pickle

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.image_rotations import SteerableRotations, image_rotations

from mehler.features import groups

GROUPS = {
    "trivial": groups.Trivial(5),
    "permutations": groups.BlockPermutations(6, 3),
    "coordinates": groups.BlockPermutations(4),
    "shifts": groups.CyclicShifts(6),
    "block shifts": groups.CyclicShifts(6, 3),
    "dihedral": groups.Dihedral(5),
    "signs": groups.SignFlips(4, 2),
    "image shifts": groups.ImageShifts(2, 3),
    "small shifts": groups.ImageShifts(3, 4, max_shift=1),
    "zero shifts": groups.ImageShifts(3, 4, max_shift=1, fill="zero"),
    "turns": groups.QuarterTurns(3),
    "symmetries": groups.QuarterTurns(2, reflections=True),
    "rotations": image_rotations(4, 3, [-20, 0, 35], spline=3),
    "steerable": SteerableRotations(4, 5, 6),
    "steerable half turns": SteerableRotations(3, 3, 2, bandlimit=0.7),
    "commuting": groups.DirectProduct(groups.CyclicShifts(4), groups.SignFlips(4)),
    "really commuting": groups.DirectProduct(
        groups.LinearMaps([np.eye(3), -np.eye(3)]), groups.CyclicShifts(3)
    ),
    "reversals": groups.DirectProduct(groups.CyclicShifts(4, 2), groups.CyclicShifts(4)),
    "subset": groups.CyclicShifts(6).subset([[-1], [0], [1]]),
    "drawn": groups.BlockPermutations(20).drawn(7, seed=3),
    "maps": groups.LinearMaps(np.random.default_rng(0).standard_normal((3, 4, 4))),
}
every_group = pytest.mark.parametrize("group", GROUPS.values(), ids=list(GROUPS))


def matrices(group):
    """g as matrices, from its action on the unit vectors: columns are images."""
    return np.swapaxes(group.apply(np.eye(group.n_inputs)), 1, 2)


@every_group
def test_elements_are_as_many_as_the_order(group):
    elements = group.elements()
    assert elements.ndim == 2
    assert len(elements) == group.order
    # A product may reach a map twice, a drawn list too.
    if not isinstance(group, groups.Subset | groups.DirectProduct):
        assert len({m.tobytes() for m in matrices(group) + 0.0}) == group.order


@every_group
def test_elements_are_linear_transposed_and_as_declared(group):
    rows = np.random.default_rng(1).standard_normal((4, group.n_inputs))
    g = matrices(group)
    np.testing.assert_allclose(group.apply(rows), rows @ np.swapaxes(g, 1, 2), atol=1e-12)
    np.testing.assert_allclose(group.transpose(rows), rows @ g, atol=1e-12)
    keeps = np.abs(np.swapaxes(g, 1, 2) @ g - np.eye(group.n_inputs)).max() < 1e-12
    assert group.orthogonal == keeps
    if group.moves_coordinates:
        index, sign = group.action.coordinates(group.elements())
        row = np.arange(1.0, group.n_inputs + 1)
        np.testing.assert_array_equal(group.apply(row[None, :])[:, 0], row[index] * sign)


@every_group
def test_whole_numbers_are_numbers(group):
    """Images come as bytes: no weight is truncated, and no sign wraps around."""
    for dtype in ("uint8", "int64", "bool"):
        rows = np.random.default_rng(1).integers(0, 200, (4, group.n_inputs)).astype(dtype)
        for act in (group.apply, group.transpose):
            np.testing.assert_array_equal(act(rows), act(rows.astype(np.float64)))


@every_group
def test_closed_means_that_averages_are_invariant(group):
    """The multiset of g h over all g is that of g, for every h."""
    g = matrices(group)

    def matrices_of(maps):
        return sorted((np.round(m, 9) + 0.0).tobytes() for m in maps)

    invariant = all(matrices_of(g @ h) == matrices_of(g) for h in g)
    if group.closed:
        assert invariant
        np.testing.assert_allclose(g[0], np.eye(group.n_inputs), atol=1e-12)
    elif not isinstance(group, groups.DirectProduct | groups.Subset | groups.LinearMaps):
        assert not invariant  # those three are lists, whatever they happen to be


@every_group
def test_recipes_and_pickles_make_the_same_group(group):
    again = groups.from_recipe(json.loads(json.dumps(group.recipe())))
    copy = pickle.loads(pickle.dumps(group))
    assert again == group == copy
    assert hash(again) == hash(group)
    np.testing.assert_array_equal(matrices(again), matrices(group))
    with pytest.raises(AttributeError, match="immutable"):
        group.order = 3


@every_group
def test_samples_are_elements(group):
    rng = np.random.default_rng(0)
    members = {m.tobytes() for m in matrices(group) + 0.0}
    for replacement in (True, False):
        elements = group.sample(min(3, group.order), rng, replacement=replacement)
        rows = np.swapaxes(group.apply(np.eye(group.n_inputs), elements), 1, 2) + 0.0
        assert {m.tobytes() for m in rows} <= members
    everything = group.sample(group.order, rng)
    assert sorted(map(tuple, everything.tolist())) == sorted(map(tuple, group.elements().tolist()))
    with pytest.raises(ValueError, match="distinct"):
        group.sample(group.order + 1, rng)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_groups_are_what_permutations_and_signs_write(k):
    """Two ways to write them: matrices, and gathers."""
    for group, blocks in (
        (groups.CyclicShifts(k), [np.roll(np.eye(k), shift, axis=0) for shift in range(k)]),
        (
            groups.SignFlips(4, k),
            [np.diag(s) + 0.0 for s in itertools.product((1.0, -1.0), repeat=k)],
        ),
        (
            groups.BlockPermutations(k),
            [np.eye(k)[list(order)] for order in itertools.permutations(range(k))],
        ),
    ):
        d = group.n_inputs  # signs of the first k of 4
        theirs = [np.pad(m - np.eye(len(m)), (0, d - len(m))) + np.eye(d) for m in blocks]
        assert {m.tobytes() for m in matrices(group) + 0.0} == {m.tobytes() for m in theirs}


def test_zero_shifts_let_zeros_in():
    image = np.arange(1.0, 10.0).reshape(1, 9)
    shifted = groups.ImageShifts(3, 3, max_shift=1, fill="zero").apply(image, [[1, -1]])[0, 0]
    assert shifted.reshape(3, 3).tolist() == [[0, 0, 0], [2, 3, 0], [5, 6, 0]]


def test_products_and_sums_of_groups():
    both = groups.DirectProduct(groups.CyclicShifts(3), groups.LinearMaps([np.diag([1.0, 2, 3])]))
    row = np.array([[1.0, 1.0, 1.0]])
    np.testing.assert_array_equal(both.apply(row)[1, 0], [3.0, 1.0, 2.0])  # scale, then shift
    moves = groups.DirectProduct(groups.CyclicShifts(3), groups.SignFlips(3, 1))
    assert not moves.closed
    assert moves.apply(row)[3].tolist() == [[1.0, -1.0, 1.0]]  # flip the first, then shift by one
    assert groups.DirectProduct(groups.CyclicShifts(4), groups.CyclicShifts(4, 2)).closed


def test_large_groups_are_sampled_without_listing():
    large = groups.BlockPermutations(60)
    elements = large.sample(50, np.random.default_rng(0))
    assert len({tuple(p) for p in elements.tolist()}) == 50
    assert all(sorted(p) == list(range(60)) for p in elements.tolist())
    signs = groups.SignFlips(100).sample(5, np.random.default_rng(0), replacement=True)
    assert set(np.unique(signs)) == {-1, 1}
    with pytest.raises(ValueError, match=r"about 10\^81 elements, too many to list"):
        large.elements()
    # Distinct elements of a small set: all of them, each once.
    nine = groups.SignFlips(17).sample(2**12, np.random.default_rng(0))
    assert len(np.unique(nine, axis=0)) == 2**12


def test_functions_become_matrices():
    group = groups.LinearMaps([lambda rows: rows[:, ::-1] * [1.0, 2.0]], n_inputs=2)
    np.testing.assert_array_equal(group.matrices[0], [[0.0, 1.0], [2.0, 0.0]])
    assert groups.LinearMaps([np.array([[0.0, 1.0], [-1.0, 0.0]])]).orthogonal
