"""Methods of the kernel's error."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from mehler.proofs_checks.maxout.kernel import kernel_error as errors

from mehler.bounds import Bound, kernel_error
from mehler.bounds.kernel_error import _uniform
from tests.proofs_checks.mutations._row import Row, blind, of_term, red

ID = "maxout.kernel-error"


def method(name: str, known: str = "") -> Callable[[Mapping[str, Any]], bool]:
    """Pick calls by a method that have this argument."""
    return lambda options: options.get("method") == name and (not known or known in options)


def without_chaining(m: int, **options: Any) -> Bound:
    """The uniform bound whose chaining sum is 0, at the level that this makes the best."""
    right = _uniform.by_chaining
    _uniform.by_chaining = lambda m, q, k, levels, *rest: np.zeros(levels.size)
    try:
        return kernel_error.uniform(m, **options)
    finally:
        _uniform.by_chaining = right


def one_pair_of_all(m: int, *, n_rows: int, **options: Any) -> Bound:
    """All pairs, without the union over them."""
    return kernel_error.one_pair(m, **options)


def _pair(term: str, least: float, label: str, where: Any, because: str = "") -> list[Row]:
    return list(
        of_term(
            ID,
            term,
            errors.tight_pair,
            kernel_error.one_pair,
            least=least,
            because=because,
            label=label,
            where=where,
        )
    )


ROWS = [
    *_pair("deviation", 0.9, "chernoff, correlation known", method("chernoff", "rho")),
    *_pair("deviation", 0.9, "chernoff, any correlation",
        lambda options: options.get("method") == "chernoff" and "rho" not in options),
    *_pair("deviation", 0.9, "chernoff, one unit of a pool",
        lambda options: options.get("method") == "chernoff" and options.get("pool_size", 1) > 1),
    *_pair("deviation", 0.99, "chebyshev", lambda options: "variance" in options),
    *_pair("deviation", 0.9, "hoeffding", method("hoeffding")),
    *_pair("deviation", 0.95, "binomial", method("binomial")),
    *_pair("variance", 0.45, "sub-gamma, maxout: variance", method("sub-gamma", "pool_size"),
        "v/4 is the variance of a product of equal rows at q = 1, where the bound holds with it; "
        "the logarithmic Sobolev inequality pays 4, at every q"),
    *_pair("tail", 0.64, "sub-gamma, maxout: tail", method("sub-gamma", "pool_size"),
        "c = 2 sqrt(2) stands for the 2 of a square, to have one form for all correlations"),
    *_pair("variance", 0.9, "sub-gamma, given: variance", lambda options: "sub_gamma" in options),
    *_pair("tail", 0.95, "sub-gamma, given: tail", lambda options: "sub_gamma" in options),
    *of_term(ID, "deviation", errors.tight_pairs, kernel_error.all_pairs, least=0.75,
        label="all pairs"),
    red(ID, "all pairs: the union", "deleted", errors.tight_pairs, bound=one_pair_of_all),
    *of_term(ID, "net", errors.tight_set, kernel_error.uniform, least=0.14,
        because="the cells of all levels are counted, of which an orthonormal set has one",
        label="a set: net"),
    *of_term(ID, "between", None,
        because="at the level that is chosen the net has paid for nearly all pairs of the set",
        label="a set: between, at the level chosen"),
    red(ID, "a set: the chaining sum", "deleted", errors.tight_set, bound=without_chaining),
    blind(ID, "a set: the chaining sum", "times 0.7",
        "increments are bounded by N^2, which is far above their own law"),
    *(blind(ID, f"the error of the quadrature, {exponent}", "deleted",
        f"it is {part} of the exponent; coarser rules are below the exponent without "
        "it: `tests/bounds/test_kernel_error_exponent.py`") for exponent, part in (("products",
        "1e-8"), ("increments", "1e-11"))),
]  # fmt: skip
