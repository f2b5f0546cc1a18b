"""What the agent can do once a person has said yes. Yours take the place of these two.

Nothing else names a tool: the function's name, its annotations and its docstring are what a
person, the page and a model see of it.
"""

import inspect
import json
from pathlib import Path

TOOLS = {}
SENT = Path(__file__).parent / "sent.log"


class NotDone(Exception):
    """Nothing was done, for sure. A timeout is not that: let it pass, and a human is asked, as after a crash."""


def tool(question):
    """Keeps a function as a tool: the question is asked, with the arguments in its gaps, before it is called.

    It returns what to say when it is done. The service that it calls gets `key`, and drops a
    second request with the same one: the answer comes again if the agent was killed behind
    this call. aguiws shows people the `run` after a crash, so log it. An `async def` is
    awaited, and a `def`, which may block, has a thread.
    """

    def keep(function):
        function.question, function.signature = question, inspect.signature(function)
        TOOLS[function.__name__] = function
        return function

    return keep


def question_of(name, args):
    """The tool's question about a call. It raises if a model has made up the tool or the arguments."""
    function = TOOLS[name]
    function.signature.bind(**args, key="", run="")
    for each, value in args.items():
        kind = function.signature.parameters[each].annotation
        if not isinstance(value, (int, float) if kind is float else kind):
            raise TypeError(f"{each} of {name} is {value!r}")
    return function.question.format(**args)


@tool("Send this to {to}?")
def send_mail(to: str, text: str, *, key, run):
    """Sends a mail."""
    once({"to": to, "text": text}, key, run)
    return f"Sent to {to}."


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

    `book blue` proposes to book a room, and any other text is somebody to write to.
    """
    last = messages[-1] if messages else {}
    text = last.get("content")
    if last.get("role") == "user" and isinstance(text, str):
        word, _, room = text.partition(" ")
        if word == "book" and room:
            yield "book_room", {"room": room, "hours": 2}
        else:
            yield "send_mail", {"to": text, "text": f"Dear {text}"}
    elif last.get("role") != "tool":
        yield 'Write the name of somebody. Or write "book blue".'
