"""The layers in full: picture, kinds with their formulas, and what they cost."""
