"""Plots: the only user of pyqtgraph, imported after the first frame of the window."""
