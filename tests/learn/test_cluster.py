"""Two worker processes: NumPy's numbers, also where one of them is killed at work."""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import dask.array as da
import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster

import mehler
from mehler import _arrays, learn

N, D, M, CHUNK = 4200, 6, 40, 200


@contextlib.contextmanager
def two_workers() -> Iterator[Client]:
    """A scheduler and two worker processes, on ports of their own."""
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=":0",
            silence_logs=50,  # a killed worker is what the tests are about
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
        processes = [nanny.pid for nanny in cluster.workers.values()]
    assert not any(psutil.pid_exists(pid) for pid in processes), "workers outlived their cluster"


def rows_and_targets():
    rng = np.random.default_rng(0)
    # Means that are large against the spread, and no two chunks alike.
    x = 1.0 + rng.standard_normal((N, D)) * np.linspace(0.5, 2.0, N)[:, None]
    return x, np.stack([np.sin(x[:, 0]), x[:, 1] * x[:, 2]], axis=1)


def in_chunks(*arrays, size=CHUNK):
    return [da.from_array(a, chunks=(size, -1)[: a.ndim]) for a in arrays]


def a_map():
    return mehler.MaxoutFeatures.draw(D, M, 4, seed=0, dtype="float64")


class Telling:
    """A map that notes each block that it has done, and after three waits until it may go on."""

    def __init__(self, phi, folder: Path) -> None:
        self.phi, self.folder = phi, folder

    def __call__(self, rows):
        if len(rows) == 1:  # asked for the number of features only
            return self.phi(rows)
        me = os.getpid()
        done = len(list(self.folder.glob(f"{me}-done-*")))
        if done == 3 and not (self.folder / "go").exists():
            (self.folder / f"{me}-waits").touch()
            end = time.monotonic() + 300
            while not (self.folder / "go").exists():
                if time.monotonic() > end:
                    raise TimeoutError("nobody said go")
                time.sleep(0.02)
        z = self.phi(rows)
        (self.folder / f"{me}-done-{done}").touch()
        return z


def assert_same_sums(features: learn.RidgeSums, whole: learn.RidgeSums) -> None:
    """Every row once: equal but for rounding, about N u relative to sqrt(G_ii G_jj)."""
    assert features.n_rows == whole.n_rows
    bound = 2 * (whole.n_rows + 100) * 2.0**-53
    scale = np.sqrt(np.diag(whole.gram))
    assert np.all(np.abs(features.gram - whole.gram) <= bound * np.outer(scale, scale))
    np.testing.assert_allclose(features._mean, whole._mean, rtol=bound)
    np.testing.assert_allclose(features._target_mean, whole._target_mean, atol=bound)
    size = np.sqrt(whole._squares)
    assert np.all(np.abs(features._cross - whole._cross) <= bound * np.outer(scale, size))


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def workers(client):
    """Process ids, of both workers, also after one was killed and started again."""
    client.wait_for_workers(2, timeout=300)
    return sorted(client.run(os.getpid).values())


def whole():
    x, y = rows_and_targets()
    return learn.RidgeSums(a_map()).add(x, y)


@pytest.mark.slow
def test_same_numbers_as_numpy(workers):
    x, y = rows_and_targets()
    rows, targets = in_chunks(x, y)
    phi, codes_of = a_map(), mehler.MaxoutCodes.draw(6, 50, 4, seed=0)

    # Features and codes: those of each chunk, bit for bit.
    for draw in (phi, codes_of):
        features = draw(rows)
        assert _arrays.stays_lazy(features)
        expected = np.concatenate([draw(x[i : i + CHUNK]) for i in range(0, N, CHUNK)])
        np.testing.assert_array_equal(features.compute(), expected)
    few = rows[: 3 * CHUNK]
    np.testing.assert_array_equal(
        codes_of.gram(few, few[:100]).compute(), codes_of.gram(x[: 3 * CHUNK], x[:100])
    )

    sums = learn.RidgeSums(phi).add(rows, targets)
    assert_same_sums(sums, whole())
    fit = learn.ridge(phi, rows, targets, lambdas=(1e-4, 1e-2))
    same = learn.ridge(phi, x, y, lambdas=(1e-4, 1e-2))
    # Condition number 2e5 at the least lambda: 40 and 400 of its roundings of 2^-53, of sums of
    # 4200 terms in another order (sqrt(4200) = 65), for errors and for numbers up to 34.
    np.testing.assert_allclose(fit.errors, same.errors, rtol=1e-9)
    np.testing.assert_allclose(fit.predict(rows).compute(), same.predict(x), atol=1e-8)


def test_workers_send_each_other_no_more_than_is_counted(client, workers):
    rows, targets = in_chunks(*rows_and_targets())
    rows, targets = rows.persist(), targets[:, :1].persist()
    # S of docs/scale.md, for one target.
    counted = 8 * (M * (M + 1) // 2 + M + M + 2)
    before = sum(client.run(_sent).values())
    sums = learn.RidgeSums(a_map()).add(rows, targets)
    sent = sum(client.run(_sent).values()) - before
    # Workers report sizes in memory: of a Gram the whole, of which half is sent. Rows and targets
    # that were made apart may move too, and a stolen addition moves both of its parts.
    size = sys.getsizeof(sums)
    assert counted < size < 2.2 * counted
    beside = rows.nbytes + targets.nbytes
    assert size / 2 < sent < 1.5 * (-(-N // CHUNK) - 1) * size + beside


def _sent(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total


def kill_when(folder, victim: int, events: dict) -> None:
    """Kill a worker once it waits in the middle of its work; then let all go on."""
    end = time.monotonic() + 300
    while time.monotonic() < end and not (folder / "go").exists():
        if (folder / f"{victim}-waits").exists():
            events["done"] = len(list(folder.glob(f"{victim}-done-*")))
            events["all"] = len(list(folder.glob("*-done-*")))
            os.kill(victim, signal.SIGKILL)
            events["killed"] = True
            break
        time.sleep(0.02)
    (folder / "go").touch()


def test_a_worker_killed_at_work_changes_nothing(workers, tmp_path):
    rows, targets = in_chunks(*rows_and_targets())
    events: dict = {}
    killer = threading.Thread(target=kill_when, args=(tmp_path, workers[0], events))
    killer.start()
    try:
        sums = learn.RidgeSums(Telling(a_map(), tmp_path)).add(rows, targets)
    finally:
        (tmp_path / "go").touch()
        killer.join()
    assert (events.get("killed"), events["done"]) == (True, 3)
    # Blocks had been summed on the killed worker, and most were still to come.
    assert events["all"] < N // CHUNK / 2
    # Each block was summed once, those that it held twice.
    assert len(list(tmp_path.glob("*-done-*"))) >= N // CHUNK
    assert_same_sums(sums, whole())
