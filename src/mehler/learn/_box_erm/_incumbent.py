"""Best feasible pair of a solver, each side on its own."""

from __future__ import annotations

from dataclasses import dataclass

from mehler._arrays import Array


@dataclass(frozen=True)
class Candidate:
    """A feasible pair: beta (m,) in [-1, 1], weights over C/m, and theta (n,).

    `gap` is upper less lower, mean over rows, from products in the dtype of `Z`: no certificate.
    """

    iterations: int
    beta: Array
    theta: Array
    gap: float


class Incumbent:
    """Keeps the best weights and the best theta; they need not come from one iteration."""

    def __init__(self) -> None:
        self.upper, self.lower = float("inf"), -float("inf")
        self.beta: Array = None
        self.theta: Array = None

    def offer(self, beta: Array, theta: Array, upper: float, lower: float) -> None:
        """Replace either side if the new one is better."""
        if upper < self.upper:
            self.upper, self.beta = upper, beta
        if lower > self.lower:
            self.lower, self.theta = lower, theta

    def candidate(self, iterations: int) -> Candidate:
        """Return the best pair so far."""
        return Candidate(iterations, self.beta, self.theta, self.upper - self.lower)
