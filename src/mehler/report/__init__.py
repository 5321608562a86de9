"""Check statements and maps, and render the results as HTML, JSON and Markdown.

`load_rows` reads rows; `run` checks statements, and the library's maps on rows; `verify_map`
checks one map against one kernel. `write` renders the result of either.
"""

from mehler.report._run import run
from mehler.report.inputs._data import load_rows
from mehler.report.inputs._matrix import DataMatrix
from mehler.report.model._report import SCHEMA, DataResult, PlanRow, Report, StatementResult
from mehler.report.model._verification import Verification
from mehler.report.render._html import page_style
from mehler.report.render._lines import lines
from mehler.report.render._svg import draw
from mehler.report.render._write import require_renderers, require_writable, write, write_json
from mehler.report.verification._verify import verify_map

__all__ = [
    "SCHEMA",
    "DataMatrix",
    "DataResult",
    "PlanRow",
    "Report",
    "StatementResult",
    "Verification",
    "draw",
    "lines",
    "load_rows",
    "page_style",
    "require_renderers",
    "require_writable",
    "run",
    "verify_map",
    "write",
    "write_json",
]
