"""The process in which a third party's code runs: read a request, and write its answer."""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mehler.cli._process import ANSWER, REQUEST, packed, unpacked


def main(folder: str) -> None:
    """Answer the request in a folder, and end the process whatever threads the target left."""
    _end_with_parent()
    file = Path(folder, REQUEST)
    request = json.loads(file.read_text("utf-8"))
    file.unlink()
    token, debug = request.pop("token"), request.pop("debug", False)
    run: dict[str, Callable[..., dict[str, Any]]] = {"verify": verify, "features": features}
    try:
        content = run[request.pop("do")](**request)
    except BaseException as error:  # an exit of the target too
        from mehler.cli._console import describe

        if debug:
            traceback.print_exc()
        content = {"error": describe(error)}
    text = json.dumps({**content, "token": token})
    Path(folder, "part").write_text(text, "utf-8")
    os.replace(Path(folder, "part"), Path(folder, ANSWER))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
    os._exit(0)


def _end_with_parent() -> None:
    """End this process with its parent, whose end of the standard input is then closed."""
    number = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def wait() -> None:
        os.read(number, 1)
        os._exit(2)

    threading.Thread(target=wait, daemon=True).start()


def verify(rows: str | None, outputs: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Verify a map, write the files asked for, and return exit status and lines."""
    from mehler.cli._checks import verify_map
    from mehler.cli._console import progress, warnings_once
    from mehler.cli._options import Outputs

    with progress() as show, warnings_once():
        values = None if rows is None else unpacked(rows)
        result = verify_map(rows=values, progress=show, **options)
    return Outputs(**outputs).write(result)


def features(
    target: str,
    rows: str,
    values: str,
    n_features: int | None,
    arguments: dict[str, Any],
    seed: int,
) -> dict[str, Any]:
    """Return the features of `values` by the map of a seed; transformers are fitted on `rows`."""
    import numpy as np

    from mehler._arrays import to_host
    from mehler.cli._target import load, read_target

    loaded = load(target, what="MODULE:FACTORY")
    read = read_target(target, loaded, unpacked(rows), n_features=n_features, arguments=arguments)
    return {"features": packed(np.asarray(to_host(read.draw(seed)(unpacked(values)))))}
