"""Which module and function counts which model type. A new family is a line here and one small module."""

from collections.abc import Mapping

_DENSE = """
    llama exaone cwm hyperclovax iquestcoder granite mistral ministral ministral3 Yi aquila aquila3 xverse phi3 phi3_v qwen2
    mimo qwen2_vl_text qwen2_5_vl_text qwen3 qwen3_vl_text smollm3 gemma gemma2 gemma3_text glm glm4 glm4v_text olmo olmo2
    olmo3 exaone4 cohere cohere2 starcoder2 gpt2 gpt_neo gptj codegen gpt_neox bloom phi nemotron arcee helium ernie4_5
    seed_oss hunyuan_v1_dense vaultgemma persimmon baichuan internlm2 internlm internlm3 minicpm
"""

FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(_DENSE.split(), "dense.count"),
}
"""Model type -> module and function of this package."""

ARCHITECTURES: Mapping[str, str] = {}
"""Architecture -> module and function, for configs whose model type is not known."""
