"""Small problems: separable and not, narrow and wide boxes, repeated and zero rows."""

import numpy as np
from hypothesis import strategies as st

NAMES = ("hinge", "ramp")


def problem(seed, n, m, noise=1.0):
    """Rows with labels that depend on them, more or less."""
    random = np.random.default_rng(seed)
    z = random.standard_normal((n, m)) + 0.5
    y = np.where(z @ random.standard_normal(m) + noise * random.standard_normal(n) > 0, 1.0, -1.0)
    return z, y


@st.composite
def problems(draw, m=None):
    """(Z, y, scale): up to 8 rows of up to 4 units, from eighths, so that ties and zeros happen."""
    n = draw(st.integers(1, 8))
    m = draw(st.integers(1, 4)) if m is None else m
    entries = st.integers(-16, 16).map(lambda k: k / 8)
    z = np.asarray(draw(st.lists(entries, min_size=n * m, max_size=n * m))).reshape(n, m)
    y = np.asarray(draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)))
    return z, y, draw(st.sampled_from([0.125, 0.5, 1.0, 2.0, 5.0, 20.0]))
