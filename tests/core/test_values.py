"""The small values: errors, findings, sources, weights, budget lines."""

import pytest

from kvdesk.core import findings, weights
from kvdesk.core.budget import BudgetLine
from kvdesk.core.device import Device, DeviceMemory
from kvdesk.core.errors import ExitStatus, KvdeskError, RefusalError, SourceError, UsageError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.workload import Workload


def test_errors_say_what_why_and_what_to_do() -> None:
    error = KvdeskError("c", "What.", "Why.", "Do this.")
    assert str(error) == "What. Why. Do this."
    assert str(KvdeskError("c", "What.")) == "What."


@pytest.mark.parametrize(
    ("kind", "status"),
    [(UsageError, ExitStatus.USAGE), (SourceError, ExitStatus.SOURCE), (RefusalError, ExitStatus.REFUSED)],
)
def test_exit_statuses(kind: type[KvdeskError], status: ExitStatus) -> None:
    assert kind("c", "t").exit_status is status


def test_findings_by_severity() -> None:
    found = [make("code", "Text.", "Remedy.") for make in (findings.info, findings.warning, findings.refusal)]
    assert [f.severity.value for f in found] == ["info", "warning", "refusal"]


def test_a_source_in_words() -> None:
    assert str(Source(Origin.CONFIG, "hidden_size")) == "config.json: hidden_size"
    assert str(Source(Origin.DERIVED)) == "derived"


def test_weights_on_ranks() -> None:
    # 100 B of which 10 are on every rank: tp 2, pp 2 -> ceil(10 / 2) + ceil(90 / 4) = 5 + 23
    whole = weights.Weights(bytes=Sourced(100, Source(Origin.FILES)), replicated_bytes=10)
    assert whole.on_rank(1, 1) == 100
    assert whole.on_rank(2, 2) == 28
    assert weights.typed(7).bytes.source.origin is Origin.USER


def test_a_line_with_a_band_is_an_estimate() -> None:
    line = BudgetLine(key="k", symbol="K", label="l", value=1, unit="B", source=Source(Origin.DERIVED))
    assert line.exact
    band = BudgetLine(key="k", symbol="K", label="l", value=2, unit="B", source=Source(Origin.ESTIMATE), low=1, high=3)
    assert not band.exact


def test_plain_values_have_defaults() -> None:
    workload = Workload(context=8192)
    assert (workload.sequences, workload.shared_prefix, workload.encoder_tokens) == (1, 0, None)
    device = Device(id="d", name="D", vendor="V", marketed_bytes=Sourced(80 * 10**9, Source(Origin.CATALOGUE)))
    assert (device.reported_bytes, device.confirmed) == (None, True)
    assert DeviceMemory("marketed") is DeviceMemory.MARKETED
    value: JsonValue = {"list": [1, None]}
    assert value
