"""Numbers as text on screen: the system's separators and the unit the window was set to. Files stay plain."""

import re
from decimal import Decimal
from functools import cache

from PySide6.QtCore import QDateTime, QLocale

from kvdesk.core.units import GB, GIB

UNITS = {"GiB": GIB, "GB": GB}
DEFAULT_UNIT = "GiB"

# Numbers that stand by themselves: no part of a version (0.33.0), of a name (Llama-3.1-8B) or of a path.
_NUMBER = re.compile(r"(?<![\w./@-])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\w/@-]|\.\d)")


@cache
def locale() -> QLocale:
    """The system's locale; English where it is "C", which would print no thousands separators."""
    system = QLocale.system()
    if system.name() == "C":
        return QLocale("en")
    return system


def integer(value: int) -> str:
    """`416103` -> `416,103`, exact at any size."""
    return _here(f"{value:,}")


def size(value: int, unit: str, decimals: int = 2) -> str:
    """Bytes in the window's unit: `"74.72 GiB"`."""
    return f"{amount(value, unit, decimals)} {unit}"


def amount(value: int, unit: str, decimals: int = 2) -> str:
    """The same without the unit."""
    return _here(f"{Decimal(value) / UNITS[unit]:,.{decimals}f}")


def size_in_full(value: int) -> str:
    """For a tooltip: bytes exactly, and in both units."""
    return f"{integer(value)} B = {size(value, 'GB')} = {size(value, 'GiB')}"


def fitting_size(value: int, unit: str) -> str:
    """Small sizes too: KiB or MiB (kB or MB) below one unit, bytes exactly below one thousand of the smallest."""
    base = 1024 if unit == "GiB" else 1000
    names = ("B", "KiB", "MiB", "GiB", "TiB") if unit == "GiB" else ("B", "kB", "MB", "GB", "TB")
    power = 0
    while power < len(names) - 1 and abs(value) >= base ** (power + 1):
        power += 1
    if power == 0 or value % base**power == 0:
        return f"{integer(value // base**power)} {names[power]}"
    return f"{_here(f'{Decimal(value) / base**power:,.2f}')} {names[power]}"


def readable_size(value: int, unit: str) -> str:
    """In the window's unit, but in a smaller one where too few digits would be left."""
    return size(value, unit) if value == 0 or abs(value) >= UNITS[unit] // 20 else fitting_size(value, unit)


def parameters(count: int) -> str:
    """`8030261248` -> `8.03 B`."""
    for factor, name in ((10**12, "T"), (10**9, "B"), (10**6, "M")):
        if count >= factor:
            return f"{_here(f'{Decimal(count) / factor:,.2f}')} {name}"
    return integer(count)


def percent(value: float, decimals: int = 0) -> str:
    """`0.15` -> `15 %`."""
    return f"{_here(f'{value * 100:.{decimals}f}')} %"


def decimal(value: float) -> str:
    """A ratio such as `0.92`."""
    return _here(f"{value:,.6g}")


def ratio(value: float) -> str:
    """A ratio as engines print them: `2.31`."""
    return _here(f"{value:,.2f}")


def tokens_short(tokens: int) -> str:
    """For axes: `131072` -> `128K`, `1048576` -> `1M`; otherwise exact."""
    if tokens >= 1 << 20 and tokens % (1 << 20) == 0:
        return f"{tokens >> 20}M"
    if tokens >= 1024 and tokens % 1024 == 0:
        return f"{tokens >> 10}K"
    return integer(tokens)


def localised(text: str) -> str:
    """A text of the core (English separators) with the numbers in it as the system writes them."""
    return _NUMBER.sub(lambda match: _here(match.group()), text)


def moment(seconds: float) -> str:
    """A time since the epoch as the system writes it: "today at 14:03", "28/11/2026 at 14:03"."""
    when, short = QDateTime.fromSecsSinceEpoch(int(seconds)), QLocale.FormatType.ShortFormat
    today = when.date() == QDateTime.currentDateTime().date()
    day = "today" if today else f"on {locale().toString(when.date(), short)}"
    return f"{day} at {locale().toString(when.time(), short)}"


def _here(text: str) -> str:
    group, point = _separators()
    if (group, point) == (",", "."):
        return text
    return text.replace(",", "\0").replace(".", point).replace("\0", group)


@cache
def _separators() -> tuple[str, str]:
    here = locale()
    return here.groupSeparator(), here.decimalPoint()
