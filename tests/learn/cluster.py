"""What the tests on a cluster share: rows, a map that tells how far it is, and one comparison."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask.array as da
import numpy as np
import psutil
from distributed import Client, LocalCluster

import mehler
from mehler import learn

N, D, M, CHUNK = 4200, 6, 40, 200


@contextmanager
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


def assert_same_sums(found: learn.RidgeSums, whole: learn.RidgeSums) -> None:
    """Every row once: equal but for rounding, of which classical error analysis gives a bound.

    A sum of N products in any order is within about N u of it, entry by entry, relative to
    sqrt(G_ii G_jj); centring and joining parts are a few operations more an entry.
    """
    assert found.n_rows == whole.n_rows
    bound = 2 * (whole.n_rows + 100) * 2.0**-53
    scale = np.sqrt(np.diag(whole.gram))
    assert np.all(np.abs(found.gram - whole.gram) <= bound * np.outer(scale, scale))
    np.testing.assert_allclose(found._mean, whole._mean, rtol=bound)
    np.testing.assert_allclose(found._target_mean, whole._target_mean, atol=bound)
    size = np.sqrt(whole._squares)
    assert np.all(np.abs(found._cross - whole._cross) <= bound * np.outer(scale, size))


def assert_same_weights(found: learn.RidgeSums, whole: learn.RidgeSums, lam: float) -> None:
    """(G + N lambda) W = r, so that |dW| <= (|dr| + |dG| |W|) / (N lambda), in spectral norms."""
    ours, theirs = (sums.solve(lam)[0].weights for sums in (found, whole))
    moved = np.linalg.norm(found._cross - whole._cross, 2)
    moved += np.linalg.norm(found.gram - whole.gram, 2) * np.linalg.norm(theirs, 2)
    # Either solution solves a system that is a few m u |G| away.
    moved += 20 * M * 2.0**-53 * np.linalg.norm(whole.gram, 2) * np.linalg.norm(theirs, 2)
    assert np.linalg.norm(ours - theirs, 2) <= moved / (whole.n_rows * lam)
