"""The answer of a question that vLLM would not start with: findings, not numbers."""

from kvdesk.core.device import DeviceMemory
from kvdesk.core.findings import Finding
from kvdesk.core.growth import Growth
from kvdesk.core.number_formats import NumberFormat
from kvdesk.engines import common
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.vllm.versions import Rules


def refused(
    question: Question,
    rules: Rules,
    fmt: NumberFormat,
    findings: tuple[Finding, ...],
    *,
    limit: str | None,
    max_context: int = 0,
) -> Answer:
    """Nothing fits; `limit` is "layout" where the layout is to blame, `max_context` what a shorter context could be."""
    device = question.device
    known = device.engine_bytes or device.reported_bytes
    memory = known or device.marketed_bytes
    if question.device_memory is not None and (question.device_memory is DeviceMemory.MARKETED or known):
        memory = common.device_memory(device, question.device_memory)
    nothing = Growth()
    return Answer(
        device=device,
        layout=question.layout,
        kv_dtype=fmt.name,
        engine="vllm",
        engine_version=rules.version,
        budget=(),
        device_bytes=memory.value,
        budget_bytes=0,
        weights_bytes=0,
        reserve_bytes=0,
        pool_bytes=question.pool_bytes or 0,
        logical=nothing,
        allocated=nothing,
        logical_bytes_per_sequence=0,
        allocated_bytes_per_sequence=0,
        pool_tokens=0,
        full_length_sequences=0,
        max_concurrency=0.0,
        max_context=max_context,
        fits=False,
        limit=limit,
        findings=findings,
    )
