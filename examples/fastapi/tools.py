"""What the agent can do. Yours take the place of these tools.

app.py and model.py name no tool: the function's name, its annotations and its docstring are what
a person, the page and a model see of it. `think`, at the end, does name these tools: it proposes
their calls without a model.
"""

import inspect
import json
import string
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

TOOLS = {}
SENT = Path(__file__).parent / "sent.log"
KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object", NoneType: "null"}


class NotDone(Exception):
    """Nothing was done, for sure. A timeout is not that: let it pass, and a human is asked, as after a crash."""


class NoSuchCall(Exception):
    """`think` or a model has proposed a tool or arguments that there are not."""


def tool(question=None):
    """Keeps a function as a tool: the question is asked, with the arguments in its gaps, before it is called.

    It returns what to say when it is done. The service that it calls gets `key`, and drops a
    second request with the same one: the answer comes again if the agent was killed behind
    this call. aguiws shows people the `run` after a crash, so log it. An `async def` is
    awaited, and a `def`, which may block, has a thread. A tool without a question is called
    at once, perhaps twice, and has neither `key` nor `run`: it looks something up.
    """

    if callable(question):
        raise TypeError(f'@tool: {question.__name__}: write @tool("…?") with its question, or @tool() if it needs none')

    def keep(function):
        function.question, function.signature = question, inspect.signature(function, eval_str=True)
        function.arguments = {n: p for n, p in function.signature.parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD}
        try:
            judge(function)
        except TypeError as error:
            raise TypeError(f"@tool: {function.__name__}: {error}") from None
        TOOLS[function.__name__] = function
        return function

    return keep


def judge(function):
    """Raises at the start if no call of the function could be right: nobody would blame its author later."""
    for name, argument in function.arguments.items():
        schema_of(name, argument.annotation)
        if argument.default is not argument.empty and not fits(argument.default, argument.annotation):
            raise TypeError(f"{name} has the default {argument.default!r}, which its annotation does not take")
    others = function.signature.parameters.keys() - function.arguments.keys()
    if others != ({"key", "run"} if function.question else set()):
        raise TypeError("a tool with a question ends with `*, key, run`, and one without a question has its arguments alone")
    try:
        gaps = list(string.Formatter().parse(function.question or ""))
    except ValueError as error:
        raise TypeError(f"the question's gaps cannot be read: {error}") from None
    for _, gap, form, conversion in gaps:
        if gap is not None and gap not in function.arguments:
            raise TypeError(f"the question's {{{gap}}} is no argument")
        if form or conversion:  # not every value of the annotation takes one
            raise TypeError(f"the question's {{{gap}}} has a format: a gap is a name alone")


def schema_of(name, kind):
    """An annotation as JSON Schema has it."""
    outer, inner = get_origin(kind), get_args(kind)
    if outer is list:
        return {"type": "array", "items": schema_of(name, *inner)}
    if outer is Literal and all(isinstance(each, (str, int)) for each in inner):
        return {"enum": list(inner)}
    if outer in (Union, UnionType):
        return {"anyOf": [schema_of(name, each) for each in inner]}
    if isinstance(kind, type) and kind in KINDS:
        return {"type": KINDS[kind]}
    kinds = ", ".join(each.__name__ for each in KINDS if each is not NoneType)
    raise TypeError(f"{name} needs an annotation: {kinds}, list[…], Literal[…], or several of these with |, such as str | None")


def parameters_of(function):
    """A tool's arguments as JSON Schema has them."""
    properties = {n: schema_of(n, p.annotation) for n, p in function.arguments.items()}
    required = [n for n, p in function.arguments.items() if p.default is p.empty]
    return {"type": "object", "properties": properties, "required": required}


def fits(value, kind):
    """Whether a JSON value is of an annotation."""
    outer, inner = get_origin(kind), get_args(kind)
    if outer is list:
        return isinstance(value, list) and all(fits(each, *inner) for each in value)
    if outer is Literal:
        return any(type(value) is type(each) and value == each for each in inner)
    if outer in (Union, UnionType):
        return any(fits(value, each) for each in inner)
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, (int, float) if kind is float else kind)


def proposed(name, args):
    """The arguments of a call with those that were left out, and its question; None: it has none."""
    if name not in TOOLS:
        raise NoSuchCall(f"there is no tool {name!r}")
    function = TOOLS[name]
    try:
        bound = function.signature.bind(**args, **({"key": "", "run": ""} if function.question else {}))
    except TypeError as error:
        raise NoSuchCall(f"{name}: {error}") from None
    for each, value in args.items():
        if not fits(value, function.arguments[each].annotation):
            raise NoSuchCall(f"{each} of {name} is {value!r}")
    bound.apply_defaults()
    args = {each: bound.arguments[each] for each in function.arguments}
    words = {each: "–" if value is None else value for each, value in args.items()}
    return args, function.question and function.question.format(**words)


@tool("Send this to {to}?")
def send_mail(to: str, text: str, *, key, run):
    """Sends a mail."""
    once({"to": to, "text": text}, key, run)
    return f"Sent to {to}."


@tool()
def free_rooms():
    """The meeting rooms that are free now."""
    return "blue, green"


@tool("Book {room} for {hours} hours?")
async def book_room(room: str, hours: int, *, key, run):
    """Books a meeting room from now on."""
    if hours > 8:
        raise NotDone("a room can be had for 8 hours")
    once({"room": room, "hours": hours}, key, run)
    return f"{room} is yours for {hours} hours."


def once(what, key, run):
    """Stands for a service that drops a second request with the same key."""
    with SENT.open("a+") as log:
        log.seek(0)
        if key not in log.read():
            log.write(json.dumps({**what, "question": key, "run": run}) + "\n")


async def think(messages):
    """Says what comes next in a chat, without a model: a text is said, and a call is asked about.

    `rooms` looks up which are free, `book blue` proposes to book one, and any other text is
    somebody to write to.
    """
    last = messages[-1] if messages else {}
    text = last.get("content")
    if last.get("role") == "user" and isinstance(text, str):
        word, _, room = text.partition(" ")
        if text == "rooms":
            yield "free_rooms", {}
        elif word == "book" and room:
            yield "book_room", {"room": room, "hours": 2}
        else:
            yield "send_mail", {"to": text, "text": f"Dear {text}"}
    elif last.get("role") == "tool":
        if [m["content"] for m in messages if m["role"] == "user"][-1:] == ["rooms"]:
            yield f"These rooms are free: {last['content']}."
    else:
        yield 'Write the name of somebody, "rooms" or "book blue".'
