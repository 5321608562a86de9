"""The parts of the bundle: what they compute, and the error rates that they promise."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy.stats import binom

from mehler._arrays import disturb_global_state, global_states, set_global_states
from mehler.verify.checks.structure._columns import nearest
from mehler.verify.checks.structure._comparisons import all_won, flips, mostly, rows_apart
from mehler.verify.checks.structure._seeds import agree
from mehler.verify.checks.structure._sizes import (
    INPUTS,
    SIZES,
    has_rule,
    name_rule,
)
from mehler.verify.checks.structure._subject import Domain, Notes, with_mixtures
from mehler.verify.checks.structure._trials import Claims, clusters_of
from tests.verify.structure.right_maps import linear, rbf
from tests.verify.toys import most_misses

# -- coins ----------------------------------------------------------------------------------------


def test_all_won_wants_as_many_as_the_rate_says():
    assert all_won([1] * 9, 2.0**-10) == 0
    assert all_won([1] * 10, 2.0**-10) == 10
    assert all_won([1] * 5 + [0] * 4 + [1] * 5, 2.0**-10) == 10
    assert all_won([1] * 5 + [0] * 5 + [1] * 5, 2.0**-10) == 0
    assert all_won([1] * 9 + [-1] + [1] * 20, 2.0**-10) == 0


def test_a_fair_coin_rarely_wins_throughout():
    rng = np.random.default_rng(0)
    won = sum(bool(all_won(rng.choice([-1, 1], size=40), 2.0**-4)) for _ in range(4000))
    assert won <= most_misses(4000, 2.0**-4)


def test_mostly_keeps_its_rate():
    rng = np.random.default_rng(1)
    repeats, rate = 2000, 0.05
    won = sum(mostly(lambda k: rng.random() < 0.6, 0.6, rate, n=60) for _ in range(repeats))
    assert won <= most_misses(repeats, rate)
    assert mostly(lambda k: True, 0.6, 1e-12)
    with pytest.raises(ValueError, match="make more"):
        mostly(lambda k: True, 0.6, 1e-30)


def test_mostly_gives_up_when_too_many_are_lost():
    asked = []
    assert not mostly(lambda k: asked.append(k) or False, 0.6, 1e-12)
    assert len(asked) < 20


# -- rounding -------------------------------------------------------------------------------------


def test_rounding_of_single_precision_is_no_difference():
    rng = np.random.default_rng(2)
    x, w = rng.standard_normal((20, 50)), rng.standard_normal((50, 300))
    single = (x.astype(np.float32) @ w.astype(np.float32)).astype(np.float64)
    assert not rows_apart(x @ w, single, 50).size
    moved = x @ w
    moved[7] *= 1.01
    assert rows_apart(x @ w, moved, 50).tolist() == [7]


def test_a_few_jumps_are_no_difference():
    rng = np.random.default_rng(3)
    signs = rng.choice([-1.0, 1.0], size=(20, 1000))
    allowed = flips(signs, 50)
    other = signs.copy()
    other.flat[:allowed] *= -1.0
    assert not rows_apart(signs, other, 50).size
    other.flat[allowed] *= -1.0
    assert rows_apart(signs, other, 50).size
    # By the chance that rounding moves an input of 50 terms over one of 16 jumps.
    jumps = binom(signs.size, 8.0 * 16.0 * math.sqrt(50) * np.finfo(np.float32).eps)
    assert jumps.sf(allowed) <= 1e-13 < jumps.sf(allowed - 1)


def test_features_that_are_not_finite_differ_from_others():
    z = np.ones((3, 4))
    broken = z.copy()
    broken[1, 2] = np.nan
    assert rows_apart(z, np.full((3, 4), np.nan), 4).size == 3
    assert not rows_apart(broken, broken, 4).size


# -- rows -----------------------------------------------------------------------------------------


def test_mixtures_stay_where_the_rows_are():
    rng = np.random.default_rng(4)
    sphere = rng.standard_normal((6, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    simplex = rng.dirichlet(np.ones(4), size=6)
    for rows in (sphere, simplex, rng.uniform(size=(6, 3)), rng.standard_normal((50, 3))):
        more = with_mixtures(rows, 0)
        before, after = Domain.of(rows), Domain.of(more)
        assert len(more) == 24
        assert (before.sphere, before.simplex, before.nonnegative) == (
            after.sphere,
            after.simplex,
            after.nonnegative,
        )


def test_whole_numbers_are_not_mixed():
    assert with_mixtures(np.eye(3), 0).tolist() == np.eye(3).tolist()
    assert not Domain.of(np.eye(3)).scalable


@pytest.mark.parametrize("d", [1, 2, 5, 130])
@pytest.mark.parametrize("kernel", [rbf, linear])
def test_clusters_show_the_kernel_near_and_far(kernel, d):
    domain = Domain.of(np.random.default_rng(0).standard_normal((9, 4)))
    rows, clusters = clusters_of(kernel, domain, d, 2.0, np.random.default_rng(1))
    claims = Claims.of(kernel, rows, clusters, 0.0)
    gram = kernel(rows, rows)
    # What is claimed is what the kernel itself gives.
    np.testing.assert_allclose(claims.forms(gram), claims.means, atol=1e-9)
    assert claims.lengths(gram) == pytest.approx(1.0)
    norms = np.sqrt(np.diag(gram))
    correlation = gram / np.outer(norms, norms)
    first = correlation[0, 1 : (clusters == 0).sum()]
    if d > 1:
        assert first.max() > 0.8
        # Rows that are 0.8 of their length apart, at a right angle: 1 / sqrt(1.64).
        assert first.min() < 0.85


def test_forms_that_differ_have_an_excess_somewhere():
    """A Gram matrix of the same trace that is not the claimed one is larger in some direction."""
    domain = Domain.of(np.random.default_rng(0).standard_normal((9, 4)))
    rows, clusters = clusters_of(rbf, domain, 4, 1.0, np.random.default_rng(1))
    claims = Claims.of(rbf, rows, clusters, 0.0)
    for gamma in (0.5, 0.8, 1.25, 2.0):
        assert (claims.forms(rbf(rows, rows, gamma)) > 1.05 * claims.means).any()


# -- names ----------------------------------------------------------------------------------------

ALL = [*range(1, 9), 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 130, 200]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda n: n % 2 == 0, "wrong for even d"),
        (lambda n: n % 2 == 1, "wrong for odd d"),
        (lambda n: n & (n - 1), "wrong for d that is no power of 2"),
        (lambda n: n > 64, "wrong for more than 64 columns of X"),
        (lambda n: n < 4, "wrong for fewer than 4 columns of X"),
        (lambda n: n in (7, 33), "wrong for d = 7, 33"),
        (lambda n: n == 1, "wrong for d = 1"),
        (lambda n: n % 2 == 0 and n < 50, "wrong for even d: the claimed kernel fails at 2, 4"),
    ],
)
def test_sizes_are_named_by_the_simplest_rule(rule, words):
    wrong, right = [n for n in ALL if rule(n)], [n for n in ALL if not rule(n)]
    assert name_rule("columns of X", wrong, right).startswith(words)


def test_no_rule_is_made_of_chance():
    assert not has_rule([1, 2, 3, 5, 6, 7, 64, 130], [4, 8, 17, 200])
    assert name_rule("features", [3, 6], [1, 2, 4, 5, 7, 8]).startswith("wrong for m = 3, 6")


# -- columns and seeds ----------------------------------------------------------------------------


def test_columns_are_alike_up_to_sign_and_factor():
    rng = np.random.default_rng(5)
    z = rng.standard_normal((12, 6))
    z[:, 3], z[:, 4] = z[:, 0], -2.0 * z[:, 1]
    units = z / np.linalg.norm(z, axis=0)
    distance, partner = nearest(units, units)
    assert partner[[0, 1, 3, 4]].tolist() == [3, 4, 0, 1]
    assert distance[[0, 1, 3, 4]].max() < 1e-15
    # Twelve coordinates of random directions: far apart.
    assert distance[[2, 5]].min() > 0.1


def test_draws_agree_from_half_of_their_columns_on():
    a, b = np.random.default_rng(6).standard_normal((2, 5, 8))
    assert not agree(a, b)
    b[:, ::2] = a[:, 1::2]
    assert agree(a, b)
    assert not agree(a, b[:, 1:])


# -- the rest -------------------------------------------------------------------------------------


def test_global_states_are_read_and_put_back():
    before = global_states()
    for name in before:
        disturb_global_state(name, 3)
        assert global_states()[name] != before[name]
    set_global_states(before)
    assert global_states() == before
    first = (random.random(), np.random.random())  # noqa: NPY002
    set_global_states(before)
    assert first == (random.random(), np.random.random())  # noqa: NPY002


def test_notes_share_a_line_for_each_reason():
    notes = Notes()
    for d in (3, 4, 3):
        notes.skip("maps of columns, d", f"ValueError: {d} columns", d)
    notes.skip("a fresh process", "no time")
    notes.remark("so it is")
    notes.remark("so it is")
    assert notes.lines() == (
        "so it is",
        "not tested: maps of columns, d = 3, 4 (ValueError: 3 columns)",
        "not tested: a fresh process (no time)",
    )


# -- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("least", [1, 16, 64, 250])
@pytest.mark.parametrize("parity", [0, 1])
def test_both_parities_are_looked_at_at_every_order_of_magnitude(least, parity):
    """What is wrong at all odd sizes is told from what is wrong beyond some size."""
    for sizes in (SIZES, INPUTS):
        if least < max(sizes) / 2:
            assert any(least <= n <= 4 * least and n % 2 == parity for n in sizes)
