"""Export of the PDF report, as a job of its own."""

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from kvdesk.core.errors import UsageError

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow

CHANNEL = "export"


def choose_and_export(window: "MainWindow") -> None:
    """Ask for a file and write the report of the present scenario to it."""
    sizing = window.bridge.view.sizing
    if sizing is None or not sizing.options:
        window.parts.notice.show_error(
            UsageError("nothing-to-export", "There is nothing to report yet.", "", "Choose a model and a GPU first.")
        )
        return
    stem = sizing.model.id.rpartition("/")[2]
    proposed = str(Path(window.documents.folder()) / f"{stem}.pdf")
    name, _ = QFileDialog.getSaveFileName(
        window, "Export report", proposed, "PDF (*.pdf);;Excel (*.xlsx);;Markdown (*.md);;CSV (*.csv);;JSON (*.json)"
    )
    if name:
        path = Path(name)
        export(window, path if path.suffix else path.with_suffix(".pdf"))


def export(window: "MainWindow", path: Path) -> None:
    """Write the report beside the window's work; the status line says when it is there."""
    from kvdesk.app import reporting

    session, sizing = window.bridge.store.session, window.bridge.view.sizing
    if sizing is None:
        return
    form = path.suffix.lower().lstrip(".")
    details = reporting.ReportDetails(
        date=date.today().isoformat(),  # noqa: DTZ011  # the date on the cover is the user's own day
        author=window.settings.text("report/author"),
        organisation=window.settings.text("report/organisation"),
    )
    window.say(f"Writing {path.name} …")
    window.bridge.jobs.start(
        CHANNEL,
        lambda _: reporting.write(session, sizing, path, details, fmt=form if form in reporting.FORMATS else "pdf"),
        lambda _: window.say(f"Report written to {path}"),
        window.parts.notice.show_error,
    )
