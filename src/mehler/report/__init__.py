"""Check statements, and render the results as HTML, JSON and Markdown.

`load_rows` reads rows; `run` checks statements, and the library's maps on rows. `write` renders its
result or that of ``mehler verify``.
"""

from mehler.report._model import DataResult, Report, StatementResult, Verification

# Shared with other packages of mehler, and no public names.
from mehler.report._model import provenance as provenance
from mehler.report._read import DataMatrix, load_rows
from mehler.report._read import as_options as as_options
from mehler.report._run import run
from mehler.report.render._format import lines as lines
from mehler.report.render._pages import FILES as FILES
from mehler.report.render._pages import page_style as page_style
from mehler.report.render._pages import page_text as page_text
from mehler.report.render._pages import require_renderers as require_renderers
from mehler.report.render._pages import require_writable as require_writable
from mehler.report.render._pages import with_glyphs as with_glyphs
from mehler.report.render._pages import write
from mehler.report.render._svg import plot_svg as plot_svg

__all__ = [
    "DataMatrix",
    "DataResult",
    "Report",
    "StatementResult",
    "Verification",
    "load_rows",
    "run",
    "write",
]
