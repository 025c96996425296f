"""llama.cpp: cells of a context that is chosen beforehand, in ggml's block formats."""
