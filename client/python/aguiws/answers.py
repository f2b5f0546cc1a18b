"""Interrupts, and what answers them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from .frames import JSON

_NONE: Any = object()
_MOST_LISTED = 20  # of the answers that an agent lists
_FEW_VALUES = 8  # more are chosen from a list
_MOST_READ = 100_000
_PLAIN_WORD = re.compile(r"[a-z]+(_[a-z]+)*")
_SILENT = {"$schema", "$id", "$comment", "title", "description", "examples", "default"}


def resolve(interrupt: JSON, payload: Any = _NONE) -> JSON:
    """An answer with a payload, which is any value of JSON; left out, the answer has none."""
    entry: JSON = {"interruptId": interrupt["id"], "status": "resolved"}
    if payload is not _NONE:
        entry["payload"] = payload
    return entry


def withdraw(interrupt: JSON) -> JSON:
    """An answer that takes the question back: the status ``cancelled``."""
    return {"interruptId": interrupt["id"], "status": "cancelled"}


def decisions(event: JSON) -> list[JSON]:
    """What a RUN_STARTED tells of who decided what; none of other events."""
    metadata = event.get("metadata") if event.get("type") == "RUN_STARTED" else None
    ours = metadata.get("aguiws") if isinstance(metadata, dict) else None
    told = ours.get("decisions") if isinstance(ours, dict) else None
    return [d for d in told if isinstance(d, dict)] if isinstance(told, list) else []


def question_text(interrupt: JSON) -> str:
    """The words of a question: its message or, if that is a JSON object, its member that asks."""
    message = interrupt.get("message")
    message = message if isinstance(message, str) else ""
    text = message.strip()
    if not text or len(message) > _MOST_READ or text[0] not in "{[":
        return message if text else ""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return message
    for name in ("question", "message", "prompt", "title"):
        words = said.get(name) if isinstance(said, dict) else None
        if isinstance(words, str) and words.strip():
            return words
    return ""


@dataclass
class Choice:
    """An answer that needs no more words: a button."""

    label: str
    payload: Any = _NONE  # resolve takes it
    means: str = ""  # "yes" of the one yes, "no" of the one no, and "" of any other answer

    @property
    def has_payload(self) -> bool:
        return self.payload is not _NONE


@dataclass
class Answers:
    """The ways to answer an interrupt. Any can be withdrawn as well, which is no answer."""

    choices: list[Choice] = field(default_factory=list)
    # What else answers it. "any": any text and any other JSON. "object": any JSON object.
    # "schema": what its schema says, or edited arguments of a tool call. "nothing": the
    # choices are all there is.
    otherwise: str = "any"

    def choice(self, means: str) -> Choice | None:
        """The one that means "yes" or "no"; None: there is none."""
        return next((c for c in self.choices if c.means == means), None)


def answers_to(interrupt: JSON) -> Answers:
    """The ways to answer an interrupt, the same that the Go client and the browser's find."""
    schema: JSON | None = _object(interrupt.get("responseSchema"))
    reason = interrupt.get("reason")
    listed = _listed(_object(interrupt.get("metadata")).get("answers"))
    if not _saying(schema or {}):
        schema = None
        if reason == "tool_call" and not listed:
            return Answers(_yes_and_no("Approve", "Decline"), "schema")
        if reason == "aguiws:paused":
            return Answers([Choice("Go on", means="yes")], "nothing")
        if reason == "aguiws:auth_required":
            return Answers([Choice("Done")], "nothing")
    decided = _approval(schema or {}, reason)
    if decided is not None:
        return Answers(decided, "schema")
    if listed:
        return Answers(listed, "any" if schema is None else "schema")
    if schema is None:
        return Answers(_yes_and_no("Yes", "No"), "any")
    return _by_schema(schema)


def _object(value: Any) -> JSON:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _yes_and_no(yes: str, no: str) -> list[Choice]:
    return [Choice(yes, {"approved": True}, "yes"), Choice(no, {"approved": False}, "no")]


def _listed(answers: Any) -> list[Choice]:
    """What an agent lists as answers, without what is of another shape."""
    found: list[Choice] = []
    for entry in map(_object, _list(answers)):
        label = entry.get("label")
        if isinstance(label, str) and label.strip() and "payload" in entry and len(found) < _MOST_LISTED:
            found.append(Choice(label, entry["payload"]))
    return _meant(found)


def _meant(choices: list[Choice]) -> list[Choice]:
    """Say of the choices what they mean, if one alone means it."""
    for c in choices:
        approved = _object(c.payload).get("approved")
        label = c.label.strip().lower()
        if isinstance(approved, bool):
            c.means = "yes" if approved else "no"
        elif label in ("yes", "approve", "accept"):
            c.means = "yes"
        elif label in ("no", "decline", "reject", "deny"):
            c.means = "no"
    for means in ("yes", "no"):
        same = [c for c in choices if c.means == means]
        if len(same) > 1:
            for c in same:
                c.means = ""
    return choices


def _saying(schema: JSON) -> list[str]:
    """The keywords of a schema that say something of an answer."""
    return [keyword for keyword in schema if keyword not in _SILENT]


def _wanted(schema: JSON, beside: str = "") -> list[Any]:
    """The names that a schema requires beside one."""
    return [name for name in _list(schema.get("required")) if not beside or name != beside]


def _approval(schema: JSON, reason: Any) -> list[Choice] | None:
    """The yes and the no of a schema that asks for a decision, and none if it wants more with it.

    None: it asks for something else.
    """

    def words(properties: JSON) -> list[Choice]:
        if "editedArgs" in properties or reason == "tool_call":
            return _yes_and_no("Approve", "Decline")
        return _yes_and_no("Yes", "No")

    yes, no = _either(schema, True), _either(schema, False)
    if yes is not None and no is not None and not _wanted(yes, "approved") + _wanted(no, "approved"):
        return words(_object(yes.get("properties")))
    properties = _object(schema.get("properties"))
    composed = any(keyword in schema for keyword in ("$ref", "oneOf", "anyOf", "allOf", "not", "if"))
    if _object(properties.get("approved")).get("type") != "boolean" or composed:
        return None
    return [] if _wanted(schema, "approved") else words(properties)


def _either(schema: JSON, word: bool) -> JSON | None:
    """The one of two schemas that has approved say the word."""
    two = _list(schema.get("oneOf", schema.get("anyOf")))
    if len(two) == 2:
        for choice in map(_object, two):
            if _object(_object(choice.get("properties")).get("approved")).get("const") is word:
                return choice
    return None


def _by_schema(schema: JSON) -> Answers:
    values = _values(schema)
    if values is not None:
        return Answers(_meant(values), "nothing")
    other = Answers([], "schema")
    if schema.get("type") != "object" or set(_saying(schema)) - {"type", "properties", "required", "additionalProperties"}:
        return other
    properties, required = _object(schema.get("properties")), _wanted(schema)
    if not properties and not required:
        more = schema.get("additionalProperties", True)
        if more is False:
            return Answers([Choice("Confirm", {}, "yes")], "nothing")
        if more is True:
            return Answers(_yes_and_no("Yes", "No"), "object")
    # A person who presses a button would pass over what else there is to say.
    if len(required) != 1 or len(properties) > 1 or not isinstance(required[0], str):
        return other
    member = _object(properties.get(required[0]))
    values = None if member.get("type") == "boolean" else _values(member)
    if values is None:
        return other
    choices = _meant(values)
    for c in choices:
        c.payload = {required[0]: c.payload}
    return Answers(choices, "nothing")


def _values(schema: JSON) -> list[Choice] | None:
    """The few values that a schema allows, with labels; None: it allows others."""
    keywords = [keyword for keyword in _saying(schema) if keyword != "type"]
    if not keywords and schema.get("type") == "boolean":
        return [Choice("Yes", True), Choice("No", False)]
    if len(keywords) != 1:
        return None
    choices = [Choice(_worded(value), value) for value in _list(schema.get("enum"))]
    for choice in map(_object, _list(schema.get("oneOf", schema.get("anyOf")))):
        if "const" not in choice:
            return None
        title = choice.get("title")
        named = isinstance(title, str) and title.strip()
        choices.append(Choice(str(title) if named else _worded(choice["const"]), choice["const"]))
    if not choices or len(choices) > _FEW_VALUES or any(isinstance(c.payload, (dict, list)) for c in choices):
        return None
    return choices


def _worded(value: Any) -> str:
    """A value as a label: ask_again reads "Ask again"."""
    if not isinstance(value, str):
        return json.dumps(value)
    if not _PLAIN_WORD.fullmatch(value):
        return value
    return value[:1].upper() + value[1:].replace("_", " ")
