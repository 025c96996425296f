"""Which family reads which model type. A new family is one line here, one module beside it and one fixture."""

from collections.abc import Mapping

_PLAIN = """
    apertus apertus1p5_text arcee aria_text bitnet cohere cosmos3_edge_text diffllama emu3_text_model ernie4_5 ernie4_5_moe
    ernie4_5_vl_moe_text exaone flex_olmo gemma glm glm4 glm4_moe glm4v_moe_text glm_ocr_text granite granite4_vision_text
    granite_docling_text granitemoe granitemoeshared helium hunyuan_v1_dense hunyuan_v1_moe hunyuan_vl_text hy_v3 hyperclovax
    internlm3 iquestcoder jais2 llama manual minimax_m2 molmo2_text nanochat nemotron olmo olmo2 olmoe paddleocr_vl_text phi
    qwen3_omni_moe_text qwen3_vl_moe_text qwen3_vl_text sarvam_moe seed_oss solar_open
"""
_DIVIDED = """
    bloom codegen chameleon deepseek_ocr2_text glm4v_text gpt-sw3 gpt2 gpt_neox gpt_neox_japanese gptj opt persimmon stablelm
"""
_WINDOWED = """
    afmoe beam cohere2_moe cwm exaone4 exaone_moe flint gemma2 gpt_oss granite_swa granitemoe_swa kolibri1 llama4_text mellum
    ministral muse_glimmer_text muse_spark_text olmo3 smollm3 vaultgemma
"""
_UNIFORM = "doge ministral3 mistral mixtral phi3 phi4_multimodal phimoe starcoder2 voxtral_realtime_text"
_MLA = "axk1 deepseek_v2 deepseek_v3 glm4_moe_lite kimi_k2 minicpm3 mistral4 sarvam_mla youtu"

FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(_PLAIN.split(), "plain.decoder"),
    **dict.fromkeys(_DIVIDED.split(), "plain.divided"),
    **dict.fromkeys(_WINDOWED.split(), "windowed.decoder"),
    **dict.fromkeys(_UNIFORM.split(), "windowed.uniform"),
    **dict.fromkeys(("cohere2", "cohere_compass_text", "modernbert-decoder"), "windowed.divided"),
    **dict.fromkeys(_MLA.split(), "mla.decoder"),
    "longcat_flash": "mla.twice",
    **dict.fromkeys(("deepseek_v32", "axk2"), "dsa.every"),
    "glm_moe_dsa": "dsa.decoder",
    **dict.fromkeys(("hy_v4", "hy_v4_vl_text"), "dsa.hunyuan4"),
    **dict.fromkeys(("qwen2", "qwen3", "qwen2_5_omni_text"), "qwen.decoder"),
    **dict.fromkeys(("qwen2_vl_text", "qwen2_5_vl_text"), "qwen.divided"),
    "qwen2_moe": "qwen.moe",
    "qwen3_moe": "qwen.uniform",
    "dots1": "qwen.dots1",
    "gemma3_text": "gemma.gemma3",
    "gemma3n_text": "gemma.gemma3n",
    **dict.fromkeys(("gemma4_text", "gemma4_unified_text"), "gemma.gemma4"),
}
"""Model type -> module and function in this folder."""
