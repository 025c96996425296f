"""A workspace to JSON and back loses nothing; a file that was tampered with is refused by the key."""

import json
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.app import actions, lookup, scenarios, workspace
from kvdesk.app.command_line import command_line
from kvdesk.app.derive import Deriver
from kvdesk.app.scenario_json import read_workspace, workspace_json
from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.app.workspace import Scenario, Workspace
from kvdesk.core.device import DeviceMemory
from kvdesk.core.errors import KvdeskError, SourceError
from kvdesk.core.findings import warning
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights

MODEL = Model(
    id="org/name",
    origin="hub",
    revision="0123456789abcdef0123456789abcdef01234567",
    config={"num_hidden_layers": 2, "nested": {"a": [1, 2.5, None, True, "x"]}, "huge": 2**70},
    config_sha256="00" * 32,
    side_files={"hf_quant_config.json": b"\x00\xff{}"},
    weights=Weights(
        bytes=Sourced(123, Source(Origin.HEADER, "model.safetensors")),
        parameters=Sourced(45, Source(Origin.DERIVED, "sum")),
        replicated_bytes=6,
        draft_bytes=7,
        by_format={"bf16": 100, "fp8": 23},
        exact=False,
    ),
    where="config.json@0123456",
    looked_up="2026-01-02T03:04:05Z",
    findings=(warning("duplicate-key", "A key stands twice.", "Check it."),),
)
SESSION = Session(
    model=MODEL,
    overrides={"num_hidden_layers": 3, "x.y": [1, None]},
    context=1000,
    sequences=7,
    shared_prefix=16,
    encoder_tokens=9,
    kv_dtype="fp8",
    weights_dtype="int4",
    weights_bytes=77,
    gpus=(GpuChoice(gpu="h100-sxm", count=8, tp=4, pp=2, dp=1, dcp=2), GpuChoice(gpu="l4")),
    engine="vllm",
    engine_version="0.9.2",
    engine_arguments={"block_size": 32, "enable_prefix_caching": False},
    utilization=0.875,
    reserve_bytes=5,
    device_memory=DeviceMemory.MARKETED,
    pool_bytes=10**12,
    budget_overrides={"weights": 99},
)


def same_but_for_identity(one: Model | None, other: Model | None) -> bool:
    """Models equal only themselves, so their fields are compared."""
    if one is None or other is None:
        return one is other
    kept = [field.name for field in fields(Model) if field.name != "path"]
    return all(getattr(one, name) == getattr(other, name) for name in kept)


def again(made: Workspace) -> Workspace:
    return read_workspace(json.loads(json.dumps(workspace_json(made))))


def test_every_field_comes_back() -> None:
    made = workspace.of(SESSION).duplicated().renamed("fp8 cache").pinned_here()
    found = again(made)
    assert (found.active, found.pinned) == (made.active, made.pinned)
    for old, new in zip(made.scenarios, found.scenarios, strict=True):
        assert new.name == old.name
        assert same_but_for_identity(new.session.model, old.session.model)
        assert replace(new.session, model=None) == replace(old.session, model=None)


def test_scenarios_that_share_a_model_share_it_again() -> None:
    found = again(workspace.of(SESSION).duplicated())
    assert found.scenarios[0].session.model is found.scenarios[1].session.model


def test_a_session_without_a_model_comes_back() -> None:
    assert again(workspace.of(Session())).session == Session()


def test_a_config_with_infinity_comes_back_and_the_file_is_plain_json() -> None:
    model = replace(MODEL, config={"time_step_limit": [0.0, float("inf")]})
    text = json.dumps(workspace_json(workspace.of(Session(model=model))), allow_nan=False)
    found = read_workspace(json.loads(text))
    assert found.session.model is not None
    assert found.session.model.config == {"time_step_limit": [0.0, float("inf")]}


def test_reopened_scenarios_give_the_same_numbers(tmp_path: Path) -> None:
    session = Session(model=lookup.from_card("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"),))
    session = actions.override(session, "num_key_value_heads", 4)
    scenarios.write(tmp_path / "a.kvdesk", workspace.of(session))
    found = scenarios.read(tmp_path / "a.kvdesk").session
    before, after = Deriver().derive(session), Deriver().derive(found)
    assert before.options[0].answer == after.options[0].answer
    # 32 layers x 4 KV heads x (128 + 128) x 2 B x 8,192 tokens
    assert after.logical_bytes == 32 * 4 * 256 * 2 * 8192


def test_the_same_workspace_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.kvdesk", "b.kvdesk"):
        scenarios.write(tmp_path / name, workspace.of(SESSION))
    assert (tmp_path / "a.kvdesk").read_bytes() == (tmp_path / "b.kvdesk").read_bytes()


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("scenarios",), [], "scenarios"),
        (("scenarios",), 5, "scenarios"),
        (("scenarios", 0, "model"), 3, "scenarios[0].model"),
        (("scenarios", 0, "inputs", "context"), "many", "scenarios[0].inputs.context"),
        (("scenarios", 0, "inputs", "sequences"), -1, "scenarios[0].inputs.sequences"),
        (("scenarios", 0, "inputs", "sequences"), True, "scenarios[0].inputs.sequences"),
        (("scenarios", 0, "inputs", "utilization"), "x", "scenarios[0].inputs.utilization"),
        (("scenarios", 0, "inputs", "device_memory"), "guessed", "device_memory"),
        (("scenarios", 0, "inputs", "gpus"), [1], "gpus[0]"),
        (("scenarios", 0, "inputs", "overrides"), [], "overrides"),
        (("models", 0, "weights", "bytes"), None, "bytes"),
        (("models", 0, "weights", "exact"), "yes", "exact"),
        (("models", 0, "weights", "bytes", "origin"), "rumour", "origin"),
        (("models", 0, "side_files", "hf_quant_config.json"), "%%%", "side_files"),
        (("models", 0, "findings", 0, "severity"), "doom", "severity"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_key(path: tuple[str | int, ...], value: JsonValue, named: str) -> None:
    contents = json.loads(json.dumps(workspace_json(workspace.of(SESSION))))
    place = contents
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(SourceError) as caught:
        read_workspace(contents)
    assert named in caught.value.detail


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_file_with_any_value_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    contents = json.loads(json.dumps(workspace_json(workspace.of(SESSION))))
    place = contents
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            place[key] = data.draw(_JSON)
            break
        place = inner
    with suppress(KvdeskError):
        Deriver().derive(read_workspace(contents).session)


def test_a_scenario_names_the_model_of_a_local_file_once_it_is_opened(tmp_path: Path) -> None:
    config = tmp_path / "here" / "config.json"
    config.parent.mkdir()
    config.write_text(json.dumps({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64}), encoding="utf-8")
    session = replace(SESSION, model=lookup.load(str(config)))
    file = tmp_path / "mine.kvdesk"
    scenarios.write(file, workspace.of(session))
    # The file is mailed: it does not say where its model came from.
    assert str(tmp_path) not in file.read_text(encoding="utf-8")
    model = scenarios.opened(file).session.model
    assert model
    assert (model.id, model.path) == ("here", str(file))
    # What the copied command line and the model field name can be looked up again.
    assert lookup.load(model.path).config == model.config
    assert f" {file} " in command_line(replace(session, model=model))
    # Two models of local files in one scenario file could not be told apart by its name.
    other = Scenario(name="Scenario 2", session=replace(SESSION, model=lookup.load(str(config))))
    both = Workspace(scenarios=(Scenario(name="Scenario 1", session=session), other))
    scenarios.write(file, both)
    unnamed = scenarios.opened(file).session.model
    assert unnamed
    assert not unnamed.path


def test_a_scenario_without_a_model_names_none(tmp_path: Path) -> None:
    scenarios.write(tmp_path / "empty.kvdesk", workspace.of(Session()))
    with pytest.raises(SourceError, match="holds no model"):
        lookup.load(str(tmp_path / "empty.kvdesk"))
