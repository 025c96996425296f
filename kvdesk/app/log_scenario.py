"""From a start-up log to the session it describes: engine, version, options, GPU and layout."""

from collections.abc import Iterable, Mapping

from kvdesk.app.session import GpuChoice, Session
from kvdesk.catalogue import accelerators
from kvdesk.core.device import Device
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Finding, info, warning
from kvdesk.core.json_value import JsonValue
from kvdesk.core.units import GIB
from kvdesk.core.values import dataclass, replace
from kvdesk.engines.logs.record import EngineLog
from kvdesk.engines.registry import engine as engine_named

_LAYOUT = {
    "vllm": ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "decode_context_parallel_size"),
    "sglang": ("tp_size", "pp_size", "dp_size", ""),
    "tensorrt_llm": ("tp_size", "pp_size", "", ""),
    "llama_cpp": ("", "", "", ""),
}
_ARGUMENTS = {
    "vllm": (
        "max_model_len", "max_num_batched_tokens", "max_num_seqs", "block_size", "enable_prefix_caching",
        "enforce_eager", "speculative_config", "kv_cache_memory_bytes", "num_gpu_blocks_override",
        "disable_hybrid_kv_cache_manager", "mamba_ssm_cache_dtype", "enable_chunked_prefill", "enable_expert_parallel",
        "attention_backend", "async_scheduling", "performance_mode",
    ),
    "sglang": (
        "chunked_prefill_size", "page_size", "swa_full_tokens_ratio", "mamba_full_memory_ratio", "max_total_tokens",
        "disable_radix_cache", "max_running_requests", "cuda_graph_max_bs", "attention_backend", "disable_cuda_graph",
        "speculative_algorithm",
    ),
    "tensorrt_llm": ("max_batch_size", "max_num_tokens"),
    "llama_cpp": ("ctx_size", "parallel", "kv_unified", "ubatch_size", "cache_type_k", "cache_type_v", "swa_full"),
}  # fmt: skip
_FRACTIONS = ("gpu_memory_utilization", "mem_fraction_static", "free_gpu_memory_fraction")
_LENGTHS = ("max_model_len", "context_length", "max_seq_len")
_MOST = 1 << 40
_LARGEST_GRAPH = 512
_CLOSE = 0.004
"""Totals of the same card differ by up to 0.2 GiB with the driver."""
_FREE_CLOSE = 0.02
_USUAL = (accelerators.DEFAULT, "h200-sxm", "rtx-3090", "rtx-4090", "rtx-5090", "a100-80-sxm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """The session that a log describes, and what had to be assumed."""

    session: Session
    findings: tuple[Finding, ...] = ()


def model_name(log: EngineLog) -> str | None:
    """What the log calls its model, to be looked up."""
    name = log.model.value if log.model else None
    return name if isinstance(name, str) and name else None


def scenario(log: EngineLog, base: Session, *, given: Session | None = None) -> Scenario:
    """`base` with everything that the log says laid over it; the model stays, and its GPU where the log tells none.

    `given` holds what somebody said of this very run: what it sets goes before the log.
    """
    findings: list[Finding] = []
    choices = (given.gpus if given else ())[:1] or _gpus(log, base, findings)
    dtype = log.option("kv_cache_dtype")
    said = replace(
        base,
        engine=log.engine,
        engine_version=given.engine_version if given and given.engine_version else _version(log, findings),
        engine_arguments={**_kept(base, log), **_believed(log, findings)},
        context=_context(log) or base.context,
        sequences=1,
        kv_dtype=dtype if isinstance(dtype, str) and dtype else base.kv_dtype,
        gpus=tuple(_laid_out(choice, log) for choice in choices),
        utilization=_fraction(log) or base.utilization,
        pool_bytes=None,
    )
    return Scenario(session=_before(said, given) if given else said, findings=tuple(findings))


def _before(said: Session, given: Session) -> Session:
    """What was given goes before what the log says."""
    choice, wanted = said.gpus[0], given.gpus[0] if given.gpus else None
    if wanted is not None and (wanted.tp or wanted.pp or wanted.dp or wanted.count > 1):
        choice = wanted
    return replace(
        said,
        gpus=(choice,),
        context=given.context or said.context,
        kv_dtype=given.kv_dtype if given.kv_dtype != "auto" else said.kv_dtype,
        utilization=given.utilization or said.utilization,
        engine_arguments={**said.engine_arguments, **given.engine_arguments},
    )


def _kept(base: Session, log: EngineLog) -> Mapping[str, JsonValue]:
    """Options of the session that can be meant for the log's engine."""
    return base.engine_arguments if base.engine in ("plain", log.engine) else {}


def identify(name: str, total: int | None, devices: Iterable[Device], close: float = _CLOSE) -> tuple[Device, ...]:
    """The accelerators that a name or, without one, a total in bytes may mean, best first.

    >>> [d.id for d in identify("NVIDIA GeForce RTX 3090", None, accelerators.all_devices())][:1]
    ['rtx-3090']
    """
    known = tuple(devices)
    words = _words(name)
    shared = {device.id: _shared(words, _words(device.name)) for device in known}
    most = max(shared.values(), default=0)
    if most:
        found = [device for device in known if shared[device.id] == most]
    else:
        found = [device for device in known if total and _distance(device, total) <= close]

    # Cards of one name or memory class cannot be told apart; the usual one goes first, then the plainest name.
    def order(device: Device) -> tuple[int, bool, int]:
        far = round(_distance(device, total) * 1000) if total else 0
        return far, device.id not in _USUAL, len(_words(device.name) - words)

    return tuple(sorted(found, key=order))


def _gpus(log: EngineLog, base: Session, findings: list[Finding]) -> tuple[GpuChoice, ...]:
    name = str(log.gpu.value) if log.gpu else ""
    devices = accelerators.all_devices()
    figure, free = log.figures.get("total_memory"), log.figures.get("free_memory")
    if figure is None and free is not None and log.engine == "sglang":
        # What is free before loading is less than the total by the context and communication.
        found = identify(name, int(free.number) + GIB, devices, close=_FREE_CLOSE)
    else:
        found = identify(name, int(figure.number) if figure else None, devices)
    if not found and base.gpus:
        return base.gpus[:1]
    if not found:
        findings.append(
            warning(
                "gpu-unknown",
                "The log does not say which GPU it ran on; the default GPU stands in for it.",
                "Give it with --gpu.",
            )
        )
        return (GpuChoice(gpu=accelerators.DEFAULT),)
    if not name:
        # Where several have that memory, the scenario's own is as good as any.
        chosen = base.gpus[0].gpu if base.gpus else ""
        found = tuple(sorted(found, key=lambda device: device.id != chosen))
        others = ", ".join(device.name for device in found[1:4])
        findings.append(
            info(
                "gpu-from-total",
                f"The GPU was told by its memory: {found[0].name}." + (f" It may also be {others}." if others else ""),
                "Give it with --gpu if that is wrong.",
            )
        )
    return (GpuChoice(gpu=found[0].id),)


def gpus(log: EngineLog) -> int:
    """How many GPUs the log's layout has, 1 where it tells none."""
    tp, pp, dp, _ = _degrees(log)
    return (tp or 1) * (pp or 1) * (dp or 1)


def _laid_out(choice: GpuChoice, log: EngineLog) -> GpuChoice:
    tp, pp, dp, dcp = _degrees(log)
    if not (tp or pp or dp):
        return choice
    return replace(choice, count=gpus(log), tp=tp or 1, pp=pp or 1, dp=dp or 1, dcp=dcp or choice.dcp)


def _degrees(log: EngineLog) -> tuple[int | None, int | None, int | None, int | None]:
    """TP, PP, DP and DCP, None where the log does not say."""
    tp, pp, dp, dcp = (_degree(log, name) for name in _LAYOUT[log.engine])
    if log.engine == "sglang" and dp and dp > 1 and tp:
        # SGLang counts attention replicas inside the tensor-parallel group.
        tp = max(1, tp // dp)
    return tp, pp, dp, dcp


def _degree(log: EngineLog, name: str) -> int | None:
    value = log.option(name) if name else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 4096 else None


def _version(log: EngineLog, findings: list[Finding]) -> str | None:
    text = str(log.version.value) if log.version else ""
    if log.engine != "vllm" or not text:
        if log.engine == "vllm":
            findings.append(
                info("version-unknown", "The log does not say its version; the newest profile stands in for it.")
            )
        return None
    from kvdesk.engines.vllm import versions

    try:
        versions.rules(text)
    except KvdeskError as error:
        findings.append(warning(error.code, error.title, error.remedy))
        return versions.VERSIONS[-1]
    return text


def _arguments(log: EngineLog) -> Mapping[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name in _ARGUMENTS[log.engine]:
        value = log.option(name)
        if value is not None and value != "auto":
            found[name] = value
    if log.engine == "vllm" and "max_num_seqs" not in found and (sequences := _captured(log)):
        found["max_num_seqs"] = sequences
    blocks = log.figures.get("block_size")
    if log.engine == "tensorrt_llm" and blocks is not None:
        found["tokens_per_block"] = blocks.value
    return found


def _believed(log: EngineLog, findings: list[Finding]) -> Mapping[str, JsonValue]:
    """The options without those that no engine would take; a log is not a command, so they are told, not refused."""
    given = _arguments(log)
    kept = {name: value for name, value in given.items() if _possible(log.engine, name, value)}
    findings += [
        warning("option-not-used", f"The log's {name} has an impossible value and was not used.", "Check the log.")
        for name in sorted(set(given) - set(kept))
    ]
    return kept


def _possible(engine: str, name: str, value: JsonValue) -> bool:
    if isinstance(value, int) and not isinstance(value, bool) and not -1 <= value <= _MOST:
        return False
    if engine != "vllm":
        return True
    from kvdesk.engines.vllm import arguments

    try:
        arguments.parse({name: value})
    except KvdeskError:
        return False
    return True


def _captured(log: EngineLog) -> int | None:
    """Sequences at once as the largest CUDA graph tells them, where the limit is lower than the default's.

    vLLM captures up to min(2 x max_num_seqs, 512), with speculation for several tokens of each (0.11.0
    `config/scheduler.py` to 0.33.0 `config/vllm.py`).
    """
    largest = log.option("max_cudagraph_capture_size")
    if not isinstance(largest, int) or not 2 <= largest < _LARGEST_GRAPH or log.option("speculative_config"):
        return None
    return largest // 2


def _context(log: EngineLog) -> int | None:
    for name in _LENGTHS:
        value = log.option(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST:
            return value
    figure = log.figures.get("concurrency_tokens")
    if figure is not None and 0 < figure.number < _MOST:
        return int(figure.number)
    cells, slots = log.option("ctx_size"), log.option("parallel")
    if log.engine == "llama_cpp" and isinstance(cells, int) and 0 < cells < _MOST:
        shared = log.option("kv_unified") is not False
        return cells if shared or not isinstance(slots, int) or slots < 1 else max(1, cells // slots)
    return None


def _fraction(log: EngineLog) -> float | None:
    figure = log.figures.get("utilization")
    values = [log.option(name) for name in _FRACTIONS] + [figure.value if figure else None]
    for value in values:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1:
            return float(value)
    return None


def _words(name: str) -> frozenset[str]:
    plain = "".join(c if c.isalnum() else " " for c in name.lower())
    return frozenset(word for word in plain.split() if word not in ("nvidia", "amd", "intel", "geforce", "tesla"))


def _shared(words: frozenset[str], known: frozenset[str]) -> int:
    """How many words both have, 0 unless one of them is a model's number."""
    shared = words & known
    numbered = [w for w in shared if any(c.isdigit() for c in w) and not w.endswith("gb") and len(w) > 1]
    return len(shared) if numbered else 0


def _distance(device: Device, total: int | None) -> float:
    size = device.engine_bytes or device.reported_bytes
    return abs(size.value / total - 1) if size and total else 1.0


def engine_title(log: EngineLog) -> str:
    """The engine's name and version as people write them."""
    title = engine_named(log.engine).title
    return f"{title} {log.version.value}" if log.version else title
