"""An accelerator as far as its memory is concerned."""

from enum import StrEnum

from kvdesk.core.sourced import Sourced
from kvdesk.core.values import dataclass


class DeviceMemory(StrEnum):
    """Which figure of a device's memory a budget starts from."""

    MARKETED = "marketed"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One accelerator.

    `marketed_bytes` are the GB on the box (1 GB = 1e9 B); `reported_bytes` what the driver reports in total (nvidia-smi
    memory.total); `engine_bytes` what a process sees in total (cudaMemGetInfo), less the driver's own share. None where
    no figure is known. Every figure is that of one device as software sees it; `devices_per_card` says how many of them
    one card or package holds. `unconfirmed` names the figures that have no source to cite ("reported", "engine",
    "bandwidth", "link", ...), `confirmed` is whether the memory it is sold and reported with has one.
    `compute_capability` is NVIDIA's, (9, 0) for Hopper, None for other vendors.
    """

    id: str
    name: str
    vendor: str
    marketed_bytes: Sourced[int]
    reported_bytes: Sourced[int] | None = None
    engine_bytes: Sourced[int] | None = None
    confirmed: bool = True
    compute_capability: tuple[int, int] | None = None
    fp8_native: bool = False
    fp4_native: bool = False
    bandwidth_gb_s: float | None = None
    tdp_w: int | None = None
    per_node: int | None = None
    memory_type: str = ""
    link: str = ""
    year: int | None = None
    devices_per_card: int = 1
    unconfirmed: tuple[str, ...] = ()
    ecc: str = ""
    note: str = ""
