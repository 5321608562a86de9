"""The process in which a third party's code runs: read a request, and write its answer."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mehler._arrays import to_host
from mehler.cli._checks import verify_map
from mehler.cli._console import describe, progress, warnings_once
from mehler.cli._options import Outputs
from mehler.cli._process import packed, unpacked
from mehler.cli._target import load, read_target


def serve(folder: str) -> None:
    """Answer the request in a folder, and exit even if threads of the target still run."""
    number = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def end_with_parent() -> None:
        os.read(number, 1)  # at its end the parent is gone
        with contextlib.suppress(AttributeError):
            os.killpg(0, signal.SIGKILL)  # and those that this process has started
        os._exit(2)

    threading.Thread(target=end_with_parent, daemon=True).start()
    file = Path(folder, "request")
    request = json.loads(file.read_text("utf-8"))
    file.unlink()
    token, debug = request.pop("token"), request.pop("debug", False)
    run: dict[str, Callable[..., dict[str, Any]]] = {"verify": _verify, "features": _features}
    try:
        content = run[request.pop("do")](**request)
    except BaseException as error:  # an exit of the target too
        if debug:
            traceback.print_exc()
        content = {"error": describe(error)}
    Path(folder, "part").write_text(json.dumps({**content, "token": token}), "utf-8")
    os.replace(Path(folder, "part"), Path(folder, "answer"))
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(0)


def _verify(rows: str | None, outputs: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Verify a map, write the files asked for, and return exit status and lines."""
    with progress() as show, warnings_once():
        values = None if rows is None else unpacked(rows)
        result = verify_map(rows=values, progress=show, **options)
    return Outputs(**outputs).write(result)


def _features(rows: str, values: str, seed: int, target: str, **options: Any) -> dict[str, Any]:
    """Return the features of `values` by the map of a seed; transformers are fitted on `rows`."""
    loaded = load(target, what="MODULE:FACTORY")
    read = read_target(target, loaded, unpacked(rows), **options)
    return {"features": packed(np.asarray(to_host(read.draw(seed)(unpacked(values)))))}
