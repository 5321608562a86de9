"""Rotations of images by n equal angles: are they a group, and how near all angles are they?

The kernel of group-invariant features (Mroueh, Voinea, Poggio 2015) is s - kappa D(x, z), D the
mean distance of an image from all rotations of another. Our bound of the error by n turns instead
is compared with exact errors: for points in a plane, which turn `frequency` times as fast as the
image, and for images. Turned images are compared with quarter turns and turned functions.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from mehler.bounds import Bound, Term
from mehler.exact.orbits import TemplateLaw
from mehler.features import groups
from mehler.statements import Context, Evidence, check

from ..._comparisons import Bounding, Instance, compare_instances, compute
from ..image_rotations import SteerableRotations, image_rotations

# Closed forms and elliptic integrals, of lengths of order 1, and sums of products of images.
_ROUNDING, _SUMS = 1e-12, 1e-11
# So many turns that the error of their mean is far below those compared.
_MANY = 1024
_SIDE = 8


def circle(radius: float) -> float:
    """Return the mean distance of a point of the unit circle from one of another radius."""
    total = 1 + radius
    return 2 / math.pi * total * float(special.ellipe(4 * radius / total**2))


def on_circles(n: int, frequency: int, radius: float, offset: float) -> float:
    """Return the mean distance of a point at `radius` from n turns of one on the unit circle."""
    angles = frequency * (2 * math.pi * np.arange(n) / n + offset)
    return float(np.abs(radius - np.exp(1j * angles)).mean())


def kernel_change_turns(
    n_turns: Any,
    *,
    n_inputs: int,
    frequency: Any,
    moves: Any,
    slips: Any = 0.0,
    templates: str = "sphere",
    epsilon: float = 0.3,
) -> Bound:
    """Bound the error of the expected kernel by n turns in place of all rotations.

    `frequency` is the image's largest angular one, `moves` the least of two images' speeds by the
    angle, `slips` the mean error of interpolated turns; `templates`, `epsilon` determine kappa.
    """
    slope, n = TemplateLaw(templates, n_inputs, epsilon).slope, np.asarray(n_turns)
    mean = moves * np.minimum(np.pi / (2 * n), np.pi * frequency / n**2)
    terms = (Term("turns", slope * mean), Term("interpolation", 2 * slope * slips))
    return Bound(terms=terms, statement="group-invariant.rotations")


@check("group-invariant.rotations", form="printed", name="planes")
def planes(context: Context, *, bound: Bounding = kernel_change_turns) -> Evidence:
    """Compare the error of n turns of a plane, at their angles and in between, with its bound."""
    slope, instances = TemplateLaw("sphere", 2).slope, []
    for frequency in (1, 2, 5):
        for radius in (0.01, 0.5, 0.99, 1.0):
            exact = circle(radius)
            for n in (1, 2, 3, 4, 7, 12, 40, 200):
                promised = bound(
                    n_turns=n, n_inputs=2, frequency=frequency, moves=frequency * radius
                ).value
                for offset in (0.0, math.pi / (n * frequency)):
                    error = slope * abs(on_circles(n, frequency, radius, offset) - exact)
                    name = f"a plane of frequency {frequency}, {n} turns, radius {radius:g}"
                    instances.append(
                        Instance(name, (error - _ROUNDING, error + _ROUNDING), promised)
                    )
    # An image that no rotation moves, and one that stands for another at a distance.
    promised = bound(n_turns=3, n_inputs=2, frequency=1, moves=0.0, slips=0.1).value
    error = slope * 2 * 0.1
    still = Instance(
        "images that do not move", (error * (1 - 1e-12), error), promised * (1 + 1e-12)
    )
    instances.append(still)
    return compare_instances("error of the kernel by n turns", *instances)


@check("group-invariant.rotations", form="printed", name="drawn images")
def images(
    context: Context,
    *,
    bound: Bounding = kernel_change_turns,
    turns: Callable[..., Any] = SteerableRotations,
) -> Evidence:
    """Compare the error for drawn images with its bound: turns, and splines in their place."""
    rng, instances = context.rng("images"), []
    limit = turns(_SIDE, _SIDE, _MANY)
    for scale in (1.0, 0.1):
        x = rng.standard_normal((3 if context.quick else 12, _SIDE**2))
        z = x + scale * rng.standard_normal(x.shape)
        moves = np.minimum(*(np.linalg.norm(limit.generator(image), axis=1) for image in (x, z)))
        exact = _over_turns(limit.apply(z), x)
        for n in (2, 6, 17, 40):
            group = turns(_SIDE, _SIDE, n)
            splines = image_rotations(_SIDE, _SIDE, 360 / n * np.arange(n))
            steered, plain = ([g.transpose(rows) for rows in (x, z)] for g in (group, splines))
            slips = [np.linalg.norm(a - b, axis=2).mean(axis=0) for a, b in zip(steered, plain)]
            by_splines = groups.mean_distance(splines, x, z)
            means = (_over_turns(group.apply(z), x), np.diag(by_splines))
            for mean, slip in zip(means, (0 * moves, (slips[0] + slips[1]) / 2), strict=True):
                for k, length in enumerate(moves):
                    promised, rest = (
                        bound(
                            n_turns=many,
                            n_inputs=_SIDE**2,
                            frequency=limit.frequency,
                            moves=float(length),
                            slips=float(slip[k]) if many == n else 0.0,
                        ).value
                        for many in (n, _MANY)
                    )
                    slope = TemplateLaw("sphere", _SIDE**2).slope
                    error = slope * abs(float(mean[k] - exact[k]))
                    ends = (error - rest - _SUMS, error + rest + _SUMS)
                    instances.append(Instance(f"images {scale:g} apart, {n} turns", ends, promised))
    return compare_instances("error of the kernel by n turns, images", *instances)


def _over_turns(images_: Any, rows: Any) -> Any:
    """Average the distance of each row from all turns of its partner."""
    return np.linalg.norm(images_ - rows, axis=2).mean(axis=0)


@check("group-invariant.rotations", form="proved", name="a group of orthogonal maps")
def is_a_group(
    context: Context, *, turns: Callable[[int, int], Any] | None = None, many: int = 12
) -> Evidence:
    """Compute how far turns are from a group of orthogonal maps with quarter turns in it."""
    gap = 0.0
    for side in (4, 7, 8):
        group = SteerableRotations(side, side, many) if turns is None else turns(side, many)
        maps = np.swapaxes(group.apply(np.eye(side**2)), 1, 2)
        for j, matrix in enumerate(maps):
            gap = max(gap, float(np.abs(matrix.T @ matrix - np.eye(side**2)).max()))
            for k in (1, 5, many - 1):
                gap = max(gap, float(np.abs(matrix @ maps[k] - maps[(j + k) % many]).max()))
        steady = SteerableRotations(side, side, many)
        image = steady.turning_part(context.rng(f"image {side}").standard_normal((2, side**2)))
        right = groups.QuarterTurns(side).apply(image)
        gap = max(gap, float(np.abs(group.apply(image)[:: many // 4] - right).max()))
    claim = "turns as orthogonal maps, as a group, and as quarter turns: largest difference"
    method = "computed: products of matrices"
    return compute(claim, gap, _SUMS, exact=0.0, method=method)


@check("group-invariant.rotations", form="proved", name="samples of turned functions")
def sampled(
    context: Context, *, share: Callable[[Any], float] | None = None, many: int = 12
) -> Evidence:
    """Compare turned samples with samples of the turned function."""
    instances = []
    for bandlimit in (0.6, 0.9, 1.0):
        group = SteerableRotations(_SIDE, _SIDE, many, bandlimit=bandlimit)
        values = group.singular_values
        promised = (values[0] - values[-1]) / values[-1] if share is None else share(values)
        samples, basis = group.samples, group.basis
        for j in range(1, many):
            # The functions are turned as their coefficients, the columns of the basis.
            rotation = basis.T @ group.apply(basis.T, [[j]])[0].T
            exact = samples @ rotation @ np.linalg.pinv(samples)
            error = float(np.linalg.norm(exact @ basis - basis @ rotation, 2))
            ends = (error - _SUMS, error + _SUMS)
            instances.append(Instance(f"bandlimit {bandlimit:g}, {j} turns", ends, float(promised)))
    return compare_instances("turned samples less samples turned", *instances)
