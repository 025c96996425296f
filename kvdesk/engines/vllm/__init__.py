"""vLLM: per-layer cache specs, groups that share one pool of blocks, and the figures of its start-up log."""
