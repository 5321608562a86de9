"""Beside a map."""

import numpy as np


def signs(seed):
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(5, 600))
