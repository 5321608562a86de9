"""Run ``mehler verify``, and so third-party code, in a subprocess with a time limit.

`answer` writes a request (rows, files to write, options of the check) to a private folder, starts
`serve` in a process, and reads the answer, both as JSON. The process prints to standard error; its
exit status is ignored, since only a whole answer counts.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mehler.cli._console import describe, progress, warnings_once

_ROOT = str(Path(__file__).resolve().parents[2])
_COMMAND = f"import sys; sys.path[:0] = [{_ROOT!r}] * ({_ROOT!r} not in sys.path)"
_COMMAND += "; from mehler.cli._process import serve; serve(sys.argv[1])"
_GRACE = 2.0  # seconds from the signal to end to that to kill: files are written to their end


def answer(request: Mapping[str, Any], seconds: float | None) -> dict[str, Any]:
    """Return the answer to a request; ChildProcessError if there is none within `seconds`."""
    with tempfile.TemporaryDirectory(prefix="mehler-", ignore_cleanup_errors=True) as folder:
        Path(folder, "request").write_text(json.dumps(request), "utf-8")
        process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, folder],
            # It ends with this process, when its standard input does.
            stdin=subprocess.PIPE,
            stdout=2,
            env={**os.environ, "PYTHONSAFEPATH": "1"},
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ChildProcessError(
                f"the command did not end within {seconds:.3g} s: the target hangs, or "
                "--time-limit is too short for one of its draws"
            ) from None
        finally:
            _end(process)
        with contextlib.suppress(FileNotFoundError):
            return dict(json.loads(Path(folder, "answer").read_text("utf-8")))
        code = process.returncode
        how = f"was ended by signal {-code} (9: is memory exhausted?)"
        how = how if code < 0 else f"ended the process, with status {code},"
        raise ChildProcessError(f"the code that was run {how} before there was a verdict")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and those that it has started."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        if process.poll() is None:
            process.terminate()
            process.wait(_GRACE)
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


def serve(folder: str) -> None:
    """Answer the request in a folder, and exit even if threads of the target still run."""
    number = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def end_with_parent() -> None:
        os.read(number, 1)  # at its end the parent is gone
        with contextlib.suppress(AttributeError):
            os.killpg(0, signal.SIGKILL)  # and those that this process has started
        os._exit(2)

    threading.Thread(target=end_with_parent, name="mehler", daemon=True).start()
    file = Path(folder, "request")
    request = json.loads(file.read_text("utf-8"))
    file.unlink()
    debug = request.pop("debug", False)
    try:
        content = _verify(**request)
    except BaseException as error:  # an exit of the target too
        if debug:
            traceback.print_exc()
        content = {"error": describe(error)}
    part = Path(folder, f"part-{os.getpid()}")  # the target may have forked this process
    part.write_text(json.dumps(content), "utf-8")
    os.replace(part, Path(folder, "answer"))
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(0)


def _verify(rows: Any, outputs: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Verify a map, write the files asked for, and return exit status and lines."""
    from mehler.cli._checks import verify_map
    from mehler.cli._options import write

    values = None if rows is None else np.asarray(rows, dtype=float)
    with progress() as show, warnings_once():
        result = verify_map(rows=values, progress=show, **options)
    return write(result, **outputs)
