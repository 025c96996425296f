"""Copies of the chart on show: SVG, PNG, data."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QFileDialog, QGraphicsView, QWidget

from kvdesk.core.errors import KvdeskError
from kvdesk.gui.panels.plots.builders import table_of
from kvdesk.gui.widgets import copying
from kvdesk.report.atomic import write_bytes

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow

SCALE = 2
"""A PNG has so many pixels for each one on screen, so that it can be printed."""


def copy_png(window: "MainWindow") -> None:
    """The picture as it is on screen, twice as fine."""
    QGuiApplication.clipboard().setPixmap(_pixmap(window.parts.plots.picture(), _caption(window)))
    window.say("The chart was copied as PNG.")


def copy_svg(window: "MainWindow") -> None:
    """As SVG, and as text for programs that take only that."""
    data = svg_of(window.parts.plots.picture(), _caption(window))
    mime = QMimeData()
    mime.setData("image/svg+xml", QByteArray(data))
    mime.setText(data.decode())
    QGuiApplication.clipboard().setMimeData(mime)
    window.say("The chart was copied as SVG.")


def copy_data(window: "MainWindow") -> None:
    """The values behind it, tab-separated."""
    chart = window.parts.plots.chart
    if chart is None:
        window.say("This picture has no data; its sentence was copied.")
        copying.to_clipboard(window.parts.plots.blocks.accessibleDescription())
        return
    copying.to_clipboard(copying.tsv(table_of(chart)))
    window.say("The chart's data was copied.")


def choose_and_save(window: "MainWindow") -> None:
    """Ask for a file and write the chart to it."""
    name, _ = QFileDialog.getSaveFileName(
        window, "Save chart", str(Path(window.documents.folder()) / "chart.svg"), "SVG (*.svg);;PNG (*.png)"
    )
    if name:
        save(window, Path(name))


def save(window: "MainWindow", path: Path) -> None:
    """Write the chart, by the ending of its name."""
    form = png_of if path.suffix.lower() == ".png" else svg_of
    try:
        write_bytes(path, form(window.parts.plots.picture(), _caption(window)))
    except KvdeskError as error:
        window.parts.notice.show_error(error)
        return
    window.say(f"Chart saved to {path}")


def png_of(picture: QWidget, caption: str = "") -> bytes:
    """The bytes of a PNG, with `caption` above the picture."""
    buffer = _buffer()
    _pixmap(picture, caption).save(buffer, "PNG")
    return bytes(buffer.data().data())


def svg_of(picture: QWidget, caption: str = "") -> bytes:
    """The bytes of an SVG with text as text, with `caption` above the picture."""
    from PySide6.QtSvg import QSvgGenerator

    size = _size(picture, caption)
    buffer = _buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(), size))
    generator.setTitle(caption or picture.accessibleName())
    generator.setDescription(picture.accessibleDescription())
    painter = QPainter(generator)
    painter.fillRect(QRect(QPoint(), size), picture.palette().color(QPalette.ColorRole.Light))
    _paint(picture, painter, caption)
    painter.end()
    return bytes(buffer.data().data())


def _caption(window: "MainWindow") -> str:
    """What a copy has to say by itself: what is drawn, in which unit, of which model."""
    chart, sizing = window.parts.plots.chart, window.bridge.view.sizing
    if chart is None or sizing is None:
        return ""
    return f"{sizing.model.id}: {chart.title} against context (tokens)"


def _pixmap(picture: QWidget, caption: str) -> QPixmap:
    pixmap = QPixmap(_size(picture, caption) * SCALE)
    pixmap.fill(picture.palette().color(QPalette.ColorRole.Light))
    painter = QPainter(pixmap)
    painter.scale(SCALE, SCALE)
    _paint(picture, painter, caption)
    painter.end()
    return pixmap


def _size(picture: QWidget, caption: str) -> QSize:
    return QSize(picture.width(), picture.height() + (_room(picture, caption).height() if caption else 0))


def _room(picture: QWidget, caption: str) -> QRect:
    """Where the caption stands: the whole width, as many lines as it takes."""
    metrics = picture.fontMetrics()
    margin = metrics.height() // 2
    wide = QRect(margin, 0, picture.width() - 2 * margin, 10 * metrics.height())
    return metrics.boundingRect(wide, Qt.TextFlag.TextWordWrap, caption).adjusted(0, 0, margin, margin)


def _paint(picture: QWidget, painter: QPainter, caption: str) -> None:
    """A plot paints its scene; QWidget's own `render` of a graphics view ends the process."""
    below = QPoint()
    if caption:
        room = _room(picture, caption)
        below.setY(room.height())
        painter.setFont(picture.font())
        painter.setPen(picture.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(room, Qt.TextFlag.TextWordWrap, caption)
    if isinstance(picture, QGraphicsView):
        picture.render(painter, QRectF(picture.rect()).translated(below), picture.viewport().rect())
    else:
        picture.render(painter, below)


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer
