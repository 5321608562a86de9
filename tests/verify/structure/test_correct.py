"""No correct map is refuted, alone or while another thread draws from a global generator."""

from __future__ import annotations

import functools
import threading
import time

import numpy as np
import pytest

from mehler.verify import check_structure
from tests.verify.structure.correct_maps import CORRECT
from tests.verify.structure.odd_maps import ODD, X, many_phases

MAPS = {**CORRECT, **ODD}


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


@pytest.mark.full
# A map that seeds the generator of the thread shares it, and loses.
@pytest.mark.parametrize("name", [name for name in MAPS if "seeds a" not in name])
def test_a_correct_map_holds_beside_a_thread_that_draws(name):
    draw, kernel, rows = correct(name)
    over = threading.Event()

    def other():
        while not over.is_set():
            np.random.standard_normal()  # noqa: NPY002  # the stream of another thread
            time.sleep(0.0005)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        verdict = check_structure(draw, rows, kernel=kernel)
    finally:
        over.set()
        thread.join()
    assert verdict.status == "holds", str(verdict)


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
