"""The arithmetic of kvdesk: pure functions over frozen values, standard library only.

No clock, no environment, no files, no network, no Qt. Sizes are integers of bytes and lengths are integers of
tokens; text such as "16 GiB" is made in `units` and nowhere else.
"""
