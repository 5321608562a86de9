"""Hypothesis strategies for random feature maps: points, maps, seeds, edge cases.

Every value shrinks to a simple one, and every seed is part of the example, so that failures replay
and shrink. Options are values, never strategies: to vary an option, draw it first.

Examples
--------
>>> from hypothesis import given
>>> from mehler import strategies, verify
>>> looks = verify.Ledger().allot("maxout", examples=3)
>>> @strategies.example_settings(examples=3)
... @given(
...     draw=strategies.factories(kinds=["maxout"], n_inputs=3),
...     X=strategies.unit_vectors(n_inputs=3, max_size=2),
...     seed=strategies.seeds(),
... )
... def test(draw, X, seed):
...     looks.assert_holds(verify.check_kernel, draw, draw(0).kernel, X, seed=seed, resolution=0.3)
>>> test()
"""

from mehler._text import install_command as _install_command

try:
    import hypothesis as _hypothesis  # noqa: F401  # named here to say what to install
except ImportError as error:
    raise ImportError(
        f"mehler.strategies needs Hypothesis: {_install_command('verify')}"
    ) from error

from mehler.strategies._maps import Factory, factories
from mehler.strategies._numbers import example_settings, pool_sizes, seeds
from mehler.strategies._rows import adversarial_pairs, edge_case_arrays, normalised, unit_vectors

__all__ = [
    "Factory",
    "adversarial_pairs",
    "edge_case_arrays",
    "example_settings",
    "factories",
    "normalised",
    "pool_sizes",
    "seeds",
    "unit_vectors",
]
