"""Options of the expected load and of offload tiers, and their text; they stand beside the worst case."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kvdesk.cli.options import typed
from kvdesk.cli.output import table
from kvdesk.core.json_value import JsonValue
from kvdesk.core.units import both

if TYPE_CHECKING:
    from kvdesk.app.distribution import Lengths
    from kvdesk.app.expected import TierResult
    from kvdesk.app.results import Sizing


def asked(arguments: argparse.Namespace) -> bool:
    """Whether any of these options was given."""
    given = (arguments.prompt_tokens, arguments.output_tokens, arguments.lengths)
    return bool(arguments.offload) or any(value is not None for value in given)


def add_load_options(parser: argparse.ArgumentParser) -> None:
    """`--prompt-tokens`, `--output-tokens`, `--lengths`, `--offload`."""
    load = parser.add_argument_group("expected load (beside the worst case)")
    load.add_argument(
        "--prompt-tokens", type=_moments, metavar="MEAN,P95", help="prompt tokens: mean and 95th percentile"
    )
    load.add_argument(
        "--output-tokens", type=_moments, metavar="MEAN,P95", help="output tokens: mean and 95th percentile"
    )
    load.add_argument(
        "--lengths", type=Path, metavar="FILE.csv", help="prompt and output tokens, one request a line, instead"
    )
    load.add_argument(
        "--offload",
        type=_tier,
        action="append",
        default=[],
        metavar="STORE=SIZE",
        help="a host or disk tier: lmcache, vllm or hicache, as large as it is given to that store; repeatable",
    )


def lengths_of(arguments: argparse.Namespace) -> "Lengths | None":
    """The lengths that were given, None without any; raises `KvdeskError`."""
    from kvdesk.app import report_form

    if arguments.lengths is not None:
        return report_form.read_lengths(arguments.lengths)
    return report_form.lengths_of(arguments.prompt_tokens, arguments.output_tokens)


def load_json(sizing: "Sizing", arguments: argparse.Namespace) -> list[JsonValue]:
    """For each GPU option its expected load and its tiers."""
    from kvdesk.app import expected

    lengths = lengths_of(arguments)
    return [
        {
            "expected": expected.expected_json(expected.of_option(sizing, option, lengths)) if lengths else None,
            "offload": [expected.tier_json(one) for one in expected.tiers_of(sizing, option, tuple(arguments.offload))],
        }
        for option in sizing.options
    ]


def load_text(sizing: "Sizing", arguments: argparse.Namespace) -> str:
    """The same for a terminal, empty where nothing was asked."""
    from kvdesk.app import expected

    lengths = lengths_of(arguments)
    blocks = []
    for option in sizing.options:
        rows = []
        found = expected.of_option(sizing, option, lengths) if lengths else None
        if found is not None:
            rows += [
                ("A live sequence, on average", f"{found.mean_tokens:,.0f} tokens, {both(found.mean_bytes)} per GPU"),
                ("Pool full on average at", f"{found.live:,} live sequences"),
                ("Preemption starts", f"past {found.preemption:,} live sequences (one moment in twenty)"),
            ]
            if found.too_long:
                rows.append(("Too long even alone", f"{found.too_long:.1%} of the requests"))
        for one in expected.tiers_of(sizing, option, tuple(arguments.offload)):
            rows.append((f"Offload {one.name}", _tier_text(one, sizing.workload.context)))
        if rows:
            blocks.append(f"EXPECTED, not the worst case: {option.title}\n" + table(rows, indent="  "))
    return "\n\n".join(blocks)


def _tier_text(found: "TierResult", context: int) -> str:
    one = found.tier
    if one is None:
        return str(found.error)
    return (
        f"{one.tokens:,} more tokens in chunks of {one.chunk}, {one.sequences:,} prompts of {context:,}; takes "
        f"{both(one.total_bytes)} of the host"
    )


def _moments(text: str) -> tuple[float, float]:
    from kvdesk.app import report_form

    return typed(report_form.moments, text)


def _tier(text: str) -> tuple[str, int]:
    from kvdesk.app import report_form

    return typed(report_form.tier, text)
