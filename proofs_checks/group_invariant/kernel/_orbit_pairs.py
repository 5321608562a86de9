"""Pairs of orbits whose energy distance is in closed form, or is a finite sum."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

# Sums of distances of order 1, and their differences.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Pair:
    """Two orbits: their energy and least distances, and what the bounds are told.

    `moves` are of the point half way between nearest points; `share` is of elements that leave a
    row alone.
    """

    name: str
    energy: float
    distance: float
    share: float
    moves: tuple[float, ...]


def lone(distance: float = 3.0) -> Pair:
    """Two fixed points."""
    return Pair("fixed points", 2 * distance, distance, 1.0, (0.0,))


def mirror(across: float, distance: float = 1.0) -> Pair:
    """(a, 0) and (a, delta) in the plane, with the mirror of the first coordinate."""
    far = math.hypot(2 * across, distance)
    energy = distance + distance**2 / (far + 2 * across)
    return Pair(f"mirror, a = {across:g}", energy, distance, 0.5, (0.0, 2 * across))


def simplices(n: int) -> Pair:
    """Orthogonal regular simplices of n points, and all shifts of both together.

    The energy distance is sqrt(2) times 2 - 2 sqrt(1 - 1/n).
    """
    root = math.sqrt(1 - 1 / n)
    moves = (0.0, *[math.sqrt(1 / (1 - 1 / n))] * (n - 1))
    return Pair(f"simplices of {n}", math.sqrt(2) * (2 / n) / (1 + root), 2**0.5, 1 / n, moves)


def cubes(d: int) -> Pair:
    """The vertices of a cube with an even, and with an odd number of signs, and even flips.

    The energy distance is 2^(2 - d) times the sum of 2 (-1)^(k+1) C(d, k) sqrt(k).
    """
    sums = math.fsum((-1) ** (k + 1) * math.comb(d, k) * math.sqrt(k) for k in range(d + 1))
    # The middle of an edge has a coordinate of 0; k of the other d - 1 change, in either case.
    moves = tuple(2 * math.sqrt(k) for k in range(d) for _ in range(math.comb(d - 1, k)))
    return Pair(f"cube in {d} dimensions", 2.0 ** (3 - d) * sums, 2.0, 2.0 ** (1 - d), moves)


def far_simplices(n: int, size: float) -> tuple[Pair, float]:
    """Small simplices in orthogonal spaces whose centres are fixed, 1 apart; how far rows move."""
    distance = math.hypot(1.0, math.sqrt(2) * size)
    moved = math.sqrt(2) * size * math.sqrt(n / (n - 1))
    # The middle has half of both.
    moves = (0.0, *[moved / math.sqrt(2)] * (n - 1))
    energy = 2 * distance - 2 * (1 - 1 / n) * moved
    return Pair(f"simplices of {n} apart", energy, distance, 1 / n, moves), moved


def finite(quick: bool) -> Iterator[Pair]:
    """Return pairs of finite orbits in closed form."""
    yield lone()
    yield from map(mirror, (0.01, 1.0, 30.0))
    yield from map(simplices, (2, 3, 10, 10**4))
    yield from map(cubes, (3, 4, 8) if quick else range(3, 14))


def drawn(group: Any, rng: np.random.Generator, n_pairs: int, *, near: float) -> Iterator[Pair]:
    """Draw pairs of rows and compute all by the definition."""
    for _ in range(n_pairs):
        x, away = rng.standard_normal((2, group.n_inputs))
        z = x + near * away
        orbits = [np.asarray(group.apply(one[None])).reshape(-1, x.size) for one in (x, z)]
        far = np.linalg.norm(x - orbits[1], axis=1)
        half = (x + orbits[1][far.argmin()]) / 2
        moved = np.asarray(group.apply(half[None])).reshape(-1, x.size)
        within = [np.linalg.norm(rows - rows[0], axis=1).mean() for rows in orbits]
        yield Pair(
            f"{group!r}, {near:g} apart",
            2 * float(far.mean()) - float(sum(within)),
            float(far.min()),
            1 / len(far),
            tuple(np.linalg.norm(half - moved, axis=1)),
        )


def circles(radius: float) -> float:
    """Return the energy distance of concentric circles of radius 1 and another."""
    total = 1 + radius
    across = 2 / math.pi * total * float(special.ellipe(4 * radius / total**2))
    return 2 * across - 4 / math.pi * total
