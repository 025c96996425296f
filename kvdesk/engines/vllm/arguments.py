"""vLLM's options by their own names, as far as they change the numbers.

| option | meaning (default) |
|---|---|
| `max_model_len` | longest sequence; a number, `32k`, or -1 / `auto` for what fits (the workload's context) |
| `max_num_batched_tokens` | tokens per step (by device memory, see `defaults.py`) |
| `max_num_seqs` | sequences that run at once (by device memory) |
| `block_size` | tokens per block (by attention backend, see `block_size.py`) |
| `gpu_memory_utilization` | fraction of device memory (0.92; 0.90 before 0.20.0) |
| `kv_cache_memory_bytes` | the pool itself; the utilization is then ignored |
| `num_gpu_blocks_override` | blocks instead of those that the pool gives |
| `enable_prefix_caching` | (on; off for pure state-space and encoder-decoder models) |
| `kv_cache_dtype` | format (auto) |
| `kv_cache_dtype_skip_layers` | layers by number, or `sliding_window`, kept in the model's format (none) |
| `disable_hybrid_kv_cache_manager` | windows and chunks are allocated like full attention (false) |
| `speculative_config` | `{"method": "mtp" or "eagle" or "ngram", "num_speculative_tokens": n}` |
| `mamba_cache_dtype` · `mamba_ssm_cache_dtype` · `dtype` | formats of states and of the model (auto) |
| `enable_chunked_prefill` · `async_scheduling` | (on) |
| `enable_expert_parallel` · `enforce_eager` · `performance_mode` | (off, off, balanced) |
| `attention_backend` · `gdn_prefill_backend` · `kda_prefill_backend` | backend by vLLM's name (auto) |
| `tensor_parallel_size` ... | must be what the layout says |

Any other option of vLLM changes nothing here; one that vLLM does not have, or whose effect is not modelled, is refused.
"""

import json
import re
from collections.abc import Mapping

from kvdesk.core.errors import UsageError
from kvdesk.core.findings import Finding, refusal, warning
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass
from kvdesk.engines.vllm import options

LARGEST = 1 << 40
"""Largest token or block count that is believed."""

_HUMAN = re.compile(r"([0-9]{1,12})([kKmMgG]?)")
_SUFFIX = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_NO_EFFECT: tuple[JsonValue, ...] = (None, False, "", "auto", 0, 1, {}, [])
"""Values with which an option changes nothing; 1 is a size of a parallel group."""
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Speculation:
    """Speculative decoding: method, draft tokens per step, and the draft model's name where one is given."""

    method: str
    tokens: int
    model: str = ""

    @property
    def reads_hidden_states(self) -> bool:
        """EAGLE's family, MTP included (`config/speculative.py` `use_eagle`)."""
        return self.method in ("eagle", "eagle3", "mtp", "dflash", "dspark")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The options that were set; None means vLLM's own default."""

    max_model_len: int | None = None
    longest_that_fits: bool = False
    max_num_batched_tokens: int | None = None
    max_num_seqs: int | None = None
    block_size: int | None = None
    utilization: float | None = None
    pool_bytes: int | None = None
    blocks: int | None = None
    prefix_caching: bool | None = None
    kv_dtype: str | None = None
    skip_layers: tuple[str, ...] = ()
    hybrid_manager: bool = True
    speculation: Speculation | None = None
    state_dtype: str = "auto"
    recurrent_dtype: str = "auto"
    dtype: str = "auto"
    chunked_prefill: bool | None = None
    async_scheduling: bool | None = None
    expert_parallel: bool = False
    eager: bool = False
    throughput: bool = False
    attention_backend: str | None = None
    gdn_prefill: str = "auto"
    kda_prefill: str = "auto"
    parallel: Mapping[str, int]
    """What the parallel options say, by the layout's names (tp, pp, dp, dcp)."""
    findings: tuple[Finding, ...] = ()


def parse(given: Mapping[str, JsonValue]) -> Arguments:
    """`given` with its values checked.

    Raises `UsageError` (`bad-engine-arg`) for a value of the wrong type; unknown options become findings.
    """
    read = _Reader(_named(given))
    longest, auto = read.length("max_model_len")
    return Arguments(
        max_model_len=longest,
        longest_that_fits=auto,
        max_num_batched_tokens=read.integer("max_num_batched_tokens"),
        max_num_seqs=read.integer("max_num_seqs"),
        block_size=read.integer("block_size"),
        utilization=read.fraction("gpu_memory_utilization"),
        pool_bytes=read.integer("kv_cache_memory_bytes", largest=1 << 60),
        blocks=read.integer("num_gpu_blocks_override"),
        prefix_caching=read.boolean("enable_prefix_caching"),
        kv_dtype=read.text("kv_cache_dtype"),
        skip_layers=read.texts("kv_cache_dtype_skip_layers"),
        hybrid_manager=not read.boolean("disable_hybrid_kv_cache_manager"),
        speculation=_speculation(read),
        state_dtype=read.text("mamba_cache_dtype") or "auto",
        recurrent_dtype=read.text("mamba_ssm_cache_dtype") or "auto",
        dtype=read.text("dtype") or "auto",
        chunked_prefill=read.boolean("enable_chunked_prefill"),
        async_scheduling=read.boolean("async_scheduling"),
        expert_parallel=bool(read.boolean("enable_expert_parallel")),
        eager=bool(read.boolean("enforce_eager")),
        throughput=read.text("performance_mode") == "throughput",
        attention_backend=(read.text("attention_backend") or "").upper() or None,
        gdn_prefill=read.text("gdn_prefill_backend") or "auto",
        kda_prefill=read.text("kda_prefill_backend") or "auto",
        parallel={short: value for short, key in _PARALLEL.items() if (value := read.integer(key)) is not None},
        findings=_strangers(read.given),
    )


_PARALLEL = {
    "tp": "tensor_parallel_size",
    "pp": "pipeline_parallel_size",
    "dp": "data_parallel_size",
    "dcp": "decode_context_parallel_size",
}


def _named(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """`--no-enable-prefix-caching` and `enable-prefix-caching` by the names of `EngineArgs`."""
    named: dict[str, JsonValue] = {}
    for key, value in given.items():
        name = key.strip().lstrip("-").replace("-", "_").lower()
        opposite = name.removeprefix("no_")
        if opposite != name and opposite in options.USED | options.NEUTRAL:
            named[opposite] = value is False
        else:
            named[name] = value
    return named


def _strangers(given: Mapping[str, JsonValue]) -> tuple[Finding, ...]:
    found = []
    for key, value in given.items():
        if key in options.UNMODELLED and (value is True or value not in _NO_EFFECT):
            found.append(
                refusal(
                    "unmodelled-engine-arg",
                    f"What vLLM's option “{key[:60]}” does to memory is not modelled, so nothing was sized with it.",
                    "Leave the option out, or give the pool that the engine prints and size without it.",
                )
            )
        elif key in options.APPROXIMATE and value:
            found.append(
                warning(
                    "approximate-engine-arg",
                    f"vLLM's option “{key[:60]}” moves the memory left for the cache; that is not worked out.",
                    "Give the pool that the engine prints for an exact answer.",
                )
            )
        elif key not in options.USED | options.NEUTRAL | options.UNMODELLED | options.APPROXIMATE:
            found.append(
                refusal(
                    "unknown-engine-arg",
                    f"“{key[:60]}” is not an option of vLLM that kvdesk knows, so nothing was sized with it.",
                    "Check the spelling; options are named as in EngineArgs, for example max_num_batched_tokens.",
                )
            )
    return tuple(found)


def _speculation(read: "_Reader") -> Speculation | None:
    config = read.table("speculative_config")
    method = read.text("spec_method") or ""
    if not config and not method:
        return None
    inner = _Reader(config)
    method = inner.text("method") or method
    model = inner.text("model") or read.text("spec_model") or ""
    tokens = inner.integer("num_speculative_tokens", key="speculative_config") or read.integer("spec_tokens") or 1
    method = (method or ("draft_model" if model else "ngram")).lower()
    # Older versions name the MTP method after the model's family ("deepseek_mtp").
    return Speculation(method="mtp" if method.endswith("mtp") else method, tokens=tokens, model=model)


class _Reader:
    """Typed access to options; every refusal names the option."""

    def __init__(self, given: Mapping[str, JsonValue]) -> None:
        self.given = given

    def integer(self, name: str, *, largest: int = LARGEST, key: str = "") -> int | None:
        value = self.given.get(name)
        if isinstance(value, str) and value.strip().isdecimal() and len(value) <= 20:
            value = int(value)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= largest:
            raise _bad(key or name, value, "a whole number, at least 1")
        return value

    def length(self, name: str) -> tuple[int | None, bool]:
        """The length, and whether the longest that fits is asked for."""
        value = self.given.get(name)
        if value in (-1, "-1", "auto"):
            return None, True
        match = _HUMAN.fullmatch(value.strip()) if isinstance(value, str) else None
        if match is not None:
            length = int(match.group(1)) * _SUFFIX[match.group(2)]
            return _Reader({name: length}).integer(name), False
        return self.integer(name), False

    def fraction(self, name: str) -> float | None:
        value = self.given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
            raise _bad(name, value, "above 0 and at most 1")
        return float(value)

    def boolean(self, name: str) -> bool | None:
        value = self.given.get(name)
        if value is None or isinstance(value, bool):
            return value
        text = str(value).strip().lower()
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        raise _bad(name, value, "true or false")

    def text(self, name: str) -> str | None:
        value = self.given.get(name)
        if value is None or isinstance(value, str):
            return value.strip() if value else None
        raise _bad(name, value, "a word")

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.given.get(name)
        if isinstance(value, str):
            value = list(value.replace(",", " ").split())
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(v, (str, int)) for v in value):
            raise _bad(name, value, "a list of layer numbers or layer kinds")
        return tuple(str(v) for v in value)

    def table(self, name: str) -> Mapping[str, JsonValue]:
        value = self.given.get(name)
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        raise _bad(name, value, 'a JSON object, for example {"method": "mtp", "num_speculative_tokens": 1}')


def _bad(name: str, value: JsonValue, wanted: str) -> UsageError:
    shown = json.dumps(value)[:60]
    return UsageError("bad-engine-arg", f"{name} cannot be {shown}.", f"It must be {wanted}.", f"Correct {name}.")
