"""The likely reason of a difference between a log and kvdesk's figure, in a sentence."""

from kvdesk.app.reconcile_rows import PLANNED, Row
from kvdesk.engines.base import Answer
from kvdesk.engines.logs.record import EngineLog

_NEAR = 0.01
LENGTHS = ("max_model_len", "context_length", "max_seq_len", "ctx_size")
"""Options that give the length, by engine."""


def reason(row: Row, log: EngineLog, answer: Answer, *, other: bool = False) -> str:
    """Why the values differ, or how they agree; of another model's log nothing but that, except of the GPU's memory."""
    if row.equal:
        return "equal within the printed rounding" if row.ours != row.logged else "equal"
    if other and row.key not in ("total_memory", "requested_memory"):
        return "the log's model differs from the scenario's"
    if row.exact or (row.key == "available_kv" and log.engine == "llama_cpp"):
        return _planned(row, log, answer)
    if row.key in ("total_memory", "requested_memory"):
        return _memory(row)
    if row.key in ("weights", "consumed", "peak") and not (row.inside and row.low < row.high):
        return _weights(row)
    if row.inside:
        return "an estimate; the log lies inside our band"
    return _outside(row, log)


def _planned(row: Row, log: EngineLog, answer: Answer) -> str:
    ratio = row.logged / row.ours if row.ours else 0.0
    if row.key in ("kv_tokens", "max_concurrency") and _is_near(ratio, (0.25, 0.5, 2.0, 4.0)):
        return f"a factor of {ratio:.2g}: the cache has another number format, or its heads are divided otherwise"
    if row.key == "kv_tokens" and "max_concurrency" in log.figures:
        concurrency = log.figures["max_concurrency"].number
        length = log.figures.get("concurrency_tokens")
        if length is not None and row.ours and abs(concurrency * length.number / row.ours - 1) < _NEAR:
            return "an older definition of the token count (blocks shared between groups of layers); concurrency agrees"
    bounded = any(term.cap is not None or term.fixed for term in answer.logical.terms)
    if bounded and not any(log.option(name) for name in LENGTHS) and "concurrency_tokens" not in log.figures:
        return "the log does not say its max_model_len, on which this figure depends with windows or states"
    if bounded and log.version is None and log.engine == "vllm":
        return "the version is not known; rules for windows and states changed in 0.20, 0.26, 0.28 and 0.33"
    if bounded and abs(ratio - 1) < 0.2:
        return "close: tokens in flight, states or block size differ from the defaults assumed here"
    if ratio < 1 and answer.layout.tp * answer.layout.pp > 1:
        return _smaller_rank(answer)
    return "the model, its cache format or an option of the log differs from the scenario"


def _smaller_rank(answer: Answer) -> str:
    said = "the rank with the least memory decides, and the printed memory may be that of another"
    if answer.engine == "vllm" and answer.engine_version.startswith(("0.7", "0.8")):
        # worker/cache_engine.py of 0.7.2 to 0.8.2: 576 elements of an MLA latent take 1,280 B instead of 1,152.
        return said + "; engine V0 also keeps latents in steps of 256 B"
    return said


def _memory(row: Row) -> str:
    if row.near:
        return "the driver's own share differs by card and driver version"
    return "another GPU, or part of one (MIG, a memory limit)"


def _weights(row: Row) -> str:
    if row.difference is None:
        return "the log prints no weights"
    if row.near:
        return "padding, buffers and rotary tables that are loaded with the weights"
    if row.difference < 0:
        return "the log loads more: other parts (vision, draft), a wider format, or copies on every rank"
    return "the log loads less: the checkpoint is quantised, or parts of it are left out"


def _outside(row: Row, log: EngineLog) -> str:
    if row.key == "activation":
        few = log.option("max_num_seqs") or log.option("max_num_batched_tokens")
        return (
            "another profile run than estimated"
            if few
            else "other limits than the defaults (max_num_seqs, max_num_batched_tokens), which the log does not show"
        )
    if row.key == "graphs":
        return "other capture sizes than the default"
    if row.key == "available_kv" or row.key in PLANNED:
        return "the sum of what is estimated: weights, reserve and the GPU's own total"
    return "outside the band that public logs show"


def _is_near(ratio: float, targets: tuple[float, ...]) -> bool:
    return any(abs(ratio / target - 1) < _NEAR for target in targets)
