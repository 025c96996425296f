"""Parameters of every counted model type by its class's own defaults, with each of its flags turned, in real sizes.

`tests/fixtures/parameter_flags.json` was made by running the constructors of transformers 5.24.0's own modeling classes
and adding up the shapes of the parameters they create; tied ones once.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from kvdesk.hub.config_view import open_view
from kvdesk.hub.parameters import count

FIXTURE = Path(__file__).parents[2] / "fixtures" / "parameter_flags.json"
CASES = [
    pytest.param(
        {"model_type": group["model_type"], "architectures": [group["architecture"]], **group["base"], **changed},
        expected,
        id=f"{number} {group['model_type']} {json.dumps(changed) if changed else 'as it is'}",
    )
    for number, group in enumerate(json.loads(FIXTURE.read_text(encoding="utf-8")))
    for changed, expected in group["cases"]
]


@pytest.mark.parametrize(("config", "expected"), CASES)
def test_as_the_class_creates_them(config: dict[str, Any], expected: int) -> None:
    counted = count(open_view(config))
    assert counted is not None
    assert counted.total == expected
