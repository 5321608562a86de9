"""What maps of PyTorch, JAX and bfloat16 return: sparse, half precision, complex."""

from __future__ import annotations

import numpy as np
import pytest

from mehler._arrays import dense_host
from tests.verify.test_outputs import verdict

torch = pytest.importorskip("torch")
jnp = pytest.importorskip("jax.numpy")
jax_sparse = pytest.importorskip("jax.experimental.sparse")
# JAX brings it.
ml_dtypes = pytest.importorskip("ml_dtypes")

TAKEN = {
    "torch sparse": lambda z: torch.from_numpy(z).to_sparse(),
    "jax sparse": lambda z: jax_sparse.BCOO.fromdense(jnp.asarray(z)),
    "torch half": lambda z: torch.from_numpy(z).half().requires_grad_(),
}
COARSE = {
    "bfloat16": lambda z: z.astype(ml_dtypes.bfloat16),
    "torch bfloat16": lambda z: torch.from_numpy(z).bfloat16(),
    "jax bfloat16": lambda z: jnp.asarray(z, dtype=jnp.bfloat16),
}


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
    ("value", "eps"),
    [
        (np.ones(2, ml_dtypes.bfloat16), 2.0**-7),
        (np.ones(2, ml_dtypes.float8_e4m3fn), 2.0**-3),
        (np.ones(2, ml_dtypes.float8_e5m2), 2.0**-2),
        (torch.ones(2, dtype=torch.bfloat16), 2.0**-7),
        (torch.ones(2, dtype=torch.float16), 2.0**-10),
        (torch.ones(2, dtype=torch.int8), None),
        (jnp.ones(2, dtype=jnp.bfloat16), 2.0**-7),
    ],
)
def test_the_spacing_is_that_of_the_format(value, eps):
    dense, found = dense_host(value)
    assert found == eps
    assert (dense == 1).all()
    assert dense.dtype.kind in "fi"


def test_float32_holds_every_finite_bfloat16():
    every = np.arange(0x7F80, dtype=np.uint16).view(ml_dtypes.bfloat16)  # up to infinity
    dense, _ = dense_host(every)
    np.testing.assert_array_equal(dense.astype(ml_dtypes.bfloat16), every)


def test_complex_features_of_torch_are_refused():
    with pytest.raises(ValueError, match="complex128"):
        verdict(lambda z: torch.from_numpy(z + 1j * z))
