"""Embeddings, and what sits on top of the decoder."""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.tally import Tally

HEADED_MODELS = ("LMHeadModel", "MTModel", "ChatModel")
"""Architectures that are called models and have a head all the same (GPT-2, Qwen 1, Marian, InternVL)."""


def architecture(view: ConfigView) -> str:
    """The first architecture the config names, or nothing."""
    names = view.texts_or_none("architectures") or ()
    return names[0] if names else ""


def headless(view: ConfigView) -> bool:
    """Whether the architecture is a bare model without a head."""
    name = architecture(view)
    return name.endswith("Model") and not name.endswith(HEADED_MODELS)


def labels(view: ConfigView) -> int:
    """Classes of a classifier: the labels that are listed, or `num_labels`, or one of a reward model, or two."""
    if view.gives("id2label"):
        listed = view.section("id2label")
        return len(tuple(listed.keys())) if listed is not None else 0
    if architecture(view).endswith("RewardModel"):
        return sizes.size(view, "num_labels", fallback=1)
    return sizes.size(view, "num_labels", fallback=2)


def tied(view: ConfigView, *, default: bool = False) -> bool:
    """Whether the head is the embedding."""
    return view.flag("tie_word_embeddings", fallback=default)


def embeddings(
    view: ConfigView, tally: Tally, *, top: ConfigView | None = None, bias: bool = False, tied_default: bool = False
) -> None:
    """Token embedding, and a head as the architecture's class has it: language model, classifier, or none.

    `top` is the outermost object of the config, which names the architecture and whether embeddings are tied.
    """
    top = top or view
    hidden, vocab = sizes.hidden(view), sizes.vocabulary(view)
    tally.add("embedding", vocab * hidden)
    name = architecture(top)
    if name.endswith(("ForSequenceClassification", "ForTokenClassification", "ForRewardModel", "RewardModel")):
        tally.linear("lm_head", hidden, labels(top), bias=name.endswith("ForTokenClassification"), split=False)
    elif not headless(top):
        if not tied(top, default=tied_default):
            tally.add("lm_head", vocab * hidden)
        if bias:
            tally.vector(vocab, split=True)
