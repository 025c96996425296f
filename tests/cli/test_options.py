import argparse

import pytest

from kvdesk.cli import options
from kvdesk.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h100-sxm", ("h100-sxm", None)),
        ("h100-sxmx8", ("h100-sxm", 8)),
        ("mi300xx8", ("mi300x", 8)),
        ("mi300x", ("mi300x", None)),
        ("rtx-4090x2", ("rtx-4090", 2)),
        ("tpu-v7x", ("tpu-v7x", None)),
    ],
)
def test_gpus_with_counts(text: str, expected: tuple[str, int]) -> None:
    assert options.gpu(text) == expected


@pytest.mark.parametrize("text", ["nothing-we-know", "nothing-we-knowx8", "", "x", "x8"])
def test_a_gpu_that_is_not_known_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        options.gpu(text)


def test_no_gpus_at_all_are_refused() -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.gpu("h100-sxmx0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_model_len=131072", ("max_model_len", 131_072)),
        ("--enable-prefix-caching=false", ("enable_prefix_caching", False)),
        ("enable_prefix_caching=False", ("enable_prefix_caching", False)),
        ("kv_cache_dtype=fp8", ("kv_cache_dtype", "fp8")),
        ('speculative_config={"method": "mtp"}', ("speculative_config", {"method": "mtp"})),
        ("a=b=c", ("a", "b=c")),
        ("x=", ("x", "")),
    ],
)
def test_engine_options(text: str, expected: tuple[str, object]) -> None:
    assert options.engine_arg(text) == expected


@pytest.mark.parametrize("text", ["nothing", "=5", ""])
def test_engine_options_without_a_key(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.engine_arg(text)


def test_deeply_nested_values_are_taken_as_text() -> None:
    key, value = options.engine_arg("k=" + "[" * 100_000)
    assert (key, type(value)) == ("k", str)


@pytest.mark.parametrize("text", ["-1", "1e3", "0x10", "٣", "9" * 30, "", "nan"])
def test_numbers_that_are_not_whole(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.whole_number(text)


def test_numbers_may_have_separators() -> None:
    assert options.positive("131,072") == 131_072
    with pytest.raises(argparse.ArgumentTypeError):
        options.positive("0")


@pytest.mark.parametrize("text", ["0", "1.1", "-0.5", "nan", "inf", "a"])
def test_fractions_out_of_range(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        options.fraction(text)


def test_sizes() -> None:
    assert options.size("3GB") == 3_000_000_000
    with pytest.raises(argparse.ArgumentTypeError):
        options.size("3 quux")
