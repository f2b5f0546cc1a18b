"""JSON Patch (RFC 6902), by which states and activities change."""

from __future__ import annotations

import copy
import json
from typing import Any


def apply_patch(document: Any, operations: Any) -> Any:
    """Apply all operations to a copy, or none: ValueError says why.

    Operations of another name are left out, as a receiver does with what it does not know.
    """
    if not isinstance(operations, list):
        raise ValueError("a patch is no list")
    document = copy.deepcopy(document)
    for each in operations:
        if not isinstance(each, dict):
            raise ValueError("an operation is no object")
        op = each.get("op")
        if op in ("add", "replace", "test") and "value" not in each:
            raise ValueError(f"{op} has no value")
        if op == "add":
            document = _add(document, _path(each, "path"), copy.deepcopy(each["value"]))
        elif op == "remove":
            document, _ = _remove(document, _path(each, "path"))
        elif op == "replace":
            path = _path(each, "path")
            _get(document, path)
            document = _put(document, path, copy.deepcopy(each["value"]))
        elif op == "move":
            source, path = _path(each, "from"), _path(each, "path")
            if len(path) > len(source) and path[: len(source)] == source:
                raise ValueError("a value cannot move into itself")
            document, value = _remove(document, source)
            document = _add(document, path, value)
        elif op == "copy":
            document = _add(document, _path(each, "path"), copy.deepcopy(_get(document, _path(each, "from"))))
        elif op == "test" and not same(_get(document, _path(each, "path")), each["value"]):
            raise ValueError("a test does not hold")
    return document


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal as JSON, where true is not 1."""
    if a == b and type(a) is type(b) and not isinstance(a, (dict, list)):
        return True
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True) or (
        _number(a) and _number(b) and bool(a == b)
    )


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _path(operation: dict[str, Any], name: str) -> list[str]:
    pointer = operation.get(name)
    if not isinstance(pointer, str) or pointer and not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no pointer")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _index(values: list[Any], key: str, end: int) -> int:
    if not key.isascii() or not key.isdigit() or key != "0" and key.startswith("0") or len(key) > 9 or int(key) >= end:
        raise ValueError(f"there is no place {key!r}")
    return int(key)


def _step(at: Any, key: str) -> Any:
    if isinstance(at, dict) and key in at:
        return at[key]
    if isinstance(at, list):
        return at[_index(at, key, len(at))]
    raise ValueError(f"there is no {key!r}")


def _get(document: Any, path: list[str]) -> Any:
    for key in path:
        document = _step(document, key)
    return document


def _put(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    parent = _get(document, path[:-1])
    if isinstance(parent, list):
        parent[_index(parent, path[-1], len(parent))] = value
    else:
        parent[path[-1]] = value
    return document


def _add(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value
    parent, key = _get(document, path[:-1]), path[-1]
    if isinstance(parent, list):
        parent.insert(len(parent) if key == "-" else _index(parent, key, len(parent) + 1), value)
    elif isinstance(parent, dict):
        parent[key] = value
    else:
        raise ValueError(f"nothing can be added at {key!r}")
    return document


def _remove(document: Any, path: list[str]) -> tuple[Any, Any]:
    if not path:
        return None, document
    parent, key = _get(document, path[:-1]), path[-1]
    value = _step(parent, key)
    del parent[int(key) if isinstance(parent, list) else key]
    return document, value
