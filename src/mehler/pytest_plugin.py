"""The plugin of pytest: one false-alarm budget for all tests of a run, fixed or fresh seeds.

Each look, one evaluation of a statistical check, may refute a correct map by chance. Checks pay for
looks from the fixture `mehler_ledger`; a run fails if it spends more than its budget, and lists the
refuted verdicts that no test reads. pytest imports this file in every run of an environment that
has mehler, so it imports no NumPy, and the rest only when a test asks for the ledger.
"""

from __future__ import annotations

import argparse
import json
import math
import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mehler import _run_seed
from mehler._plural import counted

if TYPE_CHECKING:
    from mehler.verify import Verdict

_BUDGET = 1e-6
# Stored in pytest's config: the `Record` of this process, once a test has asked for the ledger.
_RECORD = pytest.StashKey[Any]()
_PARTS = pytest.StashKey[list[dict[str, Any]]]()  # records of xdist workers, as dicts
_STARTED = pytest.StashKey[list[str]]()  # xdist workers that have not reported back
_TOTAL = pytest.StashKey[Any]()  # the `Total` of all processes
_WATCH = pytest.StashKey["Watch"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mehler", "mehler: error rates for random feature maps")
    group.addoption(
        "--mehler-budget",
        type=_probability,
        default=_BUDGET,
        metavar="P",
        help="bound on the probability of any false alarm in this run (default: 1e-6)",
    )
    group.addoption(
        "--mehler-fresh-seeds",
        action="store_true",
        help="draw the root of all seeds (of the mehler_seed fixture, and of checks without seed=) "
        "from the system's entropy, and print it",
    )
    group.addoption(
        "--mehler-seed",
        type=_seed,
        default=None,
        metavar="N",
        help="root of all seeds; replays a run with fresh seeds",
    )
    group.addoption(
        "--mehler-json",
        default=None,
        metavar="PATH",
        help="file for the run's ledger (default: mehler/mehler.json in pytest's cache)",
    )
    group.addoption(
        "--mehler-certificate",
        default=None,
        metavar="PATH",
        help="file for what the verdicts of this run rest on; python -m mehler.recheck PATH "
        "decides them again",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_PARTS] = []
    config.stash[_STARTED] = []
    config.stash[_WATCH] = Watch()
    if hasattr(config, "workerinput"):
        config.option.mehler_seed = config.workerinput["mehler_seed"]
    elif config.option.mehler_fresh_seeds and config.option.mehler_seed is None:
        config.option.mehler_seed = int.from_bytes(os.urandom(4), "big")
    for option in ("--mehler-json", "--mehler-certificate"):
        path = _option_path(config, option)
        if path is not None:
            from mehler._files import require_file

            try:
                require_file(path, option)
            except ValueError as error:
                raise pytest.UsageError(str(error)) from error


def pytest_report_header(config: pytest.Config) -> str | None:
    return _replay(config) if config.option.mehler_fresh_seeds else None


@pytest.fixture(scope="session")
def mehler_ledger(pytestconfig: pytest.Config) -> Any:
    """The run's false-alarm budget: a `mehler.verify.Ledger` of ``--mehler-budget``.

    Give it to the checks as ``ledger=mehler_ledger``; under Hypothesis use
    ``mehler_ledger.allot("label", examples=...)``.
    """
    pytestconfig.stash[_RECORD] = Record(
        pytestconfig.option.mehler_budget,
        certify=pytestconfig.option.mehler_certificate is not None,
    )
    return pytestconfig.stash[_RECORD].ledger


@pytest.fixture
def mehler_seed(request: pytest.FixtureRequest) -> int:
    """A seed of this test's own, the same in every run but with ``--mehler-fresh-seeds``.

    Under Hypothesis use `mehler.strategies.seeds` instead, which makes it part of the example.
    """
    return _seed_of(request.node.nodeid, request.config.option.mehler_seed or 0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Watch the verdicts of a test, and give checks without a seed one, if the run has a root."""
    root, watch = item.config.option.mehler_seed, item.config.stash[_WATCH]
    _run_seed.seed = None if root is None else _seed_of(item.nodeid, root)
    watch.test, watch.assertions = item.nodeid, []
    _run_seed.on_verdict = watch.hear
    try:
        return (yield)
    finally:
        _run_seed.seed = _run_seed.on_verdict = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show the text of the verdicts that failed an ``assert check_kernel(...)``."""
    report: Any = yield
    if report.when == "call" and report.failed:
        for verdict in item.config.stash[_WATCH].assertions:
            from mehler.verify import failure_text  # imported long ago

            report.sections.append((f"mehler: {verdict.check}", failure_text(verdict)))
    return report


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    record = item.config.stash.get(_RECORD, None)
    if record is not None:
        record.finished(item.nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give each xdist worker the root of the seeds, so that all draw from the same one."""
    node.workerinput["mehler_seed"] = node.config.option.mehler_seed


@pytest.hookimpl(optionalhook=True)
def pytest_testnodeready(node: Any) -> None:
    node.config.stash[_STARTED].append(node.gateway.id)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the record and unread refutations of an xdist worker; a crashed one has none."""
    output = getattr(node, "workeroutput", None)
    if output is not None:
        node.config.stash[_STARTED].remove(node.gateway.id)
        if "mehler" in output:
            node.config.stash[_PARTS].append(output["mehler"])
        node.config.stash[_WATCH].elsewhere += output.get("mehler_unused", [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    record = config.stash.get(_RECORD, None)
    if hasattr(config, "workeroutput"):
        config.workeroutput["mehler_unused"] = config.stash[_WATCH].unused()
        if record is not None:
            config.workeroutput["mehler"] = record.to_dict()
        return
    parts = config.stash[_PARTS] + ([] if record is None else [record.to_dict()])
    options = (config.option.mehler_json, config.option.mehler_certificate)
    if not parts and options == (None, None):
        return
    total = Total.of(config.option.mehler_budget, parts, lost=len(config.stash[_STARTED]))
    config.stash[_TOTAL] = total
    # Sums over workers are known only here: what no single ledger could refuse fails the run.
    if total.overdrawn and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    certificates = _option_path(config, "--mehler-certificate")
    if certificates is not None:
        from mehler._files import write_whole
        from mehler.verify import certificates_text

        pairs = [certified for part in parts for certified in part["certificates"]]
        write_whole(certificates, certificates_text(sorted(pairs, key=operator.itemgetter(0))))
    path = _option_path(config, "--mehler-json") or _cached_path(config)
    if path is not None:
        _write(path, {**total.to_dict(), "seed": config.option.mehler_seed or 0})


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    total = config.stash.get(_TOTAL, None)
    if total is not None:
        terminalreporter.write_line(str(total), red=total.overdrawn)
    if config.option.mehler_fresh_seeds:
        terminalreporter.write_line(_replay(config))
    unused = config.stash[_WATCH].unused()
    if unused:
        terminalreporter.write_line("mehler: refuted, and no test asked the verdict:", yellow=True)
        for line in unused:
            terminalreporter.write_line(f"  {line}")


class Watch:
    """Verdicts that do not hold, to warn of tests that never read them.

    Such a verdict, once its check returns it, gets a subclass of its class that notes which
    attributes are read. `assertions` are those of the running test whose truth was asked for.
    """

    def __init__(self) -> None:
        self.test = ""
        self.assertions: list[Verdict] = []
        self.elsewhere: list[str] = []
        self._reads: list[tuple[str, list[str]]] = []
        self._classes: dict[type, type] = {}  # of equal ones, so that verdicts compare

    def hear(self, verdict: Verdict) -> None:
        """Watch a verdict that a check returns."""
        if verdict.status == "holds" or "_read" in vars(verdict):
            return
        names: list[str] = []
        if verdict.status == "refuted":
            self._reads.append((f"{self.test} ({verdict.check})", names))
        kind = type(verdict)
        if kind not in self._classes:
            self._classes[kind] = self._watching(kind)
        vars(verdict)["_read"] = names
        object.__setattr__(verdict, "__class__", self._classes[kind])

    def _watching(self, kind: type) -> type:
        """Return a subclass of a verdict class, whose objects record what is read of them."""

        def getattribute(verdict: Verdict, name: str) -> Any:
            if not name.startswith("_"):
                # One that `dataclasses.replace` made of a watched one is read alone.
                vars(verdict).setdefault("_read", []).append(name)
            return object.__getattribute__(verdict, name)

        def truth(verdict: Verdict) -> bool:
            self.assertions.append(verdict)
            return verdict.holds

        def reduced(verdict: Verdict, protocol: int) -> tuple[Any, ...]:
            # Pickles and copies are of a class that has a name, and somebody reads them.
            state = dict(vars(verdict))
            state.pop("_read", []).append("copied")
            return object.__new__, (kind,), state

        methods = {"__getattribute__": getattribute, "__bool__": truth, "__reduce_ex__": reduced}
        return type(kind.__name__, (kind,), methods)

    def unused(self) -> list[str]:
        lines = [line for line, names in self._reads if not names]
        return list(dict.fromkeys([*lines, *self.elsewhere]))


class Record:
    """The ledger of one process, with the test of each entry.

    Each xdist worker has one, with the whole budget: tests go to workers by timing, so a part of
    the budget each would make a suite fail at random. `Total` limits the sum over workers.
    """

    def __init__(self, budget: float, *, certify: bool = False) -> None:
        from mehler.verify import Ledger

        self.ledger = Ledger(budget, on_verdict=self._certify if certify else None)
        self._tests: list[str] = []
        self._certificates: list[tuple[str, dict[str, Any]]] = []
        self._new: list[dict[str, Any]] = []

    def _certify(self, verdict: Verdict) -> None:
        self._new.append(verdict.certificate())

    def finished(self, test: str) -> None:
        """Assign the entries without an owner to the test that ends."""
        self._tests += [test] * (len(self.ledger.entries) - len(self._tests))
        self._certificates += [(test, certificate) for certificate in self._new]
        self._new = []

    def to_dict(self) -> dict[str, Any]:
        """Return the ledger's dict, each entry with the id of its test."""
        self.finished("")  # entries outside any test
        content = self.ledger.to_dict()
        for entry, test in zip(content["entries"], self._tests, strict=True):
            entry["test"] = test
        return {**content, "certificates": self._certificates}


@dataclass(frozen=True)
class Total:
    """The looks of a run in all processes, of which `lost` did not report.

    >>> entry = {"label": "kernel", "false_alarm": 1e-9, "looks": 20, "test": "test_map.py::test"}
    >>> print(Total.of(1e-6, [{"entries": [entry]}, {"entries": [entry]}]))
    mehler: 40 looks, spent 4e-08 of 1e-06
    """

    budget: float
    entries: tuple[dict[str, Any], ...]
    lost: int = 0

    @classmethod
    def of(cls, budget: float, parts: Iterable[Mapping[str, Any]], *, lost: int = 0) -> Total:
        """Merge the dicts of `Record.to_dict` from all processes."""
        entries = (entry for part in parts for entry in part["entries"])
        # Sort, since workers end in any order.
        records = sorted(entries, key=lambda entry: (entry["test"], entry["label"]))
        return cls(budget, tuple(records), lost)

    @property
    def looks(self) -> int:
        return sum(entry["looks"] for entry in self.entries)

    @property
    def spent(self) -> float:
        return math.fsum(entry["false_alarm"] * entry["looks"] for entry in self.entries)

    @property
    def overdrawn(self) -> bool:
        from mehler.verify import Ledger

        return self.spent > Ledger.limit(self.budget)

    def __str__(self) -> str:
        """Return the summary line of a run."""
        line = f"mehler: {counted(self.looks, 'look')}, spent {self.spent:.3g} of {self.budget:.3g}"
        if self.overdrawn:
            line += "; over budget: raise --mehler-budget or lower false_alarm"
        if self.lost:
            line += f"; the looks of {counted(self.lost, 'stopped worker')} are unknown"
        return line

    def to_dict(self) -> dict[str, Any]:
        """Return the content of mehler.json."""
        return {
            "budget": self.budget,
            "looks": self.looks,
            "spent": self.spent,
            "left": max(0.0, self.budget - self.spent),
            "overdrawn": self.overdrawn,
            "lost_workers": self.lost,
            "entries": list(self.entries),
        }


def _write(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON, with the version of mehler; parent folders are created."""
    from mehler._files import write_whole
    from mehler._version import __version__

    text = json.dumps({"mehler": __version__, **content}, indent=2, allow_nan=False) + "\n"
    write_whole(path, text)


def _seed_of(test: str, root: int) -> int:
    import hashlib  # pytest does without

    digest = hashlib.sha256(f"{root} {test}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1  # 31 bits, which every library takes


def _replay(config: pytest.Config) -> str:
    return f"mehler: fresh seeds, replay with --mehler-seed={config.option.mehler_seed}"


def _option_path(config: pytest.Config, option: str) -> Path | None:
    path = config.getoption(option)
    return None if path is None else config.invocation_params.dir / path


def _cached_path(config: pytest.Config) -> Path | None:
    cache = getattr(config, "cache", None)  # absent with -p no:cacheprovider
    return None if cache is None else cache.mkdir("mehler") / "mehler.json"


def _probability(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a probability in (0, 1), such as 1e-6")
    return value


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a non-negative integer, such as 0")
    return int(text)
