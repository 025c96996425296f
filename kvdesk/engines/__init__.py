"""Serving engines: how each turns device memory into blocks, tokens and sequences. One folder per engine."""
