"""The default run takes as many cases of a sampled test as it says, the same ones every time."""

from types import SimpleNamespace

import pytest

from tests.conftest import _sample

SAMPLED = pytest.mark.sampled


def case(name: str, *marks: pytest.MarkDecorator) -> SimpleNamespace:
    """What `_sample` needs of an item."""
    by_name = {item.name: item.mark for item in marks}
    add = lambda mark: by_name.update({mark.name: mark.mark})  # noqa: E731
    nodeid = f"test_file.py::test_it[{name}]"
    return SimpleNamespace(nodeid=nodeid, get_closest_marker=by_name.get, add_marker=add)


def default_of(items: list[SimpleNamespace]) -> set[str]:
    _sample(items)
    return {item.nodeid for item in items if item.get_closest_marker("full") is None}


def cases(n: int, *group: str) -> list[SimpleNamespace]:
    return [case(f"{group}{k}", SAMPLED(n, *group)) for k in range(20)]


def test_so_many_cases_are_kept_in_any_order():
    assert [len(default_of(cases(n))) for n in (1, 3, 20, 30)] == [1, 3, 20, 20]
    assert default_of(cases(5)) == default_of(cases(5)[::-1]) < default_of(cases(6))


def test_full_cases_do_not_count_and_groups_are_counted_apart():
    slow, plain = case("slow", SAMPLED(2), pytest.mark.full), case("plain")
    assert len(default_of([slow, plain, *cases(2)])) == 3
    selected = default_of(cases(2, "maps") + cases(2, "claims"))
    assert (len(selected), sum("maps" in name for name in selected)) == (4, 2)
