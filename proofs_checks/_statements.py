"""Find the statements: each is a page of Markdown, with its checks in a module of its paper."""

from importlib import import_module
from pathlib import Path

from mehler.statements import Statement

from . import depth, features, fourier, group_invariant, kitchen_sinks, leverage, maxout

HERE = Path(__file__).parent
PACKAGE = __name__.rpartition(".")[0]
PAPERS = (maxout, kitchen_sinks, leverage, fourier, features, depth, group_invariant)
# The order of reports; what is not named there follows by its id.
ORDER = [
    f"{paper.__name__.rpartition('.')[2]}.{name}".replace("_", "-")
    for paper in PAPERS
    for name in paper.ORDER
]


def _read() -> list[tuple[Statement, Path]]:
    """Import all modules, so that their checks register themselves, and read the pages."""
    folders = [HERE / paper.__name__.rpartition(".")[2] for paper in PAPERS]
    modules = sorted(module for folder in folders for module in folder.rglob("*.py"))
    for module in modules:
        if module.stem != "__init__":
            import_module(".".join((PACKAGE, *module.relative_to(HERE).with_suffix("").parts)))
    pages = sorted(page for folder in folders for page in folder.rglob("*.md"))
    entries = [(Statement.read(path), path) for path in pages]
    last = len(ORDER)
    rank = {name: place for place, name in enumerate(ORDER)}
    return sorted(entries, key=lambda entry: (rank.get(entry[0].id, last), entry[0].id))


_ENTRIES = _read()
STATEMENTS: tuple[Statement, ...] = tuple(statement for statement, _ in _ENTRIES)
PAGES: dict[str, Path] = {statement.id: path for statement, path in _ENTRIES}
