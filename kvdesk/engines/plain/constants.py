"""Figures of the textbook budget. They are conventions, stated so that a reader can disagree with them."""

UTILIZATION = 0.92
"""Fraction of device memory used; the default of vLLM since 0.20 (`vllm/config/cache.py`), taken as the convention."""

RESERVE_BYTES = 3_000_000_000
"""Held back for activations, graphs and communication: 3 GB, a middle guess and not a bound."""

RESERVE_LOW_BYTES = 1_000_000_000
RESERVE_HIGH_BYTES = 8_000_000_000
"""What public start-up logs show beside a typical 3 GB: about 1 GB for small sequence counts, 8 GB for 1,024 sequences
with a large vocabulary."""

BLOCK_TOKENS = 16
"""Tokens per block: the starting value of vLLM (`vllm/config/cache.py`)."""
