"""The plots against the context."""
