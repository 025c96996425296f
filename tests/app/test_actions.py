"""What a user can do to a session."""

from dataclasses import replace

from kvdesk.app import actions
from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.core.device import DeviceMemory


def test_another_model_takes_only_the_typed_values_along_that_are_not_the_former_models() -> None:
    session = Session(model=Model(id="org/a", origin="hub", config={}), sequences=5, kv_dtype="fp8")
    session = actions.override(actions.set_weights_bytes(session, 10), "num_key_value_heads", 4)
    other = actions.set_model(session, Model(id="org/b", origin="hub", config={}))
    assert (other.sequences, other.kv_dtype) == (5, "fp8")
    assert (dict(other.overrides), other.weights_bytes) == ({}, None)


def test_the_same_model_once_more_keeps_them() -> None:
    session = Session(model=Model(id="org/a", origin="hub", config={}, revision="1"))
    session = actions.override(session, "num_key_value_heads", 4)
    again = actions.set_model(session, Model(id="org/a", origin="hub", config={}, revision="2"))
    assert dict(again.overrides) == {"num_key_value_heads": 4}
    assert again.model is not None
    assert again.model.revision == "2"


def test_a_shorter_context_cuts_the_shared_prefix() -> None:
    session = actions.set_shared_prefix(Session(context=8192), 4096)
    assert actions.set_context(session, 1024).shared_prefix == 1024
    assert actions.set_context(session, 8000).shared_prefix == 4096
    assert actions.set_context(session, None).shared_prefix == 4096


def test_options_of_an_engine_go_with_it() -> None:
    session = actions.set_engine_argument(Session(engine="vllm", engine_version="0.9"), "block_size", 32)
    assert actions.set_engine(session, "vllm") is session
    other = actions.set_engine(session, "sglang")
    assert (other.engine_version, dict(other.engine_arguments)) == (None, {})


def test_an_engine_argument_of_none_is_none() -> None:
    session = actions.set_engine_argument(Session(), "block_size", 32)
    assert dict(actions.set_engine_argument(session, "block_size", None).engine_arguments) == {}


def test_reset_all_takes_back_everything_that_is_counted() -> None:
    session = Session(model=Model(id="a", origin="file", config={}), sequences=9, gpus=(GpuChoice(gpu="l4"),))
    changed = replace(
        session,
        encoder_tokens=10,
        kv_dtype="fp8",
        weights_dtype="int4",
        weights_bytes=1,
        utilization=0.5,
        reserve_bytes=2,
        device_memory=DeviceMemory.MARKETED,
        pool_bytes=3,
    )
    changed = actions.override(changed, "a.b", 1)
    changed = actions.override_budget(changed, "weights", 4)
    changed = actions.set_engine_argument(changed, "block_size", 8)
    assert actions.changed_count(session) == 0
    assert actions.changed_count(changed) == 11
    assert actions.reset_all(changed) == session


def test_one_value_can_be_reset_alone() -> None:
    session = actions.override(actions.override(Session(), "a", 1), "b", 2)
    assert dict(actions.reset_override(session, "a").overrides) == {"b": 2}
    measured = actions.override_budget(Session(), "weights", 5)
    assert dict(actions.override_budget(measured, "weights", None).budget_overrides) == {}


def test_requantised_weights_and_a_typed_size_exclude_each_other() -> None:
    assert actions.set_weights_dtype(actions.set_weights_bytes(Session(), 5), "int4").weights_bytes is None


def test_gpu_options() -> None:
    session = Session()
    for _ in range(actions.MOST_GPU_OPTIONS + 3):
        session = actions.add_gpu(session, GpuChoice(gpu="l4"))
    assert len(session.gpus) == actions.MOST_GPU_OPTIONS
    session = actions.set_gpu(session, 1, GpuChoice(gpu="l40s", count=2))
    assert session.gpus[1] == GpuChoice(gpu="l40s", count=2)
    assert actions.remove_gpu(session, 0).gpus[0] == GpuChoice(gpu="l40s", count=2)
