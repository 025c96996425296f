"""Recurrent models without Mamba layers: RWKV 4 to 7, RecurrentGemma, PLaMo 2.

Source: transformers `models/rwkv/modeling_rwkv.py` (two shifted inputs in the model's format, three fp32 states),
`models/recurrent_gemma`; the checkpoints' own code for RWKV 5 to 7 (heads x d x d in fp32) and PLaMo 2 (vLLM
`model_executor/models/plamo2.py`: Mamba-2 without groups).
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.states import Mamba1, Mamba2, Rwkv
from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import MAX_DIM, MAX_HEADS, Decoder, divided, heads, layer_count, unknown_kind
from kvdesk.hub.families.states import FP32, model_format


def rwkv(view: ConfigView) -> Decoder:
    """RWKV 5, 6 and 7."""
    hidden = view.integer("hidden_size", maximum=MAX_DIM)
    width = view.integer_or("attention_hidden_size", fallback=hidden, how="hidden_size", maximum=MAX_DIM)
    size = view.integer("head_size", "head_dim", maximum=MAX_DIM)
    count = divided(view, "num_heads", width, size, "attention_hidden_size / head_size")
    return _rwkv(view, hidden, count, size)


def rwkv4(view: ConfigView) -> Decoder:
    """RWKV 4: three fp32 vectors of the attention's width."""
    hidden = view.integer("hidden_size", maximum=MAX_DIM)
    width = view.integer_or("attention_hidden_size", fallback=hidden, how="hidden_size", maximum=MAX_DIM)
    return _rwkv(view, hidden, 3 * width, 1)


def recurrent_gemma(view: ConfigView) -> Decoder:
    """Griffin: `block_types` repeat; a recurrent block keeps lru_width elements and a convolution, attention slides."""
    # The class has no default of `head_dim` but takes the file's (`configuration_recurrent_gemma.py`).
    sizes = heads(view)
    kinds = view.texts_or_none("block_types", "_block_types") or ("recurrent",)
    width = view.integer_or("lru_width", fallback=sizes.hidden_size, how="hidden_size", maximum=MAX_DIM)
    made: dict[str, Layer] = {
        "recurrent": (
            Mamba1(
                inner=width,
                state_size=1,
                conv_kernel=view.integer("conv1d_width", maximum=MAX_DIM),
                conv_format=model_format(view),
                recurrent_format=FP32,
            ),
        ),
        "attention": (sizes.sliding(view.integer("attention_window_size")),),
    }
    for kind in kinds:
        if kind not in made:
            raise unknown_kind(view, "block_types", kind)
    return sizes.decoder([made[kinds[i % len(kinds)]] for i in range(layer_count(view))])


def plamo2(view: ConfigView) -> Decoder:
    """Mamba-2 without groups; attention slides unless listed in `full_attention_idx`."""
    hidden = view.integer("hidden_size", maximum=MAX_DIM)
    dim = view.integer("hidden_size_per_head", maximum=MAX_DIM)
    query = view.integer("num_attention_heads", maximum=MAX_HEADS)
    sizes = heads(view, own_head_dim=False)
    count = layer_count(view)
    step = view.integer_or("mamba_step", fallback=2, how="2 unless given", maximum=MAX_LAYERS)
    ssm_heads = view.integer_or("mamba_num_heads", fallback=query, how="num_attention_heads", maximum=MAX_HEADS)
    state: Layer = (
        Mamba2(
            inner=ssm_heads * dim,
            heads=ssm_heads,
            head_dim=dim,
            state_size=view.integer("mamba_d_state", maximum=MAX_DIM),
            groups=0,
            conv_kernel=view.integer("mamba_d_conv", maximum=MAX_DIM),
            conv_format=model_format(view),
            recurrent_format=FP32,
        ),
    )
    full = set(view.integers_or_none("full_attention_idx", maximum=MAX_LAYERS) or ())
    sizes = replace(sizes, key_dim=dim, value_dim=dim, hidden_size=hidden)
    window = view.integer("attention_window_size")
    layers: list[Layer] = []
    for i in range(count):
        mamba = i != count - 1 if count <= step // 2 else i % step != step // 2
        layers.append(state if mamba else (sizes.full(),) if i in full else (sizes.sliding(window),))
    return sizes.decoder(layers)


def _rwkv(view: ConfigView, hidden: int, count: int, size: int) -> Decoder:
    part = Rwkv(hidden=hidden, heads=count, head_dim=size, conv_format=model_format(view), recurrent_format=FP32)
    return Decoder(layers=((part,),) * layer_count(view), hidden_size=hidden)
