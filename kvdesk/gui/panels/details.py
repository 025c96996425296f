"""The tabs below the plot."""

from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QTabBar, QWidget

from kvdesk.gui.widgets.card import Card
from kvdesk.gui.widgets.text import em


class Details(Card):
    """Tabs with one panel each; only the one that is seen is drawn by whoever shows views."""

    def __init__(self) -> None:
        super().__init__()
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Details")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.pages = QStackedWidget()
        # The widest page must not keep the whole window wide.
        self.pages.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        outer = self.layout()
        if outer:
            outer.setContentsMargins(em(self, 0.4), em(self, 0.2), em(self, 0.4), em(self, 0.3))
        while self.head.count():
            self.head.takeAt(0)
        self.head.addWidget(self.tabs)
        self.head.addStretch(1)
        self.body.addWidget(self.pages, 1)

    def add(self, title: str, page: QWidget) -> None:
        """One more tab."""
        self.pages.addWidget(page)
        self.tabs.addTab(title)

    def show_page(self, page: QWidget) -> None:
        """Bring a page to the front."""
        self.tabs.setCurrentIndex(self.pages.indexOf(page))

    def retitle(self, page: QWidget, title: str) -> None:
        """Change a tab's title, such as a count in it."""
        at = self.pages.indexOf(page)
        if self.tabs.tabText(at) != title:
            self.tabs.setTabText(at, title)
