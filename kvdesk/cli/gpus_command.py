"""`kvdesk gpus`: the accelerator catalogue."""

from kvdesk.catalogue import accelerators
from kvdesk.cli.options import Parser
from kvdesk.cli.output import print_json, say, table
from kvdesk.core.device import Device
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Sourced
from kvdesk.core.units import GIB


def main(argv: list[str]) -> int:
    """Print every accelerator."""
    parser = Parser(prog="kvdesk gpus", description="The accelerator catalogue.")
    parser.add_argument("--json", action="store_true", help="a JSON object with a list `gpus`")
    arguments = parser.parse_args(argv)
    devices = accelerators.all_devices()
    if arguments.json:
        print_json({"schema": "kvdesk.gpus/1", "gpus": [_json(device) for device in devices]})
        return 0
    rows = [("id", "name", "on the box", "driver", "for engines", "W", "")]
    rows += [_row(device) for device in devices]
    say(table(rows, right=frozenset({2, 3, 4, 5})))
    say("\nOn the box in GB (1e9 B), the others in GiB (2^30 B). ? marks figures without a citable source.")
    return 0


def _row(device: Device) -> tuple[str, str, str, str, str, str, str]:
    return (
        device.id,
        device.name,
        f"{device.marketed_bytes.value // 10**9} GB",
        _gib(device.reported_bytes),
        _gib(device.engine_bytes),
        str(device.tdp_w or "-"),
        "" if device.confirmed else "?",
    )


def _gib(size: Sourced[int] | None) -> str:
    return f"{size.value / GIB:.2f} GiB" if size else "-"


def _json(device: Device) -> dict[str, JsonValue]:
    return {
        "id": device.id,
        "name": device.name,
        "vendor": device.vendor,
        "marketed_bytes": device.marketed_bytes.value,
        "reported_bytes": device.reported_bytes.value if device.reported_bytes else None,
        "reported_source": str(device.reported_bytes.source) if device.reported_bytes else None,
        "engine_bytes": device.engine_bytes.value if device.engine_bytes else None,
        "engine_source": str(device.engine_bytes.source) if device.engine_bytes else None,
        "confirmed": device.confirmed,
        "memory_type": device.memory_type,
        "bandwidth_gb_s": device.bandwidth_gb_s,
        "tdp_w": device.tdp_w,
        "per_node": device.per_node,
        "fp8_native": device.fp8_native,
        "fp4_native": device.fp4_native,
        "link": device.link,
        "year": device.year,
        "note": device.note,
    }
