"""Which parts of a model a module name, glob or pattern from a quantisation config speaks of.

Patterns come from strangers, so they are never run as regular expressions: their words decide.
"""

import re

from kvdesk.core.values import dataclass

LAYER = re.compile(r"(?:layers|h|blocks?)\.(\d{1,5})(?!\d)")
ENCODER = re.compile(r"visual|vision|image|multi_modal|mm_projector|embed_vision|audio|vpm|resampler|merger")
DRAFT = re.compile(r"(?:^|\W|_)(?:mtp|nextn|eagle)")
SMALL = re.compile(
    r"norm|conv1d|in_proj_(?:a|b|ba)\b|expert_gate|correction|latent_proj|(?:^|[._])(?:router|gate)(?:$|[.*$])"
)
HEAD = re.compile(r"lm_head|output_layer|embed_out|ff_out")
EMBEDDING = re.compile(r"embed_tokens|(?:^|\.)(?:wte|embeddings?|word_embeddings)")
PROJECTIONS = re.compile(r"(?:^|[._(|])(?:q|k|v|o|qkv|c_attn)_proj|kv_[ab]_proj|q_[ab]_proj|wq|wk|wo_")
MLP = re.compile(r"mlp|ffn|feed_forward|(?:gate|up|down)_proj|fc[12]|dense_")
NAMED_MLP = re.compile(r"mixer|mlp|ffn|feed_forward")
WHOLE_MLP = re.compile(r"(?:mlp|ffn|feed_forward)(?:[.*$]*$|\.\*)")
"""An MLP as a whole, or anything inside it: its experts too."""
EVERYTHING = frozenset(
    "attention linear_attention mamba conv mlp experts shared_experts indexer".split()  # noqa: SIM905 (a list of words)
)


@dataclass(frozen=True, slots=True)
class Selection:
    """Parts of one layer, or of all layers where `layer` is None."""

    layer: int | None
    parts: frozenset[str]


def select(name: str) -> Selection:
    """What `name` speaks of; no parts where that changes nothing worth counting."""
    text = name.removeprefix("re:").replace("\\", "")
    found = LAYER.search(text)
    layer = int(found.group(1)) if found else None
    tail = text[found.end() :].lstrip(".*") if found else text
    if found and not tail.strip("$.*"):
        return Selection(layer, EVERYTHING)
    return Selection(layer, _parts(tail, whole=text))


def _parts(tail: str, *, whole: str) -> frozenset[str]:
    if ENCODER.search(whole):
        return frozenset({"vision", "audio", "projector"})
    if DRAFT.search(whole):
        return frozenset({"draft"})
    if HEAD.search(tail):
        return frozenset({"lm_head"})
    if SMALL.search(tail):
        return frozenset()
    if "shared_expert" in tail:
        return frozenset({"shared_experts"})
    if "experts" in tail:
        return frozenset({"experts"})
    return _mixer_or_mlp(tail)


def _mixer_or_mlp(tail: str) -> frozenset[str]:
    if "indexer" in tail:
        return frozenset({"indexer"})
    if "linear_attn" in tail:
        return frozenset({"linear_attention"})
    if "attn" in tail or "attention" in tail or PROJECTIONS.search(tail):
        return frozenset({"attention"} if PROJECTIONS.search(tail) else {"attention", "indexer"})
    if "in_proj" in tail or "out_proj" in tail:
        return frozenset({"mamba", "linear_attention", "conv"})
    if WHOLE_MLP.search(tail) or (MLP.search(tail) and not NAMED_MLP.search(tail)):
        return frozenset({"mlp", "experts", "shared_experts"})
    if MLP.search(tail):
        return frozenset({"mlp"})
    return frozenset({"embedding"} if EMBEDDING.search(tail) else ())
