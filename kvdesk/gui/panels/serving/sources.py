"""Where the values of the serving panel come from, and what the user's own took the place of."""

from kvdesk.app import former
from kvdesk.app.results import Sizing
from kvdesk.core.budget import BudgetLine
from kvdesk.core.sourced import Origin, Source
from kvdesk.engines import registry
from kvdesk.gui import numbers
from kvdesk.gui.view import View
from kvdesk.gui.widgets.chip import word
from kvdesk.gui.widgets.form import Row

YOURS = Source(Origin.USER)
LINES = {"device_memory": "device", "utilization": "utilization", "reserve_bytes": "reserve", "pool_bytes": "pool"}
"""Fields of a session by the line of the budget that they decide."""


def show(row: Row, name: str, view: View) -> None:
    """The chip of the row for the session's field `name`, its reset button, and what its value was."""
    if former.is_own(view.session, name):
        before = view.derived.former.get(name)
        row.show_source(YOURS, yours=True, was=_value(name, before, view) if before else "")
    else:
        row.show_source(_source(name, view.answers.sizing, view.option))


def line_of(name: str, sizing: Sizing | None, option: int) -> BudgetLine | None:
    """The line of an option's budget that a field decides; None where the engine has none."""
    answer = sizing.options[option].answer if sizing and option < len(sizing.options) else None
    return next((line for line in answer.budget if line.key == LINES.get(name)), None) if answer else None


def shown(line: BudgetLine, unit: str) -> str:
    """A line's value for the screen."""
    text = numbers.size(line.value, unit) if isinstance(line.value, int) else numbers.decimal(line.value)
    return f"{'' if line.exact else '≈ '}{text}"


def _source(name: str, sizing: Sizing | None, option: int) -> Source | None:
    if sizing is None:
        return None
    if name == "kv_dtype":
        return automatic(sizing)
    if name in ("weights_dtype", "weights_bytes"):
        return sizing.weights.bytes.source if sizing.weights else None
    line = line_of(name, sizing, option)
    return line.source if line else None


def _value(name: str, sizing: Sizing, view: View) -> str:
    """A field's value in a sizing and where it came from, such as `0.92, from profile`."""
    source, unit = _source(name, sizing, view.option), view.display.unit
    line = line_of(name, sizing, view.option)
    if name == "kv_dtype":
        text = sizing.kv_format.name
    elif line:
        text = shown(line, unit)
    elif sizing.weights and name in ("weights_dtype", "weights_bytes"):
        text = numbers.size(sizing.weights.bytes.value, unit)
        text = text if sizing.weights.exact else f"≈ {text}"
    else:
        return ""
    return f"{text}, from {word(source)}" if source else text


def automatic(sizing: Sizing) -> Source:
    """Where the cache's format comes from when nobody chose it: the checkpoint, unless the engine takes its own."""
    asked = sizing.geometry.checkpoint_kv_dtype or sizing.geometry.model_dtype
    if asked.value == sizing.kv_format.name:
        return asked.source
    engine = registry.titled(sizing.engine, sizing.engine_version)
    return Source(Origin.PROFILE, f"{engine}: the format it takes for {asked.value}")
