"""Options by vLLM's names: values checked, strangers refused."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.core.errors import UsageError
from kvdesk.core.findings import Severity
from kvdesk.core.json_value import JsonValue
from kvdesk.engines.vllm import arguments, options
from kvdesk.engines.vllm.arguments import Speculation
from kvdesk.engines.vllm.profile import ENGINE
from tests.engines import samples


def test_nothing_given_leaves_every_default() -> None:
    found = arguments.parse({})
    assert found == arguments.Arguments(parallel={})


@pytest.mark.parametrize(
    ("given_length", "length", "auto"),
    [(4096, 4096, False), ("32k", 32_000, False), ("1K", 1024, False), (-1, None, True), ("auto", None, True)],
)
def test_lengths_as_vllm_reads_them(given_length: JsonValue, length: int | None, auto: bool) -> None:
    found = arguments.parse({"max_model_len": given_length})
    assert (found.max_model_len, found.longest_that_fits) == (length, auto)


def test_words_for_yes_and_no_and_lists_in_one_word() -> None:
    found = arguments.parse({"enforce_eager": "true", "kv_cache_dtype_skip_layers": "0, 31"})
    assert (found.eager, found.skip_layers) == (True, ("0", "31"))


def test_names_of_the_command_line() -> None:
    found = arguments.parse({"--no-enable-prefix-caching": True, "--max-num-seqs": "64"})
    assert (found.prefix_caching, found.max_num_seqs) == (False, 64)


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ({"method": "mtp", "num_speculative_tokens": 3}, Speculation(method="mtp", tokens=3)),
        ({"method": "deepseek_mtp"}, Speculation(method="mtp", tokens=1)),
        ({"model": "a/draft"}, Speculation(method="draft_model", tokens=1, model="a/draft")),
        ({"method": "ngram", "num_speculative_tokens": 5}, Speculation(method="ngram", tokens=5)),
    ],
)
def test_speculation(config: JsonValue, wanted: Speculation) -> None:
    assert arguments.parse({"speculative_config": config}).speculation == wanted


@pytest.mark.parametrize(
    "given_options",
    [
        {"max_num_seqs": 0},
        {"max_num_seqs": True},
        {"block_size": "many"},
        {"gpu_memory_utilization": 1.5},
        {"enable_prefix_caching": "maybe"},
        {"kv_cache_dtype": 8},
        {"kv_cache_dtype_skip_layers": {"a": 1}},
        {"speculative_config": "mtp"},
        {"max_model_len": 1 << 60},
    ],
)
def test_a_value_of_the_wrong_kind_is_named(given_options: dict[str, JsonValue]) -> None:
    with pytest.raises(UsageError, match=next(iter(given_options))) as caught:
        arguments.parse(given_options)
    assert caught.value.code == "bad-engine-arg"


def test_an_unknown_option_is_a_finding_and_no_number() -> None:
    found = ENGINE.answer(samples.question(samples.LLAMA_8B, arguments={"max_num_seqz": 4}))
    assert (found.fits, found.full_length_sequences, found.num_blocks) == (False, 0, None)
    assert [(f.code, f.severity) for f in found.findings] == [("unknown-engine-arg", Severity.REFUSAL)]
    assert "max_num_seqz" in found.findings[0].text


def test_an_option_whose_effect_is_not_known_is_refused_only_when_it_is_set() -> None:
    assert not arguments.parse({"use_replayssm": False}).findings
    assert [f.code for f in arguments.parse({"use_replayssm": True}).findings] == ["unmodelled-engine-arg"]


def test_an_option_that_only_moves_memory_is_a_warning() -> None:
    assert [f.severity for f in arguments.parse({"enable_lora": True}).findings] == [Severity.WARNING]


def test_no_option_is_in_two_sets() -> None:
    sets = (options.USED, options.NEUTRAL, options.UNMODELLED, options.APPROXIMATE)
    assert len(frozenset().union(*sets)) == sum(map(len, sets))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(options.USED)) | st.text(max_size=12), VALUES, max_size=4))
def test_any_options_give_an_answer_or_a_usage_error(given_options: dict[str, JsonValue]) -> None:
    with suppress(UsageError):
        arguments.parse(given_options)
