"""A defect for every check of the permutation experiment."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from proofs_checks.group_invariant import _permutations_exact as known
from proofs_checks.group_invariant import permutations
from proofs_checks.group_invariant._permutations_data import Task
from proofs_checks.group_invariant._permutations_features import bag_of_words
from proofs_checks.group_invariant._tokens import Tokens


def counts_instead(tokens: Tokens, n_bins: int, seed: int) -> Any:
    return bag_of_words(tokens)


def by_first_token(task: Task) -> Any:
    """Labels that permutations change."""
    grid = task.tokens.everything[0]
    return np.where(grid[:, 0] == task.targets[0], 1.0, -1.0)


def one_target_less(tokens: Tokens, per_class: int) -> Fraction:
    return known.alone(tokens, per_class) / 2


# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    # As many on both sides: no draw is a win.
    (permutations.more_templates, {"sizes": (25, 25)}, "refuted"),
    (permutations.more_bins, {"sizes": (8, 8)}, "refuted"),
    (permutations.ordering, {"invariant": counts_instead}, "refuted"),
    (permutations.least_squares, {"errors": known.alone}, "refuted"),
    (permutations.best_rule, {"errors": one_target_less}, "refuted"),
    (permutations.raw_is_counts, {"labels": by_first_token}, "refuted"),
    (permutations.separates, {"kernel": bag_of_words}, "refuted"),
    # All of them: the comparison is of the features with themselves.
    (permutations.few_elements, {"few": 120}, "refuted"),
]
