"""Run a third party's code in one process of its own, with one time limit.

`answer` writes a request to a private folder, starts `_child.py` in a process, and reads the
answer, both as JSON. The process prints to standard error, and its exit status is ignored: only a
whole answer to this request counts.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

_ROOT = str(Path(__file__).resolve().parents[2])
_COMMAND = f"import sys; sys.path[:0] = [{_ROOT!r}] * ({_ROOT!r} not in sys.path)"
_COMMAND += "; from mehler.cli._child import serve; serve(sys.argv[1])"
# Seconds from a request to end to the end: files that change together are finished.
_GRACE = 2.0


def answer(request: Mapping[str, Any], seconds: float | None, **environment: str) -> dict[str, Any]:
    """Return the answer to a request; ChildProcessError if there is none within some seconds."""
    with tempfile.TemporaryDirectory(prefix="mehler-", ignore_cleanup_errors=True) as folder:
        token = secrets.token_hex()
        Path(folder, "request").write_text(json.dumps({**request, "token": token}), "utf-8")
        process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, folder],
            # It ends with this process, when its standard input does.
            stdin=subprocess.PIPE,
            stdout=2,
            env={**os.environ, "PYTHONSAFEPATH": "1", **environment},
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ChildProcessError(
                f"the command did not end within {seconds:.3g} s: --time-limit is too short for "
                "a draw of the target, or it hangs"
            ) from None
        finally:
            _end(process)
        with contextlib.suppress(OSError, ValueError, AttributeError):
            content = json.loads(Path(folder, "answer").read_text("utf-8"))
            if content.pop("token", "") == token:
                return dict(content)
        raise ChildProcessError(f"the code that was run {_ending(process.returncode)}")


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


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended the process, with status {code}, before there was a verdict"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    killed = " (is memory exhausted?)" if name == "SIGKILL" else ""
    return f"was ended by {name}{killed} before there was a verdict"


def packed(values: np.ndarray) -> str:
    """Return an array as text, to the last bit."""
    file = io.BytesIO()
    np.save(file, values, allow_pickle=False)
    return base64.b64encode(file.getvalue()).decode("ascii")


def unpacked(text: str) -> np.ndarray:
    """Return the array of `packed`."""
    values: np.ndarray = np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False)
    return values
