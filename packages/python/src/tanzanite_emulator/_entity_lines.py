"""Turns entities of a test into lines of JSON, in the form of the service's responses."""

from __future__ import annotations

import base64
import json
import math
from datetime import date, datetime, timezone
from typing import Any, Dict, Mapping, Tuple
from uuid import UUID

INT32_MAX = 2**31 - 1
INT32_MIN = -(2**31)


def entity_line(entity: Mapping[str, Any]) -> bytes:
    """Accepts the values that azure-data-tables accepts. Leaves out a property with None. Raises TypeError for other types."""
    members: Dict[str, Any] = {}
    for name, value in entity.items():
        if value is None:
            continue
        given, kind = value_and_type(name, value)
        members[name] = given
        if kind is not None:
            members[f"{name}@odata.type"] = kind
    return json.dumps(members, ensure_ascii=True).encode("ascii") + b"\n"


def value_and_type(name: str, value: Any) -> Tuple[Any, Any]:
    if isinstance(value, tuple) and len(value) == 2:
        # The value is an EntityProperty of azure-data-tables.
        return typed_value(name, value[0], str(getattr(value[1], "value", value[1])))
    if isinstance(value, (str, bool)):
        return value, None
    if isinstance(value, int):
        return (value, None) if INT32_MIN <= value <= INT32_MAX else (str(value), "Edm.Int64")
    if isinstance(value, float):
        return (value, "Edm.Double") if math.isfinite(value) else (double_word(value), "Edm.Double")
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "Edm.DateTime"
    if isinstance(value, UUID):
        return str(value), "Edm.Guid"
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii"), "Edm.Binary"
    hint = "; give a datetime" if isinstance(value, date) else ""
    raise TypeError(f"property {name} is of type {type(value).__name__}, which a table cannot hold{hint}")


def typed_value(name: str, value: Any, kind: str) -> Tuple[Any, Any]:
    if kind == "Edm.Int64":
        return str(value), kind
    if kind in ("Edm.String", "Edm.Boolean", "Edm.Int32"):
        return value, None
    given, _ = value_and_type(name, value)
    return given, kind


def double_word(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
