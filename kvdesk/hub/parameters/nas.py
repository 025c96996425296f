"""Nemotron-NAS (DeciLM): blocks whose attention or MLP is narrower, linear or absent.

Source: the checkpoints' own `modeling_decilm.py` (`DeciLMDecoderLayer`, `_ffn_mult_to_intermediate_size`).
"""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, head, sizes
from kvdesk.hub.parameters.blocks import AttentionTraits
from kvdesk.hub.parameters.sizes import Heads
from kvdesk.hub.parameters.tally import Tally

BIASED = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
STEP = 256
"""Widths of MLPs are multiples of this."""
MAX_RATIO = 2**16


def count(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Block by block."""
    hidden = sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    for block in view.objects_or_none("block_configs") or ():
        attention, mlp = block.section("attention"), block.section("ffn")
        if attention is None or mlp is None:
            block.missing("attention" if attention is None else "ffn")
            return
        attend(view, tally, attention)
        if mlp.flag("replace_with_linear"):
            tally.linear("mlp", hidden, hidden)
        elif not mlp.flag("no_op"):
            blocks.mlp(tally, hidden, width(mlp, hidden), bias=view.flag("mlp_bias"))
        tally.norm(hidden, times=0 if mlp.flag("no_op") else 1)
    tally.norm(hidden)


def attend(view: ConfigView, tally: Tally, own: ConfigView) -> None:
    """The attention of one block, and the norm before it."""
    hidden = sizes.hidden(view)
    if own.flag("no_op"):
        return
    tally.norm(hidden)
    if own.flag("replace_with_linear"):
        tally.linear("attention", hidden, hidden)
        return
    query = view.integer(*sizes.QUERY_HEADS, maximum=sizes.MAX_COUNT)
    kv = own.integer_or_none("num_key_value_heads", maximum=sizes.MAX_COUNT)
    if kv is None:
        kv = query // own.integer("n_heads_in_group", maximum=sizes.MAX_COUNT)
    dim = view.integer_or_none("head_dim", maximum=sizes.MAX_SIZE) or hidden // query
    blocks.attention(view, tally, BIASED, Heads(query=query, kv=kv, key_dim=dim, value_dim=dim), times=1)


def width(mlp: ConfigView, hidden: int) -> int:
    """`intermediate_size`, or two thirds of `ffn_mult` x hidden, rounded up."""
    given = mlp.integer_or_none("intermediate_size", maximum=sizes.MAX_SIZE)
    if given is not None:
        return given
    ratio = mlp.raw("ffn_mult")
    if not isinstance(ratio, (int, float)) or isinstance(ratio, bool) or not 0 < ratio < MAX_RATIO:
        mlp.missing("ffn_mult")
        return 0
    return -(-int(2 * ratio * hidden / 3) // STEP) * STEP
