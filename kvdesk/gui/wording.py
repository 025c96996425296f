"""Sentences of the core as the window says them: its own fields and buttons in place of the command line's options."""

from kvdesk.gui.numbers import localised

_IN_THE_WINDOW = (
    ("Write --gpu ID x", "Set the number of GPUs to "),
    ("Give it with --gpu", "Choose it under Hardware"),
    ("Give it with --model: a Hub id, a config.json, or a name of `kvdesk models`", "Look the model up first"),
    ("Give it with --model", "Look the model up first"),
    ("with --set ", "under Model, “Set a value …”: "),
    ("--set ", "Model, “Set a value …”: "),
    ("--weights-bytes", "“Weights size” (Advanced)"),
    ("--weights-dtype ", "weights as "),
    ("--pool-bytes", "“KV pool per GPU” (Advanced)"),
    ("--reserve", "“Reserve” (Advanced)"),
    ("--device-memory ", "device memory as "),
    ("--engine ", "the engine "),
    ("You are not logged in.", "You are not signed in."),
    ("log in with “hf auth login”", "sign in"),
    ("Log in again with “hf auth login”", "Sign in again"),
    (
        "Give a config.json that you have, or a name of “kvdesk models”, which work without a network.",
        "A config.json that you have, or a model that comes with kvdesk, needs no network.",
    ),
)


def told(text: str) -> str:
    """A sentence for the window, its numbers as the system writes them."""
    for phrase, words in _IN_THE_WINDOW:
        text = text.replace(phrase, words)
    return localised(text)
