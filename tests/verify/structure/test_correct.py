"""No correct map is refuted, alone or while another thread draws from a global generator."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from mehler.verify import check_structure
from tests.verify.structure.correct_maps import CORRECT


def correct(name):
    """Return the map of a name, its kernel and rows; skip where its library is not installed."""
    for library in ("torch", "jax"):
        if library in name:
            pytest.importorskip(library)
    return CORRECT[name]


@pytest.mark.parametrize("name", CORRECT)
@pytest.mark.sampled(12)
def test_a_correct_map_holds(name):
    draw, kernel, rows = correct(name)
    verdict = check_structure(draw, rows, kernel=kernel)
    assert verdict.status == "holds", str(verdict)


@pytest.mark.full
# A map that seeds the generator of the thread shares it, and loses.
@pytest.mark.parametrize("name", [name for name in CORRECT if not name.startswith("seeds a")])
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
