"""Check statements and maps, and render the results as HTML, JSON and Markdown.

`run` checks statements, and the library's maps on given rows; `verify_map` checks one map against
one kernel. `write` renders the result of either, `write_junit` and `annotations` for continuous
integration.
"""

from mehler.report._run import run
from mehler.report.model._comparison import Change, Comparison
from mehler.report.model._data_result import Column, DataResult, PlanRow, Score
from mehler.report.model._report import SCHEMA, Report, StatementResult
from mehler.report.model._verification import Verification
from mehler.report.render._github import annotations
from mehler.report.render._html import page_style
from mehler.report.render._junit import write_junit
from mehler.report.render._lines import lines
from mehler.report.render._svg import draw
from mehler.report.render._write import require_renderers, require_writable, write, write_json
from mehler.report.verification._verify import verify_map

__all__ = [
    "SCHEMA",
    "Change",
    "Column",
    "Comparison",
    "DataResult",
    "PlanRow",
    "Report",
    "Score",
    "StatementResult",
    "Verification",
    "annotations",
    "draw",
    "lines",
    "page_style",
    "require_renderers",
    "require_writable",
    "run",
    "verify_map",
    "write",
    "write_json",
    "write_junit",
]
