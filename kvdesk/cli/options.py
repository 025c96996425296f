"""The options of `size`, `report` and `plan`, and the session they describe."""

import argparse
import json
import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

from kvdesk.app.session import DEFAULT_GPU, GpuChoice, Model, Session
from kvdesk.core.device import DeviceMemory
from kvdesk.core.errors import UsageError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.units import parse_size
from kvdesk.core.values import replace
from kvdesk.engines.registry import NAMES

T = TypeVar("T")
LARGEST_COUNT = 1 << 53
"""Larger numbers of tokens, sequences or GPUs are typing errors."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are `UsageError`s, so that all errors look alike."""

    def __init__(self, *, prog: str, description: str) -> None:
        super().__init__(prog=prog, description=description, formatter_class=_Help, allow_abbrev=False)

    def error(self, message: str) -> None:  # type: ignore[override]  # argparse declares NoReturn; raising keeps that
        """Raise instead of printing and leaving."""
        raise UsageError("usage", f"{self.prog}: {message}.", "", f"See {self.prog} --help.")


class _Help(argparse.HelpFormatter):
    """Help as wide as the terminal. argparse asks for the width at every option, and loads `shutil` to do so."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_terminal_width() - 2)


def _terminal_width() -> int:
    try:
        return int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        pass
    try:
        return os.get_terminal_size().columns or 80
    except OSError:
        return 80


def whole_number(text: str) -> int:
    """A whole number of at least 0, digits with `,` or `_` between them allowed."""
    plain = text.replace(",", "").replace("_", "").strip()
    if not plain.isascii() or not plain.isdigit() or len(plain) > 20 or int(plain) > LARGEST_COUNT:
        raise argparse.ArgumentTypeError(f"“{text[:40]}” is not a whole number from 0 to 2^53")
    return int(plain)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    value = whole_number(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"“{text[:40]}” must be at least 1")
    return value


def size(text: str) -> int:
    """A size in bytes, such as 3GB."""
    return typed(parse_size, text)


def typed(parse: Callable[[str], T], text: str) -> T:
    """What `parse` makes of a text; argparse puts the option's name before what it complains of."""
    try:
        return parse(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from error


def fraction(text: str) -> float:
    """A number above 0 and at most 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"“{text[:40]}” must be a number above 0 and at most 1")
    return value


def gpu(text: str) -> tuple[str, int | None]:
    """`h100-sxm` or `h100-sxmx8`: the id and the number of GPUs, None where only the id is given.

    Raises `UsageError` for an id that is not known.
    """
    head, mark, tail = text.strip().rpartition("x")
    if mark and head and tail.isascii() and tail.isdigit() and not _is_known(text):
        return _known_gpu(head.rstrip()), positive(tail)
    return _known_gpu(text.strip()), None


def _known_gpu(name: str) -> str:
    from kvdesk.catalogue import accelerators

    return accelerators.find(name).id


def _is_known(text: str) -> bool:
    """Whether the whole text is an id itself, such as `mi300x` or a name that ends in x and digits."""
    from kvdesk.catalogue import accelerators

    try:
        accelerators.find(text)
    except UsageError:
        return False
    return True


def engine_arg(text: str) -> tuple[str, JsonValue]:
    """`key=value`, the value as JSON where it is JSON and as text where it is not."""
    key, mark, value = text.partition("=")
    key = key.strip().lstrip("-").replace("-", "_")
    if not mark or not key:
        raise argparse.ArgumentTypeError(f"“{text[:40]}” is not KEY=VALUE")
    try:
        parsed: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        parsed = {"True": True, "False": False, "None": None}.get(value, value)
    return key, parsed


_DEGREES = {
    "tp": "tensor parallelism: GPUs that split each layer (all of xN)",
    "pp": "pipeline parallelism: GPUs that hold layers in turn (1)",
    "dp": "data parallelism: replicas, or ranks of attention (1)",
    "dcp": "decode context parallelism: parts of the cache inside tp (1)",
}
SOURCE_HELP = "Hub id, id@revision, Hub URL, config.json, folder, or a name of `kvdesk models`"


def add_sizing_options(parser: argparse.ArgumentParser, *, source: bool = True) -> None:
    """All options that make a session; without `source`, where the command takes its model from elsewhere."""
    if source:
        parser.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    workload = parser.add_argument_group("workload")
    workload.add_argument(
        "--context", type=positive, metavar="N", help="tokens of one sequence, prompt and output (8192)"
    )
    workload.add_argument("--sequences", type=positive, default=1, metavar="N", help="sequences held at once (1)")
    workload.add_argument(
        "--shared-prefix", type=whole_number, default=0, metavar="N", help="leading tokens shared by all (0)"
    )
    workload.add_argument("--encoder-tokens", type=positive, metavar="N", help="tokens seen by cross-attention")
    formats = parser.add_argument_group("formats")
    formats.add_argument(
        "--kv-dtype", default="auto", metavar="F", help="cache format: auto, bf16, fp8, int4, q8_0 ... (auto)"
    )
    formats.add_argument("--weights-dtype", metavar="F", help="re-quantise the weights on paper")
    formats.add_argument("--weights-bytes", type=size, metavar="SIZE", help="measured size of the weights")
    hardware = parser.add_argument_group("hardware")
    hardware.add_argument(
        "--gpu", type=gpu, action="append", default=[], metavar="ID[xN]", help="GPU option, repeatable (h100-sxm)"
    )
    for degree, meaning in _DEGREES.items():
        hardware.add_argument(f"--{degree}", type=positive, metavar="N", help=meaning)
    hardware.add_argument(
        "--device-memory", choices=[m.value for m in DeviceMemory], help="GB on the box or bytes the driver reports"
    )
    engine = parser.add_argument_group("engine")
    engine.add_argument("--engine", default="plain", metavar="E", help=", ".join(NAMES) + " (plain)")
    engine.add_argument("--engine-version", metavar="V", help="rules of that version (the newest profile)")
    engine.add_argument(
        "--engine-arg",
        type=engine_arg,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the engine by its own name, e.g. max_num_seqs=64; repeatable",
    )
    engine.add_argument("--utilization", type=fraction, metavar="F", help="fraction of device memory (plain 0.92)")
    engine.add_argument("--reserve", type=size, metavar="SIZE", help="held back for activations and graphs (plain 3GB)")
    engine.add_argument("--pool-bytes", type=size, metavar="SIZE", help="KV memory per GPU as the engine printed it")
    parser.add_argument(
        "--set",
        type=engine_arg,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="type over a value of config.json, by key path",
    )


def session_from(arguments: argparse.Namespace, model: Model | None, *, exact: bool = True) -> Session:
    """The session that the options describe; `exact` degrees have to come to the number of GPUs (see `_exact`)."""
    # Without xN there are as many GPUs as the layout names.
    degrees = (arguments.tp or 1) * (arguments.pp or 1) * (arguments.dp or 1)
    gpus = tuple(
        GpuChoice(
            gpu=name, count=count or degrees, tp=arguments.tp, pp=arguments.pp, dp=arguments.dp, dcp=arguments.dcp
        )
        for name, count in arguments.gpu or [(DEFAULT_GPU, None)]
    )
    if exact:
        gpus = tuple(_exact(choice) for choice in gpus)
    return Session(
        model=model,
        overrides=_mapping(arguments.set),
        context=arguments.context,
        sequences=arguments.sequences,
        shared_prefix=arguments.shared_prefix,
        encoder_tokens=arguments.encoder_tokens,
        kv_dtype=arguments.kv_dtype,
        weights_dtype=arguments.weights_dtype,
        weights_bytes=arguments.weights_bytes,
        gpus=gpus,
        engine=arguments.engine,
        engine_version=arguments.engine_version,
        engine_arguments=_mapping(arguments.engine_arg),
        utilization=arguments.utilization,
        reserve_bytes=arguments.reserve,
        device_memory=DeviceMemory(arguments.device_memory) if arguments.device_memory else None,
        pool_bytes=arguments.pool_bytes,
    )


def _exact(choice: GpuChoice) -> GpuChoice:
    """With `--tp` the degrees that are not given are 1, so that xN beside other degrees is an error and not a guess."""
    degrees = (choice.tp or 1) * (choice.pp or 1) * (choice.dp or 1)
    if choice.tp is None or degrees == choice.count:
        return choice
    return replace(choice, pp=choice.pp or 1, dp=choice.dp or 1)


def _mapping(pairs: list[tuple[str, JsonValue]]) -> Mapping[str, JsonValue]:
    return MappingProxyType(dict(pairs))
