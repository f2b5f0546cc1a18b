"""JSON Patch (RFC 6902), by which states and activities change."""

from __future__ import annotations

from typing import Any, Callable


def apply_patch(document: Any, operations: Any) -> Any:
    """Make another document by all operations, or none: ValueError says why.

    What an operation does not touch is in both documents. Operations of another name are left
    out, as a receiver does with what it does not know.
    """
    if not isinstance(operations, list):
        raise ValueError("a patch is no list")
    for each in operations:
        if not isinstance(each, dict):
            raise ValueError("an operation is no object")
        op = each.get("op")
        if op in ("add", "replace", "test") and "value" not in each:
            raise ValueError(f"{op} has no value")
        if op == "add":
            document = _add(document, _path(each, "path"), each["value"])
        elif op == "remove":
            document = _remove(document, _path(each, "path"))
        elif op == "replace":
            path = _path(each, "path")
            document = _add(_remove(document, path), path, each["value"])
        elif op == "move":
            source, path = _path(each, "from"), _path(each, "path")
            if len(path) > len(source) and path[: len(source)] == source:
                raise ValueError("a value cannot move into itself")
            document = _add(_remove(document, source), path, _get(document, source))
        elif op == "copy":
            document = _add(document, _path(each, "path"), _get(document, _path(each, "from")))
        elif op == "test" and not same(_get(document, _path(each, "path")), each["value"]):
            raise ValueError("a test does not hold")
    return document


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal as JSON, where true is not 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _path(operation: dict[str, Any], name: str) -> list[str]:
    pointer = operation.get(name)
    if not isinstance(pointer, str) or pointer and not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is no pointer")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _index(key: str, end: int) -> int:
    if not key.isascii() or not key.isdigit() or key != "0" and key.startswith("0") or len(key) > 9 or int(key) >= end:
        raise ValueError(f"there is no place {key!r}")
    return int(key)


def _place(at: Any, key: str) -> Any:
    """What a part of a pointer names in a container: the key itself, or the index of a list."""
    if isinstance(at, list):
        return _index(key, len(at))
    if isinstance(at, dict) and key in at:
        return key
    raise ValueError(f"there is no {key!r}")


def _get(document: Any, path: list[str]) -> Any:
    for key in path:
        document = document[_place(document, key)]
    return document


def _within(document: Any, path: list[str], change: Callable[[Any], Any]) -> Any:
    """The document with another container at a place, and with copies of those around it."""
    if not path:
        return change(document)
    place = _place(document, path[0])
    copy = document.copy()
    copy[place] = _within(document[place], path[1:], change)
    return copy


def _add(document: Any, path: list[str], value: Any) -> Any:
    if not path:
        return value

    def add(parent: Any) -> Any:
        key = path[-1]
        if isinstance(parent, list):
            at = len(parent) if key == "-" else _index(key, len(parent) + 1)
            return [*parent[:at], value, *parent[at:]]
        if isinstance(parent, dict):
            return {**parent, key: value}
        raise ValueError(f"nothing can be added at {key!r}")

    return _within(document, path[:-1], add)


def _remove(document: Any, path: list[str]) -> Any:
    if not path:
        return None

    def remove(parent: Any) -> Any:
        place = _place(parent, path[-1])
        copy = parent.copy()
        del copy[place]
        return copy

    return _within(document, path[:-1], remove)
