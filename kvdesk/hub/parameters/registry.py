"""Which module and function counts which model type. A new family is a line here and one small module."""

from collections.abc import Mapping

_DENSE = """
    llama exaone cwm hyperclovax iquestcoder granite mistral ministral ministral3 Yi aquila aquila3 xverse phi3
    phi3_v qwen2 mimo qwen2_vl_text qwen2_5_vl_text qwen3 qwen3_vl_text smollm3 gemma gemma2 gemma3_text glm glm4
    glm4v_text glm_ocr_text olmo olmo2 olmo3 exaone4 cohere cohere2 starcoder2 gpt2 gpt_neo gptj codegen gpt_neox
    bloom phi nemotron arcee helium ernie4_5 seed_oss hunyuan_v1_dense vaultgemma persimmon baichuan internlm2
    internlm internlm3 minicpm gpt_neox_reward_model paddleocr_vl_text jais2 granite_swa nanochat biogpt xglm
"""
_EXPERTS = """
    mixtral qwen3_moe qwen3_vl_moe_text qwen3_omni_moe_text qwen2_moe olmoe flex_olmo granitemoe granitemoeshared
    phimoe gpt_oss minimax_m2 glm4_moe glm4v_moe_text ernie4_5_moe afmoe exaone_moe solar_open dots1 hunyuan_v1_moe
    mellum granitemoe_swa
    cohere2_moe flint kolibri1 beam hy_v3 sarvam_moe
"""
_BART = "bart plbart mbart blenderbot blenderbot-small marian pegasus m2m_100"
_TOWER_ALONE = "qwen2_vl qwen2_5_vl qwen3_vl qwen3_vl_moe qwen3_5 qwen3_5_moe glm4v glm4v_moe glm46v glm_ocr exaone4_5"
_LLAVA = "llava llava_next llava_next_video llava_onevision"
_LATENTS = "sarvam_mla deepseek_v2 deepseek_v3 kimi_k2 glm4_moe_lite mistral4 axk1 minicpm3 youtu"

FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(_DENSE.split(), "dense.count"),
    **dict.fromkeys(_EXPERTS.split(), "experts.count"),
    **dict.fromkeys(_LATENTS.split(), "mla.dense_latents"),
    **dict.fromkeys(("deepseek_v32", "glm_moe_dsa"), "mla.sparse_latents"),
    "longcat_flash": "mla.longcat",
    **dict.fromkeys(("deepseek_v4", "deepseek_ref"), "deepseek_v4.count"),
    **dict.fromkeys(("nemotron-nas", "deci"), "nas.count"),
    "phi3small": "early.phi3_small",
    "mimo_v2_flash": "uneven.mimo",
    "laguna": "uneven.laguna",
    "llama4_text": "uneven.llama4",
    "minimax_m3_vl_text": "uneven.minimax_m3",
    **dict.fromkeys(("gemma4_text", "gemma4_unified_text"), "gemma.gemma4"),
    "gemma3n_text": "gemma.gemma3n",
    **dict.fromkeys(("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"), "gated_delta.qwen"),
    **dict.fromkeys(("mamba", "falcon_mamba"), "state_space.mamba"),
    "mamba2": "state_space.mamba2_model",
    "jamba": "hybrid.jamba",
    "bamba": "hybrid.bamba",
    "falcon_h1": "hybrid.falcon_h1",
    "granitemoehybrid": "hybrid.granite",
    "nemotron_h": "hybrid.nemotron_h",
    **dict.fromkeys(("lfm2", "lfm2_moe"), "hybrid.lfm2"),
    "lfm3": "hybrid.lfm3",
    "inkling2_text": "inkling.second",
    "inkling2_loop_text": "inkling.loop",
    "zamba": "shared_blocks.zamba",
    "zamba2": "shared_blocks.zamba2",
    "step3p5": "uneven.step",
    "ernie4_5_vl_moe_text": "ernie_vl.count",
    **dict.fromkeys(("falcon", "RefinedWeb", "RefinedWebModel"), "early.falcon"),
    "mpt": "early.mpt",
    "opt": "early.opt",
    "gpt_bigcode": "early.gpt_bigcode",
    "dbrx": "early.dbrx",
    "chatglm": "early.chatglm",
    "qwen": "early.qwen",
    "stablelm": "early.stablelm",
    "apertus": "early.apertus",
    "bitnet": "early.bitnet",
    "diffllama": "early.diffllama",
    "jetmoe": "early.jetmoe",
    "rwkv": "early.rwkv",
    **dict.fromkeys(("minimax", "minimax_text_01", "MiniMaxText01", "minimax_m1"), "linear_hybrid.minimax"),
    "kimi_linear": "linear_hybrid.kimi",
    "bailing_hybrid": "linear_hybrid.bailing",
    "olmo_hybrid": "linear_hybrid.olmo",
    "recurrent_gemma": "linear_hybrid.recurrent_gemma",
    **dict.fromkeys(_BART.split(), "encoder_decoder.bart"),
    "whisper": "encoder_decoder.whisper",
    **dict.fromkeys(("t5", "mt5", "umt5"), "encoder_decoder.t5"),
    "t5gemma": "encoder_decoder.t5gemma",
    "moonshine": "encoder_decoder.moonshine",
    "mllama": "encoder_decoder.mllama",
}
"""Model type of the language model -> module and function of this package."""

SURROUNDINGS: Mapping[str, str] = {
    **dict.fromkeys(_TOWER_ALONE.split(), "surroundings.tower_alone"),
    **dict.fromkeys(_LLAVA.split(), "surroundings.two_layers"),
    "mllama": "surroundings.mllama",
    "mistral3": "joining.mistral3",
    "gemma3": "surroundings.gemma3",
    "gemma3n": "surroundings.gemma3n",
    "gemma4": "surroundings.gemma4",
    "gemma4_unified": "surroundings.gemma4_unified",
    "ernie4_5_vl_moe": "ernie_vl.around",
    "llama4": "surroundings.llama4",
    "kimi_k25": "joining.kimi",
    "minimax_m3_vl": "joining.minimax_m3",
    "minicpmv4_6": "joining.minicpm",
    "vipllava": "surroundings.vipllava",
    "video_llava": "surroundings.video_llava",
    "lfm2_vl": "joining.lfm2",
    "aya_vision": "joining.aya",
    "paddleocr_vl": "joining.paddle",
    "idefics2": "joining.idefics2",
    "paligemma": "surroundings.one_layer",
    **dict.fromkeys(("idefics3", "smolvlm"), "joining.idefics3"),
    "internvl": "joining.internvl",
    "internvl_chat": "joining.internvl_chat",
    "phi3_v": "joining.phi3_vision",
    "minicpmv": "joining.minicpm_v2",
    "cohere2_vision": "joining.cohere2",
    **dict.fromkeys(("inkling2", "inkling2_loop"), "surroundings.tower_alone"),
    "qwen2_audio": "surroundings.qwen2_audio",
    "voxtral": "surroundings.voxtral",
    "qwen3_asr": "surroundings.qwen3_asr",
}
"""Model type of a multimodal config -> what counts the parts around its language model."""
