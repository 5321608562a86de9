"""What the wheel and the source distribution hold, and that the wheel needs nothing beside it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_brings_one_name(wheel):
    from mehler import __version__

    tops = {name.split("/")[0] for name in names(wheel)}
    assert tops == {"mehler", f"mehler-{__version__}.dist-info"}


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    def below(folder, place):
        paths = (p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        return {f"{place}/{p.relative_to(folder).as_posix()}" for p in paths}

    expected = below(ROOT / "src" / "mehler", "mehler")
    expected |= below(ROOT / "proofs_checks", "mehler/proofs_checks")
    assert {name for name in names(wheel) if name.startswith("mehler/")} == expected


def test_the_wheel_holds_the_statements_and_not_the_file_that_leads_to_them(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = archive.read("mehler/proofs_checks/__init__.py")
    assert held == (ROOT / "proofs_checks" / "__init__.py").read_bytes()


@pytest.mark.full
def test_the_source_distribution_makes_the_same_wheel(wheel, released):
    assert names(released) == names(wheel)


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"),
        *("pyproject.toml", "hatch_build.py", "recipe/recipe.yaml"),
        *("proofs_checks/__init__.py", "src/mehler/proofs_checks/__init__.py"),
        *("tests/package/test_distributions.py", "docs/conf.py", "benchmarks/mutations.py"),
    ],
)
def test_the_source_distribution_holds_what_tests_and_pages_need(sdist, name):
    assert (sdist / name).is_file()


@pytest.mark.full
def test_the_wheel_alone_lists_its_statements(wheel, tmp_path):
    """Out of sight of the checkout: its folders are not on the path."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        "import mehler, sys, importlib.util\n"
        f"assert mehler.__file__.startswith({str(tmp_path)!r})\n"
        "assert importlib.util.find_spec('proofs_checks') is None\n"
        "from mehler.cli import main\n"
        "sys.argv = ['mehler', 'statements']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert "maxout.theorem-1" in done.stdout
