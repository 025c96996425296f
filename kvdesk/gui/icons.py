"""Icons of `resources/icons`: drawn in the text colour of the present palette, and again when it changes."""

from functools import cache

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QAbstractButton

from kvdesk import resources

_SIZES = (16, 24, 32, 48)


def icon(name: str, colour: str, faint: str = "") -> QIcon:
    """The icon of that name in `colour` (#rrggbb), and `faint` where it is disabled."""
    result = QIcon()
    _draw(result, name, colour, QIcon.Mode.Normal)
    if faint:
        _draw(result, name, faint, QIcon.Mode.Disabled)
    return result


def put(button: QAbstractButton, name: str) -> None:
    """Give `button` an icon that follows its palette."""
    button.installEventFilter(_Painter(button, name))


class _Painter(QObject):
    """Redraws one button's icon when its palette changes."""

    def __init__(self, button: QAbstractButton, name: str) -> None:
        super().__init__(button)
        self._button = button
        self._name = name
        self._colour = ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Drawn when the button is first shown, so that start-up does not wait for it."""
        if event.type() in (QEvent.Type.Show, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._refresh()
        return False

    def _refresh(self) -> None:
        palette = self._button.palette()
        # Asked for by group: a button that is disabled when first shown would be drawn faint for good.
        colour = palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.ButtonText).name()
        if colour != self._colour:
            self._colour = colour
            faint = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText).name()
            side = self._button.fontMetrics().height()
            self._button.setIconSize(QSize(side, side))
            self._button.setIcon(icon(self._name, colour, faint))


def _draw(result: QIcon, name: str, colour: str, mode: QIcon.Mode) -> None:
    from PySide6.QtSvg import QSvgRenderer

    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))
    for side in _SIZES:
        pixmap = QPixmap(QSize(side, side))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter)
        painter.end()
        result.addPixmap(pixmap, mode)


@cache
def _source(name: str) -> str:
    return resources.read_text(f"icons/{name}.svg")
