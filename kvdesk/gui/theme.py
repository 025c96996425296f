"""Colours: one frozen set of tokens for each theme, put into the palette and used by what we paint ourselves.

Curves use the colours of Okabe and Ito in the order that keeps 3:1 against the background: on white only blue,
vermillion, bluish green and reddish purple reach it.
"""

from PySide6.QtGui import QColor, QGuiApplication, QPalette, QPen
from PySide6.QtWidgets import QApplication

from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Colours as #rrggbb.

    `border` is for cards and hairlines, `edge` for fields (3:1 and more), `series` for curves in their order.
    """

    name: str
    dark: bool
    window: str
    surface: str
    field: str
    raised: str
    text: str
    muted: str
    border: str
    edge: str
    accent: str
    on_accent: str
    good: str
    warning: str
    bad: str
    chip: str
    stripe: str
    series: tuple[str, str, str, str]
    weights: str
    reserve: str
    cache: str


LIGHT = Theme(
    name="light",
    dark=False,
    window="#f3f4f6",
    surface="#ffffff",
    field="#ffffff",
    raised="#f8f9fa",
    text="#1a1d21",
    muted="#59616c",
    border="#d3d7dd",
    edge="#8a929c",
    accent="#0b63a5",
    on_accent="#ffffff",
    good="#00704f",
    warning="#8a5a00",
    bad="#b3400a",
    chip="#e8ebef",
    stripe="#f7f8fa",
    series=("#0072b2", "#d55e00", "#009e73", "#cc79a7"),
    weights="#0072b2",
    reserve="#8b95a1",
    cache="#009e73",
)
DARK = Theme(
    name="dark",
    dark=True,
    window="#181a1d",
    surface="#212429",
    field="#2a2e34",
    raised="#2f343b",
    text="#e6e8eb",
    muted="#a3abb5",
    border="#3b4048",
    edge="#707985",
    accent="#56b4e9",
    on_accent="#0d1117",
    good="#4cc9a0",
    warning="#e9b949",
    bad="#ff8f5e",
    chip="#31363d",
    stripe="#25292e",
    series=("#56b4e9", "#e69f00", "#1fb88c", "#d993b8"),
    weights="#3d94cc",
    reserve="#7d8793",
    cache="#1fa67f",
)
CONTRAST_LIGHT = Theme(
    name="high contrast light",
    dark=False,
    window="#ffffff",
    surface="#ffffff",
    field="#ffffff",
    raised="#ffffff",
    text="#000000",
    muted="#1f1f1f",
    border="#000000",
    edge="#000000",
    accent="#003d80",
    on_accent="#ffffff",
    good="#004d33",
    warning="#5c3a00",
    bad="#8a1f00",
    chip="#ffffff",
    stripe="#ffffff",
    series=("#0072b2", "#c04f00", "#00805c", "#a8487b"),
    weights="#0060a0",
    reserve="#5a5a5a",
    cache="#00704f",
)
CONTRAST_DARK = Theme(
    name="high contrast dark",
    dark=True,
    window="#000000",
    surface="#000000",
    field="#000000",
    raised="#000000",
    text="#ffffff",
    muted="#e0e0e0",
    border="#ffffff",
    edge="#ffffff",
    accent="#7fd0ff",
    on_accent="#000000",
    good="#62f0c0",
    warning="#ffd45c",
    bad="#ffa880",
    chip="#000000",
    stripe="#000000",
    series=("#7fd0ff", "#ffb829", "#3fe0b0", "#f0a8d0"),
    weights="#4aa8e0",
    reserve="#b0b0b0",
    cache="#2fc79a",
)

CHOICES = ("system", "light", "dark", "high contrast")
_DASHES: tuple[tuple[float, ...], ...] = ((), (5, 4), (6, 3, 1, 3), (1.5, 3))


def chosen(choice: str) -> Theme:
    """The theme of a setting of `CHOICES`, asking the system where it is left to it."""
    dark = _system_is_dark() if choice in ("system", "high contrast") else choice == "dark"
    if choice == "high contrast" or (choice == "system" and _system_wants_contrast()):
        return CONTRAST_DARK if dark else CONTRAST_LIGHT
    return DARK if dark else LIGHT


def guessed(choice: str) -> Theme:
    """The theme of the first frame: like `chosen`, but where it is left to the system, by the palette's background."""
    dark = choice == "dark" or (choice != "light" and QApplication.palette().window().color().lightness() < 128)
    if choice == "high contrast":
        return CONTRAST_DARK if dark else CONTRAST_LIGHT
    return DARK if dark else LIGHT


def curve_pen(colour: QColor, series: int) -> QPen:
    """The pen of a curve: the first is solid and wider, so that it shows in the gaps of one that lies upon it."""
    from PySide6.QtCore import Qt  # dear to make, and the first frame draws no curves

    pen = QPen(colour, 2.0 if series % 4 else 3.0)
    pen.setCosmetic(True)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if _DASHES[series % 4]:
        pen.setDashPattern(_DASHES[series % 4])
    return pen


def palette(theme: Theme) -> QPalette:
    """The theme as a palette, so that every standard widget follows it."""
    roles = QPalette.ColorRole
    colours = {
        roles.Window: theme.window,
        roles.WindowText: theme.text,
        roles.Base: theme.field,
        roles.AlternateBase: theme.stripe,
        roles.ToolTipBase: theme.surface,
        roles.ToolTipText: theme.text,
        roles.PlaceholderText: theme.muted,
        roles.Text: theme.text,
        roles.Button: theme.raised,
        roles.ButtonText: theme.text,
        roles.BrightText: theme.bad,
        roles.Link: theme.accent,
        roles.LinkVisited: theme.accent,
        roles.Highlight: theme.accent,
        roles.HighlightedText: theme.on_accent,
        roles.Accent: theme.accent,
        roles.Light: theme.surface,
        roles.Midlight: theme.chip,
        roles.Mid: theme.border,
        roles.Dark: theme.border,
        roles.Shadow: theme.border,
    }
    result = QPalette()
    for role, colour in colours.items():
        result.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText, roles.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(mix(theme.muted, theme.window, 0.35)))
    result.setColor(QPalette.ColorGroup.Disabled, roles.Highlight, QColor(theme.border))
    return result


def mix(first: str, second: str, share: float) -> str:
    """`share` of `second` mixed into `first`."""
    a, b = QColor(first), QColor(second)
    parts = zip((a.red(), a.green(), a.blue()), (b.red(), b.green(), b.blue()), strict=True)
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in parts)


def _system_is_dark() -> bool:
    from PySide6.QtCore import Qt

    hints = QGuiApplication.styleHints()
    scheme = hints.colorScheme()
    if scheme == Qt.ColorScheme.Unknown:
        # The style's own palette: the application's is ours by now.
        return QApplication.style().standardPalette().color(QPalette.ColorRole.Window).lightness() < 128
    return scheme == Qt.ColorScheme.Dark


def _system_wants_contrast() -> bool:
    from PySide6.QtCore import Qt

    hints = QGuiApplication.styleHints()  # owns the other object, so it has to live as long
    return hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
