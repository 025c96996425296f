"""Latents that differ by layer: shared with an earlier layer (Mistral Large 4), or sliding ones (dots3-note).

Source: transformers `models/mistral_large4/configuration_mistral_large4.py` (`kv_sharing_modes`),
`models/dots3_note/configuration_dots3_note.py` (`swa_*` keys and their defaults).
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import CachePart, Indexer, Mla, Shared
from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families import dsa
from kvdesk.hub.families.common import (
    HIDDEN,
    MAX_DIM,
    MAX_HEADS,
    QUERY_HEADS,
    Decoder,
    drafts,
    layer_count,
    layer_list,
    own_config,
    unknown_kind,
)
from kvdesk.hub.families.mla import latent


def mistral_large4(view: ConfigView) -> Decoder:
    """`kv_source_layers` names the layer whose latents each layer reads; indexers by `indexer_types`.

    Layers without rotary embedding (0 in `no_rope_layers`) keep a latent without its rotary part.
    """
    count = layer_count(view)
    sources = view.integers_or_none("kv_source_layers", maximum=MAX_LAYERS)
    if sources is not None and len(sources) != count:
        view.wrong("kv_source_layers", f"“{view.prefix}kv_source_layers” lists {len(sources)} layers, not {count}.")
        sources = None
    owns = dsa.owners(view, count)
    base = latent(view)
    indexer = Indexer(key_dim=view.integer("index_head_dim", maximum=MAX_DIM))
    layers: list[Layer] = []
    bare = replace(base, rope_dim=0)
    for i, (own, rotary) in enumerate(zip(owns, _rotary(view, count), strict=True)):
        latents = base if rotary else bare
        kept: CachePart = latents if sources is None or sources[i] == i else Shared()
        layers.append((kept, indexer) if own else (kept,))
    return _decoder(view, layers, (base, indexer))


def _rotary(view: ConfigView, count: int) -> tuple[bool, ...]:
    """Whether each layer has rotary embedding: as listed, else all but every `no_rope_layer_interval`-th."""
    listed = view.integers_or_none("no_rope_layers", maximum=1)
    if listed is None:
        step = view.integer_or("no_rope_layer_interval", fallback=4, how="4 unless given", maximum=MAX_LAYERS)
        return tuple((i + 1) % step != 0 for i in range(count))
    if len(listed) != count:
        view.wrong("no_rope_layers", f"“{view.prefix}no_rope_layers” lists {len(listed)} layers, not {count}.")
        return (True,) * count
    return tuple(map(bool, listed))


def dots3(view: ConfigView) -> Decoder:
    """Sparse latents on some layers, wider sliding ones on the rest."""
    count = layer_count(view)
    sparse = view.flag("use_dsa", fallback=True)
    types = layer_list(view, count, "layer_types")
    if types is None:
        slides = view.flag("use_sliding_window", fallback=True)
        types = tuple(
            "sliding_attention" if slides and i >= 2 and i % 4 != 1 else "full_attention" for i in range(count)
        )
        view.derive("layer_types", types, "the pattern of dots3_note")
    base = latent(view)
    indexer = Indexer(key_dim=view.integer("index_head_dim", maximum=MAX_DIM))
    full: Layer = (base, indexer) if sparse else (base,)
    sliding = _sliding(view, types.index("sliding_attention")) if "sliding_attention" in types else base
    layers: list[Layer] = []
    for kind in types:
        if kind not in (*dsa.SPARSE, "sliding_attention"):
            raise unknown_kind(view, "layer_types", kind)
        layers.append((sliding,) if kind == "sliding_attention" else full)
    return _decoder(view, layers, full)


def _sliding(view: ConfigView, index: int) -> Mla:
    """The latent of sliding layers, from `swa_*` keys or the first sliding layer's `per_layer_config`."""
    window = view.integer_or_none("sliding_window")
    if window is None:
        window = view.integer_or("sliding_window_size", fallback=512, how="512 unless given")
    own = own_config(view, index)
    if own is not None:
        rank = own.integer_or_none("kv_lora_rank", maximum=MAX_DIM) or view.integer("kv_lora_rank", maximum=MAX_DIM)
        rope = own.integer_or_none("qk_rope_head_dim", minimum=0, maximum=MAX_DIM)
        if rope is None:
            rope = view.integer("qk_rope_head_dim", minimum=0, maximum=MAX_DIM)
        return Mla(latent_dim=rank, rope_dim=rope, window=window)
    rank = view.integer_or("swa_kv_lora_rank", fallback=1024, how="1,024 unless given", maximum=MAX_DIM)
    width = view.integer_or("swa_head_dim", fallback=256, how="256 unless given", maximum=MAX_DIM)
    plain = view.integer_or("swa_qk_nope_head_dim", fallback=192, how="192 unless given", minimum=0, maximum=width)
    rope = view.integer_or(
        "swa_qk_rope_head_dim",
        fallback=width - plain,
        how="swa_head_dim - swa_qk_nope_head_dim",
        minimum=0,
        maximum=MAX_DIM,
    )
    return Mla(latent_dim=rank, rope_dim=rope, window=window)


def _decoder(view: ConfigView, layers: list[Layer], draft: Layer) -> Decoder:
    return Decoder(
        layers=tuple(layers),
        draft_layers=(draft,) if drafts(view) else (),
        query_heads=view.integer(*QUERY_HEADS, maximum=MAX_HEADS),
        hidden_size=view.integer(*HIDDEN, maximum=MAX_DIM),
    )
