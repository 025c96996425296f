"""From TensorRT-LLM's options to what the rules look at."""

from kvdesk.core import number_formats
from kvdesk.core.errors import RefusalError
from kvdesk.core.values import dataclass
from kvdesk.engines import common
from kvdesk.engines.arguments import Arguments
from kvdesk.engines.base import Question
from kvdesk.engines.tensorrt_llm import constants

_BLACKWELL = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options: fraction of the free memory, tokens of a block, caps, windows, and the load of the dry run.

    `state_slots` None means that the user leaves `max_batch_size` to the planner.
    """

    fraction: float
    fraction_typed: bool
    block: int
    most_tokens: int | None
    most_bytes: int | None
    windows: tuple[int, ...]
    batch: int
    state_slots: int | None
    tokens_per_pass: int


def read(question: Question) -> Settings:
    """The settings of a question; raises `UsageError` for options that the engine does not have."""
    arguments = _arguments(question)
    arguments.refuse_unknown(constants.USED | constants.NEUTRAL, constants.TITLE)
    typed = arguments.fraction("free_gpu_memory_fraction", question.utilization)
    batch = arguments.integer("max_batch_size", 0) or None
    return Settings(
        fraction=common.check_utilization(constants.FREE_FRACTION if typed is None else typed),
        fraction_typed=typed is not None,
        block=arguments.integer("tokens_per_block", constants.TOKENS_PER_BLOCK, least=1, most=1 << 16),
        most_tokens=arguments.integer("max_tokens", 0) or None,
        most_bytes=arguments.integer("max_gpu_total_bytes", 0) or None,
        windows=arguments.integers("max_attention_window"),
        batch=batch or constants.MAX_BATCH,
        state_slots=batch,
        tokens_per_pass=arguments.integer("max_num_tokens", constants.MAX_TOKENS_PER_PASS, least=1),
    )


def resolve(question: Question) -> str:
    """The cache's format: as asked for, else the checkpoint's, else the model's.

    Raises `RefusalError` (`unsupported-kv-dtype`) for formats that the engine refuses.
    """
    geometry = question.geometry
    asked = _arguments(question).text("dtype", question.kv_dtype)
    if asked == "auto":
        asked = (geometry.checkpoint_kv_dtype or geometry.model_dtype).value
    found = number_formats.find(asked)
    name = "fp8" if found is not None and found.name == "fp8_e4m3" else (found.name if found else asked)
    if name not in constants.TYPES:
        raise RefusalError(
            "unsupported-kv-dtype",
            f"TensorRT-LLM does not keep a cache in “{asked[:40]}”.",
            f"It knows {', '.join(constants.TYPES)}.",
            "Choose fp8.",
        )
    return name


def check_device(name: str, question: Question) -> None:
    """Raise `RefusalError` for a format that the GPU does not keep: NVFP4 is read by Blackwell's kernels alone."""
    capability = question.device.compute_capability
    if name == "nvfp4" and capability is not None and capability[0] < _BLACKWELL:
        raise RefusalError(
            "unsupported-kv-dtype",
            f"TensorRT-LLM keeps a cache in nvfp4 only on Blackwell GPUs, not on {question.device.name}.",
            "",
            "Choose fp8.",
        )


def _arguments(question: Question) -> Arguments:
    return Arguments(question.arguments, aliases=constants.ALIASES)
