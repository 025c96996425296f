"""Copies of the chart on show: SVG, PNG, data."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMimeData, QPoint, QRectF, QSize
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
    QGuiApplication.clipboard().setPixmap(_pixmap(window.parts.plots.picture()))
    window.say("The chart was copied as PNG.")


def copy_svg(window: "MainWindow") -> None:
    """As SVG, and as text for programs that take only that."""
    data = svg_of(window.parts.plots.picture())
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
    picture = window.parts.plots.picture()
    try:
        write_bytes(path, png_of(picture) if path.suffix.lower() == ".png" else svg_of(picture))
    except KvdeskError as error:
        window.parts.notice.show_error(error)
        return
    window.say(f"Chart saved to {path}")


def png_of(picture: QWidget) -> bytes:
    """The bytes of a PNG."""
    buffer = _buffer()
    _pixmap(picture).save(buffer, "PNG")
    return bytes(buffer.data().data())


def svg_of(picture: QWidget) -> bytes:
    """The bytes of an SVG with text as text."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = _buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(picture.size())
    generator.setViewBox(picture.rect())
    generator.setTitle(picture.accessibleName())
    generator.setDescription(picture.accessibleDescription())
    painter = QPainter(generator)
    _paint(picture, painter)
    painter.end()
    return bytes(buffer.data().data())


def _pixmap(picture: QWidget) -> QPixmap:
    pixmap = QPixmap(QSize(picture.width() * SCALE, picture.height() * SCALE))
    pixmap.fill(picture.palette().color(QPalette.ColorRole.Light))
    painter = QPainter(pixmap)
    painter.scale(SCALE, SCALE)
    _paint(picture, painter)
    painter.end()
    return pixmap


def _paint(picture: QWidget, painter: QPainter) -> None:
    """A plot paints its scene; QWidget's own `render` of a graphics view ends the process."""
    if isinstance(picture, QGraphicsView):
        picture.render(painter, QRectF(picture.rect()), picture.viewport().rect())
    else:
        picture.render(painter, QPoint())


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer
