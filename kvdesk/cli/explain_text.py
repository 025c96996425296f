"""Budget lines opened up: formula, numbers put in, result and source, one under the other."""

from kvdesk.cli.output import wrapped
from kvdesk.core.budget import BudgetLine
from kvdesk.core.units import exact


def explained(line: BudgetLine) -> str:
    """What a reader needs to recompute the line.

    P      Available KV cache memory
           = max(0, B − W − R)
           = max(0; 78,227,245,839 − 16,060,522,496 − 6,084,657,152)
           = 56,082,066,191 B
           derived
    """
    value = f"{line.value:,}" if isinstance(line.value, int) else f"{line.value:g}"
    formula = line.formula.removeprefix(f"{line.symbol} = ")
    steps = [formula, line.substituted if line.substituted != value else "", f"{value} {line.unit}".rstrip()]
    hanging = " " * 11
    lines = [f"    {line.symbol:<6} {line.label}"]
    lines += [wrapped(f"= {step}", indent=hanging, hanging=f"{hanging}  ") for step in steps if step]
    if line.low is not None and line.high is not None:
        lines.append(f"{hanging}between {exact(line.low)} and {exact(line.high)}")
    lines.append(wrapped(f"[{line.source}]", indent=hanging, hanging=f"{hanging} "))
    return "\n".join(lines)
