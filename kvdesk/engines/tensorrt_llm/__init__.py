"""TensorRT-LLM: a fraction of what is free after loading, in blocks of 32 tokens."""
