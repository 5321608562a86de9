"""No correct map is refuted, alone or while another thread draws from a global generator."""

import functools
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.special import ndtri

from mehler.cli._checks import random_rows
from mehler.verify import check_structure
from tests.verify.structure.correct_maps import CORRECT as MAPS
from tests.verify.structure.correct_maps import TAU, X, cosines, many_phases, plain
from tests.verify.structure.right_maps import RIGHT, rbf


def correct(name):
    """Return the map of a name, its kernel and rows; skip where its library is not installed."""
    for library in ("torch", "jax"):
        if library in name:
            pytest.importorskip(library)
    return MAPS[name]


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.sampled(12)
def test_a_correct_map_holds(name):
    draw, kernel, rows = correct(name)
    verdict = check_structure(draw, rows, kernel=kernel)
    assert verdict.status == "holds", str(verdict)


@contextmanager
def beside_a_thread(act, pause=0.0005):
    """Repeat an act in another thread."""
    over = threading.Event()

    def other():
        while not over.is_set():
            act()
            time.sleep(pause)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.full
@pytest.mark.parametrize("name", MAPS)
def test_a_correct_map_holds_beside_a_thread_that_draws(name):
    """And no remark takes the moves of the other thread for the map's."""
    draw, kernel, rows = correct(name)
    with beside_a_thread(np.random.standard_normal):
        verdict = check_structure(draw, rows, kernel=kernel)
    assert verdict.status == "holds", str(verdict)
    assert not any("changed when a map" in remark for remark in verdict.remarks)


def numbers_of(library, seed, n):
    """Uniform numbers of a global generator, seeded."""
    if library == "random":
        random.seed(seed)
        return [random.random() for _ in range(n)]
    if library == "numpy":
        np.random.seed(seed)  # noqa: NPY002
        return np.random.random(n)  # noqa: NPY002
    torch = pytest.importorskip("torch")
    torch.manual_seed(seed)
    return torch.rand(n, dtype=torch.float64).numpy()


@pytest.mark.slow
@pytest.mark.parametrize("library", ["random", "numpy", "torch"])
@pytest.mark.sampled(1)
def test_a_map_that_seeds_a_global_generator_holds_beside_others(library):
    """Beside a thread that draws, and in a pool; a fault that no thread makes is refuted there."""

    def draw(seed):
        u = np.reshape(numbers_of(library, seed, 480), (6, 80))
        w, b = ndtri(np.clip(u[:5], 1e-9, 1 - 1e-9)), TAU * u[5]
        return lambda Z: cosines(Z, w, b)

    def check(seed):
        return check_structure(draw, X, seed=seed // 2)

    assert "drawing seeds the global generator" in check(0).reason
    with ThreadPoolExecutor(4) as pool:
        assert {verdict.status for verdict in pool.map(check, range(8))} == {"holds"}
    with beside_a_thread(lambda: numbers_of(library, 5, 1)):
        verdict = check(0)
        centred = check_structure(lambda seed: lambda Z: plain(seed)(Z - Z.mean(axis=0)), X)
    assert verdict.holds, str(verdict)
    assert "depend on the other rows" in centred.cause


SHARED = ["a common phase", "a shared amplitude", "64 maps in all", "a shift of 10 bits"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARED)
def test_what_columns_share_is_a_fault_of_columns_declared_independent_alone(name):
    draw, kernel, rows = MAPS[name]
    (remark,) = check_structure(draw, rows, kernel=kernel).remarks
    verdict = check_structure(draw, rows, kernel=kernel, independent_features=True)
    assert remark == f"{verdict.cause}, which is no fault unless columns are declared independent"


def test_a_column_that_copies_another_in_every_draw_is_a_fault():
    """An even number of phases has opposite ones: of 2 n columns n are left, however drawn."""
    verdict = check_structure(functools.partial(many_phases, m=128), X)
    text = "columns 0 and 64 are equal up to a factor in every draw: 128 of 128 features"
    assert verdict.cause.startswith(text)


# -- maps of any size ---------------------------------------------------------------------------

PATIENT = 600.0
# Columns of X; a few maps take some numbers only.
WIDTHS = (5, 1, 2, 3, 4, 8, 40)
ONLY = {"scaled by width": (5,), "fixed width": (5,)}


def verdict_of(name, seed, *, resizable=True, **options):
    redraw, kernel = RIGHT[name]
    widths = ONLY.get(name, WIDTHS)
    rows = random_rows(widths[seed % len(widths)], kernel, np.random.default_rng(seed))
    return check_structure(
        lambda s: redraw(s, rows, None),
        rows,
        kernel=kernel,
        redraw=redraw if resizable else None,
        seed=seed,
        time_limit=PATIENT,
        **options,
    )


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.sampled(3)
def test_a_right_map_holds(name):
    verdict = verdict_of(name, 0)
    assert verdict.holds, verdict


@pytest.mark.full
@pytest.mark.parametrize("resizable", [True, False])
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_map_holds_from_any_seed(name, resizable):
    for seed in range(2, 7):
        verdict = verdict_of(name, seed, resizable=resizable)
        assert verdict.holds, f"seed {seed}: {verdict}"


def test_what_is_fitted_on_rows_may_leave_parts_out():
    """Nystroem's features: of the rows that they are fitted on, and short on others."""

    def redraw(seed, X, n_features):
        landmarks = np.random.default_rng(seed).permutation(len(X))[: n_features or 12]
        basis = X[landmarks]
        values, vectors = np.linalg.eigh(rbf(basis, basis))
        half = vectors / np.sqrt(np.maximum(values, 1e-12))
        return lambda Z: rbf(Z, basis) @ half

    rows = random_rows(5, rbf, np.random.default_rng(0))
    draw = lambda seed: redraw(seed, rows, None)  # noqa: E731
    assert check_structure(draw, rows, kernel=rbf, redraw=redraw, time_limit=PATIENT).holds
