"""The answer: a sentence for each option, the decision table, and what to order."""

from kvdesk.core.units import both
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Answer
from kvdesk.report.blocks import Block, Cell, Column, Kind, Paragraph, Section, Statement, Table
from kvdesk.report.inputs import Option, ReportInput
from kvdesk.report.numbers import counted, grouped, letters, money, percent, whole

LIMITS = {"weights": "weights", "kv": "KV cache", "layout": "layout", None: "none"}


def section(report: ReportInput) -> Section:
    """The section that a reader who reads one page reads."""
    verdicts: list[Block] = [_verdict(report, i) for i in range(len(report.options))]
    tables: list[Block] = [_decision(report), _order(report)] if any(o.answer for o in report.options) else []
    if not verdicts:
        nothing = "No GPU option was chosen, so this report says what one sequence takes and no more."
        blocks: list[Block] = [Paragraph(text=nothing)]
    elif len(verdicts) == 1:
        blocks = [*verdicts, *tables]
    else:
        # Several are compared first and told one by one after.
        blocks = [Paragraph(text=_summary(report)), *tables, *verdicts]
    if report.reconciled:
        blocks.append(_log(report))
    return Section(key="answer", title="The answer", blocks=tuple(blocks))


def _summary(report: ReportInput) -> str:
    """How many options hold the workload, and which; what helps the others, where that is the same for several."""
    fitting = [letters(i) for i, option in enumerate(report.options) if option.answer and option.answer.fits]
    asked = f"{counted(report.workload.sequences, 'sequence')} of {counted(report.workload.context, 'token')}"
    advice = " ".join(f"What helps where {reason}: {_ADVICE[reason]}" for reason in _shared_reasons(report))
    if not fitting:
        return f"None of the {len(report.options)} options holds {asked}. {advice}".strip()
    verb = "hold" if len(fitting) > 1 else "holds"
    return f"Of {len(report.options)} options, {', '.join(fitting)} {verb} {asked}. {advice}".strip()


_ADVICE = {
    "the weights do not fit": "more GPUs, a larger GPU, or fewer bytes per weight.",
    "the cache does not fit": "a shorter context, fewer sequences, a smaller cache format, or more GPUs.",
}


def _reason(answer: Answer) -> str:
    return "the weights do not fit" if answer.limit == "weights" else "the cache does not fit"


def _shared_reasons(report: ReportInput) -> list[str]:
    """Reasons that more than one option has, so that their advice need not stand at each."""
    reasons = [_reason(option.answer) for option in report.options if option.answer and not option.answer.fits]
    return [reason for reason in _ADVICE if reasons.count(reason) > 1]


def _log(report: ReportInput) -> Statement:
    """How a start-up log bears this report out."""
    outcomes = [line.outcome for line in report.reconciled]
    apart = [line.label for line in report.reconciled if line.outcome == "differs"]
    text = (
        f"Of {counted(len(outcomes), 'figure')} in the start-up log, {outcomes.count('equal')} are equal to this "
        f"report’s, {outcomes.count('in the band')} lie within the bounds of an estimate, {len(apart)} differ"
    )
    named = f": {', '.join(apart)}" if apart else ""
    return Statement(
        tone="caution" if apart else "good",
        label="Log",
        title="predicted beside measured",
        text=f"{text}{named}.",
        remedy="The table in “To be measured” gives each with its reason." if apart else "",
    )


def option_title(option: Option, index: int) -> str:
    """Such as “A · 2 × H100 SXM 80GB, TP 2”."""
    return f"{letters(index)} · {option.title}" + (
        f", {option.answer.layout}" if option.answer and option.answer.layout.gpus > 1 else ""
    )


def _verdict(report: ReportInput, index: int) -> Statement:
    option = report.options[index]
    title = option_title(option, index)
    answer, workload = option.answer, report.workload
    if answer is None:
        error = option.error
        text = " ".join(part for part in (error.title, error.detail) if part) if error else "No answer."
        return Statement(tone="plain", label="Not sized", title=title, text=text, remedy=error.remedy if error else "")
    if answer.fits:
        return Statement(tone="good", label="Fits", title=title, text=_fits(option, answer, report))
    advice = "" if _reason(answer) in _shared_reasons(report) else _ADVICE[_reason(answer)]
    return Statement(
        tone="bad",
        label="Does not fit",
        title=title,
        text=_why_not(option, answer, workload),
        remedy=advice[:1].upper() + advice[1:],
    )


def _holds(option: Option, answer: Answer, workload: Workload) -> str:
    whole_ones = counted(answer.full_length_sequences, "whole sequence")
    band = option.band
    ends = (
        f" ({grouped(band.low)} to {grouped(band.high)} with every estimate at its bounds)"
        if band and band.low != band.high
        else ""
    )
    return f"holds {whole_ones} of {grouped(workload.context)} tokens{ends}; {grouped(workload.sequences)} asked for"


def _fits(option: Option, answer: Answer, report: ReportInput) -> str:
    limit, workload = report.geometry.max_context, report.workload
    longest = grouped(answer.max_context)
    at_most = " (the model’s maximum)" if limit and answer.max_context == limit.value else ""
    each = "One sequence" if workload.sequences == 1 else f"{grouped(workload.sequences)} sequences"
    return f"It {_holds(option, answer, workload)}. {each} would fit up to {longest} tokens{at_most}."


def _why_not(option: Option, answer: Answer, workload: Workload) -> str:
    if answer.limit == "weights":
        return (
            f"Weights of {both(answer.weights_bytes)} and a reserve of {both(answer.reserve_bytes)} leave nothing of "
            f"the budget of {both(answer.budget_bytes)} per GPU."
        )
    longest = (
        f" {counted(workload.sequences, 'sequence')} would fit up to {grouped(answer.max_context)} tokens."
        if answer.max_context
        else ""
    )
    return f"It {_holds(option, answer, workload)}.{longest}{_copies(option, answer, workload)}"


def _copies(option: Option, answer: Answer, workload: Workload) -> str:
    """How many copies of the option hold the workload, as expected and at the unfavourable end."""
    copies = _needed(workload.sequences, answer.full_length_sequences)
    if not copies:
        return ""
    safe = _needed(workload.sequences, option.band.low) if option.band else copies
    text = f" {grouped(copies)} copies of it, {grouped(copies * option.count)} GPUs, would hold them"
    return f"{text}." if safe == copies else f"{text}; {_safe_copies(safe, option.count)}."


def _safe_copies(safe: int | None, count: int) -> str:
    if safe is None:
        return "none do with every estimate at its high end"
    return f"{grouped(safe)} copies, {grouped(safe * count)} GPUs, with every estimate at its high end"


def _needed(asked: int, each: int) -> int | None:
    """Copies that hold what is asked, None where one holds nothing."""
    return -(-asked // each) if each else None


def _decision(report: ReportInput) -> Table:
    return Table(
        key="decision",
        caption="Decision table",
        columns=(
            Column(key="option", title="Option"),
            Column(key="gpus", title="GPUs", share=1),
            Column(key="layout", title="Layout"),
            Column(key="verdict", title="Verdict"),
            Column(key="sequences", title="Sequences\nthat fit", kind=Kind.NUMBER),
            Column(key="least", title="At\nleast", kind=Kind.NUMBER),
            Column(key="concurrency", title="Maximum\nconcurrency", kind=Kind.NUMBER),
            Column(key="longest", title="Longest\ncontext", kind=Kind.NUMBER),
            Column(key="headroom", title="Headroom,\n%", kind=Kind.NUMBER),
            Column(key="limit", title="Limit"),
        ),
        rows=tuple(_decision_row(option, letters(i)) for i, option in enumerate(report.options)),
        note=(
            f"Sequences that fit: whole sequences of {grouped(report.workload.context)} tokens in all GPUs of the "
            "option. At least: the same with every estimate at its high end. Maximum concurrency: the engine’s own "
            "figure. Longest context: tokens at which the sequences asked for still fit, never past the model’s "
            "maximum. Headroom: share of the KV pool that they leave free; negative where they do not fit. "
            "Limit: what runs out first."
        ),
    )


def _decision_row(option: Option, letter: str) -> tuple[Cell, ...]:
    answer = option.answer
    if answer is None:
        return (letter, option.title, "", "not sized", None, None, None, None, None, "")
    return (
        letter,
        option.title,
        str(answer.layout),
        "fits" if answer.fits else "does not fit",
        whole(answer.full_length_sequences, "sequences"),
        whole(option.band.low, "sequences") if option.band else None,
        _concurrency(answer),
        whole(answer.max_context, "tokens"),
        percent(answer.pool_bytes - option.held_bytes, answer.pool_bytes),
        LIMITS.get(answer.limit, answer.limit or "") if not answer.fits else "none",
    )


def _concurrency(answer: Answer) -> Cell:
    from decimal import Decimal

    from kvdesk.report.blocks import Number

    value = Decimal(repr(answer.max_concurrency)).quantize(Decimal("0.01"))
    return Number(value=value, unit="", text=f"{value:,}")


def _order(report: ReportInput) -> Table:
    priced = any(option.price is not None for option in report.options)
    columns = [
        Column(key="option", title="Option"),
        Column(key="gpu", title="GPU", share=1),
        Column(key="needed", title="GPUs\nneeded", kind=Kind.NUMBER),
        Column(key="safe", title="GPUs,\nat most", kind=Kind.NUMBER),
        Column(key="spare", title="GPUs,\nN+1", kind=Kind.NUMBER),
        Column(key="watts", title="Power,\nW", kind=Kind.NUMBER),
        Column(key="watts_spare", title="Power\nN+1, W", kind=Kind.NUMBER),
    ]
    currency = report.details.currency
    unit = f", {currency}" if currency else ""
    if priced:
        columns += [
            Column(key="price", title=f"Price per\nGPU{unit}", kind=Kind.NUMBER),
            Column(key="total", title=f"Total\n{currency}", kind=Kind.NUMBER),
            Column(key="total_spare", title=f"Total N+1\n{currency}", kind=Kind.NUMBER),
            Column(key="per_sequence", title=f"Per sequence\n{currency}", kind=Kind.NUMBER),
        ]
    rows = [_order_row(report, i, priced) for i, option in enumerate(report.options) if option.answer]
    asked = counted(report.workload.sequences, "sequence")
    price_note = (
        " Prices are the user’s; per sequence: the total over the sequences that the GPUs needed hold."
        if priced
        else ""
    )
    return Table(
        key="order",
        caption=f"What holds {asked} of {grouped(report.workload.context)} tokens",
        columns=tuple(columns),
        rows=tuple(rows),
        note=(
            "GPUs needed: as many copies of the option as hold the sequences asked for; empty where no copy holds one. "
            "At most: the same with every estimate at its high end; order this many, or measure first. N+1: one copy "
            "more than needed, so that all sequences still fit when one is lost. Power: the devices’ rated board power "
            f"without hosts and cooling.{price_note}"
        ),
    )


def _order_row(report: ReportInput, index: int, priced: bool) -> tuple[Cell, ...]:
    option = report.options[index]
    answer = option.answer
    name = option.device.name if option.device else option.gpu
    holds = answer.full_length_sequences if answer else 0
    copies = _needed(report.workload.sequences, holds)
    if copies is None:
        return (letters(index), name, *([None] * (9 if priced else 5)))
    safe = _needed(report.workload.sequences, option.band.low) if option.band else copies
    needed, spare = copies * option.count, (copies + 1) * option.count
    watts = option.device.tdp_w if option.device else None
    at_most = whole(safe * option.count, "GPUs") if safe else None
    cells: list[Cell] = [letters(index), name, whole(needed, "GPUs"), at_most, whole(spare, "GPUs")]
    cells += [whole(watts * needed, "W"), whole(watts * spare, "W")] if watts is not None else [None, None]
    if priced:
        cells += _price_cells(report, option, needed, spare, copies * holds)
    return tuple(cells)


def _price_cells(report: ReportInput, option: Option, needed: int, spare: int, holds: int) -> list[Cell]:
    price, currency = option.price, report.details.currency
    if price is None:
        return [None] * 4
    whole_ones = all(o.price is None or o.price == o.price.to_integral_value() for o in report.options)
    cells: list[Cell] = [money(price * factor, currency, cents=not whole_ones) for factor in (1, needed, spare)]
    return [*cells, money(price * needed / holds, currency)]
