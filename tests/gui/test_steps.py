"""A step of a field draws what changed, and nothing is left of the step before."""

import time
from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.widgets.measure import Widths
from kvdesk.gui.widgets.steady import SteadyLabel, steady


def picture(widget: QWidget) -> QImage:
    return widget.grab().toImage()


def settled(qtbot: QtBot, parts: Sequence[QWidget]) -> list[QImage]:
    """Pictures of the parts once they change no more, which takes a few turns on a busy machine."""
    found: list[list[QImage]] = [[]]

    def same_again() -> bool:
        QTest.qWait(50)
        found.append([picture(part) for part in parts])
        return found[-1] == found[-2]

    qtbot.waitUntil(same_again)
    return found[-1]


def set_to(window: MainWindow, *, context: int, sequences: int) -> None:
    window.bridge.edit("", lambda session: actions.set_context(session, context))
    window.bridge.edit("", lambda session: actions.set_sequences(session, sequences))
    window.bridge.flush()
    QTest.qWait(50)


def test_many_steps_and_back_give_the_same_picture(window: MainWindow, qtbot: QtBot) -> None:
    for gpu in ("h200-sxm", "l40s", "b200"):
        window.bridge.edit("", partial(actions.add_gpu, choice=GpuChoice(gpu=gpu)))
    window.parts.plots.load()
    parts = (window.parts.verdict, window.parts.plots, window.parts.model, window.parts.budget.gap)
    set_to(window, context=8192, sequences=20)
    first = settled(qtbot, parts)
    # Marks come and go; what does not fit has longer lines, and a splitter does not give back what it was taken.
    for context, sequences in ((9216, 20), (16_384, 4), (256, 1), (4096, 40), (8193, 20)):
        set_to(window, context=context, sequences=sequences)
    assert [picture(part) for part in parts] != first
    set_to(window, context=8192, sequences=20)
    qtbot.waitUntil(lambda: [picture(part) for part in parts] == first)


def test_a_steady_label_asks_for_room_only_where_it_needs_other(qtbot: QtBot) -> None:
    label = steady(wrap=True)
    qtbot.addWidget(label)
    label.resize(200, 100)
    label.show()
    label.setText("10 sequences")
    laid_out = super(SteadyLabel, label).text
    assert (label.text(), laid_out(), label.accessibleName()) == ("10 sequences",) * 3
    label.setText("11 sequences")
    assert (label.text(), laid_out(), label.accessibleName()) == ("11 sequences", "10 sequences", "11 sequences")
    longer = "11 sequences of 8,192 tokens; 41 are wanted, of up to 4,816 tokens. 1 % headroom."
    label.setText(longer)
    assert laid_out() == longer
    assert label.heightForWidth(200) >= 2 * label.fontMetrics().height()
    label.setText(longer.replace("1 %", "2 %"))
    assert laid_out() == longer
    label.resize(150, 100)
    assert laid_out() == label.text()
    label.setText("")
    assert laid_out() == ""


def test_a_steady_label_draws_like_any_other(qtbot: QtBot) -> None:
    from kvdesk.gui.widgets.text import label

    pair = (steady("title", wrap=True), label("", "title", wrap=True))
    for one in pair:
        qtbot.addWidget(one)
        one.resize(180, 60)
        one.setText("One GPU of 1 × H100, TP 1 & more words than one line has")
    assert picture(pair[0]) == picture(pair[1])


def test_widths_follow_the_font(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widths = Widths(widget)
    small = widths.of("8,192")
    assert small == widget.fontMetrics().horizontalAdvance("8,192")
    font = widget.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    widget.setFont(font)
    widths.refresh()
    assert widths.of("8,192") == widget.fontMetrics().horizontalAdvance("8,192") > small
    for number in range(1000):
        widths.refresh()
        widths.of(str(number))
    assert len(widths._known) < 300


def test_a_plan_is_searched_for_once_the_fields_are_at_rest(window: MainWindow, qtbot: QtBot) -> None:
    plan = window.parts.plan
    window.actions_by_id["view.plan"].trigger()
    qtbot.waitUntil(lambda: plan.table.cells.rowCount() == 1 and plan.table.isEnabled(), timeout=20_000)
    for context in range(8193, 8213):
        window.bridge.edit("", partial(actions.set_context, tokens=context))
        window.bridge.flush()
        assert not window.bridge.jobs.busy("plan")
    begun = time.monotonic()
    qtbot.waitUntil(plan.table.isEnabled, timeout=20_000)
    assert time.monotonic() - begun >= 0.1
    assert "8,212" in plan.question.text()


def test_what_is_folded_away_is_up_to_date_once_it_is_unfolded(window: MainWindow) -> None:
    serving = window.parts.serving
    window.bridge.edit("", partial(actions.set_reserve, size=5 * 10**9))
    window.bridge.edit("", partial(actions.set_engine, name="plain"))
    window.bridge.flush()
    serving.fold.button.click()
    assert serving.reserve.text().startswith("5")
    # The textbook's utilization (README).
    assert serving.utilization.placeholderText() == "0.92"
