"""Number formats, the serving engine and its options."""
