"""A notice above the results for what failed beside the work: saving, exporting, recovering."""

from collections.abc import Sequence

from kvdesk.core.errors import KvdeskError
from kvdesk.gui.widgets.message import Message, Offer


class Notice(Message):
    """Hidden until there is something to say; stays until it is dismissed."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.hide()

    def show_error(self, error: KvdeskError) -> None:
        """What happened, why, what to do."""
        self.say_error(error, [("Dismiss", self.hide)])
        self.show()

    def show_choice(self, title: str, text: str, offers: Sequence[Offer]) -> None:
        """Something to choose: it stays until one of the offers is taken."""
        self.say(title, text, offers, icon="info")
        self.show()
