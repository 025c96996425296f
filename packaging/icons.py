"""Draws resources/icons/kvdesk.svg in every size and container that an installer wants.

python packaging/icons.py build/icons    writes kvdesk-16.png ... kvdesk-1024.png, kvdesk.ico and kvdesk.icns
"""

import os
import struct
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

SOURCE = Path(__file__).resolve().parent.parent / "resources" / "icons" / "kvdesk.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512, 1024)
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
# Apple's types for PNG data: pixels for each, the @2x ones included.
ICNS_TYPES = (
    (b"icp4", 16),
    (b"icp5", 32),
    (b"icp6", 64),
    (b"ic07", 128),
    (b"ic08", 256),
    (b"ic09", 512),
    (b"ic10", 1024),
    (b"ic11", 32),
    (b"ic12", 64),
    (b"ic13", 256),
    (b"ic14", 512),
)


def png(size: int) -> bytes:
    """The icon as a PNG of `size` pixels a side."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(SOURCE)).render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(data.data())


def ico(images: dict[int, bytes]) -> bytes:
    """A Windows icon: a header, one directory entry of 16 bytes for each size (256 is written as 0), the PNG data."""
    header = struct.pack("<HHH", 0, 1, len(images))
    offset = len(header) + 16 * len(images)
    entries = b""
    for size, data in images.items():
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), offset)
        offset += len(data)
    return header + entries + b"".join(images.values())


def icns(images: dict[int, bytes]) -> bytes:
    """A macOS icon: big-endian chunks of type, length with its 8 bytes of header, PNG data."""
    chunks = b"".join(kind + struct.pack(">I", len(images[size]) + 8) + images[size] for kind, size in ICNS_TYPES)
    return b"icns" + struct.pack(">I", len(chunks) + 8) + chunks


def main(folder: Path) -> None:
    """Writes all of them into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    images = {size: png(size) for size in SIZES}
    for size, data in images.items():
        (folder / f"kvdesk-{size}.png").write_bytes(data)
    (folder / "kvdesk.ico").write_bytes(ico({size: images[size] for size in ICO_SIZES}))
    (folder / "kvdesk.icns").write_bytes(icns(images))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
