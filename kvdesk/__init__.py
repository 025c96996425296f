"""kvdesk: how much memory a language model's cache takes, and how many sequences fit."""

__version__ = "0.1.0"
