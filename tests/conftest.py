"""Fixtures that every part of the suite shares."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.places import CPU, GPU, Place

# The first example of a pool size builds its table: a deadline would measure that.
settings.register_profile("mehler", deadline=None)
settings.load_profile("mehler")


@pytest.fixture(
    params=[pytest.param(place, id=place.name) for place in CPU]
    + [pytest.param(place, id=place.name, marks=pytest.mark.gpu) for place in GPU]
)
def place(request: pytest.FixtureRequest) -> Place:
    return request.param


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without ``-m``, leave out what needs hours or a GPU; nothing is skipped, only deselected."""
    if config.option.markexpr:
        return
    kept = [item for item in items if not ({"gpu", "full"} & {m.name for m in item.iter_markers()})]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
