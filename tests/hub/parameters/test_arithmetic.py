"""Small models whose parameters are added up by hand, one peculiarity each.

The sizes are chosen so that no two products are equal: 8 features, 2 layers, 4 query heads, 2 KV heads, 2 wide heads,
an MLP of 24 and a vocabulary of 100.
"""

import pytest

from kvdesk.core.json_value import JsonValue
from kvdesk.hub.config_view import open_view
from kvdesk.hub.parameters import ParameterCount, count

SIZES: dict[str, JsonValue] = {
    "vocab_size": 100,
    "hidden_size": 8,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 2,
}
TABLE = 100 * 8
Q = OUT = 8 * (4 * 2)
K = V = 8 * (2 * 2)
ATTENTION = Q + K + V + OUT
MLP = 3 * 8 * 24
LAYER = ATTENTION + MLP + 2 * 8
LLAMA = 2 * TABLE + 2 * LAYER + 8


def counted(model_type: str, **changes: JsonValue) -> ParameterCount:
    found = count(open_view({"model_type": model_type, **SIZES, **changes}))
    assert found is not None
    return found


def test_untied_and_tied_embeddings() -> None:
    untied = counted("llama", tie_word_embeddings=False)
    tied = counted("llama", tie_word_embeddings=True)
    assert untied.total == LLAMA
    assert tied.total == LLAMA - TABLE
    assert (untied.parts["embedding"], untied.parts["lm_head"]) == (TABLE, TABLE)
    assert "lm_head" not in tied.parts


def test_biases_of_all_four_projections() -> None:
    q_k_v_o = 8 + 4 + 4 + 8
    assert counted("llama", attention_bias=True).total == LLAMA + 2 * q_k_v_o


def test_biases_of_queries_keys_and_values_alone() -> None:
    assert counted("qwen2", tie_word_embeddings=False).total == LLAMA + 2 * (8 + 4 + 4)


def test_biases_of_the_mlp() -> None:
    assert counted("llama", mlp_bias=True).total == LLAMA + 2 * (24 + 24 + 8)


def test_one_norm_weight_for_all_heads_or_one_for_each_element() -> None:
    assert counted("qwen3", tie_word_embeddings=False).total == LLAMA + 2 * (2 + 2)
    assert counted("olmo2", tie_word_embeddings=False).total == LLAMA + 2 * (8 + 4)


def test_four_norms_in_each_layer() -> None:
    assert counted("gemma2", tie_word_embeddings=False).total == LLAMA + 2 * 2 * 8


def test_heads_wider_than_the_hidden_size_divided() -> None:
    wide = 4 * 6
    attention = 2 * 8 * wide + 2 * 8 * (2 * 6)
    assert counted("llama", head_dim=6).total == LLAMA + 2 * (attention - ATTENTION)


@pytest.mark.parametrize(
    ("architecture", "head"),
    [
        ("LlamaModel", 0),
        ("LlamaForCausalLM", TABLE),
        ("LlamaForSequenceClassification", 8 * 3),
        ("LlamaForTokenClassification", 8 * 3 + 3),
    ],
)
def test_what_sits_on_top(architecture: str, head: int) -> None:
    labels: JsonValue = {"0": "a", "1": "b", "2": "c"}
    found = counted("llama", architectures=[architecture], id2label=labels, tie_word_embeddings=False)
    assert found.total == LLAMA - TABLE + head


def test_a_language_model_that_is_called_a_model_has_its_head() -> None:
    sizes: dict[str, JsonValue] = {
        "n_embd": 8,
        "n_layer": 2,
        "n_head": 4,
        "n_positions": 16,
        "vocab_size": 100,
        "tie_word_embeddings": False,
    }
    found = count(open_view({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], **sizes}))
    assert found is not None
    assert found.parts["lm_head"] == TABLE
    assert found.parts["embedding"] == TABLE + 16 * 8


MOE: dict[str, JsonValue] = {
    "num_experts": 5,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 6,
    "norm_topk_prob": True,
}
EXPERT = 3 * 8 * 6


def test_every_layer_has_experts_and_a_token_uses_two() -> None:
    found = counted("qwen3_moe", **MOE, tie_word_embeddings=False)
    experts, router = 5 * EXPERT, 8 * 5
    assert found.total == LLAMA + 2 * (2 + 2 - MLP + experts + router)
    assert found.active == found.total - 2 * 3 * EXPERT


def test_some_layers_are_dense() -> None:
    listed = counted("qwen3_moe", **MOE, mlp_only_layers=[0], tie_word_embeddings=False)
    stepped = counted("qwen3_moe", **MOE, decoder_sparse_step=2, tie_word_embeddings=False)
    assert listed.total == stepped.total == LLAMA + 2 * (2 + 2) - MLP + 5 * EXPERT + 8 * 5


def test_a_shared_expert_with_a_gate() -> None:
    found = counted("qwen2_moe", **MOE, shared_expert_intermediate_size=10, qkv_bias=False, tie_word_embeddings=False)
    shared, gate = 3 * 8 * 10, 8
    assert found.total == LLAMA + 2 * (-MLP + 5 * EXPERT + 8 * 5 + shared + gate)


LATENT: dict[str, JsonValue] = {
    "q_lora_rank": 5,
    "kv_lora_rank": 3,
    "qk_nope_head_dim": 4,
    "qk_rope_head_dim": 2,
    "v_head_dim": 7,
    "n_routed_experts": 5,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 6,
    "n_shared_experts": 2,
    "first_k_dense_replace": 1,
    "num_nextn_predict_layers": 0,
    "tie_word_embeddings": False,
}
DOWN = 8 * 5 + 8 * (3 + 2)
LATENT_NORMS = 5 + 3
UP = 5 * 4 * (4 + 2) + 3 * 4 * (4 + 7)
LATENT_ATTENTION = DOWN + LATENT_NORMS + UP + 4 * 7 * 8
SPARSE = 5 * EXPERT + 8 * 5 + 3 * 8 * (2 * 6)


def test_latent_attention_with_a_dense_first_layer() -> None:
    found = counted("deepseek_v3", **LATENT)
    assert found.total == 2 * TABLE + 2 * (LATENT_ATTENTION + 2 * 8) + MLP + SPARSE + 8


def test_every_rank_holds_the_down_projections_routers_and_norms() -> None:
    found = counted("deepseek_v3", **LATENT)
    assert found.replicated == 2 * DOWN + 8 * 5 + 2 * (LATENT_NORMS + 2 * 8) + 8


def test_no_query_latent() -> None:
    without = counted("deepseek_v3", **{**LATENT, "q_lora_rank": None})
    query = 8 * 4 * (4 + 2) - (8 * 5 + 5 + 5 * 4 * (4 + 2))
    assert without.total == counted("deepseek_v3", **LATENT).total + 2 * query


def test_draft_layers_stand_apart() -> None:
    without, found = (
        counted("deepseek_v3", **LATENT),
        counted("deepseek_v3", **{**LATENT, "num_nextn_predict_layers": 1}),
    )
    joined = 2 * 8 * 8 + 3 * 8
    assert found.total == without.total
    assert found.draft == joined + LATENT_ATTENTION + SPARSE + 2 * 8


def test_an_indexer_on_every_layer() -> None:
    index: dict[str, JsonValue] = {"index_head_dim": 9, "index_n_heads": 2, "index_topk": 4}
    indexer = 5 * (2 * 9) + 8 * 9 + 8 * 2 + 2 * 9
    assert counted("deepseek_v32", **LATENT, **index).total == counted("deepseek_v3", **LATENT).total + 2 * indexer


def test_layers_of_different_kinds() -> None:
    """Qwen3-Next, by the keys of its class: one gated delta network, one attention with a doubled query."""
    linear: dict[str, JsonValue] = {
        "layer_types": ["linear_attention", "full_attention"],
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "linear_key_head_dim": 3,
        "linear_value_head_dim": 5,
        "linear_conv_kernel_dim": 4,
        "shared_expert_intermediate_size": 10,
    }
    keys, values = 2 * 3, 4 * 5
    delta = 8 * (2 * keys + 2 * values) + 8 * 2 * 4 + values * 8 + 4 * (2 * keys + values) + 2 * 4 + 5
    attention = ATTENTION + Q + (2 + 2)
    moe = 5 * EXPERT + 8 * 5 + 3 * 8 * 10 + 8
    found = counted("qwen3_next", **MOE, **linear, tie_word_embeddings=False)
    assert found.total == 2 * TABLE + delta + attention + 2 * (moe + 2 * 8) + 8


def test_values_narrower_than_keys_and_more_heads_where_it_slides() -> None:
    """MiMo-V2: sinks on sliding layers, whose KV heads are given by keys of their own."""
    mimo: dict[str, JsonValue] = {
        "v_head_dim": 1,
        "hybrid_layer_pattern": [0, 1],
        "swa_num_key_value_heads": 4,
        "swa_head_dim": 2,
        "swa_v_head_dim": 1,
        "sliding_window": 16,
        "n_routed_experts": 5,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 6,
    }
    full = Q + 8 * 2 * (2 + 1) + 4 * 1 * 8
    sliding = Q + 8 * 4 * (2 + 1) + 4 * 1 * 8 + 4
    found = counted("mimo_v2_flash", **mimo, tie_word_embeddings=False)
    assert found.total == 2 * TABLE + full + sliding + MLP + 5 * EXPERT + 8 * 5 + 2 * 2 * 8 + 8


def test_a_family_that_is_not_known_is_not_guessed() -> None:
    assert count(open_view({"model_type": "llama", "vocab_size": "many"})) is None
    assert count(open_view({"model_type": "rwkv6", **SIZES, "head_size": 2})) is None


def test_an_encoder_that_is_not_known_is_not_left_out() -> None:
    assert count(open_view({"model_type": "llava", "vision_config": {"model_type": "unheard_of"}})) is None
    assert count(open_view({"model_type": "phi3_v", **SIZES, "img_processor": {"name": "clip"}})) is None


def test_blocks_that_are_narrow_linear_or_absent() -> None:
    """Nemotron-NAS: the width is two thirds of the ratio times the hidden size, rounded up to a multiple of 256."""
    blocks: JsonValue = [
        {"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": 2.625}},
        {"attention": {"no_op": True}, "ffn": {"replace_with_linear": True}},
        {"attention": {"replace_with_linear": True}, "ffn": {"no_op": True}},
    ]
    first = ATTENTION + 3 * 8 * 256 + 2 * 8
    linear = 8 * 8 + 8
    sizes = {**SIZES, "num_hidden_layers": 3, "head_dim": None, "tie_word_embeddings": False}
    found = count(open_view({"model_type": "nemotron-nas", **sizes, "block_configs": blocks}))
    assert found is not None
    assert found.total == 2 * TABLE + first + 2 * linear + 8


def test_layers_that_reuse_others_keys_and_values_have_none() -> None:
    """Gemma 3n: the files hold the unused k_proj, v_proj and k_norm of shared layers; the Hub adds up all tensors."""
    unused = 2 * 512 * 2048 + 256
    small: JsonValue = {"num_hidden_layers": 30, "intermediate_size": 8192, "num_kv_shared_layers": 10}
    e2b, e4b = (
        count(open_view({"model_type": "gemma3n", "text_config": small})),
        count(open_view({"model_type": "gemma3n"})),
    )
    assert e2b is not None
    assert e4b is not None
    assert e2b.total + 10 * unused == 5_439_438_272
    assert e4b.total + 15 * unused == 7_849_978_192


def test_single_layers_sizes_that_the_family_does_not_read() -> None:
    layers: JsonValue = {"0": {"intermediate_size": 48}}
    assert count(open_view({"model_type": "llama", **SIZES, "per_layer_config": layers})) is None
