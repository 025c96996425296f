"""The model: where it comes from, what it is made of, and every value that was read."""
