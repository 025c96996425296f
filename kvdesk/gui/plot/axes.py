"""Axes: tokens by powers of two, values linear or logarithmic. Data is scaled beforehand, the axes only print it."""

import math

import pyqtgraph as pg

from kvdesk.gui import numbers


class TokenAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Positions are log2(tokens); ticks at powers of two, as many as have room."""

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Every power of two, or every second or fourth."""
        first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
        room = max(1, int(size // 52))
        step = next((s for s in (1, 2, 4, 8) if (last - first) / s <= room), 8)
        return [(step, [float(n) for n in range(first, last + 1) if n % step == 0])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """1K, 32K, 1M."""
        return [numbers.tokens_short(1 << round(value)) if value >= 0 else "" for value in values]


class ValueAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Linear values, or positions that are log10(value) where `logarithmic` is set."""

    logarithmic = False

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Decades, with 2 and 5 between them where there are few."""
        if not self.logarithmic:
            step = _step(high - low, min(12, max(3, int(size // 26))))
            first = math.ceil(low / step - 1e-9)
            return [(step, [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)])]
        decades = list(range(math.floor(low), math.ceil(high) + 1))
        factors = (1, 2, 5) if high - low < 4 else (1,)
        places = [n + math.log10(f) for n in decades for f in factors]
        return [(1.0, [p for p in places if low - 1e-9 <= p <= high + 1e-9])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Plain numbers with the system's separators."""
        if self.logarithmic:
            return [numbers.integer(round(10**value)) if value > -0.01 else "" for value in values]
        decimals = 0 if spacing >= 1 else math.ceil(-math.log10(spacing))
        return [numbers.localised(f"{value:,.{decimals}f}") for value in values]


def _step(span: float, most: int) -> float:
    """A round step that gives at most `most` ticks."""
    rough = max(span, 1e-12) / most
    power = 10.0 ** math.floor(math.log10(rough))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= rough * (1 - 1e-9))
