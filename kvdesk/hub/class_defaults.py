"""What a config.json leaves out: the defaults of transformers' own config classes, from a shipped table.

`resources/class_defaults.json` holds one model type per line, so that only the one line that is asked for is decoded.
`packaging/class_defaults.py` writes it.
"""

import json
from collections.abc import Mapping
from functools import cache

from kvdesk import resources
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass, field

TABLE = "class_defaults.json"

SAME_CLASS: Mapping[str, str] = {
    "exaone4_5_text": "exaone4",
    "kimi_k2": "deepseek_v3",
    "qwen3_asr_text": "qwen3",
}
"""Model types of checkpoints' own code whose class has the defaults of one that transformers has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassDefaults:
    """One config class: `values` by key, `aliases` from the standard key to the class's own, `sections` nested classes.

    A section says `type` (the nested model type), `auto` (whether the file's own `model_type` chooses another class)
    and `values` (what differs from that class where the whole section is absent). `decoder` is True where transformers
    can generate text with it; `mentions` are the cache-relevant keys that its modeling code reads.
    """

    model_type: str
    version: str
    values: Mapping[str, JsonValue] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    decoder: bool = False
    mentions: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """For source chips: `"gemma3_text, transformers 5.24.0"`."""
        return f"{self.model_type}, transformers {self.version}"


@cache
def find(model_type: str) -> ClassDefaults | None:
    """The defaults of `model_type`, or None where transformers has no such class."""
    text = _table()
    model_type = SAME_CLASS.get(model_type, model_type)
    start = text.find(f"\n{json.dumps(model_type)}: ")
    if start < 0 or not model_type:
        return None
    line = text[start + 1 : text.index("\n", start + 1)].rstrip(",")
    entry = json.loads("{" + line + "}")[model_type]
    return ClassDefaults(
        model_type=model_type,
        version=_version(text),
        values=entry.get("values", {}),
        aliases=entry.get("aliases", {}),
        sections=entry.get("sections", {}),
        decoder=entry.get("decoder", False),
        mentions=frozenset(entry.get("mentions", ())),
    )


@cache
def _table() -> str:
    return resources.read_text(TABLE)


def _version(text: str) -> str:
    """The transformers version, from the table's first entry."""
    head = text[2 : text.index("\n", 2)].rstrip(",")
    return str(json.loads("{" + head + "}")[""]["transformers"])
