"""Pure state-space models: Mamba 1 and 2, Falcon-Mamba, Mamba-Codestral. No keys, no values, a fixed state.

Source: transformers `models/mamba/configuration_mamba.py` (intermediate_size = expand x hidden_size),
`models/mamba2/modeling_mamba2.py`; vLLM `model_executor/models/mamba.py`, `mamba2.py`.
"""

from kvdesk.core.layers import CachePart
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import HIDDEN, MAX_DIM, MAX_HEADS, Decoder, layer_count
from kvdesk.hub.families.states import expanded, mamba1, mamba2


def first(view: ConfigView) -> Decoder:
    """Mamba 1."""
    hidden = view.integer(*HIDDEN, maximum=MAX_DIM)
    inner = view.integer_or_none("intermediate_size", "d_inner", maximum=MAX_DIM) or expanded(view, hidden, "expand")
    view.ignore("expand")
    part = mamba1(
        view,
        inner=inner,
        state_size=view.integer("state_size", maximum=MAX_DIM),
        conv_kernel=view.integer("conv_kernel", maximum=MAX_DIM),
    )
    return _decoder(view, hidden, part)


def second(view: ConfigView) -> Decoder:
    """Mamba 2."""
    hidden = view.integer(*HIDDEN, maximum=MAX_DIM)
    view.ignore("head_dim", "chunk_size")
    part = mamba2(
        view,
        inner=expanded(view, hidden, "expand"),
        heads=view.integer("num_heads", maximum=MAX_HEADS),
        state_size=view.integer("state_size", maximum=MAX_DIM),
        groups=view.integer("n_groups", maximum=MAX_HEADS),
        conv_kernel=view.integer("conv_kernel", maximum=MAX_DIM),
        heads_key="num_heads",
    )
    return _decoder(view, hidden, part)


def _decoder(view: ConfigView, hidden: int, part: CachePart) -> Decoder:
    return Decoder(layers=((part,),) * layer_count(view), hidden_size=hidden)
