"""How a checkpoint's weights are quantised, read from its config: which parts, in which format, with which scales."""

from kvdesk.hub.quantization.reading import scheme
from kvdesk.hub.quantization.scheme import Scheme

__all__ = ["Scheme", "scheme"]
