"""Provenance of a report: versions, machine, date, command."""

from __future__ import annotations

import platform
import shlex
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from mehler._arrays import LIBRARIES
from mehler.statements import Context


def provenance(context: Context, command: tuple[str, ...] | None) -> dict[str, Any]:
    """Return what a reader needs to replay the run; `command` is what follows ``mehler``."""
    line = None if command is None else shlex.join(("mehler", *command))
    return {
        "mehler": _version("mehler"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "backend": context.backend,
        "backend_version": _backend_version(context.backend),
        "platform": platform.platform(),
        "byte_order": sys.byteorder,
        "date": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "command": line,
        "level": context.level,
        "seed": context.seed,
        "false_alarm": context.false_alarm,
    }


def replay_line(context: Context, *, data: str | None = None, options: tuple[str, ...] = ()) -> str:
    """Return the command that repeats one statement, with `options` on how the data are read."""
    words = ["mehler", "report"]
    if data is not None:
        words += [data, *options]
    if context.statement:
        words += ["--statements", context.statement]
    words += ["--level", context.level, "--seed", str(context.seed)]
    words += ["--backend", context.backend, "--false-alarm", f"{context.false_alarm:g}"]
    return shlex.join(words)


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _backend_version(backend: str) -> str | None:
    names = LIBRARIES[backend].distributions
    return next((found for name in names if (found := _version(name))), None)
