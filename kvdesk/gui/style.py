"""The style sheet: what the palette cannot say. Sizes are in em, but for hairlines and corners."""

from PySide6.QtWidgets import QApplication

from kvdesk import resources
from kvdesk.gui.theme import Theme, palette


def apply(app: QApplication, theme: Theme) -> None:
    """Put a theme on the whole program.

    Without a style sheet the palette is changed at once; replacing one sheet by another takes three times as long.
    """
    app.setStyleSheet("")
    app.setPalette(palette(theme))
    app.setStyleSheet(style_sheet(theme))


def style_sheet(theme: Theme) -> str:
    """The whole style sheet in the colours of a theme."""
    return "".join((_frames(theme), _fields(theme), _buttons(theme), _tabs(theme), _bars(theme)))


def _frames(theme: Theme) -> str:
    return f"""
    QToolTip {{ background: {theme.surface}; color: {theme.text}; border: 1px solid {theme.border}; padding: 4px; }}
    QFrame[role="card"] {{ background: {theme.surface}; border: 1px solid {theme.border}; border-radius: 6px; }}
    QFrame[role="bar"] {{ background: {theme.surface}; border: none; border-bottom: 1px solid {theme.border}; }}
    QDialog[role="dialog"] {{ background: {theme.surface}; }}
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QLabel[role="title"] {{ font-weight: 600; }}
    QLabel[role="muted"] {{ color: {theme.muted}; }}
    QLabel[role="error"] {{ color: {theme.bad}; }}
    QSplitter::handle {{ background: transparent; }}
    QStatusBar {{ background: {theme.window}; color: {theme.muted}; }}
    QStatusBar::item {{ border: none; }}
    """


def _fields(theme: Theme) -> str:
    select = f"selection-background-color: {theme.accent}; selection-color: {theme.on_accent};"
    return f"""
    QLineEdit, QSpinBox, QComboBox, QPlainTextEdit, QListWidget {{ background: {theme.field}; color: {theme.text};
        border: 1px solid {theme.edge}; border-radius: 4px; padding: 0 0.35em; {select} }}
    QLineEdit, QPlainTextEdit {{ placeholder-text-color: {theme.muted}; }}
    QLineEdit:focus, QSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus, QListWidget:focus {{
        border: 2px solid {theme.accent}; padding: 0 0.27em; }}
    QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled {{ color: {theme.muted}; border-color: {theme.border}; }}
    QComboBox QLineEdit, QSpinBox QLineEdit, QAbstractItemView QLineEdit {{ border: none; padding: 0; }}
    QAbstractItemView QLineEdit {{ border: 1px solid {theme.accent}; border-radius: 0; }}
    QSpinBox::up-button, QSpinBox::down-button {{ subcontrol-origin: border; width: 1.25em; border: none; }}
    QSpinBox::up-button {{ subcontrol-position: top right; margin: 1px 1px 0 0; }}
    QSpinBox::down-button {{ subcontrol-position: bottom right; margin: 0 1px 1px 0; }}
    QSpinBox::up-button:hover, QSpinBox::down-button:hover {{ background: {theme.chip}; }}
    QSpinBox::up-arrow {{ image: url({_icon("up", theme)}); width: 0.55em; height: 0.55em; }}
    QSpinBox::down-arrow {{ image: url({_icon("down", theme)}); width: 0.55em; height: 0.55em; }}
    QComboBox::drop-down {{ subcontrol-origin: border; border: none; width: 1.5em; }}
    QComboBox::down-arrow {{ image: url({_icon("down", theme)}); width: 0.65em; height: 0.65em; }}
    QListView#completer::item {{ padding: 0.2em 0.4em; }}
    QListView#completer::item:selected {{ background: {theme.accent}; color: {theme.on_accent}; }}
    QCheckBox::indicator {{ width: 0.95em; height: 0.95em; border: 1px solid {theme.edge}; border-radius: 3px;
        background: {theme.field}; }}
    QCheckBox::indicator:focus {{ border: 2px solid {theme.accent}; }}
    QCheckBox::indicator:checked {{ background: {theme.accent}; border-color: {theme.accent};
        image: url({_icon("check", theme)}); }}
    """


def _buttons(theme: Theme) -> str:
    return f"""
    QPushButton {{ background: {theme.raised}; color: {theme.text}; border: 1px solid {theme.edge};
        border-radius: 4px; padding: 0.22em 0.9em; }}
    QPushButton:hover, QToolButton:hover {{ background: {theme.chip}; }}
    QPushButton:pressed, QToolButton:pressed {{ background: {theme.border}; }}
    QPushButton:default {{ border-color: {theme.accent}; }}
    QPushButton:focus {{ border: 2px solid {theme.accent}; padding: 0.16em 0.84em; }}
    QPushButton:disabled {{ color: {theme.muted}; border-color: {theme.border}; }}
    QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 0.12em 0.2em; }}
    QTableView QToolButton {{ background: {theme.field}; }}
    QToolButton:focus {{ border: 1px solid {theme.accent}; }}
    QToolButton[role="field"] {{ background: {theme.raised}; border: 1px solid {theme.edge}; padding: 0 0.4em; }}
    QToolButton[role="field"]:focus {{ border: 2px solid {theme.accent}; padding: 0 0.32em; }}
    QToolButton[role="field"]::menu-indicator {{ image: none; width: 0; }}
    """


def _tabs(theme: Theme) -> str:
    return f"""
    QTabBar {{ background: transparent; }}
    QTabBar::tab {{ background: transparent; color: {theme.muted}; padding: 0.35em 0.8em; border: none;
        border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {theme.text}; border-bottom: 2px solid {theme.accent}; }}
    QTabBar::tab:hover {{ color: {theme.text}; }}
    QTabBar::tab:selected:focus {{ color: {theme.accent}; background: {theme.chip}; border-radius: 4px; }}
    QTabBar QToolButton {{ background: {theme.raised}; border: 1px solid {theme.edge}; }}
    QHeaderView::section {{ background: {theme.surface}; color: {theme.muted}; border: none;
        border-bottom: 1px solid {theme.border}; padding: 0.2em 0.5em; }}
    """


def _bars(theme: Theme) -> str:
    return f"""
    QScrollBar {{ background: transparent; border: none; margin: 0; }}
    QScrollBar:vertical {{ width: 0.7em; }}
    QScrollBar:horizontal {{ height: 0.7em; }}
    QScrollBar::handle {{ background: {theme.edge}; border-radius: 0.2em; margin: 0.15em; }}
    QScrollBar::handle:vertical {{ min-height: 2em; }}
    QScrollBar::handle:horizontal {{ min-width: 2em; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QProgressBar {{ background: {theme.chip}; border: none; border-radius: 0.2em; }}
    QProgressBar::chunk {{ background: {theme.accent}; border-radius: 0.2em; width: 2em; }}
    """


def _icon(name: str, theme: Theme) -> str:
    return resources.path(f"icons/themed/{name}-{theme.name.replace(' ', '-')}.svg").as_posix()
