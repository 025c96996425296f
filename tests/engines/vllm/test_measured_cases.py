"""The figures that vLLM's own code gave for real configs with a simulated device (0.33.0 and 0.31.0).

`tests/fixtures/vllm_cases.json` holds numbers only: what was set, what vLLM chose, pages, groups, blocks, tokens,
concurrency and the estimated maximum model length for pools of 10, 54.5 and 100 GiB per GPU.
"""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kvdesk.catalogue import accelerators
from kvdesk.core.geometry import Geometry
from kvdesk.core.layout import Layout
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Question
from kvdesk.engines.vllm import arguments
from kvdesk.engines.vllm.model import Model
from kvdesk.engines.vllm.profile import ENGINE
from kvdesk.engines.vllm.sizing import Sizing
from kvdesk.engines.vllm.start import started
from kvdesk.engines.vllm.versions import rules
from kvdesk.engines.vllm.weights import shares
from kvdesk.hub import config_file, reader, weights_estimate

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES: list[dict[str, Any]] = json.loads((FIXTURES / "vllm_cases.json").read_text(encoding="utf-8"))


@cache
def geometry(name: str) -> Geometry:
    return reader.read(config_file.parse((FIXTURES / "configs" / name).read_bytes()))


def question(case: dict[str, Any], pool: int | None = None) -> Question:
    return Question(
        geometry=geometry(case["config"]),
        weights=None,
        workload=Workload(context=case["max_model_len"]),
        device=accelerators.find(case["gpu"]),
        layout=Layout(**case["layout"]),
        kv_dtype=case["kv_dtype"],
        engine_version=case["version"],
        arguments=case["arguments"],
        pool_bytes=pool,
    )


def sizing(case: dict[str, Any]) -> Sizing:
    asked = question(case, 1 << 40)
    return Sizing(asked, started(asked), ())


cases = pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])


@cases
def test_blocks_tokens_concurrency_and_the_longest_length(case: dict[str, Any]) -> None:
    for result in case["results"]:
        answer = ENGINE.answer(question(case, result["pool"]))
        if "blocks" not in result:
            assert not answer.fits
            assert "longest" not in result or answer.max_context == result["longest"]
            continue
        assert (answer.num_blocks, answer.pool_tokens) == (result["blocks"], result["tokens"])
        assert math.isclose(answer.max_concurrency, result["concurrency"], rel_tol=1e-9)
        assert answer.fits


@cases
def test_pages_groups_and_bytes_per_block(case: dict[str, Any]) -> None:
    plan = sizing(case).plan
    ours = [[len(g.members), g.page()] for g in plan.groups]
    # The engine prints one page of a group whose pages are equal, and the sum of those that differ.
    theirs = [
        [n, page if n > 1 and page in (g.page() for g in plan.groups) else page * n] for n, _, page in case["groups"]
    ]
    assert sorted(ours) == sorted(theirs)
    assert list(plan.bytes_per_block) == case["bytes_per_block"]


WEIGHTS_WITHIN = 0.002
"""Estimated from the config; the engine's own rounding of small tensors and stages is not followed."""


@cases
def test_weights_of_each_stage_estimated_from_the_config(case: dict[str, Any]) -> None:
    asked = question(case)
    config = config_file.parse((FIXTURES / "configs" / case["config"]).read_bytes())
    weights = weights_estimate.estimate(config, asked.geometry, weights_dtype=None)
    assert weights is not None
    # What was measured leaves draft layers out.
    model = Model(asked.geometry, asked.device, arguments.parse({}))
    for ours, theirs in zip(
        shares(weights, model, asked.layout, rules(None)).stages, case["parameter_bytes"], strict=True
    ):
        assert abs(ours / theirs - 1) <= WEIGHTS_WITHIN


@cases
def test_what_vllm_chooses_by_itself(case: dict[str, Any]) -> None:
    found = sizing(case)
    assert found.start.blocks.tokens == case["block_size"]
    assert (found.batch.tokens, found.batch.sequences) == (case["batched_tokens"], case["sequences"])
    assert found.batch.in_flight == case["in_flight"]
    assert found.start.prefix_caching == case["prefix_caching"]
