"""The expected load, where lengths or tiers were given: beside the worst case, never mixed with it."""

from decimal import Decimal

from kvdesk.report.blocks import Block, Cell, Column, Kind, Number, Paragraph, Section, Table
from kvdesk.report.inputs import HostTier, Lengths, Load, ReportInput
from kvdesk.report.numbers import gb, gib, grouped, letters, whole

_APART = (
    "This section is an estimate and stands apart: no figure elsewhere in this report depends on it, and a contract "
    "should rest on the worst case of section 1. Here a running sequence holds its prompt and the part of the answer "
    "that is written so far, half of it on average; requests of different lengths run together."
)


def section(report: ReportInput) -> Section | None:
    """None where neither lengths nor tiers were given."""
    if not report.loads and not report.tiers:
        return None
    blocks: list[Block] = []
    if report.lengths and report.loads:
        blocks += [Paragraph(text=_APART), _lengths(report.lengths), _loads(report)]
    if report.tiers:
        blocks.append(_tiers(report.tiers))
    return Section(key="expected", title="Expected load", blocks=tuple(blocks))


def _lengths(lengths: Lengths) -> Table:
    return Table(
        key="lengths",
        caption="Lengths of requests, in tokens",
        columns=(
            Column(key="part", title="Part of a request"),
            Column(key="mean", title="Mean", kind=Kind.NUMBER),
            Column(key="p95", title="95th percentile", kind=Kind.NUMBER),
            Column(key="origin", title="Source", share=1),
        ),
        rows=(
            ("prompt", _tokens(lengths.prompt_mean), _tokens(lengths.prompt_p95), lengths.origin),
            ("output", _tokens(lengths.output_mean), _tokens(lengths.output_p95), lengths.origin),
        ),
    )


def _loads(report: ReportInput) -> Table:
    return Table(
        key="expected",
        caption="Sequences that run together under this load, beside the worst case",
        columns=(
            Column(key="option", title="Option", share=1),
            Column(key="tokens", title="Tokens of a\nlive sequence", kind=Kind.NUMBER),
            Column(key="bytes", title="on one GPU,\nB", kind=Kind.NUMBER),
            Column(key="gb", title="GB", kind=Kind.NUMBER),
            Column(key="live", title="Full on\naverage at", kind=Kind.NUMBER),
            Column(key="preemption", title="Preemption\npast", kind=Kind.NUMBER),
            Column(key="worst", title="Worst case\n(section 1)", kind=Kind.NUMBER),
            Column(key="longest", title="Longest\nrequest", kind=Kind.NUMBER),
            Column(key="too_long", title="Never fit,\n%", kind=Kind.NUMBER),
        ),
        rows=tuple(_load_row(report, load) for load in report.loads),
        note=(
            "Tokens of a live sequence: the mean over all that run at one moment; long answers run longer and weigh "
            "more. Full on average at: the pool over that mean; every second moment would overflow. Preemption past: "
            "with more sequences than this, more than one moment in twenty overflows. Worst case: every sequence at "
            f"{grouped(report.workload.context)} tokens. Never fit: requests that are too long even alone."
        ),
    )


def _load_row(report: ReportInput, load: Load) -> tuple[Cell, ...]:
    answer = report.options[load.option].answer
    share = Decimal(str(round(load.too_long * 100, 1)))
    return (
        letters(load.option),
        _tokens(load.mean_tokens),
        whole(load.mean_bytes, "B"),
        gb(load.mean_bytes),
        whole(load.live, "sequences"),
        whole(load.preemption, "sequences"),
        whole(answer.full_length_sequences, "sequences") if answer else None,
        whole(load.longest, "tokens"),
        Number(value=share, unit="%", text=f"{share:,}"),
    )


def _tiers(tiers: tuple[HostTier, ...]) -> Table:
    return Table(
        key="tiers",
        caption="Host and disk tiers",
        columns=(
            Column(key="option", title="Option"),
            Column(key="store", title="Store", share=1),
            Column(key="source", title="source", under="store"),
            Column(key="total", title="Takes,\nB", kind=Kind.NUMBER),
            Column(key="total_gib", title="GiB", kind=Kind.NUMBER),
            Column(key="chunk", title="Chunk,\ntokens", kind=Kind.NUMBER),
            Column(key="tokens", title="Tokens\nheld", kind=Kind.NUMBER),
            Column(key="sequences", title="Prompts of\nthe context", kind=Kind.NUMBER),
        ),
        rows=_tier_rows(tiers),
        note=(
            "A tier keeps what left the GPU, so that a prompt seen before need not be computed again. It does not let "
            "more sequences run at once."
        ),
    )


def _tier_rows(tiers: tuple[HostTier, ...]) -> tuple[tuple[Cell, ...], ...]:
    """A row for each tier, those that are the same for several options once."""
    options_of: dict[tuple[Cell, ...], list[str]] = {}
    for tier in tiers:
        options_of.setdefault(_tier_cells(tier), []).append(letters(tier.option))
    return tuple((", ".join(names), *cells) for cells, names in options_of.items())


def _tier_cells(tier: HostTier) -> tuple[Cell, ...]:
    if tier.error:
        return (tier.name, tier.error, None, None, None, None, None)
    return (
        tier.name,
        tier.source,
        whole(tier.total, "B"),
        gib(tier.total),
        whole(tier.chunk, "tokens"),
        whole(tier.tokens, "tokens"),
        whole(tier.sequences, "sequences"),
    )


def _tokens(value: float) -> Number:
    mean = Decimal(str(round(value, 1)))
    mean = mean.quantize(Decimal(1)) if mean == mean.to_integral_value() else mean
    return Number(value=mean, unit="tokens", text=f"{mean:,}")
