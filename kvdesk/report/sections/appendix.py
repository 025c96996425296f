"""Appendices: every input with its source, the engine's profile, a glossary, and lines to sign."""

from itertools import groupby

from kvdesk.core.device import Device
from kvdesk.report.blocks import Block, Cell, Column, Kind, Paragraph, Section, Table
from kvdesk.report.inputs import ReportInput, Series
from kvdesk.report.numbers import letters, size_cells, whole
from kvdesk.report.sections.question import FACT_COLUMNS


def inputs(report: ReportInput) -> Section:
    """Every input with where it came from."""
    blocks: list[Block] = [
        Paragraph(
            text=(
                f"The scenario’s hash is {report.scenario_hash}. It is taken over every input below that the user "
                "gave and the hash of the model’s configuration; the same inputs give the same hash."
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
    columns = (Column(key="key", title="Key", share=1), *FACT_COLUMNS[1:])
    return Table(key="facts", caption=f"Values read for {report.model.id}", columns=columns, rows=tuple(rows))


def fact_text(value: object) -> str:
    """A fact's value; equal items are counted and repeated patterns folded: "(sliding × 5, full) × 10, sliding × 2"."""
    if not isinstance(value, tuple):
        return "null" if value is None else str(value)
    for period in range(2, len(value) // 2 + 1):
        times = len(value) // period
        if value[:period] * times == value[: period * times] and len(set(value[:period])) > 1:
            rest = _runs(value[period * times :])
            return f"({_runs(value[:period])}) × {times}" + (f", {rest}" if rest else "")
    return _runs(value)


def _runs(items: tuple[object, ...]) -> str:
    counted_runs = ((item, len(list(run))) for item, run in groupby(items))
    return ", ".join(f"{item} × {count}" if count > 1 else str(item) for item, count in counted_runs)


def _devices(report: ReportInput) -> list[Block]:
    devices = {option.device.id: option.device for option in report.options if option.device}
    if not devices:
        return []
    rows = tuple(row for device in devices.values() for row in _device_rows(device))
    columns = (
        Column(key="device", title="Device", share=1),
        Column(key="what", title="Figure", share=2),
        Column(key="source", title="source", under="what"),
        Column(key="value", title="Value", kind=Kind.NUMBER),
        Column(key="unit", title="Unit"),
    )
    return [Table(key="devices", caption="Devices", columns=columns, rows=rows)]


def _device_rows(device: Device) -> list[tuple[Cell, ...]]:
    figures = (
        ("memory as marketed", device.marketed_bytes),
        ("memory as reported", device.reported_bytes),
        ("memory a process sees", device.engine_bytes),
    )
    rows: list[tuple[Cell, ...]] = [
        (device.name, what, str(found.source), whole(found.value, "B"), "B")
        for what, found in figures
        if found is not None
    ]
    if device.tdp_w is not None:
        mark = ", unconfirmed" if "tdp" in device.unconfirmed else ""
        rows.append((device.name, "board power", f"catalogue{mark}", whole(device.tdp_w, "W"), "W"))
    return rows


def figures(report: ReportInput) -> Section | None:
    """The figures that the charts are drawn from, at powers of two."""
    blocks = [
        _figures(letters(i), option.title, option.series) for i, option in enumerate(report.options) if option.series
    ]
    return (
        Section(key="figures", title="Figures of the charts", blocks=tuple(blocks), appendix=True) if blocks else None
    )


def _figures(letter: str, title: str, series: Series) -> Table:
    columns = (
        Column(key="context", title="Context, tokens", kind=Kind.NUMBER, share=1),
        Column(key="bytes", title="One GPU, B", kind=Kind.NUMBER, share=1),
        Column(key="gb", title="GB", kind=Kind.NUMBER),
        Column(key="gib", title="GiB", kind=Kind.NUMBER),
        Column(key="cache", title="of it cache, B", kind=Kind.NUMBER, share=1),
        Column(key="sequences", title="Sequences that fit", kind=Kind.NUMBER, share=1),
    )
    points = zip(series.contexts, series.total, series.held, series.fitting, strict=True)
    last = series.contexts[-1]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (whole(tokens, "tokens"), *size_cells(total), whole(held, "B"), whole(fitting, "sequences"))
        for tokens, total, held, fitting in points
        if tokens & (tokens - 1) == 0 or tokens == last
    )
    caption = f"Option {letter}, {title}: memory of one GPU and sequences that fit, by context"
    return Table(key=f"curve_{letter}", caption=caption, columns=columns, rows=rows)


def glossary(_report: ReportInput) -> Section:
    """The words of this report."""
    columns = (Column(key="term", title="Term"), Column(key="meaning", title="Meaning", share=1))
    table = Table(key="glossary", caption="Terms", columns=columns, rows=GLOSSARY)
    return Section(key="glossary", title="Glossary", blocks=(table,), appendix=True)


def sign_off(report: ReportInput) -> Section:
    """Lines to sign: who made it, who checked it, who approves it."""
    roles = (("Prepared by", report.details.author), ("Checked by", report.details.reviewer), ("Approved by", ""))
    columns = (
        Column(key="role", title="Role", share=0.8),
        Column(key="name", title="Name", share=1.4),
        Column(key="signature", title="Signature", share=1.6),
        Column(key="date", title="Date", share=0.8),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple((role, name or None, None, None) for role, name in roles)
    text = (
        "By signing, the reviewer confirms that the inputs of this report are those of the project and that the "
        "budget was recomputed; not that the engine will reach the load at the wanted speed."
    )
    table = Table(key="sign_off", caption="Sign-off", columns=columns, rows=rows, form=True)
    return Section(key="sign_off", title="Sign-off", blocks=(Paragraph(text=text), table), appendix=True)


GLOSSARY: tuple[tuple[Cell, ...], ...] = (
    (
        "Allocated bytes",
        "What the engine reserves for a sequence: whole blocks, padding, state pages, copies on ranks.",
    ),
    ("At least, at most", "The figure with every estimate at its high end, all at once."),
    (
        "Block",
        "The unit in tokens in which an engine hands out cache memory; the last one of a sequence is reserved whole.",
    ),
    ("bf16, fp8, int4 …", "Number formats; the digits are bits for each number."),
    ("Budget", "The part of a GPU’s memory that the engine may use: device memory × utilization."),
    ("Cache (KV cache)", "Keys, values, latents and states that a model keeps of every token it has seen."),
    ("Context", "Tokens of one sequence, prompt and output together."),
    (
        "GB, GiB",
        "1 GB = 1,000,000,000 B; 1 GiB = 1,073,741,824 B. Boxes are labelled in GB, drivers report GiB or MiB.",
    ),
    ("Headroom", "The share of the KV pool that the sequences asked for leave free."),
    ("Latent, state", "What some layers keep in place of keys and values: compressed, or of a fixed size."),
    ("Layout", "How one copy of the model is spread over GPUs: TP, PP, DP, DCP."),
    ("Logical bytes", "What the model itself must keep, one copy, without blocks."),
    (
        "Maximum concurrency",
        "The engine’s own figure: how many sequences of the context its pool holds, as a fraction.",
    ),
    ("N+1", "One copy of the option more than needed, so that its loss can be borne."),
    ("Pool", "Cache memory of one GPU: budget − weights − reserve."),
    ("Preemption", "The engine drops a running sequence’s cache for want of room and computes it again later."),
    ("Rank", "One GPU’s part in a layout."),
    ("Reserve", "Memory held back for activations, graphs and communication."),
    ("Revision", "The commit of the model’s repository that the files were read at."),
    ("Sequence", "One running request with all its tokens."),
    ("TP, PP, DP, DCP", "Tensor, pipeline, data and decode-context parallelism: how a model is spread over GPUs."),
    ("Textbook", "Memory × utilization − weights − reserve, without the rules of any engine."),
    ("Token", "The unit in which a model reads and writes: a word or a part of one."),
    ("Utilization", "The fraction of device memory that the engine is allowed."),
)
