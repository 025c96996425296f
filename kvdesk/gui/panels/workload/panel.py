"""The workload panel."""

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QSlider

from kvdesk.app import actions
from kvdesk.core.sourced import Origin, Source
from kvdesk.gui import numbers
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.view import View
from kvdesk.gui.widgets.card import Card
from kvdesk.gui.widgets.fields import NumberField, TokenField
from kvdesk.gui.widgets.form import Form

_EIGHTHS = 8
_SMALLEST = 8
"""The slider starts at 2^8 = 256 tokens."""


class WorkloadPanel(Card):
    """Context, sequences, shared prefix and, for models with an encoder, its tokens."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("Workload")
        self._edit = bridge.edit
        self.form = Form(reserve=False)
        self.context = TokenField("Context", "tokens", 1)
        self.slider = _Slider()
        self.sequences = NumberField("Sequences", low=1, high=10_000_000)
        self.prefix = TokenField("Shared prefix", "tokens", 0)
        self.encoder = NumberField("Encoder tokens", "tokens", 1)
        self.form.add("Context", self.context)
        self.form.add("", self.slider)
        self.form.add("Sequences", self.sequences)
        self.prefix_row = self.form.add("Shared prefix", self.prefix)
        self.encoder_row = self.form.add("Encoder", self.encoder, self._reset_encoder)
        self.body.addWidget(self.form)
        self.context.committed.connect(self._set_context)
        self.slider.valueChanged.connect(lambda value: self._set_context(tokens_at(value)))
        self.sequences.committed.connect(
            lambda n: self._edit(f"{n:,} sequences", lambda s: actions.set_sequences(s, n), "sequences")
        )
        self.prefix.committed.connect(
            lambda n: self._edit(f"Shared prefix of {n:,}", lambda s: actions.set_shared_prefix(s, n), "prefix")
        )
        self.encoder.committed.connect(
            lambda n: self._edit(f"{n:,} encoder tokens", lambda s: actions.set_encoder_tokens(s, n), "encoder")
        )

    def show_view(self, view: View) -> None:
        """The workload of the session; what is not set shows its default."""
        session, sizing = view.session, view.sizing
        known = view.answers.sizing
        limit = known.geometry.max_context.value if known and known.geometry.max_context else None
        self.slider.show_limit(limit or 1 << 20)
        context = sizing.workload.context if sizing else session.context
        if context is not None:
            self.context.show_value(context)
            self.slider.show_tokens(context)
        self.context.setToolTip(f"The model's longest context is {numbers.integer(limit)} tokens." if limit else "")
        self.sequences.show_value(session.sequences)
        self.prefix.show_value(session.shared_prefix)
        error = view.derived.error
        # The fields allow no other workload that makes no sense than a prefix past the context.
        self.prefix_row.refuse(error.remedy if error and error.code == "bad-workload" else "")
        self._show_encoder(view)

    def _show_encoder(self, view: View) -> None:
        known = view.answers.sizing
        tokens = known.geometry.encoder_tokens if known else 0
        self.encoder_row.set_visible(bool(tokens))
        if tokens:
            self.encoder.show_value(tokens)
            yours = view.session.encoder_tokens is not None
            was = view.derived.former.get("encoder_tokens")
            text = f"{numbers.integer(was.geometry.encoder_tokens)}, from config.json" if was else ""
            self.encoder_row.show_source(Source(Origin.USER if yours else Origin.CONFIG), yours=yours, was=text)

    def _set_context(self, tokens: int) -> None:
        self._edit(f"Context of {tokens:,}", lambda session: actions.set_context(session, tokens), "context")

    def _reset_encoder(self) -> None:
        self._edit("Reset encoder tokens", lambda session: actions.set_encoder_tokens(session, None))


class _Slider(QSlider):
    """Contexts on a logarithmic scale, eight stops to an octave."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setAccessibleName("Context, logarithmic")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSingleStep(1)
        self.setPageStep(_EIGHTHS)

    def show_tokens(self, tokens: int) -> None:
        """The stop nearest to `tokens`."""
        with QSignalBlocker(self):
            self.setValue(position_of(tokens))

    def show_limit(self, tokens: int) -> None:
        """The right end."""
        with QSignalBlocker(self):
            self.setMaximum(max(_EIGHTHS, position_of(tokens)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only while it has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


def tokens_at(position: int) -> int:
    """Tokens at a stop of the slider."""
    octave, eighth = divmod(position, _EIGHTHS)
    base = 1 << (octave + _SMALLEST)
    return base + base * eighth // _EIGHTHS


def position_of(tokens: int) -> int:
    """The last stop that is not past `tokens`."""
    if tokens < 1 << _SMALLEST:
        return 0
    octave = tokens.bit_length() - 1
    return (octave - _SMALLEST) * _EIGHTHS + (tokens - (1 << octave)) * _EIGHTHS // (1 << octave)
