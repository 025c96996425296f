"""Parameters of real models: each architecture instantiated by transformers 5.24.0 on the meta device and counted.

`tests/fixtures/parameters.json` holds the counts, without draft layers, tied embeddings once; `active` leaves out the
experts that a token is not routed to.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from kvdesk.hub import config_file
from kvdesk.hub.config_view import open_view
from kvdesk.hub.parameters import count

FIXTURES = Path(__file__).parents[2] / "fixtures"
FACTS: list[dict[str, Any]] = json.loads((FIXTURES / "parameters.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact["config"]))
def test_exactly_as_instantiated(fact: dict[str, Any]) -> None:
    counted = count(open_view(config_file.parse((FIXTURES / "configs" / fact["config"]).read_bytes())))
    assert counted is not None
    assert counted.total == fact["parameters"]
    assert counted.active == fact.get("active", fact["parameters"])


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact["config"]))
def test_parts_add_up(fact: dict[str, Any]) -> None:
    counted = count(open_view(config_file.parse((FIXTURES / "configs" / fact["config"]).read_bytes())))
    assert counted is not None
    assert sum(counted.parts.values()) == counted.total
    assert sum(counted.draft_parts.values()) == counted.draft
    assert sum(counted.replicated_parts.values()) == counted.replicated <= counted.total
    assert all(counted.replicated_parts.get(part, 0) <= number for part, number in counted.parts.items())
