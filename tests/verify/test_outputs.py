"""What maps return: sparse, coarse formats, transformers, of any library; taken, or refused."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.kernel_approximation import RBFSampler

from mehler import kernels
from mehler._arrays import dense_host
from mehler.verify import check_kernel

X = np.random.default_rng(0).standard_normal((4, 3))


def torch():
    return pytest.importorskip("torch")


def jnp():
    return pytest.importorskip("jax.numpy")


def of_jax(name):
    """A format of eight bits or sixteen, which JAX brings."""
    return getattr(pytest.importorskip("ml_dtypes"), name)


def jax_sparse(z):
    return pytest.importorskip("jax.experimental.sparse").BCOO.fromdense(jnp().asarray(z))


def linear(x, y):
    return x @ y.T


def signs(seed, wrap, scale=1.0):
    weights = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 64))
    return lambda rows: wrap(scale * rows @ weights / 8.0)


def verdict(wrap, resolution=0.25, scale=1.0):
    # Of signs, an upper bound: with it nothing is drawn beyond what the resolution needs.
    laws = kernels.make("linear").declarations("gaussian")
    return check_kernel(
        lambda seed: signs(seed, wrap, scale), linear, X, resolution=resolution, **laws
    )


TAKEN = {
    "csr": scipy.sparse.csr_array,
    "matrix": scipy.sparse.csc_matrix,
    "float16": lambda z: z.astype(np.float16),
    "data frame": pd.DataFrame,
    "lists": lambda z: z.tolist(),
    "torch sparse": lambda z: torch().from_numpy(z).to_sparse(),
    "jax sparse": jax_sparse,
    "torch half": lambda z: torch().from_numpy(z).half().requires_grad_(),
}
COARSE = {
    "bfloat16": lambda z: z.astype(of_jax("bfloat16")),
    "torch bfloat16": lambda z: torch().from_numpy(z).bfloat16(),
    "jax bfloat16": lambda z: jnp().asarray(z, dtype=jnp().bfloat16),
}


@pytest.mark.slow
@pytest.mark.parametrize("wrap", TAKEN.values(), ids=TAKEN)
def test_what_is_taken_holds_and_a_defect_is_refuted(wrap):
    assert verdict(wrap).holds
    assert verdict(wrap, scale=1.2).status == "refuted"


@pytest.mark.parametrize("wrap", COARSE.values(), ids=COARSE)
def test_coarse_formats_hold_at_what_they_resolve(wrap):
    # Eight bits: eps is 2^-7, and four products of features are off by 2^-5 of the claim and more.
    assert verdict(wrap, resolution=0.5).holds
    assert verdict(wrap, resolution=0.5, scale=1.5).status == "refuted"
    with pytest.raises(ValueError, match="finer than the rounding"):
        verdict(wrap, resolution=0.02)


@pytest.mark.parametrize(
    ("ones", "eps"),
    [
        (lambda: np.ones(2, np.float16), 2.0**-10),
        (lambda: np.ones(2, np.int64), None),
        (lambda: np.ones(2), 2.0**-52),
        (lambda: np.ones(2, of_jax("bfloat16")), 2.0**-7),
        (lambda: np.ones(2, of_jax("float8_e4m3fn")), 2.0**-3),
        (lambda: np.ones(2, of_jax("float8_e5m2")), 2.0**-2),
        (lambda: torch().ones(2, dtype=torch().bfloat16), 2.0**-7),
        (lambda: torch().ones(2, dtype=torch().float16), 2.0**-10),
        (lambda: torch().ones(2, dtype=torch().int8), None),
        (lambda: jnp().ones(2, dtype=jnp().bfloat16), 2.0**-7),
    ],
)
def test_the_spacing_is_that_of_the_format(ones, eps):
    dense, spacing = dense_host(ones())
    assert spacing == eps
    assert (dense == 1).all()
    assert dense.dtype.kind in "fi"


@pytest.mark.parametrize(
    ("wrap", "message"),
    [
        (lambda z: z + 1j * z, r"complex128: .*np\.hstack\(\[Z\.real, Z\.imag\]\)"),
        (lambda z: torch().from_numpy(z + 1j * z), "complex128"),
        (lambda z: (z, z), "is a tuple: a map returns one matrix"),
        (lambda z: RBFSampler(), r"of RBFSampler has shape \(\)"),
        (lambda z: z.astype(str), "must be real numbers"),
        (lambda z: None, "of NoneType has shape"),
    ],
)
def test_what_is_no_matrix_of_real_numbers_is_refused(wrap, message):
    with pytest.raises(ValueError, match=message):
        verdict(wrap)
