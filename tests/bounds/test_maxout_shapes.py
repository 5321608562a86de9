"""Feature counts are true inverses; the dimension-free shape is the smaller one, always."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mehler.bounds import maxout

positive = st.floats(1e-3, 1e3)
sets = st.fixed_dictionaries(
    {
        "n_inputs": st.integers(1, 10**6),
        "dimension": st.integers(0, 40),
        "diameter": st.floats(0, 2),
    }
)
pools = st.sampled_from([1, 2, 3, 4, 8, 64, 1024, 10**6])


@settings(max_examples=200, deadline=None, database=None)
@given(
    eta=st.floats(1e-12, 0.999),
    m=st.integers(1, 10**9),
    n=st.integers(1, 10**9),
    q=pools,
    scale=positive,
    lipschitz=positive,
    where=sets,
)
def test_dimension_free_is_smaller_at_equal_failure(eta, m, n, q, scale, lipschitz, where):
    sizes = {
        "n_features": m,
        "n_samples": n,
        "pool_size": q,
        "scale": scale,
        "lipschitz": lipschitz,
    }
    free = maxout.theorem_2(**sizes, delta=eta / 3)
    paper = maxout.theorem_2(**sizes, delta=eta / 4, shape="paper", **where)
    assert free.probability == pytest.approx(paper.probability, abs=1e-15)
    assert free.total < paper.total
    # Theorem 2's page: 2 sqrt(2) is what is left when nothing else is known.
    assert paper["approximation"] > 2 * math.sqrt(2) * free["approximation"]
    assert "loss at zero" not in [term.name for term in free.terms]


@settings(max_examples=200, deadline=None, database=None)
@given(
    eps=st.floats(1e-3, 10.0),
    delta=st.floats(1e-9, 0.999),
    q=pools,
    scale=st.floats(0.1, 10),
    where=st.none() | sets,
)
def test_features_are_the_least_that_reach_eps(eps, delta, q, scale, where):
    shape = {} if where is None else {"shape": "paper", **where}
    sizes = {"pool_size": q, "scale": scale, "lipschitz": 1.0, "delta": delta, **shape}
    m = maxout.theorem_2_features(eps, **sizes)

    def last(m: int) -> float:
        return maxout.theorem_2(n_features=m, n_samples=10, **sizes)["approximation"]

    assert last(m) <= eps
    assert m == 1 or last(m - 1) > eps


@settings(max_examples=200, deadline=None, database=None)
@given(eps=st.floats(0.02, 2.0), delta=st.floats(1e-6, 0.9), q=pools, n=st.integers(10, 10**8))
def test_features_for_the_whole_bound(eps, delta, q, n):
    sizes = {"pool_size": q, "scale": 1.0, "lipschitz": 0.5, "delta": delta, "n_samples": n}
    endless = maxout.theorem_2(n_features=2**53, **sizes).value
    assume(abs(endless - eps) > 1e-3)
    if endless > eps:
        with pytest.raises(ValueError, match="more samples"):
            maxout.theorem_2_features(eps, **sizes)
        return
    m = maxout.theorem_2_features(eps, **sizes)
    assert maxout.theorem_2(n_features=m, **sizes).value <= eps
    assert m == 1 or maxout.theorem_2(n_features=m - 1, **sizes).value > eps


def test_features_in_closed_form():
    # ((sigma + s) / eps)^2 with sigma^2(2) = 1 and s = 2, as 2 log(1/delta) = 4.
    found = maxout.theorem_2_features(
        0.1, pool_size=2, scale=1.0, lipschitz=1.0, delta=math.exp(-2) * (1 + 1e-9)
    )
    assert found == 900


@pytest.mark.parametrize("where", [{}, {"n_inputs": 784, "dimension": 10, "diameter": 2.0}])
def test_arguments_fit_the_shape(where):
    other = "dimension-free" if where else "paper"
    with pytest.raises(ValueError, match="dimension-free"):
        maxout.theorem_2_features(
            0.1, pool_size=2, scale=1.0, lipschitz=1.0, delta=0.1, shape=other, **where
        )


def test_out_of_reach_without_samples():
    with pytest.raises(ValueError, match="out of reach"):
        maxout.theorem_2_features(1e-9, pool_size=2, scale=1.0, lipschitz=1.0, delta=0.1)
