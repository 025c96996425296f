"""A sizing as text for a terminal."""

from kvdesk.app import bands
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.verdict import verdict
from kvdesk.cli.explain_text import explained
from kvdesk.cli.output import table, wrapped
from kvdesk.core.budget import BudgetLine
from kvdesk.core.findings import Severity
from kvdesk.core.sourced import Origin, Source
from kvdesk.core.units import MB, binary, both, exact, gb, gib
from kvdesk.engines.base import Answer
from kvdesk.engines.registry import titled

LONGEST_SOURCE = 64
_MARKS = {Severity.INFO: "note", Severity.WARNING: "WARNING", Severity.REFUSAL: "REFUSED"}
_ORIGINS = {Origin.PROFILE: "profile", Origin.DERIVED: ""}
"""Words shorter than the origin's own; what is derived needs none."""


def sizing_text(sizing: Sizing, *, explain: bool = False) -> str:
    """The whole sizing: model, one sequence, each option's verdict and budget, findings.

    With `explain`, each budget is followed by its formulas with the numbers put in and the exact sources.
    """
    blocks = [_head(sizing), _sequence(sizing)]
    blocks += [_option(option, explain=explain) for option in sizing.options]
    found = (*sizing.findings, *bands.findings(sizing))
    if found:
        lines = (wrapped(f"{_MARKS[f.severity]}: {f.text} {f.remedy}", hanging="  ") for f in found)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _head(sizing: Sizing) -> str:
    model, geometry, weights = sizing.model, sizing.geometry, sizing.weights
    revision = f" @ {model.revision[:12]}" if model.revision else ""
    kinds = ", ".join(f"{count} {part.kind}" for part, count in geometry.counted())
    where = "" if model.where == model.id else f", {model.where}"
    rows = [("Model", f"{model.id}{revision}  ({geometry.model_type}{where})"), ("Layers", kinds)]
    if weights:
        mark = "" if weights.exact else "≈ "
        rows.append(("Weights", f"{mark}{both(weights.bytes.value)}  [{_short(weights.bytes.source)}]"))
        if weights.parameters:
            rows.append(("Parameters", f"{weights.parameters.value:,}"))
    if geometry.max_context:
        rows.append(
            ("Longest context", f"{geometry.max_context.value:,} tokens  [{_short(geometry.max_context.source)}]")
        )
    return table(rows)


def _short(source: Source) -> str:
    """A source in one line; --json and reports have all of it."""
    text = str(source)
    return text if len(text) <= LONGEST_SOURCE else f"{text[: LONGEST_SOURCE - 1]}…"


def _sequence(sizing: Sizing) -> str:
    context, logical = sizing.workload.context, sizing.logical
    rows = [
        ("Cache format", f"{sizing.kv_format.name}  ({titled(sizing.engine, sizing.engine_version)})"),
        (f"One sequence of {context:,} tokens", f"{both(logical.at(context))} = {exact(logical.at(context))}, logical"),
        ("One more token", exact(logical.marginal(context))),
    ]
    if logical.fixed:
        rows.append(("Whatever the length", exact(logical.fixed)))
    return table(rows)


def _option(option: OptionResult, *, explain: bool) -> str:
    lines = [wrapped(verdict(option), hanging="      ")]
    if option.answer and option.answer.budget:
        rows = [_line(line) for line in option.answer.budget]
        lines.append(table(rows, right=frozenset({2, 4, 5}), indent="  "))
        lines += _band(option)
        if explain:
            lines += ["", "  How:", *(explained(line) for line in option.answer.budget), ""]
        lines.append(_allocation(option.answer))
    return "\n".join(lines)


def _band(option: OptionResult) -> list[str]:
    """Pool and sequences at the ends of the estimates, where there are estimates."""
    ends, answer = bands.band(option), option.answer
    if ends is None or answer is None or ends.pool_low == ends.pool_high:
        return []
    expected = (answer.pool_bytes, answer.full_length_sequences)
    rows = [
        ("", "KV pool", "sequences"),
        ("low, every ≈ at its high end", both(ends.pool_low), f"{ends.sequences_low:,}"),
        ("expected", both(expected[0]), f"{expected[1]:,}"),
        ("high, every ≈ at its low end", both(ends.pool_high), f"{ends.sequences_high:,}"),
    ]
    return [table(rows, right=frozenset({1, 2}), indent="  ")]


def _line(line: BudgetLine) -> tuple[str, ...]:
    mark = "" if line.exact else "≈ "
    value = f"{line.value:,}" if isinstance(line.value, int) else f"{line.value:g}"
    in_bytes = line.unit == "B" and isinstance(line.value, int)
    sizes = _sizes(line.value) if in_bytes and isinstance(line.value, int) else ("", "")
    unit = "" if line.unit == "sequences" else line.unit  # their labels say so
    return (line.symbol, line.label, f"{mark}{value}", unit, *sizes, _origin(line))


def _origin(line: BudgetLine) -> str:
    """The band of an estimate, else in a word where the value came from."""
    if line.low is None or line.high is None:
        return _ORIGINS.get(line.source.origin, line.source.origin.value)
    low, high = _size(line.low), _size(line.high)
    same = low.rpartition(" ")[2] == high.rpartition(" ")[2]
    return f"{low.rpartition(' ')[0] if same else low} to {high}"


def _size(size: int) -> str:
    return gb(size) if size >= 100 * MB else binary(size)


def _sizes(size: int) -> tuple[str, str]:
    """Both units; a size below 10 MB in the binary unit that suits it, since 0.00 GB says nothing."""
    return (gb(size), gib(size)) if size >= 100 * MB or size == 0 else ("", binary(size))


def _allocation(answer: Answer) -> str:
    logical, allocated = answer.logical_bytes_per_sequence, answer.allocated_bytes_per_sequence
    more = f", {(allocated - logical) / logical:+.1%}" if logical else ""
    text = f"  One sequence on one GPU: logical {exact(logical)}, allocated {exact(allocated)}{more}"
    return "\n".join([text, *(wrapped(reason, indent="    ", hanging="    ") for reason in answer.reasons)])
