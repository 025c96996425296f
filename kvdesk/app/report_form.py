"""What a report asks for, read from text, with the same sentences for the command line and the window."""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kvdesk.core.errors import KvdeskError, SourceError, UsageError
from kvdesk.core.units import parse_size
from kvdesk.core.values import dataclass

if TYPE_CHECKING:
    from kvdesk.app.distribution import Lengths
    from kvdesk.app.report_load import LoadAsked
    from kvdesk.report.inputs import ReportDetails

T = TypeVar("T")
MOST_BYTES = 64 << 20
"""Of a list of lengths."""
COVER = ("title", "organisation", "author", "reviewer", "purpose", "currency")
"""Fields that are any text."""
PRICE = "price "
"""Before a GPU's id: the name of the field for its price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A form that was read: what goes on the page, the expected load, and a start-up log to be set beside."""

    details: "ReportDetails"
    load: "LoadAsked | None" = None
    log: Path | None = None


def read(texts: Mapping[str, str], gpus: Sequence[str]) -> tuple[Asked, dict[str, KvdeskError]]:
    """The form and, by field, what is wrong with it; empty fields leave things to their default.

    Fields are those of `COVER`, "date", "paper", `PRICE` + the id of each of `gpus`, "prompt", "output", "lengths" (a
    file), "offload", "logo" (a file) and "log" (a file, read later).
    """
    from kvdesk.app.reporting import LoadAsked, ReportDetails

    given = {name: text.strip() for name, text in texts.items() if text.strip()}
    errors: dict[str, KvdeskError] = {}

    def take(name: str, parse: Callable[[str], T]) -> T | None:
        try:
            return parse(given[name]) if name in given else None
        except KvdeskError as error:
            errors[name] = error
            return None

    prices = {gpu: take(PRICE + gpu, price) for gpu in gpus}
    prompt, output = take("prompt", moments), take("output", moments)
    lengths = take("lengths", read_lengths)
    if not lengths and not errors.keys() & {"prompt", "output", "lengths"}:
        try:
            lengths = lengths_of(prompt, output)
        except KvdeskError as error:
            errors["output" if output else "prompt"] = error
    offload = take("offload", tiers) or ()
    details = ReportDetails(
        **{name: given.get(name, "") for name in COVER},
        date=take("date", day),
        paper=given.get("paper", "a4"),
        prices={gpu: value for gpu, value in prices.items() if value is not None},
        logo=take("logo", _logo),
    )
    load = LoadAsked(lengths=lengths, tiers=offload) if lengths or offload else None
    return Asked(details=details, load=load, log=Path(given["log"]) if "log" in given else None), errors


def check(name: str, text: str) -> str:
    """What is wrong with one field by itself, "" for nothing; files are left to `read`."""
    parse: Mapping[str, Callable[[str], object]] = {"date": day, "prompt": moments, "output": moments, "offload": tiers}
    known = price if name.startswith(PRICE) else parse.get(name)
    try:
        if known and text.strip():
            known(text.strip())
    except KvdeskError as error:
        return str(error)
    return ""


def price(text: str) -> Decimal:
    """The price of one GPU."""
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,4})?", text.strip()):
        raise UsageError("usage", f"“{text[:40]}” is not a price such as 25000 or 2.49.")
    return Decimal(text.strip())


def day(text: str) -> str:
    """The date of the cover."""
    from kvdesk.app.reporting import iso_day

    return iso_day(text)


def moments(text: str) -> tuple[float, float]:
    """A mean and a 95th percentile; the mean alone stands for both."""
    try:
        mean, _, p95 = text.partition(",")
        return float(mean), float(p95 or mean)
    except ValueError as error:
        raise UsageError("usage", f"“{text[:40]}” is not MEAN,P95.") from error


def tiers(text: str) -> tuple[tuple[str, int], ...]:
    """Offload tiers, apart by spaces or commas."""
    return tuple(tier(part) for part in re.split(r"[,\s]+", text.strip()) if part)


def tier(text: str) -> tuple[str, int]:
    """The store and the bytes of one tier."""
    name, mark, amount = text.partition("=")
    if not mark:
        raise UsageError("usage", f"“{text[:40]}” is not STORE=SIZE.")
    return name, parse_size(amount)


def lengths_of(prompt: tuple[float, float] | None, output: tuple[float, float] | None) -> "Lengths | None":
    """The lengths of two moments each, None without any."""
    if prompt is None and output is None:
        return None
    if prompt is None or output is None:
        raise UsageError(
            "usage", "Prompt tokens and output tokens go together.", "", "Give both as MEAN,P95, or a list of lengths."
        )
    from kvdesk.app import distribution

    return distribution.from_moments(*prompt, *output)


def read_lengths(path: str | Path) -> "Lengths":
    """The lengths in a CSV file."""
    from kvdesk.app import distribution
    from kvdesk.files.reading import read_bounded

    path = Path(path)
    try:
        data = read_bounded(path, MOST_BYTES + 1)
    except OSError as error:
        raise SourceError(
            "unreadable-file", f"“{path.name}” cannot be read.", f"{error.strerror}.", "Check its path."
        ) from error
    if len(data) > MOST_BYTES:
        raise SourceError("large-file", f"“{path.name}” is larger than 64 MiB.", "", "Give a sample of the requests.")
    return distribution.from_csv(data.decode("utf-8-sig", errors="replace"))


def _logo(path: str) -> bytes:
    from kvdesk.app.reporting import read_logo

    return read_logo(Path(path))
