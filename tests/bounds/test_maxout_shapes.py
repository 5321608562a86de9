"""Feature counts are true inverses; the dimension-free shape is the smaller one, always."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
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
    paper = maxout.excess_risk(**sizes, delta=eta / 4, **where)
    assert free.probability == pytest.approx(paper.probability, abs=1e-15)
    assert free.total < paper.total
    # Theorem 2's page: 2 sqrt(2) is what is left when nothing else is known.
    assert paper["approximation"] > 2 * math.sqrt(2) * free["approximation"]
    assert "loss at zero" not in [term.name for term in free.terms]


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
