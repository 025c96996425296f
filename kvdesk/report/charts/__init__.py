"""Drawings as SVG text: deterministic, with real text, in colours that stay apart without colour."""
