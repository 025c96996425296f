"""From llama.cpp's options to the layout of its context."""

from kvdesk.core import number_formats
from kvdesk.core.errors import RefusalError, UsageError
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass
from kvdesk.engines.arguments import Arguments
from kvdesk.engines.base import Question
from kvdesk.engines.llama_cpp import constants
from kvdesk.engines.llama_cpp.cells import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options as the engine takes them; `context` None means that the user leaves the size to the planner.

    `slots` None means automatic: the engine's 4, or as many as are asked for, in unified cells.
    """

    context: int | None
    slots: int | None
    unified: bool
    ubatch: int
    swa_full: bool
    keys: NumberFormat
    values: NumberFormat
    flash_attention: bool
    margin: int

    def layout(self, sequences: int) -> Layout:
        """The layout with room for `sequences` sequences."""
        slots = self.slots if self.slots is not None else max(constants.PARALLEL, sequences)
        return Layout(
            slots=slots,
            unified=self.unified,
            ubatch=self.ubatch,
            swa_full=self.swa_full,
            keys=self.keys,
            values=self.values,
        )


def read(question: Question) -> Settings:
    """The settings of a question; raises `KvdeskError` for unknown options and cache types."""
    arguments = Arguments(question.arguments, aliases=constants.ALIASES)
    arguments.refuse_unknown(constants.USED | constants.NEUTRAL, constants.TITLE)
    slots = arguments.integer("parallel", 0) or None
    keys, values = formats(question)
    flash = arguments.flag("flash_attn", default=True)
    if values.block > 1 and not flash:
        raise UsageError(
            "bad-engine-arg",
            "A quantised V cache needs flash attention.",
            "",
            "Set flash_attn to on, or cache_type_v to f16.",
        )
    margin = arguments.integer("fit_target", constants.FIT_MARGIN >> 20) << 20
    return Settings(
        context=arguments.integer("ctx_size", 0) or None,
        slots=slots,
        unified=arguments.flag("kv_unified", default=slots is None),
        ubatch=arguments.integer("ubatch_size", constants.UBATCH, least=1, most=1 << 20),
        swa_full=arguments.flag("swa_full"),
        keys=keys,
        values=values,
        flash_attention=flash,
        margin=margin if arguments.flag("fit", default=True) else 0,
    )


def formats(question: Question) -> tuple[NumberFormat, NumberFormat]:
    """The formats of K and V; `auto` is f16. Raises `RefusalError` (`unsupported-kv-dtype`)."""
    arguments = Arguments(question.arguments, aliases=constants.ALIASES)
    asked = "fp16" if question.kv_dtype == "auto" else question.kv_dtype
    return _format(arguments.text("cache_type_k", asked)), _format(arguments.text("cache_type_v", asked))


def _format(name: str) -> NumberFormat:
    found = number_formats.find(name)
    if found is None or found.name not in constants.TYPES:
        raise RefusalError(
            "unsupported-kv-dtype",
            f"llama.cpp has no cache type “{name[:40]}”.",
            f"It knows {', '.join(constants.TYPES)}.",
            "Choose q8_0 for about one byte per element.",
        )
    return found
