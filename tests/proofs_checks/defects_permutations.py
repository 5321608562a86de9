"""A defect for every check of the permutation experiment."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from mehler.proofs_checks.group_invariant._tokens import Tokens
from mehler.proofs_checks.group_invariant.permutations import experiment
from mehler.proofs_checks.group_invariant.permutations._task import Task, alone, bag_of_words


def counts_instead(tokens: Tokens, n_bins: int, seed: int) -> Any:
    return bag_of_words(tokens)


def by_first_token(task: Task) -> Any:
    """Labels that permutations change."""
    grid = task.tokens.everything[0]
    return np.where(grid[:, 0] == task.targets[0], 1.0, -1.0)


def one_target_less(tokens: Tokens, per_class: int) -> Fraction:
    return alone(tokens, per_class) / 2


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    # As many on both sides: no draw is a win.
    (experiment.more_templates, {"sizes": (25, 25)}, "refuted"),
    (experiment.more_bins, {"sizes": (8, 8)}, "refuted"),
    (experiment.ordering, {"invariant": counts_instead}, "refuted"),
    (experiment.least_squares, {"errors": alone}, "refuted"),
    (experiment.best_rule, {"errors": one_target_less}, "refuted"),
    (experiment.raw_is_counts, {"labels": by_first_token}, "refuted"),
    (experiment.separates, {"kernel": bag_of_words}, "refuted"),
    # All of them: the comparison is of the features with themselves.
    (experiment.few_elements, {"few": 120}, "refuted"),
]
