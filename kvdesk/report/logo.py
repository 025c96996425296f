"""The organisation's logo: a PNG or SVG image within limits, checked before anything is built."""

from base64 import b64encode
from pathlib import Path

from kvdesk.core.errors import UsageError
from kvdesk.files.reading import read_bounded

LARGEST_FILE = 1 << 20
LARGEST_SIDE = 4096
"""Pixels of a PNG; more would swell the file without a difference on paper."""

_PNG = b"\x89PNG\r\n\x1a\n"
_REMEDY = "Give a PNG of at most 4,096 × 4,096 pixels or an SVG without scripts and outside references, at most 1 MiB."


def check(logo: bytes | None) -> None:
    """Raises `UsageError` (`bad-logo`) for what is no PNG or SVG, is too large, or points outside itself."""
    if logo is None:
        return
    if len(logo) > LARGEST_FILE:
        raise UsageError("bad-logo", f"The logo has {len(logo):,} bytes, more than {LARGEST_FILE:,}.", "", _REMEDY)
    if logo.startswith(_PNG):
        _check_png(logo)
    else:
        _check_svg(logo)


def read(path: Path) -> bytes:
    """A logo file, checked; raises `UsageError` (`bad-logo`)."""
    try:
        found = read_bounded(path, LARGEST_FILE + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError("bad-logo", f"The logo “{path}” could not be read.", f"{reason}.", _REMEDY) from error
    check(found)
    return found


def as_svg(logo: bytes | None) -> str:
    """The checked logo as SVG text, "" without one; a PNG is carried inside."""
    if not logo:
        return ""
    if not logo.startswith(_PNG):
        return logo.decode("utf-8-sig")
    width, height = _png_size(logo)
    data = b64encode(logo).decode("ascii")
    size = f'width="{width}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">'
        f'<image {size} href="data:image/png;base64,{data}"/></svg>'
    )


def _png_size(logo: bytes) -> tuple[int, int]:
    """The first chunk of a PNG holds width and height as four bytes each (PNG specification, IHDR)."""
    return int.from_bytes(logo[16:20]), int.from_bytes(logo[20:24])


def _check_png(logo: bytes) -> None:
    width, height = _png_size(logo)
    if len(logo) < 33 or logo[12:16] != b"IHDR" or not 1 <= width <= LARGEST_SIDE or not 1 <= height <= LARGEST_SIDE:
        raise UsageError("bad-logo", f"The logo is not a PNG of usable size ({width:,} × {height:,}).", "", _REMEDY)


def _check_svg(logo: bytes) -> None:
    try:
        text = logo.decode("utf-8-sig").lower()
    except UnicodeDecodeError as error:
        raise UsageError("bad-logo", "The logo is neither a PNG nor an SVG image.", "", _REMEDY) from error
    if "<svg" not in text[:4096]:
        raise UsageError("bad-logo", "The logo is neither a PNG nor an SVG image.", "", _REMEDY)
    for forbidden in (
        "<script",
        "<!entity",
        "<!doctype",
        "<foreignobject",
        "<image",
        'href="http',
        "href='http",
        "file:",
    ):
        if forbidden in text:
            raise UsageError("bad-logo", f"The logo’s SVG holds “{forbidden}”, which is not allowed.", "", _REMEDY)
