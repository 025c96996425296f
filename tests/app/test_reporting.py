"""From a session to the report: input, identity, date, sensitivity."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from kvdesk.app import lookup, reporting, sensitivity
from kvdesk.app.derive import Deriver
from kvdesk.app.session import GpuChoice, Session
from kvdesk.core.errors import SourceError, UsageError
from kvdesk.report.blocks import Document, Number, Statement, Table
from kvdesk.report.document import build
from kvdesk.report.inputs import ReportDetails

LLAMA = Session(model=lookup.load("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"),))


def document(session: Session, details: ReportDetails | None = None) -> Document:
    return reporting.build(session, Deriver().derive(session), details or ReportDetails())


def table(found: Document, key: str) -> Table:
    return next(t for t in found.tables() if t.key == key)


def numbers(found: Table) -> list[list[int | float | Decimal]]:
    return [[cell.value for cell in row if isinstance(cell, Number)] for row in found.rows]


def test_the_worked_example_line_by_line() -> None:
    # CONTRACT: 80 GB, x 0.92, - weights - 3 GB, 54,539,477,504 B, 416,103 tokens, 50 sequences.
    budget = table(document(LLAMA), "budget_A")
    figures = [row[0] for row in numbers(budget)]
    for expected in (80_000_000_000, 73_600_000_000, 16_060_522_496, 3_000_000_000, 54_539_477_504, 416_103, 50):
        assert expected in figures


def test_the_verdict_says_what_fits() -> None:
    verdict = next(b for b in document(LLAMA).sections[0].blocks if isinstance(b, Statement))
    assert verdict.label == "Fits"
    assert "50 whole sequences of 8,192 tokens" in verdict.text


def test_what_does_not_fit_says_why_and_what_to_try() -> None:
    session = replace(LLAMA, gpus=(GpuChoice(gpu="t4"),))
    verdict = next(b for b in document(session).sections[0].blocks if isinstance(b, Statement))
    assert verdict.label == "Does not fit"
    assert verdict.remedy


def test_order_with_prices() -> None:
    # 60 sequences on a GPU that holds 50, 46 at a reserve of 8 GB: two GPUs either way, three for N+1; 100 sequences
    # for 2 x 25,000.
    session = replace(LLAMA, sequences=60)
    found = document(session, ReportDetails(prices={"h100-sxm": Decimal(25_000)}, currency="EUR"))
    (row,) = numbers(table(found, "order"))
    assert row == [2, 2, 3, 1400, 2100, 25_000, 50_000, 75_000, Decimal("500.00")]


def test_headroom_is_the_free_share_of_the_pool() -> None:
    # 16 sequences of 1 GiB in 54,539,477,504 B: 1 - 17,179,869,184 / 54,539,477,504 = 68.5 %.
    (row,) = numbers(table(document(replace(LLAMA, sequences=16)), "decision"))
    assert row[-1] == Decimal("68.5")


def test_the_date_is_given_or_from_the_environment_or_from_the_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert not document(LLAMA).date
    assert LLAMA.model is not None
    looked_up = replace(LLAMA, model=replace(LLAMA.model, looked_up="2026-04-05T10:00:00Z"))
    assert document(looked_up).date == "2026-04-05"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")  # 2026-01-01T00:00:00Z
    assert document(looked_up).date == "2026-01-01"
    assert document(looked_up, ReportDetails(date="2026-02-03")).date == "2026-02-03"


@pytest.mark.parametrize("wrong", ["2026-02-30", "yesterday", "1901-01-01", "9999-01-01"])
def test_a_date_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError) as caught:
        document(LLAMA, ReportDetails(date=wrong))
    assert caught.value.code == "bad-date"


def test_a_look_up_without_a_day_leaves_the_date_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "not a number")
    assert LLAMA.model is not None
    assert not document(replace(LLAMA, model=replace(LLAMA.model, looked_up="some day"))).date


def test_prices_are_found_whatever_the_case() -> None:
    found = document(
        replace(LLAMA, gpus=(GpuChoice(gpu="H100-SXM"),)), ReportDetails(prices={"h100-sxm": Decimal("1.5")})
    )
    assert Decimal("1.50") in numbers(table(found, "order"))[0]


LOG = Path(__file__).parent.parent / "fixtures" / "logs" / "vllm_0_30_tp2.log"


def test_a_log_is_set_beside_the_figures() -> None:
    deriver = Deriver()
    session = Session(model=lookup.load("qwen3.5-27b"))
    log = reporting.reconciled_log(LOG, session, deriver)
    report = reporting.report_input(log.session, deriver.derive(log.session), ReportDetails(), log=log)
    rows = {row[0]: row for row in table(build(report), "reconciled").rows}
    # The log prints "GPU KV cache size: 302,921 tokens".
    tokens = rows["Tokens"]
    assert [cell.value for cell in tokens if isinstance(cell, Number)][:2] == [302_921, 302_921]
    assert tokens[-1] == "equal"


def test_a_log_of_another_model_is_told() -> None:
    # The log names Qwen/Qwen3.8-27B-FP8.
    deriver = Deriver()
    log = reporting.reconciled_log(LOG, Session(model=lookup.load("qwen3.5-27b")), deriver)
    sizing = deriver.derive(log.session)
    report = reporting.report_input(log.session, sizing, ReportDetails(), log=log)
    assert any(f.code == "other-model" and "Qwen/Qwen3.8-27B-FP8" in f.text for f in report.findings)
    model = replace(sizing.model, id="another-org/qwen3.8-27b-fp8")
    same = reporting.reconciled_log(LOG, Session(model=model), deriver)
    report = reporting.report_input(same.session, deriver.derive(same.session), ReportDetails(), log=same)
    assert not any(f.code == "other-model" for f in report.findings)


def test_a_log_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="could not be read"):
        reporting.reconciled_log(tmp_path / "none.log", LLAMA, Deriver())


def test_the_id_follows_the_scenario_and_nothing_else() -> None:
    first = document(LLAMA)
    assert document(replace(LLAMA)).id == first.id
    assert document(LLAMA, ReportDetails(title="another title")).id == first.id
    assert document(replace(LLAMA, sequences=2)).id != first.id
    assert document(replace(LLAMA, reserve_bytes=5)).id != first.id


def test_every_form_is_written_and_is_the_same_twice(tmp_path: Path) -> None:
    sizing = Deriver().derive(LLAMA)
    for form in reporting.FORMATS:
        path = tmp_path / f"report.{form}"
        reporting.write(LLAMA, sizing, path, ReportDetails(), fmt=form)
        first = path.read_bytes()
        reporting.write(LLAMA, sizing, path, ReportDetails(), fmt=form)
        assert path.read_bytes() == first


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(UsageError, match="not a form"):
        reporting.render(LLAMA, Deriver().derive(LLAMA), ReportDetails(), "docx")


def test_sensitivity_is_the_question_asked_again() -> None:
    deriver = Deriver()
    sizing = deriver.derive(LLAMA)
    found = {s.key: s for s in sensitivity.swings(LLAMA, sizing, sizing.options[0], deriver)}
    # CONTRACT: the fp8 cache holds 101 sequences.
    assert (found["kv_dtype"].low, found["kv_dtype"].high) == (50, 101)
    # (73.6 GB - 16,060,522,496 - 8 GB) / 1 GiB = 46.1; with a reserve of 1 GB 52.7.
    assert (found["reserve"].low, found["reserve"].high) == (46, 52)
    # 54,539,477,504 B hold 25 sequences of 2 GiB and 101 of 0.5 GiB.
    assert (found["context"].low, found["context"].high) == (25, 101)
    # (0.87 x 80 GB - weights - 3 GB) / 1 GiB = 47.07; 0.97: 54.5.
    assert (found["utilization"].low, found["utilization"].high) == (47, 54)


def test_the_widest_swing_comes_first() -> None:
    deriver = Deriver()
    sizing = deriver.derive(LLAMA)
    found = sensitivity.swings(LLAMA, sizing, sizing.options[0], deriver)
    widths = [s.high - s.low for s in found if s.high is not None and s.low is not None]
    assert widths == sorted(widths, reverse=True)


def test_the_band_puts_every_estimate_at_its_bound() -> None:
    deriver = Deriver()
    band = sensitivity.band(deriver.derive(LLAMA).options[0])
    assert band is not None
    assert (band.low, band.expected, band.high) == (46, 50, 52)


def test_a_given_reserve_has_no_band() -> None:
    deriver = Deriver()
    session = replace(LLAMA, reserve_bytes=3_000_000_000)
    band = sensitivity.band(deriver.derive(session).options[0])
    assert band is not None
    assert band.low == band.expected == band.high == 50


def test_an_option_without_an_answer_has_neither() -> None:
    deriver = Deriver()
    session = replace(LLAMA, gpus=(GpuChoice(gpu="no-such-gpu"),))
    sizing = deriver.derive(session)
    assert sensitivity.band(sizing.options[0]) is None
    assert sensitivity.swings(session, sizing, sizing.options[0], deriver) == ()


def test_no_gpu_is_still_a_report() -> None:
    found = document(replace(LLAMA, gpus=()))
    assert {section.key for section in found.sections} >= {"answer", "question", "layers", "findings", "sign_off"}


def test_many_options_are_lettered_and_told_apart() -> None:
    session = replace(LLAMA, gpus=tuple(GpuChoice(gpu="h100-sxm", count=1) for _ in range(30)))
    report = reporting.report_input(session, Deriver().derive(session), ReportDetails())
    keys = [t.key for t in build(report).tables()]
    assert len(keys) == len(set(keys))
    assert "budget_AD" in keys
