"""Architectures that vLLM does not serve: those it served once, with the last version that did, and strangers.

Source: vLLM 0.33.0 `model_executor/models/registry.py` `_PREVIOUSLY_SUPPORTED_MODELS`.
"""

from kvdesk.core.findings import Finding, warning
from kvdesk.engines.vllm.supported import ARCHITECTURES, READ_IN
from kvdesk.engines.vllm.versions import parse

LAST: dict[str, str] = {
    "Phi3SmallForCausalLM": "0.9.2",
    "MotifForCausalLM": "0.10.2",
    "Phi4FlashForCausalLM": "0.10.2",
    "DonutForConditionalGeneration": "0.10.2",
    "MllamaForConditionalGeneration": "0.10.2",
    "Phi4MultimodalForCausalLM": "0.12.0",
    "JAISLMHeadModel": "0.22.0",
    "InternLM2VEForCausalLM": "0.23.0",
    "QWenLMHeadModel": "0.23.0",
    "QwenVLForConditionalGeneration": "0.23.0",
    "InternLMForCausalLM": "0.23.0",
    "XverseForCausalLM": "0.23.0",
    "Dots1ForCausalLM": "0.23.0",
    "BambaForCausalLM": "0.23.0",
    "MiniMaxForCausalLM": "0.23.0",
    "MiniMaxText01ForCausalLM": "0.23.0",
    "MiniMaxM1ForCausalLM": "0.23.0",
    "MiniMaxVL01ForConditionalGeneration": "0.23.0",
    "BaiChuanForCausalLM": "0.23.0",
    "BaichuanForCausalLM": "0.23.0",
    "Tarsier2ForConditionalGeneration": "0.23.0",
    "AquilaModel": "0.24.0",
    "AquilaForCausalLM": "0.24.0",
    "Grok1ModelForCausalLM": "0.24.0",
    "Grok1ForCausalLM": "0.24.0",
    "TarsierForConditionalGeneration": "0.24.0",
    "MantisForConditionalGeneration": "0.24.0",
    "AyaVisionForConditionalGeneration": "0.24.0",
    "TeleChatForCausalLM": "0.25.0",
    "PersimmonForCausalLM": "0.25.0",
    "FuyuForCausalLM": "0.25.0",
    "Plamo2ForCausalLM": "0.26.0",
    "OuroForCausalLM": "0.26.0",
    "ArcticForCausalLM": "0.28.0",
    "ChameleonForConditionalGeneration": "0.28.0",
    "HCXVisionForCausalLM": "0.28.0",
    "MPTForCausalLM": "0.28.0",
    "MptForCausalLM": "0.28.0",
    "RWForCausalLM": "0.28.0",
    "StableLMEpochForCausalLM": "0.28.0",
}


def finding(architecture: str, version: str) -> Finding | None:
    """A warning where `version` is newer than the last one with this architecture."""
    last = LAST.get(architecture)
    if last is None:
        return _stranger(architecture, version)
    if parse(version) <= parse(last):
        return None
    return warning(
        "retired-architecture",
        f"vLLM {version} no longer has {architecture} of its own; {last} was the last version that did.",
        f"Use vLLM {last}, or check that the Transformers backend serves the model.",
    )


def _stranger(architecture: str, version: str) -> Finding | None:
    """A warning for an architecture that the newest profile's version does not have; older versions are not known."""
    if not architecture or architecture in ARCHITECTURES or parse(version) < parse(READ_IN):
        return None
    return warning(
        "architecture-not-in-engine",
        f"vLLM {READ_IN} has no model of its own for {architecture}.",
        "Check that its Transformers backend serves the model; the figures are those of a model of vLLM's own.",
    )
