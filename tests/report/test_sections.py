"""Single sections: what they say, and when they have nothing to say."""

from dataclasses import replace

import pytest

from kvdesk.app import lookup, reporting
from kvdesk.app.derive import Deriver
from kvdesk.app.session import GpuChoice, Session
from kvdesk.report.blocks import Figure, Heading, Paragraph, Section, Statement, Table
from kvdesk.report.document import build
from kvdesk.report.inputs import ReportDetails, ReportInput
from kvdesk.report.sections import appendix, engine_profile, sensitivity

LLAMA = Session(model=lookup.load("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"),))


def report(session: Session) -> ReportInput:
    return reporting.report_input(session, Deriver().derive(session), ReportDetails())


def section(session: Session, key: str) -> Section:
    return next(s for s in build(report(session)).sections if s.key == key)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (8, "8"),
        (True, "True"),
        ((1, 1, 1), "1 × 3"),
        (("s", "s", "f") * 3, "(s × 2, f) × 3"),
        (("s", "s", "f") * 2 + ("s",), "(s × 2, f) × 2, s"),
        (("a", "b", "c"), "a, b, c"),
        ((), ""),
    ],
)
def test_long_facts_are_folded(value: object, text: str) -> None:
    assert appendix.fact_text(value) == text


def test_permalinks_point_into_the_engine_at_its_version() -> None:
    answer = Deriver().derive(replace(LLAMA, engine="vllm")).options[0].answer
    assert answer is not None
    links = engine_profile.permalinks(answer)
    root = f"https://github.com/vllm-project/vllm/blob/v{answer.engine_version}/vllm/"
    assert f"{root}v1/core/kv_cache_utils.py" in links
    assert len(links) == len(set(links))


def test_the_textbook_has_no_code_to_point_to() -> None:
    answer = Deriver().derive(LLAMA).options[0].answer
    assert answer is not None
    assert engine_profile.permalinks(answer) == ()


def test_nothing_that_moves_is_said_in_a_sentence() -> None:
    # 70B parameters in bf16 do not fit a T4 whatever the cache, the utilization or the reserve.
    hopeless = replace(LLAMA, model=lookup.load("llama-3.1-70b"), gpus=(GpuChoice(gpu="t4"),))
    found = sensitivity.section(report(hopeless))
    assert found is not None
    (only,) = found.blocks
    assert isinstance(only, Paragraph)
    assert "no change of one input alone moves that" in only.text


def test_nothing_that_fits_draws_no_empty_chart() -> None:
    hopeless = replace(LLAMA, model=lookup.load("llama-3.1-70b"), gpus=(GpuChoice(gpu="t4"),))
    keys = [block.key for block in section(hopeless, "plots").blocks if isinstance(block, Figure)]
    assert keys == ["memory_A", "stacked_A"]


def test_five_options_make_two_charts_of_each_kind() -> None:
    five = replace(LLAMA, gpus=tuple(GpuChoice(gpu=g) for g in ("h100-sxm", "h200-sxm", "l40s", "l4", "mi300x")))
    keys = [block.key for block in section(five, "plots").blocks if isinstance(block, Figure)]
    assert keys == ["memory_A", "memory_E", "sequences_A", "sequences_E", "stacked_A"]


def test_an_eight_bit_cache_is_a_risk() -> None:
    titles = [b.title for b in section(replace(LLAMA, kv_dtype="fp8"), "findings").blocks if isinstance(b, Statement)]
    assert "Cache format" in titles
    titles = [b.title for b in section(LLAMA, "findings").blocks if isinstance(b, Statement)]
    assert "Cache format" not in titles


def test_the_layers_add_up_to_the_logical_bytes() -> None:
    layers = next(b for b in section(LLAMA, "layers").blocks if isinstance(b, Table))
    *kinds, total = [
        row[layers.columns.index(next(c for c in layers.columns if c.key == "bytes"))] for row in layers.rows
    ]
    assert not isinstance(total, str | None)
    assert total.value == 1_073_741_824  # CONTRACT: 8,192 tokens = 1 GiB
    assert sum(cell.value for cell in kinds if not isinstance(cell, str | None)) == total.value


def test_the_form_names_the_engines_own_lines() -> None:
    blocks = section(replace(LLAMA, engine="vllm"), "measure").blocks
    form = next(b for b in blocks if isinstance(b, Table))
    assert form.form
    assert any("Available KV cache memory" in str(row[1]) for row in form.rows)
    assert all(row[-1] is None and row[-2] is None for row in form.rows)
    assert isinstance(blocks[0], Heading)


def test_the_sign_off_carries_the_names() -> None:
    session = LLAMA
    details = ReportDetails(author="A. Author", reviewer="R. Reviewer")
    built = build(reporting.report_input(session, Deriver().derive(session), details))
    table = next(t for t in built.tables() if t.key == "sign_off")
    assert [row[:2] for row in table.rows] == [
        ("Prepared by", "A. Author"),
        ("Checked by", "R. Reviewer"),
        ("Approved by", None),
    ]
