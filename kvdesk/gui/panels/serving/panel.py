"""The panel of number formats and the serving engine."""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType

from PySide6.QtWidgets import QVBoxLayout

from kvdesk.app import actions
from kvdesk.app.session import Session
from kvdesk.core.device import DeviceMemory
from kvdesk.core.errors import KvdeskError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import replace
from kvdesk.engines import registry
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.serving import choices, sources
from kvdesk.gui.view import View
from kvdesk.gui.widgets.card import Card, Fold
from kvdesk.gui.widgets.fields import Choice, TextField
from kvdesk.gui.widgets.form import Form

_MEMORY_ITEMS: list[tuple[str, object]] = [
    ("engine's own", None),
    ("as reported", DeviceMemory.REPORTED),
    ("as marketed", DeviceMemory.MARKETED),
]


class ServingPanel(Card):
    """KV format, weights, engine; the rest folded away."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("Format and engine")
        self._bridge = bridge
        self.form, self.advanced = Form(), Form()
        self.kv = self._choice("KV format", actions.set_kv_dtype)
        self.weights = self._choice("Weights", actions.set_weights_dtype)
        self.engine = self._choice("Engine", actions.set_engine)
        self.version = self._choice("Version", actions.set_engine_version)
        self.kv_row = self.form.add("KV format", self.kv, lambda: self._set("kv", actions.set_kv_dtype, "auto"))
        self.weights_row = self.form.add(
            "Weights", self.weights, lambda: self._set("weights", actions.set_weights_dtype, None)
        )
        self.form.add("Engine", self.engine)
        self.version_row = self.form.add("Version", self.version)
        self.memory = self._choice("Device memory", actions.set_device_memory)
        self.utilization = self._text("Utilization", choices.fraction, "engine's default", actions.set_utilization)
        self.reserve = self._text("Reserve", choices.size, "engine's model, or 3GB", actions.set_reserve)
        self.weights_bytes = self._text("Weights size", choices.size, "as published", actions.set_weights_bytes)
        self.pool = self._text("KV pool per GPU", choices.size, "from the budget", actions.set_pool)
        self.arguments = self._text("Engine options", choices.engine_arguments, "key=value …", _set_arguments)
        self._add_advanced()
        self._view: View | None = None
        self.fold = Fold("Advanced")
        self.fold.button.toggled.connect(self._unfold)
        inside = QVBoxLayout(self.fold.inside)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.advanced)
        self.body.addWidget(self.form)
        self.body.addWidget(self.fold)

    def show_view(self, view: View) -> None:
        """The session's choices; what is left to the engine shows what it came to."""
        # What is left to the model or the engine shows what it came to last while the input has no result.
        session, sizing = view.session, view.answers.sizing
        left = session.kv_dtype == view.answers.session.kv_dtype == "auto"
        resolved = sizing.kv_format.name if sizing and left else ""
        auto: tuple[str, object] = (f"auto: {resolved}" if resolved else "auto", "auto")
        self.kv.show_items([auto, *choices.format_items(choices.KV_FORMATS)], session.kv_dtype)
        sources.show(self.kv_row, "kv_dtype", view)
        published: tuple[str, object] = ("as published", None)
        self.weights.show_items([published, *choices.format_items(choices.WEIGHT_FORMATS)], session.weights_dtype)
        sources.show(self.weights_row, "weights_dtype", view)
        self._show_engine(session)
        self.fold.show_changed(_changed(session))
        self._view = view
        if self.fold.button.isChecked():
            self._show_advanced(view)

    def _unfold(self, on: bool) -> None:
        """What is folded away is not kept up to date."""
        if on and self._view is not None:
            self._show_advanced(self._view)

    def _show_engine(self, session: Session) -> None:
        items: list[tuple[str, object]] = [(choices.ENGINE_TITLES[name], name) for name in choices.engine_names()]
        self.engine.show_items(items, session.engine)
        try:
            versions = registry.engine(session.engine).versions
        except KvdeskError:
            versions = ()
        newest: list[tuple[str, object]] = [(f"{versions[0]}, newest", None)] if versions else [("newest", None)]
        self.version.show_items([*newest, *((version, version) for version in versions[1:])], session.engine_version)
        self.version_row.set_visible(len(versions) > 1)

    def _show_advanced(self, view: View) -> None:
        session = view.session
        self.memory.show_items(_MEMORY_ITEMS, session.device_memory)
        self.utilization.show_value("" if session.utilization is None else f"{session.utilization:g}")
        self.reserve.show_value(_bytes_text(session.reserve_bytes))
        self.weights_bytes.show_value(_bytes_text(session.weights_bytes))
        self.pool.show_value(_bytes_text(session.pool_bytes))
        self.arguments.show_value(choices.spelled_arguments(dict(session.engine_arguments)))
        for name, field, fallback in (
            ("utilization", self.utilization, "engine's default"),
            ("reserve_bytes", self.reserve, "engine's model"),
        ):
            line = sources.line_of(name, view.answers.sizing, view.option)
            field.setPlaceholderText(sources.shown(line, view.display.unit) if line else fallback)
        for name, row in self.rows.items():
            sources.show(row, name, view)
        own = bool(session.engine_arguments)
        self.arguments_row.show_source(sources.YOURS if own else None, yours=own, was="the engine's defaults")

    def _add_advanced(self) -> None:
        fields: list[tuple[str, Choice | TextField, Callable[..., Session]]] = [
            ("device_memory", self.memory, actions.set_device_memory),
            ("utilization", self.utilization, actions.set_utilization),
            ("reserve_bytes", self.reserve, actions.set_reserve),
            ("weights_bytes", self.weights_bytes, actions.set_weights_bytes),
            ("pool_bytes", self.pool, actions.set_pool),
            ("engine_arguments", self.arguments, _set_arguments),
        ]
        self.rows = {}
        for name, field, change in fields:
            title = field.accessibleName()
            self.rows[name] = self.advanced.add(title, field, partial(self._set, title, change, None))
        self.arguments_row = self.rows.pop("engine_arguments")

    def _choice(self, name: str, change: Callable[..., Session]) -> Choice:
        field = Choice(name)
        field.chosen.connect(lambda value: self._set(name, change, value))
        return field

    def _text(
        self, name: str, parse: Callable[[str], object], placeholder: str, change: Callable[..., Session]
    ) -> TextField:
        field = TextField(name, parse, placeholder)
        field.committed.connect(lambda value: self._set(name, change, value))
        return field

    def _set(self, name: str, change: Callable[..., Session], value: object) -> None:
        self._bridge.edit(f"{name}: {'default' if value is None else value}", lambda session: change(session, value))


def _set_arguments(session: Session, arguments: dict[str, JsonValue] | None) -> Session:
    return replace(session, engine_arguments=MappingProxyType(arguments or {}))


def _changed(session: Session) -> int:
    values = (
        session.device_memory,
        session.utilization,
        session.reserve_bytes,
        session.weights_bytes,
        session.pool_bytes,
    )
    return sum(value is not None for value in values) + len(session.engine_arguments)


def _bytes_text(size: int | None) -> str:
    """A size as one would type it, exactly."""
    if size is None:
        return ""
    for unit, factor in (("GiB", 2**30), ("GB", 10**9), ("MiB", 2**20), ("MB", 10**6)):
        if size and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size:,} B"
