"""Bytes and parameters out of headers, format by format."""

import pytest

from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin
from kvdesk.hub import checkpoint_files, weights
from kvdesk.hub.safetensors import Tensor
from kvdesk.hub.snapshot import Quantisation, RepoFile
from kvdesk.hub.weights import Hints

SIZES = {"BF16": 16, "F32": 32, "I32": 32, "U32": 32, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F4": 4}


def tensor(name: str, dtype: str, *shape: int) -> Tensor:
    elements = 1
    for size in shape:
        elements *= size
    return Tensor(name, dtype, shape, elements * SIZES[dtype] // 8)


Q = "model.layers.0.self_attn.q_proj"


@pytest.mark.parametrize(
    ("kind", "tensors", "bits"),
    [
        # 64 x 128 parameters each, as each method stores them.
        ("plain", [tensor(f"{Q}.weight", "BF16", 64, 128)], None),
        ("fp8", [tensor(f"{Q}.weight", "F8_E4M3", 64, 128), tensor(f"{Q}.weight_scale_inv", "F32", 1, 1)], None),
        (
            "gptq",
            [
                tensor(f"{Q}.qweight", "I32", 128 // 8, 64),
                tensor(f"{Q}.qzeros", "I32", 1, 64 // 8),
                tensor(f"{Q}.scales", "BF16", 1, 64),
                tensor(f"{Q}.g_idx", "I32", 128),
            ],
            4,
        ),
        ("gptq 8 bits", [tensor(f"{Q}.qweight", "I32", 128 // 4, 64)], 8),
        ("awq", [tensor(f"{Q}.qweight", "I32", 128, 64 // 8), tensor(f"{Q}.qzeros", "I32", 1, 8)], None),
        (
            "compressed-tensors int4",
            [
                tensor(f"{Q}.weight_packed", "I32", 64, 128 // 8),
                tensor(f"{Q}.weight_scale", "BF16", 64, 4),
                tensor(f"{Q}.weight_shape", "I32", 2),
            ],
            4,
        ),
        (
            "compressed-tensors nvfp4",
            [
                tensor(f"{Q}.weight_packed", "U8", 64, 64),
                tensor(f"{Q}.weight_scale", "F8_E4M3", 64, 8),
                tensor(f"{Q}.weight_global_scale", "F32", 1),
                tensor(f"{Q}.input_global_scale", "F32", 1),
            ],
            None,
        ),
        (
            "modelopt nvfp4",
            [
                tensor(f"{Q}.weight", "U8", 64, 64),
                tensor(f"{Q}.weight_scale", "F8_E4M3", 64, 8),
                tensor(f"{Q}.weight_scale_2", "F32"),
                tensor(f"{Q}.input_scale", "F32"),
                tensor("model.layers.0.self_attn.k_proj.k_scale", "F32"),
            ],
            None,
        ),
        (
            "mxfp4",
            [
                tensor("model.layers.0.mlp.experts.down_proj_blocks", "U8", 2, 32, 4, 16),
                tensor("model.layers.0.mlp.experts.down_proj_scales", "U8", 2, 32, 4),
            ],
            None,
        ),
        ("bitsandbytes", [tensor(f"{Q}.weight", "U8", 4096, 1), tensor(f"{Q}.weight.absmax", "U8", 128)], None),
        (
            "mlx",
            [
                tensor(f"{Q}.weight", "U32", 64, 128 // 4),
                tensor(f"{Q}.scales", "BF16", 64, 2),
                tensor(f"{Q}.biases", "BF16", 64, 2),
            ],
            8,
        ),
        ("mx experts", [tensor("model.e.weight", "I8", 64, 64), tensor("model.e.scale", "F8_E8M0", 64, 4)], None),
        ("int8", [tensor(f"{Q}.weight", "I8", 64, 128), tensor(f"{Q}.weight_scale", "F32", 64, 1)], None),
        ("f4", [tensor(f"{Q}.weight", "F4", 64, 128)], None),
    ],
)
def test_parameters_of_packed_formats(kind: str, tensors: list[Tensor], bits: int | None) -> None:
    found = weights.from_tensors(tensors, Hints(bits=bits), "headers")
    assert found.parameters is not None
    assert found.parameters.value == 64 * 128, kind
    assert found.bytes.value == sum(item.bytes for item in tensors)
    assert sum(found.by_format.values()) == found.bytes.value
    assert found.bytes.source.origin is Origin.HEADER


def test_buffers_are_bytes_but_no_parameters() -> None:
    tensors = [tensor("model.layers.0.mlp.gate.e_score_correction_bias", "F32", 256), tensor("a.inv_freq", "F32", 64)]
    found = weights.from_tensors(tensors, Hints(), "headers")
    assert found.parameters is not None
    assert found.parameters.value == 0
    assert found.bytes.value == 1280


@pytest.mark.parametrize(
    ("name", "draft"),
    [
        # DeepSeek-V3 has 61 layers; its draft layer is number 61.
        ("model.layers.61.self_attn.q_a_proj.weight", True),
        ("model.layers.60.self_attn.q_a_proj.weight", False),
        ("language_model.model.layers.61.mlp.gate.weight", True),
        ("model.language_model.layers.61.mlp.gate.weight", True),
        ("mtp.layers.0.mlp.gate.weight", True),
        ("model.mtp_layers.0.norm.weight", True),
        ("mtp_block.0.weight", True),
        ("model.visual.blocks.70.attn.weight", False),
        ("vision_tower.encoder.layers.70.weight", False),
        ("model.embed_tokens.weight", False),
        ("model.decoder.layers.90.fc1.weight", False),
    ],
)
def test_draft_layers(name: str, draft: bool) -> None:
    assert weights.is_draft(name, 61) is draft


def test_draft_and_encoder_parts_stand_apart() -> None:
    tensors = [
        tensor("model.language_model.layers.0.mlp.weight", "BF16", 10),
        tensor("model.visual.blocks.0.attn.weight", "BF16", 20),
        tensor("mtp.fc.weight", "BF16", 30),
    ]
    found = weights.from_tensors(tensors, Hints(layers=1), "headers")
    assert (found.bytes.value, found.encoder_bytes, found.draft_bytes) == (60, 40, 60)
    assert found.parameters is not None
    assert found.parameters.value == 30


def test_a_checkpoint_in_fp32_is_remarked() -> None:
    full = weights.from_tensors([tensor("a.weight", "F32", 1000), tensor("b.weight", "BF16", 10)], Hints(), "headers")
    assert [finding.code for finding in weights.remarks(full)] == ["stored-in-fp32"]
    half = weights.from_tensors([tensor("a.weight", "F32", 10), tensor("b.weight", "BF16", 1000)], Hints(), "headers")
    assert weights.remarks(half) == ()


@pytest.mark.parametrize(("tied", "count"), [(True, 100), (False, 200)])
def test_tied_embeddings_count_once(tied: bool, count: int) -> None:
    tensors = [tensor("model.embed_tokens.weight", "BF16", 10, 10), tensor("lm_head.weight", "BF16", 10, 10)]
    found = weights.from_tensors(tensors, Hints(tied=tied), "headers")
    assert found.parameters is not None
    assert found.parameters.value == count


@pytest.mark.parametrize(
    ("config", "hints"),
    [
        ({}, Hints()),
        ({"num_hidden_layers": 61, "tie_word_embeddings": True}, Hints(layers=61, tied=True)),
        ({"n_layer": 12, "quantization_config": {"bits": 4}}, Hints(layers=12, bits=4)),
        ({"text_config": {"num_hidden_layers": 9}, "tie_word_embeddings": False}, Hints(layers=9)),
        ({"text_config": {"num_hidden_layers": 9, "tie_word_embeddings": True}}, Hints(layers=9, tied=True)),
        ({"quantization": {"bits": 8, "group_size": 64}}, Hints(bits=8)),
        ({"text_config": 7, "num_hidden_layers": "61", "quantization_config": []}, Hints()),
        ({"num_hidden_layers": -1, "tie_word_embeddings": "yes"}, Hints()),
    ],
)
def test_hints(config: dict[str, JsonValue], hints: Hints) -> None:
    assert weights.hints(config) == hints


def test_sizes_of_files() -> None:
    checkpoint = checkpoint_files.choose([RepoFile(name="model.safetensors", size=7)])
    found = weights.from_files(checkpoint)
    assert found is not None
    assert found.bytes.value == 7
    assert found.bytes.source.origin is Origin.FILES
    assert str(found.bytes.source) == "file list: size of one safetensors file, headers included"
    assert not found.exact
    assert weights.from_files(checkpoint_files.choose([RepoFile(name="model.safetensors", size=None)])) is None
    assert weights.from_files(checkpoint_files.choose([])) is None
    assert weights.from_quantisation(Quantisation(name="Q8_0", files=("a",), bytes=None)) is None
