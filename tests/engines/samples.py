"""Models and questions that tests of the profiles share; sizes are those of the published config.json files."""

from kvdesk.core.device import Device
from kvdesk.core.geometry import Geometry, Layer
from kvdesk.core.layers import Full, Indexer, Mla, Sliding
from kvdesk.core.layout import Layout
from kvdesk.core.number_formats import FORMATS
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.states import GatedDelta
from kvdesk.core.units import GIB, MIB
from kvdesk.core.weights import Weights
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Question

READ = Source(Origin.CONFIG)
POOL = 58_518_929_408
"""54.5 GiB."""

H100 = Device(
    id="h100-sxm",
    name="H100 SXM 80GB",
    vendor="NVIDIA",
    marketed_bytes=Sourced(80 * 10**9, READ),
    reported_bytes=Sourced(81_559 * MIB, READ),
    engine_bytes=Sourced(79 * GIB + GIB // 5, READ),
    compute_capability=(9, 0),
)


def geometry(layers: tuple[Layer, ...], architecture: str = "LlamaForCausalLM", **values: object) -> Geometry:
    """A model of `layers` with 32 query heads, hidden size 4,096 and Llama 3's vocabulary unless said."""
    facts: dict[str, object] = {"query_heads": 32, "hidden_size": 4096, "vocab_size": 128256, **values}
    return Geometry(
        model_type="test",
        architecture=architecture,
        layers=layers,
        model_dtype=Sourced("bf16", READ),
        max_context=Sourced(131072, READ),
        **facts,  # type: ignore[arg-type]  # keyword arguments of a test's own choice
    )


def full(count: int, kv_heads: int = 8, dim: int = 128) -> tuple[Layer, ...]:
    """`count` layers of full attention."""
    return ((Full(kv_heads=kv_heads, key_dim=dim, value_dim=dim),),) * count


def sliding(count: int, window: int, kv_heads: int = 8, dim: int = 128) -> tuple[Layer, ...]:
    """`count` layers with a window."""
    return ((Sliding(kv_heads=kv_heads, key_dim=dim, value_dim=dim, window=window),),) * count


LLAMA_8B = geometry(full(32))
GEMMA_3_27B = geometry(sliding(52, 1024, 16) + full(10, 16), "Gemma3ForConditionalGeneration", vocab_size=262208)
GPT_OSS_120B = geometry(sliding(18, 128, 8, 64) + full(18, 8, 64), "GptOssForCausalLM", query_heads=64)
GPT_OSS_20B = geometry(sliding(12, 128, 8, 64) + full(12, 8, 64), "GptOssForCausalLM", query_heads=64)
DEEPSEEK_V3 = geometry(
    ((Mla(latent_dim=512, rope_dim=64),),) * 61, "DeepseekV3ForCausalLM", query_heads=128, hidden_size=7168, experts=256
)
DEEPSEEK_V3_2 = geometry(
    ((Mla(latent_dim=512, rope_dim=64), Indexer(key_dim=128)),) * 61, "DeepseekV32ForCausalLM", query_heads=128
)
QWEN3_NEXT = geometry(
    (
        (
            GatedDelta(
                key_heads=16,
                value_heads=32,
                key_dim=128,
                value_dim=128,
                conv_kernel=4,
                conv_format=FORMATS["bf16"],
                recurrent_format=FORMATS["bf16"],
            ),
        ),
    )
    * 36
    + full(12, 2, 256),
    "Qwen3NextForCausalLM",
    query_heads=16,
)


def question(
    model: Geometry, *, context: int = 8192, sequences: int = 1, pool: int | None = POOL, **more: object
) -> Question:
    """`sequences` sequences of `context` tokens on one H100 with `pool` bytes."""
    values: dict[str, object] = {"weights": None, "device": H100, "layout": Layout(), **more}
    return Question(
        geometry=model,
        workload=Workload(context=context, sequences=sequences),
        pool_bytes=pool,
        **values,  # type: ignore[arg-type]  # keyword arguments of a test's own choice
    )


def weights(size: int) -> Weights:
    """Weights of a measured size."""
    return Weights(bytes=Sourced(size, Source(Origin.HEADER)))


STATES_ONLY = geometry(((QWEN3_NEXT.layers[0][0],),) * 36, "Mamba2ForCausalLM")
"""36 layers of recurrent states and nothing that grows."""
