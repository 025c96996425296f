"""Colours of things that the window shows too: there in each theme, here as in its light one."""

from kvdesk.core.layers import CachePart

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Blue, vermillion, bluish green and reddish purple of Okabe and Ito."""
WEIGHTS, RESERVE, CACHE = "#0072b2", "#8b95a1", "#009e73"
SHARED, NONE = "#d3d7dd", "#e8ebef"
"""Layers that keep nothing of their own."""
KINDS = {"full": 0, "mla": 0, "sliding": 2, "chunked": 2, "compressed": 2, "indexer": 1, "state": 3, "cross": 1}
"""The place in `SERIES` of each kind of layer part that keeps something."""
ORDER = ("full", "sliding", "chunked", "mla", "compressed", "indexer", "state", "cross", "shared", "none")
"""Kinds of one layer from the top down."""


def kind_of(part: CachePart) -> str:
    """The kind that a part is drawn as: a latent that slides is drawn as a window."""
    return "sliding" if part.kind == "mla" and getattr(part, "window", None) else part.kind


def of_kind(kind: str) -> str:
    """The colour of a kind."""
    at = KINDS.get(kind)
    return SERIES[at] if at is not None else SHARED if kind == "shared" else NONE
