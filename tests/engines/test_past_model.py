"""What SGLang and TensorRT-LLM do not take: sequences past the model, NVFP4 before Blackwell."""

from dataclasses import replace

import pytest

from kvdesk.catalogue import accelerators
from kvdesk.core.errors import RefusalError
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.workload import Workload
from kvdesk.engines.registry import engine
from tests.engines import samples

MODEL = replace(samples.LLAMA_8B, max_context=Sourced(131_072, Source(Origin.CONFIG)))
ENGINES = ["sglang", "tensorrt_llm"]


@pytest.mark.parametrize("name", ENGINES)
def test_a_context_past_the_model_is_a_finding(name: str) -> None:
    asked = replace(samples.question(MODEL), pool_bytes=40 * 2**30, device=accelerators.find("h100-sxm"))
    inside = engine(name).answer(replace(asked, workload=Workload(context=131_072)))
    past = engine(name).answer(replace(asked, workload=Workload(context=131_073)))
    # 16 GiB a sequence
    assert (inside.full_length_sequences, inside.fits) == (2, True)
    assert (past.full_length_sequences, past.pool_tokens, past.fits, past.max_context) == (0, 0, False, 131_072)
    assert [finding.code for finding in past.findings] == ["context-past-model"]


@pytest.mark.parametrize("name", ENGINES)
def test_nvfp4_is_for_blackwell(name: str) -> None:
    asked = replace(samples.question(MODEL), kv_dtype="nvfp4", pool_bytes=40 * 2**30)
    assert engine(name).answer(replace(asked, device=accelerators.find("b200"))).fits
    with pytest.raises(RefusalError, match="Blackwell"):
        engine(name).answer(replace(asked, device=accelerators.find("h100-sxm")))
