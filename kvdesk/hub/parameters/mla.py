"""Multi-head latent attention, and the indexer of its sparse form.

Source: transformers 5.24 `models/deepseek_v3/modeling_deepseek_v3.py`, `models/deepseek_v32`, `models/glm_moe_dsa`,
`models/longcat_flash`. Engines split the up-projections over heads and copy the down-projections and the indexer to
every rank (vLLM 0.33 `model_executor/layers/mla.py`, `model_executor/models/deepseek_v2.py`: `ReplicatedLinear`).
"""

from collections.abc import Callable, Mapping

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families import dsa
from kvdesk.hub.parameters import decoder, draft, head, sizes, sparse_layers
from kvdesk.hub.parameters.blocks import AttentionTraits, MoeTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.tally import Tally

_SHARED = MoeTraits(shared=("n_shared_experts", "num_shared_experts"))
_SPARSE = Traits(moe=_SHARED, sparse=sparse_layers.listed_or_first)
_DEEPSEEK = "deepseek_v3 sarvam_mla kimi_k2 deepseek_v32 glm_moe_dsa mistral4"
TRAITS: Mapping[str, Traits] = {
    **dict.fromkeys(_DEEPSEEK.split(), _SPARSE),
    "deepseek_v2": Traits(moe=_SHARED, sparse=sparse_layers.listed_or_first, mlp_bias="mlp_bias"),
    "glm4_moe_lite": Traits(moe=_SHARED, sparse=sparse_layers.listed_or_second),
    "axk1": Traits(moe=_SHARED, sparse=sparse_layers.listed_or_second),
    "minicpm3": Traits(mlp_bias="mlp_bias"),
    "youtu": Traits(mlp_bias="mlp_bias"),
}


def attention(view: ConfigView, tally: Tally, times: int) -> None:
    """The projections of `times` layers: down to latents, up to heads for queries, keys and values, and the output."""
    hidden = sizes.hidden(view)
    query = view.integer(*sizes.QUERY_HEADS, maximum=sizes.MAX_COUNT)
    plain, rope = sizes.size(view, "qk_nope_head_dim"), sizes.size(view, "qk_rope_head_dim")
    fallback = hidden // query if decoder.own_type(view) == "minicpm3" else None
    value, latent = sizes.size(view, "v_head_dim", fallback=fallback), sizes.size(view, "kv_lora_rank", minimum=1)
    bias = view.flag("attention_bias")
    wide = query_source(view, tally, times, bias=bias)
    tally.linear("attention", wide, query * (plain + rope), times=times)
    tally.linear("attention", hidden, latent + rope, bias=bias, times=times, split=False)
    tally.norm(latent, times=times)
    tally.linear("attention", latent, query * (plain + value), times=times)
    tally.linear("attention", query * value, hidden, bias=bias, times=times, rows=True)


def query_source(view: ConfigView, tally: Tally, times: int, *, bias: bool) -> int:
    """What queries are projected from: a latent of `q_lora_rank`, or the hidden state itself."""
    hidden = sizes.hidden(view)
    latent = view.integer_or_none("q_lora_rank", minimum=0, maximum=sizes.MAX_SIZE)
    if not latent:
        return hidden
    tally.linear("attention", hidden, latent, bias=bias, times=times, split=False)
    tally.norm(latent, times=times)
    return latent


def indexer(view: ConfigView, tally: Tally, times: int) -> None:
    """The indexer of `times` layers: queries from their latent, one key, its LayerNorm, and a weight for each head.

    Engines hold the key's and the weights' projection in 16 bits whatever the scheme.
    """
    if not times:
        return
    hidden, dim, count = sizes.hidden(view), sizes.size(view, "index_head_dim"), sizes.size(view, "index_n_heads")
    tally.linear("indexer", sizes.size(view, "q_lora_rank"), dim * count, times=times, split=False)
    tally.linear("index_keys", hidden, dim + count, times=times, split=False)
    tally.norm(dim, times=times, bias=True)


def model(view: ConfigView, tally: Tally, top: ConfigView, *, owners: Callable[[int], int]) -> None:
    """A whole model; `owners` says how many of so many layers own an indexer."""
    traits = TRAITS[decoder.own_type(view)]
    count, hidden = sizes.layers(view), sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    attention(view, tally, count)
    indexer(view, tally, owners(count))
    decoder.feed_forward(view, tally, traits, count)
    tally.norm(hidden, times=traits.norms * count + 1)
    if decoder.own_type(view) == "axk1":
        tally.norm(hidden, times=traits.sparse(view, count))
    extra = draft.layers(view)
    if extra:
        apart = tally.drafts()
        draft.entry(view, apart, extra)
        attention(view, apart, extra)
        indexer(view, apart, extra if owners(count) else 0)
        decoder.feed_forward(view, apart, _only_sparse(traits), extra)
        apart.norm(hidden, times=traits.norms * extra)


def _only_sparse(traits: Traits) -> Traits:
    return Traits(moe=traits.moe, mlp_bias=traits.mlp_bias)


def dense_latents(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Without an indexer: DeepSeek-V2 and V3, Kimi-K2, GLM-4.7-Flash, Mistral 4, MiniCPM3.

    `use_mla` false or no `kv_lora_rank` means plain attention (DeepSeek-VL2-tiny), as the checkpoint's own code has it.
    """
    found = view.find("kv_lora_rank")
    if not view.flag("use_mla", fallback=True) or (found is not None and found.value is None):
        traits = TRAITS[decoder.own_type(view)]
        bias = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
        decoder.whole(view, tally, Traits(attention=bias, moe=traits.moe, sparse=traits.sparse), top=top)
        return
    model(view, tally, top, owners=lambda _count: 0)


def sparse_latents(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """With an indexer on the layers that own one: DeepSeek-V3.2, GLM-5."""
    if decoder.own_type(view) == "deepseek_v32":
        model(view, tally, top, owners=lambda count: count)
    else:
        model(view, tally, top, owners=lambda count: sum(dsa.owners(view, count)))


def longcat(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """LongCat-Flash: two attentions and two MLPs in each layer, and experts that do nothing beside the real ones.

    Source: transformers 5.24 `models/longcat_flash/modeling_longcat_flash.py`: the gate and up projections are made for
    the experts that do nothing too.
    """
    count, hidden = view.integer("num_layers", maximum=sizes.MAX_COUNT), sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    attention(view, tally, 2 * count)
    width = sizes.size(view, "ffn_hidden_size", "intermediate_size")
    tally.linear("mlp", hidden, 3 * width, times=2 * count)
    tally.norm(hidden, times=4 * count + 1)
    real = sizes.size(view, "n_routed_experts", minimum=1)
    empty = sizes.size(view, "zero_expert_num", fallback=0)
    each = hidden * sizes.size(view, "expert_ffn_hidden_size", "moe_intermediate_size")
    chosen = sizes.size(view, "moe_topk", "num_experts_per_tok", fallback=1)
    tally.experts(3 * each, experts=real, chosen=chosen, times=count)
    tally.experts(2 * each, experts=empty, chosen=0, times=count)
    tally.linear("router", hidden, real + empty, bias=view.flag("router_bias"), times=count, split=False)
