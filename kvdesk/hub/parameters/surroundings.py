"""What multimodal models have around their language model: the encoder that the config names, and a projector.

Source: transformers 5.24, the modeling file of each model type.
"""

from collections.abc import Callable, Mapping

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.decoder import own_type
from kvdesk.hub.parameters.encoders import audio, clip, others, qwen
from kvdesk.hub.parameters.encoders.clip import pair
from kvdesk.hub.parameters.encoders.transformer import linear
from kvdesk.hub.parameters.tally import Tally

Tower = Callable[[ConfigView, Tally], None]

TOWERS: Mapping[str, Tower] = {
    "clip_vision_model": clip.clip,
    "siglip_vision_model": clip.siglip,
    **dict.fromkeys(("idefics2_vision", "idefics3_vision", "smolvlm_vision", "paddleocr_vl_vision"), clip.trunk),
    "siglip2_vision_model": clip.siglip2,
    "pixtral": clip.pixtral,
    "internvl_vision": clip.internvl,
    "minimax_m3_vl_vision": clip.minimax,
    "qwen2_vl_vision": qwen.qwen2,
    **dict.fromkeys(("qwen2_5_vl_vision", "exaone4_5_vision"), qwen.qwen2_5),
    **dict.fromkeys(("qwen3_vl_vision", "qwen3_vl_moe_vision", "qwen3_5_vision", "qwen3_5_moe_vision"), qwen.qwen3),
    **dict.fromkeys(("glm4v_vision", "glm4v_moe_vision"), qwen.glm4v),
    "mllama_vision_model": others.mllama,
    "llama4_vision_model": others.llama4,
    "gemma4_vision": others.gemma4,
    "kimi_k25_vision": others.kimi,
    "minicpmv4_6_vision": others.minicpm,
    **dict.fromkeys(("qwen2_audio_encoder", "voxtral_encoder"), audio.whisper),
}
"""Model type of an encoder's object -> what counts it."""


def tower(view: ConfigView, tally: Tally, key: str = "vision_config", part: str = "vision") -> ConfigView | None:
    """Add the encoder at `key` as one part, and return its object; an encoder that is not known is a fault."""
    inner = view.section(key)
    if inner is None:
        view.missing(key)
        return None
    kind = _kind(view, inner, key)
    count = TOWERS.get(kind)
    if count is None:
        view.wrong(key, f"The encoder “{kind[:60]}” at “{view.prefix}{key}” is not known.")
        return None
    apart = Tally()
    count(inner, apart)
    tally.into(part, apart)
    return inner


def _kind(view: ConfigView, inner: ConfigView, key: str) -> str:
    """The encoder's type: the file's own where the class lets the file choose, else the class's."""
    spec = view.defaults.sections.get(key) if view.defaults else None
    given = inner.raw("model_type")
    chosen = spec is None or bool(spec.get("auto"))
    return given if chosen and isinstance(given, str) else own_type(inner)


def tower_alone(view: ConfigView, tally: Tally, _text: ConfigView) -> None:
    """Qwen-VL, GLM-4V, EXAONE 4.5: the tower ends in the language model's width by itself."""
    tower(view, tally)


def two_layers(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """LLaVA: two projections from the tower's width, of several layers where `vision_feature_layer` lists them."""
    inner = tower(view, tally)
    if inner is None:
        return
    apart, wide = Tally(), sizes.hidden(inner) * _feature_layers(view)
    bias = view.flag("multimodal_projector_bias", fallback=True)
    linear(apart, "projector", wide, sizes.hidden(text), bias=bias)
    linear(apart, "projector", sizes.hidden(text), sizes.hidden(text), bias=bias)
    if own_type(view) in ("llava_next", "llava_next_video", "llava_onevision"):
        apart.vector(sizes.hidden(text))
    tally.into("projector", apart)


def _feature_layers(view: ConfigView, *, key: str = "vision_feature_layer") -> int:
    found = view.find(key)
    return max(1, len(found.value)) if found is not None and isinstance(found.value, list) else 1


def vipllava(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """ViP-LLaVA: a norm over the joined outputs of several layers, two projections."""
    inner = tower(view, tally)
    if inner is not None:
        normed_layers(tally, sizes.hidden(inner) * _feature_layers(view, key="vision_feature_layers"), text)


def normed_layers(tally: Tally, wide: int, text: ConfigView) -> None:
    """A norm and two projections."""
    apart, out = Tally(), sizes.hidden(text)
    apart.norm(wide, bias=True)
    linear(apart, "projector", wide, out)
    linear(apart, "projector", out, out)
    tally.into("projector", apart)


def video_llava(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Video-LLaVA: the same tower twice, for images and for videos."""
    tower(view, tally)
    two_layers(view, tally, text)


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
    linear(apart, "projector", wide * _feature_layers(view), out, bias=bias, split=False)
    linear(apart, "projector", out, out, bias=bias, split=False)
    tally.into("projector", apart)


def gemma3(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Gemma 3: a norm and one projection."""
    inner = tower(view, tally)
    if inner is not None:
        linear(tally, "projector", sizes.hidden(inner), sizes.hidden(text), bias=False, split=False)
        tally.add("projector", sizes.hidden(inner), split=False)


def gemma4(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Gemma 4: one projection from each encoder that the file has; its audio encoder is not known yet."""
    if view.gives("audio_config"):
        view.wrong("audio_config", f"The encoder at “{view.prefix}audio_config” is not known.")
    if view.gives("vision_config"):
        inner = tower(view, tally)
        if inner is not None:
            linear(tally, "projector", sizes.hidden(inner), sizes.hidden(text), bias=False, split=False)


def llama4(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Llama 4: one projection."""
    inner = tower(view, tally)
    if inner is not None:
        linear(tally, "projector", sizes.size(inner, "vision_output_dim"), sizes.hidden(text), bias=False)


def kimi(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Kimi K2.5: a norm and two projections from merged patches."""
    inner = tower(view, tally)
    if inner is None:
        return
    apart, wide = Tally(), sizes.hidden(inner)
    down, across = pair(inner, "merge_kernel_size")
    apart.norm(wide, bias=True)
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


def one_layer(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """PaliGemma: one projection with a bias."""
    inner = tower(view, tally)
    if inner is not None:
        linear_part(tally, sizes.hidden(inner), sizes.hidden(text))


def linear_part(tally: Tally, wide: int, out: int) -> None:
    """One projection with a bias, all of it part of the projector."""
    tally.add("projector", wide * out + out, split=False)


def mllama(view: ConfigView, tally: Tally, _text: ConfigView) -> None:
    """Llama 3.2 Vision: one projection from the joined outputs of several layers."""
    text, inner = view.section("text_config"), tower(view, tally)
    if text is not None and inner is not None:
        linear_part(tally, sizes.size(inner, "vision_output_dim", fallback=7680), sizes.hidden(text))


def idefics3(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Idefics 3 and SmolVLM: one projection of joined patches."""
    inner = tower(view, tally)
    if inner is not None:
        factor = sizes.size(view, "scale_factor", fallback=2)
        linear(tally, "projector", sizes.hidden(inner) * factor * factor, sizes.hidden(text), bias=False, split=False)


def internvl(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """InternVL: a norm over joined patches and two projections."""
    inner = tower(view, tally)
    if inner is None:
        return
    found = view.find("downsample_ratio")
    ratio = found.value if found is not None and isinstance(found.value, (int, float)) else 0.5
    side = round(1 / ratio) if 0 < ratio <= 1 else 1
    apart, wide, out = Tally(), sizes.hidden(inner) * side * side, sizes.hidden(text)
    apart.norm(wide, bias=True)
    linear(apart, "projector", wide, out)
    linear(apart, "projector", out, out)
    tally.into("projector", apart)


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


def cohere2(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Command A Vision: a gated projection of joined patches."""
    inner = tower(view, tally)
    if inner is None:
        return
    factor, width = sizes.size(view, "downsample_factor", fallback=2), sizes.size(view, "alignment_intermediate_size")
    linear_part(tally, sizes.hidden(inner) * factor * factor, width)
    linear_part(tally, width // 2, sizes.hidden(text))


def qwen2_audio(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Qwen2-Audio: Whisper's encoder and one projection."""
    inner = tower(view, tally, "audio_config", "audio")
    if inner is not None:
        linear_part(tally, sizes.hidden(inner), sizes.hidden(text))


def voxtral(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Voxtral: Whisper's encoder and two projections of four joined frames."""
    inner = tower(view, tally, "audio_config", "audio")
    if inner is not None:
        linear(tally, "projector", sizes.size(inner, "intermediate_size"), sizes.hidden(text), bias=False)
        linear(tally, "projector", sizes.hidden(text), sizes.hidden(text), bias=False)
