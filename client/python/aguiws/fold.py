"""What a thread holds: its messages and its state, as its events make them."""

from __future__ import annotations

from typing import Any, Callable, Iterable

from .frames import JSON
from .patch import apply_patch

_CHUNKS = {"TEXT_MESSAGE_CHUNK", "REASONING_MESSAGE_CHUNK", "TOOL_CALL_CHUNK"}


class Fold:
    """Applies events. A message that was handed out never changes: another takes its place."""

    def __init__(self, messages: Iterable[JSON] = (), state: Any = None) -> None:
        self.run_id = ""  # of the run that began last
        self.active = False  # that run has not ended
        self.state: Any = {} if state is None else state
        self._messages: list[JSON] = list(messages)
        self._growing: dict[tuple[str, bool], list[str]] = {}  # what was said since, by message or call
        self._chunk = ("", "")  # the family and the id of what the last chunk was about
        self._index()

    @property
    def messages(self) -> list[JSON]:
        self._settle()
        return list(self._messages)

    def __len__(self) -> int:
        return len(self._messages)

    def has(self, id: str) -> bool:
        return id in self._ids

    def first_id(self) -> str:
        return str(self._messages[0].get("id", "")) if self._messages else ""

    def restore(self, messages: Iterable[JSON], state: Any) -> None:
        self._growing.clear()
        self._messages, self.state = list(messages), state
        self._index()

    def windowed(self, event: JSON) -> tuple[JSON, int]:
        """A MESSAGES_SNAPSHOT without what stands before the first message that is held.

        The number says how many these are. A snapshot that has none of the messages stays as
        it was.
        """
        for i, message in enumerate(event["messages"]):
            if self.has(message["id"]):
                return {**event, "messages": event["messages"][i:]}, i
        return event, 0

    def apply(self, event: JSON) -> None:
        """Take in one event. A ValueError is a warning, and the fold goes on."""
        try:
            kind = event["type"]
            if kind in _CHUNKS:
                self._take_chunk(kind, event)
                return
            take = _TAKES.get(kind)
            if take is not None:
                take(self, event)
        except (KeyError, TypeError, AttributeError, RecursionError) as err:
            raise ValueError(f"the event has another form than AG-UI's: {err!r}") from err

    # Messages.

    def _index(self) -> None:
        self._ids: dict[str, int] = {}
        self._calls: dict[str, str] = {}  # by the call, the message that has it
        for at, message in enumerate(self._messages):
            self._note(message, at)

    def _note(self, message: JSON, at: int) -> None:
        self._ids.setdefault(message["id"], at)
        for call in message.get("toolCalls") or ():
            self._calls.setdefault(call["id"], message["id"])

    def _add(self, message: JSON) -> None:
        self._messages.append(message)
        self._note(message, len(self._messages) - 1)

    def _change(self, id: str, **members: Any) -> None:
        at = self._ids[id]
        self._messages[at] = {**self._messages[at], **members}

    def _change_call(self, call_id: str, change: Callable[[JSON], JSON]) -> None:
        id = self._calls[call_id]
        calls = self._messages[self._ids[id]]["toolCalls"]
        self._change(id, toolCalls=[change(c) if c["id"] == call_id else c for c in calls])

    def _settle(self) -> None:
        for (id, is_call), parts in self._growing.items():
            text = "".join(parts)
            if is_call:
                self._change_call(id, lambda c: _longer(c, text))
            else:
                held = self._messages[self._ids[id]].get("content")
                self._change(id, content=(held if isinstance(held, str) else "") + text)
        self._growing.clear()

    def _merge(self, id: str, event: JSON) -> None:
        if event.get("metadata") is not None:
            held = self._messages[self._ids[id]].get("metadata") or {}
            self._change(id, metadata={**held, **event["metadata"]})

    def _streaming(self, id: str) -> None:
        if id not in self._ids:
            raise ValueError(f"there is no message {id!r}")
        if self._messages[self._ids[id]].get("role") == "activity":
            raise ValueError(f"message {id!r} is an activity")

    def _begin(self, event: JSON, role: str) -> None:
        id = event["messageId"]
        if id not in self._ids:
            self._add(_with({"id": id, "role": role, "content": ""}, event, "name", "subagentRunId"))
        self._streaming(id)
        self._merge(id, event)

    def _text_start(self, event: JSON) -> None:
        self._begin(event, event.get("role") or "assistant")

    def _reasoning_start(self, event: JSON) -> None:
        self._begin(event, "reasoning")

    def _text(self, event: JSON) -> None:
        id, delta = event["messageId"], event["delta"]
        self._streaming(id)
        if not isinstance(delta, str):
            raise ValueError("a delta is no text")
        self._growing.setdefault((id, False), []).append(delta)
        self._merge(id, event)

    def _text_end(self, event: JSON) -> None:
        self._streaming(event["messageId"])
        self._merge(event["messageId"], event)

    # Tool calls.

    def _call_start(self, event: JSON) -> None:
        call_id, name = event["toolCallId"], event["toolCallName"]
        if call_id in self._calls:
            self._change_call(call_id, lambda c: {**c, "function": {**c["function"], "name": name}})
            self._merge_call(call_id, event)
            return
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
        call = _with(call, event, "metadata")
        parent = event.get("parentMessageId")
        id = call_id
        if parent and parent in self._ids:
            held = self._messages[self._ids[parent]]
            if held.get("role") == "assistant":
                self._change(parent, toolCalls=[*(held.get("toolCalls") or ()), call])
                self._calls[call_id] = parent
                return
        elif parent:
            id = parent
        self._add(_with({"id": id, "role": "assistant", "toolCalls": [call]}, event, "subagentRunId"))

    def _merge_call(self, call_id: str, event: JSON) -> None:
        if event.get("metadata") is not None:
            more = event["metadata"]
            self._change_call(call_id, lambda c: {**c, "metadata": {**(c.get("metadata") or {}), **more}})

    def _known(self, call_id: str) -> None:
        if call_id not in self._calls:
            raise ValueError(f"there is no tool call {call_id!r}")

    def _call_args(self, event: JSON) -> None:
        call_id, delta = event["toolCallId"], event["delta"]
        self._known(call_id)
        if not isinstance(delta, str):
            raise ValueError("a delta is no text")
        self._growing.setdefault((call_id, True), []).append(delta)
        self._merge_call(call_id, event)

    def _call_end(self, event: JSON) -> None:
        self._known(event["toolCallId"])
        self._merge_call(event["toolCallId"], event)

    def _result(self, event: JSON) -> None:
        message = {"id": event["messageId"], "role": "tool", "content": event["content"], "toolCallId": event["toolCallId"]}
        message = _with(message, event, "subagentRunId", "metadata")
        carrier = self._calls.get(event["toolCallId"])
        at = len(self._messages)
        if carrier is not None:
            at = self._ids[carrier] + 1
            while at < len(self._messages) and self._messages[at].get("role") == "tool":
                at += 1
        if at == len(self._messages):
            self._add(message)
        else:
            self._messages.insert(at, message)
            self._index()

    def _seal(self, event: JSON) -> None:
        sealed = _with({}, event, "encryptedValue", "encryptedValueType")
        id = event["entityId"]
        if event.get("subtype") == "tool-call":
            if id in self._calls:
                self._change_call(id, lambda c: {**c, **sealed})
        elif id in self._ids and self._messages[self._ids[id]].get("role") != "activity":
            self._change(id, **sealed)

    # Chunks: the first names what it is about, and later ones may leave that out.

    def _take_chunk(self, kind: str, event: JSON) -> None:
        family = kind.removesuffix("_CHUNK")
        member = "toolCallId" if family == "TOOL_CALL" else "messageId"
        id = event.get(member) or (self._chunk[1] if self._chunk[0] == family else "")
        if not id:
            raise ValueError(f"{kind} names nothing")
        event = {**event, member: id}
        if family == "TOOL_CALL":
            if id not in self._calls:
                self._call_start(event)
            if event.get("delta"):
                self._call_args({"toolCallId": id, "delta": event["delta"]})
        else:
            if id not in self._ids:
                (self._text_start if family == "TEXT_MESSAGE" else self._reasoning_start)(event)
            if event.get("delta"):
                self._text({"messageId": id, "delta": event["delta"]})
        self._chunk = (family, id)

    # Snapshots, state and activities.

    def _messages_snapshot(self, event: JSON) -> None:
        """Take over a complete set.

        What it holds is replaced in place or appended. What it lacks is dropped, except
        activities and reasoning when the set does not speak for them.
        """
        latest = {m["id"]: m for m in event["messages"]}
        roles = {m.get("role") for m in latest.values()}
        owns = _activity_authority(event, "activity" in roles)
        self._settle()
        held: list[JSON] = []
        seen: set[str] = set()
        for message in self._messages:
            role = message.get("role")
            if message["id"] in latest:
                message = latest[message["id"]]
            elif role == "activity":
                if owns(message.get("activityType")):
                    continue
            elif role != "reasoning" or "reasoning" in roles:
                continue
            held.append(message)
            seen.add(message["id"])
        self._messages = held + [m for id, m in latest.items() if id not in seen]
        self._index()

    def _state_snapshot(self, event: JSON) -> None:
        self.state = event.get("snapshot")

    def _state_delta(self, event: JSON) -> None:
        self.state = apply_patch(self.state, event["delta"])

    def _activity(self, event: JSON) -> None:
        id, replace = event["messageId"], event.get("replace") is not False
        fresh = {"id": id, "role": "activity", "activityType": event["activityType"], "content": event["content"]}
        fresh = _with(fresh, event, "subagentRunId")
        at = self._ids.get(id)
        if at is None:
            self._add(fresh)
        elif replace:
            held = self._messages[at]
            if held.get("role") == "activity":
                fresh = _with(fresh, held, "metadata")
            self._settle()
            self._messages[at] = fresh
            self._index()
        elif self._messages[at].get("role") != "activity":
            return
        self._merge(id, event)

    def _activity_delta(self, event: JSON) -> None:
        at = self._ids.get(event["messageId"])
        if at is None:
            return
        if self._messages[at].get("role") != "activity":
            raise ValueError(f"message {event['messageId']!r} is no activity")
        self._merge(event["messageId"], event)
        content = apply_patch(self._messages[at].get("content") or {}, event["patch"])
        if not isinstance(content, dict):
            raise ValueError(f"the content of {event['messageId']!r} would no longer be an object")
        self._change(event["messageId"], content=content, activityType=event["activityType"])

    # Runs.

    def _run_started(self, event: JSON) -> None:
        self.run_id, self.active, self._chunk = event["runId"], True, ("", "")
        for message in (event.get("input") or {}).get("messages") or ():
            if message["id"] not in self._ids:
                self._add(message)

    def _run_ended(self, event: JSON) -> None:
        self.active = False


def _longer(call: JSON, text: str) -> JSON:
    function = call["function"]
    return {**call, "function": {**function, "arguments": function.get("arguments", "") + text}}


def _with(message: JSON, event: JSON, *members: str) -> JSON:
    return {**message, **{m: event[m] for m in members if event.get(m) is not None}}


def _activity_authority(event: JSON, some: bool) -> Callable[[Any], bool]:
    """Which activity types a snapshot speaks for.

    These are those that it declares to the reference client, else all if it holds any.
    """
    metadata = event.get("metadata") or {}
    if "@ag-ui/client" not in metadata:
        return lambda _: some
    declared = metadata["@ag-ui/client"]
    if not isinstance(declared, dict):
        return lambda _: False
    if "authoritativeActivityTypes" not in declared:
        return lambda _: some
    types = declared["authoritativeActivityTypes"]
    if types is None:
        return lambda _: True
    if not isinstance(types, list) or not all(isinstance(t, str) for t in types):
        return lambda _: False
    return lambda t: t in types


_TAKES: dict[str, Callable[[Fold, JSON], None]] = {
    "RUN_STARTED": Fold._run_started,
    "RUN_FINISHED": Fold._run_ended,
    "RUN_ERROR": Fold._run_ended,
    "TEXT_MESSAGE_START": Fold._text_start,
    "TEXT_MESSAGE_CONTENT": Fold._text,
    "TEXT_MESSAGE_END": Fold._text_end,
    "REASONING_MESSAGE_START": Fold._reasoning_start,
    "REASONING_MESSAGE_CONTENT": Fold._text,
    "REASONING_MESSAGE_END": Fold._text_end,
    "REASONING_ENCRYPTED_VALUE": Fold._seal,
    "TOOL_CALL_START": Fold._call_start,
    "TOOL_CALL_ARGS": Fold._call_args,
    "TOOL_CALL_END": Fold._call_end,
    "TOOL_CALL_RESULT": Fold._result,
    "MESSAGES_SNAPSHOT": Fold._messages_snapshot,
    "STATE_SNAPSHOT": Fold._state_snapshot,
    "STATE_DELTA": Fold._state_delta,
    "ACTIVITY_SNAPSHOT": Fold._activity,
    "ACTIVITY_DELTA": Fold._activity_delta,
}
