"""One small scenario that every form of the report is written from."""

import pytest

from kvdesk.app import lookup, reporting
from kvdesk.app.derive import Deriver
from kvdesk.app.results import Sizing
from kvdesk.app.session import GpuChoice, Session
from kvdesk.report.blocks import Document
from kvdesk.report.inputs import ReportDetails


@pytest.fixture(scope="session")
def session() -> Session:
    """A sliding-window model, three kinds of GPU: one too small, one that fits, one that does not exist."""
    gpus = (GpuChoice(gpu="l4"), GpuChoice(gpu="h200-sxm", count=2), GpuChoice(gpu="no-such-gpu"))
    return Session(model=lookup.load("gemma-3-27b"), context=32768, sequences=8, gpus=gpus)


@pytest.fixture(scope="session")
def sizing(session: Session) -> Sizing:
    return Deriver().derive(session)


@pytest.fixture(scope="session")
def details() -> ReportDetails:
    return ReportDetails(
        title="Ward assistant: α, Ж and ő",
        organisation="An organisation",
        author="A. Author",
        reviewer="R. Reviewer",
        purpose="Tender 7",
        date="2026-05-01",
    )


@pytest.fixture(scope="session")
def document(session: Session, sizing: Sizing, details: ReportDetails) -> Document:
    return reporting.build(session, sizing, details)
