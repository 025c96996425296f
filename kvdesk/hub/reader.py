"""A config.json's object -> the geometry of a model, with a source for every value.

Pure: no network, no files but the shipped table of class defaults. Refuses (`RefusalError`) what it does not know.
"""

from collections.abc import Callable, Mapping
from importlib import import_module

from kvdesk.core.errors import RefusalError
from kvdesk.core.findings import Finding, info, warning
from kvdesk.core.geometry import Geometry, shared
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin
from kvdesk.core.values import replace
from kvdesk.hub import checkpoint_facts, refused
from kvdesk.hub.config_file import ConfigObject
from kvdesk.hub.config_view import BY_HAND, ConfigView, Reading, open_view
from kvdesk.hub.families.common import Decoder, unknown_kind
from kvdesk.hub.families.registry import ARCHITECTURES, FAMILIES
from kvdesk.hub.leftover_keys import unused, unused_beside
from kvdesk.hub.overrides import lay_over

TEXT_SECTIONS = ("text_config", "llm_config", "language_config", "llm_cfg", "thinker_config", "language_model_config")
"""Where multimodal models keep their language model's object."""
OTHER_SECTIONS = (
    "vision_config",
    "audio_config",
    "vision_tower_cfg",
    "visual",
    "vit_config",
    "img_processor",
    "mm_vision_tower",
    "vit_hidden_size",
    "vision_backbone",
)
WIDTHS = ("intermediate_size", "ffn_hidden_size", "moe_intermediate_size", "num_experts_per_tok", "moe_topk")
VISION_WIDTHS = ("num_hidden_layers", "hidden_size", "vt_num_hidden_layers", "vt_hidden_size")
WIDEST = 1 << 24
MAX_NESTING = 4
PER_LAYER = "per_layer_config"
UNKNOWN = "unknown.decoder"
WHOLE = "encoder_decoder."
"""Families that read more than one object of the config."""
SCORES = ("RewardModel", "ForSequenceClassification", "ForTokenClassification")
"""How architectures of reward models and classifiers end."""


def read(
    config: Mapping[str, JsonValue],
    *,
    where: str = "config.json",
    origin: Origin = Origin.CONFIG,
    side_files: Mapping[str, bytes] | None = None,
    overrides: Mapping[str, JsonValue] | None = None,
) -> Geometry:
    """The geometry that `config` describes.

    `where` names the file and its revision in sources. `side_files` are other files of the repository by name
    (`hf_quant_config.json`). `overrides` are values typed by the user, by key path (`text_config.num_key_value_heads`);
    with `model_type` "manual" the plain keys alone describe a uniform decoder. Raises `RefusalError`.
    """
    values, before = lay_over(config, overrides or {})
    reading = Reading(where=where, origin=origin, overridden=before)
    if isinstance(config, ConfigObject):
        reading.findings.extend(config.findings)
    refused.check(values)
    root = open_view(values, reading)
    text, family = language_model(root)
    dtype = checkpoint_facts.model_dtype(text, root)
    reading.model_dtype = dtype.value
    decoder = _family(family)(text)
    if text.raw(PER_LAYER) and text.prefix + PER_LAYER not in reading.used:
        raise unknown_kind(text, PER_LAYER, "sizes of single layers")
    _note(text, WIDTHS)
    if isinstance(root.raw("vision_config"), dict) and (vision := root.section("vision_config")) is not None:
        _note(vision, VISION_WIDTHS)
    spoken = _spoken(text)
    geometry = Geometry(
        model_type=root.model_type,
        architecture=_architecture(root)[:120],
        layers=shared(decoder.layers),
        draft_layers=shared(decoder.draft_layers),
        query_heads=decoder.query_heads,
        hidden_size=decoder.hidden_size,
        vocab_size=spoken.integer_or_none("vocab_size", "padded_vocab_size", minimum=0) or 0,
        max_context=checkpoint_facts.max_context(spoken),
        encoder_tokens=decoder.encoder_tokens,
        model_dtype=dtype,
        checkpoint_kv_dtype=checkpoint_facts.cache_format(root, side_files or {}),
        quantization=checkpoint_facts.quantization(root, side_files or {}),
        multimodal=any(root.gives(key) for key in OTHER_SECTIONS),
        experts=checkpoint_facts.experts(spoken),
        facts=reading.facts,
    )
    reading.raise_faults()
    for finding in _closing(root, text, decoder):
        root.add(finding)
    return replace(geometry, findings=tuple(reading.findings))


def _note(view: ConfigView, keys: tuple[str, ...]) -> None:
    """Widths that the cache does not depend on but activations do, where the file gives them as plain numbers."""
    for key in keys:
        value = view.raw(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < WIDEST:
            view.integer_or_none(key)


def language_model(root: ConfigView) -> tuple[ConfigView, str]:
    """The object of the language model inside a config, and the family that reads it.

    Raises `RefusalError` (`unknown-architecture`, `encoder-only`, `no-decoder`) where there is none.
    """
    view = root
    for _ in range(MAX_NESTING):
        family = _known(view)
        if family is not None and (family.startswith(WHOLE) or not _nests(view)):
            return view, family
        inner = _inner(view)
        if inner is None:
            return view, _fallback(view, generates=root.defaults is not None and root.defaults.decoder)
        view = inner
    raise RefusalError("no-decoder", "No language model was found in the config.", "It nests too deeply.", BY_HAND)


def _nests(view: ConfigView) -> bool:
    """Whether the file keeps the language model in an object of its own, like Kimi-K3, whose root looks like one."""
    return any(isinstance(value := view.raw(key), dict) and value for key in TEXT_SECTIONS)


def _spoken(text: ConfigView) -> ConfigView:
    """The object with the decoder's vocabulary and context, where a family reads more than one (T5Gemma, Mllama)."""
    for key in ("text_config", "decoder"):
        if isinstance(text.raw(key), dict):
            return text.section(key) or text
    return text


def _family(name: str) -> Callable[[ConfigView], Decoder]:
    module, function = name.split(".")
    found: Callable[[ConfigView], Decoder] = getattr(import_module(f"kvdesk.hub.families.{module}"), function)
    return found


def _known(view: ConfigView) -> str | None:
    own = view.defaults.model_type if view.defaults else ""
    return FAMILIES.get(own) or FAMILIES.get(view.model_type)


def _inner(view: ConfigView) -> ConfigView | None:
    """The nested language model: where the file has one, else the top itself (Qwen2-VL), else the class's default."""
    if any(view.gives(key) for key in TEXT_SECTIONS):
        return view.section(*TEXT_SECTIONS)
    if view.defaults is None:
        return None
    for key in TEXT_SECTIONS:
        spec = view.defaults.sections.get(key)
        if spec is None:
            continue
        if not view.gives("num_hidden_layers"):
            return view.section(key)
        named = ARCHITECTURES.get(_architecture(view)) or str(spec.get("type"))
        return view.with_defaults_of(named)
    return None


def _fallback(view: ConfigView, *, generates: bool) -> str:
    """The family by architecture for a model type that is not known, or the plain guess; refuses what is no decoder."""
    if view.model_type in refused.ENCODERS:
        raise refused.encoder(view.model_type)
    named = ARCHITECTURES.get(_architecture(view))
    if named is not None:
        text = f"{view.label[:1].upper()}{view.label[1:]} is read as “{named}”, by its architecture."
        view.add(info("by-architecture", text))
        return FAMILIES[named]
    if view.defaults is not None:
        decoder = view.defaults.decoder or generates
        name = f"{view.label[:1].upper()}{view.label[1:]}"
        if not decoder:
            title, why = f"{name} is not a text generator.", "It keeps no KV cache from token to token."
            raise RefusalError("no-decoder", title, why, "Choose a model that generates text.")
        why = "transformers has such a model, but no rule says what its layers keep."
        raise RefusalError("unknown-architecture", f"{name} is not known to kvdesk.", why, BY_HAND)
    return UNKNOWN


def _architecture(view: ConfigView) -> str:
    names = view.raw("architectures")
    return names[0] if isinstance(names, list) and names and isinstance(names[0], str) else ""


def _closing(root: ConfigView, text: ConfigView, decoder: Decoder) -> list[Finding]:
    """What is to be said once everything was read."""
    found: list[Finding] = []
    strange = [*unused(text), *(() if text is root else unused_beside(root))]
    if strange:
        names = ", ".join(f"“{path[:60]}”" for path in strange[:6])
        text_ = (
            f"The config holds keys that look as if they changed the cache but do not for this architecture: {names}."
        )
        found.append(warning("unused-key", text_, "Check them against the engine you use."))
    if decoder.draft_layers:
        count = len(decoder.draft_layers)
        told = "1 draft layer is counted" if count == 1 else f"{count:,} draft layers are counted"
        found.append(info("draft-layers", f"{told} only under speculative decoding."))
    name = _architecture(root)
    bare = name.endswith("Model") and not any(part in name for part in ("LM", "Chat", "MT"))
    if name.endswith(SCORES) or bare:
        text_ = f"“{name[:60]}” has no language-model head: it scores or embeds whole texts."
        found.append(info("no-text-head", text_))
    return found
