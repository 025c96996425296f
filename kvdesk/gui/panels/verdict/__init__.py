"""The answer first: a line and a bar for each GPU option."""
