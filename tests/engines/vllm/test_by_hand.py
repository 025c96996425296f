"""Kinds of models that no measured case covers, worked by hand from vLLM 0.33.0's model code.

A pool of 54.5 GiB = 58,518,929,408 B on one H100; in flight 2 x 8,192 tokens. Sizes are those that the models' cards
publish; the rules are those of `model_executor/models/{zamba2,granitemoehybrid,kimi_linear,gemma3n,nemotron_nas}.py`.
"""

from pathlib import Path
from typing import Any

import pytest

from kvdesk.core.values import replace
from kvdesk.core.workload import Workload
from kvdesk.engines.vllm.profile import ENGINE
from kvdesk.hub import config_file, reader
from tests.engines import samples

CONFIGS = Path(__file__).parents[2] / "fixtures" / "configs"
POOL = 58_518_929_408
HYBRID = [6 + 6 * i for i in range(13)]
KIMI_FULL = [4, 8, 12, 16, 20, 24, 27]

ZAMBA_2_7B: dict[str, Any] = {
    "model_type": "zamba2", "architectures": ["Zamba2ForCausalLM"], "hidden_size": 3584, "num_hidden_layers": 81,
    "layers_block_type": ["hybrid" if i in HYBRID else "mamba" for i in range(81)], "hybrid_layer_ids": HYBRID,
    "mamba_d_state": 64, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_ngroups": 2, "n_mamba_heads": 112,
    "mamba_headdim": 64, "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 32,
    "attention_head_dim": 224, "num_mem_blocks": 2, "vocab_size": 32000, "max_position_embeddings": 4096,
    "torch_dtype": "bfloat16",
}  # fmt: skip
GRANITE_4_H: dict[str, Any] = {
    "model_type": "granitemoehybrid", "architectures": ["GraniteMoeHybridForCausalLM"], "hidden_size": 4096,
    "num_hidden_layers": 40, "layer_types": ["attention" if i in (5, 15, 25, 35) else "mamba" for i in range(40)],
    "mamba_n_heads": 128, "mamba_d_head": 64, "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_expand": 2,
    "mamba_d_conv": 4, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 768,
    "vocab_size": 100352, "max_position_embeddings": 131072, "torch_dtype": "bfloat16",
}  # fmt: skip
KIMI_LINEAR: dict[str, Any] = {
    "model_type": "kimi_linear", "architectures": ["KimiLinearForCausalLM"], "hidden_size": 2304,
    "num_hidden_layers": 27, "num_attention_heads": 32, "num_key_value_heads": 32, "kv_lora_rank": 512,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "linear_attn_config": {
        "full_attn_layers": KIMI_FULL, "kda_layers": [i for i in range(1, 28) if i not in KIMI_FULL],
        "head_dim": 128, "num_heads": 32, "short_conv_kernel_size": 4,
    },
    "intermediate_size": 9216, "vocab_size": 163840, "model_max_length": 1048576, "dtype": "bfloat16",
}  # fmt: skip
GEMMA_3N_E4B: dict[str, Any] = {
    "model_type": "gemma3n_text", "architectures": ["Gemma3nForCausalLM"], "hidden_size": 2048,
    "num_hidden_layers": 35, "num_kv_shared_layers": 15,
    "layer_types": [*["sliding_attention"] * 4, "full_attention"] * 7, "num_attention_heads": 8,
    "num_key_value_heads": 2, "head_dim": 256, "intermediate_size": [16384] * 35, "sliding_window": 512,
    "vocab_size": 262400, "max_position_embeddings": 32768, "torch_dtype": "bfloat16",
}  # fmt: skip
NEMOTRON_NAS: dict[str, Any] = {
    "model_type": "nemotron-nas", "architectures": ["DeciLMForCausalLM"], "hidden_size": 8192,
    "num_hidden_layers": 80, "num_attention_heads": 64, "vocab_size": 128256, "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
    "block_configs": [
        {
            "attention": {"n_heads_in_group": 8 if i < 49 else None, "no_op": i >= 49, "replace_with_linear": False},
            "ffn": {"ffn_mult": 5.25, "no_op": False, "replace_with_linear": False},
        }
        for i in range(80)
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "length", "bytes_per_block", "per_request"),
    [
        # 28,672 B a token; a state of 3 x 7,424 x 2 + 112 x 64 x 64 x 2 = 962,048 B is 3 x 16 tokens; 13 attention
        # layers beside 81 states in 7 groups: blocks of 48 tokens, and 2 + 1 states of each group
        (ZAMBA_2_7B, 4_096, 13 * 48 * 28_672, 86 + 7 * 3),
        # 4,096 B a token, 2,147,840 B a state: 33 x 16 tokens; 36 states in 9 groups of 4
        (GRANITE_4_H, 131_072, 4 * 528 * 4_096, 249 + 9 * 3),
        # 1,152 B a token, 2,170,880 B a state: 15 x 128 tokens; 20 states in 3 groups of 7, no checkpoint
        (KIMI_LINEAR, 1_048_576, 7 * 1_920 * 1_152, 547 + 3 * 2),
        # 16 windows and 4 full layers keep tokens, 15 share: 4 window groups of ceil((511 + 16,384) / 16) + 1
        (GEMMA_3N_E4B, 32_768, 4 * 16 * 2_048, 2_048 + 4 * 1_057),
        # 49 of 80 layers have attention
        (NEMOTRON_NAS, 131_072, 49 * 16 * 4_096, 8_192),
        # 512 B a token, 3 x 1,792 x 2 + 24 x 64 x 128 x 2 = 403,968 B a state: 50 x 16 tokens; both in every layer
        ("tiiuae__Falcon-H1-0.5B-Base", 8_192, 36 * 800 * 512, 11 + 3),
        # 60 layers of 2,048 B and 57 index keys of 256 B, in blocks of 128 tokens
        ("nvidia__MiniMax-M3-NVFP4", 8_192, 128 * (60 * 2_048 + 57 * 256), 64),
        ("mosaicml__mpt-7b", 2_048, 32 * 16 * 16_384, 128),
    ],
)
def test_by_hand(config: dict[str, Any] | str, length: int, bytes_per_block: int, per_request: int) -> None:
    values = config_file.parse((CONFIGS / f"{config}.json").read_bytes()) if isinstance(config, str) else config
    asked = replace(samples.question(reader.read(values)), workload=Workload(context=length), pool_bytes=POOL)
    answer = ENGINE.answer(asked)
    blocks = POOL // bytes_per_block
    assert answer.num_blocks == blocks
    assert answer.max_concurrency == pytest.approx(blocks / per_request, rel=1e-9)
    assert answer.pool_tokens == blocks * length // per_request
