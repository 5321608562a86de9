"""Runs statements and renders what came out: HTML, JSON and Markdown from one result model."""

from mehler.report._html import page_style
from mehler.report._lines import lines
from mehler.report._model import SCHEMA, DataResult, PlanRow, Report, StatementResult
from mehler.report._run import run
from mehler.report._svg import draw
from mehler.report._verification import Verification
from mehler.report._verify import verify_map
from mehler.report._write import require_renderers, require_writable, write, write_json

__all__ = [
    "SCHEMA",
    "DataResult",
    "PlanRow",
    "Report",
    "StatementResult",
    "Verification",
    "draw",
    "lines",
    "page_style",
    "require_renderers",
    "require_writable",
    "run",
    "verify_map",
    "write",
    "write_json",
]
