"""What must be true of a fit, by linear programs, vertices and hulls: no code of the estimator."""

import itertools
import math

import numpy as np
from scipy.optimize import linprog

SLOPE = {"hinge": 1.0, "ramp": 0.5}
# Of two routes to one minimum: the feasibility that HiGHS solves to, in rows of length up to 10.
AGREE = 1e-6


def surrogate(name, t):
    return SLOPE[name] * np.maximum(0.0, 1.0 - t)


def clipped(name, t, bound=1.0):
    return np.minimum(surrogate(name, t), bound)


def corners(name, bound=1.0):
    """Margins at which the clipped piecewise linear loss bends."""
    return [1.0] if bound == math.inf else [1.0 - bound / SLOPE[name], 1.0]


def lower_hull(t, v):
    """Lines (slope, offset) of the lower convex hull of points sorted by t (monotone chain)."""
    hull = []
    for point in zip(t, v):
        while len(hull) > 1:
            (a, u), (b, w) = hull[-2:]
            if (w - u) * (point[0] - a) < (point[1] - u) * (b - a):
                break
            hull.pop()
        hull.append(point)
    pairs = itertools.pairwise(hull)
    lines = [((w - u) / (b - a), u - a * (w - u) / (b - a)) for (a, u), (b, w) in pairs]
    return lines or [(0.0, hull[0][1])]


def envelope_lines(name, limit, bound):
    """The convex envelope of the clipped loss on [-limit, limit] as a maximum of lines."""
    if limit == 0.0:
        return [(0.0, float(clipped(name, 0.0, bound)))]
    t = [-limit, *(c for c in corners(name, bound) if -limit < c < limit), limit]
    return lower_hull(t, [float(clipped(name, c, bound)) for c in t])


def smallest_maximum_of_lines(z, y, half_width, lines):
    """The least mean over rows of a maximum of lines, over the box, by both methods of HiGHS."""
    n, m = z.shape
    rows, offsets = [], []
    for i, line in enumerate(lines):
        for slope, offset in line:
            row = np.zeros(m + n)
            row[:m] = slope * y[i] * z[i]
            row[m + i] = -1.0
            rows.append(row)
            offsets.append(-offset)
    cost = np.concatenate([np.zeros(m), np.full(n, 1.0 / n)])
    ends = [(-half_width, half_width)] * m + [(None, None)] * n
    found = []
    for method in ("highs-ds", "highs-ipm"):
        solved = linprog(cost, np.asarray(rows), offsets, bounds=ends, method=method)
        assert solved.status == 0, solved.message
        found.append(solved.fun)
    assert abs(found[0] - found[1]) <= AGREE, f"the references disagree: {found}"
    return found[0]


def least_surrogate(z, y, scale, name):
    c = scale / z.shape[1]
    lines = [[(0.0, 0.0), (-SLOPE[name], SLOPE[name])]] * len(y)
    return smallest_maximum_of_lines(z, y, c, lines)


def least_envelope(z, y, scale, name, bound=1.0):
    """The least mean envelope of a piecewise linear loss over the box."""
    c = scale / z.shape[1]
    limits = c * np.abs(z).sum(axis=1)
    return smallest_maximum_of_lines(z, y, c, [envelope_lines(name, b, bound) for b in limits])


def least_clipped(z, y, scale, name, bound=1.0):
    """The least clipped risk over a box of two weights: at a vertex of the cells of linearity."""
    c = scale / 2
    lines = [(1.0, 0.0, c), (1.0, 0.0, -c), (0.0, 1.0, c), (0.0, 1.0, -c)]
    lines += [(*row, s * k) for row in z for k in corners(name, bound) for s in (-1, 1)]
    lines = np.asarray(lines)
    i, j = np.triu_indices(len(lines), 1)
    a, b = lines[i], lines[j]
    det = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    good = np.abs(det) > 1e-12
    a, b, det = a[good], b[good], det[good]
    points = np.stack(
        [
            (a[:, 2] * b[:, 1] - a[:, 1] * b[:, 2]) / det,
            (a[:, 0] * b[:, 2] - a[:, 2] * b[:, 0]) / det,
        ],
        axis=1,
    )
    points = np.clip(points[np.all(np.abs(points) <= c * (1 + 1e-9), axis=1)], -c, c)
    return clipped(name, y[:, None] * (z @ points.T), bound).mean(axis=0).min()


# HiGHS solves to 1e-7 primal and dual feasibility.
SOLVER = 1e-6


def audit(fit, z, y, scale, name, bound=1.0):
    """Raise AssertionError if anything that a fit claims is not so."""
    m = z.shape[1]
    alpha = np.asarray(fit.alpha, dtype=np.float64)
    assert np.abs(alpha).max() <= scale / m, "outside the box"
    margins = y * (z @ alpha)
    assert abs(fit.surrogate_risk - surrogate(name, margins).mean()) <= 1e-12 * (1 + scale)
    assert abs(fit.risk - clipped(name, margins, bound).mean()) <= 1e-12 * (1 + scale)
    assert fit.risk_lower <= fit.risk <= fit.surrogate_risk + 1e-12
    assert fit.status == "solved"
    assert fit.gap <= fit.wanted_gap
    least = least_surrogate(z, y, scale, name)
    assert fit.lower <= least + SOLVER, "the lower end is above the minimum"
    assert fit.surrogate_risk >= least - SOLVER
    assert fit.surrogate_risk <= least + fit.gap + SOLVER
    relaxed = least_envelope(z, y, scale, name, bound)
    assert fit.risk_lower <= relaxed + SOLVER, "the relaxation's end is above its minimum"
    assert fit.risk_lower >= relaxed - fit.wanted_gap - SOLVER, "looser than the envelope"
    if m == 2:
        assert fit.risk_lower <= least_clipped(z, y, scale, name, bound) + 1e-9, "above the minimum"
    limits = scale / m * np.abs(z).sum(axis=1)
    assert abs(fit.largest_output - limits.max()) <= 1e-12 * limits.max()
    assert fit.convex == bool(np.all(surrogate(name, -limits) <= bound))
