"""Uniform decoders whose configs name their heads in ways of their own."""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Full
from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import (
    MAX_DIM,
    MAX_HEADS,
    Decoder,
    Heads,
    heads,
    layer_count,
    one_draft,
)


def _uniform(view: ConfigView, sizes: Heads) -> Decoder:
    layer = (sizes.full(),)
    return sizes.decoder((layer,) * layer_count(view), one_draft(view, layer))


def chatglm(view: ConfigView) -> Decoder:
    """ChatGLM 2, 3, GLM-4: `multi_query_group_num` KV heads where `multi_query_attention` is set, `kv_channels` wide.

    Source: vLLM `model_executor/models/chatglm.py` (`GLMAttention`).
    """
    sizes = _kv_channels(view, heads(view, own_head_dim=not view.gives("kv_channels")))
    if view.flag("multi_query_attention"):
        sizes = replace(sizes, kv_heads=view.integer("multi_query_group_num", maximum=MAX_HEADS))
    return _uniform(view, sizes)


def kv_channels(view: ConfigView) -> Decoder:
    """Qwen 1: MHA, heads `kv_channels` wide. Source: the checkpoint's own `modeling_qwen.py` (`QWenAttention`)."""
    return _uniform(view, _kv_channels(view, heads(view, own_head_dim=not view.gives("kv_channels"))))


def jetmoe(view: ConfigView) -> Decoder:
    """JetMoE: query heads are KV heads x experts per token (transformers `models/jetmoe/configuration_jetmoe.py`)."""
    kv = view.integer("num_key_value_heads", maximum=MAX_HEADS)
    dim = view.integer("kv_channels", maximum=MAX_DIM)
    view.ignore("num_attention_heads")
    sizes = Heads(
        query_heads=kv * view.integer("num_experts_per_tok", maximum=MAX_HEADS),
        kv_heads=kv,
        key_dim=dim,
        value_dim=dim,
        hidden_size=view.integer("hidden_size", maximum=MAX_DIM),
    )
    return _uniform(view, sizes)


def multi_query(view: ConfigView) -> Decoder:
    """GPT-BigCode (StarCoder): one KV head where `multi_query` is set, else as many as query heads."""
    sizes = heads(view, own_head_dim=False)
    count = 1 if view.flag("multi_query") else sizes.query_heads
    return _uniform(view, replace(sizes, kv_heads=view.derive("num_key_value_heads", count, "multi_query")))


def falcon(view: ConfigView) -> Decoder:
    """Falcon: `num_kv_heads` in the new architecture or without `multi_query`, else one KV head.

    transformers expands the 8 heads of Falcon-40B to 128 before it caches them; engines keep the 8 (vLLM
    `model_executor/models/falcon.py`, `FalconAttention`), and that is what must be kept.
    """
    sizes = heads(view, own_head_dim=False)
    own = view.flag("new_decoder_architecture") or not view.flag("multi_query")
    count = sizes.kv_heads if own else view.derive("num_kv_heads", 1, "multi_query")
    return _uniform(view, replace(sizes, kv_heads=count))


def refined_web(view: ConfigView) -> Decoder:
    """Falcon's older configs: `n_head_kv`, or one KV head where `multi_query` is set."""
    sizes = heads(view, own_head_dim=False)
    if view.gives("n_head_kv") or not view.flag("multi_query"):
        return _uniform(view, sizes)
    return _uniform(view, replace(sizes, kv_heads=view.derive("n_head_kv", 1, "multi_query")))


def attn_config(view: ConfigView) -> Decoder:
    """DBRX and MPT: KV heads in `attn_config.kv_n_heads`; MPT has as many as query heads."""
    sizes = heads(view, own_head_dim=False)
    inner = view.section("attn_config")
    given = inner.integer_or_none("kv_n_heads", maximum=MAX_HEADS) if inner is not None else None
    if given is None and view.model_type == "dbrx":
        given = view.derive("attn_config.kv_n_heads", 1, "class default of DbrxAttentionConfig")
    return _uniform(view, sizes if given is None else replace(sizes, kv_heads=given))


def block_sparse(view: ConfigView) -> Decoder:
    """Phi-3-small: block-sparse layers read less but keep every token (vLLM 0.10 `models/phi3_small.py`)."""
    view.ignore(
        "blocksparse_block_size",
        "blocksparse_homo_head_pattern",
        "blocksparse_num_local_blocks",
        "blocksparse_triton_kernel_block_size",
        "blocksparse_vert_stride",
        "dense_attention_every_n_layers",
    )
    return _uniform(view, heads(view))


def gpt_neo(view: ConfigView) -> Decoder:
    """GPT-Neo: every other layer reads a window of 256 tokens but keeps all (transformers `models/gpt_neo`)."""
    view.ignore("window_size", "attention_types", "attention_layers")
    return _uniform(view, heads(view, own_head_dim=False))


def open_elm(view: ConfigView) -> Decoder:
    """OpenELM: heads listed layer by layer. Source: the checkpoint's own `configuration_openelm.py`."""
    count = view.integer("num_transformer_layers", "num_hidden_layers", maximum=MAX_LAYERS)
    dim = view.integer("head_dim", maximum=MAX_DIM)
    kv = _per_layer(view, "num_kv_heads", count)
    query = _per_layer(view, "num_query_heads", count)
    layers: list[Layer] = [(Full(kv_heads=n, key_dim=dim, value_dim=dim),) for n in kv]
    return Decoder(
        layers=tuple(layers),
        query_heads=max(query),
        hidden_size=view.integer("model_dim", maximum=MAX_DIM),
    )


def _per_layer(view: ConfigView, key: str, count: int) -> tuple[int, ...]:
    found = view.integers_or_none(key, minimum=1, maximum=MAX_HEADS)
    if found is None:
        view.missing(key)
    elif len(found) == count:
        return found
    else:
        view.wrong(key, f"“{view.prefix}{key}” lists {len(found)} layers, the model has {count}.")
    return (1,) * count


def _kv_channels(view: ConfigView, sizes: Heads) -> Heads:
    width = view.integer_or_none("kv_channels", maximum=MAX_DIM)
    return sizes if width is None else replace(sizes, key_dim=width, value_dim=width)
