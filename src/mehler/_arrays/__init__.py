"""The only package that knows that array backends differ.

Everything above is written against the array API standard. This package supplies the rest:
the namespace and device of an array, transfers between host and device, and block-wise loops
over rows without a temporary of the size of the data.
"""

from mehler._arrays._addresses import Address, address_of
from mehler._arrays._batches import is_batched, pairs_of_batches, rows_of_batches
from mehler._arrays._blocks import (
    block_rows_for_gram,
    block_rows_for_map,
    block_rows_for_max,
    compiled,
    map_columns,
    map_elements,
    map_rows,
    slices,
)
from mehler._arrays._chunks import (
    is_chunked,
    map_chunks,
    one_row,
    pairs_of_chunks,
    require_known_chunks,
    require_small,
    share,
    sum_over_chunks,
)
from mehler._arrays._dtypes import (
    code_dtype,
    dtype_name,
    has_float64,
    real_dtype,
    resolve_dtype,
    widest_float,
    within_floats,
)
from mehler._arrays._global_random import disturb_global_state, global_states, set_global_states
from mehler._arrays._gradients import (
    attached,
    constant,
    differentiable,
    graft,
    is_compiling,
    require_no_gradient,
    with_derivative,
)
from mehler._arrays._host import (
    dense_host,
    elementwise_on_host,
    from_host,
    to_host,
    without_gradient,
)
from mehler._arrays._kinds import is_array, is_on_accelerator
from mehler._arrays._libraries import LIBRARIES, installed_namespaces
from mehler._arrays._namespace import (
    Array,
    Place,
    array_namespace,
    is_lazy,
    namespace_name,
    place_of,
    require_same_place,
    resolve_place,
)
from mehler._arrays._special import clip, erf
from mehler._arrays._validate import all_true, check_matrix, require_finite
from mehler._arrays.routines._ecdf import ecdf_at
from mehler._arrays.routines._gram import (
    add_gram,
    centred,
    packed,
    squared_norm,
    symmetric,
    unpacked,
)
from mehler._arrays.routines._hamming import check_digits, hamming_similarity
from mehler._arrays.routines._in_hand import InHand
from mehler._arrays.routines._linear_algebra import eigen, solve_positive
from mehler._arrays.routines._rank import least_pivot, least_resolved, least_singular
from mehler._arrays.routines._reuse import matmul, maximum, running_argmax, take_rows
from mehler._arrays.routines._stacked import Stacked
from mehler._arrays.routines._threads import one_blas_thread, usable_cores
from mehler._arrays.routines._trig import angle_unit, cosine, cosine_and_sine

__all__ = [
    "LIBRARIES",
    "Address",
    "Array",
    "InHand",
    "Place",
    "Stacked",
    "add_gram",
    "address_of",
    "all_true",
    "angle_unit",
    "array_namespace",
    "attached",
    "block_rows_for_gram",
    "block_rows_for_map",
    "block_rows_for_max",
    "centred",
    "check_digits",
    "check_matrix",
    "clip",
    "code_dtype",
    "compiled",
    "constant",
    "cosine",
    "cosine_and_sine",
    "dense_host",
    "differentiable",
    "disturb_global_state",
    "dtype_name",
    "ecdf_at",
    "eigen",
    "elementwise_on_host",
    "erf",
    "from_host",
    "global_states",
    "graft",
    "hamming_similarity",
    "has_float64",
    "installed_namespaces",
    "is_array",
    "is_batched",
    "is_chunked",
    "is_compiling",
    "is_lazy",
    "is_on_accelerator",
    "least_pivot",
    "least_resolved",
    "least_singular",
    "map_chunks",
    "map_columns",
    "map_elements",
    "map_rows",
    "matmul",
    "maximum",
    "namespace_name",
    "one_blas_thread",
    "one_row",
    "packed",
    "pairs_of_batches",
    "pairs_of_chunks",
    "place_of",
    "real_dtype",
    "require_finite",
    "require_known_chunks",
    "require_no_gradient",
    "require_same_place",
    "require_small",
    "resolve_dtype",
    "resolve_place",
    "rows_of_batches",
    "running_argmax",
    "set_global_states",
    "share",
    "slices",
    "solve_positive",
    "squared_norm",
    "sum_over_chunks",
    "symmetric",
    "take_rows",
    "to_host",
    "unpacked",
    "usable_cores",
    "widest_float",
    "with_derivative",
    "within_floats",
    "without_gradient",
]
