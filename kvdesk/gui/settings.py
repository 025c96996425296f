"""What the window remembers, where the system keeps settings. A value that makes no sense counts as absent."""

from PySide6.QtCore import QByteArray, QSettings

from kvdesk.gui import numbers, theme

MOST_RECENTS = 12


class Settings:
    """Typed access to the few things that are remembered."""

    def __init__(self) -> None:
        self._store = QSettings("kvdesk", "kvdesk")

    @property
    def unit(self) -> str:
        """The unit of sizes."""
        return self._one_of("display/unit", tuple(numbers.UNITS), numbers.DEFAULT_UNIT)

    @unit.setter
    def unit(self, value: str) -> None:
        self._store.setValue("display/unit", value)

    @property
    def theme(self) -> str:
        """One of `theme.CHOICES`."""
        return self._one_of("display/theme", theme.CHOICES, theme.CHOICES[0])

    @theme.setter
    def theme(self, value: str) -> None:
        self._store.setValue("display/theme", value)

    def layout(self, name: str) -> QByteArray:
        """A geometry or splitter state, empty where none was kept."""
        value = self._store.value(f"window/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def keep_layout(self, name: str, state: QByteArray) -> None:
        """Keep a geometry or splitter state."""
        self._store.setValue(f"window/{name}", state)

    @property
    def recents(self) -> list[str]:
        """Models looked up lately as "text<TAB>revision<TAB>date", newest first."""
        value = self._store.value("models/recent")
        items = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        return [item for item in items if isinstance(item, str) and item.split("\t")[0].strip()][:MOST_RECENTS]

    def keep_recent(self, text: str, revision: str, date: str) -> None:
        """Put a model first."""
        rest = [item for item in self.recents if item.split("\t")[0] != text]
        entry = "\t".join(" ".join(part.split()) for part in (text, revision, date))
        self._store.setValue("models/recent", [entry, *rest][:MOST_RECENTS])

    def text(self, key: str) -> str:
        """A remembered text, "" where there is none."""
        value = self._store.value(key)
        return value if isinstance(value, str) else ""

    def keep_text(self, key: str, value: str) -> None:
        """Remember a text."""
        self._store.setValue(key, value)

    def sync(self) -> None:
        """Write now."""
        self._store.sync()

    def path(self) -> str:
        """Where the settings are."""
        return self._store.fileName()

    def _one_of(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        value = self._store.value(key)
        return value if isinstance(value, str) and value in allowed else default
