"""Low, expected and high: pools and sequences with every estimate at its ends."""

import pytest

from kvdesk.app import bands, lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import GpuChoice, Session
from kvdesk.app.sizing_json import to_json
from kvdesk.core.values import replace

LLAMA = Session(model=lookup.from_card("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"),))
SEQUENCE = 8192 * 131_072


def sized(session: Session) -> tuple[Sizing, OptionResult]:
    sizing = Deriver().derive(session)
    return sizing, sizing.options[0]


def test_the_textbook_by_hand() -> None:
    """73.6 GB - 16,060,522,496 B - 8 GB, 3 GB or 1 GB; one sequence is 2^30 B."""
    _, option = sized(LLAMA)
    ends = bands.band(option)
    assert ends is not None
    assert ends.pool_low == 73_600_000_000 - 16_060_522_496 - 8_000_000_000
    assert ends.pool_high == 73_600_000_000 - 16_060_522_496 - 1_000_000_000
    assert (ends.sequences_low, ends.sequences_high) == (ends.pool_low // SEQUENCE, ends.pool_high // SEQUENCE)


@pytest.mark.parametrize("engine", ["plain", "vllm", "sglang", "tensorrt_llm", "llama_cpp"])
def test_the_ends_enclose_the_expected(engine: str) -> None:
    _, option = sized(replace(LLAMA, engine=engine, gpus=(GpuChoice(gpu="h100-sxm", count=2),)))
    ends, answer = bands.band(option), option.answer
    assert ends is not None
    assert answer is not None
    assert ends.pool_low < answer.pool_bytes < ends.pool_high
    assert ends.sequences_low <= answer.full_length_sequences <= ends.sequences_high


def test_the_ends_are_in_the_json() -> None:
    option = to_json(sized(LLAMA)[0])["options"]
    assert isinstance(option, list)
    first = option[0]
    assert isinstance(first, dict)
    assert (first["sequences_low"], first["full_length_sequences"], first["sequences_high"]) == (46, 50, 52)
    assert first["pool_low_bytes"] == 49_539_477_504
    assert first["pool_high_bytes"] == 56_539_477_504


def test_what_fits_only_as_expected_is_said() -> None:
    """50 sequences fit with a reserve of 3 GB, 46 with 8 GB."""
    for wanted, said in ((46, False), (47, True), (50, True), (51, False)):
        sizing, _ = sized(replace(LLAMA, sequences=wanted))
        codes = [finding.code for finding in bands.findings(sizing)]
        assert ("fits-only-as-expected" in codes) == said, wanted


def test_a_pool_that_was_printed_has_no_band() -> None:
    _, option = sized(replace(LLAMA, engine="vllm", pool_bytes=10 << 30))
    ends = bands.band(option)
    assert ends is not None
    assert ends.pool_low == ends.pool_high == 10 << 30
    assert ends.sequences_low == ends.sequences_high == 9  # 5,120 blocks, one never handed out, 512 a sequence


def test_weights_on_paper_may_leave_parts_in_16_bits() -> None:
    """8,030,261,248 parameters; embedding and head have 128,256 x 4,096 each, 65 norms 4,096."""
    _, option = sized(replace(LLAMA, weights_dtype="fp8", reserve_bytes=3_000_000_000))
    ends, answer = bands.band(option), option.answer
    assert ends is not None
    assert answer is not None
    most = 8_030_261_248 + 2 * 128_256 * 4096 + 65 * 4096
    assert answer.weights_bytes == 8_030_261_248
    assert ends.pool_low == 73_600_000_000 - most - 3_000_000_000
    assert ends.pool_high == answer.pool_bytes


def test_no_answer_no_band() -> None:
    _, option = sized(replace(LLAMA, gpus=(GpuChoice(gpu="no-such-gpu"),)))
    assert bands.band(option) is None


@pytest.mark.parametrize("engine", ["plain", "vllm", "sglang", "tensorrt_llm", "llama_cpp"])
@pytest.mark.parametrize("name", ["llama-3.1-8b", "gemma-3-27b", "deepseek-v3"])
def test_where_there_is_plenty_the_unfavourable_end_fits(engine: str, name: str) -> None:
    """The short cut never hides a warning: what it lets pass holds the workload with every estimate at its high end."""
    passed = 0
    for wanted in (1, 2, 5, 17, 40):
        gpus = (GpuChoice(gpu="h200-sxm", count=8),)
        _, option = sized(Session(model=lookup.from_card(name), gpus=gpus, engine=engine, sequences=wanted))
        if bands._has_plenty(option, wanted):
            passed += 1
            assert bands.least_sequences(option) >= wanted
    assert passed or name == "deepseek-v3"
