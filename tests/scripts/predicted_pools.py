"""Print, for every public vLLM start-up log that gives enough, kvdesk's predicted KV memory beside the printed one.

    python tests/scripts/predicted_pools.py LOGS.jsonl [--configs FOLDER] [--assume-utilization]

Nothing measured goes in: weights are counted from the config and its quantisation, device memory is the catalogue's,
the reserve is the profile's, settings that the log does not show are the engine's defaults. The last line says how many
of the printed figures lie in the band, and the median error. A log that does not give enough is listed with the reason.
LOGS.jsonl and FOLDER are as in exact_logs.py.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from kvdesk.app import log_scenario, lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.reconcile_rows import predicted
from kvdesk.app.session import Model
from kvdesk.catalogue import accelerators
from kvdesk.core.errors import KvdeskError
from kvdesk.core.units import GIB
from tests.scripts import exact_logs

AWQ = {"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": True, "desc_act": False}
BNB = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
FP8_DYNAMIC = {
    "quant_method": "compressed-tensors",
    "format": "float-quantized",
    "ignore": ["lm_head"],
    "config_groups": {
        "group_0": {
            "targets": ["Linear"],
            "weights": {"num_bits": 8, "type": "float", "strategy": "channel", "dynamic": False},
        }
    },
}
QUANTISED: Mapping[str, Mapping[str, Any] | None] = {
    "": None,
    "bf16": None,
    "fp16": None,
    "fp16/bf16": None,
    "mxfp4": None,
    "fp8 block": None,
    "fp8 (compressed-tensors dynamic)": FP8_DYNAMIC,
    "awq (awq_marlin)": AWQ,
    "awq": AWQ,
    "gptq 4bit (marlin)": GPTQ,
    "bnb 4bit": BNB,
}
"""Formats of published checkpoints as their quantisation configs say them; None: as the model's own config."""

MODELS: Mapping[str, str] = {
    "openai/gpt-oss-20b": "gpt-oss-20b",
    "RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic": "llama-3.3-70b",
    "Qwen/Qwen3-0.6B": "qwen3-0.6b",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B": "qwen2.5-32b",
    "Qwen2.5-1.5B-Instruct (by geometry)": "Qwen__Qwen2.5-1.5B",
    "Qwen2.5-1.5B (by geometry)": "Qwen__Qwen2.5-1.5B",
    "Qwen/Qwen2.5-7B-Instruct (by geometry)": "qwen2.5-7b",
    "Qwen2.5-14B-Instruct (by geometry 48Lx8x128)": "qwen2.5-14b",
    "google/gemma-3-27b-it": "gemma-3-27b",
    "google/gemma-4-31B-it": "nvidia__Gemma-4-31B-IT-NVFP4",
    "meta-llama/Llama-3.1-8B": "llama-3.1-8b",
    "Llama-3.1-8B (14.99 GiB)": "llama-3.1-8b",
    "Llama-3.1-8B (by geometry, 15.0 GiB)": "llama-3.1-8b",
    "Qwen2.5-3B-Instruct-AWQ (by geometry)": "Qwen__Qwen2.5-3B-Instruct",
    "kaitchup/Phi-4-AutoRound-GPTQ-4bit": "hi-4",
    "zai-org/GLM-5.2 (NVFP4 experts)": "nvidia__GLM-5.1-NVFP4",
    "zai-org/GLM-5(.1)-FP8 (DSA, E=256 N=256)": "zai-org__GLM-5.1-FP8",
}
"""Cards and configs of the same published geometry; the rest go by name as in exact_logs.py."""

UNQUANTISED = ("nvidia__Gemma-4-31B-IT-NVFP4",)
"""Quantised configs that stand in for the 16-bit checkpoint."""

DATED = (
    ("late 2025", "0.11.0"),
    (">=0.21", "0.21.0"),
    ("0.21-0.24", "0.21.0"),
    ("0.1x-0.20", "0.19.1"),
    ("Oct 2026", "0.29.0"),
    ("May 2026", "0.20.2"),
    ("V0", "0.6.4"),
)
"""Versions of logs that give a span or a date: the oldest that fits, since what was new then may not be in it."""

ELSEWHERE = {
    "unsloth": "a fork with limits of its own (unsloth)",
    "fork": "a fork",
    "xpu": "a build for XPUs",
    "rocm": "a build for ROCm",
    "cpu_offload": "weights partly in host memory",
    "ple_cpu_offload": "weights partly in host memory",
    "cumem": "the report says that sleep mode disturbed the figure",
    "another process": "the report says that another process disturbed the figure",
    "cold compile": "the report calls the run an outlier",
    "multi-node": "several nodes with other processes",
    "hipflex": "a device capped by other software",
    "assistant": "a draft model that is not at hand",
    "gb10": "unified memory, which the system shares",
    "uma": "unified memory, which the system shares",
    "ascend": "a plug-in for another platform",
    "tpu": "a plug-in for another platform",
    "lora": "adapters of unknown size",
    "speculative": "a draft model that is not at hand",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The band and the expected KV memory of one GPU beside the printed one, in bytes."""

    low: int
    expected: int
    high: int
    printed: int

    @property
    def inside(self) -> bool:
        """Whether the printed figure lies in the band, within its rounding."""
        return self.low - GIB // 200 <= self.printed <= self.high + GIB // 200

    @property
    def error(self) -> float:
        """(expected - printed) / printed."""
        return self.expected / self.printed - 1


def main() -> int:
    """Print the table and a summary."""
    parser = argparse.ArgumentParser(description="Predicted KV memory beside public start-up logs.")
    parser.add_argument("logs", type=Path)
    parser.add_argument("--configs", type=Path)
    parser.add_argument(
        "--assume-utilization", action="store_true", help="count logs that do not show it too, at the default"
    )
    arguments = parser.parse_args()
    folder = arguments.configs or arguments.logs.parent / "configs"
    found: list[Prediction] = []
    for record in map(json.loads, arguments.logs.read_text(encoding="utf-8").splitlines()):
        reason = why_not(record, folder, arguments.assume_utilization)
        try:
            prediction = None if reason else predict(record, folder)
        except KvdeskError as error:
            prediction, reason = None, f"refused: {error}"
        if prediction:
            found.append(prediction)
        sys.stdout.write(line_of(record["id"], prediction, reason) + "\n")
    sys.stdout.writelines(summary(found))
    return 0


def why_not(record: Mapping[str, Any], folder: Path, assume: bool) -> str:
    """Why a log does not give enough; empty where it does."""
    return next(iter(reasons(record, folder, assume)), "")


def reasons(record: Mapping[str, Any], folder: Path, assume: bool) -> Iterator[str]:
    """What is missing, the plainest first."""
    if record["engine"] != "vllm":
        yield f"not vLLM but {record['engine']}"
    if not record.get("available_kv_gib") or record["available_kv_gib"] <= 0:
        yield "no KV memory printed"
    if "kv_cache_memory_bytes" in record["flags"] or "kv_cache_total" in record["flags"]:
        yield "the KV memory was set by hand"
    text = json.dumps(
        [record[key] for key in ("engine_version", "gpu", "flags", "note", "model_id")], ensure_ascii=False
    ).lower()
    yield from (why for word, why in ELSEWHERE.items() if word in text)
    if model_of(record, folder) is None:
        yield f"no config of {record['model_id']} at hand"
    if record["weights_quant"] is None and not (folder / f"{name_of(record)}.json").is_file():
        yield "the format of the weights is not told"
    if (record["weights_quant"] or "") not in QUANTISED and not own_format(record):
        yield f"weights in a format that is not told: {record['weights_quant']}"
    if not gpu_of(record):
        yield f"the GPU is not told: {record['gpu']}"
    if record["gpu_memory_utilization"] is None and not assume:
        yield "the utilization is not shown"


def predict(record: Mapping[str, Any], folder: Path) -> Prediction:
    """What kvdesk says of the log's scenario, with nothing measured."""
    model = model_of(record, folder)
    assert model is not None
    log = exact_logs.log_of(record, version_of(record), exact_logs.dtypes_of(record)[0])
    scenario = log_scenario.scenario(log, exact_logs.session_of(model, record)).session
    option = Deriver().derive(scenario).options[0]
    if option.answer is None:
        raise option.error or KvdeskError("not-sized", "No answer.")
    span = predicted("available_kv", option.answer, log)
    assert span is not None
    expected, low, high = (int(value) for value in span)
    return Prediction(low=low, expected=expected, high=high, printed=round(record["available_kv_gib"] * GIB))


def version_of(record: Mapping[str, Any]) -> str | None:
    """The version that the log states or that its date allows; None where it gives neither."""
    text = record["engine_version"] or ""
    return exact_logs.versions_of(record)[0] or next((version for word, version in DATED if word in text), None)


def model_of(record: Mapping[str, Any], folder: Path) -> Model | None:
    """The model with the quantisation that the log names."""
    name = record["model_id"] or ""
    stem = MODELS.get(name, "")
    scheme = QUANTISED.get(record["weights_quant"] or "")
    if (folder / f"{stem}.json").is_file():
        model = lookup.load_path(folder / f"{stem}.json")
        scheme = scheme or ({} if stem in UNQUANTISED else None)
    elif stem and stem not in exact_logs.BY_HAND:
        model = lookup.from_card(stem)
    else:
        found = exact_logs.model_of(stem or name, folder)
        if found is None:
            return None
        model = found
    if scheme is None:
        return model
    config = {key: value for key, value in model.config.items() if key != "quantization_config"}
    return Model(id=name, origin="file", config={**config, **({"quantization_config": dict(scheme)} if scheme else {})})


def name_of(record: Mapping[str, Any]) -> str:
    """The name of the log's own config in a folder."""
    return (record["model_id"] or "").replace("/", "__")


def own_format(record: Mapping[str, Any]) -> bool:
    """Whether the model's own config says the format."""
    return "NVFP4" in MODELS.get(record["model_id"] or "", "")


def gpu_of(record: Mapping[str, Any]) -> str:
    """The catalogue's id of the GPU that the log names; empty where it names none."""
    if "not named" in record["gpu"] or "inferred" in record["gpu"] or "class" in record["gpu"]:
        return ""
    found = log_scenario.identify(record["gpu"], None, accelerators.all_devices())
    return found[0].id if found else ""


def line_of(name: str, prediction: Prediction | None, reason: str) -> str:
    """One line of the table."""
    if prediction is None:
        return f"{name:<36} left out: {reason}"
    low, expected, high, printed = (
        value / GIB for value in (prediction.low, prediction.expected, prediction.high, prediction.printed)
    )
    verdict = "in band" if prediction.inside else "OUTSIDE"
    return (
        f"{name:<36} {low:7.2f} {expected:7.2f} {high:7.2f}  log {printed:7.2f} GiB  {verdict}  {prediction.error:+.1%}"
    )


def summary(found: list[Prediction]) -> Iterator[str]:
    """How many lie in the band, and the median error."""
    if found:
        errors = [abs(one.error) for one in found]
        yield f"{sum(one.inside for one in found)} of {len(found)} in the band, median error {median(errors):.1%}\n"


if __name__ == "__main__":
    sys.exit(main())
