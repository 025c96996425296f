"""Whose log it is: what it says of its model, engine and GPUs, and whether that is the scenario's model."""

from kvdesk.app.log_scenario import engine_title, gpus, model_name
from kvdesk.app.session import Model
from kvdesk.catalogue import models
from kvdesk.core.findings import Finding, warning
from kvdesk.core.units import gib
from kvdesk.engines.base import Answer
from kvdesk.engines.logs.record import EngineLog

OTHER = "other-model"
_APART = 0.1
"""Weights of one checkpoint that differ by more, as a share, are not those of the same checkpoint."""


def described(log: EngineLog) -> str:
    """Model, engine and GPUs as the log names them: "Qwen/Qwen3-8B on vLLM 0.11.0, 1 GPU of 79.18 GiB"."""
    count, total = gpus(log), log.figures.get("total_memory")
    where = f"{count} GPU" if count == 1 else f"{count} GPUs"
    if log.gpu:
        where = f"{count} × {log.gpu.value}"
    elif total:
        where += f" of {gib(int(total.number))}"
    return f"{model_name(log) or 'a model that it does not name'} on {engine_title(log)}, {where}"


def other_model(log: EngineLog, model: Model, answer: Answer | None) -> Finding | None:
    """What to say where the log is of another model than `model`, whose sizing of the log's scenario is `answer`.

    An id of the Hub or a file's name decides. A folder can have any name, so that, as without a name, the weights do.
    """
    name = model_name(log) or ""
    if name and _same(name, model):
        return None
    if not _telling(name) and not _apart(log, answer):
        return None
    said = f"This log is of {described(log)}; the scenario is of {model.id}."
    if not _telling(name) and answer is not None:
        loaded = gib(int(log.figures["weights"].number))
        said += f" The log loads {loaded} of weights per GPU, the scenario {gib(answer.weights_bytes)}."
    return warning(OTHER, said, "Where they are not the same checkpoint, size the one that the log names.")


def _same(name: str, model: Model) -> bool:
    """Whether both names mean one model: by their last part, in any case, or by a name of the catalogue."""
    last, own = _last(name), _last(model.id)
    # llama.cpp names a file, which has the format at its end.
    if last == own or (name.lower().endswith(".gguf") and last.startswith(own)):
        return True
    return models.knows(name) and models.find(name).hub_id == model.id


def _last(name: str) -> str:
    """The part of an id, a path or a file's name that says which model it is, in lower case.

    >>> [_last(n) for n in ("Qwen/Qwen3-8B", "/root/hub/models--Qwen--Qwen3-8B/snapshots/b968", "Qwen__Qwen3-8B.json")]
    ['qwen3-8b', 'qwen3-8b', 'qwen3-8b']
    """
    parts = name.replace("\\", "/").rstrip("/").split("/")
    kept = next((part for part in parts if part.startswith("models--")), parts[-1])
    last = kept.partition("@")[0].removesuffix(".json").removesuffix(".gguf")
    return last.rpartition("--")[2].rpartition("__")[2].casefold()


def _telling(name: str) -> bool:
    """Whether a name says which model it is: an id of the Hub, a folder of its cache, or a file."""
    path = name.startswith(("/", ".", "~")) or "\\" in name
    return name.lower().endswith(".gguf") or "models--" in name or (not path and name.count("/") == 1)


def _apart(log: EngineLog, answer: Answer | None) -> bool:
    weights = log.figures.get("weights")
    if weights is None or weights.number <= 0 or answer is None or not answer.weights_bytes:
        return False
    return abs(answer.weights_bytes / weights.number - 1) > _APART
