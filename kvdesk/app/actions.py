"""What a user can do to a session, each a pure function from session to session.

Nothing is checked here: a session that makes no sense is refused by `derive`, with a text, and can be undone.
"""

from types import MappingProxyType

from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.core.device import DeviceMemory
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import replace

MOST_GPU_OPTIONS = 8


def set_model(session: Session, model: Model) -> Session:
    """Another model; values typed over the former config stay only if it is the same model once more."""
    same = session.model is not None and session.model.id == model.id
    if same:
        return replace(session, model=model)
    return replace(
        session,
        model=model,
        overrides=MappingProxyType({}),
        budget_overrides=MappingProxyType({}),
        encoder_tokens=None,
        weights_bytes=None,
    )


def set_context(session: Session, tokens: int | None) -> Session:
    """Tokens one sequence holds; None for the default. A prefix that would be longer is cut to it."""
    prefix = session.shared_prefix if tokens is None else min(session.shared_prefix, tokens)
    return replace(session, context=tokens, shared_prefix=prefix)


def set_sequences(session: Session, sequences: int) -> Session:
    """Sequences held at once."""
    return replace(session, sequences=sequences)


def set_shared_prefix(session: Session, tokens: int) -> Session:
    """Leading tokens that all sequences share."""
    return replace(session, shared_prefix=tokens)


def set_encoder_tokens(session: Session, tokens: int | None) -> Session:
    """Tokens seen by cross-attention; None for the model's own maximum."""
    return replace(session, encoder_tokens=tokens)


def set_kv_dtype(session: Session, name: str) -> Session:
    """The cache's number format, or `auto`."""
    return replace(session, kv_dtype=name)


def set_weights_dtype(session: Session, name: str | None) -> Session:
    """Weights re-quantised on paper; None for as published. A typed size gives way."""
    return replace(session, weights_dtype=name, weights_bytes=None)


def set_weights_bytes(session: Session, size: int | None) -> Session:
    """Measured size of the weights; None for what is known of the model."""
    return replace(session, weights_bytes=size)


def set_engine(session: Session, name: str) -> Session:
    """Another engine with its newest profile; options of the former one have no meaning for it and go."""
    if name == session.engine:
        return session
    return replace(session, engine=name, engine_version=None, engine_arguments=MappingProxyType({}))


def set_engine_version(session: Session, version: str | None) -> Session:
    """The profile's version; None for the newest."""
    return replace(session, engine_version=version)


def set_engine_argument(session: Session, key: str, value: JsonValue) -> Session:
    """One option of the engine by its own name; None removes it."""
    kept = {name: old for name, old in session.engine_arguments.items() if name != key}
    if value is not None:
        kept[key] = value
    return replace(session, engine_arguments=MappingProxyType(kept))


def set_utilization(session: Session, fraction: float | None) -> Session:
    """Fraction of device memory the engine may use; None for its default."""
    return replace(session, utilization=fraction)


def set_reserve(session: Session, size: int | None) -> Session:
    """Bytes held back for activations, graphs and communication; None for the engine's model of them."""
    return replace(session, reserve_bytes=size)


def set_device_memory(session: Session, kind: DeviceMemory | None) -> Session:
    """Which figure of a device's memory counts; None for the engine's default."""
    # Qt hands an enumeration of texts back as a plain text.
    return replace(session, device_memory=DeviceMemory(kind) if kind else None)


def set_pool(session: Session, size: int | None) -> Session:
    """KV memory per GPU as the engine printed it, in bytes; None to draw up the budget."""
    return replace(session, pool_bytes=size)


def override(session: Session, key: str, value: JsonValue) -> Session:
    """One value of the config typed over."""
    return session.with_override(key, value)


def reset_override(session: Session, key: str) -> Session:
    """One value of the config as it was read."""
    return session.without_override(key)


def override_budget(session: Session, key: str, size: int | None) -> Session:
    """A measured size in place of one budget line, in bytes; None takes it back."""
    kept = {name: old for name, old in session.budget_overrides.items() if name != key}
    if size is not None:
        kept[key] = size
    return replace(session, budget_overrides=MappingProxyType(kept))


def reset_all(session: Session) -> Session:
    """Every value as it was read or as the engine has it; model, workload and GPUs stay."""
    return replace(
        session,
        overrides=MappingProxyType({}),
        budget_overrides=MappingProxyType({}),
        engine_arguments=MappingProxyType({}),
        encoder_tokens=None,
        kv_dtype="auto",
        weights_dtype=None,
        weights_bytes=None,
        utilization=None,
        reserve_bytes=None,
        device_memory=None,
        pool_bytes=None,
    )


def changed_count(session: Session) -> int:
    """How many values differ from what was read or from the engine's defaults: what `reset_all` takes back."""
    single = (
        session.encoder_tokens,
        session.weights_dtype,
        session.weights_bytes,
        session.utilization,
        session.reserve_bytes,
        session.device_memory,
        session.pool_bytes,
    )
    mappings = (session.overrides, session.budget_overrides, session.engine_arguments)
    typed = sum(value is not None for value in single) + (session.kv_dtype != "auto")
    return typed + sum(len(mapping) for mapping in mappings)


def add_gpu(session: Session, choice: GpuChoice) -> Session:
    """One more GPU option at the end; eight at most."""
    return replace(session, gpus=(*session.gpus, choice)) if len(session.gpus) < MOST_GPU_OPTIONS else session


def set_gpu(session: Session, index: int, choice: GpuChoice) -> Session:
    """Another choice in place of option `index`.

    Nothing where it is gone: a field of its row may be left, and then speaks, after an undo that the window has not
    drawn yet.
    """
    if not 0 <= index < len(session.gpus):
        return session
    return replace(session, gpus=(*session.gpus[:index], choice, *session.gpus[index + 1 :]))


def remove_gpu(session: Session, index: int) -> Session:
    """Without option `index`."""
    return replace(session, gpus=session.gpus[:index] + session.gpus[index + 1 :])
