"""Draw plots as SVG whose colours and fonts come from the page."""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mehler.report.render._format import tick
from mehler.statements import Plot, Series

if TYPE_CHECKING:
    from markupsafe import Markup

# matplotlib draws with otherwise unused colours, which become variables of the page. Series also
# differ in lightness, dash and marker.
_INK, _MUTED, _GRID = "#01fe01", "#01fe02", "#01fe03"
_SERIES = tuple(f"#01fe1{i}" for i in range(6))
_VARIABLES = {_INK: "var(--ink)", _MUTED: "var(--muted)", _GRID: "var(--rule)"}
_VARIABLES |= {colour: f"var(--series-{i})" for i, colour in enumerate(_SERIES)}
_DASHES: Any = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (7, 2, 1.5, 2)), (0, (3, 1)), (0, (9, 3)))
_MARKERS = ("s", "^", "o", "D", "v", "P")
_STYLE = Path(__file__).with_name("_templates") / "plots.mplstyle"
# Inches; in a window of 400 px the drawing has about its natural size.
_WIDTH, _HEIGHT, _LEGEND_ROW = 5.2, 3.1, 0.22
_LINE, _CHARACTER = 0.2, 0.09  # height of a line of text, width of a character, in inches
# Characters of a label that the legend's width and the axis' height hold.
_LABEL, _UPRIGHT = 56, 32
_CLOUD = 50  # more points than these are drawn as a cloud, small and light


def plot_svg(plot: Plot, prefix: str) -> Markup:
    """Draw a plot as an inline SVG element, in colours of the page; its ids begin with a prefix."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(fname=_STYLE):
        labels = [textwrap.fill(series.label, _LABEL) for series in plot.series]
        has_legend = len(labels) > 1  # title and axes already name a single series
        height = _HEIGHT + _LEGEND_ROW * len("\n".join(labels).split("\n")) * has_legend
        figure = Figure(figsize=(_WIDTH, height), frameon=False)
        canvas = FigureCanvasSVG(figure)
        axes = figure.add_subplot(facecolor="none")
        plot_on(axes, plot, _SERIES)
        axes.tick_params(labelcolor=_INK, length=3, width=0.7)
        axes.set_axisbelow(True)
        _lay_out(axes, height)
        if has_legend:
            handles, names = axes.get_legend_handles_labels()
            place: Any = {"loc": "upper left", "bbox_to_anchor": (0, 1), "handlelength": 2.6}
            names = [textwrap.fill(name, _LABEL) for name in names]
            legend = figure.legend(handles, names, borderaxespad=0, borderpad=0, **place)
            for dot in legend.get_lines():  # of clouds too, whose dots are light and small
                dot.set(alpha=1, markersize=3.5)
        buffer = io.StringIO()
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        canvas.print_svg(buffer, metadata=metadata)
    return _inline(buffer.getvalue(), plot, prefix)


def _lay_out(axes: Any, height: float) -> None:
    """Leave room for labels by the length of their text, since the page sets the font."""
    widest, last = (
        max(map(len, axis.get_major_formatter().format_ticks(axis.get_majorticklocs())), default=0)
        for axis in (axes.yaxis, axes.xaxis)
    )
    upright = textwrap.wrap(axes.get_ylabel(), _UPRIGHT)
    axes.set_ylabel("\n".join(upright))
    left, bottom = (1 + max(1, len(upright))) * _LINE + _CHARACTER * widest, 2.5 * _LINE
    width = _WIDTH - left - _LINE / 2 - _CHARACTER * last / 2
    inner = _HEIGHT - bottom - _LINE / 2
    axes.set_position((left / _WIDTH, bottom / height, width / _WIDTH, inner / height))
    axes.yaxis.set_label_coords((len(upright) * _LINE - left) / width, 0.5)
    axes.xaxis.set_label_coords(0.5, (_LINE - bottom) / inner)


def plot_on(axes: Any, plot: Plot, colours: Sequence[str]) -> None:
    """Draw the series of a plot with its scales and labels on axes of matplotlib.

    No two of 36 series share colour and marker, or colour and dash. Where no curve is drawn, values
    with error bars are joined by a thin line.
    """
    connect = all(series.kind == "points" for series in plot.series)
    for index, series in enumerate(plot.series):
        _draw_series(axes, series, index, colours[index % 6], connect=connect)
    whole = all(float(x).is_integer() for series in plot.series for x in series.x)
    # More ticks of four characters would touch; rows of a table have each its own.
    nbins = len(plot.series) if all(len(series.x) == 1 for series in plot.series) else 7
    axes.xaxis.get_major_locator().set_params(nbins=nbins, integer=whole)
    for name, log in (("x", plot.x_log), ("y", plot.y_log)):
        if log:
            logarithmic(axes, name)
    axes.set(xlabel=plot.x_label, ylabel=plot.y_label)


def logarithmic(axes: Any, name: str) -> None:
    """Make the axis "x" or "y" logarithmic, with ticks that read as numbers: 1, 10, 1000, 10⁴."""
    from matplotlib import ticker

    axis = getattr(axes, f"{name}axis")
    axes.set(**{f"{name}scale": "log"})
    low, high = sorted(axis.get_view_interval())
    decades = math.log10(high) - math.log10(low)
    # Three ticks or more: powers of ten where they are far apart, 1, 2 and 5, or even steps.
    locator: Any = ticker.MaxNLocator(6, steps=[1, 2, 5, 10])
    if decades >= 2.7:
        step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if decades <= 7 * step)
        locator = ticker.LogLocator(10.0**step, numticks=8)
    elif decades >= 0.7:
        locator = ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=16)
    axis.set_major_locator(locator)
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: tick(value)))
    axis.set_minor_formatter(ticker.NullFormatter())


def _draw_series(axes: Any, series: Series, index: int, colour: str, *, connect: bool) -> None:
    style = {"color": colour, "label": series.label, "zorder": 3 + index}
    again = index // 6
    dash = _DASHES[(index + again) % 6]
    if series.kind == "band":
        axes.fill_between(series.x, series.y_low, series.y_high, alpha=0.35, linewidth=0, **style)
        if series.y is not None:
            axes.plot(series.x, series.y, linestyle=dash, **{**style, "label": "_"})
    elif series.kind == "line":
        axes.plot(series.x, series.y, linestyle=dash, linewidth=1.7, **style)
    else:
        style |= {"marker": _MARKERS[(index + again) % 6], "markersize": 3.5, "linestyle": "none"}
        style["fillstyle"] = "none" if again % 2 else "full"  # hides none that is equal
        if series.y_low is None or series.y_high is None or series.y is None:
            if not connect and len(series.x) > _CLOUD:  # with curves it is light and behind them
                style |= {"markersize": 2.2, "alpha": 0.45, "markeredgewidth": 0, "zorder": 2}
                style["fillstyle"] = "full"
            axes.plot(series.x, series.y, **style)
            return
        below = [max(y - low, 0.0) for y, low in zip(series.y, series.y_low)]
        above = [max(high - y, 0.0) for y, high in zip(series.y, series.y_high)]
        if connect:
            style |= {"linestyle": dash, "linewidth": 0.8}
        axes.errorbar(series.x, series.y, yerr=(below, above), elinewidth=1, capsize=2, **style)


def _inline(svg: str, plot: Plot, prefix: str) -> Markup:
    from markupsafe import Markup  # of the extra `report`, which a verdict without a page needs not

    svg = svg[svg.index("<svg") :]
    # A style element in here would apply to the whole page, which has the same rules.
    needless = r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>|<!--.*?-->\s*"
    svg = re.sub(needless, "", svg, flags=re.DOTALL).replace('xlink:href="', 'href="')
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", svg)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub(r" font-family: [^;\"]*;?", "", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    view = re.findall(r'viewBox="([^"]*)"', svg)[0]
    body = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    names = "; ".join(series.label for series in plot.series)
    spoken = f"{plot.title}. {plot.y_label} against {plot.x_label}. Drawn: {names}. {plot.caption}"
    return Markup('<svg viewBox="{}" role="img" aria-label="{}">{}</svg>').format(
        view, spoken.strip(), Markup(body)
    )
