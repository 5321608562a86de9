"""Options are validated when a strategy is made, and values shrink to simple ones."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import find, settings
from hypothesis import strategies as st

from mehler import strategies

# Without the phase that explains failures: what it tries is what `find` would return.
ANY = settings(strategies.example_settings(examples=200), database=None)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: strategies.pool_sizes(min_size=0), ValueError, "min_size=0 must be at least 1"),
        (lambda: strategies.pool_sizes(min_size=4, max_size=2), ValueError, "exchange them"),
        (lambda: strategies.pool_sizes(max_size=2.0), TypeError, "max_size=2.0"),
        (lambda: strategies.pool_sizes(max_size=True), TypeError, "max_size=True"),
        (lambda: strategies.unit_vectors(n_inputs=0), ValueError, "n_inputs=0"),
        (lambda: strategies.unit_vectors(n_inputs=st.just(3)), TypeError, "is a strategy"),
        (lambda: strategies.unit_vectors(n_inputs=5000), ValueError, "at most 4096"),
        (lambda: strategies.adversarial_pairs(n_inputs=1), ValueError, "n_inputs=1"),
        (lambda: strategies.adversarial_pairs(n_inputs=2, near=[2]), ValueError, "near=2"),
        (lambda: strategies.factories(n_inputs=3, kinds=["relu"]), ValueError, "relu"),
        (lambda: strategies.factories(n_inputs=3, kinds=[]), ValueError, "must name some of"),
        (lambda: strategies.factories(n_inputs=3, kinds="codes"), TypeError, r"\['codes'\]"),
        (lambda: strategies.factories(n_inputs=3, max_pool_size=0), ValueError, "max_pool_size=0"),
        (lambda: strategies.edge_case_arrays(n_inputs=2, dtype="int8"), ValueError, "int8"),
        (lambda: strategies.example_settings(examples=0), ValueError, "examples=0"),
    ],
)
def test_bad_options_are_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: strategies.pool_sizes(1, 2),
        lambda: strategies.unit_vectors(3),
        lambda: strategies.factories(3),
    ],
)
def test_options_are_keyword_only(call):
    with pytest.raises(TypeError, match="positional"):
        call()


def test_values_shrink_to_simple_ones():
    assert find(strategies.seeds(), lambda s: s >= 70000, settings=ANY) == 2 << 16
    assert find(strategies.pool_sizes(), lambda q: q > 4, settings=ANY) == 5
    X = find(strategies.unit_vectors(n_inputs=3), lambda X: X[0, 0] < 0, settings=ANY)
    assert X.tolist() == [[-1.0, 0.0, 0.0]]
    pair = find(strategies.adversarial_pairs(n_inputs=2), lambda p: True, settings=ANY)
    assert pair.rho == 0.0
    assert sorted(map(abs, [*pair.x, *pair.y])) == [0.0, 0.0, 1.0, 1.0]
    draw = find(strategies.factories(n_inputs=2), lambda f: f.pool_size > 2, settings=ANY)
    assert draw == strategies.Factory("maxout", n_inputs=2, n_features=1, pool_size=3)


def test_unit_vectors_print_as_what_makes_them_again():
    X = strategies.normalised(np.array([[3.0, 4.0]]))
    assert X.tolist() == [[0.6, 0.8]]


@pytest.mark.parametrize("module", ["mehler", "mehler.verify", "mehler.pytest_plugin"])
def test_only_strategies_import_hypothesis(module):
    code = f"import sys, {module}; assert 'hypothesis' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_hypothesis_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "try: import mehler.strategies\n"
        "except ImportError as error: assert 'pip install \".[verify]\"' in str(error)\n"
        "else: raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
