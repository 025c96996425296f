"""Figures as the report prints them: one way for each unit."""

from decimal import ROUND_HALF_EVEN, Decimal

from kvdesk.core import units
from kvdesk.report.blocks import Number

_CENT = Decimal("0.01")


def whole(value: int, unit: str = "") -> Number:
    """`16060522496` bytes, tokens, sequences: every digit."""
    return Number(value=value, unit=unit, text=grouped(value))


def grouped(value: int) -> str:
    """Digits in groups of three, with a true minus sign."""
    return f"{value:,}".replace("-", "−")


def gb(size: int) -> Number:
    """A size in GB to two decimals, small ones to three or six; 1 GB = 1e9 B."""
    return _scaled(units.gb(size, _decimals(size)), "GB")


def gib(size: int) -> Number:
    """A size in GiB to two decimals, small ones to three or six; 1 GiB = 2^30 B."""
    return _scaled(units.gib(size, _decimals(size)), "GiB")


def _decimals(size: int) -> int:
    return 6 if 0 < abs(size) < 10 * units.MB else 3 if 0 < abs(size) < 100 * units.MB else 2


def size_cells(size: int) -> tuple[Number, Number, Number]:
    """The same size in bytes, GB and GiB."""
    return whole(size, "B"), gb(size), gib(size)


def percent(part: int, of: int) -> Number | None:
    """`part` / `of` in per cent to one decimal, None where `of` is 0."""
    if not of:
        return None
    value = (Decimal(part) * 100 / Decimal(of)).quantize(Decimal("0.1"), ROUND_HALF_EVEN)
    return Number(value=value, unit="%", text=f"{value:,}".replace("-", "−"))


def money(value: Decimal, currency: str, *, cents: bool = True) -> Number:
    """An amount to the cent, or in whole units."""
    amount = value.quantize(_CENT if cents else Decimal(1), ROUND_HALF_EVEN)
    return Number(value=amount, unit=currency, text=f"{amount:,}".replace("-", "−"))


def ratio(value: float, unit: str = "") -> Number:
    """A ratio such as 0.92, with the digits that distinguish it."""
    return Number(value=value, unit=unit, text=f"{value:.10g}".replace("-", "−"))


def counted(count: int, one: str, many: str = "") -> str:
    """`1 sequence`, `50 sequences`."""
    return f"{grouped(count)} {one if count == 1 else many or one + 's'}"


def letters(index: int) -> str:
    """The name of option number `index` from 0: A, B ... Z, AA, AB ..."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _scaled(text: str, unit: str) -> Number:
    digits = text.removesuffix(f" {unit}")
    return Number(value=Decimal(digits.replace(",", "")), unit=unit, text=digits.replace("-", "−"))
