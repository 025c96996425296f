"""The catalogue of accelerators: `resources/accelerators.toml` as `core.device.Device`."""

from decimal import Decimal

from kvdesk import resources
from kvdesk.catalogue import tables
from kvdesk.catalogue.tables import Table
from kvdesk.core.device import Device
from kvdesk.core.errors import UsageError
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.units import GB, GIB, MIB

FILE = "accelerators.toml"
DEFAULT = "h100-sxm"
"""The accelerator of the default scenario."""

# What the driver keeps for itself on NVIDIA cards whose engine-visible total was not seen: the printed reserves of the
# others (316 to 1103 MiB) are covered by these steps, but for one A100 that keeps 870 MiB.
_RESERVE_STEPS = ((40 * GIB, 512 * MIB), (200 * GIB, 768 * MIB))
_RESERVE_ABOVE = 1100 * MIB


def ids() -> tuple[str, ...]:
    """The ids of all accelerators, in the catalogue's order."""
    return tuple(tables.values(resources.read_text(FILE), "id"))


def find(name: str) -> Device:
    """The accelerator of that id, case ignored; raises `UsageError` (`unknown-gpu`)."""
    key = name.strip().lower()
    text = resources.read_text(FILE)
    table = tables.cut(text, "accelerator", "id", key) if key.replace("-", "").isalnum() else None
    if table is None:
        raise _unknown(name, tuple(tables.values(text, "id")))
    return device_of(table)


def all_devices() -> tuple[Device, ...]:
    """Every accelerator, in the catalogue's order."""
    return tuple(device_of(table) for table in tables.parse(resources.read_text(FILE), "accelerator"))


def device_of(table: Table) -> Device:
    """One `[[accelerator]]` table as a device; `TypeError` or `KeyError` where the file does not hold what it must."""
    unconfirmed = tables.strings(table, "unconfirmed")
    bandwidth, power = tables.number(table, "bandwidth_gb_s"), tables.number(table, "tdp_w")
    reported = _reported(table, unconfirmed)
    return Device(
        id=tables.string(table, "id"),
        name=tables.string(table, "name"),
        vendor=tables.string(table, "vendor"),
        marketed_bytes=_marketed(table, unconfirmed),
        reported_bytes=reported,
        engine_bytes=_engine(table, unconfirmed, reported),
        confirmed=reported is not None and not {"marketed", "reported"} & set(unconfirmed),
        compute_capability=_capability(tables.string(table, "compute_capability")),
        fp8_native=tables.string(table, "fp8").startswith("yes"),
        fp4_native=tables.string(table, "fp4").startswith("yes"),
        bandwidth_gb_s=None if bandwidth is None else float(bandwidth),
        tdp_w=None if power is None else int(power),
        per_node=tables.integer(table, "per_node"),
        memory_type=tables.string(table, "memory_type"),
        link=tables.string(table, "link"),
        year=tables.integer(table, "year"),
        devices_per_card=tables.integer(table, "devices_per_card") or 1,
        unconfirmed=unconfirmed,
        ecc=tables.string(table, "ecc"),
        note=tables.string(table, "note"),
    )


def _marketed(table: Table, unconfirmed: tuple[str, ...]) -> Sourced[int]:
    marketed = tables.number(table, "marketed_gb")
    if marketed is None:
        raise KeyError("marketed_gb")
    return Sourced(int(marketed * GB), _source(f"{marketed} GB as marketed", "marketed" in unconfirmed))


def _reported(table: Table, unconfirmed: tuple[str, ...]) -> Sourced[int] | None:
    reported = tables.number(table, "reported_mib")
    if reported is None:
        return None
    detail = f"{reported} MiB reported: {tables.string(table, 'reported_source')}"
    return Sourced(int(reported * MIB), _source(detail, "reported" in unconfirmed))


def _engine(table: Table, unconfirmed: tuple[str, ...], reported: Sourced[int] | None) -> Sourced[int] | None:
    """What a process sees: as printed, or the driver's total where that is the same, or an estimate for NVIDIA."""
    printed = tables.number(table, "engine_gib")
    detail = tables.string(table, "engine_source")
    if reported is not None and (printed is None or _same(printed, reported.value)):
        if printed is None and tables.string(table, "vendor") == "NVIDIA":
            return _less_reserve(reported.value)
        if printed is None:
            detail = "taken as the reported total; no total seen by a process is known"
            return Sourced(reported.value, Source(Origin.ESTIMATE, detail))
        # Printed to two decimals of the same total, which the reported figure gives in full.
        return Sourced(reported.value, _source(f"the reported total: {detail}", "engine" in unconfirmed))
    if printed is None:
        return None
    return Sourced(int(printed * GIB), _source(f"{printed} GiB seen by a process: {detail}", "engine" in unconfirmed))


def _same(printed_gib: Decimal, reported: int) -> bool:
    return abs(printed_gib * GIB - reported) <= Decimal("0.01") * GIB


def _less_reserve(reported: int) -> Sourced[int]:
    reserve = next((kept for below, kept in _RESERVE_STEPS if reported < below), _RESERVE_ABOVE)
    detail = f"reported total less {reserve // MIB} MiB that NVIDIA's driver keeps on cards of this size"
    return Sourced(reported - reserve, Source(Origin.ESTIMATE, detail))


def _source(detail: str, unconfirmed: bool) -> Source:
    return Source(Origin.CATALOGUE, f"unconfirmed: {detail}" if unconfirmed else detail)


def _capability(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    major, minor = text.split(".")
    return int(major), int(minor)


def _unknown(name: str, known: tuple[str, ...]) -> UsageError:
    from kvdesk.catalogue.suggestions import close_to, did_you_mean

    offer = did_you_mean(close_to(name, known))
    return UsageError(
        "unknown-gpu",
        f"“{name[:40]}” is not an accelerator of the catalogue.",
        offer,
        "Run “kvdesk gpus” for all ids.",
    )
