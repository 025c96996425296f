"""Which inputs move the answer most: a tornado and its table, for one option."""

from kvdesk.report.blocks import Block, Column, Kind, Paragraph, Section, Table
from kvdesk.report.charts import tornado
from kvdesk.report.inputs import ReportInput, Swing
from kvdesk.report.numbers import grouped, letters, whole
from kvdesk.report.sections.answer import option_title

MOST_SHOWN = 12
"""Inputs drawn and listed; the widest come first."""


def section(report: ReportInput) -> Section | None:
    """None where no option was sized."""
    lead = report.lead
    if lead is None or not report.swings:
        return None
    option = report.options[lead]
    now = option.answer.full_length_sequences if option.answer else 0
    moving = tuple(swing for swing in report.swings if swing.moves(now))[:MOST_SHOWN]
    title = "What moves the answer most"
    if not moving:
        named = ", ".join(swing.label for swing in report.swings)
        text = f"Option {option_title(option, lead)} holds {grouped(now)} whole sequences, and no change of one input "
        still = Paragraph(text=f"{text}alone moves that: {named}.")
        return Section(key="sensitivity", title=title, blocks=(still,))
    blocks: tuple[Block, ...] = (
        Paragraph(
            text=(
                f"Option {option_title(option, lead)} holds {grouped(now)} whole sequences. Each input is changed "
                "alone, and the whole sizing is done again; figures are whole sequences that fit all its GPUs."
            )
        ),
        tornado.figure(moving, now, letters(lead)),
        Table(
            key="sensitivity",
            caption=f"Whole sequences of option {letters(lead)} with one input changed",
            columns=(
                Column(key="input", title="Input", share=1.2),
                Column(key="less", title="Less favourable", share=1.2),
                Column(key="less_sequences", title="Sequences", kind=Kind.NUMBER),
                Column(key="more", title="More favourable", share=1.2),
                Column(key="more_sequences", title="Sequences", kind=Kind.NUMBER),
            ),
            rows=tuple(
                (
                    swing.label,
                    swing.from_,
                    whole(swing.low, "sequences") if swing.low is not None else "no answer",
                    swing.to,
                    whole(swing.high, "sequences") if swing.high is not None else "no answer",
                )
                for swing in moving
            ),
            note=_note(report.swings, moving),
        ),
    )
    return Section(key="sensitivity", title=title, blocks=blocks)


def _note(swings: tuple[Swing, ...], moving: tuple[Swing, ...]) -> str:
    """What is not in the table, so that its absence is no riddle."""
    still = [swing.label for swing in swings if swing not in moving]
    told = f" Less or no effect: {', '.join(still)}." if still else ""
    return f"“no answer”: the engine, or the catalogue, does not know the option at that value.{told}"
