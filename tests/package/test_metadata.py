"""Metadata of the wheel, and files that must agree with pyproject.toml: recipe, CI, citation."""

import datetime
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from mehler import __version__
from tests.package.conftest import ADDRESS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def metadata(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        return message_from_bytes(archive.read(f"mehler-{__version__}.dist-info/METADATA"))


def read(name: str):
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_without_an_address_no_link_leads_nowhere(wheel):
    fields, kept = metadata(wheel), ROOT / "PKG-INFO"
    # An unpacked release keeps its own addresses, a checkout has none.
    released = kept.exists() and "\nProject-URL: " in kept.read_text(encoding="utf-8")
    assert (fields.get_all("Project-URL") is not None) == released
    links = LINK.findall(re.sub(r"```.*?```", "", fields.get_payload(), flags=re.DOTALL))
    assert bool(links) == released
    assert all(link.startswith("https://") for link in links)
    assert "Proved and refuted" in fields.get_payload()
    assert "rbf_kernel" in fields.get_payload()  # code stays


@pytest.mark.slow
def test_a_release_has_addresses_and_every_link_leads_into_the_repository(released):
    fields = metadata(released)
    assert f"Source, {ADDRESS}" in fields.get_all("Project-URL")
    links = LINK.findall(re.sub(r"```.*?```", "", fields.get_payload(), flags=re.DOTALL))
    assert len(links) > 30
    inside = re.compile(rf"{ADDRESS}/(blob|raw)/v{re.escape(__version__)}/([^#]+)(#.*)?")
    for link in links:
        target = inside.fullmatch(link)
        assert target, link
        assert (ROOT / target[2]).is_file(), link
        assert (target[1] == "raw") == link.endswith((".svg", ".png"))


def test_versions_agree():
    assert PROJECT["version"] == __version__
    assert read("CITATION.cff")["version"] == __version__
    assert read("recipe/recipe.yaml")["context"]["version"] == __version__
    assert f"## {__version__} (" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_has_what_its_format_asks_for():
    """Version 1.2.0: four required fields, a name for each author, a date, an SPDX licence."""
    citation = read("CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation.keys() >= {"message", "title", "authors"}
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in PROJECT["authors"]
    ]
    assert datetime.date.fromisoformat(citation["date-released"])
    assert citation["license"] == PROJECT["license"]


def test_the_recipe_asks_for_what_the_package_asks_for():
    requirements = read("recipe/recipe.yaml")["requirements"]

    def listed(lines):
        return {line.replace(" ", "").replace("matplotlib-base", "matplotlib") for line in lines}

    def weakest(lines):
        """A package of conda's has builds for a Python or has none: it needs no markers."""
        return {re.sub("; python_version < .*", "", line) for line in lines}

    assert listed(requirements["run"]) - {"python>=${{python_min}}"} == {
        line for line in weakest(PROJECT["dependencies"]) if ";" not in line
    }
    extras = {line for lines in PROJECT["optional-dependencies"].values() for line in lines}
    assert listed(requirements["run_constraints"]) <= weakest(extras)


def lowest(folder: Path):
    """Run ``.ci/lowest`` on the pyproject.toml in a folder."""
    return subprocess.run(
        [sys.executable, ROOT / ".ci" / "lowest"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("python", PYTHONS)
def test_each_package_has_one_lowest_version_on_a_python(python):
    """Two pins of a package on one Python, or none, and pip refuses or takes the newest."""
    pins = [Requirement(line) for line in lowest(ROOT).stdout.splitlines()]
    here = [
        pin.name
        for pin in pins
        if pin.marker is None or pin.marker.evaluate({"python_version": python})
    ]
    assert sorted(here) == sorted({pin.name for pin in pins})
    assert len(here) > 25


def test_the_lowest_versions_are_those_of_all_extras_and_markers(tmp_path):
    def lowest_of(*lines: str):
        text = f"[project]\nname = 'one'\ndependencies = {list(lines)}\n"
        extras = "[project.optional-dependencies]\nmore = ['two[array]>=3.10', 'one[less]']\n"
        (tmp_path / "pyproject.toml").write_text(text + extras, encoding="utf-8")
        return lowest(tmp_path)

    old, new = "python_version < '3.13'", "python_version >= '3.13'"
    assert lowest_of(f"six>=1; {old}", f"six>=2.1; {new}", "two>=3.9").stdout.splitlines() == [
        f"six==1; {old}",
        f"six==2.1; {new}",
        "two==3.10",
    ]
    assert "'six' has no lowest version" in lowest_of("six").stderr
    assert lowest_of("six<2").returncode == 1


def test_every_supported_python_is_tested():
    matrix = read(".github/workflows/tests.yml")["jobs"]["suite"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert f">={PYTHONS[0]}" == PROJECT["requires-python"]
    assert len(matrix["os"]) >= 2


def files_naming_extras():
    """Yield the files that may name extras: the source, pages, jobs."""
    for folder, pattern in (("src", "*.py"), ("docs", "*.md"), (".github", "*.yml"), (".ci", "*")):
        yield from (ROOT / folder).rglob(pattern)
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml"))


def test_every_extra_that_is_named_exists():
    uses = {
        (extra.strip(), path.name)
        for path in files_naming_extras()
        if path.is_file() and "_build" not in path.parts
        for extras in re.findall(r"""(?:mehler|["']\.)\[([a-z0-9, ]+)\]""", path.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert {
        (extra, file) for extra, file in uses if extra not in PROJECT["optional-dependencies"]
    } == set()
    assert len(uses) > 20


ALONE = """
import sys
for name in ("planning", "report", "sklearn", "statements", "strategies"):
    for module in [path for path in sys.modules if path.partition(".")[0] == "mehler"]:
        del sys.modules[module]
    import mehler
    assert name in dir(mehler)
    assert getattr(mehler, name).__name__ == f"mehler.{name}"
"""


def test_packages_are_attributes_of_mehler_imported_anew():
    """In a new process, and none is there because another one is."""
    subprocess.run([sys.executable, "-c", ALONE], check=True)
