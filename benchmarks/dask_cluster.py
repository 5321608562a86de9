"""Past one machine: Dask beside NumPy, memory against the number of chunks, bytes on a cluster.

CPU time ratios by the synchronous scheduler, one thread; the peak of NumPy's memory; and on a
local cluster of two worker processes the bytes that they write to their sockets while ridge sums
are made, beside what docs/scale.md counts. Last, seconds for 10^9 rows, extrapolated.

    python benchmarks/dask_cluster.py
    python benchmarks/dask_cluster.py threads   # wall time with and without threadpool_limits(1)
"""

from __future__ import annotations

import statistics
import sys
import time

import _harness
import dask
import dask.array as da
import numpy as np

import mehler
from mehler import learn


def rows_of(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def beside_numpy(d, m, q, n, chunks):
    x, phi = rows_of(n, d), mehler.MaxoutFeatures.draw(d, m, q, seed=0, dtype="float32")
    y = x[:, :1]
    runs = {
        "features in one array": (lambda a, b: phi(a), lambda a, b: phi(a).compute()),
        "features, summed": (
            lambda a, b: sum(phi(a[i : i + chunks[0]]).sum(axis=0) for i in range(0, n, chunks[0])),
            lambda a, b: phi(a).sum(axis=0).compute(),
        ),
        "ridge sums": (
            lambda a, b: learn.RidgeSums(phi).add(a, b),
            lambda a, b: learn.RidgeSums(phi).add(a, b),
        ),
    }
    rows, raw = [], []
    for name, (host, lazy) in runs.items():
        contenders = {"NumPy": lambda host=host: host(x, y)}
        for size in chunks:
            a, b = (da.from_array(part, chunks=(size, -1)) for part in (x, y))
            contenders[f"{size}"] = lambda lazy=lazy, a=a, b=b: lazy(a, b)
        per_chunk = _harness.seconds(contenders["NumPy"], rounds=3) / n
        found = _harness.ratios(contenders, rounds=5)
        for size in chunks:
            work = 1000 * per_chunk * size
            setting = f"{name}, d = {d}, m = {m}, q = {q}, {n} rows, chunks of {size}"
            rows.append([setting, f"{work:.0f}", _harness.spread(found[f"{size}"])])
            raw.append({"setting": setting, "ms": work, "ratios": found[f"{size}"]})
            print(rows[-1], flush=True)
    return rows, raw


def peaks(m, size=50, counts=(16, 64, 256)):
    phi = mehler.MaxoutFeatures.draw(10, m, 4, seed=0, dtype="float32")
    x = da.from_array(rows_of(1, 10), chunks=-1)
    found = {}
    for n in counts:
        rows = da.map_blocks(
            lambda block_id: rows_of(size, 10, block_id[0]),
            chunks=((size,) * n, (10,)),
            dtype=np.float32,
            meta=x._meta,
        )
        found[n] = _harness.added_memory(lambda rows=rows: learn.RidgeSums(phi).add(rows, rows))
    return found


def count_writes():
    """Count the bytes that this process writes to its sockets from now on."""
    from distributed.comm import tcp

    if not hasattr(tcp, "bytes_written"):
        write = tcp.TCP.write

        async def counted(self, *arguments, **options):
            n = await write(self, *arguments, **options)
            tcp.bytes_written += n
            return n

        tcp.TCP.write = counted
    tcp.bytes_written = 0


def written():
    from distributed.comm import tcp

    return tcp.bytes_written


def reported(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total, dask_worker.transfer_outgoing_count_total


def bytes_of_sums(m, t):
    """Bytes of the sums of a chunk: half of the symmetric matrix, in float64."""
    return 8 * (m * (m + 1) // 2 + m * t + m + 2 * t)


def on_a_cluster(settings):
    from distributed import Client, LocalCluster

    rows, raw = [], []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for m, n in settings:
            d, size = 10, 250
            phi = mehler.MaxoutFeatures.draw(d, m, 4, seed=0, dtype="float32")
            x = da.map_blocks(
                lambda block_id, size=size, d=d: rows_of(size, d, block_id[0]),
                chunks=((size,) * n, (d,)),
                dtype=np.float32,
                meta=np.empty((0, 0), dtype=np.float32),
            )
            sums_bytes = bytes_of_sums(m, 1)
            client.run(count_writes)
            before = client.run(reported)
            sums = learn.RidgeSums(phi).add(x, x[:, 0])
            assert sums.n_rows == n * size
            after = client.run(reported)
            wire = sum(client.run(written).values())
            said = sum(after[w][0] - before[w][0] for w in after)
            # The last sums go to the client; what is left are sums between workers, and talk.
            between = wire - sums_bytes
            rows.append(
                [
                    f"m = {m}, {n} chunks",
                    f"{sums_bytes / 1e6:.2f}",
                    f"{sums_bytes / 1e6:.2f} to {(n - 1) * sums_bytes / 1e6:.2f}",
                    f"{between / 1e6:.2f}",
                    f"{between / sums_bytes:.1f} of {n - 1}",
                    f"{said / 1e6:.2f}",
                ]
            )
            raw.append({"m": m, "chunks": n, "wire": wire, "sums": sums_bytes, "said": said})
            print(rows[-1], flush=True)
    return rows, raw


def one_chunk(d=784, m=1000, q=4, size=8192):
    """CPU seconds of ridge sums of one chunk."""
    phi = mehler.MaxoutFeatures.draw(d, m, q, seed=0, dtype="float32")
    x = rows_of(size, d)
    return _harness.seconds(lambda: learn.RidgeSums(phi).add(x, x[:, :10]), rounds=3)


def extrapolated(seconds, measured_rows=8192, chunk_rows=100_000, workers=(1, 10, 100)):
    """One chunk was measured; the rest is counting."""
    m, t = 1000, 10
    n_chunks = 10**9 // chunk_rows
    rows = []
    for w in workers:
        # Two milliseconds a chunk for the scheduler, 1 GB/s a worker.
        work = -(-n_chunks // w) * (seconds * chunk_rows / measured_rows + 0.002)
        moved = (n_chunks - 1) * bytes_of_sums(m, t) / w / 1e9
        hours = (work + moved) / 3600
        rows.append([f"{w}", f"{n_chunks}", f"{moved if w > 1 else 0.0:.1f}", f"{hours:.1f}"])
    return rows


def threads(n=65_536, d=784, m=500, q=4, size=2048):
    """Wall time, so only on a machine that does nothing else; BLAS threads are NumPy's default."""
    from threadpoolctl import threadpool_limits

    x, phi = rows_of(n, d), mehler.MaxoutFeatures.draw(d, m, q, seed=0, dtype="float32")
    rows = da.from_array(x, chunks=(size, -1))
    times = {"as it is": [], "threadpool_limits(1)": []}
    with dask.config.set(scheduler="threads"):
        for _ in range(6):
            for name, limit in zip(times, (None, 1), strict=True):
                with threadpool_limits(limit):
                    start = time.perf_counter()
                    learn.RidgeSums(phi).add(rows, rows[:, :1])
                    times[name].append(time.perf_counter() - start)
    ratios = [a / b for a, b in zip(*times.values(), strict=True)][1:]
    print(f"without over with threadpool_limits(1): {statistics.median(ratios):.2f}", ratios)


def main():
    if sys.argv[1:] == ["threads"]:
        threads()
        return
    with dask.config.set(scheduler="synchronous"):
        ratios, raw_ratios = beside_numpy(784, 500, 4, 4096, (512, 1024, 2048))
        more, raw_more = beside_numpy(40, 500, 4, 32_768, (8192, 16_384))
        memory = {m: peaks(m) for m in (300, 1000)}
    bytes_, raw_bytes = on_a_cluster([(200, 16), (400, 16), (400, 64)])
    seconds = one_chunk()
    hours = extrapolated(seconds)
    date = time.strftime("%Y-%m-%d")
    text = "\n".join(
        [
            f"Measured {date} by `python benchmarks/dask_cluster.py` ({_harness.machine()}; Dask "
            f"{dask.__version__}).\n",
            "CPU time by Dask's synchronous scheduler over that of NumPy, one thread, float32:\n",
            table(
                ["setting", "ms of work a chunk", "ratio, median (least to largest)"], ratios + more
            ),
            "Peak of memory added by ridge sums, in MiB; what grows is Dask's graph, about "
            f"{1024 * (memory[300][256] - memory[300][64]) / 192:.0f} KiB a chunk:\n",
            table(
                ["features", "one chunk's sums", *(f"{n} chunks" for n in memory[300])],
                [
                    [f"m = {m}", f"{8 * m * m / 2**20:.1f}", *(f"{mib:.1f}" for mib in of.values())]
                    for m, of in memory.items()
                ],
            ),
            "Bytes between two worker processes while ridge sums are made, in MB:\n",
            table(
                [
                    "setting",
                    "one chunk's sums",
                    "counted: least to most",
                    "written to sockets, last sums left out",
                    "sums sent",
                    "as workers report, by size in memory",
                ],
                bytes_,
            ),
            "**Extrapolated, not measured**: sums of 10^9 rows, d = 784, m = 1000 maxout features, "
            f"q = 4, 10 targets, in chunks of 100,000, from {seconds:.2f} s of CPU time for 8192 "
            "rows on this machine, an assumed network of 1 GB/s and 2 ms overhead a chunk; rows "
            "are assumed to be where they are needed:\n",
            table(["workers", "chunks", "GB sent by a worker, at most", "hours"], hours),
        ]
    )
    raw = {
        "title": "Past one machine: Dask beside NumPy, and bytes on a cluster",
        "date": date,
        "machine": _harness.machine(),
        "ratios": raw_ratios + raw_more,
        "peak_mib": memory,
        "bytes": raw_bytes,
        "seconds_for_8192_rows": seconds,
        "extrapolated": hours,
    }
    _harness.save_text("dask_cluster", text, raw)
    print(text)


if __name__ == "__main__":
    main()
