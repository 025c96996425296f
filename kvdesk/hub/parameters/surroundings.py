"""What multimodal models have around their language model: the encoder that the config names, and a projector.

Source: transformers 5.24, the modeling file of each model type.
"""

from collections.abc import Callable, Mapping

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.decoder import own_type
from kvdesk.hub.parameters.encoders import audio, clip, others, qwen
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
    "inkling2_vision": others.inkling2,
    "glm_ocr_vision": qwen.glm_ocr,
    "ernie4_5_vl_moe_vision": qwen.ernie,
    "mllama_vision_model": others.mllama,
    "llama4_vision_model": others.llama4,
    "gemma4_vision": others.gemma4,
    "kimi_k25_vision": others.kimi,
    "minicpmv4_6_vision": others.minicpm,
    **dict.fromkeys(("qwen2_audio_encoder", "voxtral_encoder"), audio.whisper),
    **dict.fromkeys(("qwen3_asr_encoder", "qwen3_asr_audio_encoder"), audio.qwen3_asr),
    "gemma3n_audio": audio.gemma3n,
    "gemma4_audio": audio.gemma4,
}
"""Model type of an encoder's object -> what counts it."""


MOBILENET_V5_300M = 294_126_912
"""Parameters of timm's `mobilenetv5_300m_enc`: the tensors of google/gemma-3n-E2B-it (5,439,438,272) and E4B-it
(7,849,978,192) less everything else, the keys and values of layers that reuse others' among it; the same for both."""


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
    if not _default_tower(view):
        view.wrong("mm_vision_tower", f"The encoder at “{view.prefix}mm_vision_tower” is not known.")
        return
    inner = tower(view, tally)
    if inner is None:
        return
    apart, wide = Tally(), sizes.hidden(inner) * feature_layers(view)
    bias = view.flag("multimodal_projector_bias", fallback=True)
    linear(apart, "projector", wide, sizes.hidden(text), bias=bias)
    linear(apart, "projector", sizes.hidden(text), sizes.hidden(text), bias=bias)
    if own_type(view) in ("llava_next", "llava_next_video", "llava_onevision"):
        apart.vector(sizes.hidden(text))
    tally.into("projector", apart)


def _default_tower(view: ConfigView) -> bool:
    """Whether a config of LLaVA's own code names the tower and the projector that are the class's default."""
    named, projector = view.raw("mm_vision_tower"), view.raw("mm_projector_type")
    usual = not isinstance(named, str) or named.endswith("clip-vit-large-patch14-336")
    return usual and projector in (None, "mlp2x_gelu")


def feature_layers(view: ConfigView, *, key: str = "vision_feature_layer") -> int:
    """How many layers' outputs the projector takes."""
    found = view.find(key)
    return max(1, len(found.value)) if found is not None and isinstance(found.value, list) else 1


def vipllava(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """ViP-LLaVA: a norm over the joined outputs of several layers, two projections."""
    inner = tower(view, tally)
    if inner is not None:
        normed_layers(tally, sizes.hidden(inner) * feature_layers(view, key="vision_feature_layers"), text)


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


def gemma3(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Gemma 3: a norm and one projection."""
    inner = tower(view, tally)
    if inner is not None:
        linear(tally, "projector", sizes.hidden(inner), sizes.hidden(text), bias=False, split=False)
        tally.add("projector", sizes.hidden(inner), split=False)


def gemma4(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Gemma 4: one projection from each encoder that the file has."""
    if view.gives("vision_config"):
        inner = tower(view, tally)
        if inner is not None:
            linear(tally, "projector", sizes.hidden(inner), sizes.hidden(text), bias=False, split=False)
    if view.gives("audio_config"):
        inner = tower(view, tally, "audio_config", "audio")
        if inner is not None:
            wide = sizes.size(inner, "output_proj_dims")
            linear(tally, "projector", wide, sizes.hidden(text), bias=False, split=False)


def gemma4_unified(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Gemma 4 without encoders: patches of pixels and frames of sound are projected as they are."""
    vision = view.section("vision_config") if view.gives("vision_config") else None
    if vision is not None:
        wide, side = sizes.size(vision, "mm_embed_dim"), sizes.size(vision, "patch_size")
        pixels = 3 * (side * sizes.size(vision, "pooling_kernel_size", fallback=1)) ** 2
        norms = 2 * pixels + 4 * wide
        tally.add("vision", norms + pixels * wide + wide + 2 * sizes.size(vision, "mm_posemb_size") * wide, split=False)
        tally.add("projector", sizes.size(vision, "output_proj_dims", "mm_embed_dim") * sizes.hidden(text), split=False)
    audio = view.section("audio_config") if view.gives("audio_config") else None
    if audio is not None:
        wide = sizes.size(audio, "output_proj_dims", "audio_embed_dim")
        tally.add("projector", wide * sizes.hidden(text), split=False)


def gemma3n(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Gemma 3n: MobileNet-V5 and a conformer, each with an embedding for its own special tokens and a projection."""
    vision = view.section("vision_config")
    if vision is None or vision.text_or_none("architecture") != "mobilenetv5_300m_enc":
        view.wrong("vision_config", f"The encoder at “{view.prefix}vision_config” is not known.")
        return
    tally.add("vision", MOBILENET_V5_300M, split=False)
    for inner in (vision, tower(view, tally, "audio_config", "audio")):
        if inner is not None:
            wide = sizes.hidden(inner)
            own = (sizes.vocabulary(inner) + 2) * wide
            tally.add("projector", own + wide * sizes.hidden(text), split=False)


def llama4(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Llama 4: one projection."""
    inner = tower(view, tally)
    if inner is not None:
        linear(tally, "projector", sizes.size(inner, "vision_output_dim"), sizes.hidden(text), bias=False)


def one_layer(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """PaliGemma: one projection with a bias."""
    inner = tower(view, tally)
    if inner is not None:
        linear_part(tally, sizes.hidden(inner), sizes.size(view, "projection_dim", fallback=sizes.hidden(text)))


def linear_part(tally: Tally, wide: int, out: int) -> None:
    """One projection with a bias, all of it part of the projector."""
    tally.add("projector", wide * out + out, split=False)


def mllama(view: ConfigView, tally: Tally, _text: ConfigView) -> None:
    """Llama 3.2 Vision: one projection from the joined outputs of several layers."""
    text, inner = view.section("text_config"), tower(view, tally)
    if text is not None and inner is not None:
        linear_part(tally, sizes.size(inner, "vision_output_dim", fallback=7680), sizes.hidden(text))


def qwen2_audio(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Qwen2-Audio: Whisper's encoder and one projection."""
    inner = tower(view, tally, "audio_config", "audio")
    if inner is not None:
        linear_part(tally, sizes.hidden(inner), sizes.hidden(text))


def qwen3_asr(view: ConfigView, tally: Tally, _text: ConfigView) -> None:
    """Qwen3-ASR: its encoder and two projections; published files keep both objects in `thinker_config`."""
    outer = view.section("thinker_config") if view.gives("thinker_config") else view
    inner = tower(outer, tally, "audio_config", "audio") if outer is not None else None
    if inner is not None:
        linear_part(tally, sizes.hidden(inner), sizes.hidden(inner))
        linear_part(tally, sizes.hidden(inner), sizes.size(inner, "output_dim"))


def voxtral(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """Voxtral: Whisper's encoder and two projections of four joined frames."""
    inner = tower(view, tally, "audio_config", "audio")
    if inner is not None:
        linear(tally, "projector", sizes.size(inner, "intermediate_size"), sizes.hidden(text), bias=False)
        linear(tally, "projector", sizes.hidden(text), sizes.hidden(text), bias=False)
