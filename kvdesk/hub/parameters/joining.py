"""Projectors that join neighbouring patches into one token before they project them.

Source: transformers 5.24, the modeling file of each model type, where no other is named.
"""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.encoders import clip
from kvdesk.hub.parameters.encoders.clip import pair
from kvdesk.hub.parameters.encoders.transformer import linear
from kvdesk.hub.parameters.surroundings import feature_layers, linear_part, normed_layers, tower
from kvdesk.hub.parameters.tally import Tally


def mistral3(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Mistral 3: a norm, a merger of patches, two projections."""
    inner = tower(view, tally)
    if inner is None:
        return
    apart, wide, out = Tally(), sizes.hidden(inner), sizes.hidden(text)
    side = sizes.size(view, "spatial_merge_size", fallback=2)
    bias = view.flag("multimodal_projector_bias")
    apart.norm(wide)
    linear(apart, "projector", wide * side * side, wide, bias=False, split=False)
    linear(apart, "projector", wide * feature_layers(view), out, bias=bias, split=False)
    linear(apart, "projector", out, out, bias=bias, split=False)
    tally.into("projector", apart)


def phi3_vision(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Phi-3-vision and 3.5: CLIP, two projections of joined patches, two learnable separators.

    Source: the checkpoints' own `image_embedding_phi3_v.py`.
    """
    inner, embedding = view.section("img_processor"), view.section("embd_layer")
    named = inner.raw("model_name") if inner is not None else None
    known = embedding is not None and embedding.raw("projection_cls") == "mlp" and embedding.flag("use_hd_transform")
    if not isinstance(named, str) or not named.endswith("clip-vit-large-patch14-336") or not known:
        view.wrong("img_processor", f"The encoder at “{view.prefix}img_processor” is not known.")
        return
    apart, joined, out = Tally(), 4 * 1024, sizes.hidden(text)
    clip.large_336(apart)
    tally.into("vision", apart)
    tally.add("projector", joined * out + out + out * out + out + 2 * joined, split=False)


def kimi(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Kimi K2.5: a norm and two projections from merged patches."""
    inner = tower(view, tally)
    if inner is None:
        return
    apart, wide = Tally(), sizes.hidden(inner)
    down, across = pair(inner, "merge_kernel_size")
    apart.norm(sizes.size(view, "projection_hidden_size", fallback=wide), bias=True)
    linear(apart, "projector", wide * down * across, wide * down * across, split=False)
    linear(apart, "projector", wide * down * across, sizes.hidden(text), split=False)
    tally.into("projector", apart)


def minimax_m3(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """MiniMax-M3: two projections for each patch, two more for each group of them."""
    inner = tower(view, tally)
    if inner is None:
        return
    apart, out, between = Tally(), sizes.hidden(text), sizes.size(view, "projector_hidden_size")
    side = sizes.size(inner, "spatial_merge_size", fallback=2)
    for wide in (sizes.hidden(inner), out * side * side):
        linear(apart, "projector", wide, between)
        linear(apart, "projector", between, out)
    tally.into("projector", apart)


def minicpm(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """MiniCPM-V 4.6: mergers of patches, the last into the language model's width."""
    inner = tower(view, tally)
    if inner is None:
        return
    apart, wide = Tally(), sizes.hidden(inner)
    down, across = pair(view, "merge_kernel_size")
    times = view.integer("merger_times", maximum=sizes.MAX_COUNT)
    joined = wide * down * across
    apart.norm(joined, times=times, bias=True)
    apart.linear("projector", joined, joined, bias=True, times=times, split=False)
    apart.linear("projector", joined, wide, bias=True, times=times - 1, split=False)
    linear(apart, "projector", joined, sizes.hidden(text), split=False)
    tally.into("projector", apart)


def minicpm_v2(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """MiniCPM-V 2.6: SigLIP and a resampler with `query_num` latents.

    Source: the checkpoint's own `modeling_minicpmv.py` and `resampler.py`.
    """
    inner = view.section("vision_config")
    if inner is None or not view.gives("query_num"):
        view.missing("vision_config")
        return
    apart, out = Tally(), sizes.hidden(text)
    clip.trunk(inner, apart)
    tally.into("vision", apart)
    queries = sizes.size(view, "query_num")
    tally.add("projector", queries * out + sizes.hidden(inner) * out + 4 * out * (out + 1), split=False)
    tally.add("projector", out * out + 3 * 2 * out, split=False)


def idefics2(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Idefics 2: a gated projection, then a resampler with latents of its own."""
    inner, sampler = tower(view, tally), view.section("perceiver_config")
    if inner is None or sampler is None:
        return
    apart, out, wide = Tally(), sizes.hidden(text), sizes.hidden(inner)
    width = sizes.size(text, "intermediate_size")
    linear(apart, "projector", wide, 2 * width, bias=False)
    linear(apart, "projector", width, out, bias=False)
    own = view.integer_or_none("hidden_size", maximum=sizes.MAX_SIZE) or out
    depth = sizes.size(sampler, "resampler_depth", fallback=3)
    apart.add("projector", sizes.size(sampler, "resampler_n_latents", fallback=64) * own)
    dim = sizes.size(sampler, "resampler_head_dim", fallback=96)
    query, kv = sizes.size(sampler, "resampler_n_heads", fallback=16), sizes.size(sampler, "num_key_value_heads")
    apart.add("projector", depth * own * dim * 2 * (query + kv))
    apart.add("projector", depth * 3 * own * 4 * own)
    apart.norm(own, times=3 * depth + 1)
    tally.into("projector", apart)


def idefics3(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Idefics 3 and SmolVLM: one projection of joined patches."""
    inner = tower(view, tally)
    if inner is not None:
        factor = sizes.size(view, "scale_factor", fallback=2)
        linear(tally, "projector", sizes.hidden(inner) * factor * factor, sizes.hidden(text), bias=False, split=False)


def internvl(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """InternVL: a norm over joined patches and two projections."""
    inner = tower(view, tally)
    if inner is not None:
        normed_layers(tally, sizes.hidden(inner) * _joined(view), text)


def internvl_chat(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """InternVL 1.5 to 3 by their own code: InternViT without a last norm, the projector `mlp1`.

    Source: the checkpoints' own `modeling_intern_vit.py` and `modeling_internvl_chat.py`.
    """
    inner = view.section("vision_config")
    if inner is None or not inner.gives("hidden_size", "num_hidden_layers", "intermediate_size"):
        view.missing("vision_config")
        return
    apart = Tally()
    clip.intern_vit(inner, apart)
    tally.into("vision", apart)
    normed_layers(tally, sizes.hidden(inner) * _joined(view), text)


def cohere2(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Command A Vision: a gated projection of joined patches."""
    inner = tower(view, tally)
    if inner is None:
        return
    factor, width = sizes.size(view, "downsample_factor", fallback=2), sizes.size(view, "alignment_intermediate_size")
    linear_part(tally, sizes.hidden(inner) * factor * factor, width)
    linear_part(tally, width // 2, sizes.hidden(text))


def aya(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Aya Vision: a norm over joined patches and a gated projection."""
    inner = tower(view, tally)
    if inner is None:
        return
    factor = sizes.size(view, "downsample_factor", fallback=2)
    wide = sizes.hidden(inner) * factor * factor
    width = view.integer_or_none("alignment_intermediate_size", maximum=sizes.MAX_SIZE) or sizes.hidden(text)
    tally.add("projector", 2 * wide, split=False)
    linear_part(tally, wide, width)
    linear_part(tally, width // 2, sizes.hidden(text))


def paddle(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """PaddleOCR-VL: a norm and two projections of merged patches."""
    inner = tower(view, tally)
    if inner is None:
        return
    side = sizes.size(inner, "spatial_merge_size", fallback=2)
    wide = sizes.hidden(inner) * side * side
    tally.add("projector", 2 * sizes.hidden(inner), split=False)
    linear_part(tally, wide, wide)
    linear_part(tally, wide, sizes.hidden(text))


def lfm2(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """LFM2-VL: a norm over joined patches (where `projector_use_layernorm` says so) and two projections."""
    inner = tower(view, tally)
    if inner is None:
        return
    factor, width = sizes.size(view, "downsample_factor", fallback=2), sizes.size(view, "projector_hidden_size")
    apart, wide, bias = Tally(), sizes.hidden(inner) * factor * factor, view.flag("projector_bias", fallback=True)
    if view.flag("projector_use_layernorm", fallback=True):
        apart.norm(wide, bias=True)
    linear(apart, "projector", wide, width, bias=bias)
    linear(apart, "projector", width, sizes.hidden(text), bias=bias)
    tally.into("projector", apart)


def _joined(view: ConfigView) -> int:
    """Patches that one token joins."""
    found = view.find("downsample_ratio")
    ratio = found.value if found is not None and isinstance(found.value, (int, float)) else 0.5
    side = round(1 / ratio) if 0.01 < ratio <= 1 else 1
    return side * side
