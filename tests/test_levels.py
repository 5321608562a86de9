"""The default run takes as many cases of a sampled test as it says, the same ones every time."""

import pytest

from tests.conftest import _sample


class Case:
    """What `_sample` needs of an item."""

    def __init__(self, name: str, *marks: pytest.MarkDecorator) -> None:
        self.nodeid = name
        self.marks = {one.name: one.mark for one in marks}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks[mark.name] = mark.mark

    @property
    def full(self) -> bool:
        return "full" in self.marks


def cases(n: int) -> list[Case]:
    return [Case(f"test_file.py::test_it[{k}]", pytest.mark.sampled(n)) for k in range(20)]


def kept(items: list[Case]) -> set[str]:
    _sample(items)
    return {one.nodeid for one in items if not one.full}


def test_so_many_cases_are_kept():
    assert [len(kept(cases(n))) for n in (1, 3, 20, 30)] == [1, 3, 20, 20]


def test_cases_are_the_same_in_any_order():
    assert kept(cases(5)) == kept(cases(5)[::-1])
    assert kept(cases(5)) < kept(cases(6))


def test_full_cases_and_other_tests_do_not_count():
    slow = Case("test_file.py::test_it[slow]", pytest.mark.sampled(2), pytest.mark.full)
    other = Case("test_file.py::test_other[0]", pytest.mark.sampled(2))
    plain = Case("test_file.py::test_plain")
    selected = kept([slow, other, plain, *cases(2)])
    assert {"test_file.py::test_other[0]", "test_file.py::test_plain"} < selected
    assert len(selected) == 4


def test_groups_are_counted_apart():
    grouped = [
        Case(f"test_file.py::test_it[{group}{k}]", pytest.mark.sampled(2, group))
        for group in ("maps", "claims")
        for k in range(5)
    ]
    selected = kept(grouped)
    assert len(selected) == 4
    assert sum("maps" in name for name in selected) == 2
