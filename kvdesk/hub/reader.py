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
    text = _text(view)
    name = FAMILIES.get(text.model_type)
    if name is None:
        raise RefusalError("unknown-architecture", f"“{text.model_type[:60]}” is not a known architecture.")
    decoder = import_module(f"kvdesk.hub.families.{name}").decoder(text)
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


def _text(view: ConfigView) -> ConfigView:
    return view.section("text_config", "llm_config") or view
