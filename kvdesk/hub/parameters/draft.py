"""Draft layers for multi-token prediction, which checkpoints ship beside the model and plain decoding leaves out."""

from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import DRAFTS
from kvdesk.hub.parameters import blocks, decoder, sizes
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.tally import Tally


def layers(view: ConfigView) -> int:
    """Draft layers that the checkpoint has."""
    return view.integer_or_none(*DRAFTS, minimum=0, maximum=MAX_LAYERS) or 0


def entry(view: ConfigView, tally: Tally, times: int) -> None:
    """What joins the last hidden state and the next token's embedding: two norms, a projection, and a norm at the end.

    Source: vLLM 0.33 `model_executor/models/deepseek_mtp.py` (`enorm`, `hnorm`, `eh_proj`, `shared_head.norm`);
    embedding and head are the model's own.
    """
    hidden = sizes.hidden(view)
    tally.linear("draft", 2 * hidden, hidden, times=times, split=False)
    tally.norm(hidden, times=3 * times)


def of_same_kind(view: ConfigView, tally: Tally, traits: Traits) -> None:
    """Draft layers with the model's own attention and, where it has any, experts."""
    times = layers(view)
    if not times:
        return
    apart = tally.drafts()
    entry(view, apart, times)
    blocks.attention(view, apart, traits.attention, sizes.heads(view), times=times)
    decoder.feed_forward(view, apart, replace(traits, sparse=lambda _view, count: count), times)
    apart.norm(sizes.hidden(view), times=traits.norms * times, bias=traits.norm_bias)
