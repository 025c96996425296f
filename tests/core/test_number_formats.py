import pytest

from kvdesk.core import number_formats
from kvdesk.core.errors import RefusalError


@pytest.mark.parametrize(
    ("name", "elements", "size"),
    [
        ("bf16", 128, 256),
        ("fp32", 128, 512),
        ("fp8", 128, 128),
        ("int4", 128, 64),
        ("nvfp4", 128, 72),  # 128 / 2 + 128 / 16
        ("mxfp4", 128, 68),  # 128 / 2 + 128 / 32
        ("q8_0", 128, 136),  # 34 B per 32
        ("q4_0", 128, 72),  # 18 B per 32
        ("int8_per_token_head", 128, 132),  # 128 + one fp32 scale
        ("int4_per_token_head", 128, 68),
        ("nvfp4", 17, 18),  # a started block counts whole
        ("int8_per_token_head", 0, 0),
    ],
)
def test_bytes_of_a_vector(name: str, elements: int, size: int) -> None:
    assert number_formats.get(name).vector(elements) == size


def test_records() -> None:
    # vLLM 0.33.0: 512 fp8 + 4 fp32 scales + 64 bf16 rope = 656; 352 for NVFP4; 584 for DeepSeek-V4
    assert number_formats.get("fp8_ds_mla").latent(512, 64) == 512 + 16 + 128
    assert number_formats.get("nvfp4_ds_mla").latent(512, 64) == 352
    assert number_formats.get("fp8_ds_mla").latent(448, 64) == 584
    assert number_formats.get("bf16").latent(512, 64) == 1152


def test_a_record_of_unknown_shape_is_refused() -> None:
    with pytest.raises(RefusalError) as caught:
        number_formats.get("fp8_ds_mla").latent(256, 32)
    assert caught.value.code == "unknown-record"


@pytest.mark.parametrize(("alias", "name"), [("torch.bfloat16", "bf16"), ("F16", "fp16"), ("float8_e5m2", "fp8_e5m2")])
def test_other_spellings(alias: str, name: str) -> None:
    assert number_formats.get(alias).name == name


def test_an_unknown_format_is_refused_by_name() -> None:
    assert number_formats.find("fp3") is None
    with pytest.raises(RefusalError, match="fp3"):
        number_formats.get("fp3")


def test_bits_for_people() -> None:
    assert number_formats.get("q4_0").bits_per_element == "4.5 bits"
