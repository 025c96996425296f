"""The command line as scripts and continuous integration call it: keys, types, exit statuses, worked examples."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kvdesk.cli.main import COMMANDS, main
from tests.support.fake_hub import FakeHub, serve
from tests.support.gguf_file import Value, gguf

FIXTURES = Path(__file__).parents[1] / "fixtures"
CONFIGS, LOG = FIXTURES / "configs", FIXTURES / "logs" / "vllm_0_30_tp2.log"

KINDS = {"full", "sliding", "chunked", "mla", "indexer", "compressed", "state", "cross", "shared", "none"}
LAYER_KEYS = {
    "full": {"kv_heads", "key_dim", "value_dim"},
    "sliding": {"window"},
    "chunked": {"kv_heads", "key_dim", "value_dim", "chunk"},
    "mla": {"latent_dim"},
    "cross": {"kv_heads", "key_dim", "value_dim", "encoder_tokens"},
}
OPTION_INTEGERS = (
    "count", "tp", "pp", "dp", "dcp", "device_bytes", "budget_bytes", "weights_bytes", "reserve_bytes", "pool_bytes",
    "logical_bytes_per_sequence", "allocated_bytes_per_sequence", "pool_tokens", "full_length_sequences", "max_context",
)  # fmt: skip
SOURCES = (
    "llama-3.1-8b", "whisper-large-v3", "nemotron-3-nano-30b-a3b", "gpt-oss-20b",
    "Qwen__Qwen3-8B.json", "google__gemma-3-27b-it.json", "deepseek-ai__DeepSeek-V3.json",
    "deepseek-ai__DeepSeek-V3.2.json", "deepseek-ai__DeepSeek-V4-Flash.json", "Qwen__Qwen3.5-27B.json",
    "ai21labs__AI21-Jamba-1.5-Mini.json", "google-t5__t5-small.json", "RWKV__rwkv-6-world-1b6.json",
    "MiniMaxAI__MiniMax-M2.5.json",
)  # fmt: skip


SIZING_OPTIONS = (
    "--context", "--sequences", "--shared-prefix", "--kv-dtype", "--encoder-tokens", "--weights-dtype",
    "--weights-bytes", "--gpu", "--tp", "--pp", "--dp", "--dcp", "--engine", "--engine-version", "--engine-arg",
    "--utilization", "--reserve", "--device-memory", "--pool-bytes",
)  # fmt: skip


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit status and the one object on standard output; nothing goes to standard error."""
    status = main(list(arguments))
    printed = capsys.readouterr()
    assert printed.err == ""
    found = json.loads(printed.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert isinstance(found, dict)
    return status, found


def sized(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status, found = answer(capsys, "size", *arguments, "--json")
    assert status == 0, found
    return found


def is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def check_sizing(found: Mapping[str, Any]) -> None:
    """Every key of the contract with its type."""
    assert found["schema"] == "kvdesk.sizing/1"
    model = found["model"]
    assert isinstance(model["id"], str)
    assert model["revision"] is None or isinstance(model["revision"], str)
    assert model["source"] in {"hub", "file", "catalogue"}
    assert isinstance(model["model_type"], str)
    assert model["max_context"] is None or is_integer(model["max_context"])
    for layer in model["layers"]:
        assert layer["kind"] in KINDS
        assert is_integer(layer["count"])
        assert layer["count"] >= 1
        assert LAYER_KEYS.get(layer["kind"], set()) <= layer.keys()
        assert all(is_integer(layer[key]) for key in LAYER_KEYS.get(layer["kind"], ()))
    check_parts(found)
    assert found["options"]
    for option in found["options"]:
        check_option(option)


def check_parts(found: Mapping[str, Any]) -> None:
    kv, weights = found["kv"], found["weights"]
    assert isinstance(kv["dtype"], str)
    assert all(is_integer(kv[f"{key}_per_sequence"]) for key in ("logical_bytes", "fixed_bytes"))
    assert isinstance(kv["marginal_bytes_per_token"], (int, float))
    assert weights["bytes"] is None or is_integer(weights["bytes"])
    assert weights["parameters"] is None or is_integer(weights["parameters"])
    assert weights["source"] is None or isinstance(weights["source"], str)
    for finding in found["findings"]:
        assert finding.keys() >= {"code", "severity", "text", "remedy"}
        assert finding["severity"] in {"info", "warning", "refusal"}
        assert finding["text"]
    assert isinstance(found["sources"], dict)
    assert [path for path, text in found["sources"].items() if not (text and has(found, path))] == []


def has(found: Mapping[str, Any], path: str) -> bool:
    """Whether a path such as `options.0.device_bytes` leads to a value; budget lines and facts go by their keys."""
    head, _, rest = path.partition(".")
    if path.startswith("model.facts."):
        return path.removeprefix("model.facts.") in found["model"]["facts"]
    if head == "options":
        number, _, key = rest.partition(".")
        option = found["options"][int(number)]
        if key.startswith("budget."):
            return key.removeprefix("budget.") in [line["key"] for line in option["budget"]]
        return key in option
    return rest in found[head]


def check_option(option: Mapping[str, Any]) -> None:
    assert isinstance(option["gpu"], str)
    assert [key for key in OPTION_INTEGERS if not is_integer(option[key])] == []
    assert isinstance(option["max_concurrency"], float)
    assert all(option[key] is None or is_integer(option[key]) for key in ("num_blocks", "block_size"))
    assert isinstance(option["fits"], bool)
    assert option["limit"] in {"weights", "kv", "layout", None}
    assert option["fits"] or option["limit"]


@pytest.mark.parametrize("engine", ["plain", "vllm"])
@pytest.mark.parametrize("source", SOURCES)
def test_every_key_of_a_sizing(source: str, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(CONFIGS / source) if source.endswith(".json") else source
    check_sizing(sized(capsys, path, "--gpu", "h100-sxm", "--gpu", "b200x8", "--engine", engine))


@pytest.mark.parametrize("engine", ["sglang", "tensorrt_llm", "llama_cpp"])
def test_every_engine_gives_the_same_keys(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_sizing(sized(capsys, "llama-3.1-8b", "--gpu", "l4", "--gpu", "h100-sxmx2", "--engine", engine))


def test_options_without_an_answer_keep_the_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """A layout that the model does not allow, and a device that reports nothing."""
    found = sized(capsys, "llama-3.1-8b", "--gpu", "h100-sxmx3", "--gpu", "rubin", "--tp", "3", "--engine", "vllm")
    check_sizing(found)
    assert not any(option["fits"] for option in found["options"])


def test_all_options_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    given = (
        "--context 4096 --sequences 4 --shared-prefix 512 --kv-dtype fp8 --encoder-tokens 10 --weights-dtype fp8 "
        "--weights-bytes 9GB --gpu h100-sxmx4 --tp 2 --pp 2 --dp 1 --dcp 1 --engine vllm --engine-version 0.33.0 "
        "--engine-arg max_num_batched_tokens=2048 --engine-arg enable_prefix_caching=false --utilization 0.9 "
        "--reserve 2GiB --device-memory marketed"
    )
    found = sized(capsys, "llama-3.1-8b", *given.split())
    check_sizing(found)
    (option,) = found["options"]
    assert (option["count"], option["tp"], option["pp"]) == (4, 2, 2)
    assert (option["device_bytes"], option["reserve_bytes"]) == (80_000_000_000, 2 << 30)
    assert option["budget_bytes"] == 72_000_000_000
    assert found["kv"]["dtype"] == "fp8"
    (option,) = sized(capsys, "llama-3.1-8b", "--gpu", "h100-sxm", "--pool-bytes", "16GiB")["options"]
    assert (option["pool_bytes"], option["pool_tokens"], option["full_length_sequences"]) == (16 << 30, 131_072, 16)


# ----------------------------------------------------------------------------------------------------- worked examples


def one(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[dict[str, Any], dict[str, Any]]:
    found = sized(capsys, *arguments)
    return found, found["options"][0]


def test_llama_8b_on_one_h100(capsys: pytest.CaptureFixture[str]) -> None:
    found, option = one(capsys, "llama-3.1-8b", "--gpu", "h100-sxm")
    assert found["kv"]["marginal_bytes_per_token"] == 131_072
    assert found["weights"]["bytes"] == 16_060_522_496
    assert found["weights"]["parameters"] == 8_030_261_248
    assert option["budget_bytes"] == 73_600_000_000
    assert option["pool_bytes"] == 54_539_477_504
    assert (option["pool_tokens"], option["full_length_sequences"]) == (416_103, 50)


def test_the_same_with_an_fp8_cache(capsys: pytest.CaptureFixture[str]) -> None:
    found, option = one(capsys, "llama-3.1-8b", "--gpu", "h100-sxm", "--kv-dtype", "fp8")
    assert found["kv"]["marginal_bytes_per_token"] == 65_536
    assert (option["pool_tokens"], option["full_length_sequences"]) == (832_206, 101)


def test_one_long_sequence(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = one(capsys, "llama-3.1-8b", "--context", "131072")
    assert found["kv"]["logical_bytes_per_sequence"] == 17_179_869_184
    assert main(["size", "llama-3.1-8b", "--context", "131072"]) == 0
    assert "17.18 GB (16.00 GiB) = 17,179,869,184 B" in capsys.readouterr().out


def test_llama_70b_in_fp8_on_one_h200(capsys: pytest.CaptureFixture[str]) -> None:
    weights = ("--weights-bytes", "70553706496")
    found, option = one(capsys, "llama-3.3-70b", "--gpu", "h200-sxm", *weights)
    assert found["kv"]["marginal_bytes_per_token"] == 327_680
    assert (option["pool_tokens"], option["full_length_sequences"]) == (171_405, 20)
    _, on_paper = one(capsys, "llama-3.3-70b", "--gpu", "h200-sxm", "--weights-dtype", "fp8")
    assert on_paper["weights_bytes"] >= 70_553_706_496  # embeddings and norms may stay wider on paper


def test_deepseek_v3(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = one(capsys, "deepseek-v3", "--gpu", "h200-sxmx8")
    assert found["kv"]["marginal_bytes_per_token"] == 70_272 == 576 * 61 * 2


def test_blocks_of_sixteen(capsys: pytest.CaptureFixture[str]) -> None:
    """32 layers, 8 KV heads of 128, 2 bytes: 8,192 tokens are 1 GiB; 8,193 allocate 8,208."""
    _, option = one(capsys, "llama-3.1-8b", "--context", "8193")
    assert option["logical_bytes_per_sequence"] == 8_193 * 131_072
    assert option["allocated_bytes_per_sequence"] == 8_208 * 131_072
    eight = sized(capsys, "llama-3.1-8b", "--context", "8192", "--sequences", "8")
    assert 8 * eight["kv"]["logical_bytes_per_sequence"] == 8 << 30


def test_heads_are_replicated_past_their_count(capsys: pytest.CaptureFixture[str]) -> None:
    found = sized(capsys, "llama-3.1-8b", "--gpu", "h100-sxmx8", "--gpu", "h100-sxmx16")
    at_8, at_16 = found["options"]
    assert at_8["logical_bytes_per_sequence"] == at_16["logical_bytes_per_sequence"] == 134_217_728


# ------------------------------------------------------------------------------------------------------ other commands


def test_plan(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = answer(
        capsys, "plan", "llama-3.1-8b", "--gpu", "h100-sxm", "--gpu", "l4", "--sequences", "60", "--json"
    )
    assert status == 0
    assert found["schema"] == "kvdesk.plan/1"
    h100, l4 = found["rows"]
    # 60 sequences on a GPU that holds 50.
    assert (h100["gpu"], h100["gpus"], l4["gpu"]) == ("h100-sxm", 2, "l4")
    assert is_integer(l4["gpus"])


def test_catalogues(capsys: pytest.CaptureFixture[str]) -> None:
    status, gpus = answer(capsys, "gpus", "--json")
    assert status == 0
    assert {"h100-sxm", "h200-sxm", "b200", "mi300x"} <= {gpu["id"] for gpu in gpus["gpus"]}
    assert all(is_integer(gpu["marketed_bytes"]) for gpu in gpus["gpus"])
    status, models = answer(capsys, "models", "--json")
    assert status == 0
    assert len(models["models"]) >= 40
    assert all(is_integer(model["weights_bytes"]) for model in models["models"])


def test_reconcile(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = answer(capsys, "reconcile", str(LOG), "--model", "qwen3.5-27b", "--json")
    assert status == 0
    rows = {row["key"]: row for row in found["rows"]}
    assert rows["kv_tokens"]["logged"] == 302_921  # "GPU KV cache size: 302,921 tokens"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: kvdesk {command}")


def test_help_names_every_option_of_a_sizing(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("size", "plan", "report"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        text = capsys.readouterr().out
        for option in SIZING_OPTIONS:
            assert f"{option} " in text, (command, option)


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["llama-3.1-8b", "--gpu", "no-such-gpu"], 2),
        (["llama-3.1-8b", "--context", "-1"], 2),
        (["llama-3.1-8b", "--context", "0"], 2),
        (["llama-3.1-8b", "--utilization", "1.2"], 2),
        (["llama-3.1-8b", "--reserve", "3 parsecs"], 2),
        (["llama-3.1-8b", "--engine", "abacus"], 2),
        (["llama-3.1-8b", "--engine-arg", "nothing"], 2),
        (["llama-3.1-8b", "--kv-dtype", "fp3"], 4),
        ([], 2),
        (["./no/such/config.json"], 3),
        ([str(CONFIGS / "BAAI__bge-small-en-v1.5.json")], 4),
        ([str(CONFIGS / "Gayaz2000__Unsloth-DPOTrainer.adapter_config.json")], 4),
    ],
)
def test_errors_are_one_object_or_one_paragraph(
    arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = answer(capsys, "size", *arguments, "--json")
    assert code == status, found
    assert found["schema"] == "kvdesk.error/1"
    assert all(isinstance(found[key], str) for key in ("code", "title", "detail", "remedy"))
    assert found["code"]
    assert found["title"]
    assert found["remedy"]
    assert main(["size", *arguments]) == status
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert len(printed.err) < 400


# ----------------------------------------------------------------------------------------------- sources of the model


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A Hub on loopback with one model, one gated, one private."""
    from huggingface_hub.utils import close_session

    close_session()
    config = (CONFIGS / "Qwen__Qwen3-8B.json").read_bytes()
    with serve() as found:
        monkeypatch.setenv("HF_ENDPOINT", found.url)
        found.add("Qwen/Qwen3-8B", {"config.json": config})
        found.add("org/gated", {"config.json": config}, access="gated")
        found.add("org/private", {"config.json": config}, access="private")
        found.add("org/gguf", {"m-Q4_K_M.gguf": gguf(GGUF)}, sizes={"m-Q4_K_M.gguf": 5_000_000_000})
        yield found
    close_session()


GGUF: dict[str, Value] = {
    "general.architecture": "llama",
    "llama.block_count": 32,
    "llama.embedding_length": 4096,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
    "llama.context_length": 131_072,
}


def test_every_way_to_name_a_model(hub: FakeHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_bytes(hub.repos["Qwen/Qwen3-8B"].files["config.json"])
    page, commit = "https://huggingface.co/Qwen/Qwen3-8B", hub.repos["Qwen/Qwen3-8B"].commit
    ids = ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B@main", f"Qwen/Qwen3-8B@{commit}", page, f"{page}/tree/main")
    files = (f"{page}/blob/main/config.json", f"{page}/resolve/main/config.json?download=true")
    for source in (*ids, *files):
        found = sized(capsys, source)
        assert (found["model"]["source"], found["model"]["revision"]) == ("hub", commit), source
        # 36 layers x 8 KV heads x (128 + 128) x 2 bytes.
        assert found["kv"]["marginal_bytes_per_token"] == 147_456
    hub.requests.clear()
    for path in (folder, folder / "config.json"):
        found = sized(capsys, str(path))
        assert (found["model"]["source"], found["kv"]["marginal_bytes_per_token"]) == ("file", 147_456)
    assert sized(capsys, "qwen3-8b")["model"]["source"] == "catalogue"
    assert hub.requests == []  # a local file never causes a network call


def test_a_gguf_repository(hub: FakeHub, capsys: pytest.CaptureFixture[str]) -> None:
    found = sized(capsys, "org/gguf", "--engine", "llama_cpp", "--gpu", "rtx-4090")
    check_sizing(found)
    assert found["kv"]["marginal_bytes_per_token"] == 131_072
    assert found["weights"]["bytes"] == 5_000_000_000


def test_what_was_looked_up_works_offline(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sized(capsys, "Qwen/Qwen3-8B")
    hub.requests.clear()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    after = sized(capsys, "Qwen/Qwen3-8B")
    assert after["kv"] == before["kv"]
    assert after["model"]["revision"] == before["model"]["revision"]
    status, found = answer(capsys, "size", "org/never-seen", "--json")
    assert status == 3
    assert "HF_HUB_OFFLINE" in found["detail"] + found["title"]
    assert hub.requests == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("org/gated", "hf auth login"),
        ("org/private", "hf auth login"),
        ("org/missing", "Check the spelling"),
        ("Qwen/Qwen3-8B@nope", "branch, a tag or a commit"),
    ],
)
def test_denied_and_missing(source: str, words: str, hub: FakeHub, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = answer(capsys, "size", source, "--json")
    assert status == 3
    assert words in found["remedy"]
    assert source.partition("@")[0] in found["title"]


def test_degrees_beside_a_number_of_gpus_have_to_come_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = sized(capsys, "llama-3.1-8b", "--gpu", "h100-sxmx4", "--tp", "2")
    option = found["options"][0]
    assert (option["fits"], option["limit"], option["tp"], option["dp"]) == (False, "layout", 2, 1)
    assert "TP 2 × PP 1 × DP 1 is 2 GPUs, not 4" in found["findings"][-1]["text"]
