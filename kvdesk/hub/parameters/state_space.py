"""Mamba 1 and 2: the mixers, and the models that consist of them alone.

Source: transformers 5.24 `models/{mamba,falcon_mamba,mamba2}/modeling_*.py`.
"""

from kvdesk.core.states import Mamba1, Mamba2
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import head, layout, sizes
from kvdesk.hub.parameters.tally import Tally


def mamba1(
    tally: Tally, hidden: int, part: Mamba1, rank: int, times: int, *, bias: bool, conv_bias: bool, norms: bool = False
) -> None:
    """A Mamba-1 mixer; `rank` is that of the time step, `norms` adds those of Jamba on time step, B and C."""
    inner, state = part.inner, part.state_size
    tally.linear("mamba", hidden, 2 * inner, bias=bias, times=times)
    tally.linear("mamba", inner, rank + 2 * state, times=times)
    tally.linear("mamba", rank, inner, bias=True, times=times)
    tally.linear("mamba", inner, hidden, bias=bias, times=times, rows=True)
    tally.vector(inner * (part.conv_kernel + conv_bias), times=times, split=True)
    tally.add("state_fp32", inner * (state + 1) * times)
    if norms:
        tally.norm(rank + 2 * state, times=times)


def mamba2(
    tally: Tally,
    hidden: int,
    part: Mamba2,
    times: int,
    *,
    bias: bool,
    conv_bias: bool,
    out_bias: bool | None = None,
    gated_norm: bool = True,
) -> None:
    """A Mamba-2 mixer: gate, input, B, C and time step from one projection; A, D and a bias for each head."""
    groups = 2 * part.groups * part.state_size
    tally.linear("mamba", hidden, 2 * part.inner + groups + part.heads, bias=bias, times=times)
    tally.linear("mamba", part.inner, hidden, bias=bias if out_bias is None else out_bias, times=times, rows=True)
    tally.vector((part.inner + groups) * (part.conv_kernel + conv_bias), times=times, split=True)
    tally.vector(3 * part.heads, times=times, split=True)
    if gated_norm:
        tally.norm(part.inner, times=times, split=True)


def time_step_rank(view: ConfigView, key: str, hidden: int) -> int:
    """The rank under `key`; "auto" or none means hidden / 16, rounded up."""
    found = view.find(key)
    if found is None or found.value is None or found.value == "auto":
        return -(-hidden // 16)
    return view.integer(key)


def mamba(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Mamba and Falcon-Mamba."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    rank = time_step_rank(view, "time_step_rank", hidden)
    head.embeddings(view, tally, top=top, tied_default=True)
    for part, times in layout.of_kind(layers, Mamba1).items():
        mamba1(tally, hidden, part, rank, times, bias=view.flag("use_bias"), conv_bias=view.flag("use_conv_bias"))
    tally.norm(hidden, times=len(layers) + 1)


def mamba2_model(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Mamba 2."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    for part, times in layout.of_kind(layers, Mamba2).items():
        mamba2(tally, hidden, part, times, bias=view.flag("use_bias"), conv_bias=view.flag("use_conv_bias"))
    tally.norm(hidden, times=len(layers) + 1)
