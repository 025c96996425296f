"""Handlers of the View and Chart menus."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from kvdesk.gui import charts, focus, theme

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


def handlers(window: "MainWindow") -> dict[str, Callable[[], None]]:
    """By action id."""
    plots = ("view.memory", "view.sequences", "view.allocated", "view.blocks", "view.scenarios")
    pages = ("view.budget", "view.layers", "view.compare", "view.plan", "view.findings", "view.log")
    return {
        "view.next": lambda: focus.step(window.panels(), 1),
        "view.former": lambda: focus.step(window.panels(), -1),
        **{name: partial(window.parts.plots.tabs.setCurrentIndex, at) for at, name in enumerate(plots)},
        "view.stack": window.parts.plots.stacked.toggle,
        "view.zoom": window.parts.plots.zoom,
        **{name: partial(window.parts.details.tabs.setCurrentIndex, at) for at, name in enumerate(pages)},
        "view.unit": lambda: switch_unit(window),
        "view.theme": lambda: next_theme(window),
        "chart.copy_png": lambda: charts.copy_png(window),
        "chart.copy_svg": lambda: charts.copy_svg(window),
        "chart.copy_data": lambda: charts.copy_data(window),
        "chart.save": lambda: charts.choose_and_save(window),
    }


def switch_unit(window: "MainWindow") -> None:
    """GB or GiB, everywhere."""
    window.settings.unit = "GB" if window.settings.unit == "GiB" else "GiB"
    window.follow_theme()
    window.say(f"Sizes in {window.settings.unit}.")


def next_theme(window: "MainWindow") -> None:
    """The next of the themes."""
    at = theme.CHOICES.index(window.settings.theme)
    window.settings.theme = theme.CHOICES[(at + 1) % len(theme.CHOICES)]
    window.follow_theme()
    window.say(f"Theme: {window.settings.theme}.")
