"""The window."""

import sys

import PySide6.QtCore  # noqa: F401  # brings the module below


def _leave_sources_unread() -> None:
    """Keep PySide6 from reading the source of each module that is imported after it: a tenth of the start.

    It looks for modules that mention PySide6, because of its `__feature__` switches (shibokensupport/feature.py), which
    are not used here. That they do is what it takes for granted of modules it has not read.
    """
    feature = vars(sys.modules.get("shibokensupport.feature", object))
    if "_mod_uses_pyside" in feature:
        feature["_mod_uses_pyside"] = lambda _module: True


_leave_sources_unread()
