"""Plots: the only user of pyqtgraph, imported after the first frame of the window."""

from kvdesk.gui.plot.importing import import_pyqtgraph

import_pyqtgraph()
