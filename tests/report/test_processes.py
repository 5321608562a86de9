"""Reports by several processes: the same bits, and clean ends whatever becomes of a process."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from mehler import report, statements
from mehler.report import _survey
from mehler.report._run import processes, run_all
from tests.report import toys

MEHLER = [sys.executable, "-m", "mehler"]


def without_times(value):
    """Drop wall time and date, which differ from run to run."""
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in ("seconds", "date")}
    return [without_times(entry) for entry in value] if isinstance(value, list) else value


def cheap(data):
    every = {entry.label: entry for entry in toys.all_maps(data)}
    return [every["Fourier features, rbf"], every["Maxout features, q = 2"]]


@pytest.mark.slow
def test_reports_of_one_and_of_two_processes_have_the_same_bits(monkeypatch):
    monkeypatch.setattr(_survey, "candidates", cheap)
    pages = [*statements.discover("maxout.q1-linear"), *statements.discover("leverage.lemma-7")]
    rows = report.load_rows(toys.rows(), target=toys.rows()[:, 0])
    lines, results = [], []
    for n_jobs in (1, 2):
        labels = []
        results.append(
            report.run(
                pages,
                data=rows,
                n_jobs=n_jobs,
                progress=lambda label, done, total, labels=labels: labels.append((label, total)),
            )
        )
        lines.append(labels)
    alone, shared = results
    assert without_times(alone.to_dict()) == without_times(shared.to_dict())
    assert sorted(lines[0]) == sorted(lines[1])
    assert {total for _, total in lines[0]} == {6}
    assert alone.exit_status == 0


@pytest.fixture(scope="module")
def two():
    """Two processes, which serve more than one call; to start one takes most of a second."""
    with processes(2) as pool:
        yield partial(run_all, pool)


def test_results_have_the_order_of_the_tasks_and_errors_are_raised(two):
    ended = []
    assert two([partial(pow, 2, k) for k in range(9)], ended.append) == [2**k for k in range(9)]
    assert sorted(ended) == [2**k for k in range(9)]
    for task, error in (
        (partial(divmod, 1, 0), ZeroDivisionError),
        (partial(sys.exit, 3), SystemExit),
    ):
        with pytest.raises(error):
            two([task, partial(divmod, 1, 1)], id)


@pytest.mark.slow
def test_a_killed_process_is_an_error_in_words():
    with (
        processes(2) as pool,
        pytest.raises(ChildProcessError, match=r"n_jobs=1 .--jobs 1. works without others"),
    ):
        run_all(pool, [partial(signal.raise_signal, signal.SIGKILL), partial(time.sleep, 0)], id)


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.full),
        pytest.param(signal.SIGKILL, marks=pytest.mark.full),
    ],
)
def test_an_interrupted_report_writes_nothing_and_leaves_no_process(tmp_path, number):
    with subprocess.Popen(
        [*MEHLER, "report", "--jobs", "2", "--out", "out"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        # The first line comes from a process that is at work.
        assert process.stderr.readline().startswith("mehler: 1 of ")
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        rest = process.stderr.read()  # until all processes have closed it
    assert os.listdir(tmp_path) == []
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert rest.splitlines()[-1] == "mehler: error: interrupted; nothing was written"
        assert "Traceback" not in rest
