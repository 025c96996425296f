"""Defaults of vLLM that depend on the device: tokens per step and sequences at once.

Source: vLLM 0.33.0 `engine/arg_utils.py` `get_batch_defaults` and the function after it, for the API server:

| device memory as the driver reports it | max_num_batched_tokens | max_num_seqs |
|---|---|---|
| 160 GiB and more, since 0.28.0 | 16,384 | 1,024 |
| 70 GiB and more, but not A100 or GB10 | 8,192 | 1,024 |
| else | 2,048 | 256 |

H100 80 GB (79.65 GiB) and H200 are in the second class, A100 80 GB in the third, B200 in the first.
"""

from kvdesk.core.device import Device
from kvdesk.core.units import GIB
from kvdesk.core.values import dataclass
from kvdesk.engines.vllm.arguments import Arguments
from kvdesk.engines.vllm.versions import Rules

_GB10 = (12, 1)

ANY_LENGTH = 1 << 40

FIRST_ENGINE_WHOLE_PROMPTS = 32_768
"""Longest prompt that engine V0 reads in one step by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one step may hold: tokens, sequences, and the tokens in flight that windows keep room for."""

    tokens: int
    sequences: int
    in_flight: int
    held: int
    """Tokens that a window holds room for at any length: as `in_flight`, without the limits that the present
    `max_model_len` puts on a step. Those never matter at that length, since a step then still holds all of it."""
    chunked: bool = True
    """Whether a long prompt is read in several steps."""


def batch(device: Device, arguments: Arguments, rules: Rules, *, max_model_len: int, stages: int) -> Batch:
    """The step of this device and these options, with `stages` pipeline stages."""
    tokens, sequences = _by_memory(device, rules)
    if arguments.throughput:
        tokens, sequences = tokens * 2, sequences * 2
    sequences = arguments.max_num_seqs or sequences
    chunked = arguments.chunked_prefill
    if chunked is None:
        chunked = not rules.first_engine or max_model_len > FIRST_ENGINE_WHOLE_PROMPTS
    if arguments.max_num_batched_tokens:
        tokens = unlimited = arguments.max_num_batched_tokens
    else:
        unlimited = tokens if chunked else ANY_LENGTH
        if not chunked:
            tokens = max(tokens, max_model_len)
        tokens = min(tokens, sequences * max_model_len)
    if arguments.max_num_seqs is None:
        sequences = min(sequences, tokens)
    steps = concurrent_steps(arguments, stages) if rules.in_flight_windows else 1
    return Batch(tokens=tokens, sequences=sequences, in_flight=steps * tokens, held=steps * unlimited, chunked=chunked)


def concurrent_steps(arguments: Arguments, stages: int) -> int:
    """Steps in flight: one per pipeline stage and one more with asynchronous scheduling, which is the default.

    Source: vLLM 0.33.0 `config/vllm.py` `max_concurrent_batches`.
    """
    return stages + (0 if arguments.async_scheduling is False else 1)


def _by_memory(device: Device, rules: Rules) -> tuple[int, int]:
    if rules.first_engine:
        return 2048, 256
    memory = (device.reported_bytes or device.engine_bytes or device.marketed_bytes).value
    if memory >= 160 * GIB and rules.largest_batches:
        return 16384, 1024
    small = "a100" in device.name.lower() or (rules.small_gb10 and device.compute_capability == _GB10)
    if memory >= 70 * GIB and not small:
        return 8192, 1024
    return 2048, 256
