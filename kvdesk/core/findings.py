"""Findings: what the user must know beside the numbers."""

from enum import StrEnum

from kvdesk.core.values import dataclass


class Severity(StrEnum):
    """How much a finding weighs; `REFUSAL` means that a part was not sized."""

    INFO = "info"
    WARNING = "warning"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to know: a stable code, a sentence, and what can be done about it."""

    code: str
    severity: Severity
    text: str
    remedy: str = ""


def info(code: str, text: str, remedy: str = "") -> Finding:
    """A finding that explains."""
    return Finding(code=code, severity=Severity.INFO, text=text, remedy=remedy)


def warning(code: str, text: str, remedy: str = "") -> Finding:
    """A finding that may change the decision."""
    return Finding(code=code, severity=Severity.WARNING, text=text, remedy=remedy)


def refusal(code: str, text: str, remedy: str = "") -> Finding:
    """A finding that says a part was not sized."""
    return Finding(code=code, severity=Severity.REFUSAL, text=text, remedy=remedy)
