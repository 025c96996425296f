"""MiniMax: lightning with softmax attention in between (Text-01, M1), index keys beside keys and values (M3).

Source: vLLM `model_executor/models/minimax_text_01.py` (`attn_type_list` 0 linear, 1 softmax), `minimax_m3`;
transformers `models/minimax/configuration_minimax.py`, `models/minimax_m3_vl/configuration_minimax_m3_vl.py`. An index
key is one vector of `sparse_index_dim` elements per token in the cache's own format; `sparse_num_index_heads` counts
queries.
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Indexer
from kvdesk.core.states import LightningAttention
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import MAX_DIM, Decoder, heads, layer_count, layer_list, one_draft, unknown_kind
from kvdesk.hub.families.states import ATTENTION, LINEAR, model_format


def text01(view: ConfigView) -> Decoder:
    """MiniMax-Text-01 and M1."""
    sizes = heads(view)
    count = layer_count(view)
    types = layer_list(view, count, "layer_types", "attention_types")
    if types is None:
        listed = view.integers_or_none("attn_type_list", maximum=1)
        if listed is not None and len(listed) != count:
            view.wrong(
                "attn_type_list", f"“{view.prefix}attn_type_list” lists {len(listed)} layers, the model has {count}."
            )
            listed = (1,) * count
        softmax = tuple(bool(i) for i in listed) if listed else tuple(i % 2 == 0 for i in range(count))
        if not listed and view.defaults is None:
            view.missing("attn_type_list")
        types = tuple("full_attention" if s else "linear_attention" for s in softmax)
    view.ignore("attn_type_list", "block_size", "sliding_window")
    model = model_format(view)
    state: Layer = (
        LightningAttention(heads=sizes.query_heads, head_dim=sizes.key_dim, conv_format=model, recurrent_format=model),
    )
    layers: list[Layer] = []
    for kind in types:
        if kind not in LINEAR and kind not in ATTENTION:
            raise unknown_kind(view, "layer_types", kind)
        layers.append(state if kind in LINEAR else (sizes.full(),))
    return sizes.decoder(layers)


def m3(view: ConfigView) -> Decoder:
    """MiniMax-M3: full attention, with an index key on sparse layers."""
    sizes = heads(view)
    count = layer_count(view)
    inner = view.section("sparse_attention_config") if view.gives("sparse_attention_config") else None
    types = layer_list(view, count, "layer_types")
    view.ignore("index_head_dim", "index_block_size", "index_topk_blocks", "index_local_blocks")
    if types is None:
        types = ("full_attention",) * count
        flags = inner.integers_or_none("sparse_attention_freq", maximum=1) if inner is not None else None
        if flags is not None and len(flags) != count:
            view.wrong(
                "sparse_attention_config", f"“sparse_attention_freq” lists {len(flags)} layers, the model has {count}."
            )
        elif flags is not None:
            types = tuple("minimax_m3_sparse" if flag else "full_attention" for flag in flags)
    made: dict[str, Layer] = {"full_attention": (sizes.full(),)}
    if "minimax_m3_sparse" in types:
        width = inner.integer_or_none("sparse_index_dim", maximum=MAX_DIM) if inner is not None else None
        width = width or view.integer("index_head_dim", maximum=MAX_DIM)
        made["minimax_m3_sparse"] = (sizes.full(), Indexer(key_dim=width, own_format=False))
    for kind in types:
        if kind not in made:
            raise unknown_kind(view, "layer_types", kind)
    return sizes.decoder([made[kind] for kind in types], one_draft(view, made["full_attention"]))
