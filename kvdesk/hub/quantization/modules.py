"""Which parts of a model a module name, glob or pattern from a quantisation config speaks of.

Patterns come from strangers, so they are never run as regular expressions: their words decide.
"""

import re

from kvdesk.core.values import dataclass

LAYER = r"(?:layers|h|blocks?)\.(\d{1,5})(?!\d)"
ENCODER = r"visual|vision|image|multi_modal|mm_projector|embed_vision|audio|vpm|resampler|merger"
DRAFT = r"(?:^|\W|_)(?:mtp|nextn|eagle)"
SMALL = r"norm|conv1d|in_proj_(?:a|b|ba)\b|expert_gate|correction|latent_proj|(?:^|[._])(?:router|gate)(?:$|[.*$])"
HEAD = r"lm_head|output_layer|embed_out|ff_out"
EMBEDDING = r"embed_tokens|(?:^|\.)(?:wte|embeddings?|word_embeddings)"
PROJECTIONS = r"(?:^|[._(|])(?:q|k|v|o|qkv|c_attn)_proj|kv_[ab]_proj|q_[ab]_proj|wq|wk|wo_"
MLP = r"mlp|ffn|feed_forward|(?:gate|up|down)_proj|fc[12]|dense_"
NAMED_MLP = r"mixer|mlp|ffn|feed_forward"
WHOLE_MLP = r"(?:mlp|ffn|feed_forward)(?:[.*$]*$|\.\*)"
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
    found = re.search(LAYER, text)
    layer = int(found.group(1)) if found else None
    tail = text[found.end() :].lstrip(".*") if found else text
    if found and not tail.strip("$.*"):
        return Selection(layer, EVERYTHING)
    return Selection(layer, _parts(tail, whole=text))


def _parts(tail: str, *, whole: str) -> frozenset[str]:
    if re.search(ENCODER, whole):
        return frozenset({"vision", "audio", "projector"})
    if re.search(DRAFT, whole):
        return frozenset({"draft"})
    if re.search(HEAD, tail):
        return frozenset({"lm_head"})
    if re.search(SMALL, tail):
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
    if "attn" in tail or "attention" in tail or re.search(PROJECTIONS, tail):
        return frozenset({"attention"} if re.search(PROJECTIONS, tail) else {"attention", "indexer"})
    if "in_proj" in tail or "out_proj" in tail:
        return frozenset({"mamba", "linear_attention", "conv"})
    if re.search(WHOLE_MLP, tail) or (re.search(MLP, tail) and not re.search(NAMED_MLP, tail)):
        return frozenset({"mlp", "experts", "shared_experts"})
    if re.search(MLP, tail):
        return frozenset({"mlp"})
    return frozenset({"embedding"} if re.search(EMBEDDING, tail) else ())
