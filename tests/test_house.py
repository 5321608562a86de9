"""The plan of the house: imports go down only, and the core stays light."""

import ast
import functools
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Bottom layer first: a package may import from itself and from the packages before it.
LAYERS = [
    *("mehler._version", "mehler._text", "mehler._plural", "mehler._validate", "mehler._run_seed"),
    *("mehler._arrays", "mehler._random", "mehler._files", "mehler.recheck"),
    "mehler.doubling",
    "mehler.exact",
    "mehler.kernels",
    "mehler.bounds",
    "mehler.features",
    "mehler.torch",
    "mehler.jax",
    "mehler.learn",
    "mehler.sklearn",
    "mehler.verify",
    "mehler.strategies",
    "mehler.pytest_plugin",
    "mehler.statements",
    "mehler.planning",
    "mehler.report",
    "mehler.proofs_checks",
    "mehler.cli",
]


def layer_of(module: str) -> str | None:
    layers = [r for r in LAYERS if module == r or module.startswith(r + ".")]
    return layers[0] if layers else None


@functools.cache
def files():
    """Modules and their files; the folder at the top is a package of mehler's, as in a wheel."""
    modules = []
    for base, package in ((ROOT / "src", "mehler"), (ROOT, "proofs_checks")):
        for path in sorted((base / package).rglob("*.py")):
            parts = path.relative_to(base).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            modules.append((name if package == "mehler" else f"mehler.{name}", path))
    return tuple(modules)


@functools.cache
def named(path: Path):
    """What is imported: modules, or names in modules."""
    return tuple(_named(path))


def _named(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            here = ".".join(("mehler", *path.relative_to(ROOT).parts)[: -node.level or None])
            module = ".".join(filter(None, (here if node.level else "", node.module)))
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and "import_module" in ast.dump(node.func):
            yield from (part.value for part in node.args if isinstance(part, ast.Constant))


def imports(path: Path):
    """What is imported, and the packages that it is imported from."""
    for name in named(path):
        yield from (name, name.rpartition(".")[0])


def test_imports_go_down_only():
    upward = []
    for module, path in files():
        here = layer_of(module)
        if here is None:
            continue
        for target in imports(path):
            there = layer_of(target)
            # Statements are discovered by entry point, so nothing below imports them.
            if there and LAYERS.index(there) > LAYERS.index(here):
                upward.append(f"{module} -> {target}")
    assert not upward


def test_no_file_imports_itself_in_a_circle():
    """Imports inside functions, by name and for types count: a reader follows them too."""
    modules = dict(files())
    below = {
        module: {
            # A module that is imported from its package, or what holds the name.
            target if target in modules else target.rpartition(".")[0]
            for target in named(path)
        }
        & modules.keys() - {module}  # one loads itself by its other name
        for module, path in modules.items()
    }
    while leaves := {module for module, targets in below.items() if not targets}:
        below = {m: targets - leaves for m, targets in below.items() if m not in leaves}
    assert below == {}


def private(module: str, target: str) -> bool:
    """Whether another package than the module's own keeps the target to itself."""
    here, there = (name.split(".")[1:2] for name in (module, target))
    inside = target.split(".")[2:]
    return (
        target.startswith("mehler.")
        and here != there
        and any(part.startswith("_") and not part.startswith("__") for part in inside)
    )


def test_no_package_imports_what_another_keeps_to_itself():
    """What others need is imported by the ``__init__.py`` of its package, and taken from there."""
    assert private("mehler.sklearn._base", "mehler.learn._ridge.ridge")
    assert not private("mehler.learn._path", "mehler.learn._ridge.ridge")
    imported = [f"{module} -> {to}" for module, path in files() for to in named(path)]
    assert [line for line in imported if private(*line.split(" -> "))] == []


def test_folders_are_small():
    """About fifteen files, so that a reader sees what there is."""
    sizes = Counter(path.parent for _, path in files() if path.name != "__init__.py")
    assert {str(p): n for p, n in sizes.items() if n > 15} == {}


def test_backends_are_named_in_one_room_only():
    backends = {"torch", "jax", "cupy", "dask", "array_api_compat", "array_api_strict"}
    named = [
        f"{module} -> {target}"
        for module, path in files()
        # Packages for one library each are for its users.
        if layer_of(module) not in ("mehler._arrays", "mehler.torch", "mehler.jax")
        for target in imports(path)
        if target.split(".")[0] in backends
    ]
    assert named == []


# Functions of `_arrays` whose answer is a library, and the types that one has.
QUESTIONS = {
    *(f"is_{name}" for name in ("numpy_array", "torch_array", "jax_array", "cupy_array")),
    *("is_on_accelerator", "is_chunked", "writable", "namespace_name", "standard_namespace"),
}
TYPES = {"np.ndarray", "np.generic", "numpy.ndarray", "numpy.generic"}


def questions(source: str):
    """Expressions that ask of which library an array is."""
    for node in ast.walk(ast.parse(source)):
        yield from {getattr(node, "attr", getattr(node, "id", ""))} & QUESTIONS
        of_type = isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("type(")
        if of_type or (isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"):
            inside = {ast.unparse(part) for part in ast.walk(node)}
            yield from (ast.unparse(node) for _ in inside & TYPES)


def test_one_package_asks_which_library_an_array_is_of():
    """Others ask `_arrays` for what follows from it: may it be read, does it stay lazy."""
    faults = "type(x) is np.ndarray", "isinstance(x, list | np.ndarray)", "_arrays.is_chunked(x)"
    assert [len(list(questions(fault))) for fault in faults] == [1, 1, 1]
    assert not list(questions("_arrays.stays_lazy(x) and isinstance(x, str)"))
    # The modules of one library each, torch.py and jax.py, are for its arrays alone.
    layers = "mehler._arrays", "mehler.torch", "mehler.jax"
    expressions = {
        module: list(questions(path.read_text()))
        for module, path in files()
        if layer_of(module) not in layers
    }
    assert {module: asked for module, asked in expressions.items() if asked} == {}


def test_files_are_short():
    lengths = {path: len(path.read_text().splitlines()) for _, path in files()}
    assert {str(p): n for p, n in lengths.items() if n > 600} == {}


# Packages that share a budget.
SHARED = {
    **dict.fromkeys(("torch", "jax"), "torch_and_jax"),
    "cli": "audit_and_cli",
    **dict.fromkeys(("statements", "strategies", "pytest_plugin"), "statements_and_plugin"),
    "recheck": "verify",
    "kernels": "kernels",
    "planning": "planning",
}
# Folders outside of src, which have a limit alone.
FOLDERS = {name: [f"{name}/**/*.py"] for name in ("proofs_checks", "tests", "benchmarks")}
# Programs that make the pages; adapters of other libraries' maps, which they show, do not count.
FOLDERS |= {"docs_programs": ["docs/*.py", "docs/_ext/*.py"]}


def weights() -> Counter[str]:
    """Lines of each package, files of src, and names in ``__all__`` of public modules."""
    counts: Counter[str] = Counter()
    for path in (ROOT / "src" / "mehler").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        parts = path.relative_to(ROOT / "src" / "mehler").with_suffix("").parts
        package = SHARED.get(parts[0], parts[0] if parts[1:] else "_arrays")
        counts.update({"src": len(text.splitlines()), "src_files": 1})
        counts[package] += len(text.splitlines())
        if not any(part.startswith("_") and part != "__init__" for part in parts):
            exported = (
                node.value
                for node in ast.parse(text).body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            )
            counts["public_names"] += sum(len(ast.literal_eval(value)) for value in exported)
    for name, patterns in FOLDERS.items():
        for path in (path for pattern in patterns for path in ROOT.glob(pattern)):
            counts[name] += len(path.read_text(encoding="utf-8").splitlines())
    return counts


def budget_of(pyproject: str) -> dict[str, dict[str, int]]:
    """Return the budget in the text of a pyproject.toml; older ones have one number a package."""
    table = tomllib.loads(pyproject).get("tool", {}).get("mehler", {}).get("budget", {})
    return {name: numbers for name, numbers in table.items() if isinstance(numbers, dict)}


def git(*arguments: str) -> str:
    """Return what git prints, or nothing where there is no checkout, or none of git."""
    try:
        return subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def earlier_budgets() -> list[dict[str, dict[str, int]]]:
    """Return the budgets at the merge base, and before the last commits that touched the file."""
    commits = [git("merge-base", "HEAD", "origin/main")]
    commits += git("log", "-n", "5", "--format=%H", "HEAD", "--", "pyproject.toml").split()
    return [budget_of(git("show", f"{commit}:pyproject.toml")) for commit in commits if commit]


def raised(
    budget: dict[str, dict[str, int]], earlier: dict[str, dict[str, int]]
) -> list[tuple[str, str]]:
    """Return the numbers that are larger than before, and those that are new."""
    return [
        (name, kind)
        for name, numbers in budget.items()
        for kind, number in numbers.items()
        if earlier and number > earlier.get(name, {}).get(kind, -1)
    ]


def test_weight_is_within_its_budget():
    budget = budget_of((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    counts = weights()
    today = {name: numbers.get("now") for name, numbers in budget.items()}
    assert counts.keys() <= budget.keys(), "a package without a budget"
    above = {k: n - today[k] for k, n in counts.items() if today[k] is not None and n > today[k]}
    assert not above, f"above `now` of pyproject.toml, which never rises: remove as many: {above}"
    for name in ("proofs_checks", "tests", "benchmarks", "docs_programs"):
        assert counts[name] <= budget[name]["limit"]


def test_no_commit_raises_a_limit():
    budget = budget_of((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert [
        raised(budget, earlier) for earlier in earlier_budgets() if raised(budget, earlier)
    ] == []
    now = {"src": {"limit": 10, "now": 20}}
    assert raised({"src": {"limit": 11, "now": 19}}, now) == [("src", "limit")]
    assert raised({"src": {"limit": 10, "now": 21}}, now) == [("src", "now")]
    assert raised({"new": {"limit": 1}}, now) == [("new", "limit")]
    assert raised({"src": {"limit": 9, "now": 20}}, now) == []
    assert raised({"src": {"limit": 9, "now": 20}}, {}) == []


def public_names() -> dict[str, set[str]]:
    """Return the packages that export each name."""
    names: dict[str, set[str]] = {}
    for module, path in files():
        if any(part.startswith("_") for part in module.split(".")):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                for name in ast.literal_eval(node.value):
                    names.setdefault(name, set()).add(f"{module}.".split(".")[1])
    return names


def test_public_names_have_a_user():
    """A page, a statement, another package, or a signature or an error of the own one."""
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.ipynb"), ROOT / "README.md"]
    pages += (ROOT / "proofs_checks").rglob("*.md")
    texts = [page.read_text(encoding="utf-8") for page in pages if page.parent.name != "api"]
    on_pages = set(re.findall(r"\w+", "\n".join(texts)))
    inside, passed = defaultdict(set), defaultdict(set)
    for module, path in files():
        package = module.split(".")[1] if "." in module else ""
        text = path.read_text(encoding="utf-8")
        if package:
            inside[package].update(re.findall(r"\w+", text))
            passed[package].update(re.findall(r"(?:->|:|raise|\||\[) *(\w+)", text))
    unused = {
        name
        for name, homes in public_names().items()
        if name not in on_pages
        and not any(name in words for package, words in inside.items() if package not in homes)
        and not any(name in passed[package] for package in homes)
    }
    assert unused == set()


def parameter_sentences(docstring: str) -> set[str]:
    """Return the long sentences of a docstring's parameters."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n---|\Z)", docstring, re.S | re.M)
    texts = re.findall(r"(?:^    .*\n?|^\n)+", section[1], re.M) if section else []
    sentences = {s for text in texts for s in re.split(r"(?<=[.;])\s+", " ".join(text.split()))}
    return {s for s in sentences if len(s) >= 60 and not s.startswith("As ")}


def repeated(sources: dict[str, str]) -> dict[tuple[str, str], list[str]]:
    """Return the sentences in the parameters of two or more docstrings of one package."""
    places = defaultdict(list)
    for module, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
                for sentence in parameter_sentences(ast.get_docstring(node)):
                    places[module.split(".")[1], sentence].append(f"{module}.{node.name}")
    return {key: where for key, where in places.items() if len(where) > 1}


def test_a_parameter_is_described_once_a_package():
    """A neighbour refers to it; estimators repeat it, as scikit-learn's users read ``help``."""
    sources = {module: path.read_text(encoding="utf-8") for module, path in files()}
    packages = [module for module in sources if layer_of(module) not in (None, "mehler.sklearn")]
    assert repeated({module: sources[module] for module in packages}) == {}
    text = "Rows in the map's own namespace, all of them finite, unless\n        the map says more."
    planted = f'"""Do.\n\n    Parameters\n    ----------\n    X : array\n        {text}\n'
    planted += '\n    Examples\n    --------\n    """'
    source = "".join(f"def {name}(X):\n    {planted}\n" for name in ("first", "second"))
    [where] = repeated({"mehler.verify.planted": source}).values()
    assert where == ["mehler.verify.planted.first", "mehler.verify.planted.second"]


def untyped(source: str) -> list[bool]:
    """Return for each parameter whether its type says nothing; ``Array`` names arrays of any."""
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    arguments = (node.args for node in functions)
    every = (one for a in arguments for one in (*a.posonlyargs, *a.args, *a.kwonlyargs))
    types = [one.annotation for one in every if one.arg not in ("self", "cls")]
    return [one is None or ast.unparse(one) in ("Any", "Any | None", "Numbers") for one in types]


def test_parameters_have_types():
    """Fewer than 7.5 % are Any: where a call may pass anything, and numbers of two libraries."""
    modules = [path for module, path in files() if not module.startswith("mehler.proofs_checks")]
    parameters = [one for path in modules for one in untyped(path.read_text(encoding="utf-8"))]
    assert sum(parameters) < 0.075 * len(parameters)
    assert untyped("def one(self, x, y: Any, *, z: Array, n: int = 1): ...") == [1, 1, 0, 0]


HEAVY = {
    *("torch", "jax", "dask", "cupy", "array_api_strict", "flint", "hypothesis", "pytest"),
    *("matplotlib", "jinja2", "latex2mathml", "markdown_it", "typer", "rich", "sklearn"),
    *("pandas", "pyarrow"),
}


@pytest.mark.parametrize("module", ["mehler", "mehler.verify"])
def test_core_imports_nothing_heavy(module):
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    assert HEAVY.isdisjoint(name.partition(".")[0] for name in loaded)
    if module == "mehler":
        # `from numpy import *`, which the array API's face of NumPy begins with, loads the first.
        assert {"numpy.f2py", "numpy.testing", "scipy.special", "scipy.linalg"}.isdisjoint(loaded)


def shared_generators(tree: ast.Module) -> list[str]:
    """Where a function draws from a generator of its module, as ``name:line``."""
    generators = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).endswith("default_rng")
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    inside = (
        (function, node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and node.id in generators
    )
    return [f"{function.name}:{node.lineno}" for function, node in inside]


def test_no_test_draws_from_what_another_has_drawn_from():
    """What it sees would depend on the tests before it, and so on the number of processes."""
    places = {
        str(path.relative_to(ROOT)): shared_generators(ast.parse(path.read_text(encoding="utf-8")))
        for path in (ROOT / "tests").rglob("*.py")
    }
    assert {path: where for path, where in places.items() if where} == {}
    planted = "RNG = np.random.default_rng(0)\ndef test_it():\n    x = RNG.normal()\n"
    assert shared_generators(ast.parse(planted)) == ["test_it:3"]
