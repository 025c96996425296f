"""The tabs below the plot."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QTabBar, QWidget

from kvdesk.gui import focus
from kvdesk.gui.widgets.card import Card
from kvdesk.gui.widgets.text import em


class Details(Card):
    """Tabs with one panel each. A page is empty until its panel is `put` there, which whoever shows views does."""

    def __init__(self, titles: Sequence[str]) -> None:
        super().__init__()
        self.made = 0
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Details")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.pages = QStackedWidget()
        # The widest page must not keep the whole window wide.
        self.pages.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        for title in titles:
            self.tabs.addTab(title)
            self.pages.addWidget(QWidget())
        self.tabs.currentChanged.connect(self._turn)
        outer = self.layout()
        if outer:
            outer.setContentsMargins(em(self, 0.4), em(self, 0.2), em(self, 0.4), em(self, 0.3))
        while self.head.count():
            self.head.takeAt(0)
        self.head.addWidget(self.tabs)
        self.head.addStretch(1)
        self.body.addWidget(self.pages, 1)

    def _turn(self, at: int) -> None:
        """The focus of a page that goes stays at its tab, and does not go on to whatever comes next."""
        inside = focus.is_inside(self.pages)
        self.pages.setCurrentIndex(at)
        if inside:
            self.tabs.setFocus(Qt.FocusReason.OtherFocusReason)

    def put(self, at: int, page: QWidget) -> None:
        """Put a panel where its tab is."""
        empty = self.pages.widget(at)
        self.pages.insertWidget(at, page)
        if empty:
            self.pages.removeWidget(empty)
            empty.deleteLater()
        self.pages.setCurrentIndex(self.tabs.currentIndex())
        self.made += 1

    def show_page(self, page: QWidget) -> None:
        """Bring a page to the front."""
        self.tabs.setCurrentIndex(self.pages.indexOf(page))

    def retitle(self, at: int, title: str) -> None:
        """Change a tab's title, such as a count in it."""
        if self.tabs.tabText(at) != title:
            self.tabs.setTabText(at, title)
