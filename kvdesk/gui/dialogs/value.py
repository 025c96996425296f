"""Type over any key of config.json, also one that the file does not have."""

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QStringListModel
from PySide6.QtWidgets import QLineEdit, QWidget

from kvdesk.app import actions
from kvdesk.core.json_value import JsonValue
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.dialogs.plain import Buttons, PlainDialog
from kvdesk.gui.panels.model.facts_model import parsed
from kvdesk.gui.widgets.completing import completer
from kvdesk.gui.widgets.form import Form
from kvdesk.gui.widgets.text import comfortable, em, label


class ValueDialog(PlainDialog):
    """A key path and a value."""

    def __init__(self, parent: QWidget, bridge: Bridge) -> None:
        super().__init__(parent, "Set a value", Buttons.Ok | Buttons.Cancel)
        self._bridge = bridge
        model = bridge.view.session.model
        self.key, self.value = QLineEdit(), QLineEdit()
        self.key.setPlaceholderText("text_config.num_key_value_heads")
        self.value.setPlaceholderText("8, true, or [1, 2]")
        self.key.setCompleter(completer(QStringListModel(sorted(_paths(model.config if model else {})), self), self))
        form = Form(reserve=False)
        for name, field in (("Key", self.key), ("Value", self.value)):
            comfortable(field)
            field.setAccessibleName(name)
            form.add(name, field)
        self.body.addWidget(form)
        self.body.addWidget(
            label("Marked as yours, and can be reset. null takes a key out of the config.", "muted", wrap=True)
        )
        self.resize(em(self, 30), self.sizeHint().height())
        self.accepted.connect(self._set)

    def _set(self) -> None:
        key, text = self.key.text().strip(), self.value.text().strip()
        if key and text:
            self._bridge.edit(f"Set {key}", lambda session: actions.override(session, key, parsed(text)))


def _paths(config: Mapping[str, JsonValue]) -> Iterator[str]:
    """The key paths of a config, one object deep."""
    for key, value in config.items():
        yield key
        if isinstance(value, dict):
            yield from (f"{key}.{inner}" for inner in value)
