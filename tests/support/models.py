"""Models made by hand, for tests that need no config.json. Facts: the published config.json of each."""

from kvdesk.core.geometry import Geometry
from kvdesk.core.layers import Full, Mla, Sliding
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights

CONFIG = Source(Origin.CONFIG, "test")


def uniform(layers: int, kv_heads: int, head_dim: int, *, query_heads: int = 0, max_context: int = 131_072) -> Geometry:
    """A decoder of equal full-attention layers in bf16."""
    return Geometry(
        model_type="llama",
        architecture="LlamaForCausalLM",
        layers=((Full(kv_heads=kv_heads, key_dim=head_dim, value_dim=head_dim),),) * layers,
        query_heads=query_heads or kv_heads,
        hidden_size=4096,
        vocab_size=128_256,
        max_context=Sourced(max_context, CONFIG),
        model_dtype=Sourced("bf16", CONFIG),
    )


LLAMA_3_1_8B = uniform(32, 8, 128, query_heads=32)
LLAMA_3_3_70B = uniform(80, 8, 128, query_heads=64)
DEEPSEEK_V3 = Geometry(
    model_type="deepseek_v3",
    architecture="DeepseekV3ForCausalLM",
    layers=((Mla(latent_dim=512, rope_dim=64),),) * 61,
    query_heads=128,
    max_context=Sourced(163_840, CONFIG),
    model_dtype=Sourced("bf16", CONFIG),
)
GEMMA_3_27B = Geometry(
    model_type="gemma3",
    architecture="Gemma3ForConditionalGeneration",
    layers=tuple(
        (Full(kv_heads=16, key_dim=128, value_dim=128),)
        if (i + 1) % 6 == 0
        else (Sliding(kv_heads=16, key_dim=128, value_dim=128, window=1024),)
        for i in range(62)
    ),
    query_heads=32,
    max_context=Sourced(131_072, CONFIG),
    model_dtype=Sourced("bf16", CONFIG),
)


def weights(size: int) -> Weights:
    """Weights of that many bytes, as read from files."""
    return Weights(bytes=Sourced(size, Source(Origin.FILES, "test")))
