"""Logical cache bytes measured on the real libraries, for real configs and for configs with one key absent or changed.

`tests/fixtures/kv_facts.json` and `kv_variations.json` hold numbers and keys only. They were measured on the tensors of
transformers 5.24.0 cache objects after a forward pass on the meta device, and on vLLM 0.33.0's layer specs;
`measured_on` says which. Windows count as the config means them, convolution states have kernel - 1 columns.
"""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from kvdesk.core.number_formats import get
from kvdesk.hub import config_file, reader

FIXTURES = Path(__file__).parents[1] / "fixtures"
FACTS: list[dict[str, Any]] = json.loads((FIXTURES / "kv_facts.json").read_text(encoding="utf-8"))
GROUPS: list[dict[str, Any]] = json.loads((FIXTURES / "kv_variations.json").read_text(encoding="utf-8"))
VARIATIONS = [(group["base"], group["config"], *case) for group in GROUPS for case in group["cases"]]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact["config"])
def test_real_config(fact: dict[str, Any]) -> None:
    data = (FIXTURES / "configs" / fact["config"]).read_bytes()
    growth = reader.read(config_file.parse(data)).logical(get(fact["kv_dtype"]))
    assert {tokens: growth.at(int(tokens)) for tokens in fact["bytes"]} == fact["bytes"]
    assert growth.fixed == fact["fixed"]


@pytest.mark.parametrize(
    ("base", "config", "name", "changed", "absent", "expected"),
    VARIATIONS,
    ids=[f"{base} {name}" for base, _, name, _, _, _ in VARIATIONS],
)
def test_one_key_absent_or_changed(
    base: str, config: dict[str, Any], name: str, changed: dict[str, Any], absent: list[str], expected: dict[str, int]
) -> None:
    growth = reader.read(_vary(config, changed, absent)).logical(get("bf16"))
    assert {tokens: growth.at(int(tokens)) for tokens in expected} == expected


def _vary(config: dict[str, Any], changed: dict[str, Any], absent: list[str]) -> dict[str, Any]:
    varied = deepcopy(config)
    for path, value in changed.items():
        place, key = _place(varied, path)
        place[key] = value
    for path in absent:
        place, key = _place(varied, path)
        del place[key]
    return varied


def _place(config: dict[str, Any], path: str) -> tuple[dict[str, Any], str]:
    *sections, key = path.split(".")
    for section in sections:
        config = config.setdefault(section, {})
    return config, key
