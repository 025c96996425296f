"""`kvdesk plan`: the decision table."""

from kvdesk.app.derive import Deriver
from kvdesk.app.plan import PlanRow, plan
from kvdesk.cli.options import Parser, add_sizing_options, session_from
from kvdesk.cli.output import print_json, say, table


def main(argv: list[str]) -> int:
    """Print how many GPUs of each kind hold the sequences."""
    parser = Parser(prog="kvdesk plan", description="How many GPUs of each chosen kind hold N sequences, and how.")
    add_sizing_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    arguments = parser.parse_args(argv)
    from kvdesk.app import lookup

    session = session_from(arguments, lookup.load(arguments.source))
    sizing, rows = plan(session, Deriver())
    if arguments.json:
        from kvdesk.app.plan_json import plan_json

        print_json(plan_json(sizing, rows))
        return 0
    workload = sizing.workload
    say(f"{sizing.model.id}: {workload.sequences:,} sequences of {workload.context:,} tokens, {sizing.engine}\n")
    head = ("GPU", "GPUs", "layout", "holds", "headroom", "N+1", "W", "limit of the next smaller")
    say(table([head, *(_row(row) for row in rows)], right=frozenset({1, 3, 4, 5, 6})))
    say("\nN+1: GPUs that still hold all sequences when one replica is lost.")
    return 0


def _row(row: PlanRow) -> tuple[str, ...]:
    choice = row.choice
    if choice is None:
        return (row.name, "-", "-", "0", "-", "-", "-", row.reason or row.limit or "")
    layout = f"{row.replicas} × (TP {choice.tp}" + (f", PP {choice.pp})" if (choice.pp or 1) > 1 else ")")
    watts = f"{row.watts:,}" if row.watts else "-"
    return (
        row.name,
        f"{row.gpus:,}",
        layout,
        f"{row.holds:,}",
        f"{row.headroom:.1%}",
        f"{row.gpus_n_plus_1:,}",
        watts,
        row.limit or "-",
    )
