"""The engine's profile: constants of its budgets with their sources, and where its rules are written."""

import re

from kvdesk.core.sourced import Origin
from kvdesk.engines.base import Answer
from kvdesk.report.blocks import Block, Cell, Column, Paragraph, Section, Table
from kvdesk.report.inputs import ReportInput

ROOTS = {
    "vllm": "https://github.com/vllm-project/vllm/blob/v{version}/vllm/",
    "sglang": "https://github.com/sgl-project/sglang/blob/v{version}/python/sglang/srt/",
    "llama_cpp": "https://github.com/ggml-org/llama.cpp/blob/{version}/",
}
"""Where each engine's code is, by the name of its profile; paths in sources are relative to it."""

_FILE = re.compile(r"\b[a-z_][\w/.-]*\.(?:py|cpp|h|cu)\b")


def section(report: ReportInput) -> Section | None:
    """None where no option was sized."""
    answers = [option.answer for option in report.options if option.answer]
    if not answers:
        return None
    title = f"{report.engine_title} {report.engine_version}"
    blocks: list[Block] = [Paragraph(text=f"Profile: {title}, as kvdesk {report.version} knows it.")]
    constants = _constants(answers)
    if constants:
        columns = (
            Column(key="symbol", title="Symbol"),
            Column(key="line", title="Line", share=1),
            Column(key="source", title="Source", share=2.4),
        )
        caption = "Lines of the budget that come from the engine’s profile"
        blocks.append(Table(key="profile", caption=caption, columns=columns, rows=constants))
    links = tuple(dict.fromkeys(link for answer in answers for link in permalinks(answer)))
    if links:
        place = (Column(key="place", title="Place", share=1),)
        rows: tuple[tuple[Cell, ...], ...] = tuple((link,) for link in links)
        caption = "Where the engine’s rules are written"
        blocks.append(Table(key="permalinks", caption=caption, columns=place, rows=rows))
    return Section(key="engine", title="Engine profile", blocks=tuple(blocks), appendix=True)


def _constants(answers: list[Answer]) -> tuple[tuple[Cell, ...], ...]:
    found: dict[tuple[str, str], tuple[Cell, ...]] = {}
    for answer in answers:
        for line in answer.budget:
            if line.source.origin is Origin.PROFILE:
                found.setdefault((line.label, line.source.detail), (line.symbol, line.label, line.source.detail))
    return tuple(found.values())


def permalinks(answer: Answer) -> tuple[str, ...]:
    """Addresses of the files that the profile's lines name, in their order."""
    root = ROOTS.get(answer.engine)
    if root is None:
        return ()
    sources = (line.source.detail for line in answer.budget if line.source.origin is Origin.PROFILE)
    files = (name for detail in sources for name in _FILE.findall(detail))
    return tuple(dict.fromkeys(root.format(version=answer.engine_version) + name for name in files))
