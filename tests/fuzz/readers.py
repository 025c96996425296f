"""Every reader of something from outside, with what its mutations are made of and what must hold of what it read."""

import argparse
import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zlib import crc32

from kvdesk.app import distribution, scenario_json, sizing_json, workspace
from kvdesk.app.derive import Deriver
from kvdesk.app.lookup import from_card
from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.cli import load_options, options
from kvdesk.core.number_formats import get
from kvdesk.core.units import parse_size
from kvdesk.engines.logs import reader as log_reader
from kvdesk.engines.registry import NAMES
from kvdesk.files import scenario_file
from kvdesk.hub import config_file, parameters, reader, safetensors
from kvdesk.hub.client import repository, suggestions
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.config_view import Reading, open_view
from tests.fuzz import header_mutations, mutations
from tests.fuzz.json_mutations import changed, changed_log, changed_text
from tests.fuzz.reader_mutations import load

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
ABSURD = 10**24
"""More bytes or parameters than anything can mean: a million layers of a million heads at a million tokens."""
GPUS = ("h100-sxm", "h200-sxm", "mi300x", "rtx-4090", "l40s")
FORMATS = ("auto", "bf16", "fp8", "int8", "int4", "nvfp4", "q8_0", "q4_0", "fp32")


@dataclass(frozen=True, slots=True)
class Reader:
    """`mutate` makes one input, `read` reads it and checks what came of it; `weight` is its share of the tries."""

    name: str
    weight: int
    mutate: Callable[[random.Random], Any]
    read: Callable[[Any], None]


@cache
def _configs() -> list[dict[str, Any]]:
    return load()


def all_readers() -> tuple[Reader, ...]:
    """The table; cheap readers have larger shares."""
    headers = {name: (good, read) for name, good, read in header_mutations.KINDS}
    return (
        Reader("config geometry", 6, _config, _read_config),
        Reader("config bytes", 8, _config_bytes, _parse_config),
        Reader("sizings", 1, _question, _size),
        *(
            Reader(name, 150 if name == "reference" else 75, _bytes_of(good), read)
            for name, (good, read) in headers.items()
        ),
        Reader("Hub's JSON", 90, _answer, _read_answer),
        Reader("search's JSON", 75, _found, _read_found),
        Reader("weights' index", 75, _index, _read_index),
        Reader("scenario file", 10, _scenario, _read_scenario),
        Reader("start-up log", 6, _log, _read_log),
        Reader("lengths", 120, _lengths, _read_lengths),
        Reader("option texts", 400, _text, _read_text),
    )


# --------------------------------------------------------------------------------------------------------------- config


def _config(rng: random.Random) -> dict[str, Any]:
    config = mutations.mutate(rng.choice(_configs()), rng).config
    for _ in range(rng.choice((0, 0, 1, 2))):
        config = changed(config, rng) if rng.random() < 0.5 else mutations.mutate(config or {"a": 1}, rng).config
        if not isinstance(config, dict):
            return {}
    return config


def _read_config(config: dict[str, Any]) -> None:
    geometry = reader.read(config)
    growth = geometry.logical(get("bf16"))
    assert 0 <= growth.at(1) <= growth.at(1000) <= growth.at(10**6) < ABSURD
    assert geometry.layers, "no layers"
    counted = parameters.count(open_view(config, Reading()))
    if counted is not None:
        assert 0 < counted.total < ABSURD


def _config_bytes(rng: random.Random) -> bytes:
    data = json.dumps(rng.choice(_configs())).encode(rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32")))
    return header_mutations.mutate(data, rng)


def _parse_config(data: bytes) -> None:
    assert isinstance(config_file.parse(data), dict)


@cache
def _deriver() -> Deriver:
    return Deriver()


def _question(rng: random.Random) -> tuple[Session, dict[str, Any]]:
    config = _config(rng) if rng.random() < 0.7 else rng.choice(_configs())
    count = rng.choice((1, 1, 2, 4, 8, 16))
    choice = GpuChoice(
        gpu=rng.choice(GPUS), count=count, pp=rng.choice((None, None, 2)), dp=rng.choice((None, None, 2))
    )
    session = Session(
        model=Model(id="m", origin="file", config=config),
        context=rng.choice((None, 1, 17, 8192, 131072, 10**7, 2**53)),
        sequences=rng.choice((1, 1, 7, 1000, 2**53)),
        kv_dtype=rng.choice(FORMATS),
        weights_dtype=rng.choice((None, None, None, "fp8", "int4", "q4_0")),
        weights_bytes=rng.choice((None, None, 1, 16 * 10**9, 2**53)),
        gpus=(choice,),
        engine=rng.choice(NAMES),
        utilization=rng.choice((None, None, 0.5, 1.0, 1e-9)),
        reserve_bytes=rng.choice((None, None, 0, 2**50)),
        pool_bytes=rng.choice((None, None, 0, 1, 10**9, 2**50)),
        engine_arguments=MappingProxyType(rng.choice(({}, {}, {"block_size": 64}, {"max_model_len": 4096}))),
    )
    return session, config


def _size(question: tuple[Session, dict[str, Any]]) -> None:
    found = sizing_json.to_json(_deriver().derive(question[0]))
    _no_absurd_number(found, "")


def _no_absurd_number(value: object, path: str) -> None:
    """What is printed is finite, not negative, and no larger than the question allows."""
    if isinstance(value, dict):
        for key, item in value.items():
            _no_absurd_number(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            _no_absurd_number(item, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        # 2^53 tokens of an absurd but possible config; the negated comparison also catches NaN.
        assert 0 <= value < ABSURD * 2**53, f"{path} is {value}"


# -------------------------------------------------------------------------------------------------------------- the Hub


def _bytes_of(good: bytes) -> Callable[[random.Random], bytes]:
    return lambda rng: header_mutations.mutate(good, rng)


def _dumped(value: object) -> bytes:
    return json.dumps(value).encode()


_INFO: dict[str, Any] = json.loads(header_mutations._INFO)
_FOUND = [{"id": "org/name", "modelId": "org/name", "downloads": 5}, {"id": "org/other"}]
_INDEX = {
    "metadata": {"total_size": 12},
    "weight_map": {"model.a": "model-00001-of-00002.safetensors", "model.b": "model-00002-of-00002.safetensors"},
}


def _twice(value: object, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 3))):
        value = changed(value, rng)
    return _dumped(value)


def _answer(rng: random.Random) -> bytes:
    return _twice(_INFO, rng)


def _read_answer(data: bytes) -> None:
    found = repository.read_info(data, "org/name", Settings())
    assert all(".." not in file.name.split("/") and (file.size or 0) >= 0 for file in found.files)


def _found(rng: random.Random) -> bytes:
    return _twice(_FOUND, rng)


def _read_found(data: bytes) -> None:
    assert all(name.isprintable() for name in suggestions._ids(json.loads(data)))


def _index(rng: random.Random) -> bytes:
    return _twice(_INDEX, rng)


def _read_index(data: bytes) -> None:
    assert all(isinstance(name, str) for name in safetensors.index_files(data, "m"))


# ---------------------------------------------------------------------------------------------------------------- files


@cache
def _saved() -> dict[str, Any]:
    model = from_card("llama-3.1-8b")
    session = Session(
        model=model,
        context=8192,
        gpus=(GpuChoice(gpu="h100-sxm", count=2, tp=2),),
        overrides=MappingProxyType({"num_key_value_heads": 4}),
        engine_arguments=MappingProxyType({"max_model_len": 4096}),
        budget_overrides=MappingProxyType({"weights": 10**9}),
        utilization=0.9,
    )
    two = workspace.of(session).duplicated().renamed("B")
    found: dict[str, Any] = json.loads(scenario_file.dumped(scenario_json.workspace_json(two)))
    return found


def _scenario(rng: random.Random) -> bytes:
    data = _twice(_saved(), rng)
    return header_mutations.mutate(data, rng) if rng.random() < 0.3 else data


def _read_scenario(data: bytes) -> None:
    found = scenario_json.read_workspace(scenario_file.parse(data, "m"))
    scenario_file.dumped(scenario_json.workspace_json(found))
    if crc32(data) % 20 == 0:
        _no_absurd_number(sizing_json.to_json(_deriver().derive(found.session)), "")


@cache
def _logs() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted((FIXTURES / "logs").glob("*.log"))]


def _log(rng: random.Random) -> str:
    text = rng.choice(_logs())
    if rng.random() < 0.1:
        text += rng.choice(_logs())
    return changed_log(text, rng)


def _read_log(text: str) -> None:
    found = log_reader.read(text)
    for key, figure in found.figures.items():
        if isinstance(figure.value, (int, float)):
            assert -ABSURD < figure.value < ABSURD, f"{key} is {figure.value}"


def _lengths(rng: random.Random) -> str:
    text = rng.choice(("prompt,output\n100,20\n7,1\n", "1000\n2000\n", '"1","2"\n3,4\n', "\n\n5;6\n", "1_0,2\n"))
    return changed_text(text, rng)


def _read_lengths(text: str) -> None:
    found = distribution.from_csv(text)
    assert all(prompt >= 0 and output >= 0 and 0 < prompt + output < ABSURD for prompt, output in found.pairs)


_TEXTS = ("8192", "3GB", "1.5 GiB", "0.92", "h100-sxmx8", "max_model_len=131072", "2048,4096", "lmcache=40GB", "1_000")


def _text(rng: random.Random) -> str:
    return changed_text(rng.choice(_TEXTS), rng)


_PARSERS: tuple[Callable[[str], object], ...] = (
    parse_size,
    options.whole_number,
    options.positive,
    options.fraction,
    options.engine_arg,
    load_options._moments,
    load_options._tier,
)


def _read_text(text: str) -> None:
    try:
        found = _PARSERS[crc32(text.encode("utf-8", "surrogatepass")) % len(_PARSERS)](text)
    except argparse.ArgumentTypeError as error:
        assert str(error)  # noqa: PT017 - a refusal has a word
        return
    for value in found if isinstance(found, Iterable) and not isinstance(found, (str, dict)) else (found,):
        assert isinstance(value, bool) or not isinstance(value, int) or value < ABSURD or "=" in text
