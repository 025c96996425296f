"""Encoder-decoders: BART and its kin, Whisper, T5, T5Gemma, Moonshine; and Llama 3.2 Vision with its cross-attention.

Source: transformers 5.24 `models/{bart,mbart,marian,pegasus,whisper,t5,t5gemma,moonshine,mllama}/modeling_*.py`.
Tables of sines are parameters where their class derives from `nn.Embedding` (Marian, Pegasus) and buffers elsewhere
(M2M-100).
"""

from collections.abc import Mapping

from kvdesk.core.layers import Cross
from kvdesk.core.values import dataclass
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, decoder, head, layout, sizes
from kvdesk.hub.parameters.blocks import AttentionTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.encoders import audio
from kvdesk.hub.parameters.encoders.transformer import EncoderLayer
from kvdesk.hub.parameters.sizes import Heads
from kvdesk.hub.parameters.tally import Tally

COUNT = sizes.MAX_COUNT
ENCODER = "encoder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bart:
    """What tells BART's kin apart: rows beside the positions (None: no table), norms after embeddings and last."""

    spare: int | None
    embedding_norm: bool
    final_norm: bool


KIN: Mapping[str, Bart] = {
    **dict.fromkeys(("bart", "plbart"), Bart(spare=2, embedding_norm=True, final_norm=False)),
    "mbart": Bart(spare=2, embedding_norm=True, final_norm=True),
    "blenderbot": Bart(spare=0, embedding_norm=False, final_norm=True),
    "blenderbot-small": Bart(spare=0, embedding_norm=True, final_norm=False),
    "marian": Bart(spare=0, embedding_norm=False, final_norm=False),
    "pegasus": Bart(spare=0, embedding_norm=False, final_norm=True),
    "m2m_100": Bart(spare=None, embedding_norm=False, final_norm=True),
}


def bart(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """BART, mBART, Marian, Pegasus, Blenderbot, M2M-100: the same layers with other norms and positions."""
    kin, hidden = KIN[decoder.own_type(view)], sizes.hidden(view)
    shared_embedding(view, tally, top)
    if kin.spare is not None:
        rows = sizes.size(view, "max_position_embeddings") + kin.spare
        tally.add("embedding", 2 * rows * hidden, split=False)
    tally.norm(hidden, times=2 * (kin.embedding_norm + kin.final_norm), bias=True)
    EncoderLayer(hidden=hidden, width=sizes.size(view, "encoder_ffn_dim")).add(
        tally, sizes.encoder_layers(view), part=ENCODER
    )
    cross_layers(view, tally, key_bias=True)


def shared_embedding(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """One embedding for both sides and the head; three and a head where they are not tied."""
    table = sizes.vocabulary(view) * sizes.hidden(view)
    name = head.architecture(top)
    tied = head.tied(top, default=True)
    tally.add("embedding", table if tied else 3 * table)
    if tied and not view.flag("share_encoder_decoder_embeddings", fallback=True):
        rows = view.integer_or_none("decoder_vocab_size", maximum=sizes.MAX_SIZE) or sizes.vocabulary(view)
        tally.add("embedding", rows * sizes.hidden(view))
    if name.endswith("ForSequenceClassification"):
        hidden = sizes.hidden(view)
        tally.linear("lm_head", hidden, hidden, bias=True, split=False)
        tally.linear("lm_head", hidden, head.labels(top), bias=True, split=False)
    elif not tied and not head.headless(top):
        tally.add("lm_head", table)


def cross_layers(view: ConfigView, tally: Tally, *, key_bias: bool) -> None:
    """Decoder layers: attention over themselves and over the encoder, an MLP, three LayerNorms."""
    hidden, count = sizes.hidden(view), view.integer("decoder_layers", maximum=COUNT)
    for _ in range(2):
        for bias in (True, key_bias, True):
            tally.linear("attention", hidden, hidden, bias=bias, times=count)
        tally.linear("attention", hidden, hidden, bias=True, times=count, rows=True)
    blocks.mlp(tally, hidden, sizes.size(view, "decoder_ffn_dim"), gated=False, bias=True, times=count)
    tally.norm(hidden, times=3 * count, bias=True)


def whisper(view: ConfigView, tally: Tally, _top: ConfigView) -> None:
    """Whisper: convolutions and positions before the encoder, keys without a bias; the head is always tied."""
    hidden = sizes.hidden(view)
    tally.add("embedding", sizes.vocabulary(view) * hidden)
    tally.add("embedding", sizes.size(view, "max_target_positions") * hidden, split=False)
    audio.whisper(view, tally, part=ENCODER)
    cross_layers(view, tally, key_bias=False)
    tally.norm(hidden, bias=True)


def t5(view: ConfigView, tally: Tally, _top: ConfigView) -> None:
    """T5, mT5, UMT5: no biases, RMSNorms, relative positions on the first layer of each side (UMT5: on every layer).

    Embeddings are always tied (`configuration_t5.py`); the head of older files that say otherwise is not counted here.
    """
    hidden, query = sizes.hidden(view), view.integer("num_heads", maximum=COUNT)
    encoder = view.integer("num_layers", maximum=COUNT)
    count = view.integer_or_none("num_decoder_layers", maximum=COUNT) or encoder
    inner = query * sizes.size(view, "d_kv")
    tally.add("embedding", sizes.vocabulary(view) * hidden)
    gated = (view.text_or_none("feed_forward_proj") or "relu").startswith("gated")
    width = sizes.size(view, "d_ff")
    tally.linear(ENCODER, hidden, 4 * inner, times=encoder)
    blocks.mlp(tally, hidden, width, gated=gated, times=encoder, part=ENCODER)
    tally.linear("attention", hidden, 8 * inner, times=count)
    blocks.mlp(tally, hidden, width, gated=gated, times=count)
    tables = encoder + count if decoder.own_type(view) == "umt5" else 2
    tally.vector(sizes.size(view, "relative_attention_num_buckets") * query, times=tables, split=True)
    tally.norm(hidden, times=2 * encoder + 3 * count + 2)


def t5gemma(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """T5Gemma: two Gemma 2 stacks, each with its own embedding; cross-attention in the second."""
    encoded = 0
    for key in ("encoder", "decoder"):
        side = view.section(key)
        if side is None:
            view.missing(key)
            return
        hidden, count, shape = sizes.hidden(side), sizes.layers(side), sizes.heads(side)
        traits = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
        cross = key == "decoder"
        tally.add("embedding", sizes.vocabulary(side) * hidden)
        blocks.attention(side, tally, traits, shape, times=count)
        if cross:
            _cross_attention(side, tally, traits, shape, times=count, wide=encoded)
        encoded = hidden
        blocks.mlp(tally, hidden, sizes.size(side, "intermediate_size"), times=count)
        tally.norm(hidden, times=(6 if cross else 4) * count + 1)
        if cross and not head.tied(top, default=True):
            tally.add("lm_head", sizes.vocabulary(side) * hidden)


def _cross_attention(
    view: ConfigView, tally: Tally, traits: AttentionTraits, shape: Heads, *, times: int, wide: int
) -> None:
    """Attention whose keys and values come from `wide` features of the encoder."""
    blocks.attention(view, tally, traits, shape, times=times)
    tally.add("attention", (wide - sizes.hidden(view)) * shape.kv * (shape.key_dim + shape.value_dim) * times)


def moonshine(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Moonshine: three convolutions, norms without biases, gated MLPs in the decoder alone."""
    hidden, width = sizes.hidden(view), sizes.size(view, "intermediate_size")
    head.embeddings(view, tally, top=top, tied_default=True)
    tally.add(ENCODER, hidden * 127 + 2 * hidden * hidden * 7 + hidden * 2 * hidden * 3, split=False)
    tally.vector(2 * hidden + hidden)
    tally.norm(hidden, bias=True)
    bias = AttentionTraits(qkv_bias="attention_bias")
    for side, norms, attentions in (("encoder", 2, 1), ("decoder", 3, 2)):
        count = view.integer(f"{side}_num_hidden_layers", maximum=COUNT)
        query = view.integer(f"{side}_num_attention_heads", maximum=COUNT)
        kv = view.integer_or_none(f"{side}_num_key_value_heads", maximum=COUNT) or query
        dim = hidden // query
        shape = Heads(query=query, kv=kv, key_dim=dim, value_dim=dim)
        blocks.attention(view, tally, bias, shape, times=attentions * count)
        blocks.mlp(tally, hidden, width, gated=side == "decoder", bias=True, times=count)
        tally.norm(hidden, times=norms * count + 1)


def mllama(view: ConfigView, tally: Tally, _top: ConfigView) -> None:
    """Llama 3.2 Vision: eight spare rows in the embedding, gated cross-attention layers instead of the listed ones."""
    text = view.section("text_config")
    if text is None:
        view.missing("text_config")
        return
    hidden, shape = sizes.hidden(text), sizes.heads(text)
    layers = layout.decoder(view).layers
    crossing = sum(layout.of_kind(layers, Cross).values())
    tally.add("embedding", (sizes.vocabulary(text) + 8) * hidden)
    tally.add("lm_head", sizes.vocabulary(text) * hidden)
    blocks.attention(text, tally, AttentionTraits(), shape, times=len(layers) - crossing)
    blocks.attention(text, tally, AttentionTraits(qk_norm="head"), shape, times=crossing)
    tally.vector(2, times=crossing)
    decoder.feed_forward(text, tally, Traits(), len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)
