"""Which files make the one checkpoint that an engine loads."""

import pytest

from kvdesk.hub import checkpoint_files
from kvdesk.hub.snapshot import RepoFile

SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")


def files(*names: str, **sizes: int) -> list[RepoFile]:
    return [RepoFile(name=name, size=sizes.get(name, 10)) for name in names]


def chosen(*names: str, indexed: frozenset[str] | None = None) -> list[str]:
    return [file.name for file in checkpoint_files.choose(files(*names), indexed).files]


@pytest.mark.parametrize(
    ("others", "kind"),
    [
        ((), "safetensors"),
        (("pytorch_model.bin", "README.md", "config.json"), "safetensors"),
        (("pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"), "safetensors"),
        # meta-llama: the original checkpoint in its own folder.
        (("original/consolidated.00.pth", "original/params.json"), "safetensors"),
        # mistralai: the same weights in Mistral's own format.
        (("consolidated.safetensors",), "safetensors"),
        (("consolidated-00001-of-00002.safetensors", "consolidated-00002-of-00002.safetensors"), "safetensors"),
        (("onnx/model.onnx", "onnx/model.onnx_data", "model.onnx"), "safetensors"),
        (("model-Q4_K_M.gguf", "gguf/model-Q8_0.gguf"), "safetensors"),
        (("model.fp16-00001-of-00002.safetensors", "model.fp16-00002-of-00002.safetensors"), "safetensors"),
        (("tf_model.h5", "flax_model.msgpack", "rust_model.ot", "training_args.bin", "optimizer.pt"), "safetensors"),
        (("adapter_model.safetensors", "unet/model.safetensors"), "safetensors"),
    ],
)
def test_one_copy(others: tuple[str, ...], kind: str) -> None:
    found = checkpoint_files.choose(files(*others, *SHARDS))
    assert [file.name for file in found.files] == list(SHARDS)
    assert found.kind == kind
    assert found.findings == ()
    assert not found.ambiguous


def test_single_file_and_shards_of_the_same_weights() -> None:
    found = checkpoint_files.choose(
        [RepoFile(name="model.safetensors", size=19), *files(*SHARDS)]  # 20 bytes in shards
    )
    assert [file.name for file in found.files] == list(SHARDS)


def test_pickled_weights_where_there_is_nothing_else() -> None:
    assert chosen("pytorch_model.bin", "training_args.bin") == ["pytorch_model.bin"]
    assert chosen("consolidated.00.pth", "params.json") == ["consolidated.00.pth"]
    assert chosen("consolidated.safetensors", "params.json") == ["consolidated.safetensors"]
    assert chosen("README.md") == []


def test_parts_in_files_of_their_own_belong_to_it() -> None:
    # XiaomiMiMo/MiMo-V2-Flash and others publish the draft layers beside the shards.
    found = checkpoint_files.choose(files(*SHARDS, "model_mtp.safetensors"))
    assert len(found.files) == 3
    assert found.findings == ()


def test_the_index_decides() -> None:
    names = (*SHARDS, "extra.safetensors", checkpoint_files.INDEX)
    assert checkpoint_files.choose(files(*names)).ambiguous
    assert chosen(*names, indexed=frozenset(SHARDS)) == list(SHARDS)
    # One set alone needs no index.
    assert not checkpoint_files.choose(files(*SHARDS, checkpoint_files.INDEX)).ambiguous


def test_several_sets_without_an_index_are_counted_and_said() -> None:
    found = checkpoint_files.choose(files("first.safetensors", "second.safetensors"))
    assert len(found.files) == 2
    assert [finding.code for finding in found.findings] == ["several-checkpoints"]


def test_missing_shards_are_said() -> None:
    found = checkpoint_files.choose(files("model-00001-of-00003.safetensors", "model-00003-of-00003.safetensors"))
    assert [finding.code for finding in found.findings] == ["missing-shards"]
    indexed = checkpoint_files.choose(files(SHARDS[0]), frozenset(SHARDS))
    assert [finding.code for finding in indexed.findings] == ["missing-shards"]


def test_names_of_shards() -> None:
    # deepseek-ai/DeepSeek-V3, and a form that save_pretrained of old versions wrote.
    assert len(chosen("model-00001-of-000002.safetensors", "model-00002-of-000002.safetensors")) == 2
    assert (
        len(chosen("model.safetensors-00001-of-00002.safetensors", "model.safetensors-00002-of-00002.safetensors")) == 2
    )


# ----------------------------------------------------------------------------------------------------------------- GGUF


def test_quantisations_by_name_and_size() -> None:
    offers = checkpoint_files.quantisations(
        [
            RepoFile(name="Llama-3.1-8B-Instruct-Q8_0.gguf", size=8),
            RepoFile(name="Llama-3.1-8B-Instruct-Q4_K_M.gguf", size=4),
            RepoFile(name="Llama-3.1-8B-Instruct-UD-Q2_K_XL.gguf", size=2),
            RepoFile(name="Llama-3.1-8B-Instruct-IQ3_XXS.gguf", size=3),
            RepoFile(name="BF16/Llama-3.1-8B-Instruct-BF16-00001-of-00002.gguf", size=10),
            RepoFile(name="BF16/Llama-3.1-8B-Instruct-BF16-00002-of-00002.gguf", size=6),
            RepoFile(name="mmproj-F16.gguf", size=1),
            RepoFile(name="imatrix.gguf", size=1),
            RepoFile(name="config.json", size=1),
        ]
    )
    assert [(offer.name, offer.bytes, len(offer.files)) for offer in offers] == [
        ("UD-Q2_K_XL", 2, 1),
        ("IQ3_XXS", 3, 1),
        ("Q4_K_M", 4, 1),
        ("Q8_0", 8, 1),
        ("BF16", 16, 2),
    ]
    assert checkpoint_files.pick(offers, "") == offers[-1]
    assert checkpoint_files.pick(offers, "q4_k_m") == offers[2]
    assert checkpoint_files.pick(offers, "Llama-3.1-8B-Instruct-Q8_0.gguf") == offers[3]
    assert checkpoint_files.pick(offers, "BF16/Llama-3.1-8B-Instruct-BF16-00001-of-00002.gguf") == offers[4]
    assert checkpoint_files.pick(offers, "Q9") is None
    assert checkpoint_files.pick((), "") is None


def test_equal_names_and_no_names() -> None:
    offers = checkpoint_files.quantisations(
        [
            RepoFile(name="a-7b-Q4_0.gguf", size=1),
            RepoFile(name="a-70b-Q4_0.gguf", size=2),
            RepoFile(name="x.gguf", size=None),
        ]
    )
    assert [offer.name for offer in offers] == ["x", "a-7b-Q4_0", "a-70b-Q4_0"]
    assert offers[0].bytes is None
