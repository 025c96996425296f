"""What a family gives, and the rules that many families share.

A family is one module with a function `decoder(view) -> Decoder`. It reads the text model's object through a
`ConfigView`, never checks types itself, and cites the modeling code for every rule that is not plain.
"transformers" means 5.24.0, "vLLM" 0.33.0.
"""

from collections.abc import Sequence

from kvdesk.core.errors import RefusalError
from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Chunked, Full, Sliding
from kvdesk.core.values import dataclass
from kvdesk.hub.config_view import BY_HAND, MAX_LAYERS, ConfigView

MAX_HEADS = 2**16
MAX_DIM = 2**20
LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers")
QUERY_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "num_attention_groups")
HIDDEN = ("hidden_size", "n_embd", "n_embed", "d_model", "model_dim")
DRAFTS = (
    "num_nextn_predict_layers",
    "mtp_num_hidden_layers",
    "num_mtp_modules",
    "num_mtp_layers",
    "_num_mtp_layers",
    "mtp_num_layers",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """The decoder of a model: its layers in order, and the draft layers shipped beside them.

    Of several multi-token-prediction modules only one counts: engines run the same module for every draft token
    (vLLM `config/speculative.py`).
    """

    layers: tuple[Layer, ...]
    draft_layers: tuple[Layer, ...] = ()
    query_heads: int = 0
    hidden_size: int = 0
    encoder_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """Attention sizes that all layers share."""

    query_heads: int
    kv_heads: int
    key_dim: int
    value_dim: int
    hidden_size: int

    def full(self) -> Full:
        """Full attention of these sizes."""
        return Full(kv_heads=self.kv_heads, key_dim=self.key_dim, value_dim=self.value_dim)

    def sliding(self, window: int) -> Sliding:
        """Sliding attention of these sizes."""
        return Sliding(kv_heads=self.kv_heads, key_dim=self.key_dim, value_dim=self.value_dim, window=window)

    def chunked(self, chunk: int) -> Chunked:
        """Chunked attention of these sizes."""
        return Chunked(kv_heads=self.kv_heads, key_dim=self.key_dim, value_dim=self.value_dim, chunk=chunk)

    def decoder(self, layers: Sequence[Layer], draft: Sequence[Layer] = ()) -> Decoder:
        """A decoder of these sizes."""
        return Decoder(
            layers=tuple(layers),
            draft_layers=tuple(draft),
            query_heads=self.query_heads,
            hidden_size=self.hidden_size,
        )


def layer_count(view: ConfigView) -> int:
    """Decoder layers."""
    return view.integer(*LAYERS, maximum=MAX_LAYERS)


def heads(view: ConfigView, *, own_head_dim: bool = True) -> Heads:
    """The usual rule: KV heads default to query heads, head_dim to hidden_size / heads.

    With `own_head_dim` False the architecture has no `head_dim` key: its code always divides.
    """
    hidden = view.integer(*HIDDEN, maximum=MAX_DIM)
    query = view.integer(*QUERY_HEADS, maximum=MAX_HEADS)
    kv = view.integer_or(*KV_HEADS, fallback=query, how="num_attention_heads", maximum=MAX_HEADS)
    dim = head_dim(view, hidden, query) if own_head_dim else divided(view, "head_dim", hidden, query)
    return Heads(query_heads=query, kv_heads=kv, key_dim=dim, value_dim=dim, hidden_size=hidden)


def head_dim(view: ConfigView, hidden: int, query: int) -> int:
    """`head_dim` where given and not 0 (vLLM reads 0 as absent), else hidden_size / num_attention_heads."""
    return view.integer_or_none("head_dim", minimum=0, maximum=MAX_DIM) or divided(view, "head_dim", hidden, query)


def divided(view: ConfigView, key: str, whole: int, parts: int, how: str = "hidden_size / num_attention_heads") -> int:
    """`whole // parts`, recorded as `key`; a fault where that is nothing."""
    if whole < parts:
        view.wrong(key, f"“{view.prefix}{key}” is not given, and {how} = {whole} / {parts} leaves nothing.")
        return 1
    return view.derive(key, whole // parts, how)


def layer_list(view: ConfigView, count: int, *keys: str, spare: int = 0) -> tuple[str, ...] | None:
    """The list of layer kinds under `keys`, of `count` entries; up to `spare` more (of draft layers) are cut off."""
    found = view.texts_or_none(*keys)
    if found is None:
        return None
    if not count <= len(found) <= count + spare:
        view.wrong(keys[0], f"“{view.prefix}{keys[0]}” lists {len(found)} layers, the model has {count}.")
        return (found * (count // max(1, len(found)) + 1))[:count] if found else ("full_attention",) * count
    return found[:count]


def own_config(view: ConfigView, index: int) -> ConfigView | None:
    """What `per_layer_config` says of one layer; None where it says nothing.

    Its keys are layer numbers, padded with zeros (transformers `integrations/heterogeneity/configuration_utils.py`).
    """
    whole = view.section("per_layer_config") if view.gives("per_layer_config") else None
    if whole is None:
        return None
    given = whole.keys()
    key = next((key for key in given if key.isdecimal() and key.lstrip("0") == str(index).lstrip("0")), None)
    return whole.section(key) if key is not None else None


def unknown_kind(view: ConfigView, key: str, kind: str) -> RefusalError:
    """A kind of layer that this architecture is not known to have."""
    return RefusalError(
        "unknown-layer-kind",
        f"The kind of layer “{kind[:60]}” is not known for {view.label}.",
        f"It stands in “{view.prefix}{key}”, and what such a layer keeps cannot be guessed.",
        BY_HAND,
    )


def drafts(view: ConfigView) -> int:
    """Multi-token-prediction modules that the file says the checkpoint has; a class default says nothing of it."""
    if not view.gives(*DRAFTS):
        return 0
    return view.integer_or_none(*DRAFTS, minimum=0, maximum=MAX_LAYERS) or 0


def one_draft(view: ConfigView, layer: Layer) -> tuple[Layer, ...]:
    """`layer` once where the checkpoint has draft modules."""
    return (layer,) if drafts(view) else ()
