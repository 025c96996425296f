"""Write `resources/class_defaults.json`: the defaults of transformers' config classes that kvdesk's reader needs.

    python packaging/class_defaults.py resources/class_defaults.json

Needs transformers (a development-only dependency, without torch); the table records its version. One model type per
line, so that the reader decodes only the line it looks for.
"""

import ast
import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

import transformers
from huggingface_hub.errors import StrictDataclassError
from transformers.configuration_utils import PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

GENERATES = (
    "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES",
    "MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES",
    "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES",
    "MODEL_FOR_TEXT_TO_WAVEFORM_MAPPING_NAMES",
)
IRRELEVANT = re.compile(
    r"token_id|token_index|dropout|pdrop|initializer|init_|_loss|label|_act$|activation|norm_eps|epsilon|^use_cache$|^dtype$"
    r"|transformers_version|architectures|output_(attentions|hidden_states|router_logits|scores)"
    r"|return_dict|chunk_size_feed_forward|problem_type|rope_(parameters|scaling)"
    r"|image_(mean|std|token)|_mean$|_std$|spec_aug|mask_(time|feature)|ctc|summary_|_plan$|gradient|router_aux|jitter"
)
RELEVANT_FLOAT = re.compile(r"expand|ratio|mult|factor")
INHERITED = {field.name for field in dataclasses.fields(PreTrainedConfig)} - {
    "is_encoder_decoder",
    "tie_word_embeddings",
}


def plain(value: object) -> bool:
    """Whether `value` is small JSON."""
    if isinstance(value, (list, tuple)):
        return len(value) <= 64 and all(item is None or isinstance(item, (bool, int, str)) for item in value)
    return value is None or isinstance(value, (bool, int, str))


def values(config_class: type[PreTrainedConfig]) -> dict[str, object]:
    """The class's own defaults, before anything is derived from them."""
    found: dict[str, object] = {}
    for field in dataclasses.fields(config_class):
        if field.name in INHERITED or IRRELEVANT.search(field.name):
            continue
        value = field.default
        if value is dataclasses.MISSING:
            value = field.default_factory() if field.default_factory is not dataclasses.MISSING else None
        if plain(value) or (isinstance(value, float) and RELEVANT_FLOAT.search(field.name)):
            found[field.name] = list(value) if isinstance(value, tuple) else value
    return found


def sections(config_class: type[PreTrainedConfig]) -> dict[str, object]:
    """Nested configs: their type, whether the file may choose another, and what differs where they are absent."""
    found: dict[str, object] = {}
    for key, spec in getattr(config_class, "sub_configs_defaults", {}).items():
        automatic = not issubclass(spec.config_class, PreTrainedConfig)
        entry: dict[str, object] = {"type": spec.model_type}
        if automatic:
            entry["auto"] = True
        kept = {k: v for k, v in spec.init_kwargs.items() if plain(v) and not IRRELEVANT.search(k)}
        if kept:
            entry["values"] = kept
            if key == "text_config" and fills_up(config_class, key, spec.model_type, kept):
                entry["merge"] = True
        found[key] = entry
    for key, nested in (getattr(config_class, "sub_configs", None) or {}).items():
        if key not in found and issubclass(nested, PreTrainedConfig) and nested.model_type:
            found[key] = {"type": nested.model_type}
    return found


def fills_up(config_class: type[PreTrainedConfig], key: str, model_type: str, kept: dict[str, object]) -> bool:
    """Whether a nested object that is there, but says nothing, gets the class's own values (Voxtral)."""
    try:
        arguments: dict[str, Any] = {key: {"model_type": model_type}}
        nested = getattr(config_class(**arguments), key)
    except StrictDataclassError:  # the class's other parts do not fit the nested class's own defaults
        return False
    return all(getattr(nested, name, None) == value for name, value in kept.items())


def classes() -> dict[str, type[PreTrainedConfig]]:
    """Every config class by model type: the registered ones and the nested ones they name."""
    found = {name: CONFIG_MAPPING[name] for name in CONFIG_MAPPING_NAMES}
    waiting = list(found.values())
    while waiting:
        for nested in (getattr(waiting.pop(), "sub_configs", None) or {}).values():
            if issubclass(nested, PreTrainedConfig) and nested.model_type and nested.model_type not in found:
                found[nested.model_type] = nested
                waiting.append(nested)
    return found


def generating() -> set[str]:
    """Model types that transformers generates text with, from the source of its tables (their import needs torch)."""
    source = Path(transformers.__file__).parent / "models" / "auto" / "modeling_auto.py"
    found: set[str] = set()
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in GENERATES:
            assert isinstance(node.value, ast.Call)
            pairs = node.value.args[0]
            assert isinstance(pairs, ast.List)
            found.update(ast.literal_eval(p)[0] for p in pairs.elts if isinstance(p, ast.Tuple))
    return found


def main(target: Path) -> None:
    """Write the table."""
    decoders = generating()
    lines = [f'"": {{"transformers": "{transformers.__version__}"}}']
    for name, config_class in sorted(classes().items()):
        entry: dict[str, object] = {"values": values(config_class)}
        aliases = {k: v for k, v in config_class.attribute_map.items() if not IRRELEVANT.search(k)}
        if aliases:
            entry["aliases"] = aliases
        if nested := sections(config_class):
            entry["sections"] = nested
        if name in decoders:
            entry["decoder"] = True
        lines.append(f"{json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}")
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
