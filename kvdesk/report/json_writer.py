"""The report as JSON: the document without its drawings, and the sizing it was made from."""

import json

from kvdesk.core.json_value import JsonValue
from kvdesk.report.blocks import Document
from kvdesk.report.data import document_data


def json_bytes(document: Document, sizing: JsonValue) -> bytes:
    """UTF-8, keys in their own order; schema `kvdesk.report/1` with the sizing's `kvdesk.sizing/1` under `sizing`."""
    data = {**document_data(document, page=False), "sizing": sizing}
    return (json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode("utf-8", "backslashreplace")
