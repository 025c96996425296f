"""Stands in, in the frozen program, for the two modules of Qt that wrap OpenGL: 10 MB that nothing uses.

pyqtgraph imports both without being asked, for curves painted by OpenGL; kvdesk leaves its option `useOpenGL` off and
paints with Qt's raster engine. PyInstaller runs this before the program (packaging/kvdesk.spec).
"""

import sys
from types import ModuleType


class QOpenGLWidget:
    """What pyqtgraph's widgets on OpenGL are derived from; none of them is ever made."""


def stand_in(name: str, **members: object) -> None:
    """Make `import name` give a module of these members."""
    module = ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module


stand_in("PySide6.QtOpenGL")
stand_in("PySide6.QtOpenGLWidgets", QOpenGLWidget=QOpenGLWidget)
