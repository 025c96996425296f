"""From SGLang's options to what the rules look at."""

from fractions import Fraction

from kvdesk.core.budget import BudgetLine
from kvdesk.core.errors import UsageError
from kvdesk.core.geometry import Geometry
from kvdesk.core.sourced import Origin, Source
from kvdesk.engines import common, spread
from kvdesk.engines.arguments import Arguments
from kvdesk.engines.base import Question
from kvdesk.engines.sglang import constants, pools, static

_ALIASES = {"tensor_parallel_size": "tp_size", "pipeline_parallel_size": "pp_size", "data_parallel_size": "dp_size"}
_PAGES = {"flashmla": 64, "trtllm_mla": 64, "cutedsl_mla": 64, "trtllm_mha": 64, "cutlass_mla": 128}
"""Page sizes that attention backends ask for; 1 otherwise. `arg_groups/attention_hook.py`."""


def arguments_of(question: Question) -> Arguments:
    """The options by name."""
    return Arguments(question.arguments, aliases=_ALIASES)


def machine(question: Question, arguments: Arguments) -> static.Machine:
    """What the default of the static fraction depends on."""
    device, layout = question.device, question.layout
    total = (device.reported_bytes or device.engine_bytes or device.marketed_bytes).value
    attention_dp = layout.dp if spread.attention_only(question) else 1
    return static.Machine(
        memory_mib=max(1, total >> 20),
        tp=layout.tp * attention_dp,
        pp=layout.pp,
        mla=question.geometry.is_latent,
        attention_dp=attention_dp,
        chunked_prefill=arguments.integer("chunked_prefill_size", 0) or None,
        graph_batch=arguments.integer("cuda_graph_max_bs", 0) or None,
        graphs=not arguments.flag("disable_cuda_graph"),
        deepep=arguments.text("moe_a2a_backend") == "deepep",
        vision=_vision(question.geometry),
    )


def fraction(question: Question, arguments: Arguments, of: static.Machine) -> BudgetLine:
    """`mem_fraction_static` and where it came from."""
    typed = arguments.fraction("mem_fraction_static", question.utilization)
    if typed is not None:
        return _fraction_line(common.check_utilization(typed), "", "", Source(Origin.USER, "mem_fraction_static"))
    found = static.default_fraction(of)
    if found <= 0:
        raise UsageError(
            "device-too-small", "SGLang's default leaves nothing of this device.", "", "Set mem_fraction_static."
        )
    formula, numbers = static.written(of)
    detail = "arg_groups/memory_hook.py, MiB"
    return _fraction_line(
        found, formula, numbers, common.profile_source(constants.TITLE, constants.VERSIONS[0], detail)
    )


def _fraction_line(value: float, formula: str, numbers: str, source: Source) -> BudgetLine:
    return BudgetLine(
        key="utilization",
        symbol="f",
        label="mem_fraction_static",
        value=value,
        unit="",
        formula=formula,
        substituted=numbers,
        source=source,
    )


def options(question: Question, arguments: Arguments) -> pools.Options:
    """What the options say about pools."""
    low = question.geometry.architecture in constants.LOW_RATIO_ARCHITECTURES
    ratio = arguments.fraction("swa_full_tokens_ratio", constants.LOW_RATIO if low else constants.SWA_FULL_TOKENS_RATIO)
    states = arguments.fraction("mamba_full_memory_ratio", constants.MAMBA_FULL_MEMORY_RATIO, most=100.0)
    cached = not arguments.flag("disable_radix_cache")
    return pools.Options(
        page=arguments.integer("page_size", _page_size(question, arguments), least=1, most=1 << 16),
        window_ratio=Fraction(str(ratio)),
        state_ratio=Fraction(str(states)),
        state_slots=arguments.integer("max_mamba_cache_size", 0) or None,
        slots_per_request=constants.MAMBA_SLOTS_PER_REQUEST if cached else 1,
        max_total_tokens=arguments.integer("max_total_tokens", 0) or None,
    )


def splits_windows(geometry: Geometry, arguments: Arguments) -> bool:
    """Whether windows get a pool of their own."""
    listed = geometry.architecture in constants.SPLIT_WINDOW_ARCHITECTURES
    return listed and not arguments.flag("disable_hybrid_swa_memory")


def running_limit(arguments: Arguments, found: pools.Pools, context: int, slots_per_request: int) -> int:
    """Requests that run at once in one replica.

    Source: SGLang 0.5.23 `mem_cache/kv_cache_configurator.py` `resolve_max_num_reqs`.
    """
    estimated = found.tokens * constants.RUNNING_PER_CONTEXT // context
    default = max(min(estimated, constants.RUNNING_MOST), constants.RUNNING_LEAST)
    limit = arguments.integer("max_running_requests", default, least=1)
    if found.tokens:
        limit = min(limit, found.tokens // 2)
    if found.state_slots is not None:
        limit = min(limit, found.state_slots // slots_per_request)
    return limit


def running_written(arguments: Arguments, found: pools.Pools, context: int, slots_per_request: int) -> tuple[str, str]:
    """How `running_limit` comes about: in symbols, and with numbers put in."""
    most, least, per = constants.RUNNING_MOST, constants.RUNNING_LEAST, constants.RUNNING_PER_CONTEXT
    typed = arguments.integer("max_running_requests", 0) or None
    symbols = ["max_running_requests" if typed else f"max(min(floor(N × {per} / T), {most}), {least})"]
    numbers = [f"{typed:,}" if typed else f"max(min(floor({found.tokens:,} × {per} / {context:,}); {most}); {least})"]
    if found.tokens:
        symbols.append("floor(N / 2)")
        numbers.append(f"floor({found.tokens:,} / 2)")
    if found.state_slots is not None:
        symbols.append("floor(K / slots of a request)")
        numbers.append(f"floor({found.state_slots:,} / {slots_per_request})")
    return f"L = min({', '.join(symbols)})", f"min({'; '.join(numbers)})"


def _page_size(question: Question, arguments: Arguments) -> int:
    if any(part.kind == "indexer" for part in question.geometry.parts()):
        return 64
    capability = question.device.compute_capability
    backend = arguments.text("attention_backend")
    if backend == "fa4" and capability is not None and capability[0] >= 10:
        return 128
    return _PAGES.get(backend, 1)


def _vision(geometry: Geometry) -> int:
    """Layers x hidden size^2 of the vision tower; the engine's own defaults (24, 1,024) where they were not read."""
    if not geometry.multimodal:
        return 0
    values = {"num_hidden_layers": 24, "hidden_size": 1024}
    for name in values:
        # Kimi K2.5 writes vt_hidden_size, which its config class maps.
        fact = geometry.facts.get(f"vision_config.{name}") or geometry.facts.get(f"vision_config.vt_{name}")
        if fact is not None and isinstance(fact.value, int) and 0 < fact.value < 1 << 20:
            values[name] = fact.value
    return values["num_hidden_layers"] * values["hidden_size"] ** 2
