"""Appendices: every input with its source, the engine's profile, a glossary, and lines to sign."""

from kvdesk.core.device import Device
from kvdesk.report.blocks import Block, Cell, Column, Paragraph, Section, Table
from kvdesk.report.inputs import ReportInput
from kvdesk.report.sections.question import FACT_COLUMNS


def inputs(report: ReportInput) -> Section:
    """Every input with where it came from."""
    blocks: list[Block] = [
        Paragraph(
            text=(
                f"The scenario’s hash is {report.scenario_hash}. It is taken over every input below that the user gave and the "
                "hash of the model’s configuration; the same inputs give the same hash."
            )
        )
    ]
    if report.given:
        rows: tuple[tuple[Cell, ...], ...] = tuple((g.name, g.value, g.source) for g in report.given)
        blocks.append(Table(key="given", caption="Inputs of this sizing", columns=FACT_COLUMNS, rows=rows))
    blocks.append(_facts(report))
    blocks += _devices(report)
    return Section(key="inputs", title="Inputs and sources", blocks=tuple(blocks), appendix=True)


def _facts(report: ReportInput) -> Table:
    geometry = report.geometry
    rows: list[tuple[Cell, ...]] = [
        (key, fact_text(fact.value), str(fact.source)) for key, fact in geometry.facts.items()
    ]
    rows.append(("number format of the model", geometry.model_dtype.value, str(geometry.model_dtype.source)))
    if geometry.checkpoint_kv_dtype:
        asked = geometry.checkpoint_kv_dtype
        rows.append(("cache format that the checkpoint asks for", asked.value, str(asked.source)))
    if geometry.quantization:
        rows.append(("quantisation of the weights", geometry.quantization, "config.json"))
    columns = (Column(key="key", title="Key", share=2), *FACT_COLUMNS[1:])
    return Table(key="facts", caption=f"Values read for {report.model.id}", columns=columns, rows=tuple(rows))


def fact_text(value: object) -> str:
    """A fact's value; long runs of equal items are counted ("full × 5, sliding")."""
    if not isinstance(value, tuple):
        return "null" if value is None else str(value)
    runs: list[tuple[object, int]] = []
    for item in value:
        if runs and runs[-1][0] == item:
            runs[-1] = (item, runs[-1][1] + 1)
        else:
            runs.append((item, 1))
    return ", ".join(f"{item} × {count}" if count > 1 else str(item) for item, count in runs)


def _devices(report: ReportInput) -> list[Block]:
    devices = {option.device.id: option.device for option in report.options if option.device}
    if not devices:
        return []
    rows = tuple(row for device in devices.values() for row in _device_rows(device))
    columns = (Column(key="device", title="Device", share=1.4), Column(key="what", title="What"), *FACT_COLUMNS[1:])
    return [Table(key="devices", caption="Devices", columns=columns, rows=rows)]


def _device_rows(device: Device) -> list[tuple[Cell, ...]]:
    figures = (
        ("memory as marketed", device.marketed_bytes),
        ("memory as reported", device.reported_bytes),
        ("memory a process sees", device.engine_bytes),
    )
    rows: list[tuple[Cell, ...]] = [
        (device.name, what, f"{found.value:,} B", str(found.source)) for what, found in figures if found is not None
    ]
    if device.tdp_w is not None:
        mark = " (unconfirmed)" if "tdp" in device.unconfirmed else ""
        rows.append((device.name, "board power", f"{device.tdp_w:,} W", f"catalogue{mark}"))
    return rows
