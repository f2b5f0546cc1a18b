"""A whole agent that speaks AG-UI, with nothing but Python's library. It asks before it sends.

    python3 agent.py EFFECTS [PORT [ASKED]]     the line "ready URL" says where it is

A file ASKED keeps what was asked about, for an agent that is started anew.
"""

import json
import signal
import sys
import threading
import time
import uuid
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

file = Path(sys.argv[3]) if len(sys.argv) > 3 else None
asked = json.loads(file.read_text()) if file and file.exists() else {}
keeping = threading.Lock()
answering = defaultdict(threading.Lock)  # the same answer may come while it is being carried out


def keep(question, value):
    """Keeps what a question is about, or what came of it when it is answered."""
    with keeping:
        asked[question] = value
        if file:  # which is whole, whenever this process ends
            new = file.with_suffix(".new")
            new.write_text(json.dumps(asked))
            new.replace(file)


def draft_of(text):
    """What an answer to a draft looks like: a yes or a no, and the text if it was changed."""
    return {
        "type": "object",
        "properties": {"approved": {"type": "boolean"}, "text": {"type": "string", "default": text}},
        "required": ["approved"],
    }


def send(args, key, run):
    """The service that acts. It drops a second request with the same key: the answer comes again
    if this process was killed behind the call, and before it kept that."""
    done = Path(sys.argv[1])
    if done.is_file() and key in done.read_text():
        return
    with done.open("a") as effects:
        effects.write(json.dumps({"tool": "send", "args": args, "question": key, "run": run}) + "\n")


class Agent(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def tell(self, **event):
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")

    def say(self, text):
        message = str(uuid.uuid4())
        self.tell(type="TEXT_MESSAGE_START", messageId=message, role="assistant")
        self.tell(type="TEXT_MESSAGE_CONTENT", messageId=message, delta=text)
        self.tell(type="TEXT_MESSAGE_END", messageId=message)

    def propose(self, tool, args):
        """Shows a call that waits for a yes, and returns its id."""
        call = str(uuid.uuid4())
        self.tell(type="TOOL_CALL_START", toolCallId=call, toolCallName=tool)
        self.tell(type="TOOL_CALL_ARGS", toolCallId=call, delta=json.dumps(args))
        self.tell(type="TOOL_CALL_END", toolCallId=call)
        return call

    def ask(self, message, about, **more):
        """Keeps what a question is about, a dict of JSON that go_on is given, and returns the question."""
        question = str(uuid.uuid4())
        keep(question, {"about": about, "message": self.message})
        return {"id": question, "reason": "example:ask_human", "message": message, **more}

    def do_POST(self):
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.run = told["runId"]  # which a question about a crash shows
        ids = {"threadId": told["threadId"], "runId": self.run}
        answers = told.get("resume") or []
        if any(answer["interruptId"] not in asked for answer in answers):
            # It was asked before a restart. Behind a 200 nobody would learn that.
            self.send_response(404)
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.tell(type="RUN_STARTED", **ids)
        said = [message for message in told["messages"] if message["role"] == "user"][-1:]
        self.message = said[0]["id"] if said else None
        questions = [*filter(None, map(self.answered, answers))]
        if answers and self.message in [None, *(asked[answer["interruptId"]]["message"] for answer in answers)]:
            self.end(ids, *questions)  # nobody has written since it asked
            return
        content = said[0].get("content") if said else None
        word, _, to = content.partition(" ") if isinstance(content, str) else ("", "", "")
        if word in ("send", "slow") and to:
            questions.append(self.ask(f"Send to {to}?", {"word": word, "to": to}))
        elif word == "mail" and to:
            call = self.propose("send_mail", {"to": to})
            questions.append(self.ask(f"Mail {to}?", {"word": word, "to": to, "call": call}, toolCallId=call))
        elif word == "when" and to:
            questions.append(self.ask(f"When shall I write to {to}?", {"word": word, "to": to}))
        elif word == "draft" and to:
            questions.append(self.ask(f"Send this to {to}?", {"word": word, "to": to}, responseSchema=draft_of(f"Dear {to}")))
        else:
            self.say('Write "send NAME", "mail NAME", "when NAME", "draft NAME" or "slow NAME".')
        self.end(ids, *questions)

    def end(self, ids, *questions):
        outcome = {"type": "interrupt", "interrupts": questions} if questions else {"type": "success"}
        self.tell(type="RUN_FINISHED", **ids, outcome=outcome)

    def answered(self, answer):
        """Acts on the answer, keeps that it has, and returns the next question; None: there is none."""
        question = answer["interruptId"]
        with answering[question]:
            if "said" not in asked[question]:
                said, following = self.go_on(answer, **asked[question]["about"])
                keep(question, asked[question] | {"said": said, "next": following})
        kept = asked[question]
        if call := kept["about"].get("call"):
            self.tell(type="TOOL_CALL_RESULT", messageId=str(uuid.uuid4()), toolCallId=call, content=kept["said"])
        self.say(kept["said"])
        return kept["next"]

    def go_on(self, answer, word, to, call=None):
        """Acts on the answer, and returns what to say and the next question; None: there is none.

        It is given what the question is about by name. An exception is asked about like a
        crash, so it catches what its own action may raise.
        """
        payload, args = answer.get("payload"), {"to": to}
        sends = answer["status"] == "resolved"
        if word == "when":
            sends = sends and isinstance(payload, str)
            args["day"] = payload
        else:
            sends = sends and isinstance(payload, dict) and payload.get("approved") is True
        if sends and word == "draft":
            args["text"] = payload.get("text", f"Dear {to}")
        if sends and word == "slow":  # time to kill something
            self.say("One moment.")
            time.sleep(20)
        if sends:
            send(args, key=answer["interruptId"], run=self.run)
        return f"Sent to {to}" if sends else f"Not sent to {to}", None


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Agent)
print(f"ready http://127.0.0.1:{server.server_address[1]}/", flush=True)
server.serve_forever()
