"""Maxout codes: how fast they are compared, how much they take, and what an index of them finds.

python benchmarks/codes.py           counts and memory
python benchmarks/codes.py index [MNIST]   the index on 60,000 rows of MNIST in a folder, else on
                                           the 1,797 digits of scikit-learn, which stand in
python benchmarks/codes.py peers [MNIST]   the same rows by other libraries; what is not installed
                                           (faiss-cpu, usearch) is left out
"""

from __future__ import annotations

import sys
import time

import _harness
import numpy as np

import mehler
from mehler import _arrays, learn
from mehler.features import PackedCodes

ROWS, NEIGHBOURS, QUERIES = 3072, 10, 500
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


def data(arguments):
    """Rows, queries that are none of them, and a name."""
    if arguments:
        read = mehler.data.mnist(arguments[0])
        train, test = (
            part.reshape(len(part), -1) / np.float32(255) for part in (read.X, read.X_test)
        )
        return train, test[:QUERIES], "MNIST, 60,000 rows"
    from sklearn.datasets import load_digits

    X = load_digits().data.astype(np.float32)
    return X[:1497], X[1497:], "8 x 8 digits, 1,497 rows"


def timed(run):
    start = time.process_time()
    result = run()
    return result, time.process_time() - start


def keep(what, arguments, title, header, rows, raw):
    """A table of its own, with the command that gives it again."""
    date = time.strftime("%Y-%m-%d")
    command = f"python benchmarks/codes.py {what}" + (" MNIST" if arguments else "")
    lines = [
        f"{title}. Measured {date} by `{command}` ({_harness.machine()}).",
        "",
        "| " + " | ".join(header) + " |",
        "|" + "---|" * len(header),
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]
    name = f"codes_{what}" + ("" if arguments else "_digits")
    record = {"title": title, "date": date, "machine": _harness.machine(), "rows": raw}
    _harness.save_text(name, "\n".join(lines), record)
    print(*lines, sep="\n")


def exact_neighbours(X, Q):
    """By cosine: the numbers of the nearest rows."""
    units, queries = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (X, Q))
    rho = queries @ units.T
    return np.argpartition(-rho, NEIGHBOURS - 1, axis=1)[:, :NEIGHBOURS]


def overlap(found, known):
    return np.mean([np.isin(k, f).mean() for f, k in zip(found, known, strict=True)])


def index(arguments):
    X, Q, name = data(arguments)
    phi = mehler.MaxoutCodes.draw(X.shape[1], 1000, 4, seed=0, like=X)
    known, brute = timed(lambda: exact_neighbours(X, Q))
    rows = [["cosines of all rows, brute force", "", "", f"{1e3 * brute / len(Q):.2f}", "", "1"]]
    (near, _), seconds = timed(lambda: learn.nearest(phi, X, Q, NEIGHBOURS))
    text = f"{1e3 * seconds / len(Q):.2f} (encodes X)"
    rows.append(["learn.nearest, all codes", "", "", text, "", f"{overlap(near, known):.3f}"])
    raw = [{"contender": row[0], "row": row} for row in rows]
    for rank in ("codes", "cosine"):
        sizes = [{"n_digits": 10, "n_tables": count} for count in (5, 20, 80)]
        for option in [*(sizes if rank == "codes" else []), {"recall": 0.9}, {"recall": 0.99}]:
            built, build = timed(lambda o=option, r=rank: learn.MaxoutIndex(phi, X, rank=r, **o))
            (near, _), asked = timed(lambda b=built: b.query(Q, NEIGHBOURS))
            shared = np.mean([len(part) for part in built.candidates(Q)])
            recall = overlap(near, known)
            wanted = f", recall={option['recall']}" if "recall" in option else ""
            row = [
                f"by {rank}, k = {built.n_digits}, L = {built.n_tables}{wanted}",
                f"{build:.1f}",
                f"{built.nbytes / 2**20:.0f}",
                f"{1e3 * asked / len(Q):.2f}",
                f"{shared:.0f}" + (f" ({built.expected_candidates:.0f})" if wanted else ""),
                f"{recall:.3f}" + (f" ({built.expected_recall:.3f})" if wanted else ""),
            ]
            rows.append(row)
            raw.append({"contender": row[0], "row": row})
            print(*row, flush=True)
    keep(
        "index",
        arguments,
        f"Ten nearest of {name}, m = 1000, q = 4, {len(Q)} queries",
        [
            "index",
            "build, s of CPU time",
            "MiB",
            "ms of CPU time a query",
            "rows that share a bucket (expected)",
            f"recall of the {NEIGHBOURS} nearest (expected to share a bucket)",
        ],
        rows,
        raw,
    )


def peers(arguments):
    """One-hot bits, whose Hamming distance is twice the number of digits that differ."""
    X, Q, name = data(arguments)
    phi = mehler.MaxoutCodes.draw(X.shape[1], 1000, 4, seed=0, like=X)
    known = exact_neighbours(X, Q)
    bits, asked_bits = (
        np.packbits(
            (_arrays.to_host(phi(x))[:, :, None] == np.arange(4)).reshape(len(x), -1), axis=1
        )
        for x in (X, Q)
    )
    n_bits = 8 * bits.shape[1]
    rows, raw = [], []

    def add(label, make, ask):
        built, build = timed(make)
        found, asked = timed(lambda: ask(built))
        row = [label, f"{build:.1f}", f"{1e3 * asked / len(Q):.2f}", f"{overlap(found, known):.3f}"]
        rows.append(row)
        raw.append({"contender": label, "row": row})
        print(*row, flush=True)

    try:
        import faiss

        faiss.omp_set_num_threads(1)

        def filled(one):
            one.add(bits)
            return one

        def search(one):
            return one.search(asked_bits, NEIGHBOURS)[1]

        add("faiss IndexBinaryFlat", lambda: filled(faiss.IndexBinaryFlat(n_bits)), search)
        for ef in (32, 128):

            def graph(ef=ef):
                one = faiss.IndexBinaryHNSW(n_bits, 16)
                one.hnsw.efSearch = ef
                return filled(one)

            add(f"faiss IndexBinaryHNSW, M = 16, ef = {ef}", graph, search)
    except ImportError:
        pass
    try:
        from usearch.index import Index

        def proximity():
            one = Index(ndim=n_bits, metric="hamming", dtype="b1")
            one.add(np.arange(len(bits)), bits, threads=1)
            return one

        add(
            "usearch, bits",
            proximity,
            lambda one: one.search(asked_bits, NEIGHBOURS, threads=1).keys.astype(np.int64),
        )
    except ImportError:
        pass
    keep(
        "peers",
        arguments,
        f"One-hot bits of the same codes, {name}, {len(Q)} queries",
        ["index", "build, s of CPU time", "ms of CPU time a query", "recall of the 10 nearest"],
        rows,
        raw,
    )


if __name__ == "__main__":
    what, rest = (sys.argv[1:2] or ["counts"])[0], sys.argv[2:]
    {"counts": lambda _: counts(), "index": index, "peers": peers}[what](rest)
