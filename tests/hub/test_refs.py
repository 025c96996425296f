"""What pasted texts refer to."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdesk.core.errors import KvdeskError, SourceError, UsageError
from kvdesk.hub.refs import CatalogueRef, HubRef, LocalRef, Ref, parse

LLAMA = "meta-llama/Llama-3.1-8B"
SHA = "0e9e39f249a16976918f6564b8830bc894c89659"


def nothing(path: Path) -> bool:
    return False


def read(text: str, endpoint: str = "https://huggingface.co") -> Ref:
    return parse(text, endpoint=endpoint, exists=nothing, catalogue=lambda name: name.lower() == "llama-3.1-8b")


@pytest.mark.parametrize(
    ("text", "revision", "file"),
    [
        (LLAMA, None, ""),
        (f"  {LLAMA}\n", None, ""),
        (f'"{LLAMA}"', None, ""),
        (f"\ufeff{LLAMA}/", None, ""),
        (f"models/{LLAMA}", None, ""),
        (f"{LLAMA}@main", "main", ""),
        (f"{LLAMA}@{SHA}", SHA, ""),
        (f"{LLAMA}@refs/pr/7", "refs/pr/7", ""),
        (f"{LLAMA}:Q4_K_M", None, "Q4_K_M"),
        (f"{LLAMA}/tree/main", "main", ""),
        (f"https://huggingface.co/{LLAMA}", None, ""),
        (f"http://huggingface.co/{LLAMA}/", None, ""),
        (f"https://www.huggingface.co/{LLAMA}", None, ""),
        (f"HTTPS://HuggingFace.co/{LLAMA}", None, ""),
        (f"huggingface.co/{LLAMA}", None, ""),
        (f"hf.co/{LLAMA}", None, ""),
        (f"https://hf.co/models/{LLAMA}", None, ""),
        (f"<https://huggingface.co/{LLAMA}>", None, ""),
        (f"https://huggingface.co/{LLAMA}?library=transformers#usage", None, ""),
        (f"https://huggingface.co/{LLAMA}/tree/main", "main", ""),
        (f"https://huggingface.co/{LLAMA}/tree/main/original", "main", ""),
        (f"https://huggingface.co/{LLAMA}/tree/refs%2Fpr%2F7", "refs/pr/7", ""),
        (f"https://huggingface.co/{LLAMA}/tree/refs/pr/7", "refs/pr/7", ""),
        (f"https://huggingface.co/{LLAMA}/blob/v1.0/config.json", "v1.0", "config.json"),
        (f"https://huggingface.co/{LLAMA}/blob/main/text/config.json", "main", "text/config.json"),
        (f"https://huggingface.co/{LLAMA}/resolve/main/config.json?download=true", "main", "config.json"),
        (f"https://huggingface.co/{LLAMA}/raw/{SHA}/config.json", SHA, "config.json"),
        (f"https://huggingface.co/{LLAMA}/blob/main/a-Q4_K_M.gguf", "main", "a-Q4_K_M.gguf"),
        (f"https://huggingface.co/{LLAMA}/commit/{SHA}", SHA, ""),
        (f"https://huggingface.co/{LLAMA}/commits/main", "main", ""),
        (f"https://huggingface.co/{LLAMA}/discussions/12", None, ""),
        (f"https://huggingface.co/api/models/{LLAMA}", None, ""),
        (f"https://huggingface.co/api/models/{LLAMA}/revision/main", "main", ""),
        (f"hf://{LLAMA}", None, ""),
        (f"hf://models/{LLAMA}@main", "main", ""),
        (f"hf://{LLAMA}@refs/pr/7/config.json", "refs/pr/7", "config.json"),
        (f"hf://{LLAMA}/config.json", None, "config.json"),
    ],
)
def test_models_of_the_hub(text: str, revision: str | None, file: str) -> None:
    assert read(text) == HubRef(LLAMA, revision, file)


@pytest.mark.parametrize("text", ["gpt2", "https://huggingface.co/gpt2", "https://huggingface.co/gpt2/tree/main"])
def test_old_ids_have_no_organisation(text: str) -> None:
    found = read(text)
    assert isinstance(found, HubRef)
    assert found.repo_id == "gpt2"


@pytest.mark.parametrize(
    ("endpoint", "text"),
    [
        ("https://hub.example.com", f"https://hub.example.com/{LLAMA}/tree/main"),
        ("http://127.0.0.1:8080/hf/", f"http://127.0.0.1:8080/hf/{LLAMA}/tree/main"),
        ("http://[::1]:8080", f"http://[::1]:8080/{LLAMA}/tree/main"),
    ],
)
def test_urls_of_another_endpoint(endpoint: str, text: str) -> None:
    assert read(text, endpoint) == HubRef(LLAMA, "main")


def test_the_environment_names_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.example.com/x")
    assert parse(f"https://hub.example.com/x/{LLAMA}") == HubRef(LLAMA)


@pytest.mark.parametrize("text", ["llama-3.1-8b", "Llama-3.1-8B"])
def test_names_of_the_catalogue(text: str) -> None:
    assert read(text) == CatalogueRef("llama-3.1-8b")


def test_the_catalogue_is_the_real_one_by_default() -> None:
    assert parse("llama-3.1-8b", exists=nothing) == CatalogueRef("llama-3.1-8b")
    assert parse("openai/gpt-oss-20b", exists=nothing) == HubRef("openai/gpt-oss-20b")


def test_what_exists_is_local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "org" / "name").mkdir(parents=True)
    config = tmp_path / "config.json"
    config.write_text("{}")
    assert parse("org/name") == LocalRef(Path("org/name"))
    assert parse("config.json") == LocalRef(Path("config.json"))
    assert parse(str(config)) == LocalRef(config)
    assert parse(f"file://{config}") == LocalRef(config)
    assert parse(".") == LocalRef(Path())


def test_the_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "m.gguf").touch()
    assert parse("~/m.gguf") == LocalRef(tmp_path / "m.gguf")


@pytest.mark.parametrize(
    "text",
    [
        "config.json",
        "./org/name",
        "/no/such/folder",
        "~/no/such/file",
        "..",
        "a\\b",
        "C:\\models\\x",
        "C:/models/x",
        "org/x.gguf",
        "~nobody-of-this-name/x",
    ],
)
def test_a_path_that_is_not_there_is_no_model_id(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(text)
    assert caught.value.code == "file-not-found"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no-source"),
        ("  ", "no-source"),
        ("a/b/c", "bad-model-id"),
        ("a b", "bad-model-id"),
        ("org/na--me", "bad-model-id"),
        ("-org/name", "bad-model-id"),
        ("org/name.git", "bad-model-id"),
        ("org/..", "bad-model-id"),
        ("a" * 97, "bad-model-id"),
        ("a" * 5000, "bad-model-id"),
        ("org/name\nother/name", "bad-model-id"),
        ("org/name:", "bad-model-id"),
        ("org/näme", "bad-model-id"),
        ("@main", "bad-model-id"),
        ("hf://", "bad-model-id"),
        ("hf://org/name@", "bad-model-id"),
        ("org/name@", "bad-revision"),
        ("org/name@a b", "bad-revision"),
        ("org/name@../../etc", "bad-revision"),
        ("org/name@-x", "bad-revision"),
        ("org/name@a@b", "bad-revision"),
        ("datasets/org/name", "not-a-model"),
        ("spaces/org/name@main", "not-a-model"),
        ("https://huggingface.co/datasets/org/name", "not-a-model"),
        ("https://huggingface.co/spaces/org/name/tree/main", "not-a-model"),
        ("https://huggingface.co/papers/2401.1", "not-a-model"),
        ("https://huggingface.co/", "not-a-model"),
        ("https://huggingface.co/models?search=llama", "not-a-model"),
        ("hf.co", "not-a-model"),
        ("https://example.com/org/name", "not-a-hub-url"),
        ("https://huggingface.co.example.com/org/name", "not-a-hub-url"),
        ("ftp://huggingface.co/org/name", "not-a-hub-url"),
        ("s3://bucket/name", "not-a-hub-url"),
        ("http://[::1/org/name", "not-a-hub-url"),
        ("https://huggingface.co:x/org/name", "not-a-hub-url"),
        ("https://huggingface.co/org/name/blob/main/%2e%2e/%2e%2e/x", "not-a-hub-url"),
        ("https://user:secret@huggingface.co/org/name", "secret-in-source"),
        ("hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "secret-in-source"),
    ],
)
def test_what_is_refused(text: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(text)
    assert caught.value.code == code
    assert caught.value.title
    assert caught.value.remedy
    assert "secret" not in str(caught.value)
    assert "abcdef" not in str(caught.value)


@given(st.text(max_size=60) | st.from_regex(r"(https?|hf)://[^\s]{0,50}", fullmatch=True))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = read(text)
    except KvdeskError:
        return
    assert str(found)
    if isinstance(found, HubRef):
        assert ".." not in found.repo_id
        assert read(str(found)) in {HubRef(found.repo_id, found.revision), CatalogueRef(found.repo_id.lower())}
