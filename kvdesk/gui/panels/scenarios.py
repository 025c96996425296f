"""The row of scenarios: seen as soon as there are two."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QTabBar

from kvdesk.app.workspace import Workspace
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.view import View
from kvdesk.gui.widgets.buttons import tool
from kvdesk.gui.widgets.text import em


class ScenarioBar(QFrame):
    """A tab for each scenario, and buttons to duplicate and remove the one at work."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Scenarios")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.currentChanged.connect(self._select)
        self.duplicate = tool(
            "duplicate", "Duplicate scenario", lambda: bridge.arrange("Duplicate scenario", Workspace.duplicated)
        )
        self.remove = tool("remove", "Remove scenario", lambda: bridge.arrange("Remove scenario", Workspace.removed))
        row = QHBoxLayout(self)
        row.setContentsMargins(em(self, 0.5), 0, em(self, 0.5), 0)
        row.addWidget(self.tabs)
        row.addWidget(self.duplicate)
        row.addWidget(self.remove)
        row.addStretch(1)
        self.hide()

    def show_view(self, view: View) -> None:
        """All scenarios; the pinned one is marked."""
        workspace = view.workspace
        self.setVisible(len(workspace.scenarios) > 1)
        self.tabs.blockSignals(True)
        while self.tabs.count() > len(workspace.scenarios):
            self.tabs.removeTab(self.tabs.count() - 1)
        while self.tabs.count() < len(workspace.scenarios):
            self.tabs.addTab("")
        for at, scenario in enumerate(workspace.scenarios):
            pinned = at == workspace.pinned and len(workspace.scenarios) > 1
            text = f"{at + 1}  {scenario.name}" + (" (pinned)" if pinned else "")
            if self.tabs.tabText(at) != text:
                self.tabs.setTabText(at, text)
        self.tabs.setCurrentIndex(workspace.active)
        self.tabs.blockSignals(False)

    def _select(self, index: int) -> None:
        self._bridge.arrange(f"Scenario {index + 1}", lambda workspace: workspace.selected(index))
