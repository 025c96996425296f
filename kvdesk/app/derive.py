"""From a session to its results. Pure but for reading the tables in `resources`; costs milliseconds.

Reading a config is the dearest step, so the last few geometries are kept by model and overrides.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import TypeVar

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import DEFAULT_CONTEXT, GpuChoice, Model, Session
from kvdesk.core import findings, number_formats
from kvdesk.core.device import Device
from kvdesk.core.errors import KvdeskError, RefusalError, UsageError
from kvdesk.core.findings import Finding
from kvdesk.core.geometry import Geometry
from kvdesk.core.json_value import JsonValue
from kvdesk.core.layout import for_gpus
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.sourced import Origin
from kvdesk.core.values import replace
from kvdesk.core.weights import Weights, typed
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Engine, Question
from kvdesk.engines.registry import engine as engine_named
from kvdesk.hub import reader

K = TypeVar("K")
V = TypeVar("V")

_KEPT_GEOMETRIES = 16
_KEPT_DEVICES = 256
"""More than the catalogue has: a sizing of all of them reads each once."""
_OF_THE_WHOLE = frozenset({"bad-engine-version", "unknown-engine-version"})
"""Errors of an engine that concern the question as a whole, whichever GPU it is put for."""
_GeometryKey = tuple[Model, tuple[tuple[str, str], ...]]
_WeightsKey = tuple[Model, tuple[tuple[str, str], ...], str | None, int | None, bool]


class Deriver:
    """Derives results and keeps what is dear to make."""

    def __init__(self) -> None:
        self._geometries: OrderedDict[_GeometryKey, Geometry] = OrderedDict()
        self._devices: OrderedDict[str, Device] = OrderedDict()
        self._weights: OrderedDict[_WeightsKey, Weights | None] = OrderedDict()

    def derive(self, session: Session) -> Sizing:
        """The results of `session`.

        Raises `KvdeskError` where nothing at all can be said (no model, refused architecture, impossible workload);
        what concerns one GPU option only is an `OptionResult.error`.
        """
        if session.model is None:
            raise UsageError(
                "no-model", "No model has been chosen.", "", "Paste a Hugging Face id or open a config.json."
            )
        model = session.model
        geometry = self.geometry(model, session.overrides)
        if session.encoder_tokens is not None and geometry.encoder_tokens:
            geometry = geometry.with_encoder_tokens(session.encoder_tokens)
        workload = _workload(session, geometry)
        engine = engine_named(session.engine)
        weights = self._weights_of(session, model, geometry)
        questions = [self._question(session, choice, geometry, weights, workload) for choice in session.gpus]
        options = tuple(
            _option(engine, choice, question, self._name(choice.gpu))
            for choice, question in zip(session.gpus, questions, strict=True)
        )
        kv_format = _kv_format(session, engine, geometry, questions)
        return Sizing(
            model=model,
            geometry=geometry,
            workload=workload,
            kv_format=kv_format,
            logical=geometry.logical(kv_format),
            weights=weights,
            engine=engine.name,
            engine_version=_version(engine, session, options),
            options=options,
            findings=_findings(model, geometry, workload, weights, options),
        )

    def geometry(self, model: Model, overrides: Mapping[str, JsonValue]) -> Geometry:
        """The model's geometry with the user's values laid over it."""
        key = (model, _frozen(overrides))
        found = self._geometries.get(key)
        if found is None:
            origin = Origin.CATALOGUE if model.origin == "catalogue" else Origin.CONFIG
            found = reader.read(
                model.config, where=model.where, origin=origin, side_files=model.side_files, overrides=overrides
            )
            _keep(self._geometries, key, found)
        return found

    def device(self, gpu: str) -> Device:
        """One device of the catalogue; reading it takes longer than a whole sizing. Raises `UsageError`."""
        found = self._devices.get(gpu)
        if found is None:
            from kvdesk.catalogue import accelerators

            found = accelerators.find(gpu)
            _keep(self._devices, gpu, found, _KEPT_DEVICES)
        return found

    def _name(self, gpu: str) -> str:
        """What a device is called; its id where there is no such device."""
        try:
            return self.device(gpu).name
        except KvdeskError:
            return gpu

    def _question(
        self, session: Session, choice: GpuChoice, geometry: Geometry, weights: Weights | None, workload: Workload
    ) -> Question | KvdeskError:
        try:
            device = self.device(choice.gpu)
            layout = for_gpus(choice.count, tp=choice.tp, pp=choice.pp, dp=choice.dp, dcp=choice.dcp)
        except KvdeskError as error:
            return error
        return Question(
            geometry=geometry,
            weights=weights,
            workload=workload,
            device=device,
            layout=layout,
            kv_dtype=session.kv_dtype,
            engine_version=session.engine_version,
            arguments=session.engine_arguments,
            utilization=session.utilization,
            reserve_bytes=session.reserve_bytes,
            device_memory=session.device_memory,
            pool_bytes=session.pool_bytes,
            overrides=session.budget_overrides,
        )

    def _weights_of(self, session: Session, model: Model, geometry: Geometry) -> Weights | None:
        if session.weights_bytes is not None and not _spread(session):
            return typed(session.weights_bytes)
        key = (model, _frozen(session.overrides), session.weights_dtype, session.weights_bytes, _spread(session))
        if key not in self._weights:
            _keep(self._weights, key, _weights(session, model, geometry))
        return self._weights[key]


def _weights(session: Session, model: Model, geometry: Geometry) -> Weights | None:
    """Measured weights if the model came with them, else an estimate from the geometry, else None.

    Values typed over the config correct how it was read; they do not change the files whose size is known.
    """
    if session.weights_bytes is not None:
        whole = typed(session.weights_bytes)
        counted = _counted(session, model, geometry)
        return _with_parts(whole, counted) if counted else whole
    if model.weights is not None and session.weights_dtype is None:
        if model.weights.parameters is not None and not _needs_parts(session, geometry):
            return model.weights
        from kvdesk.hub import weights_estimate

        counted = weights_estimate.estimate(model.config, geometry, weights_dtype=None, side_files=model.side_files)
        return _with_parts(model.weights, counted) if counted else model.weights
    return _counted(session, model, geometry)


def _counted(session: Session, model: Model, geometry: Geometry) -> Weights | None:
    """Weights counted from the config with the user's values laid over it."""
    from kvdesk.hub import weights_estimate

    config = {**model.config, **{k: v for k, v in session.overrides.items() if "." not in k}}
    return weights_estimate.estimate(config, geometry, weights_dtype=session.weights_dtype, side_files=model.side_files)


def _needs_parts(session: Session, geometry: Geometry) -> bool:
    """Whether parts of the weights count apart: on several GPUs, since kernels pad MXFP4 experts, with draft layers."""
    drafting = any(key.startswith("spec") for key in session.engine_arguments)
    return _spread(session) or drafting or "mxfp4" in geometry.quantization


def _spread(session: Session) -> bool:
    """Whether any option spreads the model over several GPUs, so that it matters which parts can be divided."""
    return any(choice.count > 1 for choice in session.gpus)


def _with_parts(whole: Weights, counted: Weights) -> Weights:
    """Measured weights with what only counting knows: the parameters and the parts that ranks do not divide.

    Parts are scaled to the measured size; where the count is far from it (another number format) they stay unknown.
    """
    parameters = whole.parameters or counted.parameters
    if not whole.draft_bytes:
        whole = replace(whole, draft_bytes=counted.draft_bytes)
    if whole.replicated_bytes or not 9 * counted.bytes.value <= 10 * whole.bytes.value <= 11 * counted.bytes.value:
        return replace(whole, parameters=parameters)

    def scaled(part: int) -> int:
        return -(-part * whole.bytes.value // counted.bytes.value)

    return replace(
        whole,
        parameters=parameters,
        replicated_bytes=scaled(counted.replicated_bytes),
        expert_bytes=scaled(counted.expert_bytes),
        embedding_bytes=scaled(counted.embedding_bytes),
        head_bytes=scaled(counted.head_bytes),
    )


def _workload(session: Session, geometry: Geometry) -> Workload:
    limit = geometry.max_context.value if geometry.max_context else None
    context = session.context if session.context is not None else min(DEFAULT_CONTEXT, limit or DEFAULT_CONTEXT)
    for name, value, least in (
        ("context", context, 1),
        ("sequences", session.sequences, 1),
        ("shared prefix", session.shared_prefix, 0),
    ):
        if value < least:
            raise UsageError("bad-workload", f"The {name} must be at least {least}, not {value:,}.")
    if session.shared_prefix > context:
        raise UsageError(
            "bad-workload",
            f"The shared prefix of {session.shared_prefix:,} tokens is longer than the context of {context:,}.",
            "",
            "Make the context longer or the prefix shorter.",
        )
    return Workload(
        context=context,
        sequences=session.sequences,
        shared_prefix=session.shared_prefix,
        encoder_tokens=session.encoder_tokens,
    )


def _option(engine: Engine, choice: GpuChoice, question: Question | KvdeskError, name: str) -> OptionResult:
    if isinstance(question, KvdeskError):
        return OptionResult(choice=choice, title=f"{choice.count} × {name}", error=question)
    title = f"{choice.count} × {name}"
    if question.weights is None and question.pool_bytes is None and "weights" not in question.overrides:
        return OptionResult(choice=choice, title=title, question=question, error=_weights_unknown())
    try:
        return OptionResult(choice=choice, title=title, question=question, answer=engine.answer(question))
    except KvdeskError as error:
        if error.code in _OF_THE_WHOLE:
            raise
        return OptionResult(choice=choice, title=title, question=question, error=error)


def _weights_unknown() -> KvdeskError:
    """A budget without weights would promise room that is not there."""
    return RefusalError(
        "weights-unknown",
        "The size of the weights is not known, so no budget can be drawn up.",
        "kvdesk has neither the checkpoint's files nor a rule to count this architecture's parameters.",
        "Look the model up on the Hub, or give --weights-bytes (or the engine's own --pool-bytes).",
    )


def _kv_format(
    session: Session, engine: Engine, geometry: Geometry, questions: list[Question | KvdeskError]
) -> NumberFormat:
    """The cache's format: the engine's choice for the first GPU option; without one, as the textbook resolves it."""
    for question in questions:
        if isinstance(question, Question):
            return number_formats.get(engine.resolve_kv_dtype(question))
    if session.kv_dtype != "auto":
        return number_formats.get(session.kv_dtype)
    return number_formats.get((geometry.checkpoint_kv_dtype or geometry.model_dtype).value)


def _version(engine: Engine, session: Session, options: tuple[OptionResult, ...]) -> str:
    for option in options:
        if option.answer:
            return option.answer.engine_version
    return session.engine_version or engine.versions[0]


def _findings(
    model: Model,
    geometry: Geometry,
    workload: Workload,
    weights: Weights | None,
    options: tuple[OptionResult, ...],
) -> tuple[Finding, ...]:
    found = [*model.findings, *geometry.findings]
    limit = geometry.max_context
    if limit and workload.context > limit.value:
        found.append(
            findings.warning(
                "context-past-model",
                f"A context of {workload.context:,} tokens is past the model's maximum of {limit.value:,} "
                f"({limit.source}).",
                "Shorten the context, or check that the model is served with a longer one (RoPE scaling).",
            )
        )
    if weights is None:
        found.append(
            findings.warning(
                "weights-unknown", "The size of the weights is not known.", "Give it with --weights-bytes."
            )
        )
    elif not weights.exact:
        found.append(
            findings.info(
                "weights-estimated",
                "The weights are computed from the geometry, not read from files.",
                "Look the model up on the Hub, or give --weights-bytes.",
            )
        )
    for option in options:
        for finding in option.answer.findings if option.answer else ():
            if finding not in found:
                found.append(finding)
        if option.error and option.error.code != "weights-unknown":  # said once, above
            found.append(
                findings.refusal(
                    option.error.code,
                    f"{option.title}: {option.error.title} {option.error.detail}".strip(),
                    option.error.remedy,
                )
            )
    return tuple(found)


def _frozen(overrides: Mapping[str, JsonValue]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((key, repr(value)) for key, value in overrides.items()))


def _keep(kept: "OrderedDict[K, V]", key: K, value: V, most: int = _KEPT_GEOMETRIES) -> None:
    kept[key] = value
    if len(kept) > most:
        kept.popitem(last=False)
