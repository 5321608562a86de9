"""Feature counts are true inverses; the dimension-free shape is the smaller one, always."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mehler.bounds import maxout, solve

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
    free = maxout.excess_risk(**sizes, delta=eta / 3)
    paper = maxout.excess_risk_by_dimension(**sizes, delta=eta / 4, **where)
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
    bound = maxout.approximation_risk if where is None else maxout.approximation_risk_by_dimension
    sizes = {"pool_size": q, "scale": scale, "lipschitz": 1.0, "delta": delta, **(where or {})}
    m = solve(bound, at_most=eps, n_features=None, loss_bound=20.0, **sizes)

    def value(m: int) -> float:
        return bound(n_features=m, loss_bound=20.0, **sizes).value

    assert value(m) <= eps
    assert m == 1 or value(m - 1) > eps


@settings(max_examples=200, deadline=None, database=None)
@given(eps=st.floats(0.02, 2.0), delta=st.floats(1e-6, 0.9), q=pools, n=st.integers(10, 10**8))
def test_features_for_the_whole_bound(eps, delta, q, n):
    sizes = {"pool_size": q, "scale": 1.0, "lipschitz": 0.5, "delta": delta, "n_samples": n}
    endless = maxout.excess_risk(n_features=10**18, **sizes).value
    assume(abs(endless - eps) > 1e-3)
    if endless > eps:
        with pytest.raises(ValueError, match="out of reach"):
            solve(maxout.excess_risk, at_most=eps, n_features=None, **sizes)
        return
    m = solve(maxout.excess_risk, at_most=eps, n_features=None, **sizes)
    assert maxout.excess_risk(n_features=m, **sizes).value <= eps
    assert m == 1 or maxout.excess_risk(n_features=m - 1, **sizes).value > eps


def test_features_in_closed_form():
    # ((sigma + s) / eps)^2 with sigma^2(2) = 1 and s = 2, as 2 log(1/delta) = 4.
    result = solve(
        maxout.approximation_risk,
        at_most=0.1,
        n_features=None,
        pool_size=2,
        scale=1.0,
        lipschitz=1.0,
        delta=math.exp(-2) * (1 + 1e-9),
    )
    assert result == 900


def test_out_of_reach_without_samples():
    setting = {"pool_size": 2, "scale": 1.0, "lipschitz": 1.0, "delta": 0.1}
    with pytest.raises(ValueError, match="out of reach"):
        solve(maxout.approximation_risk, at_most=1e-12, n_features=None, **setting)
