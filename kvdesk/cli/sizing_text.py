"""A sizing as text for a terminal."""

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.verdict import verdict
from kvdesk.cli.output import table
from kvdesk.core.budget import BudgetLine
from kvdesk.core.findings import Severity
from kvdesk.core.units import MB, binary, both, exact, gb, gib
from kvdesk.engines.base import Answer

_MARKS = {Severity.INFO: "note", Severity.WARNING: "WARNING", Severity.REFUSAL: "REFUSED"}


def sizing_text(sizing: Sizing, *, explain: bool = False) -> str:
    """The whole sizing: model, one sequence, each option's verdict and budget, findings.

    With `explain`, each budget is followed by its formulas with the numbers put in.
    """
    blocks = [_head(sizing), _sequence(sizing)]
    blocks += [_option(option, explain=explain) for option in sizing.options]
    if sizing.findings:
        lines = (f"{_MARKS[f.severity]}: {f.text} {f.remedy}".rstrip() for f in sizing.findings)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _head(sizing: Sizing) -> str:
    model, geometry, weights = sizing.model, sizing.geometry, sizing.weights
    revision = f" @ {model.revision[:12]}" if model.revision else ""
    kinds = ", ".join(f"{count} {part.kind}" for part, count in geometry.counted())
    rows = [("Model", f"{model.id}{revision}  ({geometry.model_type}, {model.where})"), ("Layers", kinds)]
    if weights:
        parameters = f"  {weights.parameters.value:,} parameters" if weights.parameters else ""
        mark = "" if weights.exact else "≈ "
        rows.append(("Weights", f"{mark}{both(weights.bytes.value)}{parameters}  [{weights.bytes.source}]"))
    if geometry.max_context:
        rows.append(("Longest context", f"{geometry.max_context.value:,} tokens  [{geometry.max_context.source}]"))
    return table(rows)


def _sequence(sizing: Sizing) -> str:
    context, logical = sizing.workload.context, sizing.logical
    rows = [
        ("Cache format", f"{sizing.kv_format.name}  ({sizing.engine} {sizing.engine_version})"),
        (f"One sequence of {context:,} tokens", f"{both(logical.at(context))} = {exact(logical.at(context))}, logical"),
        ("One more token", exact(logical.marginal(context))),
    ]
    if logical.fixed:
        rows.append(("Whatever the length", exact(logical.fixed)))
    return table(rows)


def _option(option: OptionResult, *, explain: bool) -> str:
    lines = [verdict(option)]
    if option.answer:
        rows = [_line(line) for line in option.answer.budget]
        lines.append(table(rows, right=frozenset({2, 4, 5}), indent="  "))
        if explain:
            lines += ["  How:", *(_explained(line) for line in option.answer.budget)]
        lines.append(_allocation(option.answer))
    return "\n".join(lines)


def _line(line: BudgetLine) -> tuple[str, ...]:
    mark = "" if line.exact else "≈ "
    value = f"{line.value:,}" if isinstance(line.value, int) else f"{line.value:g}"
    in_bytes = line.unit == "B" and isinstance(line.value, int)
    sizes = _sizes(line.value) if in_bytes and isinstance(line.value, int) else ("", "")
    band = "" if line.low is None or line.high is None else f", {gb(line.low)} to {gb(line.high)}"
    return (line.symbol, line.label, f"{mark}{value}", line.unit, *sizes, f"{line.source}{band}")


def _sizes(size: int) -> tuple[str, str]:
    """Both units; a size below 10 MB in the binary unit that suits it, since 0.00 GB says nothing."""
    return (gb(size), gib(size)) if size >= 10 * MB or size == 0 else ("", binary(size))


def _explained(line: BudgetLine) -> str:
    """Symbol, formula, numbers put in and result: what a reader needs to recompute the line."""
    value = f"{line.value:,}" if isinstance(line.value, int) else f"{line.value:g}"
    steps = [line.formula or line.symbol, line.substituted, f"{value} {line.unit}".rstrip()]
    return "    " + " = ".join(step for step in steps if step)


def _allocation(answer: Answer) -> str:
    logical, allocated = answer.logical_bytes_per_sequence, answer.allocated_bytes_per_sequence
    more = f", {(allocated - logical) / logical:+.1%}" if logical else ""
    text = f"  One sequence on one GPU: logical {exact(logical)}, allocated {exact(allocated)}{more}"
    return "\n".join([text, *(f"    {reason}" for reason in answer.reasons)])
