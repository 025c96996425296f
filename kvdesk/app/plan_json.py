"""The decision table as plain JSON data, schema `kvdesk.plan/1`."""

from kvdesk.app.plan import PlanRow
from kvdesk.app.plan_layouts import Replica
from kvdesk.app.results import Sizing
from kvdesk.app.sizing_json import JsonObject, to_json


def plan_json(sizing: Sizing, rows: tuple[PlanRow, ...]) -> JsonObject:
    """The question, and a row for each kind of GPU."""
    base = to_json(sizing)
    return {
        "schema": "kvdesk.plan/1",
        **{key: base[key] for key in ("model", "workload", "engine", "kv", "weights")},
        "rows": [row_json(row) for row in rows],
        "findings": base["findings"],
    }


def row_json(row: PlanRow) -> JsonObject:
    """One kind of GPU."""
    choice = row.choice
    return {
        "gpu": row.gpu,
        "name": row.name,
        "gpus": row.gpus,
        "tp": choice.tp if choice else None,
        "pp": choice.pp if choice else None,
        "dp": choice.dp if choice else None,
        "replicas": row.replicas,
        "replica": replica_json(row.replica),
        "sequences_per_replica": row.per_replica,
        "full_length_sequences": row.holds,
        "headroom": row.headroom,
        "gpus_n_plus_1": row.gpus_n_plus_1,
        "gpus_low": row.gpus_low,
        "replica_low": replica_json(row.replica_low),
        "full_length_sequences_low": row.holds_low,
        "nodes": row.nodes,
        "per_node": row.per_node,
        "limit": row.limit,
        "watts": row.watts,
        "reason": row.reason,
        "notes": list(row.notes),
    }


def replica_json(replica: Replica | None) -> JsonObject | None:
    """The layout of one replica; its dp is attention data parallelism."""
    if replica is None:
        return None
    return {"gpus": replica.gpus, "tp": replica.tp, "pp": replica.pp, "dp": replica.dp}
