"""`kvdesk size`: one sizing as a table or as JSON."""

from kvdesk.app.derive import Deriver
from kvdesk.cli import load_options
from kvdesk.cli.options import Parser, add_sizing_options, session_from
from kvdesk.cli.output import print_json, say


def main(argv: list[str]) -> int:
    """Print the sizing of a source."""
    parser = Parser(prog="kvdesk size", description="One sizing as a table, or as one JSON object with --json.")
    add_sizing_options(parser)
    load_options.add_load_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--explain", action="store_true", help="show the formula of each line and the numbers put in")
    arguments = parser.parse_args(argv)
    from kvdesk.app import lookup

    session = session_from(arguments, lookup.load(arguments.source))
    sizing = Deriver().derive(session)
    if arguments.json:
        from kvdesk.app.sizing_json import to_json

        data = to_json(sizing)
        if load_options.asked(arguments):
            data["load"] = load_options.load_json(sizing, arguments)
        print_json(data)
    else:
        from kvdesk.cli.sizing_text import sizing_text

        say(sizing_text(sizing, explain=arguments.explain))
        if load_options.asked(arguments):
            say("\n" + load_options.load_text(sizing, arguments))
    return 0
