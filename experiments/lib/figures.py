"""Plots of tables, as PNG and SVG."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c564b", "#999999")
"""Told apart by colour-blind people too (Okabe and Ito)."""
MARKERS = "osD^vPX*p"
SPREAD = 0.7
"""Share of a row's height over which its markers spread, so that equal values stay visible."""
STYLE: dict[Any, Any] = {"font.size": 9, "svg.hashsalt": "fixed", "svg.fonttype": "path", "font.family": "DejaVu Sans"}


def dot_plot(panels: Mapping[str, pd.DataFrame], label: str, title: str) -> dict[str, bytes]:
    """A panel a table: a line a row, a marker a column.

    Args:
        panels: tables by title; their rows are the same.
        label: of the values' axis.
        title: of the whole.

    Returns:
        The files' content by suffix, "png" and "svg"; the same tables give the same files.
    """
    rows = next(iter(panels.values())).index
    with rc_context(STYLE):
        figure = Figure(figsize=(2.2 + 4.2 * len(panels), 1.6 + 0.34 * len(rows)), layout="constrained")
        all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (name, table) in zip(all_axes, panels.items(), strict=True):
            _panel(axes, table, label, name)
        all_axes[0].set_yticks(range(len(rows)), rows)
        all_axes[0].set_ylim(len(rows) - 0.4, -0.6)
        figure.suptitle(title, fontweight="bold", x=0.01, ha="left")
        return {suffix: _saved(figure, suffix) for suffix in ("png", "svg")}


def line_plot(table: pd.DataFrame, across: str, up: str) -> dict[str, bytes]:
    """A line a column, the index across; a column whose name goes on behind a comma has the colour of the one before
    the comma, and is drawn through, the other with dashes.

    Args:
        table: the values.
        across: of the index's axis. up: of the values' axis.

    Returns:
        The files' content by suffix, "png" and "svg".
    """
    with rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.subplots()
        colours = dict(zip(dict.fromkeys(name.split(",")[0] for name in table), COLOURS, strict=False))
        for name, values in table.items():
            axes.plot(table.index, values, "-" if "," in name else "--", color=colours[name.split(",")[0]], label=name)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.grid(color="0.92")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8, ncols=2)
        return {suffix: _saved(figure, suffix) for suffix in ("png", "svg")}


def _panel(axes: Axes, table: pd.DataFrame, label: str, name: str) -> None:
    for row in range(0, len(table), 2):
        axes.axhspan(row - 0.5, row + 0.5, color="0.96", zorder=0, linewidth=0)
    for at, column in enumerate(table.columns):
        heights = np.arange(len(table)) + SPREAD * ((at + 0.5) / len(table.columns) - 0.5)
        axes.scatter(table[column], heights, s=30, marker=MARKERS[at % len(MARKERS)], label=column, zorder=2,
                     color=COLOURS[at % len(COLOURS)], edgecolors="white", linewidths=0.6)  # fmt: skip
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel(f"{label} by {name}")
    axes.grid(axis="x", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=8, handletextpad=0.1,
                columnspacing=1.0)  # fmt: skip


def _saved(figure: Figure, suffix: str) -> bytes:
    stream = io.BytesIO()
    metadata = {"Date": None} if suffix == "svg" else None
    figure.savefig(stream, format=suffix, dpi=200, metadata=metadata)
    return stream.getvalue()
