"""Other tools for testing random code and mehler, on the same samples with the same error rates.

Four tasks, each on products of features at one pair of rows:

- Samples until scikit-learn's RBFSampler with the bandwidth of 2014 (spectral variance without its
  factor 2) is refuted at 1e-9, at k = 0.956.
- Samples until the right RBFSampler is settled there: a claim that is off by 0.02 would not pass,
  except with probability 1e-9.
- Mistakes at a nominal 1e-3 on correct code with skewed, unbounded samples: products of rectified
  units at an angle of 0.9 pi, 1000 a stream. Correct claims refuted; of stochtest, whose rate is
  another one, claims accepted that are off by just the margin. Without
  declarations mehler refutes nothing at 1000 samples: its mistakes are counted at 100,000.
- Samples until a claim that is half as large again is refuted there, at 1e-3.

Needs `pip install fineness stochtest ville expectation scikit-learn`; what is missing is left out.
Run: python benchmarks/peers.py
"""

from __future__ import annotations

import math

import _harness
import numpy as np
from _peer_tools import Stream, ToldNothing, installed
from sklearn.kernel_approximation import RBFSampler

K, RESOLUTION, RATE = 0.956, 0.02, 1e-9
STREAMS, AGREE, LONGEST = 20, 19, 2**21
SKEWED, REPEATS, NOMINAL = 1000, 20_000, 1e-3
# Where nothing is known fewer samples refute nothing, and repetitions take longer.
MANY, FEWER_REPEATS = 100_000, 5_000
ANGLE = 0.9 * math.pi
# Two rows at the squared distance -log K, off the axes.
ROWS = np.array([[0.0, 0.0], np.array([0.8, 0.6]) * math.sqrt(-math.log(K))])


def cosines(seed: int, spectral: float) -> np.ndarray:
    """Products of LONGEST features of RBFSampler(gamma=1), its weights scaled."""
    phi = RBFSampler(gamma=1.0, n_components=LONGEST, random_state=seed).fit(ROWS)
    phi.random_weights_ = math.sqrt(spectral / 2.0) * phi.random_weights_
    x, y = phi.transform(ROWS)
    return LONGEST * x * y


def fourier(x: np.ndarray) -> Stream:
    return Stream(lambda n: x[:n], K, 0.5 * (1 - K * K) ** 2 + 0.5, (-2.0, 2.0))


def rectified(rng: np.random.Generator) -> Stream:
    """Of unit rows: mean and second moment of Cho and Saul (2009), n = 1 and 2."""
    sine, cosine, rest = math.sin(ANGLE), math.cos(ANGLE), math.pi - ANGLE
    mean = (sine + rest * cosine) / (2 * math.pi)
    second = (3 * sine * cosine + rest * (1 + 2 * cosine**2)) / (2 * math.pi)

    def sample(n: int) -> np.ndarray:
        g, h = rng.standard_normal((2, n))
        return np.maximum(g, 0.0) * np.maximum(cosine * g + sine * h, 0.0)

    return Stream(sample, mean, second - mean**2, None, 0.5 * mean)


def too_large(seed: int) -> Stream:
    """Return a stream of rectified units whose claim is half as large again as their mean."""
    s = rectified(np.random.default_rng(200 + seed))
    x = s.sample(LONGEST)
    return Stream(lambda n: x[:n], 1.5 * s.claim, s.variance, None, 0.5 * s.claim)


def enough(decides, streams) -> int | None:
    """The least of a grid of sizes, a sixth apart, at which 19 of 20 streams are decided."""
    n = 256
    while n <= LONGEST:
        missed = 0
        for s in streams:
            missed += not decides(s.sample(n), s)
            if missed > STREAMS - AGREE:
                break
        else:
            return n
        n = math.ceil(n * 2**0.25)
    return None


def mistakes(tool) -> float:
    """Share of streams on which the tool errs."""
    s = rectified(np.random.default_rng(12))
    found = 0
    told_nothing = isinstance(tool, ToldNothing)
    repeats = FEWER_REPEATS if told_nothing else REPEATS
    for _ in range(repeats):
        if tool.wrong is None:
            margin = 0.5 * s.claim
            off = Stream(s.sample, s.claim - margin, s.variance, None, margin)
            found += tool.settled(s.sample(SKEWED), off, margin, NOMINAL)
        else:
            # mcunit's rule takes up to 25 times its first sample.
            size = 25 * SKEWED if hasattr(tool, "steps") else SKEWED
            size = MANY if told_nothing else size
            found += tool.wrong(s.sample(size), s, NOMINAL)
    return found / repeats


def main() -> None:
    right = [fourier(cosines(seed, 2.0)) for seed in range(STREAMS)]
    broken = [fourier(cosines(100 + seed, 1.0)) for seed in range(STREAMS)]
    larger = [too_large(seed) for seed in range(STREAMS)]
    rows, raw = [], []
    for tool in installed():
        refuted = settled = wrong = skewed = None
        if tool.wrong is not None:
            refuted = enough(lambda x, s, t=tool: t.wrong(x, s, RATE), broken)
        if tool.settled is not None:
            settled = enough(lambda x, s, t=tool: t.settled(x, s, RESOLUTION, RATE), right)
        if tool.unbounded:
            wrong = mistakes(tool)
        if tool.unbounded and tool.wrong is not None:
            skewed = enough(lambda x, s, t=tool: t.wrong(x, s, NOMINAL), larger)
        counts = [
            "no such statement" if ask is None else "more" if n is None else f"{n:,}"
            for ask, n in ((tool.wrong, refuted), (tool.settled, settled), (tool.wrong, skewed))
        ]
        share = "needs a range" if wrong is None else f"{wrong:.2%}"
        share += " (other rate)" if tool.wrong is None else ""
        share += f" (of {MANY:,})" if isinstance(tool, ToldNothing) else ""
        if not tool.unbounded:
            counts[2] = "needs a range"
        rows.append([tool.name, *counts[:2], share, counts[2]])
        raw.append(
            {
                "tool": tool.name,
                "refuted": refuted,
                "settled": settled,
                "mistakes": wrong,
                "skewed_refuted": skewed,
            }
        )
        print(rows[-1], flush=True)
    _harness.save(
        "peers",
        "Samples to a decision at 1e-9, and mistakes at a nominal 0.1 %",
        [
            "tool",
            "bandwidth of 2014 refuted",
            "right one settled to 0.02",
            "mistakes on skewed samples, nominal 0.10%",
            "claim half too large refuted there",
        ],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
