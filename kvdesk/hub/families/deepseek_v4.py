"""DeepSeek-V4: a window of latents on every layer, compressed streams beside it, an indexer where the ratio is 4.

Each layer has a ratio: 0 keeps the window only; 4 and 128 also keep one latent for every 4 or 128 tokens; at ratio 4 an
indexer keeps one key for every 4 tokens. The compressors keep the fp32 inputs of their open block: 2 x (key + score) x
head_dim over 2 x 4 tokens at ratio 4 (its blocks overlap), (key + score) x head_dim over 128 tokens at ratio 128.
Source: transformers `models/deepseek_v4/configuration_deepseek_v4.py`; vLLM `model_executor/models/deepseek_v4`.
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import CachePart, Compressed, Indexer, Mla, RollingState
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import (
    HIDDEN,
    MAX_DIM,
    MAX_HEADS,
    QUERY_HEADS,
    Decoder,
    drafts,
    layer_count,
    layer_list,
    unknown_kind,
)

WINDOW_ONLY = "sliding_attention"
SPARSE = "compressed_sparse_attention"
HEAVY = "heavily_compressed_attention"
BY_RATIO = {0: WINDOW_ONLY, 4: SPARSE, 128: HEAVY}
"""Kinds of layers by the ratios in published files (transformers, `_COMPRESS_RATIO_TO_LAYER_TYPE`)."""


def decoder(view: ConfigView) -> Decoder:
    """By `compress_ratios`, one per layer and one more for the draft layer, or by `layer_types`."""
    count = layer_count(view)
    width = view.integer("head_dim", maximum=MAX_DIM)
    # The rotary part matters to record formats only; every published file says 64.
    rope = view.integer_or("qk_rope_head_dim", fallback=min(64, width), how="64", minimum=0, maximum=width)
    window = view.integer("sliding_window")
    index_dim = view.integer("index_head_dim", maximum=MAX_DIM)
    kinds = _kinds(view, count)
    light, heavy = _rates(view)
    view.ignore("num_key_value_heads", "index_n_heads", "index_topk", "o_lora_rank", "q_lora_rank", "num_hash_layers")
    base = Mla(latent_dim=width - rope, rope_dim=rope, window=window)
    made: dict[str, Layer] = {
        WINDOW_ONLY: (base,),
        SPARSE: (base, *_sparse(base, light, width, index_dim)),
        HEAVY: (base, _stream(base, heavy), RollingState(window=heavy, width=2 * width)),
    }
    draft = made[kinds[count]] if len(kinds) > count else made[WINDOW_ONLY]
    return Decoder(
        layers=tuple(made[kind] for kind in kinds[:count]),
        draft_layers=(draft,) if drafts(view) else (),
        query_heads=view.integer(*QUERY_HEADS, maximum=MAX_HEADS),
        hidden_size=view.integer(*HIDDEN, maximum=MAX_DIM),
    )


def _stream(base: Mla, ratio: int) -> Compressed:
    return Compressed(ratio=ratio, latent_dim=base.latent_dim, rope_dim=base.rope_dim)


def _sparse(base: Mla, ratio: int, width: int, index_dim: int) -> tuple[CachePart, ...]:
    """The stream, the indexer's keys and the inputs of both compressors, whose blocks overlap."""
    return (
        _stream(base, ratio),
        Indexer(key_dim=index_dim, ratio=ratio),
        RollingState(window=2 * ratio, width=4 * width),
        RollingState(window=2 * ratio, width=4 * index_dim),
    )


def _kinds(view: ConfigView, count: int) -> tuple[str, ...]:
    types = layer_list(view, count, "layer_types")
    listed = view.integers_or_none("compress_ratios", maximum=2**20)
    if types is not None:
        for kind in types:
            if kind not in (WINDOW_ONLY, SPARSE, HEAVY):
                raise unknown_kind(view, "layer_types", kind)
        return types
    if listed is None:
        pattern = tuple(HEAVY if i < 2 or i % 2 == 0 else SPARSE for i in range(count))
        return view.derive("layer_types", pattern, "the pattern of deepseek_v4")
    if not count <= len(listed) <= count + 8:
        text = f"“{view.prefix}compress_ratios” lists {len(listed)} layers, the model has {count}."
        view.wrong("compress_ratios", text)
        return (WINDOW_ONLY,) * count
    for ratio in listed:
        if ratio not in BY_RATIO:
            raise unknown_kind(view, "compress_ratios", str(ratio))
    return tuple(BY_RATIO[ratio] for ratio in listed)


def _rates(view: ConfigView) -> tuple[int, int]:
    rates = view.section("compress_rates") if view.gives("compress_rates") else None
    source = rates or view
    light = source.integer_or_none(SPARSE if rates else "compress_rate_csa", maximum=2**20) or 4
    heavy = source.integer_or_none(HEAVY if rates else "compress_rate_hca", maximum=2**20) or 128
    return light, heavy
