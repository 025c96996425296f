"""What kvdesk says when it cannot answer: one exception family, each with what, why and what to do.

Every `KvdeskError` carries text that is meant for the user and contains no secret. Anything else that is raised is a
defect of kvdesk.
"""

from enum import IntEnum


class ExitStatus(IntEnum):
    """Exit status of the command line."""

    SIZED = 0
    USAGE = 2
    SOURCE = 3
    REFUSED = 4


class KvdeskError(Exception):
    """A condition to be shown to the user.

    `code` is a stable identifier for scripts (`"model-not-found"`), `title` says what happened in one short sentence,
    `detail` why, `remedy` what to do about it. `suggestions` are names that may have been meant and can be tried.
    """

    exit_status = ExitStatus.USAGE

    def __init__(
        self, code: str, title: str, detail: str = "", remedy: str = "", *, suggestions: tuple[str, ...] = ()
    ) -> None:
        super().__init__(title)
        self.code = code
        self.title = title
        self.detail = detail
        self.remedy = remedy
        self.suggestions = suggestions

    def __str__(self) -> str:
        return " ".join(part for part in (self.title, self.detail, self.remedy) if part)


class UsageError(KvdeskError):
    """The question itself does not make sense: an unknown option, an impossible value."""


class SourceError(KvdeskError):
    """The model could not be read: not found, denied, no network, malformed."""

    exit_status = ExitStatus.SOURCE


class RefusalError(KvdeskError):
    """The model was read but will not be sized: an unknown architecture, kind of layer or number format."""

    exit_status = ExitStatus.REFUSED
