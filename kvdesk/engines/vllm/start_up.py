"""Options with which vLLM ends at once: steps too small for their sequences, draft layers that are not there."""

from collections.abc import Iterator

from kvdesk.core.device import Device
from kvdesk.core.findings import Finding, refusal
from kvdesk.engines.base import Question
from kvdesk.engines.vllm import defaults
from kvdesk.engines.vllm.arguments import Arguments
from kvdesk.engines.vllm.kv_dtype import Resolved
from kvdesk.engines.vllm.model import MODULE_COUNTS, Model, is_nvidia
from kvdesk.engines.vllm.notes import UNSIZED_DRAFTS
from kvdesk.engines.vllm.versions import Rules

MTP_FAMILIES = (
    "deepseek_v3", "deepseek_v32", "deepseek_v4", "glm_moe_dsa", "glm4_moe", "glm_ocr", "glm5_next", "dots3_note",
    "pangu_ultra_moe", "kimi_k3", "mimo", "ernie4_5_moe", "nemotron_h", "qwen3_next", "qwen3_5", "qwen4_exp",
    "bailing_hybrid", "exaone_moe", "exaone4_5", "intern_s2", "interns2", "longcat_flash", "step3p", "step5", "hy_v3",
    "hy_v4", "gemma4", "inkling", "minimax_m3",
)  # fmt: skip
"""Starts of the model types that have an MTP head in vLLM 0.33.0 (`config/speculative.py` `hf_config_override`)."""

SIZED_METHODS = frozenset(
    {"ngram", "ngram_gpu", "suffix", "medusa", "mlp_speculator", "eagle", "eagle3", "mtp", *UNSIZED_DRAFTS}
)
"""Speculative methods that are known; `custom_class` and `extract_hidden_states` keep what cannot be told."""


def problems(device: Device, model: Model, arguments: Arguments, rules: Rules, cache: Resolved) -> Iterator[Finding]:
    """Why vLLM would not start with these options, one finding for each reason."""
    yield from _speculation(model, arguments)
    yield from _nvfp4(device, model, rules, cache)


def steps(question: Question, arguments: Arguments, rules: Rules) -> Iterator[Finding]:
    """`config/scheduler.py` `verify_max_model_len`."""
    length = arguments.max_model_len or question.workload.context
    batch = defaults.batch(question.device, arguments, rules, max_model_len=length, stages=question.layout.pp)
    if batch.tokens < batch.sequences:
        yield refusal(
            "step-too-small",
            f"vLLM does not start with max_num_seqs {batch.sequences:,} above max_num_batched_tokens {batch.tokens:,}.",
            f"Set max_num_batched_tokens to at least {batch.sequences:,}, or max_num_seqs to at most {batch.tokens:,}.",
        )
    if not batch.chunked and batch.tokens < length:
        yield refusal(
            "step-too-small",
            f"Without chunked prefill vLLM does not start with max_num_batched_tokens {batch.tokens:,} below "
            f"max_model_len {length:,}.",
            f"Set max_num_batched_tokens to at least {length:,}.",
        )


def _speculation(model: Model, arguments: Arguments) -> Iterator[Finding]:
    """`config/speculative.py`: method mtp takes the model's own draft layers, if no other model is named."""
    geometry, speculation = model.geometry, arguments.speculation
    if speculation is None:
        return
    if speculation.method not in SIZED_METHODS:
        yield refusal(
            "unknown-speculation",
            f"What the speculative method “{speculation.method[:40]}” keeps is not known, so nothing was sized.",
            "Choose mtp, eagle, eagle3 or ngram, or give the pool that the engine prints.",
        )
    if speculation.method != "mtp" or speculation.model:
        return
    named = any(key.rpartition(".")[2] in MODULE_COUNTS for key in geometry.facts)
    if not (geometry.draft_layers or named or geometry.model_type.startswith(MTP_FAMILIES)):
        yield refusal(
            "no-draft-layers",
            f"vLLM has no MTP head for {geometry.model_type}: speculative method mtp is refused.",
            "Choose eagle with a draft model, ngram, or no speculation.",
        )


def _nvfp4(device: Device, model: Model, rules: Rules, cache: Resolved) -> Iterator[Finding]:
    """`v1/attention/backends/flashinfer.py` `supports_kv_cache_dtype`."""
    name, major = cache.format.name, model.capability[0]
    if cache.problem or not name.startswith("nvfp4") or name == "nvfp4_ds_mla" or not is_nvidia(device):
        return
    if major != 10 and not (rules.nvfp4_on_any_gpu and name == "nvfp4" and major in (8, 9, 12)):
        since = "" if rules.nvfp4_on_any_gpu or name != "nvfp4" else " before 0.33"
        yield refusal(
            "unsupported-kv-dtype",
            f"vLLM{since} keeps a cache in {name} only on Blackwell data-centre GPUs, not on {device.name}.",
            "Choose fp8.",
        )
