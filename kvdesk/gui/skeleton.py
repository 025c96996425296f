"""The window's first frame: its outline, the answer in words, and a field that already takes what is typed."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget


class Skeleton(QWidget):
    """Needs nothing but a few classes of Qt, so that it is there before the panels are made.

    `painted` comes after each painting. `said` holds one label for each sentence of the answer.
    """

    painted = Signal()

    def __init__(self, sentences: tuple[str, ...] = ()) -> None:
        super().__init__()
        em = self.fontMetrics().height()
        self.field = QLineEdit()
        self.field.setAccessibleName("Model")
        self.field.setPlaceholderText("Hugging Face id, URL or config.json, for example Qwen/Qwen3-8B")
        title = QLabel("Model")
        title.setBuddy(self.field)
        head = QHBoxLayout()
        head.addWidget(title)
        head.addWidget(self.field, 3)
        head.addStretch(2)
        self.said = tuple(QLabel(sentence) for sentence in sentences)
        inputs, verdict, plot, details = QFrame(), QFrame(), QFrame(), QFrame()
        for card in (inputs, verdict, plot, details):
            card.setFrameStyle(QFrame.Shape.StyledPanel)
            card.setBackgroundRole(QPalette.ColorRole.Light)
            card.setAutoFillBackground(True)
        answer = QVBoxLayout(verdict)
        for label in self.said:
            label.setWordWrap(True)
            answer.addWidget(label)
        right = QVBoxLayout()
        right.addWidget(verdict)
        right.addWidget(plot, 1)
        right.addWidget(details, 1)
        columns = QHBoxLayout()
        columns.addWidget(inputs, 3)
        columns.addLayout(right, 7)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(round(em * 0.5), round(em * 0.5), round(em * 0.5), round(em * 0.5))
        layout.addLayout(head)
        layout.addLayout(columns, 1)

    def paintEvent(self, event: object) -> None:
        """Say that it is seen; Qt paints the cards and labels by itself."""
        self.painted.emit()
