"""Export of the report, as a job of its own."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from kvdesk.core.errors import UsageError
from kvdesk.gui.widgets.text import short_device

if TYPE_CHECKING:
    from kvdesk.app.report_form import Asked
    from kvdesk.gui.main_window import MainWindow

CHANNEL = "export"
ENDINGS = "PDF (*.pdf);;Excel (*.xlsx);;Markdown (*.md);;CSV (*.csv);;JSON (*.json)"


def ask_and_export(window: "MainWindow") -> None:
    """Ask what goes on the page, then for a file, and write the report of the present scenario to it."""
    from kvdesk.gui.dialogs.report import ReportDialog

    view = window.bridge.view
    sizing = view.sizing
    if sizing is None or not sizing.options:
        todo = str(view.derived.error) if view.session.model and view.derived.error else "Choose a model and a GPU."
        window.parts.notice.show_error(UsageError("nothing-to-export", "There is nothing to report yet.", "", todo))
        return
    _prefill(window)
    names = {option.choice.gpu: option.question.device.name if option.question else "" for option in sizing.options}
    gpus = tuple((gpu, short_device(name) or gpu) for gpu, name in names.items())
    ReportDialog(window, gpus, lambda asked: choose_and_export(window, asked)).open()


def choose_and_export(window: "MainWindow", asked: "Asked") -> None:
    """Ask for a file and write the report to it."""
    sizing = window.bridge.view.sizing
    stem = sizing.model.id.rpartition("/")[2] if sizing else "report"
    proposed = str(Path(window.documents.folder()) / f"{stem}.pdf")
    name, _ = QFileDialog.getSaveFileName(window, "Export report", proposed, ENDINGS)
    if name:
        path = Path(name)
        export(window, path if path.suffix else path.with_suffix(".pdf"), asked)


def export(window: "MainWindow", path: Path, asked: "Asked") -> None:
    """Write the report beside the window's work; the status line says when it is there."""
    session, sizing = window.bridge.store.session, window.bridge.view.sizing
    if sizing is None:
        return

    def write() -> None:
        from kvdesk.app import reporting
        from kvdesk.app.derive import Deriver

        form = path.suffix.lower().lstrip(".")
        deriver = Deriver()
        log = reporting.reconciled_log(asked.log, session, deriver) if asked.log else None
        reporting.write(
            log.session if log else session,
            deriver.derive(log.session) if log else sizing,
            path,
            asked.details,
            fmt=form if form in reporting.FORMATS else "pdf",
            log=log,
            load=asked.load,
        )

    window.say(f"Writing {path.name} …")
    window.bridge.jobs.start(
        CHANNEL,
        lambda _: write(),
        lambda _: window.say(f"Report written to {path}"),
        window.parts.notice.show_error,
    )


def _prefill(window: "MainWindow") -> None:
    """What is usual, where nothing was typed before: names from the settings, and the user's own day."""
    usual = {
        "author": window.settings.text("report/author"),
        "organisation": window.settings.text("report/organisation"),
        "date": date.today().isoformat(),  # noqa: DTZ011  # the date on the cover is the user's own day
    }
    window.documents.report = {**usual, **window.documents.report}
