"""The only package that knows that array backends differ.

Everything above is written against the array API standard. This package supplies the rest:
the namespace and device of an array, transfers between host and device, and block-wise loops
over rows without a temporary of the size of the data.
"""

from mehler._arrays._chunks import (
    finite_chunks,
    one_row,
    pairs_of_chunks,
    require_known_chunks,
    require_small,
    sum_over_chunks,
)
from mehler._arrays._functions import angle_unit, cosine, cosine_and_sine, ecdf_at, erf
from mehler._arrays._gradients import (
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
    global_states,
    host_threads,
    one_blas_thread,
    to_host,
    usable_cores,
    without_gradient,
)
from mehler._arrays._linear_algebra import (
    add_gram,
    centred,
    eigen,
    least_pivot,
    least_resolved,
    least_singular,
    packed,
    solve_lower,
    solve_positive,
    squared_norm,
    symmetric,
    unpacked,
)
from mehler._arrays._namespace import (
    LIBRARIES,
    Array,
    Place,
    array_namespace,
    array_of_frame,
    clip,
    code_dtype,
    dtype_name,
    from_host,
    has_float64,
    is_array,
    is_batched,
    is_chunked,
    is_lazy,
    is_numpy_array,
    is_on_accelerator,
    is_row,
    loses_digits,
    namespace_name,
    place_of,
    real_dtype,
    require_same_place,
    require_unmasked,
    resolve_dtype,
    resolve_place,
    widest_float,
    writable,
)
from mehler._arrays._products import (
    Pieces,
    StackedPieces,
    maximum,
    pooled,
    products,
)
from mehler._arrays._rows import (
    all_true,
    attached,
    block_rows_for_gram,
    block_rows_for_map,
    block_rows_for_max,
    compiled,
    full_precision,
    largest_entry,
    leaves_floats,
    map_columns,
    map_elements,
    map_rows,
    over_chunks,
    pairs_of_batches,
    require_finite,
    require_matrices,
    require_matrix,
    require_within_floats,
    rows_of_batches,
    slices,
)
