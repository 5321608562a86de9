"""Random maxout features (Mroueh, Rennie, Goel 2015): all numbered statements, and repairs.

One file a statement: what is printed, what is proved, the checks of both. Shared measuring is in
the files that begin with an underscore.
"""

from mehler.statements import Statement

from .dimension import definition_2
from .growth import h1_growth, locality, remark_1_codes, sigma2_growth
from .kernel import (
    centred_kernel,
    decoupled_kernel,
    figure_1,
    kernel_error,
    q1_linear,
    special_values,
    theorem_1_kernel,
    theorem_1_series,
)
from .risk import density, lemma_2, lemma_3, lemma_4, remark_2, theorem_2
from .sharper import risk as sharper_risk

# In the order of the paper, then what it needs and does not have.
STATEMENTS: tuple[Statement, ...] = tuple(
    module.STATEMENT
    for module in (
        theorem_1_kernel,
        theorem_1_series,
        special_values,
        h1_growth,
        sigma2_growth,
        locality,
        remark_1_codes,
        definition_2,
        q1_linear,
        density,
        lemma_2,
        lemma_3,
        lemma_4,
        theorem_2,
        remark_2,
        figure_1,
        decoupled_kernel,
        centred_kernel,
        kernel_error,
        sharper_risk,
    )
)

__all__ = ["STATEMENTS"]
