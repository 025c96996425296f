"""Importing pyqtgraph at half the price.

Two things make it dear, and the plots need neither. pyqtgraph copies every name of QtCore, QtGui and QtWidgets into
modules of its own (`_copy_attrs` in pyqtgraph/Qt/__init__.py), which makes PySide6 create all their classes: 75 ms of
processor time. And numpy's OpenBLAS starts a thread for each core, for linear algebra: 45 ms on two cores.
"""

import os
import sys
from functools import partial
from types import ModuleType

from PySide6 import QtCore, QtGui, QtWidgets

_MIRRORED: tuple[ModuleType, ...] = (QtCore, QtGui, QtWidgets)


def import_pyqtgraph() -> None:
    """Import pyqtgraph so that its copies of Qt's modules look names up when they are asked for."""
    if "pyqtgraph" in sys.modules:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    listings = [module.__dir__ for module in _MIRRORED]
    for module in _MIRRORED:
        name = f"pyqtgraph.Qt.{module.__name__.rpartition('.')[2]}"
        mirror = ModuleType(name)
        mirror.__getattr__ = partial(getattr, module)  # type: ignore[method-assign]
        sys.modules[name] = mirror
        module.__dir__ = list  # type: ignore[method-assign]  # nothing to copy
    try:
        import pyqtgraph  # noqa: F401  # imported for all of gui.plot
    finally:
        for module, listing in zip(_MIRRORED, listings, strict=True):
            module.__dir__ = listing  # type: ignore[method-assign]
