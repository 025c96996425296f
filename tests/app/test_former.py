"""What the user's own values took the place of."""

from kvdesk.app import former, lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.session import GpuChoice, Session
from kvdesk.core.device import DeviceMemory
from kvdesk.core.values import replace

SESSION = Session(model=lookup.from_card("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"),))
DERIVER = Deriver()


def test_what_is_left_to_the_engine_has_nothing_before_it() -> None:
    assert former.sizings(SESSION, DERIVER) == {}


def test_each_value_of_the_users_has_the_sizing_without_it() -> None:
    own = replace(
        SESSION,
        kv_dtype="fp8",
        weights_dtype="fp8",
        weights_bytes=10**9,
        utilization=0.5,
        reserve_bytes=10**9,
        device_memory=DeviceMemory.REPORTED,
        pool_bytes=10**9,
        encoder_tokens=7,
    )
    found = former.sizings(own, DERIVER)
    assert list(found) == list(former.LEFT)
    assert found["kv_dtype"].kv_format.name == "bf16"
    assert found["utilization"].kv_format.name == "fp8"


def test_a_value_without_which_nothing_can_be_said_has_none() -> None:
    assert former.sizings(replace(SESSION, context=0, utilization=0.5), DERIVER) == {}
