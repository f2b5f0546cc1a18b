"""A model for the agent in app.py, at any endpoint with OpenAI's chat completions.

    MODEL=qwen3 MODEL_URL=http://127.0.0.1:11434/v1 python3 -m uvicorn app:app --port 8000
"""

import json
import os
import urllib.request

from starlette.concurrency import iterate_in_threadpool

SYSTEM = "You write mails. Propose each by send_mail: a person then sends it or not, and the result says which."
SEND_MAIL = {
    "type": "function",
    "function": {
        "name": "send_mail",
        "description": "Proposes a mail to a person, who decides.",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
            "required": ["to", "text"],
        },
    },
}


async def think(messages):
    """Yields the model's words as they come, and then each mail that it proposes."""
    calls = {}
    body = {"model": os.environ["MODEL"], "stream": True, "messages": list(as_completions(messages)), "tools": [SEND_MAIL]}
    async for delta in iterate_in_threadpool(deltas(body)):
        if delta.get("content"):
            yield delta["content"]
        for part in delta.get("tool_calls") or []:
            index = part.get("index", 0)
            calls[index] = calls.get(index, "") + (part["function"].get("arguments") or "")
    for arguments in calls.values():
        mail = json.loads(arguments)
        yield {"to": str(mail["to"]), "text": str(mail["text"])}


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
