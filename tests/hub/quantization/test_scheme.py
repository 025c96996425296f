"""Schemes as real checkpoints describe them, and the bytes they come to."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.core.json_value import JsonValue
from kvdesk.core.number_formats import FORMATS, NumberFormat
from kvdesk.hub.quantization import Scheme, formats, scheme

BF16, FP8, NVFP4 = FORMATS["bf16"], FORMATS["fp8"], FORMATS["nvfp4"]


def of(**fields: JsonValue) -> Scheme:
    return scheme({"quantization_config": fields})


def only(found: Scheme, part: str, layers: int = 10) -> NumberFormat:
    ((fmt, share),) = found.formats(part, layers, BF16).items()
    assert share == 1
    return fmt


def bits(fmt: NumberFormat) -> Fraction:
    return Fraction(8 * fmt.block_bytes, fmt.block)


def test_without_a_config_everything_is_in_the_models_format() -> None:
    assert only(scheme({}), "mlp") == BF16
    assert not scheme({}).name


def test_fp8_blocks_leave_embeddings_routers_and_norms() -> None:
    found = of(quant_method="fp8", weight_block_size=[128, 128], modules_to_not_convert=["gate", "lm_head"])
    assert bits(only(found, "experts")) == 8 + Fraction(32, 128 * 128)
    assert {only(found, part) for part in ("embedding", "lm_head", "router", "norms", "vision")} == {BF16}


def test_awq_has_a_scale_and_a_zero_point_for_each_group() -> None:
    found = of(quant_method="awq", bits=4, group_size=128, zero_point=True)
    assert bits(only(found, "mlp")) == 4 + Fraction(16 + 4, 128)


def test_nf4_with_a_maximum_for_64_and_doubly_quantised() -> None:
    assert bits(only(of(quant_method="bitsandbytes", load_in_4bit=True), "mlp")) == 4 + Fraction(32, 64)
    found = of(quant_method="bitsandbytes", load_in_4bit=True, bnb_4bit_use_double_quant=True)
    assert bits(only(found, "mlp")) == 4 + Fraction(8, 64) + Fraction(32, 64 * 256)
    assert only(of(quant_method="bitsandbytes", load_in_8bit=True), "mlp") == FORMATS["int8"]


def test_mxfp4_is_for_the_experts_alone() -> None:
    found = of(quant_method="mxfp4", modules_to_not_convert=["model.layers.*.self_attn", "lm_head"])
    assert bits(only(found, "experts")) == 4 + Fraction(8, 32)
    assert only(found, "attention") == BF16


def test_mlx_quantises_the_embedding_too() -> None:
    found = of(group_size=64, bits=8, mode="affine")
    assert bits(only(found, "embedding")) == bits(only(found, "mlp")) == 8 + Fraction(32, 64)


def test_compressed_tensors_with_patterns_that_stay() -> None:
    weights: JsonValue = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True}
    groups: JsonValue = {"group_0": {"targets": ["Linear"], "weights": weights}}
    found = of(
        quant_method="compressed-tensors",
        config_groups=groups,
        ignore=["lm_head", "re:.*self_attn.*", "re:.*shared_experts.*"],
    )
    assert bits(only(found, "experts")) == 4 + Fraction(16, 32)
    assert only(found, "attention") == only(found, "shared_experts") == BF16


def test_a_share_of_the_layers_stays() -> None:
    ignored: JsonValue = ["lm_head", *(f"model.layers.{i}.self_attn*" for i in range(3))]
    found = of(quant_method="modelopt", quant_algo="NVFP4", ignore=ignored)
    assert found.formats("attention", 10, BF16) == {BF16: Fraction(3, 10), NVFP4: Fraction(7, 10)}


def test_mixed_precision_names_every_module() -> None:
    layers: JsonValue = {
        "model.layers.0.self_attn.q_proj": {"quant_algo": "FP8"},
        "model.layers.1.self_attn.q_proj": {"quant_algo": "FP8"},
        **{
            f"model.layers.0.mlp.experts.{i}.up_proj": {"quant_algo": "W4A16_NVFP4", "group_size": 16} for i in range(3)
        },
    }
    found = of(quant_algo="MIXED_PRECISION", quantized_layers=layers)
    assert found.formats("attention", 4, BF16) == {FP8: Fraction(1, 2), BF16: Fraction(1, 2)}
    assert found.formats("experts", 1, BF16) == {NVFP4: Fraction(1)}


def test_a_side_file_says_it_where_the_config_does_not() -> None:
    side = {"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}}
    assert only(scheme({}, {"hf_quant_config.json": json.dumps(side).encode()}), "mlp") == FP8


def test_expert_dtype_beside_the_scheme() -> None:
    found = scheme({"expert_dtype": "fp4", "quantization_config": {"quant_method": "fp8"}})
    assert only(found, "experts") == FORMATS["mxfp4"]
    assert only(found, "attention") == FP8


@pytest.mark.parametrize("fields", [{"quant_method": "unheard_of"}, {"quant_algo": "W3"}, {"quant_method": "awq"}])
def test_what_is_not_known_is_counted_at_sixteen_bits(fields: dict[str, JsonValue]) -> None:
    found = scheme({"quantization_config": fields})
    assert not found.known
    assert only(found, "mlp") == BF16


@pytest.mark.parametrize(("bits_", "group"), [(2, 64), (3, 128), (4, 32), (8, 128)])
def test_groups_of_any_width_fill_whole_bytes(bits_: int, group: int) -> None:
    assert bits(formats.integers(bits_, group)) == bits_ + Fraction(16, group)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
KEYS = st.sampled_from(
    ["quant_method", "quant_algo", "bits", "group_size", "ignore", "config_groups", "quantized_layers", "load_in_4bit"]
)


@settings(max_examples=300, deadline=None)
@given(fields=st.dictionaries(KEYS, JSON, max_size=5), part=st.sampled_from(["mlp", "experts", "lm_head", "norms"]))
def test_anything_gives_shares_of_one(fields: dict[str, JsonValue], part: str) -> None:
    assert sum(scheme({"quantization_config": fields}).formats(part, 3, BF16).values()) == 1


def test_names_of_layers_without_experts_say_nothing_of_experts() -> None:
    # GLM-5.1 in NVFP4: layers 0 to 2 are dense, 78 is the draft layer; the experts of all 75 others are in 4 bits.
    names: JsonValue = ["model.layers.0*", "model.layers.1.*", "model.layers.2.*", "model.layers.78*"]
    found = of(quant_algo="NVFP4", ignore=names)
    assert found.formats("experts", 75, BF16, range(3, 78)) == {NVFP4: Fraction(1)}
    assert found.formats("mlp", 3, BF16, range(3)) == {BF16: 1}
