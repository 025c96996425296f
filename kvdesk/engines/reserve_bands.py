"""Constants of the reserve model: what start-up logs show that cannot be computed from a config.json.

Each band is low / expected / high in bytes. Figures are fitted to public vLLM start-up logs, 0.6 to 0.30, that print
total memory, utilization, weights and KV memory (median for expected, roughly the 5th and 95th percentile for the ends)
and rounded to 16 MiB. Where a log prints its parts ("peak activation", "non_torch_memory", "CUDA graph"), parts were
fitted; the rest checks the sum. Of 65 logs, with the engine's defaults where a log does not show a setting, 60 lie in
the band of the total, and the median error of the predicted KV memory is 3.9 % (`tests/engines/test_reserve.py`).
Outside lie an Ascend NPU and a fork with other sequence limits, and three logs whose sequence limit or second node is
unknown.
"""

from kvdesk.core.units import GIB, MIB
from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Low, expected and high bytes of one term, and where they come from."""

    low: int
    expected: int
    high: int
    source: str


NOTHING = Band(low=0, expected=0, high=0, source="")

CONTEXT = Band(
    low=16 * MIB,
    expected=112 * MIB,
    high=480 * MIB,
    source="vLLM logs at TP 1: non_torch_memory 0.01 to 0.46 GiB, median 0.09",
)
"""Memory outside torch that grows while one GPU's engine starts (libraries, workspaces), no communication."""

COMMUNICATION = Band(
    low=96 * MIB,
    expected=656 * MIB,
    high=2304 * MIB,
    source="vLLM logs at TP 2 to 16: non_torch_memory 0.20 to 2.15 GiB, median 0.75, less the part at TP 1",
)
"""What more than one GPU adds: NCCL buffers, custom all-reduce."""

PROCESS_CONTEXT = Band(
    low=320 * MIB,
    expected=512 * MIB,
    high=720 * MIB,
    source="bare contexts 300 to 400 MB; 0.71 GiB after torch is loaded (accelerator measurements, pytorch#107667)",
)
"""What a process takes of the device before it loads anything."""

PROCESS_COMMUNICATION = Band(
    low=320 * MIB,
    expected=1024 * MIB,
    high=1536 * MIB,
    source="SGLang logs: 1.4 to 2 GiB of a tensor-parallel worker gone before the weights (1.9 GiB at TP 8 on H200)",
)
"""What communication with other GPUs adds before anything is loaded."""

GRAPHS = Band(
    low=40 * MIB,
    expected=288 * MIB,
    high=1264 * MIB,
    source="vLLM logs: CUDA graphs 0.04 to 2.4 GiB, median 0.28, 90th percentile 1.22",
)
"""CUDA graphs of a decoder captured up to 512 sequences."""

GRAPHS_LARGE = Band(
    low=40 * MIB,
    expected=512 * MIB,
    high=5 * GIB,
    source="vLLM logs on Blackwell data-centre GPUs (captured up to 1,024 sequences): 0.05 to 4.99 GiB",
)

ENCODER = Band(
    low=256 * MIB,
    expected=1408 * MIB,
    high=4 * GIB,
    source="vLLM logs of vision-language models with few sequences: 0.3 to 4.1 GiB",
)
"""Peak of a multimodal encoder's profile run at `ENCODER_TOKENS` tokens."""

ENCODER_TOKENS = 16384
"""Tokens of one item at the encoder's own limit (Qwen2.5-VL and Qwen3-VL: 16,384); the run takes at least those, and as
many as a batch holds where that is more (vLLM 0.33.0 `multimodal/encoder_budget.py`)."""

DRAFT_GRAPHS = Band(
    low=32 * MIB,
    expected=256 * MIB,
    high=2 * GIB,
    source="vLLM logs with MTP, EAGLE or DFlash against the same without",
)
"""Graphs and buffers of a draft model beside the main one; its weights are counted with the weights."""

SAMPLER_HALF_BYTES = 77
"""Half bytes per vocabulary entry and sequence in vLLM's dummy sampler run: 38.5 B.

Measured peaks divided by vocabulary x 1,024: 38.3 (gpt-oss), 38.4 (Llama 3.1), 38.3 (Qwen3). The parts are logits in
the model's format and in fp32, the sorted copy, its int64 indices, probabilities and their cumulative sum.
"""

SAMPLER_LOW_BYTES = 6
"""The least a sampler run can take: logits in the model's format (2 B) and one fp32 copy (4 B); vLLM's second model
runner (default for every model since 0.30) sorts nothing when FlashInfer samples."""

PENALTY_EIGHTH_BYTES = 33
"""Eighths of a byte per vocabulary entry and sequence that the second model runner keeps for penalties: an int32
count and one bit. vLLM 0.33.0 `v1/worker/gpu/sample/penalties.py`."""

FIRST_WITH_PENALTY_STATE = (0, 30)
FIRST_WITH_GRAPHS_INSIDE = (0, 20)
"""vLLM subtracts its estimate of CUDA graphs before the cache since 0.20.0 (`envs.py`
VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS True); before, graphs were captured in memory outside the budget."""
