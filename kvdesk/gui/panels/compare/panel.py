"""The compare panel."""

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.workspace import MOST_SCENARIOS, Workspace
from kvdesk.core.values import dataclass
from kvdesk.engines.registry import titled
from kvdesk.gui import numbers
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.view import Derived, View
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.states import States
from kvdesk.gui.widgets.table import Cell, Row, Table
from kvdesk.gui.widgets.text import em, label, short_title

Value = str | int | bool | None
Getter = Callable[[Sizing, OptionResult | None], Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row: its name, how its value is found, and whether it is a size in bytes."""

    name: str
    get: Getter
    size: bool = False


def _answer(key: str) -> Getter:
    return lambda _, option: getattr(option.answer, key) if option and option.answer else None


LINES = (
    Line(name="Model", get=lambda s, _: s.model.id.rpartition("/")[2]),
    Line(name="Context (tokens)", get=lambda s, _: s.workload.context),
    Line(name="Sequences wanted", get=lambda s, _: s.workload.sequences),
    Line(name="KV format", get=lambda s, _: s.kv_format.name),
    Line(name="Engine", get=lambda s, _: titled(s.engine, s.engine_version)),
    Line(name="GPU option", get=lambda _, o: short_title(o.title) if o else None),
    Line(name="Layout", get=lambda _, o: str(o.answer.layout) if o and o.answer else None),
    Line(name="Fits", get=lambda _, o: o.fits if o else None),
    Line(name="One sequence, whole model", get=lambda s, _: s.logical_bytes, size=True),
    Line(name="One sequence, logical, per GPU", get=_answer("logical_bytes_per_sequence"), size=True),
    Line(name="One sequence, allocated, per GPU", get=_answer("allocated_bytes_per_sequence"), size=True),
    Line(name="Budget per GPU", get=_answer("budget_bytes"), size=True),
    Line(name="Weights per GPU", get=_answer("weights_bytes"), size=True),
    Line(name="Reserve per GPU", get=_answer("reserve_bytes"), size=True),
    Line(name="KV pool per GPU", get=_answer("pool_bytes"), size=True),
    Line(name="Tokens in the pool", get=_answer("pool_tokens")),
    Line(name="Whole sequences", get=_answer("full_length_sequences")),
    Line(name="Longest context (tokens)", get=_answer("max_context")),
)


class ComparePanel(QWidget):
    """A column for each scenario; equal rows are dim, differences bold, with the delta against the pinned one."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self.table = Table("Comparison of scenarios", stretch=-1)
        self.duplicate = push("Duplicate scenario", lambda: bridge.arrange("Duplicate scenario", Workspace.duplicated))
        self.pin = push("Compare with this one", lambda: bridge.arrange("Compare with this one", Workspace.pinned_here))
        self.hint = label("", "muted")
        contents = QWidget()
        layout = QVBoxLayout(contents)
        layout.setContentsMargins(em(self, 0.6), em(self, 0.6), em(self, 0.6), em(self, 0.4))
        layout.addWidget(self.table, 1)
        row = QHBoxLayout()
        row.addWidget(self.duplicate)
        row.addWidget(self.pin)
        row.addWidget(self.hint, 1)
        layout.addLayout(row)
        self.states = States(contents)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.states)

    def show_view(self, view: View) -> None:
        """All scenarios."""
        workspace = view.workspace
        if len(workspace.scenarios) == 1:
            self.states.show_empty(
                "One scenario so far.",
                "Duplicate it and change the copy: model, format, engine or GPU. Up to four stand side by side.",
                [("Duplicate scenario", self.duplicate.click)],
            )
            return
        self.states.show_ready(view.stale)
        self.duplicate.setEnabled(len(workspace.scenarios) < MOST_SCENARIOS)
        self.pin.setEnabled(workspace.active != workspace.pinned)
        names = [
            f"{scenario.name} (pinned)" if at == workspace.pinned else scenario.name
            for at, scenario in enumerate(workspace.scenarios)
        ]
        self.table.show_rows(("", *names), [_row(line, view) for line in LINES])


def option_of(derived: Derived, at: int) -> OptionResult | None:
    """The GPU option of a scenario that is compared: the one looked at, or its last."""
    options = derived.sizing.options if derived.sizing else ()
    return options[min(at, len(options) - 1)] if options else None


def _row(line: Line, view: View) -> Row:
    values = [
        line.get(derived.sizing, option_of(derived, view.option)) if derived.sizing else None
        for derived in view.results
    ]
    equal = all(value == values[0] for value in values)
    pinned = values[view.workspace.pinned]
    cells = [
        _cell(line, value, pinned if at != view.workspace.pinned else value, view.display.unit, equal=equal)
        for at, value in enumerate(values)
    ]
    return (Cell(text=line.name, tone="dim" if equal else ""), *cells)


def _cell(line: Line, value: Value, pinned: Value, unit: str, *, equal: bool) -> Cell:
    tone = "dim" if equal else "strong"
    if value is None:
        return Cell(text="–", tone="dim", right=line.size)
    if isinstance(value, bool):
        return Cell(text="yes" if value else "no", tone="bad" if not value and not equal else tone, right=True)
    if isinstance(value, str):
        return Cell(text=value, tone=tone, tip=value, right=True)
    text = numbers.readable_size(value, unit) if line.size else numbers.integer(value)
    tip = numbers.size_in_full(value) if line.size else ""
    if isinstance(pinned, int) and not isinstance(pinned, bool) and pinned and value != pinned:
        change = (value - pinned) / pinned
        text += f"  ({'+' if change > 0 else '−'}{numbers.percent(abs(change))})"
    return Cell(text=text, right=True, tone=tone, tip=tip)
