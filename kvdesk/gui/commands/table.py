"""The table of actions: it feeds the menus, the shortcuts sheet, the command search and the tests."""

from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One action: a stable id, its title, the menu it is in ("Chart/Copy as" is a submenu), its key and a word of help.

    `group` numbers the parts of a menu between separators. `checkable` actions show a state.
    """

    id: str
    title: str
    menu: str
    key: str = ""
    group: int = 0
    help: str = ""
    checkable: bool = False


def _menu(menu: str, *rows: tuple[str, str, str, int] | tuple[str, str, str, int, str]) -> tuple[Spec, ...]:
    return tuple(
        Spec(id=row[0], title=row[1], key=row[2], group=row[3], help=row[4] if len(row) > 4 else "", menu=menu)
        for row in rows
    )


TABLE: tuple[Spec, ...] = (
    *_menu(
        "File",
        ("file.new", "New", "Ctrl+N", 0, "Start again from the default scenario"),
        ("file.open", "Open …", "Ctrl+O", 0, "A scenario file or a config.json"),
        ("file.save", "Save", "Ctrl+S", 1, "Save the scenarios to their file"),
        ("file.save_as", "Save as …", "Ctrl+Shift+S", 1),
        ("file.export_pdf", "Export report …", "Ctrl+E", 2, "PDF, Excel, Markdown, CSV or JSON, for a review"),
        ("file.quit", "Quit", "Ctrl+Q", 3),
    ),
    *_menu(
        "Edit",
        ("edit.undo", "Undo", "Ctrl+Z", 0),
        ("edit.redo", "Redo", "Ctrl+Shift+Z", 0),
        ("edit.copy_command", "Copy command line", "Ctrl+Shift+C", 1, "The kvdesk call that gives the same numbers"),
        ("edit.copy_tsv", "Copy results as TSV", "Ctrl+Shift+T", 1, "For a spreadsheet"),
        ("edit.copy_markdown", "Copy results as Markdown", "Ctrl+Shift+M", 1),
        ("edit.reset_all", "Reset all values", "Ctrl+Shift+Backspace", 2, "Every value as it was read"),
        ("edit.settings", "Settings …", "Ctrl+,", 3),
    ),
    *_menu(
        "Model",
        ("model.focus", "Go to the model field", "Ctrl+L", 0),
        ("model.again", "Look up again", "F5", 0),
        ("model.cancel", "Cancel the look-up", "Ctrl+.", 0),
        ("model.open", "Open config.json …", "Ctrl+Shift+O", 1),
        ("model.value", "Set a value …", "Ctrl+Shift+V", 1, "Type over any key of config.json"),
        ("model.sign_in", "Sign in to the Hub …", "Ctrl+Shift+I", 2, "For gated and private models"),
    ),
    *_menu(
        "Scenario",
        ("scenario.duplicate", "Duplicate", "Ctrl+D", 0, "A copy to compare with, four at most"),
        ("scenario.rename", "Rename …", "Ctrl+R", 0),
        ("scenario.remove", "Remove", "Ctrl+Shift+W", 0),
        ("scenario.pin", "Compare with this one", "Ctrl+Shift+P", 1),
        ("scenario.1", "Scenario 1", "Ctrl+1", 2),
        ("scenario.2", "Scenario 2", "Ctrl+2", 2),
        ("scenario.3", "Scenario 3", "Ctrl+3", 2),
        ("scenario.4", "Scenario 4", "Ctrl+4", 2),
        ("scenario.add_gpu", "Add a GPU option", "Ctrl+G", 3),
        ("scenario.remove_gpu", "Remove the chosen GPU option", "Ctrl+Shift+G", 3),
    ),
    *_menu(
        "View",
        ("view.next", "Next panel", "F6", 0),
        ("view.former", "Previous panel", "Shift+F6", 0),
        ("view.memory", "Plot of memory", "Alt+1", 1),
        ("view.sequences", "Plot of sequences", "Alt+2", 1),
        ("view.allocated", "Plot of logical against allocated", "Alt+3", 1),
        ("view.blocks", "Picture of blocks", "Alt+4", 1),
        ("view.scenarios", "Plot of all scenarios", "Alt+5", 1),
        ("view.stack", "Stack the parts of memory", "Alt+0", 1),
        ("view.zoom", "Zoom the plot to the model's range", "Ctrl+0", 1),
        ("view.budget", "Budget", "Ctrl+Alt+1", 2),
        ("view.layers", "Layers", "Ctrl+Alt+2", 2),
        ("view.compare", "Compare", "Ctrl+Alt+3", 2),
        ("view.plan", "Plan", "Ctrl+Alt+4", 2),
        ("view.findings", "Findings", "Ctrl+Alt+5", 2),
        ("view.log", "Log", "Ctrl+Alt+6", 2),
        ("view.unit", "Switch between GB and GiB", "Ctrl+U", 3),
        ("view.theme", "Next theme", "Ctrl+T", 3, "System, light, dark, high contrast"),
    ),
    *_menu(
        "Chart",
        ("chart.copy_png", "Copy as PNG", "Ctrl+Alt+P", 0),
        ("chart.copy_svg", "Copy as SVG", "Ctrl+Alt+S", 0),
        ("chart.copy_data", "Copy data", "Ctrl+Alt+D", 0, "Tab-separated, one row for each context"),
        ("chart.save", "Save chart …", "Ctrl+Alt+E", 1, "SVG or PNG"),
    ),
    *_menu(
        "Help",
        ("help.search", "Search commands …", "Ctrl+K", 0),
        ("help.what", "Explain the focused field", "F1", 0),
        ("help.shortcuts", "Keyboard shortcuts", "Ctrl+/", 0),
        ("help.about", "About kvdesk", "Ctrl+F1", 1),
    ),
)

MENUS = tuple(dict.fromkeys(spec.menu for spec in TABLE))


def by_id(name: str) -> Spec:
    """The action of that id."""
    return next(spec for spec in TABLE if spec.id == name)
