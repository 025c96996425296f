"""The catalogue of accelerators: figures as printed, what is confirmed, and what an engine sees."""

import pytest

from kvdesk.catalogue import accelerators, tables
from kvdesk.core.device import Device
from kvdesk.core.errors import UsageError
from kvdesk.core.sourced import Origin

MIB, GIB = 2**20, 2**30


def test_every_entry_is_read_and_consistent() -> None:
    devices = accelerators.all_devices()
    assert len(devices) == 102
    assert [device.id for device in devices] == list(accelerators.ids())
    assert len({device.id for device in devices}) == 102
    for device in devices:
        assert_sane(device)


def assert_sane(device: Device) -> None:
    """What holds for every accelerator, whatever its figures."""
    assert device == accelerators.find(device.id)
    assert device.name
    assert device.vendor in {"NVIDIA", "AMD", "Intel", "Google", "AWS", "Huawei", "Apple"}
    assert device.marketed_bytes.value % 10**9 == 0
    assert (device.compute_capability is not None) == (device.vendor == "NVIDIA" and not device.id.startswith("rubin"))
    assert device.devices_per_card >= 1
    if device.reported_bytes is None:
        assert device.engine_bytes is None
        assert not device.confirmed
        return
    assert device.engine_bytes is not None
    # A driver reports at most the marketed figure read as GiB plus half a percent (MI250X and others are N GiB less
    # 16 MiB; TPU v5p, sold as 95, shows 95.74), and a process never sees more than the driver reports.
    assert device.reported_bytes.value <= device.marketed_bytes.value / 10**9 * GIB * 1.01
    assert device.engine_bytes.value <= device.reported_bytes.value
    for figure in (device.marketed_bytes, device.reported_bytes, device.engine_bytes):
        assert figure.source.origin in {Origin.CATALOGUE, Origin.ESTIMATE}
        assert figure.source.detail


def test_h100() -> None:
    device = accelerators.find("h100-sxm")
    assert device.marketed_bytes.value == 80_000_000_000
    # 81559 MiB by nvidia-smi, 85520809984 bytes: https://github.com/modal-labs/modal-client/pull/2797
    assert device.reported_bytes is not None
    assert device.reported_bytes.value == 85_520_809_984 == 81559 * MIB
    # 79.19 GiB by torch, rounded down to a byte.
    assert device.engine_bytes is not None
    assert device.engine_bytes.value == int(79.19 * GIB)
    assert device.confirmed
    assert device.unconfirmed == ("engine",)
    assert "unconfirmed" in device.engine_bytes.source.detail
    assert device.compute_capability == (9, 0)
    assert (device.fp8_native, device.fp4_native) == (True, False)
    assert (device.bandwidth_gb_s, device.tdp_w, device.per_node, device.year) == (3350.0, 700, 8, 2022)


@pytest.mark.parametrize(
    ("name", "gib", "reserve_mib"),
    # What NVIDIA's driver keeps where no total seen by a process is known: 512 MiB below 40 GiB, 768 MiB to 200 GiB.
    [("a30", 24, 512), ("rtx-3060", 12, 512), ("l20", 46068 / 1024, 768)],
)
def test_the_reserve_is_an_estimate_where_no_total_was_printed(name: str, gib: float, reserve_mib: int) -> None:
    device = accelerators.find(name)
    assert device.engine_bytes is not None
    assert device.engine_bytes.value == int(gib * GIB) - reserve_mib * MIB
    assert device.engine_bytes.source.origin is Origin.ESTIMATE
    assert str(reserve_mib) in device.engine_bytes.source.detail


def test_amd_shows_a_process_all_that_it_reports() -> None:
    # 206141652992 bytes by rocm-smi: https://github.com/ROCm/legacy-rocm-build/issues/4750; torch prints 191.98 GiB.
    device = accelerators.find("mi300x")
    assert device.reported_bytes is not None
    assert device.engine_bytes is not None
    assert device.engine_bytes.value == device.reported_bytes.value == 206_141_652_992


@pytest.mark.parametrize(
    ("name", "marketed_gb", "reported_mib", "devices"),
    [("mi250x", 64, 65520, 2), ("max1550", 64, 65520, 2), ("tpu-v7x", 96, 97024, 2), ("a16", 16, 15356, 4)],
)
def test_a_package_of_several_devices_is_sized_by_the_device(
    name: str, marketed_gb: int, reported_mib: int, devices: int
) -> None:
    device = accelerators.find(name)
    assert device.marketed_bytes.value == marketed_gb * 10**9
    assert device.reported_bytes is not None
    assert device.reported_bytes.value == reported_mib * MIB
    assert device.devices_per_card == devices


def test_the_same_headline_is_not_the_same_memory() -> None:
    b300, mi355x = accelerators.find("b300"), accelerators.find("mi355x")
    assert b300.marketed_bytes.value == mi355x.marketed_bytes.value == 288 * 10**9
    assert b300.reported_bytes is not None
    assert mi355x.reported_bytes is not None
    assert mi355x.reported_bytes.value - b300.reported_bytes.value == (294896 - 275040) * MIB


def test_a_figure_that_cannot_be_cited_is_unconfirmed() -> None:
    assert not accelerators.find("mi355x").confirmed
    assert not accelerators.find("b100").confirmed
    assert accelerators.find("a100-80-sxm").confirmed


def test_ids_ignore_case_and_surrounding_space() -> None:
    assert accelerators.find(" H100-SXM ").id == "h100-sxm"


@pytest.mark.parametrize(
    ("name", "offer"),
    [("h100sxm", "h100-sxm"), ("b20", "b200"), ("4090", "rtx-4090"), ("mi300", "mi300x"), ("h100", "h100-sxm")],
)
def test_an_unknown_gpu_offers_close_ones(name: str, offer: str) -> None:
    with pytest.raises(UsageError) as caught:
        accelerators.find(name)
    assert caught.value.code == "unknown-gpu"
    assert offer in caught.value.detail


@pytest.mark.parametrize("name", ["", 'x"\nid = "b200', "quantum", "\x00", "a" * 10_000])
def test_nonsense_is_refused_without_an_offer(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        accelerators.find(name)
    assert caught.value.code == "unknown-gpu"
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("marketed_gb = '80'", TypeError),
        ("marketed_gb = true", TypeError),
        ("name = 1", TypeError),
        ("marketed_gb = 1\nyear = 1.5", TypeError),
        ("unconfirmed = [1]", TypeError),
        ("unconfirmed = 'x'", TypeError),
        ("name = 'x'", KeyError),
    ],
)
def test_a_damaged_catalogue_is_a_defect(line: str, error: type[Exception]) -> None:
    (table,) = tables.parse(f"[[accelerator]]\n{line}\n", "accelerator")
    with pytest.raises(error):
        accelerators.device_of(table)
