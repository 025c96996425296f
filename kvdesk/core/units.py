"""Bytes as text and text as bytes. 1 GB = 1e9 B, 1 GiB = 2^30 B; this module is the only one that converts."""

import re
from decimal import Decimal

from kvdesk.core.errors import UsageError

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12
KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40

LARGEST = 2**63
"""Bytes; a larger size is a typing error, since no memory is addressed past it."""

_FACTORS = {"": 1, "B": 1, "KB": KB, "MB": MB, "GB": GB, "TB": TB, "KIB": KIB, "MIB": MIB, "GIB": GIB, "TIB": TIB}
_SIZE = r"([0-9][0-9_,]{0,17}(?:\.[0-9]{1,9})?)\s{0,4}([A-Za-z]{0,3})"


def parse_size(text: str) -> int:
    """Bytes meant by `3GB`, `3 GiB`, `1.5GiB` or `3000000000`; a fraction of a byte is an error.

    Raises `UsageError` (`bad-size`) for anything else.
    """
    match = re.fullmatch(_SIZE, text.strip())
    factor = _FACTORS.get(match.group(2).upper()) if match else None
    if match is None or factor is None:
        raise UsageError(
            "bad-size",
            f"“{text[:60]}” is not a size.",
            "A size is a number with B, KB, MB, GB, TB, KiB, MiB, GiB or TiB.",
            "Write for example 3GB (3,000,000,000 bytes) or 3GiB (3,221,225,472 bytes).",
        )
    exact = Decimal(match.group(1).replace(",", "").replace("_", "")) * factor
    if exact != exact.to_integral_value():
        raise UsageError("bad-size", f"“{text[:60]}” is not a whole number of bytes.", "", "Give fewer decimals.")
    if exact > LARGEST:
        raise UsageError(
            "bad-size", f"“{text[:60]}” is more than any memory holds.", "", "Check the number and its unit."
        )
    return int(exact)


def gb(size: int, decimals: int = 2) -> str:
    """`17179869184` -> `"17.18 GB"`, rounded half to even by exact decimal arithmetic."""
    return f"{_scaled(size, GB, decimals)} GB"


def gib(size: int, decimals: int = 2) -> str:
    """`17179869184` -> `"16.00 GiB"`."""
    return f"{_scaled(size, GIB, decimals)} GiB"


def both(size: int) -> str:
    """A size in both units: `"17.18 GB (16.00 GiB)"`, small ones in MB: `"2.10 MB (2.00 MiB)"`, smallest in bytes."""
    if abs(size) >= 100 * MB or not size:
        return f"{gb(size)} ({gib(size)})"
    if abs(size) >= 10 * KB:
        return f"{_scaled(size, MB, 2)} MB ({_scaled(size, MIB, 2)} MiB)"
    return exact(size)


def exact(size: int) -> str:
    """`17179869184` -> `"17,179,869,184 B"`."""
    return f"{size:,} B"


def binary(size: int) -> str:
    """In the largest binary unit that leaves at least 1: `131072` -> `"128 KiB"`, `3211264` -> `"3.06 MiB"`."""
    for factor, name in ((TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if abs(size) >= factor:
            whole, rest = divmod(size, factor)
            return f"{whole:,} {name}" if rest == 0 else f"{_scaled(size, factor, 2)} {name}"
    return f"{size} B"


def _scaled(size: int, factor: int, decimals: int) -> str:
    return f"{Decimal(size) / factor:,.{decimals}f}"
