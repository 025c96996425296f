"""What the families with recurrent layers share: number formats of states, and their usual shapes by key.

Engines keep kernel - 1 convolution columns in the model's format. The recurrent state takes the config's own format
where it names one, else the model's (vLLM `model_executor/layers/mamba/mamba_utils.py`, `MambaStateDtypeCalculator`).
"""

from kvdesk.core.number_formats import FORMATS, NumberFormat, find, get
from kvdesk.core.states import GatedDelta, KimiDelta, Mamba1, Mamba2
from kvdesk.hub.config_view import ConfigView, unknown_format
from kvdesk.hub.families.common import MAX_DIM, MAX_HEADS, divided

STATE_FORMATS = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
FP32 = FORMATS["fp32"]
LINEAR = frozenset({"linear_attention", "mamba", "recurrent", "linear"})
"""Spellings of recurrent layers in `layer_types` and `layers_block_type`."""
ATTENTION = frozenset({"full_attention", "attention"})


def model_format(view: ConfigView) -> NumberFormat:
    """The format the model runs in."""
    return get(view.reading.model_dtype)


def state_format(view: ConfigView) -> NumberFormat:
    """The format of the recurrent state; refuses one that is not known."""
    named = view.text_or_none(*STATE_FORMATS)
    if named is None or named == "auto":
        return model_format(view)
    found = find(named)
    if found is None:
        path = view.prefix + next(key for key in STATE_FORMATS if view.states(key))
        raise unknown_format(path, named)
    return found


def gated_delta(view: ConfigView) -> GatedDelta:
    """Qwen3-Next and 3.5 linear attention."""
    return GatedDelta(
        key_heads=view.integer("linear_num_key_heads", maximum=MAX_HEADS),
        value_heads=view.integer("linear_num_value_heads", maximum=MAX_HEADS),
        key_dim=view.integer("linear_key_head_dim", maximum=MAX_DIM),
        value_dim=view.integer("linear_value_head_dim", maximum=MAX_DIM),
        conv_kernel=view.integer("linear_conv_kernel_dim", maximum=MAX_DIM),
        conv_format=model_format(view),
        recurrent_format=state_format(view),
    )


def kimi_delta(view: ConfigView, *, heads: int, head_dim: int, conv_kernel: int) -> KimiDelta:
    """Kimi delta attention; its state is always fp32 (vLLM `kda_state_dtype`)."""
    return KimiDelta(
        heads=heads,
        head_dim=head_dim,
        conv_kernel=conv_kernel,
        conv_format=model_format(view),
        recurrent_format=FP32,
    )


def mamba1(view: ConfigView, *, inner: int, state_size: int, conv_kernel: int) -> Mamba1:
    """A Mamba-1 layer."""
    return Mamba1(
        inner=inner,
        state_size=state_size,
        conv_kernel=conv_kernel,
        conv_format=model_format(view),
        recurrent_format=state_format(view),
    )


def mamba2(
    view: ConfigView, *, inner: int, heads: int, state_size: int, groups: int, conv_kernel: int, heads_key: str
) -> Mamba2:
    """A Mamba-2 layer; the head's width is inner / heads, whatever the file says beside it."""
    if inner % heads:
        view.wrong(heads_key, f"“{view.prefix}{heads_key}” {heads} does not divide the inner width {inner}.")
    return Mamba2(
        inner=inner,
        heads=heads,
        head_dim=max(1, inner // heads),
        state_size=state_size,
        groups=groups,
        conv_kernel=conv_kernel,
        conv_format=model_format(view),
        recurrent_format=state_format(view),
    )


def expanded(view: ConfigView, hidden: int, *keys: str) -> int:
    """hidden_size x expand; an expand that is not whole (1.5) is exact in halves and quarters."""
    found = view.find(*keys)
    if found is not None and isinstance(found.value, float) and not found.value.is_integer():
        if 0 < found.value <= 64:
            return view.derive("d_inner", int(found.value * hidden), f"int({keys[0]} x hidden_size)")
        view.wrong(keys[0], f"“{found.path}” must be a number between 0 and 64.")
        return hidden
    return view.derive("d_inner", view.integer(*keys, maximum=64) * hidden, f"{keys[0]} x hidden_size")


def prefixed_mamba2(view: ConfigView, inner: int) -> Mamba2:
    """A Mamba-2 layer by the keys of Bamba, Falcon-H1 and Granite 4 (`mamba_n_heads`, `mamba_d_state`, ...)."""
    view.ignore("mamba_d_head", "mamba_expand", "mamba_chunk_size")
    return mamba2(
        view,
        inner=inner,
        heads=view.integer("mamba_n_heads", maximum=MAX_HEADS),
        state_size=view.integer("mamba_d_state", maximum=MAX_DIM),
        groups=view.integer("mamba_n_groups", maximum=MAX_HEADS),
        conv_kernel=view.integer("mamba_d_conv", maximum=MAX_DIM),
        heads_key="mamba_n_heads",
    )


__all__ = [
    "ATTENTION",
    "FP32",
    "LINEAR",
    "divided",
    "expanded",
    "gated_delta",
    "kimi_delta",
    "mamba1",
    "mamba2",
    "model_format",
    "prefixed_mamba2",
    "state_format",
]
