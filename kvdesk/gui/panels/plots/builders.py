"""The charts against the context, built from the same sweeps as the report's."""

from collections.abc import Callable
from decimal import Decimal

from kvdesk.app.results import Sizing
from kvdesk.app.sweep import Curve, contexts, curve, longest_context
from kvdesk.core.values import replace
from kvdesk.gui import numbers
from kvdesk.gui.panels.compare.panel import option_of
from kvdesk.gui.panels.plots.chart import Band, Chart, Limit, Line, Mark
from kvdesk.gui.view import View
from kvdesk.gui.widgets.text import short_title

Builder = Callable[[View], Chart | None]


def memory(view: View, *, stacked: bool = False) -> Chart | None:
    """Memory of one GPU of each option; `stacked` shows the parts of the option looked at."""
    sizing = view.sizing
    if sizing is None or not sizing.options:
        return None
    unit, points = view.display.unit, _points(sizing)
    curves = _curves(sizing, points)
    if not curves:
        return None
    at = sizing.workload.context
    return Chart(
        title=f"Memory per GPU ({unit})" + (_filled(view) if stacked else ""),
        unit=unit,
        contexts=points,
        lines=tuple(Line(title=short_title(c.title), series=s, values=_scaled(c.total, unit)) for s, c in curves),
        limits=_limits(curves, unit),
        marks=tuple(mark for s, c in curves if (mark := _crossing(s, c, unit))),
        bands=_bands(view, curves, unit) if stacked else (),
        top=_scale(_top(curves), unit),
        context=at,
        sentence="; ".join(_told(c, sizing, unit) for _, c in curves) + ".",
    )


def scenarios(view: View) -> Chart | None:
    """Memory of one GPU in each scenario, over the range that all of them have."""
    sized = [(at, d.sizing, option_of(d, view.option)) for at, d in enumerate(view.results) if d.sizing is not None]
    if len(view.workspace.scenarios) < 2 or not sized:
        return None
    unit = view.display.unit
    points = contexts(max(longest_context(sizing) for _, sizing, _ in sized))
    found = ((at, curve(sizing, option, points)) for at, sizing, option in sized if option is not None)
    curves = [
        (at, replace(c, title=f"{at + 1} {view.workspace.scenarios[at].name}")) for at, c in found if c is not None
    ]
    if not curves:
        return None
    here = max(sizing.workload.context for _, sizing, _ in sized)
    return Chart(
        title=f"Memory per GPU, by scenario ({unit})",
        unit=unit,
        contexts=points,
        lines=tuple(Line(title=c.title, series=at, values=_scaled(c.total, unit)) for at, c in curves),
        limits=_limits(curves, unit),
        marks=tuple(mark for at, c in curves if (mark := _crossing(at, c, unit))),
        top=_scale(_top(curves), unit),
        context=view.sizing.workload.context if view.sizing else here,
        sentence="; ".join(_told(c, sized[0][1], unit) for _, c in curves) + ".",
    )


def sequences(view: View) -> Chart | None:
    """Whole sequences that all GPUs of each option hold."""
    sizing = view.sizing
    if sizing is None or not sizing.options:
        return None
    points = _points(sizing)
    curves = _curves(sizing, points)
    if not curves:
        return None
    most = max((max(c.fitting) for _, c in curves), default=1)
    wanted = sizing.workload.sequences
    return Chart(
        title="Sequences that fit",
        unit="sequences",
        contexts=points,
        lines=tuple(
            Line(title=short_title(c.title), series=s, values=tuple(float(n) if n else None for n in c.fitting))
            for s, c in curves
        ),
        limits=(Limit(title=f"{numbers.integer(wanted)} wanted", series=-1, value=float(wanted)),),
        top=float(max(most, wanted, 1)) * 2,
        context=sizing.workload.context,
        sentence="; ".join(
            f"{c.title} holds {numbers.integer(c.fitting[0])} sequences of {numbers.integer(points[0])} tokens and "
            f"{numbers.integer(c.fitting[-1])} of {numbers.integer(points[-1])}"
            for _, c in curves
        )
        + ".",
        logarithmic=True,
        decimals=0,
    )


def per_token(view: View) -> Chart | None:
    """Cache of one sequence for each token it holds, logical and allocated, on the option looked at."""
    sizing, chosen = view.sizing, view.chosen
    answer = chosen.answer if chosen else None
    if sizing is None or answer is None:
        return None
    points = _points(sizing)
    unit, factor = ("KiB", 1024) if view.display.unit == "GiB" else ("kB", 1000)
    logical = tuple(float(Decimal(answer.logical.at(t)) / factor / t) for t in points)
    allocated = tuple(float(Decimal(answer.allocated.at(t)) / factor / t) for t in points)
    at = sizing.workload.context
    # Blocks and states make short sequences dear for each token: only a logarithmic axis shows both ends then.
    dear = max(allocated) > 3 * min(allocated) and min(logical) >= 1
    return Chart(
        title=f"Cache per token of one sequence ({unit})",
        unit=unit,
        contexts=points,
        lines=(
            Line(title="allocated", series=1, values=allocated),
            Line(title="logical", series=0, values=logical),
        ),
        top=max(*allocated, *logical) * 1.3 or 1.0,
        context=at,
        logarithmic=dear,
        sentence=(
            f"One sequence of {numbers.integer(at)} tokens keeps "
            f"{numbers.fitting_size(answer.logical.at(at), view.display.unit)} and is given "
            f"{numbers.fitting_size(answer.allocated.at(at), view.display.unit)}."
        ),
    )


def table_of(chart: Chart) -> list[list[str]]:
    """The chart's data with a header, one row for each context, plain numbers."""
    header = ["context (tokens)", *(f"{line.title} ({chart.unit})" for line in chart.lines)]
    rows = [
        [str(tokens), *("" if (v := line.values[i]) is None else f"{v:.{chart.decimals + 2}f}" for line in chart.lines)]
        for i, tokens in enumerate(chart.contexts)
    ]
    return [header, *rows]


def _points(sizing: Sizing) -> tuple[int, ...]:
    return contexts(longest_context(sizing))


def _curves(sizing: Sizing, points: tuple[int, ...]) -> list[tuple[int, Curve]]:
    found = ((series, curve(sizing, option, points)) for series, option in enumerate(sizing.options))
    return [(series, c) for series, c in found if c is not None and c.capacity > 0]


def _scale(value: int, unit: str) -> float:
    return float(Decimal(value) / numbers.UNITS[unit])


def _scaled(values: tuple[int, ...], unit: str) -> tuple[float, ...]:
    factor = numbers.UNITS[unit]
    return tuple(value / factor for value in values)


def _limits(curves: list[tuple[int, Curve]], unit: str) -> tuple[Limit, ...]:
    return tuple(
        Limit(
            title=f"{short_title(c.title)}: {numbers.size(c.capacity, unit, 1)}",
            series=s,
            value=_scale(c.capacity, unit),
        )
        for s, c in curves
    )


def _crossing(series: int, found: Curve, unit: str) -> Mark | None:
    if not found.crossing:
        return None
    return Mark(
        title=f"{numbers.integer(found.crossing)} tokens",
        series=series,
        context=found.crossing,
        value=_scale(found.capacity, unit),
    )


def _top(curves: list[tuple[int, Curve]]) -> int:
    """High enough for every capacity; how far beyond it a curve goes does not matter."""
    capacity = max(c.capacity for _, c in curves)
    base = max(c.base for _, c in curves)
    return max(capacity * 5 // 4, base * 6 // 5)


def _bands(view: View, curves: list[tuple[int, Curve]], unit: str) -> tuple[Band, ...]:
    found = next((c for s, c in curves if s == view.option), None)
    if found is None:
        return ()
    theme, count = view.display.theme, len(found.contexts)
    edges = (
        (0,) * count,
        (found.weights,) * count,
        (found.base,) * count,
        found.total,
    )
    names = (("weights", theme.weights), ("reserve", theme.reserve), ("KV cache", theme.cache))
    return tuple(
        Band(title=name, colour=colour, low=_scaled(low, unit), high=_scaled(high, unit))
        for (name, colour), low, high in zip(names, edges, edges[1:], strict=False)
    )


def _filled(view: View) -> str:
    """What the filled parts are, from below."""
    return f", filled: weights, reserve, KV cache of {short_title(view.chosen.title)}," if view.chosen else ""


def _told(found: Curve, sizing: Sizing, unit: str) -> str:
    first, last = found.contexts[0], found.contexts[-1]
    held = sizing.workload.sequences
    capacity = numbers.size(found.capacity, unit, 1)
    end = f"its capacity is {capacity}"
    if found.crossing:
        end = f"its capacity of {capacity} is reached at {numbers.integer(found.crossing)} tokens"
    return (
        f"{found.title} with {numbers.integer(held)} {'sequence' if held == 1 else 'sequences'}: from "
        f"{numbers.size(found.total[0], unit, 1)} at {numbers.tokens_short(first)} to "
        f"{numbers.size(found.total[-1], unit, 1)} at {numbers.tokens_short(last)} tokens, {end}"
    )
