"""`kvdesk models`: the models that work without a network."""

from kvdesk.catalogue import models
from kvdesk.cli.options import Parser
from kvdesk.cli.output import print_json, say, table
from kvdesk.core.json_value import JsonValue


def main(argv: list[str]) -> int:
    """Print every offline model."""
    parser = Parser(prog="kvdesk models", description="The models that work without a network.")
    parser.add_argument("--json", action="store_true", help="a JSON object with a list `models`")
    arguments = parser.parse_args(argv)
    cards = [models.find(name) for name in models.names()]
    if arguments.json:
        rows: list[JsonValue] = [
            {
                "name": card.name,
                "hub_id": card.hub_id,
                "model_type": str(card.config.get("model_type", "")),
                "parameters": card.parameters,
                "weights_bytes": card.weights_bytes,
                "weights_dtype": card.weights_dtype,
            }
            for card in cards
        ]
        print_json({"schema": "kvdesk.models/1", "models": rows})
        return 0
    lines = [("name", "Hub id", "parameters", "weights")]
    lines += [
        (c.name, c.hub_id, f"{c.parameters:,}", f"{c.weights_bytes / 1e9:,.1f} GB {c.weights_dtype}") for c in cards
    ]
    say(table(lines, right=frozenset({2, 3})))
    return 0
