"""SGLang: a static fraction of what is free before loading, and pools of tokens."""
