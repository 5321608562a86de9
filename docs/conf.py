"""Configuration of the documentation; build with ``sphinx-build -W --keep-going -b html``."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import mehler  # noqa: E402  (after the path, which the extension needs)

project = "mehler"
author = "The mehler developers"
copyright = author
version = release = mehler.__version__

extensions = [
    "myst_nb",  # brings myst_parser
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "benchmark_tables",
    "plain_bars",
    "statement_pages",
    "table_cells",
]
# Notebooks are kept without outputs, and run by each build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
# Their plots have the style of the other pictures: the kernels inherit it.
os.environ["MATPLOTLIBRC"] = str(HERE / "matplotlibrc")

# Parts of the pages that include them.
exclude_patterns = ["_build", "experiments/results"]

myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_dmath_double_inline = True  # displays within items of a list, as the report reads them
# Displays that are wider than the column are broken into lines; without it their end is hidden.
mathjax4_config = {"output": {"displayOverflow": "linebreak"}}
myst_heading_anchors = 3

templates_path = ["_templates"]
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc states types with their shapes
smartquotes = False  # messages name options, such as --delimiter ';', as one types them
numpydoc_show_class_members = False  # autosummary's class template lists them
numpydoc_xref_param_type = False

html_theme = "furo"
html_title = "mehler"
html_static_path = ["_static"]
html_css_files = ["mehler.css"]
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
