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


def decoder(view: ConfigView) -> Decoder:
    """By `compress_ratios`, one per layer and one more for the draft layer, or by `layer_types`."""
    count = layer_count(view)
    width = view.integer("head_dim", maximum=MAX_DIM)
    rope = view.integer("qk_rope_head_dim", minimum=0, maximum=width)
    window = view.integer("sliding_window")
    index_dim = view.integer("index_head_dim", maximum=MAX_DIM)
    ratios = _ratios(view, count)
    view.ignore("num_key_value_heads", "index_n_heads", "index_topk", "o_lora_rank", "q_lora_rank", "num_hash_layers")
    made = {ratio: _layer(ratio, width, rope, window, index_dim) for ratio in set(ratios)}
    draft = _layer(ratios[count] if len(ratios) > count else 0, width, rope, window, index_dim)
    return Decoder(
        layers=tuple(made[ratio] for ratio in ratios[:count]),
        draft_layers=(draft,) if drafts(view) else (),
        query_heads=view.integer(*QUERY_HEADS, maximum=MAX_HEADS),
        hidden_size=view.integer(*HIDDEN, maximum=MAX_DIM),
    )


def _ratios(view: ConfigView, count: int) -> tuple[int, ...]:
    light, heavy = _rates(view)
    types = layer_list(view, count, "layer_types")
    listed = view.integers_or_none("compress_ratios", maximum=2**20)
    if types is not None:
        by_kind = {WINDOW_ONLY: 0, SPARSE: light, HEAVY: heavy}
        for kind in types:
            if kind not in by_kind:
                raise unknown_kind(view, "layer_types", kind)
        return tuple(by_kind[kind] for kind in types)
    if listed is None:
        pattern = tuple(heavy if i < 2 or i % 2 == 0 else light for i in range(count))
        return view.derive("compress_ratios", pattern, "the pattern of deepseek_v4")
    if not count <= len(listed) <= count + 8:
        view.wrong(
            "compress_ratios", f"“{view.prefix}compress_ratios” lists {len(listed)} layers, the model has {count}."
        )
        return (0,) * count
    for ratio in listed:
        if ratio not in (0, 4, 128):
            raise unknown_kind(view, "compress_ratios", str(ratio))
    return tuple({0: 0, 4: light, 128: heavy}[ratio] for ratio in listed)


def _rates(view: ConfigView) -> tuple[int, int]:
    rates = view.section("compress_rates") if view.gives("compress_rates") else None
    source = rates or view
    light = source.integer_or_none(SPARSE if rates else "compress_rate_csa", maximum=2**20) or 4
    heavy = source.integer_or_none(HEAVY if rates else "compress_rate_hca", maximum=2**20) or 128
    return light, heavy


def _layer(ratio: int, width: int, rope: int, window: int, index_dim: int) -> Layer:
    latent = width - rope
    parts: list[CachePart] = [Mla(latent_dim=latent, rope_dim=rope, window=window)]
    if ratio:
        parts.append(Compressed(ratio=ratio, latent_dim=latent, rope_dim=rope))
    if 0 < ratio < 128:
        parts.append(Indexer(key_dim=index_dim, ratio=ratio))
        parts.append(RollingState(window=2 * ratio, width=4 * width))
        parts.append(RollingState(window=2 * ratio, width=4 * index_dim))
    elif ratio:
        parts.append(RollingState(window=ratio, width=2 * width))
    return tuple(parts)
