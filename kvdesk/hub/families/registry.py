"""Which family reads which model type. A new family is one line here, one module beside it and one fixture."""

from collections.abc import Mapping

_PLAIN = """
    apertus apertus1p5_text arcee aria_text bitnet cohere cosmos3_edge_text diffllama emu3_text_model ernie4_5
    ernie4_5_moe ernie4_5_vl_moe_text evolla exaone flex_olmo gemma glm glm4 glm4_moe glm4v_moe_text glm_ocr_text
    granite granite4_vision_text granite_docling_text granitemoe granitemoeshared helium higgs_audio_v2
    hunyuan_vl_text hy_v3 hyperclovax internlm3 iquestcoder jais2 llama manual minimax_m2 molmo2_text nanochat
    nemotron olmo olmo2 olmoe paddleocr_vl_text phi qwen3_omni_moe_text qwen3_vl_moe_text qwen3_vl_text sarvam_moe
    seed_oss solar_open
"""
_CUSTOM = """
    Yi aquila aquila3 arctic baichuan bailing_moe bailing_moe_v2 cogvlm deepseek ernie4_5_moe_vl grok-1 internlm
    internlm2 kormo mimo minicpm molmo orion skywork spark step3_text telechat telechat2 telechat3 xverse
"""
"""Uniform decoders of checkpoints' own code, read as their `modeling_*.py` and vLLM's models of the same names do."""
_DIVIDED = """
    biogpt bloom codegen chameleon ctrl deepseek_ocr2_text glm4v_text gpt-sw3 gpt2 gpt_neox gpt_neox_japanese
    gpt_neox_reward_model gptj hf_olmo mixformer-sequential opt persimmon phi-msft stablelm stablelm_epoch xglm
"""
_WINDOWED = """
    afmoe beam cohere2 cohere2_moe cohere_compass_text cwm exaone4 exaone_moe flint gemma2 gpt_oss granite_swa
    granitemoe_swa kolibri1 laguna llama4_text mellum ministral muse_glimmer_text muse_spark_text olmo3 smollm3
    spark2_5 vaultgemma
"""
_ENCODER_DECODER = """
    bart bigbird_pegasus blenderbot blenderbot-small fsmt led m2m_100 marian mbart mvp nllb-moe pegasus pegasus_x
    plbart prophetnet speech_to_text whisper
"""
_UNIFORM = """
    doge kyutai_speech_to_text ministral3 mistral mixtral phi3 phi3_v phi4_multimodal phi4mm phimoe starcoder2
    voxtral_realtime_text
"""
_MLA = "axk1 deepseek_v2 deepseek_v3 glm4_moe_lite kimi_k2 minicpm3 mistral4 sarvam_mla youtu"

FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(_PLAIN.split(), "plain.decoder"),
    **dict.fromkeys(_CUSTOM.split(), "plain.decoder"),
    **dict.fromkeys(_DIVIDED.split(), "plain.divided"),
    **dict.fromkeys(_WINDOWED.split(), "windowed.decoder"),
    **dict.fromkeys(_UNIFORM.split(), "windowed.uniform"),
    "modernbert-decoder": "windowed.modernbert",
    "unlimited_ocr_text": "windowed.divided",
    **dict.fromkeys(_MLA.split(), "mla.decoder"),
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
    **dict.fromkeys(("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"), "gated_delta.qwen"),
    "olmo_hybrid": "gated_delta.olmo",
    "lara_mini": "gated_delta.lara",
    "qwen4_exp_text": "gated_delta.qwen4",
    "hrm_text": "looped.hrm",
    "dory": "looped.dory",
    "mistral_large4_text": "mixed_latents.mistral_large4",
    "dots3_note_text": "mixed_latents.dots3",
    "inkling_text": "convolved.inkling",
    "inkling2_text": "inkling2.decoder",
    "inkling2_loop_text": "inkling2.loop",
    "zaya": "convolved.zaya",
    **dict.fromkeys(("bailing_moe_linear", "bailing_moe_linear_v2", "bailing_moe_v2_5"), "lightning.decoder"),
    **dict.fromkeys(("longcat_flash", "longcat_flash_ngram"), "mla.twice"),
    **dict.fromkeys(("minicpmo", "dots_ocr"), "qwen.decoder"),
    **dict.fromkeys(("mamba", "falcon_mamba"), "mamba.first"),
    "mamba2": "mamba.second",
    "jamba": "hybrid.jamba",
    "bamba": "hybrid.bamba",
    "granitemoehybrid": "hybrid.granite",
    "falcon_h1": "hybrid.falcon_h1",
    "zamba": "hybrid.zamba",
    "zamba2": "hybrid.zamba2",
    **dict.fromkeys(("nemotron_h", "nemotron_3"), "nemotron_h.decoder"),
    **dict.fromkeys(("lfm2", "lfm2_moe"), "short_conv.lfm2"),
    "lfm3": "short_conv.lfm3",
    "chatglm": "spellings.chatglm",
    "qwen": "spellings.kv_channels",
    "jetmoe": "spellings.jetmoe",
    "gpt_bigcode": "spellings.multi_query",
    "falcon": "spellings.falcon",
    **dict.fromkeys(("RefinedWeb", "RefinedWebModel"), "spellings.refined_web"),
    **dict.fromkeys(("dbrx", "mpt"), "spellings.attn_config"),
    "phi3small": "spellings.block_sparse",
    "openelm": "spellings.open_elm",
    **dict.fromkeys(("deepseek_v4", "deepseek_ref"), "deepseek_v4.decoder"),
    **dict.fromkeys(("mimo_v2", "mimo_v2_flash"), "mimo.decoder"),
    **dict.fromkeys(("minimax", "minimax_text_01", "MiniMaxText01", "minimax_m1"), "minimax.text01"),
    "minimax_m3_vl_text": "minimax.m3",
    **dict.fromkeys(("kimi_linear", "kimi_k3"), "kimi.linear"),
    "glm5_next_text": "kimi.glm5_next",
    **dict.fromkeys(_ENCODER_DECODER.split(), "encoder_decoder.bart"),
    **dict.fromkeys(("longt5", "mt5", "switch_transformers", "t5", "umt5"), "encoder_decoder.t5"),
    "moonshine": "encoder_decoder.moonshine",
    **dict.fromkeys(("t5gemma", "t5gemma2"), "encoder_decoder.t5gemma"),
    "mllama": "encoder_decoder.mllama",
    **dict.fromkeys(("nemotron-nas", "deci"), "nas.decoder"),
    "step3p5": "step.decoder",
    **dict.fromkeys(("hunyuan", "hunyuan_v1_dense", "hunyuan_v1_moe"), "shared.hunyuan"),
    "phi4flash": "shared.phi4_flash",
    **dict.fromkeys(("rwkv5", "rwkv6", "rwkv7"), "recurrent.rwkv"),
    "rwkv": "recurrent.rwkv4",
    "recurrent_gemma": "recurrent.recurrent_gemma",
    "plamo2": "recurrent.plamo2",
    "gpt_neo": "spellings.gpt_neo",
    "smallthinker": "windowed.layout",
    "plamo3": "windowed.plamo3",
    "iquestloopcoder": "looped.loop_coder",
    "bailing_hybrid": "kimi.bailing",
}
"""Model type -> module and function in this folder."""

ARCHITECTURES: Mapping[str, str] = {
    "DeepseekV3ForCausalLM": "deepseek_v3",
    "DeepseekV32ForCausalLM": "deepseek_v32",
    "DeepseekV4ForCausalLM": "deepseek_v4",
    "Gemma2ForCausalLM": "gemma2",
    "GPTNeoXForCausalLM": "gpt_neox",
    "GPTNeoXRewardModel": "gpt_neox",
    "GptOssForCausalLM": "gpt_oss",
    "LLaMAForCausalLM": "llama",
    "LlamaForCausalLM": "llama",
    "LlavaLlamaForCausalLM": "llama",
    "LlavaMistralForCausalLM": "mistral",
    "LlavaQwenForCausalLM": "qwen2",
    "K2HorizonForCausalLM": "llama",
    "MiniCPMO": "qwen2",
    "MiniCPMV": "qwen2",
    "MistralLarge3ForCausalLM": "deepseek_v3",
    "MistralForCausalLM": "mistral",
    "MixtralForCausalLM": "mixtral",
    "OrionForCausalLM": "orion",
    "PanguEmbeddedForCausalLM": "llama",
    "PanguUltraMoEForCausalLM": "deepseek_v3",
    "Param2MoEForCausalLM": "llama",
    "Qwen2ForCausalLM": "qwen2",
    "Qwen2MoeForCausalLM": "qwen2_moe",
    "Qwen3ForCausalLM": "qwen3",
    "Qwen3MoeForCausalLM": "qwen3_moe",
    "SolarForCausalLM": "llama",
    "Step1ForCausalLM": "llama",
    "TeleChat2ForCausalLM": "telechat2",
    "TeleChat3ForCausalLM": "telechat3",
}
"""Architecture -> model type, for files whose own model type is not known."""
