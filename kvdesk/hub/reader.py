"""A config.json's object -> the geometry of a model, with a source for every value.

Pure: no network, no files but the shipped table of class defaults. Refuses (`RefusalError`) what it does not know.
"""

from collections.abc import Mapping
from importlib import import_module

from kvdesk.core.errors import RefusalError
from kvdesk.core.geometry import Geometry
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.hub.config_view import ConfigView, Reading, open_view
from kvdesk.hub.families.registry import FAMILIES


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
    (`hf_quant_config.json`). `overrides` are values typed by the user, by key path (`text_config.num_key_value_heads`).
    Raises `RefusalError`.
    """
    reading = Reading(where=where, origin=origin)
    view = open_view(config, reading)
    text, name = _text(view)
    module, function = name.split(".")
    decoder = getattr(import_module(f"kvdesk.hub.families.{module}"), function)(text)
    vocab = text.integer_or_none("vocab_size", minimum=0) or 0
    longest = text.find("max_position_embeddings")
    reading.raise_faults()
    return Geometry(
        model_type=view.model_type,
        architecture=(view.texts_or_none("architectures") or ("",))[0],
        layers=decoder.layers,
        draft_layers=decoder.draft_layers,
        query_heads=decoder.query_heads,
        hidden_size=decoder.hidden_size,
        vocab_size=vocab,
        max_context=Sourced(longest.value, longest.source) if longest and isinstance(longest.value, int) else None,
        model_dtype=Sourced("bf16", Source(Origin.DERIVED, "default")),
        facts=reading.facts,
        findings=tuple(reading.findings),
    )


TEXT_SECTIONS = ("text_config", "llm_config", "language_config", "llm_cfg", "thinker_config")
"""Where multimodal models keep their language model's object."""


def _text(view: ConfigView) -> tuple[ConfigView, str]:
    """The language model's object and the family that reads it."""
    for _ in range(4):
        family = _family(view)
        if family:
            return view, family
        inner = view.section(*TEXT_SECTIONS) if any(view.gives(key) for key in TEXT_SECTIONS) else None
        if inner is None:
            inner = _flat(view) or view.section(*TEXT_SECTIONS)
        if inner is None:
            break
        view = inner
    raise RefusalError("unknown-architecture", f"“{view.model_type[:60]}” is not a known architecture.")


def _family(view: ConfigView) -> str | None:
    own = view.defaults.model_type if view.defaults else ""
    return FAMILIES.get(own) or FAMILIES.get(view.model_type)


def _flat(view: ConfigView) -> ConfigView | None:
    """A multimodal config that gives its language model's keys at the top (Qwen2-VL, LLaVA 1.5)."""
    if not view.gives("num_hidden_layers") or view.defaults is None:
        return None
    for key in TEXT_SECTIONS:
        spec = view.defaults.sections.get(key)
        if spec is not None:
            return view.with_defaults_of(str(spec.get("type")))
    return None
