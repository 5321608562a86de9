"""The first four recipes of CONTRIBUTING.md, followed in a copy: no other file has to change."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mehler.proofs_checks import STATEMENTS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


class Copy:
    """A copy of the source, the files of it that were written, and Python in it."""

    def __init__(self, root):
        self.root = root
        # What is compiled stays valid, but for what is being written.
        ignore = shutil.ignore_patterns("*.pyc.*")
        shutil.copytree(ROOT / "src", root / "src", ignore=ignore)
        shutil.copytree(ROOT / "proofs_checks", root / "proofs_checks", ignore=ignore)
        self.written = []

    def add(self, path, text):
        assert not (self.root / path).exists()
        self.written.append(path)
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def replace(self, path, old, new):
        self.written.append(path)
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")

    def run(self, code):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": f"{self.root / 'src'}{os.pathsep}{self.root}"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


def files_of(recipe):
    """The number of files beside tests that a recipe promises."""
    return int(re.search(rf"^\*\*{recipe}\*\*, (\d) files?", PAGE, re.MULTILINE)[1])


@pytest.mark.slow
def test_a_spectrum(copy):
    """Frequencies uniform on [-gamma, gamma]^d: a product of sines over arguments."""
    box = """\
@dataclass(frozen=True)
class Box(Spectrum):
    gamma: float = 1.0
    name: ClassVar[str] = "box"

    @property
    def scale(self):
        return self.gamma

    def entries(self, weights):
        from scipy.special import ndtr

        return 2.0 * ndtr(weights) - 1.0

    def distance(self, x, y):
        return self.gamma * (x[:, None, :] - (x if y is None else y)[None, :, :])

    def kernel(self, t, j=1):
        xp = _arrays.array_namespace(t)
        safe = xp.where(t == 0.0, xp.ones_like(t), t) * j
        return xp.prod(xp.where(t == 0.0, xp.ones_like(t), xp.sin(safe) / safe), axis=2)


"""
    copy.replace("src/mehler/features/spectra.py", "NAMED: dict", f"{box}NAMED: dict")
    copy.replace("src/mehler/features/spectra.py", "in (Gaussian,", "in (Box, Gaussian,")
    said = copy.run(
        "import numpy as np, mehler\n"
        "from mehler.sklearn import FourierSampler\n"
        "from functools import partial\n"
        "drawn = partial(mehler.FourierFeatures.draw, 2, 500, kernel='box', gamma=2.0)\n"
        "draw = lambda seed: drawn(seed=seed)\n"
        "X = np.array([[0.1, 0.4], [-0.3, 0.2]])\n"
        "print(mehler.verify.check_kernel(draw, draw(0).kernel, X, resolution=0.1).status)\n"
        "again = mehler.from_recipe(draw(0).recipe())\n"
        "print(np.array_equal(again(X), draw(0)(X)))\n"
        "print(FourierSampler(kernel='box', gamma=2.0).fit(X).map_.spectrum.name)\n"
    )
    assert said == ["holds", "True", "box"]
    assert len(set(copy.written)) == files_of("Add a spectrum")


@pytest.mark.slow
def test_an_activation(copy):
    """|t|, of degree 1."""
    named = "src/mehler/exact/activations/_named.py"
    copy.replace(
        named,
        '        Activation("step", _step, degree=0),\n',
        '        Activation("step", _step, degree=0),\n'
        '        Activation("abs", lambda xp, t: xp.abs(t), degree=1),\n',
    )
    said = copy.run(
        "import numpy as np, mehler\n"
        "from mehler.sklearn import KitchenSinkSampler\n"
        "draw = lambda seed: mehler.KitchenSinks.draw(2, 500, activation='abs', seed=seed)\n"
        "X = np.array([[0.1, 0.4], [-0.3, 0.2]])\n"
        "print(draw(0).kernel_source.replace(' ', '-'))\n"
        "print(mehler.verify.check_kernel(draw, draw(0).kernel, X, resolution=0.1).status)\n"
        "print(np.array_equal(mehler.from_recipe(draw(0).recipe())(X), draw(0)(X)))\n"
        "print(KitchenSinkSampler(activation='abs').fit(X).map_.kernel_source.split()[0])\n"
    )
    assert said == ["closed-form", "holds", "True", "closed"]
    assert len(set(copy.written)) == files_of("Add an activation")


@pytest.mark.slow
def test_a_statement(copy):
    """Of the Fourier features: k(0) = 1."""
    copy.add(
        "proofs_checks/fourier/at_zero.md",
        """\
---
id: fourier.at-zero
source: Rahimi and Recht (2007)
place: Section 3
expected: holds
hypotheses: A kernel of
  differences.
ground: Computed.
---

# The kernel at 0

## As printed

It is 1:

$$ k(0) = 1 $$

## Proof

It is the mean of 1.
""",
    )
    copy.add(
        "proofs_checks/fourier/at_zero.py",
        """\
import numpy as np

import mehler
from mehler.statements import Evidence, check


@check("fourier.at-zero", form="printed", name="the kernel at 0")
def at_zero(context):
    phi = mehler.FourierFeatures.draw(3, 10, seed=0)
    worst = float(np.max(np.abs(np.diag(phi.kernel(np.eye(3))) - 1.0)))
    return Evidence(
        status="holds" if worst == 0.0 else "refuted",
        claim="k(x, x) = 1",
        observed=worst,
        exact=0.0,
        method="computed",
    )
""",
    )
    said = copy.run(
        "from mehler import report\n"
        "from mehler.statements import discover\n"
        "found, = discover('fourier.at-zero')\n"
        "print(report.run([found], with_data=False).statements[0].verdict)\n"
        "print(*(one.id for one in discover('fourier.*')))\n"
    )
    before = [statement.id for statement in STATEMENTS if statement.id.startswith("fourier.")]
    assert said == ["holds", *before, "fourier.at-zero"]
    assert len(set(copy.written)) == files_of("Add a statement")


@pytest.mark.slow
def test_a_bound(copy):
    """Markov's inequality for the distance to the Monte Carlo function."""
    home = "src/mehler/bounds/maxout.py"
    text = (copy.root / home).read_text(encoding="utf-8")
    own = '''

@bound("maxout.lemma-3", "distance by Markov's inequality", "n_features")
def approximation_markov(
    *, n_features: Counts, pool_size: Counts, scale: Reals, delta: Reals
) -> Bound:
    """Bound the distance by its mean square."""
    sigma = _unit_size(pool_size, centred=False)
    size, chance = positives(scale=scale), probabilities(delta=delta)
    value = size * sigma / np.sqrt(counts(n_features=n_features) * chance)
    return Bound(terms=(Term("mean", value),), probability=1 - chance)
'''
    copy.replace(home, text, text + own)
    assert len(set(copy.written)) == files_of("Add a bound")
    table = "src/mehler/planning.py"
    row = "Route(_PART, 'Markov', approximation_markov, 'pool_size scale delta')"
    copy.replace(table, "UNIFORM = [\n", f"UNIFORM = [\n    {row},\n")
    copy.replace(
        table,
        "from mehler.verify import",
        "from mehler.bounds.maxout import approximation_markov\nfrom mehler.verify import",
    )
    output = copy.run(
        "import math\n"
        "from mehler import bounds, exact\n"
        "from mehler.planning import plan\n"
        "own = bounds.by_statement('maxout.lemma-3')\n"
        "print('maxout.approximation_markov' in [one.name for one in own])\n"
        "m, = [r.features for r in plan(n_inputs=5, measure=False).rows if r.name == 'Markov']\n"
        "print(m == math.ceil(exact.sigma2(4) / (0.01 * 0.1**2)))\n"
    )
    assert output == ["True", "True"]
