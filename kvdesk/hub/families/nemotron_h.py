"""Nemotron-H and Nemotron 3: Mamba-2, attention, MLP and expert layers, each a layer of its own.

The list `layers_block_type` or the string `hybrid_override_pattern` (M Mamba-2, * attention, - MLP, E experts) decides;
`num_hidden_layers` is not read. Source: transformers `models/nemotron_h/configuration_nemotron_h.py`; the state is fp32
unless `mamba_ssm_cache_dtype` says otherwise (vLLM `model_executor/models/config.py`, `NemotronHForCausalLMConfig`).
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import NoCache
from kvdesk.core.states import Mamba2
from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import (
    MAX_DIM,
    MAX_HEADS,
    Decoder,
    drafts,
    heads,
    unknown_kind,
)
from kvdesk.hub.families.states import FP32, model_format, state_format

KINDS = {
    "M": "mamba",
    "mamba": "mamba",
    "linear_attention": "mamba",
    "*": "attention",
    "attention": "attention",
    "full_attention": "attention",
    "-": "none",
    "E": "none",
    "mlp": "none",
    "moe": "none",
}


def decoder(view: ConfigView) -> Decoder:
    """By pattern."""
    sizes = heads(view)
    width = None if view.gives("head_dim") else view.integer_or_none("attention_head_dim", maximum=MAX_DIM)
    if width is not None:
        sizes = replace(sizes, key_dim=width, value_dim=width)
    kinds = _pattern(view, "layers_block_type", "layer_types", string="hybrid_override_pattern")
    if kinds is None:
        view.missing("layers_block_type")
        kinds = ("*",)
    view.ignore("num_hidden_layers", "sliding_window", "mtp_layers_block_type", "mtp_hybrid_override_pattern")
    state: Layer = (_state(view),) if any(KINDS.get(kind) == "mamba" for kind in kinds) else (NoCache(),)
    made: dict[str, Layer] = {"mamba": state, "attention": (sizes.full(),), "none": (NoCache(),)}
    draft: tuple[str, ...] = ()
    if drafts(view):
        listed = _pattern(view, "mtp_layers_block_type", string="mtp_hybrid_override_pattern")
        draft = ("*", "E") if listed is None else listed
    return sizes.decoder(_layers(view, kinds, made), _layers(view, draft, made))


def _pattern(view: ConfigView, *lists: str, string: str) -> tuple[str, ...] | None:
    text = view.text_or_none(string)
    kinds = view.texts_or_none(*lists) or (tuple(text) if text else None)
    if kinds is not None and len(kinds) > MAX_LAYERS:
        view.wrong(lists[0], f"“{view.prefix}{lists[0]}” lists more than {MAX_LAYERS} layers.")
        return kinds[:1]
    return kinds


def _layers(view: ConfigView, kinds: tuple[str, ...], made: dict[str, Layer]) -> tuple[Layer, ...]:
    for kind in kinds:
        if kind not in KINDS:
            raise unknown_kind(view, "layers_block_type", kind)
    return tuple(made[KINDS[kind]] for kind in kinds)


def _state(view: ConfigView) -> Mamba2:
    count = view.integer("mamba_num_heads", maximum=MAX_HEADS)
    width = view.integer("mamba_head_dim", maximum=MAX_DIM)
    view.ignore("expand", "chunk_size", "mamba_expand", "mamba_chunk_size")
    named = view.text_or_none("mamba_ssm_cache_dtype")
    return Mamba2(
        inner=count * width,
        heads=count,
        head_dim=width,
        state_size=view.integer("ssm_state_size", "mamba_state_dim", maximum=MAX_DIM),
        groups=view.integer("mamba_n_groups", "n_groups", maximum=MAX_HEADS),
        conv_kernel=view.integer("mamba_d_conv", "conv_kernel", maximum=MAX_DIM),
        conv_format=model_format(view),
        recurrent_format=FP32 if named is None else state_format(view),
    )
