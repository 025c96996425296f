import pytest

from kvdesk.core import units
from kvdesk.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("3GB", 3_000_000_000),
        ("3GiB", 3 * 2**30),
        ("3000000000", 3_000_000_000),
        ("3,000 mb", 3_000_000_000),
        ("1.5GiB", 3 * 2**29),
        ("0.5 kB", 500),
        (" 12 TiB ", 12 * 2**40),
        ("7b", 7),
    ],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert units.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-3GB", "3 quux", "1e9", "nan", "0.1", "1.23 B", "٣GB", "3GBs", "9" * 99])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        units.parse_size(text)
    assert caught.value.code == "bad-size"


def test_more_than_any_memory_is_a_typing_error() -> None:
    # 2^63 B = 8,388,608 TiB; the second was found by mutation
    assert units.parse_size("8388608TiB") == 2**63
    for text in ("8388609TiB", "1_0099999999999999GiB"):
        with pytest.raises(UsageError, match="any memory"):
            units.parse_size(text)


def test_sixteen_gibibytes_in_both_units() -> None:
    # 17,179,869,184 = 16 x 2^30 = 17.18 x 1e9
    assert units.both(17_179_869_184) == "17.18 GB (16.00 GiB)"


def test_small_sizes_are_not_nought() -> None:
    assert units.both(2_097_152) == "2.10 MB (2.00 MiB)"
    assert units.both(4_096) == "4,096 B"
    assert units.both(0) == "0.00 GB (0.00 GiB)"
    assert units.exact(17_179_869_184) == "17,179,869,184 B"


def test_the_largest_binary_unit() -> None:
    assert [units.binary(n) for n in (131_072, 3_211_264, 1023, 2**40, -(2**30))] == [
        "128 KiB",
        "3.06 MiB",
        "1023 B",
        "1 TiB",
        "-1 GiB",
    ]
