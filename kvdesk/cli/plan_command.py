"""`kvdesk plan`: the decision table."""

from kvdesk.app.derive import Deriver
from kvdesk.app.plan import PlanRow, plan
from kvdesk.app.results import Sizing
from kvdesk.cli.options import Parser, add_sizing_options, session_from
from kvdesk.cli.output import print_json, say, table, wrapped
from kvdesk.core.findings import Severity
from kvdesk.engines.registry import titled


def main(argv: list[str]) -> int:
    """Print how many GPUs of each kind hold the sequences."""
    parser = Parser(prog="kvdesk plan", description="How many GPUs of each chosen kind hold N sequences, and how.")
    add_sizing_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    arguments = parser.parse_args(argv)
    from kvdesk.app import lookup

    session = session_from(arguments, lookup.load(arguments.source), exact=False)
    sizing, rows = plan(session, Deriver())
    if arguments.json:
        from kvdesk.app.plan_json import plan_json

        print_json(plan_json(sizing, rows))
        return 0
    say(plan_text(sizing, rows))
    return 0


def plan_text(sizing: Sizing, rows: tuple[PlanRow, ...]) -> str:
    """The question, the table, and what has to be said about it."""
    workload = sizing.workload
    asked = f"{workload.sequences:,} sequences of {workload.context:,} tokens"
    head = ("GPU", "GPUs", "nodes", "layout", "holds", "headroom", "low end", "N+1", "kW", "limit below")
    found = [row for row in rows if row.replica]
    engine = titled(sizing.engine, sizing.engine_version)
    blocks = [f"{sizing.model.id}: {asked}, cache in {sizing.kv_format.name}, {engine}"]
    if found:
        blocks.append(table([head, *(_row(row) for row in found)], right=frozenset({1, 2, 4, 5, 6, 7, 8})))
    blocks += [wrapped(f"{row.name}: {row.reason}", hanging="  ") for row in rows if not row.replica]
    notes = [wrapped(note, hanging="  ") for row in rows for note in row.notes]
    notes += [
        wrapped(f"{finding.severity.value.upper()}: {finding.text} {finding.remedy}", hanging="  ")
        for finding in sizing.findings
        if finding.severity is Severity.WARNING
        and not any(finding in o.answer.findings for o in sizing.options if o.answer)
    ]
    notes += _LEGEND if found else []
    return "\n\n".join([*blocks, "\n".join(notes)]).rstrip()


_LEGEND = [
    "holds: whole sequences at the expected figures; headroom: the share of them that is not needed.",
    "low end: GPUs that hold all sequences with every estimate at its unfavourable end.",
    "N+1: GPUs that still hold all sequences when one replica is lost.",
]


def _row(row: PlanRow) -> tuple[str, ...]:
    nodes = "-" if row.nodes is None else f"{row.nodes:,} × {row.per_node}"
    return (
        row.gpu,
        f"{row.gpus:,}",
        nodes,
        f"{row.replicas:,} × ({row.replica})",
        f"{row.holds:,}",
        f"{row.headroom:.1%}",
        "-" if row.gpus_low is None else f"{row.gpus_low:,}",
        f"{row.gpus_n_plus_1:,}",
        f"{row.watts / 1000:,.1f}" if row.watts else "-",
        row.limit or "-",
    )
