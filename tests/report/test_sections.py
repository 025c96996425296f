"""Single sections: what they say, and when they have nothing to say."""

from dataclasses import replace

import pytest

from kvdesk.app import lookup, reporting
from kvdesk.app.derive import Deriver
from kvdesk.app.distribution import from_csv, from_moments
from kvdesk.app.report_load import LoadAsked
from kvdesk.app.session import GpuChoice, Session
from kvdesk.report.blocks import Figure, Heading, Number, Paragraph, Section, Statement, Table
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


def decided(session: Session) -> dict[str, Table]:
    return {block.key: block for block in section(session, "answer").blocks if isinstance(block, Table)}


def cell(table: Table, key: str, row: int = 0) -> object:
    found = table.rows[row][[column.key for column in table.columns].index(key)]
    return found.value if isinstance(found, Number) else found


def test_what_to_order_holds_at_the_high_end_of_the_estimates_too() -> None:
    # A reserve of 8 GB, the high end of the textbook's guess, leaves 49,539,477,504 B: 46 sequences of 1 GiB, not 50.
    tables = decided(replace(LLAMA, sequences=50))
    assert (cell(tables["decision"], "sequences"), cell(tables["decision"], "least")) == (50, 46)
    assert (cell(tables["order"], "needed"), cell(tables["order"], "safe"), cell(tables["order"], "spare")) == (1, 2, 2)


def test_what_only_fits_as_expected_is_a_finding_and_a_range_in_the_verdict() -> None:
    tight = replace(LLAMA, sequences=48)
    verdict = next(b for b in section(tight, "answer").blocks if isinstance(b, Statement))
    assert "50 whole sequences of 8,192 tokens (46 to 52 with every estimate at its bounds)" in verdict.text
    texts = [b.text for b in section(tight, "findings").blocks if isinstance(b, Statement)]
    assert any("46 sequences fit, fewer than the 48 wanted" in text for text in texts)


def test_what_does_not_fit_says_how_many_copies_would() -> None:
    # 98 sequences: 2 x 50 as expected; 3 x 46 with the reserve at 8 GB.
    verdict = next(b for b in section(replace(LLAMA, sequences=98), "answer").blocks if isinstance(b, Statement))
    assert (
        "2 copies of it, 2 GPUs, would hold them; 3 copies, 3 GPUs, with every estimate at its high end" in verdict.text
    )


def test_several_options_are_compared_before_each_is_told() -> None:
    two = replace(LLAMA, sequences=300, gpus=(GpuChoice(gpu="h100-sxm"), GpuChoice(gpu="h200-sxm")))
    first, *rest = section(two, "answer").blocks
    assert isinstance(first, Paragraph)
    assert "a shorter context" in first.text  # said once
    assert [type(block) for block in rest] == [Table, Table, Statement, Statement]
    assert not any(block.remedy for block in rest if isinstance(block, Statement))


def test_the_device_figure_that_the_budget_starts_from_is_a_risk_where_it_has_no_source() -> None:
    # resources/accelerators.toml: the H100's 80 GB are on the box, what a process sees of it is unconfirmed.
    def titles(session: Session) -> list[str]:
        return [b.title for b in section(session, "findings").blocks if isinstance(b, Statement)]

    assert "Device figures" not in titles(LLAMA)
    assert "Device figures" in titles(replace(LLAMA, engine="vllm"))


def test_what_was_not_given_is_a_default() -> None:
    inputs = next(b for b in section(LLAMA, "inputs").blocks if isinstance(b, Table))
    assert {str(row[0]): row[2] for row in inputs.rows} | {"gpu 1": ""} == {
        **dict.fromkeys((str(row[0]) for row in inputs.rows), "default"),
        "gpu 1": "",
    }
    typed = next(b for b in section(replace(LLAMA, sequences=7), "inputs").blocks if isinstance(b, Table))
    assert ("sequences", "7", "given") in typed.rows


def test_without_load_there_is_no_such_section() -> None:
    assert "expected" not in [one.key for one in build(report(LLAMA)).sections]


def test_the_expected_load_stands_apart_from_the_worst_case() -> None:
    # Prompts of 6,000 and outputs of 2,000 without spread: a live sequence holds 7,000 tokens on average,
    # 917,504,000 B; 54,539,477,504 / 917,504,000 = 59.4; the worst case stays 50.
    asked = LoadAsked(lengths=from_moments(6000, 6000, 2000, 2000), tiers=(("lmcache", 100 << 30), ("no-store", 1)))
    built = build(reporting.report_input(LLAMA, Deriver().derive(LLAMA), ReportDetails(), load=asked))
    tables = {table.key: table for table in built.tables()}
    assert (cell(tables["lengths"], "mean"), cell(tables["lengths"], "p95", 1)) == (6000, 2000)
    assert (cell(tables["expected"], "tokens"), cell(tables["expected"], "live")) == (7000, 59)
    assert (cell(tables["expected"], "worst"), cell(tables["expected"], "longest")) == (50, 8000)
    # 100 GiB in chunks of 256 tokens x 131,072 B = 32 MiB: 3,200 chunks.
    assert cell(tables["tiers"], "tokens") == 819_200
    assert "no-store" in str(cell(tables["tiers"], "source", 1))


def test_a_list_of_requests_is_counted() -> None:
    asked = LoadAsked(lengths=from_csv("prompt,output\n" + "100,10\n" * 94 + "900,90\n" * 6))
    built = build(reporting.report_input(LLAMA, Deriver().derive(LLAMA), ReportDetails(), load=asked))
    lengths = next(table for table in built.tables() if table.key == "lengths")
    assert (cell(lengths, "mean"), cell(lengths, "p95")) == (148, 900)
    assert "100 requests" in str(cell(lengths, "origin"))


def test_the_load_is_part_of_the_scenario() -> None:
    def digest(load: LoadAsked | None) -> str:
        return reporting.report_input(LLAMA, Deriver().derive(LLAMA), ReportDetails(), load=load).scenario_hash

    one, other = (LoadAsked(lengths=from_moments(mean, 900, 100, 200)) for mean in (500, 501))
    assert len({digest(None), digest(one), digest(other)}) == 3
    assert digest(one) == digest(LoadAsked(lengths=from_moments(500, 900, 100, 200)))
