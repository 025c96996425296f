"""The GPU options."""
