"""A short run of tests/fuzz/all_mutations.py, and what the long runs found."""

from pathlib import Path
from typing import Any

import pytest

from kvdesk.app import scenario_json
from kvdesk.app.lookup import from_card
from kvdesk.app.session import Session
from kvdesk.app.workspace import of
from kvdesk.core.errors import KvdeskError
from kvdesk.files import scenario_file
from kvdesk.hub import config_file, parameters, reader
from kvdesk.hub.client import repository
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.config_view import Reading, open_view
from tests.fuzz import all_mutations, readers

INFO = '{"id": "org/name", "sha": "%s", "siblings": [], "gated": %s}'


def test_every_reader_reads_or_refuses() -> None:
    chosen = readers.all_readers()
    tallies = all_mutations.run(chosen, seed=20261129, more=lambda tried: tried < 6000)
    assert set(tallies) == {one.name for one in chosen}
    assert sum(one.tried for one in tallies.values()) >= 6000
    assert all(one.tried for one in tallies.values())


def _as_number(text: str) -> None:
    int(text)


def test_a_fault_is_told_with_its_input() -> None:
    broken = readers.Reader("broken", 1, lambda _: "x", _as_number)
    with pytest.raises(all_mutations.Fault, match="broken: ValueError") as caught:
        all_mutations.run((broken,), seed=1, more=lambda tried: tried < 1)
    assert caught.value.mutation == "x"


@pytest.mark.parametrize(("gated", "expected"), [("{}", False), ("[1]", True), ('"manual"', True), ("null", False)])
def test_the_hub_may_say_gated_with_any_value(gated: str, expected: bool) -> None:
    body = (INFO % ("a" * 40, gated)).encode()
    assert repository.read_info(body, "org/name", Settings()).gated is expected


@pytest.mark.parametrize("text", [r'{"model_type": "\ud800"}', r'{"a": {"\udfff": 1}}', r'{"a": ["x\uDC00"]}'])
def test_half_a_character_is_refused_where_it_comes_in(text: str) -> None:
    """It could be neither printed nor saved."""
    with pytest.raises(KvdeskError) as caught:
        config_file.parse(text.encode())
    assert caught.value.code == "malformed-config"
    with pytest.raises(KvdeskError) as caught:
        scenario_file.parse(('{"schema": "kvdesk.scenario/1", "a": ' + text + "}").encode(), "m")
    assert caught.value.code == "bad-scenario"


def test_a_whole_character_written_as_two_halves_is_read() -> None:
    assert config_file.parse(rb'{"a": "\ud83d\ude00"}')["a"] == "\U0001f600"


def test_half_a_million_keys_are_refused_at_once() -> None:
    config: dict[str, Any] = {"model_type": "llama", **{f"k{number}": number for number in range(500_000)}}
    with pytest.raises(KvdeskError) as caught:
        reader.read(config)
    assert caught.value.code == "too-many-keys"


def test_a_count_that_cannot_be_is_withheld() -> None:
    """2^31 hyper-connections made 3 x 10^33 parameters."""
    config = config_file.parse((readers.FIXTURES / "configs" / "deepseek-ai__DeepSeek-V4-Flash.json").read_bytes())
    assert parameters.count(open_view(config, Reading())) is not None
    assert parameters.count(open_view({**config, "hc_mult": 2**31}, Reading())) is None


def test_what_was_saved_is_read_again(tmp_path: Path) -> None:
    whole = of(Session(model=from_card("llama-3.1-8b")))
    scenario_file.write(tmp_path / "a.kvdesk", scenario_json.workspace_json(whole))
    again = scenario_json.read_workspace(scenario_file.read(tmp_path / "a.kvdesk"))
    assert scenario_json.workspace_json(again) == scenario_json.workspace_json(whole)
