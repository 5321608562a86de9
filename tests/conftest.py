"""Fixtures that every part of the suite shares."""

import gc
import hashlib
import os
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator

# Processes of pytest-xdist share the cores already: threads of BLAS on top of them make small
# products many times slower. Has to be said before NumPy is loaded.
if "PYTEST_XDIST_WORKER" in os.environ:
    for _library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import standin
from tests.places import CPU, GPU, Place

# The first example of a pool size builds its table: a deadline would measure that.
# A commit passes or fails on every machine alike: its examples follow from the tests themselves.
settings.register_profile("mehler", deadline=None, derandomize=True, max_examples=40)
# With `-m`, as for the full level, they are new each time; what they find becomes an `@example`.
settings.register_profile("mehler-search", deadline=None, max_examples=100, print_blob=True)
settings.load_profile("mehler")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.markexpr and "not full" not in config.option.markexpr:
        settings.load_profile("mehler-search")


@pytest.fixture(
    params=[pytest.param(place, id=place.name) for place in CPU]
    + [pytest.param(place, id=place.name, marks=pytest.mark.gpu) for place in GPU]
)
def place(request: pytest.FixtureRequest) -> Place:
    return request.param


@pytest.fixture
def cupy() -> Iterator[object]:
    """The stand-in, which ``import cupy`` gives meanwhile."""
    before = sys.modules.get("cupy")
    with standin.installed() as package:
        yield package
    assert sys.modules.get("cupy") is before


@pytest.fixture(autouse=True, scope="module")
def compiled_functions_of_jax_end_with_their_module() -> Iterator[None]:
    """They are kept by shape for good, and a process of the suite would grow by gigabytes."""
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage: syntax trees and tests are millions of live objects.

    They stay as long as the session does, so that no later look goes through them either.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        _run_hypothesis_once()
        gc.freeze()
        gc.enable()


@settings(max_examples=1, database=None)
@given(st.none())
def _run_hypothesis_once(_: None) -> None:
    """Let Hypothesis make its generator while the garbage collector sees who refers to it.

    Hypothesis 6.100 warns where nobody does, and what is frozen is not seen.
    """


@pytest.hookimpl(tryfirst=True)  # before pytest reads ``-m``
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without ``-m``, leave out what takes long or a GPU; nothing is skipped, only deselected."""
    _sample(items)
    if config.option.markexpr:
        return
    default, rest = [], []
    for item in items:
        levels = {"gpu", "full", "slow"} & {mark.name for mark in item.iter_markers()}
        (rest if levels else default).append(item)
    config.hook.pytest_deselected(items=rest)
    items[:] = default


def _sample(items: list[pytest.Item]) -> None:
    """Of a test that is marked ``sampled(n)``, mark all but n of the default cases as full.

    Cases that are marked ``sampled(n, group)`` are counted a group at a time.
    A hash of its name, and so no order of parameters, says which cases are run by default.
    """
    cases = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None and item.get_closest_marker("full") is None:
            where = item.nodeid.partition("[")[0]
            cases[where, mark.args].append(item)
    for (_, (n, *_)), group in cases.items():
        group.sort(key=lambda item: hashlib.sha256(item.nodeid.encode()).digest())
        for item in group[n:]:
            item.add_marker(pytest.mark.full)


@pytest.fixture
def small_cells(monkeypatch):
    """Cells of 2, so that structured blocks of 8 have four of them and are no orthogonal ones."""
    monkeypatch.setattr("mehler.features.projections.CELL", 2)
