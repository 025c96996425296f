"""Parameter counts from a config.json alone, by architecture family.

`count(view)` answers for the families in `registry`; each family is one small module that adds the matrices and vectors
of its layers to a `Tally`, as the modeling code of transformers 5.24 (or the checkpoint's own) creates them.
"""

from kvdesk.hub.parameters.counting import count
from kvdesk.hub.parameters.tally import ParameterCount, Tally

__all__ = ["ParameterCount", "Tally", "count"]
