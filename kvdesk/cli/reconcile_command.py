"""`kvdesk reconcile`: an engine's start-up log beside kvdesk's figures."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import BinaryIO

from kvdesk.app import start_up_log
from kvdesk.app.reconcile import Reconciliation, log_only, reconcile
from kvdesk.app.reconcile_rows import Row
from kvdesk.cli.options import SOURCE_HELP, Parser, add_sizing_options, session_from
from kvdesk.cli.output import print_json, say, table
from kvdesk.core.errors import KvdeskError, UsageError
from kvdesk.core.findings import Severity
from kvdesk.core.units import gib
from kvdesk.engines.logs.record import FIGURES, EngineLog, unit_of

_MARKS = {Severity.INFO: "note", Severity.WARNING: "WARNING", Severity.REFUSAL: "REFUSED"}


def main(argv: list[str]) -> int:
    """Print a log's figures beside ours."""
    parser = Parser(
        prog="kvdesk reconcile",
        description="Reads the start-up log of vLLM, SGLang, TensorRT-LLM or llama.cpp and puts each figure beside "
        "kvdesk's. Model, options and GPU come from the log; what is given here goes before.",
    )
    parser.add_argument("log", metavar="LOG", help="a file, or - for standard input")
    parser.add_argument("--model", metavar="SOURCE", help=f"the model, if not as the log names it: {SOURCE_HELP}")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_sizing_options(parser, source=False)
    arguments = parser.parse_args(argv)
    log = start_up_log.read_log(_standard_input() if arguments.log == "-" else Path(arguments.log))
    found = _compare(log, arguments)
    if arguments.json:
        from kvdesk.app.reconcile_json import to_json

        print_json(to_json(found))
    else:
        say(reconciliation_text(found))
    return 0


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("no-input", "Standard input is closed.", "", "Give the log as a file, or pipe it in.")
    return sys.stdin.buffer


def _compare(log: EngineLog, arguments: Namespace) -> Reconciliation:
    from kvdesk.app.derive import Deriver

    if len(arguments.gpu) > 1:
        raise UsageError("many-gpus", "A log is of one GPU option; give --gpu once.")
    try:
        model = start_up_log.model_of(log, arguments.model)
    except KvdeskError as error:
        if arguments.model is not None:
            raise
        return log_only(log, session_from(arguments, None), error)
    session = session_from(arguments, model)
    return reconcile(log, session, Deriver(), given=session)


def reconciliation_text(found: Reconciliation) -> str:
    """The scenario, the rows, measured bytes and findings, for a terminal."""
    blocks = [_head(found)]
    if found.rows:
        header = ("Figure", "Log", "kvdesk", "Difference", "Line", "Reason")
        blocks.append(table([header, *map(_cells, found.rows)], right=frozenset({1, 2, 3, 4})))
    else:
        blocks.append(table([("Figure", "Log", "Line"), *_figures(found.log)], right=frozenset({1, 2})))
    if found.measured:
        options = ", ".join(f"{key} {size:,} B ({gib(size)})" for key, size in found.measured.items())
        blocks.append(f"Measured, to replace estimates: {options}")
    if found.findings:
        blocks.append("\n".join(f"{_MARKS[f.severity]}: {f.text} {f.remedy}".rstrip() for f in found.findings))
    return "\n\n".join(blocks)


def _head(found: Reconciliation) -> str:
    from kvdesk.app.log_scenario import engine_title

    session, choice = found.session, found.session.gpus[0]
    degrees = ((name, getattr(choice, name)) for name in ("tp", "pp", "dp", "dcp"))
    layout = " ".join(f"{name.upper()} {degree}" for name, degree in degrees if degree and degree > 1)
    context = f"{session.context:,} tokens" if session.context else "not said"
    rows = [
        ("Log", f"{engine_title(found.log)}, {found.log.lines:,} lines"),
        ("Model", session.model.id if session.model else "?"),
        ("GPUs", f"{choice.count} × {choice.gpu} {layout}".rstrip()),
        ("Length", context),
        ("Cache format", session.kv_dtype),
    ]
    if session.engine_arguments:
        rows.append(("Options", ", ".join(f"{key}={value}" for key, value in session.engine_arguments.items())))
    return table(rows)


def _figures(log: EngineLog) -> list[tuple[str, str, str]]:
    """What the log says, where there is nothing to put beside it."""
    return [
        (FIGURES[key], _value(figure.number, unit_of(key)), str(figure.line))
        for key, figure in log.figures.items()
        if key in FIGURES
    ]


def _cells(row: Row) -> tuple[str, ...]:
    difference = "" if row.difference is None or row.equal else f"{row.difference:+.1%}"
    return (row.label, _value(row.logged, row.unit), _value(row.ours, row.unit), difference, str(row.line), row.reason)


def _value(value: float, unit: str) -> str:
    if unit == "B":
        return gib(int(value))
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
    return f"{text} {unit}".rstrip()
