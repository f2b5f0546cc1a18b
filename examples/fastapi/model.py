"""A model for the agent in app.py, at any endpoint with OpenAI's chat completions.

    MODEL=qwen3 MODEL_URL=http://127.0.0.1:11434/v1 python3 -m uvicorn app:app --port 8000
"""

import json
import os
import urllib.request

from starlette.concurrency import iterate_in_threadpool

from tools import TOOLS, parameters_of

SYSTEM = "You help by your tools. A person may be asked about a call, and has it carried out or not: the result says which."


def described(name, function):
    """A tool as chat completions have it: its docstring, and its arguments by their annotations."""
    return {"type": "function", "function": {"name": name, "description": function.__doc__, "parameters": parameters_of(function)}}


async def think(messages):
    """Yields the model's words as they come, and then each call that it proposes."""
    calls = {}
    tools = [described(name, function) for name, function in TOOLS.items()]
    body = {"model": os.environ["MODEL"], "stream": True, "messages": list(as_completions(messages)), "tools": tools}
    async for delta in iterate_in_threadpool(deltas(body)):
        if delta.get("content"):
            yield delta["content"]
        for part in delta.get("tool_calls") or []:
            name, arguments = calls.get(part.get("index", 0), ("", ""))
            told = part["function"]
            calls[part.get("index", 0)] = name or told.get("name"), arguments + (told.get("arguments") or "")
    for name, arguments in calls.values():
        yield name, json.loads(arguments or "{}")


def as_completions(messages):
    """AG-UI's messages as those of chat completions. Pictures, reasoning and activities are left out."""
    yield {"role": "system", "content": SYSTEM}
    for message in messages:
        role, content = message["role"], message.get("content")
        if isinstance(content, list):
            content = "".join(part["text"] for part in content if part["type"] == "text")
        if role == "tool":
            yield {"role": role, "tool_call_id": message["toolCallId"], "content": content}
        elif role == "assistant" and message.get("toolCalls"):
            yield {"role": role, "content": content, "tool_calls": message["toolCalls"]}
        elif role in ("user", "assistant", "system", "developer"):
            yield {"role": role, "content": content or ""}


def deltas(body):
    """What the endpoint streams. It blocks, and so it runs in a thread."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")}
    url = os.environ.get("MODEL_URL", "https://api.openai.com/v1") + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=240) as answer:
        for line in answer:
            data = line.removeprefix(b"data:").strip()
            if data == b"[DONE]":
                return
            if line.startswith(b"data:"):
                for choice in json.loads(data)["choices"]:
                    yield choice["delta"]
    raise OSError("its answer broke off")
