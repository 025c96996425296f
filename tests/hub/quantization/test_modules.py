"""Names as real quantisation configs write them."""

import pytest

from kvdesk.hub.quantization.modules import EVERYTHING, Selection, select

ENCODERS = {"vision", "audio", "projector"}


@pytest.mark.parametrize(
    ("name", "layer", "parts"),
    [
        ("lm_head", None, {"lm_head"}),
        ("language_model.lm_head", None, {"lm_head"}),
        ("model.embed_tokens", None, {"embedding"}),
        ("model.layers.7.self_attn.q_proj", 7, {"attention"}),
        ("model.layers.7.self_attn*", 7, {"attention", "indexer"}),
        ("model.layers.12.self_attn.indexer*", 12, {"indexer"}),
        ("re:.*\\.self_attn\\.q_proj$", None, {"attention"}),
        ("re:.*attn.*(fused_wqa_wkv|wq_b|wo_a|wo_b)$", None, {"attention"}),
        ("model.language_model.layers.3.linear_attn*", 3, {"linear_attention"}),
        ("model.layers.3.mlp.shared_experts*", 3, {"shared_experts"}),
        ("*.mlp.shared_expert.*", None, {"shared_experts"}),
        ("re:.*shared_experts.*", None, {"shared_experts"}),
        ("model.layers.3.mlp.experts.17.down_proj", 3, {"experts"}),
        ("layers.0.ffn.experts", 0, {"experts"}),
        ("re:.*ffn.*(gate|up|down)_proj$", None, {"mlp", "experts", "shared_experts"}),
        ("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", None, {"mlp"}),
        ("model.layers.0.mlp.down_proj", 0, {"mlp"}),
        ("model.language_model.layers.0.mlp*", 0, {"mlp", "experts", "shared_experts"}),
        ("model.layers.0*", 0, set(EVERYTHING)),
        ("model.layers.1.*", 1, set(EVERYTHING)),
        ("backbone.layers.4.mixer.in_proj", 4, {"mamba", "linear_attention", "conv"}),
        ("backbone.layers.5.mixer.q_proj", 5, {"attention"}),
        ("vision_model.model.layers.0.self_attn.q_proj", 0, ENCODERS),
        ("visual", None, ENCODERS),
        ("multi_modal_projector", None, ENCODERS),
        ("mtp*", None, {"draft"}),
    ],
)
def test_speaks_of(name: str, layer: int | None, parts: set[str]) -> None:
    assert select(name) == Selection(layer, frozenset(parts))


@pytest.mark.parametrize(
    "name",
    [
        "model.layers.3.mlp.gate",
        "gate",
        "e_score_correction_bias",
        "model.layers.0.input_layernorm",
        "model.layers.*.mlp.router",
        "in_proj_a",
        "model.layers.0.linear_attn.conv1d",
        "model.language_model.layers.0.mlp.shared_expert_gate",
        "",
        "re:(((((((a+)+)+)+)+)+)+)$",
    ],
)
def test_speaks_of_nothing_worth_counting(name: str) -> None:
    assert not select(name).parts
