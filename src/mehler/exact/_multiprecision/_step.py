r"""Steps and cut-offs of the trapezoid rule, shared by the line and the plane.

Every integrand here carries q factors out of phi, Phi and G, each of which grows by at most
e^(u^2/2) when one real variable is shifted by i u (they are integrals of shifted Gaussian
densities). An integrand of total mass 1 is thus at most e^(q u^2/2) in the strip |Im| < u, and the
trapezoid rule of step h is off by at most

    2 e^(q u^2/2) / (e^(2 pi u/h) - 1),   which at u = 2 pi/(h q) is 2 e^(-2 pi^2/(q h^2)).

For large q the bound is far too careful: there Phi^q looks like the Gumbel law exp(-e^(-L x)),
L^2 = 2 log q, which is bounded for |Im x| < pi/(2 L), so the error falls like e^(-pi^2/(L h)). That
is an estimate and not a bound; callers compare steps h and 2h. The error at h is then about the
square of that at 2h, so agreement to half of the digits is enough.
"""

from __future__ import annotations

import math


def decay(digits: int, q: int) -> float:
    """Return the required exponent of the error: digits, a margin for moments, and a factor q^2."""
    return (digits + 6) * math.log(10) + 2 * math.log(q)


def first_step(digits: int, q: int) -> tuple[float, bool]:
    """Return a step for `q` factors, and whether the bound proves it (else compare with 2h)."""
    need = decay(digits, q)
    proved = math.pi * math.sqrt(2 / (q * need))
    guessed = 0.8 * math.pi**2 / (need * math.sqrt(2 * math.log(q) + 1))
    return (proved, True) if proved >= guessed else (guessed, False)


def settled(magnitude: float, digits: int) -> bool:
    """Return whether |T(h) - T(2h)| < 2^magnitude shows that T(h) has `digits` digits."""
    return magnitude <= -(digits + 4) / 2 * math.log2(10)


def negligible(digits: int, q: int, factors: int) -> float:
    """Return the g below which g^factors is negligible even q^2 times."""
    return math.exp(-decay(digits, q) / factors) if factors > 0 else 0.0
