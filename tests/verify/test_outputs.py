"""What maps return: sparse, half precision, transformers; taken, or refused by name."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.kernel_approximation import RBFSampler
from sklearn.preprocessing import FunctionTransformer

from mehler import kernels
from mehler._arrays import dense_host
from mehler.verify import check_kernel, diagnose

X = np.random.default_rng(0).standard_normal((4, 3))


def linear(x, y):
    return x @ y.T


def signs(seed, wrap, scale=1.0):
    weights = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 64))
    return lambda rows: wrap(scale * rows @ weights / 8.0)


def verdict(wrap, resolution=0.25, scale=1.0):
    # Of signs, an upper bound: with it nothing is drawn beyond what the resolution needs.
    told = kernels.make("linear").declarations("gaussian")
    return check_kernel(
        lambda seed: signs(seed, wrap, scale), linear, X, resolution=resolution, **told
    )


TAKEN = {
    "csr": scipy.sparse.csr_array,
    "matrix": scipy.sparse.csc_matrix,
    "float16": lambda z: z.astype(np.float16),
    "data frame": pd.DataFrame,
    "lists": lambda z: z.tolist(),
}


@pytest.mark.parametrize("wrap", TAKEN.values(), ids=TAKEN)
def test_what_is_taken_holds_and_a_defect_is_refuted(wrap):
    assert verdict(wrap).holds
    assert verdict(wrap, scale=1.2).status == "refuted"


def test_half_precision_is_not_resolved_beyond_its_rounding():
    with pytest.raises(ValueError, match="finer than the rounding"):
        verdict(TAKEN["float16"], resolution=0.01)
    # Told nothing as well: no number of draws would decide.
    with pytest.raises(ValueError, match="finer than the rounding"):
        check_kernel(lambda seed: signs(seed, TAKEN["float16"]), linear, X, resolution=0.01)


@pytest.mark.parametrize(
    ("value", "eps"),
    [
        (np.ones(2, np.float16), 2.0**-10),
        (np.ones(2, np.int64), None),
        (np.ones(2), 2.0**-52),
    ],
)
def test_the_spacing_is_that_of_the_format(value, eps):
    dense, found = dense_host(value)
    assert found == eps
    assert (dense == 1).all()
    assert dense.dtype.kind in "fi"


def test_a_fitted_transformer_is_its_transform():
    def draw(seed):
        weights = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 64))
        return FunctionTransformer(lambda rows: rows @ weights / 8.0).fit(X)

    assert check_kernel(draw, linear, X, resolution=0.25).holds
    assert diagnose(draw, linear, X) == ()


@pytest.mark.parametrize("how", [lambda t: t, lambda t: t.transform])
def test_one_that_is_not_fitted_is_refused(how):
    with pytest.raises(ValueError, match=r"not fitted: return it fitted, as in .*\.fit\(X\)"):
        check_kernel(lambda seed: how(RBFSampler(random_state=seed)), linear, X)


@pytest.mark.parametrize(
    ("wrap", "message"),
    [
        (lambda z: z + 1j * z, r"complex128: .*np\.hstack\(\[Z\.real, Z\.imag\]\)"),
        (lambda z: (z, z), "is a tuple: a map returns one matrix"),
        (lambda z: RBFSampler(), r"of RBFSampler has shape \(\)"),
        (lambda z: z.astype(str), "must be real numbers"),
        (lambda z: None, "of NoneType has shape"),
    ],
)
def test_what_is_no_matrix_of_real_numbers_is_refused(wrap, message):
    with pytest.raises(ValueError, match=message):
        verdict(wrap)


def test_real_and_imaginary_parts_as_columns_are_what_was_meant():
    def draw(seed):
        w = math.sqrt(2.0) * np.random.default_rng(seed).standard_normal((3, 200))

        def phi(rows):
            z = np.exp(1j * rows @ w) / math.sqrt(200)
            return np.hstack([z.real, z.imag])

        return phi

    def rbf(x, y):
        return np.exp(-((x[:, None] - y[None]) ** 2).sum(axis=2))

    assert check_kernel(draw, rbf, X, resolution=0.25).holds
