"""Vision and audio encoders, and the projectors that join them to a language model."""
