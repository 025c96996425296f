"""The layers panel."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvdesk.app.comparison import full_attention_ratio
from kvdesk.core import formulas
from kvdesk.gui import numbers
from kvdesk.gui.panels.model.panel import ratio_text
from kvdesk.gui.panels.model.strip import Strip, part_detail
from kvdesk.gui.view import View
from kvdesk.gui.widgets.states import NOT_COMPUTED, States
from kvdesk.gui.widgets.table import Cell, Row, Table
from kvdesk.gui.widgets.text import em, label, set_text

HEADER = ("Kind", "Layers", "Formula", "Numbers", "At this context", "Share")


class LayersPanel(QWidget):
    """The strip, and a row for each kind of layer part with formula, numbers put in and result."""

    def __init__(self) -> None:
        super().__init__()
        self.strip = Strip()
        self.table = Table("Kinds of layers", stretch=3, wrap=True)
        self.sentence = label("", "muted", wrap=True)
        contents = QWidget()
        layout = QVBoxLayout(contents)
        layout.setContentsMargins(em(self, 0.6), em(self, 0.6), em(self, 0.6), em(self, 0.4))
        layout.addWidget(self.strip)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.sentence)
        self.states = States(contents)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.states)

    def show_view(self, view: View) -> None:
        """The present model."""
        sizing = view.sizing
        if view.session.model is None:
            self.states.show_empty("No layers yet.", "They appear as soon as a model is chosen.")
        elif view.derived.error is not None:
            self.states.show_empty(*NOT_COMPUTED)
        elif sizing is not None:
            self.states.show_ready(view.stale)
            self.strip.show_sizing(sizing, view.display.theme)
            self.table.show_rows(HEADER, _rows(view))
            ratio = ratio_text(full_attention_ratio(sizing))
            total = numbers.size_in_full(sizing.logical_bytes)
            words = f"One sequence of {numbers.integer(sizing.workload.context)} tokens keeps {total}"
            set_text(self.sentence, f"{words}, {ratio}." if ratio else f"{words}.")


def _rows(view: View) -> list[Row]:
    sizing = view.sizing
    if sizing is None:
        return []
    context, fmt, whole = sizing.workload.context, sizing.kv_format, sizing.logical_bytes
    rows: list[Row] = []
    for part, count in sizing.geometry.counted():
        line = formulas.part_line(part, count, fmt, context)
        size = part.growth(fmt).times(count).at(context)
        rows.append(
            (
                Cell(text=numbers.localised(line.label), tip=part_detail(part)),
                Cell(text=numbers.integer(count), right=True),
                Cell(text=line.formula, tip=line.formula),
                Cell(text=numbers.localised(line.substituted), tip=numbers.localised(line.substituted)),
                Cell(
                    text=numbers.fitting_size(size, view.display.unit),
                    right=True,
                    tone="strong",
                    tip=numbers.size_in_full(size),
                ),
                Cell(text=numbers.percent(size / whole, 1) if whole else "", right=True),
            )
        )
    return rows
