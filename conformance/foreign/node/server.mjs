// A server as one writes it in an afternoon with @ag-ui/encoder: HTTP, Server-Sent
// Events, what it must remember in a Map. It is here to be judged; it knows nothing
// of this project and is not made to pass or to fail.
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { EventType } from "@ag-ui/core";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { EventEncoder } from "@ag-ui/encoder";

// The questions that wait for an answer, by thread.
const waiting = new Map();

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  let input;
  try {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    input = RunAgentInputSchema.parse(JSON.parse(body));
  } catch (problem) {
    return response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ message: String(problem) }));
  }
  const encoder = new EventEncoder({ accept: "text/event-stream" });
  const send = (type, members) => response.write(encoder.encodeSSE({ type, ...members }));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  try {
    await run(input, send);
  } catch (problem) {
    send(EventType.RUN_ERROR, { message: problem.message });
  }
  response.end();
});

async function run(input, send) {
  const { threadId, runId } = input;
  send(EventType.RUN_STARTED, { threadId, runId, protocolVersion: "1.0" });
  const finish = (outcome = { type: "success" }) => send(EventType.RUN_FINISHED, { threadId, runId, outcome });
  const ask = (interrupts) => {
    waiting.set(threadId, interrupts);
    finish({ type: "interrupt", interrupts });
  };
  if (input.resume?.length) {
    const open = waiting.get(threadId) ?? [];
    waiting.delete(threadId);
    for (const answer of input.resume) {
      const question = open.find(({ id }) => id === answer.interruptId);
      if (question) carryOn(question, answer, send);
    }
    return finish();
  }
  const said = input.messages.at(-1);
  if (said?.role === "tool") {
    await speak(send, ["You answered: ", text(said)]);
    return finish();
  }
  const [word, ...rest] = text(input.messages.findLast(({ role }) => role === "user")).split(" ");
  const what = rest.join(" ");
  switch (word) {
    case "echo":
      await speak(send, what.split(/(?<= )/));
      return finish();
    case "count": {
      const [n, ms] = rest.map(Number);
      await speak(send, Array.from({ length: n }, (_, i) => `${i + 1} `), ms);
      return finish();
    }
    case "crash":
      throw new Error(what);
    case "ponder": {
      const messageId = randomUUID();
      send(EventType.REASONING_START, { messageId });
      send(EventType.REASONING_MESSAGE_START, { messageId, role: "reasoning" });
      send(EventType.REASONING_MESSAGE_CONTENT, { messageId, delta: what });
      send(EventType.REASONING_MESSAGE_END, { messageId });
      send(EventType.REASONING_END, { messageId });
      return finish();
    }
    case "remember":
      send(EventType.STATE_SNAPSHOT, { snapshot: JSON.parse(what) });
      send(EventType.STATE_DELTA, { delta: [{ op: "add", path: "/steps", value: ["snapshot", "delta"] }] });
      return finish();
    case "ask":
      return ask([{ id: randomUUID(), reason: "confirmation", message: what }]);
    case "call":
    case "leave": {
      const [name, ...args] = rest;
      const toolCallId = call(send, name, args.join(" "));
      if (word === "leave") return finish({ type: "success", pendingToolCallIds: [toolCallId] });
      return ask([{ id: randomUUID(), reason: "tool_call", toolCallId, metadata: { args: args.join(" ") } }]);
    }
    case "several":
      return ask(
        Array.from({ length: Number(what) }, (_, i) => {
          const args = JSON.stringify({ number: i + 1 });
          return { id: randomUUID(), reason: "tool_call", toolCallId: call(send, `task_${i + 1}`, args), metadata: { args } };
        }),
      );
  }
  return finish();
}

function call(send, toolCallName, args) {
  const toolCallId = randomUUID();
  send(EventType.TOOL_CALL_START, { toolCallId, toolCallName });
  send(EventType.TOOL_CALL_ARGS, { toolCallId, delta: args });
  send(EventType.TOOL_CALL_END, { toolCallId });
  return toolCallId;
}

function carryOn({ toolCallId, metadata }, { status, payload }, send) {
  if (!toolCallId) return;
  const executed = status === "resolved" && Boolean(payload?.approved);
  const args = payload?.editedArgs ?? JSON.parse(metadata.args);
  send(EventType.TOOL_CALL_RESULT, { messageId: randomUUID(), toolCallId, content: JSON.stringify({ executed, args }) });
}

async function speak(send, deltas, ms = 0) {
  const messageId = randomUUID();
  send(EventType.TEXT_MESSAGE_START, { messageId, role: "assistant" });
  for (const delta of deltas) {
    if (ms) await pause(ms);
    send(EventType.TEXT_MESSAGE_CONTENT, { messageId, delta });
  }
  send(EventType.TEXT_MESSAGE_END, { messageId });
}

function text(message) {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

server.listen(0, "127.0.0.1", () => console.log(`listening 127.0.0.1:${server.address().port}`));
