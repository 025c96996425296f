"""Sparse MLA: a latent on every layer, and the keys of an indexer on the layers that own one.

Which layers own one: `indexer_types` (full, shared), else `index_topk_pattern` (F, S), else every `index_topk_freq`-th
layer after `index_skip_topk_offset`; all layers in DeepSeek-V3.2. Source: transformers
`models/glm_moe_dsa/configuration_glm_moe_dsa.py`, `models/hy_v4/configuration_hy_v4.py`; the key's 128 + 4 bytes: vLLM
`model_executor/models/deepseek_v2.py` (`DeepseekV32IndexerCache`).
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Indexer
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
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
from kvdesk.hub.families.mla import latent

OWNS = {"full": True, "F": True, "shared": False, "S": False}
SPARSE = ("indexed_attention", "deepseek_sparse_attention", "full_attention")
"""Layer kinds that transformers reads as sparse attention (`_LEGACY_LAYER_TYPE_REMAP`)."""


def decoder(view: ConfigView) -> Decoder:
    """Layers with a latent, and an indexer where they own one."""
    return _decoder(view, owners(view, layer_count(view)))


def every(view: ConfigView) -> Decoder:
    """DeepSeek-V3.2, A.X K2: every layer owns an indexer."""
    return _decoder(view, (True,) * layer_count(view))


def hunyuan4(view: ConfigView) -> Decoder:
    """HY 4: without a list, the first layer and every fourth from the second own an indexer."""
    count = layer_count(view)
    listed = _listed(view, count)
    return _decoder(view, listed or tuple(i == 0 or (i - 1) % 4 == 0 for i in range(count)))


def owners(view: ConfigView, count: int) -> tuple[bool, ...]:
    """Whether each layer owns an indexer."""
    listed = _listed(view, count)
    if listed is not None:
        return listed
    freq = view.integer_or("index_topk_freq", fallback=1, how="1 unless given", minimum=0, maximum=MAX_LAYERS)
    offset = view.integer_or("index_skip_topk_offset", fallback=2, how="2 unless given", minimum=0, maximum=MAX_LAYERS)
    return tuple(max(i - offset + 1, 0) % max(freq, 1) == 0 for i in range(count))


def _listed(view: ConfigView, count: int) -> tuple[bool, ...] | None:
    kinds = layer_list(view, count, "indexer_types", spare=8)
    if kinds is None:
        found = view.find("index_topk_pattern")
        if found is None or found.value is None:
            return None
        text = view.text_or_none("index_topk_pattern") if isinstance(found.value, str) else None
        kinds = tuple(text) if text else layer_list(view, count, "index_topk_pattern") or ()
        if len(kinds) != count:
            view.wrong("index_topk_pattern", f"“{view.prefix}index_topk_pattern” must name each of {count} layers.")
            return (True,) * count
    for kind in kinds:
        if kind not in OWNS:
            raise unknown_kind(view, "indexer_types", kind)
    return tuple(OWNS[kind] for kind in kinds)


def _decoder(view: ConfigView, owns: tuple[bool, ...]) -> Decoder:
    for kind in layer_list(view, len(owns), "layer_types", spare=8) or ():
        if kind not in SPARSE:
            raise unknown_kind(view, "layer_types", kind)
    base = latent(view)
    indexer = Indexer(key_dim=view.integer("index_head_dim", maximum=MAX_DIM))
    view.ignore("index_n_heads", "index_topk")
    layers: tuple[Layer, ...] = tuple((base, indexer) if own else (base,) for own in owns)
    return Decoder(
        layers=layers,
        draft_layers=((base, indexer),) if drafts(view) else (),
        query_heads=view.integer(*QUERY_HEADS, maximum=MAX_HEADS),
        hidden_size=view.integer(*HIDDEN, maximum=MAX_DIM),
    )
