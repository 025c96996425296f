"""Logical beside allocated: what the model must keep, what the engine reserves for it, and why they differ."""

from kvdesk.engines.registry import titled
from kvdesk.report.blocks import Block, Cell, Column, Kind, Paragraph, Section, Statement, Table
from kvdesk.report.inputs import Option, ReportInput
from kvdesk.report.numbers import gb, gib, grouped, letters, percent, whole


def section(report: ReportInput) -> Section | None:
    """None where no option was sized."""
    sized = [(i, option) for i, option in enumerate(report.options) if option.answer]
    if not sized:
        return None
    blocks: list[Block] = [
        Paragraph(
            text=(
                "Logical bytes are what the model must keep; allocated bytes are what the engine reserves for them. "
                "Capacity follows the allocated figure. Both are those of one GPU, the fullest."
            )
        ),
        _table(report, sized),
    ]
    blocks += _reasons(sized)
    return Section(key="allocation", title="Logical and allocated", blocks=tuple(blocks))


def _table(report: ReportInput, sized: list[tuple[int, Option]]) -> Table:
    return Table(
        key="allocation",
        caption=f"One sequence of {grouped(report.workload.context)} tokens on one GPU",
        columns=(
            Column(key="option", title="Option"),
            Column(key="engine", title="Engine", share=1),
            Column(key="logical", title="Logical,\nB", kind=Kind.NUMBER),
            Column(key="logical_gib", title="GiB", kind=Kind.NUMBER),
            Column(key="allocated", title="Allocated,\nB", kind=Kind.NUMBER),
            Column(key="allocated_gb", title="GB", kind=Kind.NUMBER),
            Column(key="allocated_gib", title="GiB", kind=Kind.NUMBER),
            Column(key="gap", title="Gap,\nB", kind=Kind.NUMBER),
            Column(key="gap_percent", title="Gap,\n%", kind=Kind.NUMBER),
            Column(key="block", title="Block,\ntokens", kind=Kind.NUMBER),
        ),
        rows=tuple(_row(index, option) for index, option in sized),
    )


def _row(index: int, option: Option) -> tuple[Cell, ...]:
    answer = option.answer
    if answer is None:
        return (letters(index), *([None] * 9))
    logical, allocated = answer.logical_bytes_per_sequence, answer.allocated_bytes_per_sequence
    return (
        letters(index),
        titled(answer.engine, answer.engine_version),
        whole(logical, "B"),
        gib(logical),
        whole(allocated, "B"),
        gb(allocated),
        gib(allocated),
        whole(allocated - logical, "B"),
        percent(allocated - logical, logical),
        whole(answer.block_size, "tokens") if answer.block_size else None,
    )


def _reasons(sized: list[tuple[int, Option]]) -> list[Statement]:
    """Each reason once, those of the same options together."""
    options_of: dict[str, list[str]] = {}
    for index, option in sized:
        for reason in option.answer.reasons if option.answer else ():
            options_of.setdefault(reason, []).append(letters(index))
    together: dict[str, list[str]] = {}
    for reason, names in options_of.items():
        together.setdefault(", ".join(names), []).append(reason)
    return [
        Statement(tone="plain", label="Why", title=f"option {names}", text=" ".join(reasons))
        for names, reasons in together.items()
    ]
