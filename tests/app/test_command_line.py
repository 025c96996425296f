"""The call that gives the same numbers: every input, and quoting that a shell undoes."""

import json
import shlex
from pathlib import Path

from kvdesk.app import lookup
from kvdesk.app.command_line import command_line, source
from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.cli.options import Parser, add_sizing_options, session_from
from kvdesk.core.device import DeviceMemory


def read_again(text: str, model: Model) -> Session:
    """The session that the command line's own parser makes of it."""
    parser = Parser(prog="kvdesk size", description="")
    add_sizing_options(parser)
    arguments = parser.parse_args(shlex.split(text)[2:])
    return session_from(arguments, model)


MODEL = Model(id="org/name", origin="hub", revision="abc", config={})


def test_every_input_survives_the_way_through_the_command_line() -> None:
    session = Session(
        model=MODEL,
        overrides={"num_hidden_layers": 3, "text": "8", "a.b": [1, None], "flag": True, "word": "it's"},
        context=1000,
        sequences=7,
        shared_prefix=16,
        encoder_tokens=9,
        kv_dtype="fp8",
        weights_dtype="int4",
        gpus=(GpuChoice(gpu="h100-sxm", count=8, tp=4, pp=2, dp=1, dcp=2),),
        engine="vllm",
        engine_version="0.9.2",
        engine_arguments={"block_size": 32, "enable_prefix_caching": False},
        utilization=0.875,
        reserve_bytes=5,
        device_memory=DeviceMemory.MARKETED,
        pool_bytes=10**12,
        weights_bytes=77,
    )
    assert read_again(command_line(session), MODEL) == session


def test_defaults_are_not_spelled_out() -> None:
    session = Session(model=MODEL, gpus=(GpuChoice(gpu="l4"), GpuChoice(gpu="mi300x", count=2)))
    assert command_line(session) == "kvdesk size org/name@abc --gpu l4 --gpu mi300xx2"
    assert read_again(command_line(session), MODEL) == session


def test_layouts_that_differ_need_a_call_each() -> None:
    session = Session(model=MODEL, gpus=(GpuChoice(gpu="l4", count=2, tp=1, pp=2), GpuChoice(gpu="l4", count=2)))
    assert command_line(session).splitlines() == [
        "kvdesk size org/name@abc --gpu l4x2 --tp 1 --pp 2",
        "kvdesk size org/name@abc --gpu l4x2",
    ]


def test_what_a_layout_came_to_is_spelled_out() -> None:
    # Beside --tp the command line fills nothing in.
    four = {"tp": 2, "dp": 2}
    session = Session(model=MODEL, gpus=(GpuChoice(gpu="l4", count=4, tp=2), GpuChoice(gpu="l4", count=4, **four)))
    assert command_line(session) == "kvdesk size org/name@abc --gpu l4x4 --gpu l4x4 --tp 2 --dp 2"
    alone = Session(model=MODEL, gpus=(GpuChoice(gpu="l4", count=4, tp=2, dp=1),))
    assert command_line(alone) == "kvdesk size org/name@abc --gpu l4x4 --tp 2 --pp 2 --dp 1"
    none = Session(model=MODEL, gpus=(GpuChoice(gpu="l4", count=4, tp=3),))
    assert command_line(none) == "kvdesk size org/name@abc --gpu l4x4 --tp 3"


def test_sources(tmp_path: Path) -> None:
    folder = tmp_path / "a model"
    folder.mkdir()
    config = {"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 1}
    (folder / "config.json").write_text(json.dumps(config))
    opened = lookup.load_path(folder)
    assert source(opened) == str(folder.resolve())
    assert shlex.split(command_line(Session(model=opened)))[2] == str(folder.resolve())
    assert source(lookup.from_card("llama-3.1-8b")) == "llama-3.1-8b"
    assert source(None) == "SOURCE"
