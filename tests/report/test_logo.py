"""Logos: PNG or SVG within limits, nothing that reaches out."""

import struct
import zlib
from pathlib import Path

import pytest

from kvdesk.core.errors import UsageError
from kvdesk.report import logo

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>'


def png(width: int, height: int) -> bytes:
    """A grey PNG of that size (PNG specification: signature, IHDR, IDAT, IEND)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\x00" + b"\x80" * width for _ in range(min(height, 4)))
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize("image", [SVG, png(4, 4)])
def test_a_small_image_is_taken(image: bytes, tmp_path: Path) -> None:
    path = tmp_path / "logo"
    path.write_bytes(image)
    assert logo.read(path) == image
    assert logo.as_svg(image).startswith("<svg")


@pytest.mark.parametrize(
    "image",
    [
        b"",
        b"GIF89a",
        b"\xff\xfe",
        b"<html>",
        png(5000, 4),
        b"\x89PNG\r\n\x1a\n",
        SVG + b" " * (1 << 20),
        b"<svg><script>alert(1)</script></svg>",
        b'<!DOCTYPE svg [<!ENTITY a "b">]><svg></svg>',
        b'<svg><image href="http://example.org/x.png"/></svg>',
    ],
)
def test_anything_else_is_refused(image: bytes) -> None:
    with pytest.raises(UsageError) as caught:
        logo.check(image)
    assert caught.value.code == "bad-logo"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="could not be read"):
        logo.read(tmp_path / "none.png")


def test_no_logo_is_fine() -> None:
    logo.check(None)
    assert not logo.as_svg(None)
