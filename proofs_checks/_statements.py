"""The statements of all papers, in the order in which they are reported."""

from mehler.statements import Statement

from . import depth, features, fourier, group_invariant, kitchen_sinks, leverage, maxout

STATEMENTS: tuple[Statement, ...] = (
    *maxout.STATEMENTS,
    *kitchen_sinks.STATEMENTS,
    *leverage.STATEMENTS,
    *fourier.STATEMENTS,
    *features.STATEMENTS,
    *depth.STATEMENTS,
    *group_invariant.STATEMENTS,
)
