"""The model panel: the strip of layers, the cost of each kind, and the values that were read."""

from fractions import Fraction

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from kvdesk.app.comparison import full_attention_ratio
from kvdesk.core.weights import Weights
from kvdesk.gui import numbers
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.model.facts import Facts
from kvdesk.gui.panels.model.strip import Kind, Strip, colours, kinds
from kvdesk.gui.theme import Theme
from kvdesk.gui.view import View
from kvdesk.gui.widgets.card import Card
from kvdesk.gui.widgets.chip import Chip
from kvdesk.gui.widgets.text import em, label, set_text, tabular
from kvdesk.gui.widgets.veil import Veil

LEGEND = 4
"""Kinds in the legend; a model with more shows the rest as one line."""


class ModelPanel(Card):
    """What the model is made of."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("Model")
        self._shown: object = None
        self.ratio = label("", "muted")
        self.head.addWidget(self.ratio)
        self.name = label("", wrap=True)
        self.strip = Strip()
        self.legend = Legend()
        self.facts = Facts(bridge)
        self.body.addWidget(self.name)
        self.picture = QWidget()
        picture = QVBoxLayout(self.picture)
        picture.setContentsMargins(0, 0, 0, 0)
        picture.setSpacing(self.body.spacing())
        picture.addWidget(self.strip)
        picture.addWidget(self.legend)
        self.veil = Veil(self.picture, pill=False)
        self.body.addWidget(self.picture)
        self.body.addWidget(self.facts)
        self.weights, self.weights_chip = label(), Chip()
        row = QHBoxLayout()
        row.addWidget(self.weights, 1)
        row.addWidget(self.weights_chip)
        self.body.addLayout(row)

    def show_view(self, view: View) -> None:
        """The present model at the present context."""
        answers, model = view.answers, view.session.model
        sizing = answers.sizing
        set_text(self.name, model.id if model else "None yet. Paste one into the field at the top.")
        self.picture.setVisible(sizing is not None)
        self.veil.say(answers.stale)
        self.facts.show_view(view)
        if sizing is None:
            set_text(self.ratio, "")
            set_text(self.weights, "")
            self.weights_chip.hide()
            self._shown = None
            return
        asked = (model, sizing.geometry, sizing.workload.context, sizing.kv_format, sizing.weights)
        shown = (*asked, view.display, answers.stale)
        if shown == self._shown:
            return
        self._shown = shown
        self.strip.show_sizing(sizing, view.display.theme)
        self.legend.show_kinds(kinds(sizing), view.display.theme, view.display.unit)
        set_text(self.ratio, "last good result" if answers.stale else ratio_text(full_attention_ratio(sizing)))
        weights = sizing.weights
        set_text(self.weights, weights_text(weights, view.display.unit))
        self.weights_chip.show_source(weights.bytes.source if weights else None)


class Legend(QWidget):
    """One line for each kind: colour, how many layers, what they are, what they cost."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(em(self, 0.4))
        self._grid.setVerticalSpacing(em(self, 0.1))
        self._grid.setColumnStretch(1, 1)
        self._rows: list[tuple[QLabel, QLabel, QLabel]] = []

    def show_kinds(self, shown: tuple[Kind, ...], theme: Theme, unit: str) -> None:
        """Show these kinds."""
        for _ in range(len(shown) - len(self._rows)):
            self._add_row()
        palette = colours(theme)
        for at, row in enumerate(self._rows):
            for part in row:
                part.setVisible(at < len(shown))
            if at < len(shown):
                self._fill(row, shown[at], palette, unit)

    def _fill(self, row: tuple[QLabel, QLabel, QLabel], kind: Kind, palette: dict[str, str], unit: str) -> None:
        swatch, name, cost = row
        colour = palette.get(kind.name, "#808080")
        if swatch.property("colour") != colour:
            swatch.setProperty("colour", colour)
            swatch.setStyleSheet(f"background: {colour}; border-radius: 2px;")
        set_text(name, f"{kind.count} × {numbers.localised(kind.title)}")
        name.setToolTip(kind.detail)
        set_text(cost, numbers.fitting_size(kind.bytes, unit))
        cost.setToolTip(f"{numbers.size_in_full(kind.bytes)} for one sequence, all layers of this kind, logical")

    def _add_row(self) -> None:
        at = len(self._rows)
        side = em(self, 0.7)
        swatch, name, cost = label(), label(), label()
        swatch.setFixedSize(side, side)
        cost.setFont(tabular(cost.font()))
        cost.setAlignment(Qt.AlignmentFlag.AlignRight)
        for column, part in enumerate((swatch, name, cost)):
            self._grid.addWidget(part, at, column)
        self._rows.append((swatch, name, cost))


def weights_text(weights: Weights | None, unit: str) -> str:
    """Size and parameters of the weights."""
    if weights is None:
        return "Weights of unknown size"
    size = f"Weights {'' if weights.exact else '≈ '}{numbers.size(weights.bytes.value, unit)}"
    if weights.parameters is None:
        return size
    return f"{size} · {numbers.parameters(weights.parameters.value)} parameters"


def ratio_text(ratio: Fraction | None) -> str:
    """How much less than full multi-head attention the cache takes."""
    if ratio is None or ratio <= 1:
        return ""
    decimals = 0 if ratio >= 10 else 1
    return f"{numbers.localised(f'{float(ratio):,.{decimals}f}')} × less than full MHA"
