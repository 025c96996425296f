"""`kvdesk report`: the document of a sizing, or of many."""

import argparse
import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from kvdesk.app.derive import Deriver
from kvdesk.cli import load_options
from kvdesk.cli.options import Parser, add_sizing_options, session_from, typed
from kvdesk.cli.output import say
from kvdesk.core.errors import ExitStatus, KvdeskError, UsageError

if TYPE_CHECKING:
    from kvdesk.app.reporting import ReportDetails

_LINES = {
    "title": "title on the cover",
    "organisation": "who the report is for",
    "author": "who prepared it",
    "reviewer": "who checks it",
    "purpose": "what it is for, such as a tender's number",
}
_UNDATED = "kvdesk: the cover's date is left open; give one with --date YYYY-MM-DD."
FORMATS = ("pdf", "md", "csv", "xlsx", "json")
LONGEST_LIST = 1 << 20
"""Bytes of a list of models that are read."""


def main(argv: list[str]) -> int:
    """Write the report of a source, or one for each line of a list of sources."""
    arguments = _parser().parse_args(argv)
    _check_prices(arguments)
    from kvdesk.app import reporting

    details = reporting.ReportDetails(
        title=arguments.title,
        organisation=arguments.organisation,
        author=arguments.author,
        reviewer=arguments.reviewer,
        purpose=arguments.purpose,
        date=arguments.date,
        paper=arguments.paper,
        prices=dict(arguments.price),
        currency=arguments.currency,
        logo=reporting.read_logo(arguments.logo) if arguments.logo else None,
    )
    output, source = arguments.output, Path(arguments.source)
    if source.suffix == ".txt" and source.is_file():
        return _many(arguments, source, output, details)
    if not _write(arguments, arguments.source, output, details):
        say(_UNDATED, error=True)
    return int(ExitStatus.SIZED)


def _parser() -> Parser:
    parser = Parser(
        prog="kvdesk report",
        description="A report that a review can check. SOURCE may be a .txt list of sources; then -o is a folder.",
    )
    add_sizing_options(parser)
    load_options.add_load_options(parser)
    document = parser.add_argument_group("document")
    document.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="file to write, or a folder")
    document.add_argument("--format", choices=FORMATS, help="by the file's ending, else pdf")
    for name, meaning in _LINES.items():
        document.add_argument(f"--{name}", default="", metavar="TEXT", help=meaning)
    document.add_argument(
        "--date", type=_date, metavar="YYYY-MM-DD", help="date on the cover (SOURCE_DATE_EPOCH, else the look-up's day)"
    )
    document.add_argument("--paper", choices=("a4", "letter"), default="a4", help="(a4)")
    document.add_argument(
        "--price", type=_price, action="append", default=[], metavar="ID=VALUE", help="price of one GPU; repeatable"
    )
    document.add_argument("--currency", default="", metavar="TEXT", help="of the prices, such as EUR")
    document.add_argument("--log", type=Path, metavar="FILE", help="an engine's start-up log, to be set beside")
    document.add_argument("--logo", type=Path, metavar="FILE", help="PNG or SVG")
    return parser


def _check_prices(arguments: argparse.Namespace) -> None:
    """A price that belongs to no --gpu is a typing error, and would silently leave a column empty."""
    known = {name.lower() for name, _ in arguments.gpu}
    for name, _ in arguments.price:
        if known and name.lower() not in known:
            raise UsageError(
                "usage", f"--price names “{name[:40]}”, which no --gpu does.", "", "Use the same id in both."
            )


def _many(arguments: argparse.Namespace, listing: Path, folder: Path, details: "ReportDetails") -> int:
    """One report for each line of the list; a source that cannot be sized is told and the others go on.

    The exit status is that of the last source that could not be.
    """
    worst, dated = ExitStatus.SIZED, True
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sources = _lines(listing)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError("cannot-write", f"“{error.filename}” cannot be used: {reason}.") from error
    for source, path in zip(sources, _paths(sources, folder, arguments.format or "pdf"), strict=True):
        try:
            dated &= _write(arguments, source, path, details)
        except KvdeskError as error:
            say(f"kvdesk: {source}: {error}", error=True)
            worst = error.exit_status
    if not dated:
        say(_UNDATED, error=True)
    return int(worst)


def _paths(sources: list[str], folder: Path, ending: str) -> list[Path]:
    """A file for each source, named after it; names that would be the same are numbered."""
    paths: list[Path] = []
    for source in sources:
        name = re.sub(r"[^A-Za-z0-9._-]+", "__", source).strip("._")[-120:] or "model"
        path, number = folder / f"{name}.{ending}", 2
        while path in paths:
            path, number = folder / f"{name}-{number}.{ending}", number + 1
        paths.append(path)
    return paths


def _lines(listing: Path) -> list[str]:
    with listing.open("rb") as file:
        text = file.read(LONGEST_LIST).decode("utf-8-sig", errors="replace")
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def _write(arguments: argparse.Namespace, source: str, path: Path, details: "ReportDetails") -> bool:
    """Write one report; whether it has a date."""
    from kvdesk.app import lookup, reporting

    deriver = Deriver()
    session = session_from(arguments, lookup.load(source))
    log = reporting.reconciled_log(arguments.log, session, deriver) if arguments.log else None
    if log:
        session = log.session
    sizing = deriver.derive(session)
    ending = path.suffix.lower().lstrip(".")
    form = arguments.format or (ending if ending in FORMATS else "pdf")
    load = None
    if load_options.asked(arguments):
        load = reporting.LoadAsked(lengths=load_options.lengths_of(arguments), tiers=tuple(arguments.offload))
    reporting.write(session, sizing, path, details, fmt=form, log=log, load=load)
    say(f"{path}: {sizing.model.id}")
    return bool(reporting.day_of(details, sizing.model))


def _date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"“{text[:40]}” is not a date like 2026-11-29") from error


def _price(text: str) -> tuple[str, Decimal]:
    from kvdesk.app import report_form

    name, mark, value = text.partition("=")
    if not mark:
        raise argparse.ArgumentTypeError(f"“{text[:40]}” is not ID=VALUE")
    return name.strip(), typed(report_form.price, value)
