"""Encoder-decoder models: the decoder's own keys and values, and those of the encoder's tokens, on every decoder layer.

Counts come from the decoder's keys only: `num_hidden_layers`, `num_layers` and `encoder_*` describe the encoder
(transformers `models/{bart,whisper,t5,moonshine,t5gemma}/configuration_*.py`). The encoder's tokens default to the most
it can see.
"""

from collections.abc import Sequence

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Cross
from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import MAX_DIM, MAX_HEADS, Decoder, Heads, divided, heads, layer_count
from kvdesk.hub.families.windowed import kinds, layers

ENCODER = (
    "encoder_layers",
    "encoder_attention_heads",
    "encoder_ffn_dim",
    "num_hidden_layers",
    "num_encoder_layers",
    "num_encoder_attention_heads",
)


def bart(view: ConfigView) -> Decoder:
    """BART, Marian, Pegasus, Whisper and kin: `decoder_layers`, `decoder_attention_heads`, MHA."""
    hidden = view.integer("d_model", "hidden_size", maximum=MAX_DIM)
    count = view.integer("decoder_attention_heads", "num_decoder_attention_heads", maximum=MAX_HEADS)
    dim = divided(view, "head_dim", hidden, count, "d_model / decoder_attention_heads")
    sizes = Heads(query_heads=count, kv_heads=count, key_dim=dim, value_dim=dim, hidden_size=hidden)
    number = view.integer("decoder_layers", "num_decoder_layers", maximum=MAX_LAYERS)
    view.ignore(*ENCODER)
    tokens = view.integer(
        "max_source_positions", "max_encoder_position_embeddings", "max_position_embeddings", maximum=2**30
    )
    return _decoder(sizes, [(sizes.full(),)] * number, tokens)


def t5(view: ConfigView) -> Decoder:
    """T5 and kin: `num_decoder_layers` (else `num_layers`), `num_heads` of `d_kv`; positions are relative.

    T5 has no longest input; 512 tokens is what it was trained on.
    """
    hidden = view.integer("d_model", maximum=MAX_DIM)
    count = view.integer("num_heads", maximum=MAX_HEADS)
    dim = view.integer("d_kv", maximum=MAX_DIM)
    sizes = Heads(query_heads=count, kv_heads=count, key_dim=dim, value_dim=dim, hidden_size=hidden)
    number = view.integer_or_none("num_decoder_layers", maximum=MAX_LAYERS)
    if number is None:
        number = view.derive("num_decoder_layers", view.integer("num_layers", maximum=MAX_LAYERS), "num_layers")
    tokens = view.integer_or("n_positions", fallback=512, how="512, the length T5 was trained on", maximum=2**30)
    return _decoder(sizes, [(sizes.full(),)] * number, tokens)


def moonshine(view: ConfigView) -> Decoder:
    """Moonshine: `decoder_num_*` keys."""
    hidden = view.integer("hidden_size", maximum=MAX_DIM)
    count = view.integer("decoder_num_attention_heads", maximum=MAX_HEADS)
    kv = view.integer_or(
        "decoder_num_key_value_heads", fallback=count, how="decoder_num_attention_heads", maximum=MAX_HEADS
    )
    dim = divided(view, "head_dim", hidden, count, "hidden_size / decoder_num_attention_heads")
    sizes = Heads(query_heads=count, kv_heads=kv, key_dim=dim, value_dim=dim, hidden_size=hidden)
    number = view.integer("decoder_num_hidden_layers", maximum=MAX_LAYERS)
    return _decoder(sizes, [(sizes.full(),)] * number, view.integer("max_position_embeddings", maximum=2**30))


def t5gemma(view: ConfigView) -> Decoder:
    """T5Gemma: the object `decoder` is a Gemma 2 (or 3) with cross-attention to the object `encoder`."""
    inner = view.section("decoder") or view
    encoder = view.section("encoder") or view
    if encoder.gives("text_config"):
        encoder = encoder.section("text_config") or encoder
    sizes = heads(inner)
    own = layers(inner, sizes, kinds(inner, layer_count(inner)))
    return _decoder(sizes, own, encoder.integer("max_position_embeddings", maximum=2**30))


def mllama(view: ConfigView) -> Decoder:
    """Llama 3.2 Vision: cross-attention layers keep the image's tokens and nothing of the text.

    One image has up to `max_num_tiles` tiles of (image_size / patch_size)^2 + 1 tokens (transformers
    `models/mllama/modeling_mllama.py`, `num_patches`).
    """
    text = view.section("text_config") or view
    sizes = heads(text, own_head_dim=False)
    count = layer_count(text)
    cross = text.integers_or_none("cross_attention_layers", maximum=MAX_LAYERS)
    if cross is None:
        cross = text.derive("cross_attention_layers", tuple(range(3, 40, 5)), "the pattern of mllama_text_model")
    tokens = _image_tokens(view)
    part = Cross(kv_heads=sizes.kv_heads, key_dim=sizes.key_dim, value_dim=sizes.value_dim, encoder_tokens=tokens)
    chosen = set(cross)
    made = [(part,) if i in chosen else (sizes.full(),) for i in range(count)]
    return replace(sizes.decoder(made), encoder_tokens=tokens)


def _image_tokens(view: ConfigView) -> int:
    vision = view.section("vision_config")
    if vision is None:
        view.missing("vision_config")
        return 0
    side = vision.integer_or("image_size", fallback=448, how="448, the class default", maximum=2**16)
    patch = vision.integer_or("patch_size", fallback=14, how="14, the class default", maximum=2**16)
    tiles = vision.integer_or("max_num_tiles", fallback=4, how="4, the class default", maximum=2**10)
    return vision.derive(
        "tokens_per_image", ((side // patch) ** 2 + 1) * tiles, "((image_size / patch_size)^2 + 1) x tiles"
    )


def _decoder(sizes: Heads, own: Sequence[Layer], tokens: int) -> Decoder:
    cross = Cross(kv_heads=sizes.kv_heads, key_dim=sizes.key_dim, value_dim=sizes.value_dim, encoder_tokens=tokens)
    return replace(sizes.decoder([(*layer, cross) for layer in own]), encoder_tokens=tokens)
